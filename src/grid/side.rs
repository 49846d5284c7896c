//! The four sides of a cell, a tile or a world.

use serde::{Deserialize, Serialize};

/// A side.
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
    /// All four, in the order of state.
    pub const ALL: [Self; 4] = [Self::West, Self::East, Self::South, Self::North];

    /// Steps in column and row to the cell beyond this side.
    #[must_use]
    pub fn offset(self) -> (i32, i32) {
        match self {
            Self::West => (-1, 0),
            Self::East => (1, 0),
            Self::South => (0, -1),
            Self::North => (0, 1),
        }
    }

    /// Its name in reports.
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
