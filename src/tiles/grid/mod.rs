//! Geometry without water: levels, tiles, sides, cells.
//!
//! ```text
//! level 0 is the finest; a cell of level L is dx₀·2^L metres wide
//! a tile is 64 × 64 cells of one level; x grows to the east, y to the north
//! ```

pub mod axis;
pub mod blocks;
pub mod cells;
pub mod id;
pub mod key;
pub mod polygon;
pub mod side;

pub use axis::Axis;
pub use cells::{TILE_CELLS, TILE_WIDTH};
pub use id::LeafId;
pub use key::TileKey;

pub use side::Side;
