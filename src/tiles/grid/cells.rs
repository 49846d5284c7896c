//! Cells of a tile.

use crate::grid::Axis;
use serde::{Deserialize, Serialize};

/// Cells along each side of a tile.
pub const TILE_WIDTH: usize = 64;

/// Number of cells along a side of a tile, as an integer of places.
pub const TILE_WIDTH_U32: u32 = 64;

/// Cells of a tile.
pub const TILE_CELLS: usize = TILE_WIDTH * TILE_WIDTH;

/// Column and row of a cell of the world, which may lie beyond its edge.
pub type WorldCell = (i64, i64);

/// A place among the cells of one level of the whole world: column from the west, row from the
/// south.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(from = "[u32; 2]", into = "[u32; 2]")]
pub struct CellPlace {
    /// Column, 0 in the west.
    pub x: u32,
    /// Row, 0 in the south.
    pub y: u32,
}

impl From<[u32; 2]> for CellPlace {
    fn from([x, y]: [u32; 2]) -> Self {
        Self { x, y }
    }
}

impl From<CellPlace> for [u32; 2] {
    fn from(place: CellPlace) -> Self {
        [place.x, place.y]
    }
}

impl CellPlace {
    /// Returns the cell before this one along an axis, west or south of it; `None` at the end of
    /// the numbers.
    #[must_use]
    pub fn before(self, axis: Axis) -> Option<Self> {
        let Self { x, y } = self;
        match axis {
            Axis::X => x.checked_sub(1).map(|x| Self { x, y }),
            Axis::Y => y.checked_sub(1).map(|y| Self { x, y }),
        }
    }

    /// Returns the column and row, as indices of planes and tables.
    #[must_use]
    pub const fn indices(self) -> [usize; 2] {
        [self.x as usize, self.y as usize]
    }

    /// Returns the index within the planes of its tile: rows from south to north.
    #[must_use]
    pub fn index_in_tile(self) -> usize {
        let [column, row] = self.indices();
        (row % TILE_WIDTH) * TILE_WIDTH + column % TILE_WIDTH
    }
}

/// Returns the column and row of a cell within its tile.
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "below 64")]
pub fn column_row(cell: usize) -> (u32, u32) {
    ((cell % TILE_WIDTH) as u32, (cell / TILE_WIDTH % TILE_WIDTH) as u32)
}
