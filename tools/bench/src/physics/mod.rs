//! Numbers of physics: each against an exact law, a measured series or a published run.

mod channel;
mod ea5;
mod fluid;
mod lake;
mod manning;
mod open_edge;
mod rain_lab;
mod rain_plane;

use crate::suite::Bench;

/// Measurements of physics.
pub const BENCHES: &[Bench] = &[
    lake::RMS,
    lake::ASLEEP,
    rain_plane::BENCH,
    manning::BENCH,
    fluid::BENCH,
    rain_lab::BENCH,
    open_edge::BENCH,
    ea5::BENCH,
    channel::BENCH,
];
