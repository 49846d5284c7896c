//! Numbers of physics: each against an exact law, a measured series or a published run.

mod manning;
mod open_edge;
mod rain_plane;

use crate::suite::Bench;

/// Measurements of physics.
pub const BENCHES: &[Bench] = &[rain_plane::BENCH, manning::BENCH, open_edge::BENCH];
