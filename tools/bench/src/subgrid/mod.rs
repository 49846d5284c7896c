//! Coarse cells against the terrain they stand for: rivers, levees and shores narrower than they.

mod columns;
mod levee;
mod river;

use crate::suite::Bench;

/// Measurements of coarse cells.
pub const BENCHES: &[Bench] = &[river::BENCH, levee::BENCH];
