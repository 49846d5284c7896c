//! Structures without bodies: what stands in the way of water, as laws of single faces.
//!
//! ```text
//! path       which faces a line closes, and how much of the line each of them stands for
//! aperture   what a closed face lets through: over its crest, through its gap
//! barrier    a line with crests, a gap and a breach: levee, weir, sluice gate, bridge deck
//! ```
//!
//! Guarantees: pure: no function here knows water beyond the two stages it is given.
//! Limits:     volumes change in `sim`; a wall has no thickness, so it takes no water's place.

pub mod aperture;
pub mod barrier;

pub mod path;
