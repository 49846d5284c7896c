//! Structures without bodies: how much water passes what people build, from stages on both sides.
//!
//! ```text
//! path       which faces a line closes, and how much of the line each of them stands for
//! aperture   what a closed face lets through: over its crest, through its gap
//! barrier    a line with crests, a gap and a breach: levee, weir, sluice gate, bridge deck
//! culvert    a pipe between two places, by its cross-section; pump and drain
//! ```
//!
//! Guarantees: plain numbers in and out, by + − × ÷ √ and comparisons alone: the same bits on
//!             every machine.
//! Limits:     volumes change in `sim`; a wall has no thickness, so it takes no water's place.

pub mod aperture;
pub mod barrier;
pub mod culvert;
pub mod drain;
pub mod path;
pub mod pump;
pub mod section;

pub use culvert::Culvert;
pub use drain::Drain;
pub use pump::Pump;
pub use section::Section;
