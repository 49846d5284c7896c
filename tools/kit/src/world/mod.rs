//! World files: made, opened, loaded, and the errors if one of these fails.

pub mod file;
pub mod limits;
mod open;
pub mod rescue;
pub mod water;

pub use open::{grid, level_grid, open, open_alone, refused};
