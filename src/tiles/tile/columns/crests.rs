//! Crests inside a cell: the stage that water needs to get from its lowest place to its sides.
//!
//! ```text
//!  pour        ▓                    The pour level of a place is the lowest crest on any way to
//!  level  ┄┄┄┄┄▓┄┄┄┄┄┄┄┄            it from the lowest place of the cell, from cell to cell
//!              ▓▓    side ▸         across their sides. A face's sill at a place along it is the
//!  ▓▓      ~~~▓▓▓▓▓▓▓▓▓▓            higher pour level of its two cells: the levee counts, not
//!  ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓            the plain behind it.
//!      lowest
//! ```
//!
//! A pour level gives the height of a crossing, but not its width: a gap of 10 m in a levee opens
//! all of a face of 32 m. So a second law is needed, the *narrows*: on its way to a side the water
//! passes each line of places along it, from the line of the lowest place on. Sort the pour levels
//! of each line; the narrows are the largest of each rank. They replace the face if they leave less
//! than 0.4 of its opening at the level at which they take most of it; elsewhere they would narrow
//! rivers that bend.
//!
//! The places are flooded one by one, the lowest first ([`flood`](super::flood)); the same walk
//! gives the water that each crest could keep on either side.
//!
//! Guarantees: a pour level is exact, at least the bed, and that of its own cell alone
//!             (`pour_levels_are_the_lowest_crests`); integers.
//! Limits:     a river whose two reaches in one cell meet only outside it is cut: refine there. On
//!             1 m beds, cells of up to 16 m cut no river, and cells of 32 to 64 m cut rivers with
//!             tight meanders.
//! Source:     own.

use crate::grid::Side;
use crate::tile::columns::flood::Flood;
use crate::units::OUTSIDE;

/// Bounds on the flow between a cell's lowest place and one of its sides.
#[derive(Debug, Clone, Copy)]
pub struct Approach<'a> {
    /// Pour levels of the places along the side, from west to east or from south to north.
    pub pour: &'a [i32],
    /// The narrows, lowest first.
    pub narrows: &'a [i32],
}

/// Finder of the crests inside a cell; keeps its buffers from cell to cell.
#[derive(Debug, Clone, Default)]
pub struct Crests {
    flood: Flood,
    /// Approaches to the four sides: pour levels, then narrows.
    approaches: [Vec<i32>; 8],
}

impl Crests {
    /// Looks at a cell from its finest beds, row by row, [`OUTSIDE`] where the world ends. Places
    /// that such a border cuts off from the lowest one are outside too.
    ///
    /// # Panics
    ///
    /// If the count of beds is not a square.
    pub fn look(&mut self, beds: &[i32]) {
        self.flood.flood(beds);
        let width = beds.len().isqrt();
        let (pour, last) = (self.flood.pour(), width.saturating_sub(1));
        for side in Side::ALL {
            let edge = &mut self.approaches[side as usize];
            edge.clear();
            edge.extend((0..width).map(|i| match side {
                Side::West => pour[i * width],
                Side::East => pour[i * width + last],
                Side::South => pour[i],
                Side::North => pour[last * width + i],
            }));
            let narrows = &mut self.approaches[4 + side as usize];
            narrows.clear();
            narrows.resize(width, i32::MIN);
            let axis = side.axis();
            let core = self.flood.lowest()[axis];
            let before =
                if matches!(side, Side::West | Side::South) { 0..=core } else { core..=last };
            for line in
                self.flood.lines(axis)[before.start() * width..].chunks(width).take(before.count())
            {
                narrows.iter_mut().zip(line).for_each(|(most, &z)| *most = z.max(*most));
            }
        }
    }

    /// Bounds on the flow to a side.
    #[must_use]
    pub fn approach_to(&self, side: Side) -> Approach<'_> {
        let side = side as usize;
        Approach { pour: &self.approaches[side], narrows: &self.approaches[4 + side] }
    }

    /// Computes the sills of the cell's face to the outside at a side. If part of the cell is
    /// outside, its outline replaces the side: on each line of places towards the side the last one
    /// that water from the lowest place reaches.
    pub fn boundary_sills(&self, side: Side, sills: &mut Vec<i32>) {
        let approach = self.approach_to(side);
        sills_between(approach, approach, sills);
        if !approach.narrows.contains(&OUTSIDE) {
            return;
        }
        let (pour, width) = (self.flood.pour(), approach.pour.len());
        sills.clear();
        sills.extend((0..width).map(|line| {
            let levels = (0..width).map(|from_side| match side {
                Side::West => pour[line * width + from_side],
                Side::East => pour[(line + 1) * width - 1 - from_side],
                Side::South => pour[from_side * width + line],
                Side::North => pour[(width - 1 - from_side) * width + line],
            });
            levels.into_iter().find(|&level| level != OUTSIDE).unwrap_or(OUTSIDE)
        }));
    }

    /// Returns the water that a crest divides in the cell: [`Flood::divided`].
    #[must_use]
    pub fn divided(&self) -> i64 {
        self.flood.divided()
    }
}

/// Part of a face's opening below which the narrows replace it: 2/5.
const NARROW: (i64, i64) = (2, 5);

/// Computes the sills of the face between two cells: the higher of their pour levels at each place,
/// or their narrows if these leave less than 0.4 of that opening.
pub fn sills_between(before: Approach<'_>, after: Approach<'_>, sills: &mut Vec<i32>) {
    sills.clear();
    sills.extend(before.pour.iter().zip(after.pour).map(|(&a, &b)| a.max(b)));
    sills.sort_unstable();
    let narrows = || before.narrows.iter().zip(after.narrows).map(|(&a, &b)| a.max(b));
    let both = || sills.iter().zip(narrows()).map(|(&sill, narrow)| sill.max(narrow));
    // Openings at a level, times the count of places.
    let open_at = |level: i32| {
        let over = |sill: i32| i64::from((level - sill).max(0));
        let narrow: i64 = both().map(over).sum();
        (sills.iter().map(|&sill| over(sill)).sum::<i64>(), narrow)
    };
    let levels = sills.iter().zip(both()).filter(|&(&sill, z)| z > sill && z != OUTSIDE);
    let mut worst = (0, 0);
    for (_, level) in levels {
        let (wide, narrow) = open_at(level);
        if wide - narrow > worst.0 - worst.1 {
            worst = (wide, narrow);
        }
    }
    let (wide, narrow) = worst;
    if NARROW.1 * narrow < NARROW.0 * wide {
        for (sill, (&a, &b)) in sills.iter_mut().zip(before.narrows.iter().zip(after.narrows)) {
            *sill = (*sill).max(a).max(b);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::hash::scramble;

    /// Beds of a cell `width` places wide: rough, with few heights, in part outside.
    fn beds_of(seed: u64, width: usize) -> Vec<i32> {
        let heights = [3, 10, 1000, 1 << 28][(seed % 4) as usize];
        let draw = |i: usize, most: u64| scramble(seed << 20 ^ i as u64) % most;
        let with_border = seed.is_multiple_of(3);
        let bed = |i| match draw(i + 9999, 5) {
            0 if with_border => OUTSIDE,
            _ => i32::try_from(draw(i, heights)).expect("below 2²⁸") - 50,
        };
        (0..width * width).map(bed).collect()
    }

    /// Pour levels by going over all places until none changes.
    fn slow_pour(beds: &[i32], width: usize) -> Vec<i32> {
        let mut pour = vec![OUTSIDE; beds.len()];
        let lowest = (0..beds.len()).min_by_key(|&i| beds[i]).expect("some");
        pour[lowest] = beds[lowest];
        loop {
            let before = pour.clone();
            for at in 0..beds.len() {
                let (x, y) = (at % width, at / width);
                let beside = [(x > 0, 1), (y > 0, width)].map(|(is, step)| is.then(|| at - step));
                let after = [(x + 1 < width, 1), (y + 1 < width, width)];
                let after = after.map(|(is, step)| is.then(|| at + step));
                for other in beside.into_iter().chain(after).flatten() {
                    pour[at] = pour[at].min(pour[other].max(beds[at]));
                }
            }
            if pour == before {
                return pour;
            }
        }
    }

    #[test]
    fn pour_levels_are_the_lowest_crests() {
        let mut crests = Crests::default();
        for seed in 0..400_u64 {
            let width = 1 << (seed % 5);
            let beds = beds_of(seed, width);
            crests.look(&beds);
            let expected = slow_pour(&beds, width);
            assert_eq!(crests.flood.pour(), expected, "seed {seed}");
            for (i, &z) in crests.approach_to(Side::East).pour.iter().enumerate() {
                assert_eq!(z, expected[i * width + width - 1], "seed {seed}");
            }
            for side in Side::ALL {
                let Approach { pour, narrows } = crests.approach_to(side);
                let mut pour = pour.to_vec();
                pour.sort_unstable();
                assert!(narrows.is_sorted(), "seed {seed}");
                assert!(pour.iter().zip(narrows).all(|(a, b)| a <= b), "seed {seed}");
            }
        }
    }

    /// A plain at 0 that falls to the south, with a levee of `crest` along row 16 but for a gap.
    fn levee(crest: i32, gap: std::ops::Range<usize>) -> Vec<i32> {
        let bed = |i: usize| match (i % 32, i / 32) {
            (x, 16) if !gap.contains(&x) => crest,
            (_, y) => i32::try_from(y).expect("32 rows"),
        };
        (0..32 * 32).map(bed).collect()
    }

    #[test]
    fn a_levee_inside_a_cell_is_its_sill() {
        let (mut crests, mut sills) = (Crests::default(), Vec::new());
        let mut look = |gap, side| {
            crests.look(&levee(3000, gap));
            let approach = crests.approach_to(side);
            sills_between(approach, approach, &mut sills);
            (sills.clone(), crests.divided())
        };
        let (whole, divided) = look(0..0, Side::North);
        assert_eq!(whole, vec![3000; 32]);
        assert_eq!(divided, 15 * 32 * 3000 - (17..32).sum::<i64>() * 32);
        assert_eq!(look(0..0, Side::South).0, vec![0; 32]);
        // Eight places of 32 let through as much as before; the rest rise to the crest.
        let (gap, divided) = look(8..16, Side::North);
        assert_eq!(gap, [vec![31; 8], vec![3000; 24]].concat());
        assert_eq!(divided, 0);
        // Half of them leave more than 0.4.
        assert_eq!(look(8..24, Side::North).0, vec![31; 32]);
    }

    /// Goal: if part of a cell is outside, its outline is its side to the outside. Method: a bay
    ///       from the east with a wall before one of its lines; the west side has none.
    #[test]
    fn an_outline_stands_for_its_side() {
        let (mut crests, mut sills) = (Crests::default(), Vec::new());
        let beds: Vec<i32> = [
            [0, 1, 2, 3],
            [10, 11, OUTSIDE, 13],
            [20, OUTSIDE, OUTSIDE, OUTSIDE],
            [30, 31, 32, OUTSIDE],
        ]
        .concat();
        let mut sills_to = |beds: &[i32], side: Side| {
            crests.look(beds);
            crests.boundary_sills(side, &mut sills);
            sills.clone()
        };
        assert_eq!(sills_to(&beds, Side::East), [3, 13, 20, 32]);
        assert_eq!(sills_to(&beds, Side::West), [0, 10, 20, 30]);
        assert_eq!(sills_to(&beds, Side::North), [30, 31, 32, 13]);
        // Places that water from the lowest place cannot reach are no outline of it.
        let mut cut = beds;
        cut[8] = OUTSIDE;
        assert_eq!(sills_to(&cut, Side::East), [3, 13, OUTSIDE, OUTSIDE]);
        assert_eq!(sills_to(&cut, Side::North), [10, 11, 2, 13]);
    }

    #[test]
    fn slopes_and_pits_divide_little() {
        let mut crests = Crests::default();
        let slope: Vec<i32> = (0..256).map(|i| 100 * (i % 16) + 7 * (i / 16)).collect();
        crests.look(&slope);
        assert_eq!(crests.divided(), 0);
        let mut pits = slope;
        (pits[100], pits[200]) = (-5000, -90);
        crests.look(&pits);
        // The deeper one up to its brim, west of it; the slope below that could contain more.
        assert_eq!(crests.divided(), 5000 + 100 * 3 + 7 * 6);
    }
}
