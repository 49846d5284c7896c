//! What stands in the way of water: structures against the textbook.

mod channel;
mod culvert;
mod edges;
mod leak;
mod openings;

use crate::suite::Bench;

/// Measurements of structures.
pub const BENCHES: &[Bench] =
    &[openings::WEIR, openings::GATE, culvert::BENCH, edges::BENCH, leak::BENCH];
