//! Coarse cells against the terrain that they represent: rivers, levees and shores narrower than a
//! cell.

pub mod columns;
mod cost;
mod downscaled;
mod draft;
mod ea5;
mod edge_levels;
mod levee;
mod malpasset;
pub mod observers;
pub mod river;
mod runoff;
mod shore_pump;
mod wider;

use crate::suite::Bench;

/// Measurements of coarse cells.
pub const BENCHES: &[Bench] = &[
    river::BENCH,
    runoff::BENCH,
    levee::BENCH,
    malpasset::BENCH,
    ea5::BENCH,
    edge_levels::BENCH,
    shore_pump::BENCH,
    cost::BENCH,
    observers::BENCH,
    draft::BENCH,
    draft::BROOKS,
    wider::BOSCASTLE,
    wider::TUJUNGA,
    wider::VALLEY,
    wider::MARSH,
];
