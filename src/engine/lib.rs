//! The engine below the crate `thalweg`: how water moves, and how its state is kept.
//!
//! **Unstable.** Items here change without notice; programs use the crate `thalweg`, which hands on
//! what is stable. Measurements, the graphics card and tests of the engine use this package.
//!
//! The package `thalweg-tiles` below it has one tile and its step; it is handed on whole.
//!
//! ```text
//! terrain    heights as integers, at every level
//! state      what a leaf is, listed once
//! forest     leaves of different levels, and their interfaces
//! structure  levees, gates, culverts, pumps, inflows, weather
//! body       solids in the water, and its load on them
//! sim        a cycle of all leaves: steps, forcing, regrids, ledger
//! store      a file of extents: commits, readers, mirrors
//! stream     pages of a file between memory and disk
//! ```

pub mod body;
pub mod forest;
pub mod sim;
pub mod state;
pub mod store;
pub mod stream;
pub mod structure;
pub mod terrain;

pub use glam;
#[cfg(feature = "mint")]
pub use mint;
pub use thalweg_tiles::{checked, flow, grid, tile, units};
