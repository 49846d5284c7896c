//! Reach of an act between two cycles: cells, and the part of each.
//!
//! ```text
//! leaf   rows      parts
//!  3     7: 12…14  0.5 1 0.5     each row of cells from its first to its last
//!        8: 11…15  0.5 1 1 1 0.5
//! ```

use crate::grid::{LeafId, TILE_WIDTH};
use std::collections::BTreeMap;

/// Part of each cell that an act affects, from 0 to 1, leaf by leaf.
#[derive(Debug, Clone, Default)]
pub struct ActReach(BTreeMap<LeafId, LeafReach>);

/// Reach in one leaf.
#[derive(Debug, Clone, Default)]
struct LeafReach {
    /// The row of its first cell.
    south: usize,
    /// Rows from there.
    rows: Vec<ActRowReach>,
}

/// Reach in one row of a leaf.
#[derive(Debug, Clone, Default)]
struct ActRowReach {
    /// The column of the first part.
    west: usize,
    /// Part of each cell from there.
    parts: Vec<f64>,
}

impl ActRowReach {
    fn add(&mut self, column: usize, part: f64) {
        if self.parts.is_empty() {
            self.west = column;
        }
        if column < self.west {
            self.parts.splice(..0, std::iter::repeat_n(0.0, self.west - column));
            self.west = column;
        }
        let at = column - self.west;
        if at >= self.parts.len() {
            self.parts.resize(at + 1, 0.0);
        }
        self.parts[at] += part;
    }
}

impl LeafReach {
    fn add(&mut self, cell: usize, part: f64) {
        let (row, column) = (cell / TILE_WIDTH, cell % TILE_WIDTH);
        if self.rows.is_empty() {
            self.south = row;
        }
        if row < self.south {
            self.rows.splice(..0, std::iter::repeat_n(ActRowReach::default(), self.south - row));
            self.south = row;
        }
        let at = row - self.south;
        if at >= self.rows.len() {
            self.rows.resize_with(at + 1, ActRowReach::default);
        }
        self.rows[at].add(column, part);
    }

    fn of(&self, cell: usize) -> Option<f64> {
        let (row, column) = (cell / TILE_WIDTH, cell % TILE_WIDTH);
        let row = self.rows.get(row.checked_sub(self.south)?)?;
        row.parts.get(column.checked_sub(row.west)?).copied()
    }

    /// Returns the cells of the reach, and the part of each.
    fn cells(&self) -> impl Iterator<Item = (usize, f64)> {
        (self.south..).zip(&self.rows).flat_map(|(y, row)| {
            let cells = (y * TILE_WIDTH + row.west..).zip(row.parts.iter().copied());
            cells.filter(|(_, part)| *part > 0.0)
        })
    }
}

impl ActReach {
    /// Adds a part of a cell.
    pub fn add(&mut self, leaf: LeafId, cell: usize, part: f64) {
        self.0.entry(leaf).or_default().add(cell, part);
    }

    /// Returns the part of a cell in the reach.
    #[must_use]
    pub fn of(&self, leaf: LeafId, cell: usize) -> f64 {
        self.0.get(&leaf).and_then(|reach| reach.of(cell)).unwrap_or(0.0)
    }

    /// Divides the part of each cell by the value of `there_is`; 1 at most.
    pub fn over(&mut self, there_is: impl Fn(LeafId, usize) -> f64) {
        for (&leaf, reach) in &mut self.0 {
            for (y, row) in (reach.south..).zip(&mut reach.rows) {
                let cells = (y * TILE_WIDTH + row.west..).zip(&mut row.parts);
                for (cell, part) in cells.filter(|(_, part)| **part > 0.0) {
                    *part = (*part / there_is(leaf, cell)).min(1.0);
                }
            }
        }
    }

    /// Returns the cells of the reach, with the part of each.
    pub fn cells(&self) -> impl Iterator<Item = (LeafId, usize, f64)> {
        let of_leaf =
            |(&leaf, reach)| LeafReach::cells(reach).map(move |(cell, part)| (leaf, cell, part));
        self.0.iter().flat_map(of_leaf)
    }

    /// Returns the leaves of the reach, in their order.
    #[must_use]
    pub fn leaves(&self) -> Vec<LeafId> {
        self.0.keys().copied().collect()
    }

    /// Returns true if it has no cell.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
