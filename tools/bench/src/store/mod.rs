//! The world file.

pub mod commit;
pub mod kill9;

use crate::suite::Bench;

/// Measurements of the world file.
pub const BENCHES: &[Bench] = &[commit::BENCH, kill9::BENCH];
