//! What it costs to look at a world.

pub mod frame;

use crate::suite::Bench;

/// Measurements of what renderers read.
pub const BENCHES: &[Bench] = &[frame::BENCH];
