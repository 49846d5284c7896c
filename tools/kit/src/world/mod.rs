//! World files: made, opened, loaded, and what is said where one of these fails.

pub mod file;
pub mod limits;
mod open;
pub mod rescue;
pub mod water;

pub use open::{grid, level_grid, open, open_alone, refused};
