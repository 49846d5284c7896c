//! Ground whose faults are sought: a plane of heights.

use std::ops::Range;

/// Square cells, the northernmost row first.
#[derive(Debug, Clone, Copy)]
pub struct SearchedGround<'a> {
    /// Heights, m, row-major; NaN outside the world.
    pub heights_m: &'a [f32],
    /// Columns and rows.
    pub size: (usize, usize),
    /// Width of a cell, m.
    pub cell_m: f64,
}

/// Parts of [`AROUND`].
pub(super) const ALL: Range<usize> = 0..8;
pub(super) const SIDES: Range<usize> = 0..4;
pub(super) const CORNERS: Range<usize> = 4..8;

/// Steps to the eight cells around one: the four sides first.
const AROUND: [(isize, isize); 8] =
    [(0, -1), (-1, 0), (1, 0), (0, 1), (-1, -1), (1, -1), (-1, 1), (1, 1)];

impl SearchedGround<'_> {
    /// Returns the cells around a cell that are on the map, in the directions of a part of
    /// [`AROUND`].
    pub(super) fn around(&self, cell: u32, part: Range<usize>) -> impl Iterator<Item = u32> {
        let (column, row) = self.place(cell);
        let steps = AROUND[part].iter();
        steps.filter_map(move |&(east, south)| {
            self.cell(column.checked_add_signed(east)?, row.checked_add_signed(south)?)
        })
    }

    /// Returns the column and the row of a cell.
    #[must_use]
    pub fn place(&self, cell: u32) -> (usize, usize) {
        (cell as usize % self.size.0, cell as usize / self.size.0)
    }

    /// Returns the cell of a column and a row, if the map has them.
    pub(super) fn cell(&self, column: usize, row: usize) -> Option<u32> {
        let (width, height) = self.size;
        (column < width && row < height).then(|| number(row * width + column))
    }

    pub(super) fn height_m(&self, cell: u32) -> f32 {
        self.heights_m[cell as usize]
    }

    /// Returns the height of the ground between two cells that touch, m: at a corner the mean of
    /// the four cells there, NaN if one of these has no height; at a side −∞.
    pub(super) fn corner_m(&self, one: u32, other: u32) -> f32 {
        let (a, b) = (self.place(one), self.place(other));
        if a.0 == b.0 || a.1 == b.1 {
            return f32::NEG_INFINITY;
        }
        let [c, d] = [(a.0, b.1), (b.0, a.1)].map(|(column, row)| row * self.size.0 + column);
        let sides_m = self.heights_m[c] + self.heights_m[d];
        0.25 * (self.height_m(one) + self.height_m(other) + sides_m)
    }

    /// True if a cell is at the frame of the map.
    pub(super) fn is_at_frame(&self, cell: u32) -> bool {
        let (width, height) = self.size;
        let (column, row) = self.place(cell);
        column == 0 || row == 0 || column + 1 == width || row + 1 == height
    }

    /// True if a cell touches one without a height.
    pub(super) fn is_beside_gap(&self, cell: u32) -> bool {
        self.around(cell, ALL).any(|next| self.height_m(next).is_nan())
    }

    /// Returns all cells.
    pub(super) fn cells(&self) -> Range<u32> {
        0..number(self.heights_m.len())
    }

    /// Returns the area of a number of cells, m².
    #[expect(clippy::cast_precision_loss, reason = "cells are far below 2^53")]
    pub(super) fn area_m2(&self, cells: usize) -> f64 {
        cells as f64 * self.cell_m * self.cell_m
    }
}

/// Returns an index of a cell in half the memory.
pub(super) fn number(index: usize) -> u32 {
    u32::try_from(index).expect("a map has fewer than 2^32 cells")
}
