//! Worlds that stay in their file.

pub mod walk;

use crate::suite::Bench;

/// Measurements of streamed worlds.
pub const BENCHES: &[Bench] = &[walk::BENCH];
