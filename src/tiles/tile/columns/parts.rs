//! Cells that are partly outside the world.

use crate::grid::TILE_CELLS;
use crate::units::OUTSIDE;

/// Part of each cell of a tile inside the world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InsideParts {
    /// Finest cells inside the world in each cell.
    inside: Box<[u32]>,
    /// Which quarters of each cell have ground: a bit for each, south-west first.
    quarters: Box<[u8]>,
    /// Finest cells in a cell, a power of two: its logarithm.
    of_log2: u32,
}

/// All four quarters of a cell.
pub const ALL_QUARTERS: u8 = 0b1111;

impl InsideParts {
    /// Returns the parts of cells of 4^`level` finest ones that are wholly inside or wholly
    /// outside.
    #[must_use]
    pub fn whole(level: u8, is_inside: impl Fn(usize) -> bool) -> Self {
        let of_log2 = 2 * u32::from(level);
        let mut parts = Self {
            inside: vec![0; TILE_CELLS].into(),
            quarters: vec![0; TILE_CELLS].into(),
            of_log2,
        };
        for cell in (0..TILE_CELLS).filter(|&cell| is_inside(cell)) {
            (parts.inside[cell], parts.quarters[cell]) = (1 << of_log2, ALL_QUARTERS);
        }
        parts
    }

    /// Takes a cell's finest beds, row by row, [`OUTSIDE`] where the world ends.
    pub fn set(&mut self, cell: usize, beds: &[i32]) {
        let has_ground = |z: &&i32| **z != OUTSIDE;
        let (width, inside) = (beds.len().isqrt(), beds.iter().filter(has_ground).count());
        let half = width / 2;
        let of_quarter = |quarter: usize| {
            let (column, row) = (quarter % 2 * half, quarter / 2 * half);
            let rows = beds.chunks_exact(width).skip(row).take(half);
            rows.flat_map(|beds| &beds[column..column + half]).any(|z| has_ground(&z))
        };
        let quarters = (0..4).map(|quarter| u8::from(of_quarter(quarter)) << quarter).sum();
        self.put(cell, u32::try_from(inside).expect("2¹⁶ cells"), quarters);
    }

    /// Sets the count of finest cells inside in a cell, and the quarters of it that have ground.
    pub(super) fn put(&mut self, cell: usize, inside: u32, quarters: u8) {
        (self.inside[cell], self.quarters[cell]) = (inside, quarters);
    }

    /// Returns the count of finest cells inside the world in a cell.
    #[inline]
    #[must_use]
    pub fn inside(&self, cell: usize) -> u32 {
        self.inside[cell]
    }

    /// Returns the quarters of a cell that have ground: a bit for each, south-west first.
    #[inline]
    #[must_use]
    pub fn quarters(&self, cell: usize) -> u8 {
        self.quarters[cell]
    }

    /// True if some of a cell, and not all of it, is outside the world.
    #[must_use]
    pub fn is_part(&self, cell: usize) -> bool {
        (1..1 << self.of_log2).contains(&self.inside[cell])
    }

    /// Returns the part of a cell that is inside the world.
    #[must_use]
    pub fn share(&self, cell: usize) -> f64 {
        f64::from(self.inside[cell]) / 2.0_f64.powi(self.of_log2.cast_signed())
    }

    /// Returns the depth over a whole cell, cut to units, of `units` over the cell's ground.
    #[inline]
    #[must_use]
    pub fn over_cell(&self, cell: usize, units: u128) -> u128 {
        (units * u128::from(self.inside[cell])) >> self.of_log2
    }

    /// Returns the depth over a whole cell of a depth below 2³² units over its ground.
    #[inline]
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "no more than it was")]
    pub fn depth_over_cell(&self, cell: usize, depth: u32) -> u32 {
        ((u64::from(depth) * u64::from(self.inside[cell])) >> self.of_log2) as u32
    }

    /// Returns the depth over the ground of a cell that has ground, of a depth over the whole cell.
    #[must_use]
    pub fn over_ground(&self, cell: usize, depth: i32) -> i32 {
        let units = (i64::from(depth) << self.of_log2) / i64::from(self.inside[cell]);
        i32::try_from(units).unwrap_or(i32::MAX)
    }

    /// Returns the bytes of the parts in memory.
    #[must_use]
    pub fn bytes(&self) -> usize {
        std::mem::size_of_val(&*self.inside) + self.quarters.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::hash::scramble;

    /// Goal: areas and quarters equal counts over their beds, depths go over and back. Method:
    ///       random holes in cells of levels 1 to 3, against counts.
    #[test]
    fn parts_are_those_of_their_beds() {
        for seed in 0..200_u64 {
            let level = 1 + u8::try_from(seed % 3).expect("small");
            let width = 1_usize << level;
            let draw = |i: usize| scramble(seed << 20 ^ i as u64);
            let bed = |i: usize| if draw(i).is_multiple_of(3) { 7 } else { OUTSIDE };
            let mut beds: Vec<i32> = (0..width * width).map(bed).collect();
            beds[usize::from(level)] = -7;
            let mut parts = InsideParts::whole(level, |cell| cell % 2 == 1);
            assert!(parts.inside(5) == 1 << (2 * level) && parts.inside(4) == 0);
            assert!(!parts.is_part(4) && !parts.is_part(5));
            assert_eq!([parts.quarters(4), parts.quarters(5)], [0, ALL_QUARTERS]);
            parts.set(9, &beds);
            let ground = |i: &usize| beds[*i] != OUTSIDE;
            let inside: Vec<usize> = (0..beds.len()).filter(ground).collect();
            assert_eq!(parts.inside(9) as usize, inside.len(), "seed {seed}");
            let quarter = |&i: &usize| 2 * (i / width * 2 / width) + i % width * 2 / width;
            let quarters = inside.iter().map(quarter).fold(0, |bits, quarter| bits | 1 << quarter);
            assert_eq!(parts.quarters(9), quarters, "seed {seed}");
            for depth in [0, 1, 1000, 123_456_789, i32::MAX] {
                let over_cell = parts.depth_over_cell(9, depth.unsigned_abs());
                assert_eq!(u128::from(over_cell), parts.over_cell(9, depth.unsigned_abs().into()));
                let back = parts.over_ground(9, i32::try_from(over_cell).expect("less"));
                let cut = (depth - back) as usize * inside.len();
                assert!(
                    cut < beds.len() + inside.len(),
                    "seed {seed}: {depth} came back as {back}"
                );
            }
        }
    }
}
