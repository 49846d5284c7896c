//! Water on large heightfields.

pub mod flow;
pub mod forest;
pub mod grid;
pub mod probe;
pub mod sim;
pub mod terrain;
pub mod tile;
pub mod units;
pub mod world;
