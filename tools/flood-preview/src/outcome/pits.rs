//! Pits: cells that are far deeper under water than all cells around them.
//!
//! Limits: pits of an adaptive run are one cell of the map, even if it simulated coarser cells.

use std::ops::Range;

use super::FloodOutcome;

/// Part of a cell's depth that one of its neighbours reaches, unless the cell is a pit.
const PIT_PART: f32 = 0.5;

impl FloodOutcome {
    /// True if all cells in the eight squares around the square of a cell stayed less than half as
    /// deep as that cell. Squares are `side` cells wide, counted from the south-west corner, as
    /// simulated cells are.
    pub(super) fn is_pit(&self, cell: usize, side: usize) -> bool {
        let (width, height) = (self.grid.width, self.grid.height);
        let (column, northing) = (cell % width, height - 1 - cell / width);
        let own = |at: usize| at - at % side..at - at % side + side;
        let around = |at: usize, count: usize| {
            let Range { start, end } = own(at);
            start.saturating_sub(side)..(end + side).min(count)
        };
        let least = PIT_PART * self.max_depth_m[cell];
        let is_own = |x: usize, y: usize| own(column).contains(&x) && own(northing).contains(&y);
        let is_deep = |x: usize, y: usize| {
            !is_own(x, y) && self.max_depth_m[(height - 1 - y) * width + x] >= least
        };
        !around(northing, height).any(|y| around(column, width).any(|x| is_deep(x, y)))
    }
}
