//! The cells of a plane that are outside the world.

use crate::grid::{TILE_CELLS, TILE_WIDTH};
use crate::store::codec::bytes::Bytes;
use crate::store::codec::{Corrupt, TileIntegers, residuals};
use crate::units::OUTSIDE;

/// The set of cells that are [`OUTSIDE`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HoleSet {
    /// A bit for each row: true if it has such cells.
    rows: u64,
    /// A bit for each cell of each row.
    cells: [u64; TILE_WIDTH],
}

impl HoleSet {
    /// Finds the cells of a plane that are [`OUTSIDE`].
    #[must_use]
    pub fn of(plane: &TileIntegers) -> Self {
        let mut holes = Self { rows: 0, cells: [0; TILE_WIDTH] };
        if plane.contains(&OUTSIDE) {
            for (y, row) in plane.chunks(TILE_WIDTH).enumerate() {
                let bit = |(x, cell): (usize, &i32)| u64::from(*cell == OUTSIDE) << x;
                holes.cells[y] = row.iter().enumerate().map(bit).fold(0, |all, bit| all | bit);
                holes.rows |= u64::from(holes.cells[y] != 0) << y;
            }
        }
        holes
    }

    /// Gives these cells the values that cost nothing to store.
    pub fn fill(&self, plane: &mut TileIntegers) {
        if self.rows != 0 {
            let bit = |cell: usize| self.cells[cell / TILE_WIDTH] >> (cell % TILE_WIDTH) & 1;
            let first = (0..TILE_CELLS).find(|&cell| bit(cell) == 0).map_or(0, |cell| plane[cell]);
            let value = |cell, free| if bit(cell) == 1 { free } else { plane[cell] };
            *plane = residuals::choose(first, value);
        }
    }

    /// Makes these cells [`OUTSIDE`].
    pub fn dig(&self, plane: &mut TileIntegers) {
        for (y, row) in self.in_rows(plane) {
            for (x, cell) in row.iter_mut().enumerate() {
                if self.cells[y] >> x & 1 == 1 {
                    *cell = OUTSIDE;
                }
            }
        }
    }

    /// Returns the rows of a plane that have such cells.
    fn in_rows<'a>(
        &self,
        plane: &'a mut TileIntegers,
    ) -> impl Iterator<Item = (usize, &'a mut [i32])> {
        let rows = plane.chunks_mut(TILE_WIDTH).enumerate();
        rows.filter(move |(y, _)| self.rows >> y & 1 == 1)
    }

    /// Returns the number of bytes that [`Self::put`] appends.
    #[must_use]
    pub fn bytes(&self) -> usize {
        8 + 8 * self.rows.count_ones() as usize
    }

    /// Appends the set to `out`.
    pub fn put(&self, out: &mut Vec<u8>) {
        out.extend(self.rows.to_le_bytes());
        let cells = self.cells.iter().filter(|&&cells| cells != 0);
        out.extend(cells.flat_map(|cells| cells.to_le_bytes()));
    }

    /// Takes the set from the front of `bytes`.
    ///
    /// # Errors
    ///
    /// An error if the bytes end early.
    pub fn take(bytes: &mut Bytes<'_>) -> Result<Self, Corrupt> {
        let rows = u64::from_le_bytes(bytes.take_array()?);
        let mut cells = [0; TILE_WIDTH];
        for (y, cells) in cells.iter_mut().enumerate() {
            if rows >> y & 1 == 1 {
                *cells = u64::from_le_bytes(bytes.take_array()?);
            }
        }
        Ok(Self { rows, cells })
    }
}
