//! Coarse cells against the terrain they stand for: rivers, levees and shores narrower than they.

mod columns;
mod downscaled;
mod ea5;
mod levee;
mod malpasset;
mod river;

use crate::suite::Bench;

/// Measurements of coarse cells.
pub const BENCHES: &[Bench] = &[river::BENCH, levee::BENCH, malpasset::BENCH, ea5::BENCH];
