//! The beds of a world at every level.
//!
//! Guarantees: the bed of a coarse cell is the mean of its four children, rounded half up.
//! Limits:     a coarse cell is inside the world only where all four children are; what that leaves
//!             out at the rim is counted by [`Terrain::left_out`].

use crate::terrain::edit::Span;
use crate::terrain::edit::coarser;
use crate::tile::columns::build::BedPlane;
use crate::units::OUTSIDE;
use crate::units::VerticalScale;
use std::ops::Range;

/// The beds of one level, rows from south to north.
#[derive(Debug, Clone, PartialEq)]
pub struct BedLevel {
    level: u8,
    width: usize,
    height: usize,
    bed: Vec<i32>,
}

impl BedLevel {
    /// A level of `width` × `height` beds.
    pub(crate) fn new(level: u8, width: usize, height: usize, bed: Vec<i32>) -> Self {
        assert_eq!(bed.len(), width * height);
        Self { level, width, height, bed }
    }

    /// Columns.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height
    }

    /// Bed of the cell in column `x` from the west and row `y` from the south, vertical units;
    /// [`OUTSIDE`] beyond the world.
    #[must_use]
    pub fn bed(&self, x: usize, y: usize) -> i32 {
        if x < self.width && y < self.height { self.bed[y * self.width + x] } else { OUTSIDE }
    }

    /// All beds, to make tables from.
    #[must_use]
    pub fn plane(&self) -> BedPlane<'_> {
        BedPlane::new(&self.bed, self.width)
    }

    /// Cells inside the world.
    #[must_use]
    pub fn inside_count(&self) -> usize {
        self.bed.iter().filter(|&&z| z != OUTSIDE).count()
    }

    /// The next coarser level.
    fn coarser(&self) -> Self {
        let (width, height) = (self.width.div_ceil(2), self.height.div_ceil(2));
        let mut bed = Vec::with_capacity(width * height);
        for y in 0..height {
            bed.extend((0..width).map(|x| self.mean(x, y)));
        }
        Self { level: self.level + 1, width, height, bed }
    }

    /// Bed of a cell of the next coarser level.
    fn mean(&self, x: usize, y: usize) -> i32 {
        mean_bed([(0, 0), (1, 0), (0, 1), (1, 1)].map(|(i, j)| self.bed(2 * x + i, 2 * y + j)))
    }

    /// Beds of neighbouring cells of a row.
    pub(super) fn row(&self, row: usize, columns: Range<usize>) -> &[i32] {
        &self.bed[row * self.width..][..self.width][columns]
    }

    /// The same, to change.
    pub(super) fn row_mut(&mut self, row: usize, columns: Range<usize>) -> &mut [i32] {
        &mut self.bed[row * self.width..][..self.width][columns]
    }
}

/// Bed of a coarse cell: the mean of its children, rounded half up; outside if any of them is.
fn mean_bed(children: [i32; 4]) -> i32 {
    if children.contains(&OUTSIDE) {
        return OUTSIDE;
    }
    let sum: i64 = children.iter().map(|&z| i64::from(z)).sum();
    i32::try_from((sum + 2).div_euclid(4)).expect("a mean of four i32")
}

/// A heightmap as exact integers, with its coarser levels.
#[derive(Debug, Clone, PartialEq)]
pub struct Terrain {
    scale: VerticalScale,
    cell_width_m: f64,
    bed_exponent: u8,
    inside: usize,
    levels: Vec<BedLevel>,
}

impl Terrain {
    /// Levels above the finest that a pyramid has at most.
    pub const LEVELS: u8 = 8;

    /// A terrain whose beds are multiples of 2^−`bed_exponent` m.
    pub(super) fn new(
        scale: VerticalScale,
        cell_width_m: f64,
        bed_exponent: u8,
        finest: BedLevel,
    ) -> Self {
        let inside = finest.inside_count();
        let mut levels = vec![finest];
        for _ in 0..Self::LEVELS {
            let last = &levels[levels.len() - 1];
            if last.width <= 2 || last.height <= 2 {
                break;
            }
            let next = last.coarser();
            levels.push(next);
        }
        Self { scale, cell_width_m, bed_exponent, inside, levels }
    }

    /// Vertical unit and datum.
    #[must_use]
    pub fn scale(&self) -> VerticalScale {
        self.scale
    }

    /// Beds are multiples of 2^−`bed_exponent` m.
    #[must_use]
    pub fn bed_exponent(&self) -> u8 {
        self.bed_exponent
    }

    /// Step of beds, vertical units.
    #[must_use]
    pub fn bed_step(&self) -> i32 {
        1 << self.scale.exponent().saturating_sub(self.bed_exponent)
    }

    /// Width of the cells of `level`, m.
    #[must_use]
    pub fn cell_width_m(&self, level: u8) -> f64 {
        self.cell_width_m * f64::from(1_u32 << level)
    }

    /// The beds of `level`, if the pyramid reaches so far.
    #[must_use]
    pub fn level(&self, level: u8) -> Option<&BedLevel> {
        self.levels.get(usize::from(level))
    }

    pub(super) fn finest(&self) -> &BedLevel {
        &self.levels[0]
    }

    pub(super) fn finest_mut(&mut self) -> &mut BedLevel {
        &mut self.levels[0]
    }

    /// Brings the coarser levels up to date after the beds of some finest cells changed.
    pub(super) fn follow(&mut self, changed: &[Span]) {
        let mut changed = changed.to_vec();
        for level in 1..self.levels.len() {
            changed = coarser(&changed, 1);
            let (finer, coarse) = self.levels.split_at_mut(level);
            for Span { row, columns } in &changed {
                let beds = coarse[0].row_mut(*row, columns.clone());
                for (column, bed) in columns.clone().zip(beds) {
                    *bed = finer[level - 1].mean(column, *row);
                }
            }
        }
    }

    /// The coarsest level of the pyramid.
    #[must_use]
    pub fn coarsest(&self) -> u8 {
        self.levels[self.levels.len() - 1].level
    }

    /// Finest cells inside the world.
    #[must_use]
    pub fn inside_count(&self) -> usize {
        self.inside
    }

    /// Finest cells that `level` leaves out at the rim of the world, where a coarse cell is partly
    /// inside and partly outside.
    #[must_use]
    pub fn left_out(&self, level: u8) -> usize {
        let kept = self.level(level).map_or(0, BedLevel::inside_count);
        self.inside - (kept << (2 * level))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coarse_beds_are_means_rounded_half_up() {
        for (children, mean) in [
            ([0, 0, 0, 1], 0),
            ([0, 0, 1, 1], 1),
            ([0, 0, 0, -2], 0),
            ([-1, -1, -1, 0], -1),
            ([OUTSIDE - 1; 4], OUTSIDE - 1),
            ([1 - OUTSIDE; 4], 1 - OUTSIDE),
            ([0, 0, 0, OUTSIDE], OUTSIDE),
        ] {
            assert_eq!(mean_bed(children), mean, "{children:?}");
        }
    }

    #[test]
    fn a_level_says_what_it_leaves_out() {
        let scale = VerticalScale::try_new(20, 0.0).expect("good");
        let mut bed = vec![0; 35];
        bed[0] = OUTSIDE;
        let terrain = Terrain::new(scale, 1.0, 10, BedLevel::new(0, 7, 5, bed));
        assert_eq!(terrain.inside_count(), 34);
        assert_eq!(terrain.left_out(0), 0);
        // Six whole blocks of 2 × 2, one of them short of a child.
        assert_eq!(terrain.left_out(1), 34 - 5 * 4);
    }
}
