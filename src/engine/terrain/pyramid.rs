//! The beds of a world at every level.
//!
//! A coarse cell that is partly outside the world has a bed too, the mean of its finest beds
//! inside. [`BedLevel::bed`] counts such a cell as outside, [`BedLevel::ground_bed`] as inside: the
//! caller decides whether it is part of the world.
//!
//! Guarantees: the bed of a coarse cell is the mean of its four children, rounded half up; that of
//!             a cell partly outside is the mean of the finest beds inside, rounded half up.
//! Limits:     cells left out at the boundary if such cells are outside are counted by
//!             [`Terrain::excluded_cells`].

use crate::grid::cells::WorldCell;
use crate::terrain::edit::{Span, coarser};
use crate::tile::columns::build::{FinestBeds, LevelBeds};
use crate::units::{OUTSIDE, VerticalScale};
use std::ops::Range;

/// The beds of one level, rows from south to north.
#[derive(Debug, Clone, PartialEq)]
pub struct BedLevel {
    level: u8,
    width: usize,
    height: usize,
    bed: Vec<i32>,
    /// A bit for each cell, row by row: whether it is partly outside. Empty if no cell is.
    parts: Vec<u64>,
}

impl BedLevel {
    /// Returns a level of `width` × `height` beds.
    pub(crate) fn new(level: u8, width: usize, height: usize, bed: Vec<i32>) -> Self {
        assert_eq!(bed.len(), width * height);
        Self { level, width, height, bed, parts: Vec::new() }
    }

    /// Returns the number of columns.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height
    }

    /// Returns the bed of the cell in column `x` from the west and row `y` from the south, vertical
    /// units; [`OUTSIDE`] if any part of the cell is outside the world.
    #[must_use]
    pub fn bed(&self, x: usize, y: usize) -> i32 {
        if self.is_part(x, y) { OUTSIDE } else { self.ground_bed(x, y) }
    }

    /// Returns the mean bed of the ground in a cell, even if part of the cell is outside, vertical
    /// units; [`OUTSIDE`] if it has no ground.
    #[must_use]
    pub fn ground_bed(&self, x: usize, y: usize) -> i32 {
        if x < self.width && y < self.height { self.bed[y * self.width + x] } else { OUTSIDE }
    }

    /// True if some of a cell, and not all of it, is outside the world.
    #[must_use]
    pub fn is_part(&self, x: usize, y: usize) -> bool {
        let at = y * self.width + x;
        let is_within = x < self.width && y < self.height;
        is_within && self.parts.get(at / 64).is_some_and(|bits| bits >> (at % 64) & 1 == 1)
    }

    /// Returns the mean beds of the ground in the cells of row `y` from the south, as
    /// [`BedLevel::ground_bed`].
    ///
    /// # Panics
    ///
    /// If the level has no such row.
    #[must_use]
    pub fn ground_row(&self, y: usize) -> &[i32] {
        self.row(y, 0..self.width)
    }

    /// Returns the beds of all ground.
    #[must_use]
    pub fn plane(&self) -> LevelBeds<'_> {
        LevelBeds::new(&self.bed, self.width)
    }

    /// Returns the number of cells that are entirely inside the world.
    #[must_use]
    pub fn inside_count(&self) -> usize {
        let parts: u32 = self.parts.iter().map(|bits| bits.count_ones()).sum();
        self.bed.iter().filter(|&&z| z != OUTSIDE).count() - parts as usize
    }

    /// Returns the next coarser level; `finest` are the finest beds.
    fn coarser(&self, finest: &Self) -> Self {
        let (width, height) = (self.width.div_ceil(2), self.height.div_ceil(2));
        let bed = Vec::with_capacity(width * height);
        let mut next = Self { level: self.level + 1, width, height, bed, parts: Vec::new() };
        for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
            let mut bed = self.mean(x, y);
            if bed == OUTSIDE && self.has_ground(x, y) {
                // Not from the children: they have different amounts of ground, and equal weights
                // would favour the smaller ones.
                bed = finest.mean_of_part(next.level, x, y);
                next.parts.resize((width * height).div_ceil(64), 0);
                let at = next.bed.len();
                next.parts[at / 64] |= 1 << (at % 64);
            }
            next.bed.push(bed);
        }
        next
    }

    /// Returns the bed of a cell of the next coarser level; [`OUTSIDE`] if any of the cell is
    /// outside.
    fn mean(&self, x: usize, y: usize) -> i32 {
        mean_bed(CHILDREN.map(|(i, j)| self.bed(2 * x + i, 2 * y + j)))
    }

    /// True if a cell of the next coarser level has ground.
    fn has_ground(&self, x: usize, y: usize) -> bool {
        CHILDREN.iter().any(|&(i, j)| self.ground_bed(2 * x + i, 2 * y + j) != OUTSIDE)
    }

    /// Returns the mean of these finest beds in a cell of `level` that has ground, rounded half up.
    fn mean_of_part(&self, level: u8, x: usize, y: usize) -> i32 {
        let range = |at: usize, end: usize| (at << level).min(end)..((at + 1) << level).min(end);
        let columns = range(x, self.width);
        let rows = range(y, self.height).map(|y| self.row(y, columns.clone()));
        mean_of_ground(rows.flatten().copied())
    }

    /// Returns the beds of neighbouring cells of a row.
    pub(super) fn row(&self, row: usize, columns: Range<usize>) -> &[i32] {
        &self.bed[row * self.width..][..self.width][columns]
    }

    /// Returns the beds of neighbouring cells of a row, to change.
    pub(super) fn row_mut(&mut self, row: usize, columns: Range<usize>) -> &mut [i32] {
        &mut self.bed[row * self.width..][..self.width][columns]
    }
}

/// Columns and rows of the children of a cell, from its first child on.
const CHILDREN: [(usize, usize); 4] = [(0, 0), (1, 0), (0, 1), (1, 1)];

/// Returns the mean of the beds that are inside, rounded half up.
///
/// # Panics
///
/// If no bed is inside.
pub fn mean_of_ground(beds: impl Iterator<Item = i32>) -> i32 {
    let inside = beds.filter(|&z| z != OUTSIDE);
    let (sum, count) = inside.fold((0, 0), |(sum, count), z| (sum + i64::from(z), count + 1));
    // ⌊sum / count + ½⌋ without fractions; `div_euclid` rounds down below the datum as well.
    i32::try_from((2 * sum + count).div_euclid(2 * count)).expect("a mean of i32")
}

/// Returns the bed of a coarse cell: the mean of its children, rounded half up; outside if any of
/// them is.
pub fn mean_bed(children: [i32; 4]) -> i32 {
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

impl FinestBeds for Terrain {
    fn add_finest(&self, place: WorldCell, width: i64, beds: &mut Vec<i32>) {
        self.finest().plane().add_finest(place, width, beds);
    }
}

impl Terrain {
    /// Largest number of levels above the finest in a pyramid.
    pub const LEVELS: u8 = 8;

    /// Returns a terrain whose beds are multiples of 2^−`bed_exponent` m.
    pub(crate) fn new(
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
            let next = last.coarser(&levels[0]);
            levels.push(next);
        }
        Self { scale, cell_width_m, bed_exponent, inside, levels }
    }

    /// True if the coarser levels are those of the finest beds.
    #[must_use]
    pub fn is_consistent(&self) -> bool {
        let Self { scale, cell_width_m, bed_exponent, .. } = *self;
        *self == Self::new(scale, cell_width_m, bed_exponent, self.finest().clone())
    }

    /// Returns the vertical unit and datum.
    #[must_use]
    pub fn scale(&self) -> VerticalScale {
        self.scale
    }

    /// Returns the exponent of the step of beds: they are multiples of 2^−`bed_exponent` m.
    #[must_use]
    pub fn bed_exponent(&self) -> u8 {
        self.bed_exponent
    }

    /// Returns the step of beds, vertical units.
    #[must_use]
    pub fn bed_step(&self) -> i32 {
        1 << self.scale.exponent().saturating_sub(self.bed_exponent)
    }

    /// Returns the width of the cells of `level`, m.
    #[must_use]
    pub fn cell_width_m(&self, level: u8) -> f64 {
        self.cell_width_m * f64::from(1_u32 << level)
    }

    /// Returns the beds of `level`, if the pyramid has that level.
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
                for x in columns.clone() {
                    // An edit leaves outside cells outside, so each cell stays whole or a part.
                    let bed = if coarse[0].is_part(x, *row) {
                        finer[0].mean_of_part(coarse[0].level, x, *row)
                    } else {
                        finer[level - 1].mean(x, *row)
                    };
                    coarse[0].row_mut(*row, x..x + 1)[0] = bed;
                }
            }
        }
    }

    /// Returns the coarsest level of the pyramid.
    #[must_use]
    pub fn coarsest(&self) -> u8 {
        self.levels[self.levels.len() - 1].level
    }

    /// Returns the number of finest cells inside the world.
    #[must_use]
    pub fn inside_count(&self) -> usize {
        self.inside
    }

    /// Returns the number of finest cells that `level` leaves out at the boundary of the world if
    /// coarse cells that are partly outside are outside: with flat columns. Sub-grid columns leave
    /// no cell out.
    #[must_use]
    pub fn excluded_cells(&self, level: u8) -> usize {
        let kept = self.level(level).map_or(0, BedLevel::inside_count);
        self.inside - (kept << (2 * level))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::hash::scramble;

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
        assert_eq!(terrain.excluded_cells(0), 0);
        // Six whole blocks of 2 × 2, one of them short of a child.
        assert_eq!(terrain.excluded_cells(1), 34 - 5 * 4);
    }

    /// Goal: a cell that is partly outside has the mean of its ground. Method: random holes and
    /// edges in the middle of cells, every level against sums.
    #[test]
    fn beds_of_parts_are_means_of_their_ground() {
        let scale = VerticalScale::try_new(20, 0.0).expect("good");
        for seed in 0..20 {
            let (width, height) = (37 + seed, 29);
            let draw = |i: usize| scramble((seed << 32 | i) as u64);
            let bed = |i: usize| match draw(i / 3) % 4 {
                0 => OUTSIDE,
                _ => i32::try_from(draw(i + 9999) % 2001).expect("small") - 1000,
            };
            let finest: Vec<i32> = (0..width * height).map(bed).collect();
            let terrain =
                Terrain::new(scale, 1.0, 10, BedLevel::new(0, width, height, finest.clone()));
            let mut inside = vec![terrain.inside_count()];
            for level in 1..=terrain.coarsest() {
                let beds = terrain.level(level).expect("there");
                let mut whole = 0;
                for (y, x) in
                    (0..beds.height()).flat_map(|y| (0..beds.width()).map(move |x| (y, x)))
                {
                    let below: Vec<i64> = (0..1 << (2 * level))
                        .map(|i| ((x << level) + i % (1 << level), (y << level) + (i >> level)))
                        .filter(|&(x, y)| x < width && y < height)
                        .map(|(x, y)| finest[y * width + x])
                        .filter(|&z| z != OUTSIDE)
                        .map(i64::from)
                        .collect();
                    let (sum, count) = (below.iter().sum::<i64>(), below.len() as i64);
                    let place = format!("seed {seed}, level {level}, {x}, {y}");
                    assert_eq!(
                        beds.is_part(x, y),
                        count > 0 && count < 1 << (2 * level),
                        "{place}"
                    );
                    let is_whole = count == 1 << (2 * level);
                    whole += usize::from(is_whole);
                    assert_eq!(beds.bed(x, y) != OUTSIDE, is_whole, "{place}");
                    match count {
                        0 => assert_eq!(beds.ground_bed(x, y), OUTSIDE, "{place}"),
                        _ if is_whole => {}
                        _ => {
                            let twice = 2 * count * i64::from(beds.ground_bed(x, y)) - 2 * sum;
                            assert!((1 - count..=count).contains(&twice), "{place}");
                        }
                    }
                }
                inside.push(whole << (2 * level));
                assert_eq!(beds.inside_count(), whole, "seed {seed}, level {level}");
            }
            let left: Vec<usize> =
                (0..=terrain.coarsest()).map(|l| terrain.excluded_cells(l)).collect();
            assert_eq!(left, inside.iter().map(|kept| inside[0] - kept).collect::<Vec<_>>());
        }
    }
}
