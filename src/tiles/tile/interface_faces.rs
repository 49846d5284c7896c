//! The faces at which a tile meets a different level: their bounds and their owners.
//!
//! The finer side owns such a face. A coarse tile gets the transfers that crossed; a fine one gets
//! the allowance of the coarse cell.
//!
//! Guarantees: nothing here allocates once it has been used.

use crate::grid::Axis;
use crate::tile::padded::{PaddedPlane, ROWS, STRIDE, index, plane};

/// Smallest and largest transfer over each face of one axis, vertical units.
#[derive(Debug, Clone)]
pub struct TransferBounds {
    /// The smallest; [`i32::MIN`] if unbounded.
    pub low: PaddedPlane<i32>,
    /// The largest; [`i32::MAX`] if unbounded.
    pub high: PaddedPlane<i32>,
    /// The faces of each padded row that have bounds, a bit for each column.
    bounded: [u128; ROWS],
}

impl TransferBounds {
    fn new() -> Self {
        Self { low: plane(i32::MIN), high: plane(i32::MAX), bounded: [0; ROWS] }
    }

    fn clear(&mut self) {
        // Only the faces that have bounds: both planes together have 45 KiB, a side has 64 faces.
        for row in 0..ROWS {
            for face in self.bounded(row) {
                (self.low[face], self.high[face]) = (i32::MIN, i32::MAX);
            }
            self.bounded[row] = 0;
        }
    }

    /// Gives the face before the cell in `column` and `row` its bounds.
    pub fn set(&mut self, column: i32, row: i32, low: i32, high: i32) {
        let face = index(column, row);
        (self.low[face], self.high[face]) = (low, high);
        self.bounded[face / STRIDE] |= 1 << (face % STRIDE);
    }

    /// Returns the faces of a row of the padded planes, from 0, that have bounds.
    pub fn bounded(&self, row: usize) -> impl Iterator<Item = usize> + use<> {
        let mut bits = self.bounded[row];
        std::iter::from_fn(move || {
            let column = bits.trailing_zeros() as usize;
            (bits != 0).then(|| {
                bits &= bits - 1;
                row * STRIDE + column
            })
        })
    }

    /// True if the transfer over a face is given.
    #[inline(always)]
    #[must_use]
    pub fn is_given(&self, face: usize) -> bool {
        self.low[face] == self.high[face]
    }
}

/// A face over which a coarse tile gets the transfers that crossed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GivenFace {
    /// Axis of the face: west (0) or south (1).
    pub axis: Axis,
    /// Index of the cell behind the face in the padded planes: also the index of the face.
    pub face: usize,
    /// Index of the coarse cell on one side of the face.
    pub cell: usize,
    /// Depth that the cell takes, vertical units.
    pub taken: i32,
}

/// All that a step reads of faces between levels.
#[derive(Debug, Clone)]
pub struct InterfaceFaces {
    /// Bounds over west faces.
    pub x: TransferBounds,
    /// Bounds over south faces.
    pub y: TransferBounds,
    /// Faces with a given transfer that is not 0.
    pub given: Vec<GivenFace>,
    /// True if the tile owns the faces to its east.
    pub owns_east: bool,
    /// True if the tile owns the faces to its north.
    pub owns_north: bool,
    /// True if finer tiles own the faces to its west.
    pub finer_west: bool,
    /// True if finer tiles own the faces to its south.
    pub finer_south: bool,
}

impl Default for InterfaceFaces {
    fn default() -> Self {
        Self {
            x: TransferBounds::new(),
            y: TransferBounds::new(),
            given: Vec::new(),
            owns_east: false,
            owns_north: false,
            finer_west: false,
            finer_south: false,
        }
    }
}

impl InterfaceFaces {
    /// Whether the tile owns the faces to its east, and the faces to its north.
    #[must_use]
    pub fn owned(&self) -> [bool; 2] {
        [self.owns_east, self.owns_north]
    }

    /// Clears everything.
    pub fn clear(&mut self) {
        self.x.clear();
        self.y.clear();
        self.given.clear();
        (self.owns_east, self.owns_north) = (false, false);
        (self.finer_west, self.finer_south) = (false, false);
    }
}
