//! Stacked columns against textbooks, and what they cost.

mod mine;
mod tunnel;
mod u_tube;

use crate::suite::Bench;

/// Measurements of stacked columns.
pub const BENCHES: &[Bench] = &[u_tube::BENCH, tunnel::BENCH, mine::BENCH];
