//! Worlds that stay in their file, and leaves that sleep.

pub mod asleep;
pub mod river;
pub mod vast;
pub mod walk;

use crate::suite::Bench;

/// Measurements of streamed worlds.
pub const BENCHES: &[Bench] = &[asleep::BENCH, river::BENCH, vast::BENCH, walk::BENCH];
