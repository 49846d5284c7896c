//! Costs of viewing a world.

pub mod frame;
mod surface;

use crate::suite::Bench;

/// Measurements of the states that renderers read.
pub const BENCHES: &[Bench] = &[surface::BENCH, frame::BENCH];
