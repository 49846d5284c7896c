//! The carry of a leaf: the remainder that regridding could not put into whole units of its cells.
//!
//! ```text
//! stored in a leaf = 4^L Σ depth + carry          vertical units × finest cells
//! |carry| ≤ 4·4096·4^L
//! ```
//!
//! A carry is signed: inside a lake a coarse cell keeps the stage of its four, and its bed, a
//! rounded mean, makes it contain up to two units more or one less than they do. Tracers and
//! infiltrated depth have carries of their own. The carry of a leaf that is refined goes to its
//! quarters by their wet cells, because the carry arose in cells with water: in a lake each quarter
//! then takes about the error of its own beds. (All of it to one child would be 4 times as much per
//! cell at each level: of a lake of 16 × 16 tiles over beds of random units, taken to level 4 and
//! back, 24 cells had to settle, and one stage fell by 48,632 units; by wet cells none moves, and
//! no leaf carries a tenth of the bound: `tests/engine/regrid.rs`.)
//!
//! *Settling* moves whole units from the carry into cells or back, deepest cells first: the excess
//! over the bound, and all of a carry in a leaf that is dry. A negative carry of a dry leaf stays
//! until the leaf has water.
//!
//! Guarantees: depth plus carry is exact in every operation, content too; a uniform concentration
//!             stays uniform, in the carry as well; depths stay within 0 and the ceiling,
//!             concentrations within 0 and [`ONE`].
//! Limits:     if concentrations differ, the carry of a tracer need not be between 0 and [`ONE`]
//!             times the carry of the water: it keeps all that went in and out.
//! Source:     own.

use crate::grid::TILE_CELLS;
use crate::grid::blocks::blocks;
use crate::tile::planes::ONE;
use crate::tile::{Ground, Resident, Water};
use crate::units::Volume;
use std::cmp::Reverse;

/// A leaf as regridding sees it.
#[derive(Debug, Clone, Copy)]
pub struct Holding<'a> {
    /// Ground of the leaf.
    pub ground: &'a Ground,
    /// Water of the leaf.
    pub water: &'a Water,
    /// Carry of the leaf.
    pub carry: &'a Carry,
}

/// Rounding remainders that belong to a leaf and to none of its cells.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Carry {
    /// Water, vertical units × finest cells.
    pub water: i64,
    /// Content of each tracer, 2⁻²⁴ vertical units × finest cells.
    pub contents: Vec<Volume>,
    /// Infiltrated depth, vertical units × finest cells: from 0 to less than one unit of a cell.
    pub infiltrated: i64,
}

/// Returns the count of finest cells in a cell of `level`.
#[must_use]
pub fn finest_cells(level: u8) -> i64 {
    1 << (2 * u32::from(level))
}

impl Carry {
    /// Returns an empty carry, in a world of `tracers` tracers.
    #[must_use]
    pub fn none(tracers: usize) -> Self {
        Self { water: 0, contents: vec![0; tracers], infiltrated: 0 }
    }

    /// Returns the most a leaf of `level` carries, vertical units × finest cells.
    #[must_use]
    pub fn most(level: u8) -> i64 {
        // Eight times the error, ½ unit a cell, that one change of level can leave in a lake.
        4 * TILE_CELLS as i64 * finest_cells(level)
    }

    /// Adds the carry of a leaf that merges into this one.
    ///
    /// # Panics
    ///
    /// If the two count different tracers.
    pub fn absorb(&mut self, other: &Self) {
        assert_eq!(self.contents.len(), other.contents.len(), "tracers of two leaves");
        self.water += other.water;
        self.contents.iter_mut().zip(&other.contents).for_each(|(own, other)| *own += other);
        self.infiltrated += other.infiltrated;
    }

    /// Returns the share of the quarter `quadrant` of a leaf of this ground and these depths: water
    /// by wet cells, contents as the water. The first quarter with ground gets all of it if the
    /// leaf is dry, and the infiltrated depth always.
    ///
    /// # Panics
    ///
    /// If the leaf has no ground at all.
    #[must_use]
    pub fn share(&self, quadrant: usize, ground: &Ground, depth: &[i32]) -> Self {
        let count = |is_counted: &dyn Fn(usize) -> bool| -> [Volume; 4] {
            let in_quarter = |q| blocks(q).filter(|&(cell, _)| is_counted(cell)).count();
            std::array::from_fn(|q| in_quarter(q) as Volume)
        };
        let inside = count(&|cell| ground.is_inside(cell));
        let heir = inside.iter().position(|&cells| cells != 0).expect("a leaf has ground");
        let to_heir: [Volume; 4] = std::array::from_fn(|q| Volume::from(q == heir));
        let wet = count(&|cell| depth[cell] > 0);
        let weights = if wet == [0; 4] { to_heir } else { wet };
        let water = divided(self.water.into(), weights);
        // Content is shared as the water is, so that each quarter has the same concentration.
        let of_content = if self.water == 0 { weights } else { water };
        let contents = self.contents.iter().map(|&content| divided(content, of_content)[quadrant]);
        Self {
            water: i64::try_from(water[quadrant]).expect("a part of an i64"),
            contents: contents.collect(),
            infiltrated: if quadrant == heir { self.infiltrated } else { 0 },
        }
    }

    /// Returns the whole units that settling gives the water of a leaf of `level`, or takes from
    /// it.
    fn owed(&self, level: u8, is_dry: impl FnOnce() -> bool) -> i64 {
        let cell = finest_cells(level);
        let over = (self.water.abs() - Self::most(level)).max(0);
        // Rounded up, so that what stays is within the bound. A dry leaf has no water to give back.
        let (dry, wet) =
            (self.water.max(0) / cell, self.water.signum() * ((over + cell - 1) / cell));
        // `is_dry` is asked only if it decides, because it loads water that is not in memory.
        if dry != wet && is_dry() { dry } else { wet }
    }

    /// Returns the content of a tracer beyond its bound in a leaf of `level`, 2⁻²⁴ vertical units ×
    /// finest cells.
    fn content_over(&self, tracer: usize, level: u8) -> Volume {
        let most = Volume::from(ONE) * Volume::from(Self::most(level));
        (self.contents[tracer].abs() - most).max(0)
    }

    /// True if settling would change nothing; looks at the water if that decides.
    #[must_use]
    pub fn is_settled(&self, level: u8, water: &Resident<Water>) -> bool {
        let mut tracers = 0..self.contents.len();
        tracers.all(|tracer| self.content_over(tracer, level) == 0)
            && self.owed(level, || is_dry(water)) == 0
    }

    /// Moves whole units between the carry and the water of its leaf, by the rules of the module
    /// page. Discharges are not touched: a face may close or open by it.
    ///
    /// # Panics
    ///
    /// If carry and water count different tracers.
    pub fn settle(&mut self, level: u8, ground: &Ground, water: &mut Water) {
        assert_eq!(self.contents.len(), water.contents.len(), "tracers of a leaf and its carry");
        let (owed, cell) = (self.owed(level, || is_dry(water)), finest_cells(level));
        self.give_water(owed.max(0), cell, ground, water);
        self.take_water((-owed).max(0), cell, ground, water);
        for tracer in 0..self.contents.len() {
            self.settle_content(tracer, level, ground, water);
        }
    }

    /// Puts `units` of the carry into the deepest cells, up to the room below the ceiling.
    fn give_water(&mut self, units: i64, cell: i64, ground: &Ground, water: &mut Water) {
        if units == 0 {
            return;
        }
        let mut left = units;
        for place in deepest_first(ground, &water.depth) {
            let room = i64::from(ground.room(place)) - i64::from(water.depth[place]);
            let given = left.min(room.max(0));
            if given == 0 {
                continue;
            }
            // Before the water moves: `self.water` must still be the water that this content
            // belongs to.
            for (carried, plane) in self.contents.iter_mut().zip(&mut water.contents) {
                // At the concentration of the carry, which is exact if that is a whole number.
                let wanted = (*carried * Volume::from(given)).div_euclid(self.water.into());
                let content = wanted.clamp(0, Volume::from(ONE * given));
                plane[place] += i64::try_from(content).expect("below 2⁵⁶");
                *carried -= content * Volume::from(cell);
            }
            water.depth[place] += i32::try_from(given).expect("below the ceiling");
            self.water -= given * cell;
            left -= given;
            if left == 0 {
                return;
            }
        }
    }

    /// Takes `units` out of the deepest cells, at most all their water; they keep their
    /// concentrations.
    fn take_water(&mut self, units: i64, cell: i64, ground: &Ground, water: &mut Water) {
        if units == 0 {
            return;
        }
        let mut left = units;
        for place in deepest_first(ground, &water.depth) {
            let depth = i64::from(water.depth[place]);
            let taken = left.min(depth);
            // The deepest cells come first, so behind a dry one all are dry.
            if taken == 0 {
                return;
            }
            for (carried, plane) in self.contents.iter_mut().zip(&mut water.contents) {
                let content =
                    Volume::from(plane[place]) * Volume::from(taken) / Volume::from(depth);
                plane[place] -= i64::try_from(content).expect("a part of an i64");
                *carried += content * Volume::from(cell);
            }
            water.depth[place] -= i32::try_from(taken).expect("at most a depth");
            self.water += taken * cell;
            left -= taken;
        }
    }

    /// Keeps the carry of a tracer within [`ONE`] times the bound of the water's.
    fn settle_content(&mut self, tracer: usize, level: u8, ground: &Ground, water: &mut Water) {
        let over = self.content_over(tracer, level);
        if over == 0 {
            return;
        }
        let (cell, one) = (Volume::from(finest_cells(level)), Volume::from(ONE));
        let (carried, plane) = (&mut self.contents[tracer], &mut water.contents[tracer]);
        let mut left = (over + cell - 1) / cell;
        for place in deepest_first(ground, &water.depth) {
            let content = Volume::from(plane[place]);
            let full = one * Volume::from(water.depth[place]);
            let moved = if *carried > 0 { left.min(full - content) } else { -left.min(content) };
            plane[place] += i64::try_from(moved).expect("below 2⁵⁶");
            *carried -= moved * cell;
            left -= moved.abs();
            if left == 0 {
                return;
            }
        }
    }
}

fn is_dry(water: &Water) -> bool {
    water.depth.iter().all(|&h| h == 0)
}

/// Returns the inside cells, the deepest first; of equally deep ones the lowest, then the first.
fn deepest_first(ground: &Ground, depth: &[i32]) -> Vec<usize> {
    let mut cells: Vec<usize> = (0..TILE_CELLS).filter(|&cell| ground.is_inside(cell)).collect();
    // The number of the cell makes the order total, so an unstable sort has one result.
    cells.sort_unstable_by_key(|&cell| (Reverse(depth[cell]), ground.bed[cell], cell));
    cells
}

/// Divides a total by weights of one sign, exactly: whole shares, as even as rounding allows.
fn divided(total: Volume, weights: [Volume; 4]) -> [Volume; 4] {
    let sum: Volume = weights.iter().sum();
    let (mut weight, mut given) = (0, 0);
    weights.map(|own| {
        weight += own;
        // Each share is a difference of rounded sums, so the shares add up to the total.
        let until = (total * weight).div_euclid(sum);
        let share = until - given;
        given = until;
        share
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{CEILING, OUTSIDE};

    /// Ground with a few cells, the rest outside, and water on it with one tracer.
    fn leaf(cells: &[(usize, i32, i32, i64)]) -> (Ground, Water) {
        let mut ground = Ground::flat(vec![OUTSIDE; TILE_CELLS].into());
        let mut water = Water::dry_with(1);
        for &(cell, bed, depth, content) in cells {
            (ground.bed[cell], water.depth[cell]) = (bed, depth);
            water.contents[0][cell] = content;
        }
        (ground, water)
    }

    fn carry(water: i64, content: Volume) -> Carry {
        Carry { water, contents: vec![content], infiltrated: 0 }
    }

    /// Settles at level 1 and compares carry, depths and contents of the cells.
    #[track_caller]
    fn check_settled(
        cells: &[(usize, i32, i32, i64)],
        before: (i64, Volume),
        after: (i64, Volume),
        expected: &[(i32, i64)],
    ) {
        let (ground, mut water) = leaf(cells);
        let mut own = carry(before.0, before.1);
        own.settle(1, &ground, &mut water);
        let got: Vec<_> =
            cells.iter().map(|c| (water.depth[c.0], water.contents[0][c.0])).collect();
        assert_eq!((own.water, own.contents[0]), after);
        assert_eq!(got, expected);
    }

    #[test]
    fn the_deepest_cell_settles_what_is_too_much() {
        let most = Carry::most(1);
        assert_eq!(most, 65_536);
        let wide = Volume::from(most);
        // Within the bound nothing moves.
        check_settled(&[(7, 0, 5, 0)], (most, 0), (most, 0), &[(5, 0)]);
        check_settled(&[(7, 0, 5, 0)], (-most, 0), (-most, 0), &[(5, 0)]);
        // Seven finest cells too much are two units of level 1, at the concentration of the carry.
        let cells = [(7, 0, 5, 0), (9, -3, 6, 12)];
        let (over, under) = ((most + 7, 3 * (wide + 7)), (most - 1, 3 * (wide - 1)));
        check_settled(&cells, over, under, &[(5, 0), (8, 18)]);
        // Too little, at the concentration of the cells; the deepest first, equal ones the lowest.
        check_settled(&cells, (-most - 1, 0), (3 - most, 8), &[(5, 0), (5, 10)]);
        let level = [(7, 0, 2, 2), (9, -3, 2, 4)];
        check_settled(&level, (-most - 12, 0), (-most, 20), &[(1, 1), (0, 0)]);
        // No more water than the cells have, and never more than the ceiling has room for.
        check_settled(&level, (-most - 100, 0), (-most - 84, 24), &[(0, 0), (0, 0)]);
        let top = [(7, CEILING - 9, 8, 0), (9, CEILING - 3, 1, 0)];
        check_settled(&top, (most + 100, 0), (most + 88, 0), &[(9, 0), (3, 0)]);
    }

    #[test]
    fn a_dry_leaf_keeps_no_whole_units() {
        let cells = [(7, 0, 0, 0), (9, -3, 0, 0)];
        check_settled(&cells, (11, 55), (3, 15), &[(0, 0), (2, 10)]);
        check_settled(&cells, (3, 15), (3, 15), &[(0, 0), (0, 0)]);
        check_settled(&cells, (-500, -9), (-500, -9), &[(0, 0), (0, 0)]);
        // Content without water of its own stays behind: no concentration above 1 or below 0.
        let full = Volume::from(ONE);
        check_settled(&cells, (8, 9 * full), (0, full), &[(0, 0), (2, 2 * ONE)]);
        check_settled(&cells, (8, -9), (0, -9), &[(0, 0), (2, 0)]);
    }

    #[test]
    fn content_beyond_all_bounds_goes_where_there_is_room() {
        let most = Volume::from(ONE) * Volume::from(Carry::most(1));
        let cells = [(7, 0, 5, 1), (9, 0, 6, 6 * ONE - 1)];
        check_settled(&cells, (0, most + 9), (0, most - 3), &[(5, 3), (6, 6 * ONE)]);
        let cells = [(7, 0, 5, 4), (9, 0, 6, 2)];
        check_settled(&cells, (0, -most - 9), (0, 3 - most), &[(5, 3), (6, 0)]);
    }

    #[test]
    fn quarters_share_by_their_wet_cells() {
        // Cell 0 is in the south-west, 32 in the south-east, the last two in the north-east.
        let (last, c) = (TILE_CELLS - 1, 77);
        let (ground, water) =
            leaf(&[(0, 0, 0, 0), (32, 0, 3, 0), (last, 0, 1, 0), (last - 1, 0, 1, 0)]);
        let shares = |own: &Carry, depth: &[i32]| -> Vec<(i64, Volume, i64)> {
            let share = |q| own.share(q, &ground, depth);
            (0..4).map(share).map(|s| (s.water, s.contents[0], s.infiltrated)).collect()
        };
        let mut own = carry(10, 10 * c);
        own.infiltrated = 5;
        let expected = [(0, 0, 5), (3, 3 * c, 0), (0, 0, 0), (7, 7 * c, 0)];
        assert_eq!(shares(&own, &water.depth), expected);
        let expected = [(0, 0, 0), (-4, -4 * c, 0), (0, 0, 0), (-6, -6 * c, 0)];
        assert_eq!(shares(&carry(-10, -10 * c), &water.depth), expected);
        let expected = [(0, 0, 0), (0, 3, 0), (0, 0, 0), (0, 7, 0)];
        assert_eq!(shares(&carry(0, 10), &water.depth), expected);
        let expected = [(-10, c, 0), (0, 0, 0), (0, 0, 0), (0, 0, 0)];
        assert_eq!(shares(&carry(-10, c), &[0; TILE_CELLS]), expected);
    }
}
