//! The four sides of a cell, a tile or a world.

use crate::grid::{Axis, TILE_WIDTH};
use serde::{Deserialize, Serialize};
use std::ops::{Index, IndexMut};

/// A side. Arrays of four, one value for each side, are indexed by a side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// Towards lower columns.
    West,
    /// Towards higher columns.
    East,
    /// Towards lower rows.
    South,
    /// Towards higher rows.
    North,
}

impl Side {
    /// All four sides, in the order of state.
    pub const ALL: [Self; 4] = [Self::West, Self::East, Self::South, Self::North];

    /// Returns the steps in column and row to the cell beyond this side.
    #[must_use]
    pub fn offset(self) -> (i32, i32) {
        match self {
            Self::West => (-1, 0),
            Self::East => (1, 0),
            Self::South => (0, -1),
            Self::North => (0, 1),
        }
    }

    /// Returns the axis across the side: that of its faces.
    #[must_use]
    pub fn axis(self) -> Axis {
        match self {
            Self::West | Self::East => Axis::X,
            Self::South | Self::North => Axis::Y,
        }
    }

    /// Returns the sides across an axis: before and behind.
    #[must_use]
    pub fn of(axis: Axis) -> [Self; 2] {
        match axis {
            Axis::X => [Self::West, Self::East],
            Axis::Y => [Self::South, Self::North],
        }
    }

    /// True for the east and the north side: the cell beyond has a higher column or row, and the
    /// face belongs to it.
    #[must_use]
    pub fn is_far(self) -> bool {
        matches!(self, Self::East | Self::North)
    }

    /// Returns the opposite side.
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Self::West => Self::East,
            Self::East => Self::West,
            Self::South => Self::North,
            Self::North => Self::South,
        }
    }

    /// Returns the index of the tile beyond the side among the nine around a tile, from south-west
    /// to north-east.
    #[must_use]
    pub fn place(self) -> usize {
        match self {
            Self::West => 3,
            Self::East => 5,
            Self::South => 1,
            Self::North => 7,
        }
    }

    /// Returns the index of cell `i` along this side of a tile.
    #[must_use]
    pub fn cell_along(self, i: usize) -> usize {
        match self {
            Self::West => i * TILE_WIDTH,
            Self::East => i * TILE_WIDTH + TILE_WIDTH - 1,
            Self::South => i,
            Self::North => (TILE_WIDTH - 1) * TILE_WIDTH + i,
        }
    }

    /// Returns the name of the side in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::West => "west",
            Self::East => "east",
            Self::South => "south",
            Self::North => "north",
        }
    }
}

impl<T> Index<Side> for [T; 4] {
    type Output = T;

    #[inline(always)]
    fn index(&self, side: Side) -> &T {
        &self[side as usize]
    }
}

impl<T> IndexMut<Side> for [T; 4] {
    #[inline(always)]
    fn index_mut(&mut self, side: Side) -> &mut T {
        &mut self[side as usize]
    }
}
