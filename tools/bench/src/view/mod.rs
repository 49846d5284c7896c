//! Costs of looking at a world.

pub mod frame;
mod surface;

use crate::suite::Bench;

/// Measurements of what renderers read.
pub const BENCHES: &[Bench] = &[surface::BENCH, frame::BENCH];
