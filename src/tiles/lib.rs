//! One tile of the grid and its step: what the engine of the crate `thalweg` computes with.
//!
//! **Unstable.** Items here change without notice; programs use the crate `thalweg`, which hands on
//! what is stable.
//!
//! A package of its own, so that the steps of all methods, which are compiled once for each
//! instruction set, are built beside the engine, and only if they change.
//!
//! ```text
//! units      numbers: vertical units, times, rates, hashes
//! grid       cells, tiles, keys of tiles, sides
//! tile       planes of a tile: beds, depths, discharges, maps
//! flow       the step of a tile: solvers, friction, tracers
//! ```

pub mod flow;
pub mod grid;
pub mod tile;
pub mod units;
