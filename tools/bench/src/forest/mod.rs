//! Edges between levels: their effect on waves, uniform flows and bores, and their cost.
//!
//! Base cells are 1 m wide; a level-1 cell is 2 m wide, and so on.

mod ahead;
mod bore_edges;
mod malpasset;
mod mesh;
mod overhead;
mod stoker;
mod uniform;
mod uniform_edges;
mod wave;
mod wave_edges;

use crate::suite::Bench;

/// Measurements of the forest.
pub const BENCHES: &[Bench] = &[
    wave_edges::BENCH,
    uniform_edges::PARALLEL,
    uniform_edges::SLOPE,
    bore_edges::BENCH,
    overhead::BENCH,
    stoker::BENCH,
    malpasset::BENCH,
];
