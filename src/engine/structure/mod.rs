//! Structures without bodies: how much water passes them, from the stages on both sides.
//!
//! ```text
//! path       which faces a line closes, and how much of the line each of them stands for
//! aperture   what a closed face lets through: over its crest, through its gap
//! barrier    a line with crests, a gap and a breach: levee, weir, sluice gate, bridge deck
//! link       the kinds of what joins two places, a file each: culvert, pump, drain
//! end        what links of all kinds have in common
//! inflow     a discharge into cells
//! weather    rates over all cells: rain, evaporation, infiltration
//! frame      the world that a structure is put into
//! error      what a structure is known by, the range of each of its numbers, and what is wrong
//! ```
//!
//! Each kind of link has a file with everything about it: its specification, as in a world's file,
//! the ranges of its numbers, its law, and its words in reports. A new kind needs a file, a row of
//! the list in `link` and a table of a scenario.
//!
//! Guarantees: plain numbers in and out, by + − × ÷ √ and comparisons alone: the same bits on every
//!             machine.
//! Limits:     volumes change in `sim`; a wall has no thickness, so it displaces no water.

pub mod aperture;
pub mod barrier;
pub mod culvert;
pub mod drain;
pub mod end;
pub mod error;
pub mod frame;
pub mod inflow;
pub mod link;
pub mod path;
pub mod pump;
pub mod section;
pub mod weather;

pub use barrier::{Barrier, Breach, Gap, Opening, Trigger};
pub use culvert::Culvert;
pub use drain::Drain;
pub use end::{Course, LinkState};
pub use error::{Fault, Number, StructureError, StructureId, StructureKind};
pub use link::{Link, LinkLaw};
pub use pump::Pump;
pub use section::Section;
