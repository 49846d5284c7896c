//! Crests inside a cell: how high water must stand to get from its lowest place to its sides.
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
//! A pour level knows how high a crossing is, but not how wide: a gap of 10 m in a levee opens all
//! of a face of 32 m. So there is a second law, the *narrows*: on its way to a side the water
//! passes each line of places along it, from that of the lowest place on. Sort the pour levels of
//! each line; the narrows are the largest of each rank. They stand for the face where they leave
//! less than 0.4 of its opening at the level at which they take most of it; elsewhere they would
//! narrow rivers that bend.
//!
//! The places are flooded one by one, the lowest first, and joined with those beside them; so the
//! same walk knows how much water could stand on either side of each crest.
//!
//! Guarantees: a pour level is exact, at least the bed, and that of its own cell alone
//!             (`pour_levels_are_the_lowest_crests`); integers.
//! Limits:     a river whose two reaches in one cell meet only outside it is cut: refine there.
//!             On 1 m beds, cells of up to 16 m cut none, of 32 to 64 m those with tight meanders.
//! Source:     own; the flooding as in Barnes et al. (2014), Computers & Geosciences 62.

use crate::grid::Side;
use crate::units::OUTSIDE;

/// No place.
const NONE: u32 = u32::MAX;

/// What bounds the flow between a cell's lowest place and one of its sides.
#[derive(Debug, Clone, Copy)]
pub struct Approach<'a> {
    /// Pour levels of the places along the side, from west to east or from south to north.
    pub pour: &'a [i32],
    /// The narrows, lowest first.
    pub narrows: &'a [i32],
}

/// Finds the crests inside a cell; keeps its buffers from cell to cell.
#[derive(Debug, Clone, Default)]
pub struct Crests {
    width: usize,
    /// Bed and number of each place inside the world, the lowest first.
    order: Vec<u64>,
    /// Level from which water from the lowest place reaches each.
    pour: Vec<i32>,
    pools: Pools,
    /// Approaches to the four sides: pour levels, then narrows.
    approaches: [Vec<i32>; 8],
    line: Vec<i32>,
    divided: i64,
}

impl Crests {
    /// Looks at a cell from its finest beds, row by row, [`OUTSIDE`] where the world ends. Places
    /// that such a border cuts off from the lowest one are outside too.
    ///
    /// # Panics
    ///
    /// If the beds are not those of a square.
    pub fn look(&mut self, beds: &[i32]) {
        self.width = beds.len().isqrt();
        assert_eq!(self.width * self.width, beds.len(), "beds of a square");
        self.order.clear();
        let inside = (0_u32..).zip(beds).filter(|&(_, &z)| z != OUTSIDE);
        let rank = |z: i32| u64::from(z.cast_unsigned() ^ (1 << 31));
        self.order.extend(inside.map(|(place, &z)| rank(z) << 32 | u64::from(place)));
        self.order.sort_unstable();
        self.flood(beds);
        self.approach();
    }

    /// What bounds the flow to a side.
    #[must_use]
    pub fn approach_to(&self, side: Side) -> Approach<'_> {
        let side = side as usize;
        Approach { pour: &self.approaches[side], narrows: &self.approaches[4 + side] }
    }

    /// How much a crest divides the cell: water that could stand up to it on either side while the
    /// other is dry, vertical units times finest cells. Of the two sides the smaller, of all
    /// crests the largest.
    #[must_use]
    pub fn divided(&self) -> i64 {
        self.divided
    }

    fn flood(&mut self, beds: &[i32]) {
        let width = self.width;
        self.pools.clear(beds.len());
        self.divided = 0;
        self.pour.clear();
        self.pour.resize(beds.len(), OUTSIDE);
        let Some(&lowest) = self.order.first() else { return };
        let core = place_of(lowest);
        self.pour[core] = beds[core];
        for next in 0..self.order.len() {
            let at = place_of(self.order[next]);
            self.pools.add(at, beds[at]);
            let (column, row) = (at % width, at / width);
            let beside = [
                (column > 0).then(|| at - 1),
                (column + 1 < width).then(|| at + 1),
                (row > 0).then(|| at - width),
                (row + 1 < width).then(|| at + width),
            ];
            for other in beside.into_iter().flatten() {
                if self.pools.parent[other] != NONE {
                    self.meet(core, at, other, beds[at]);
                }
            }
        }
    }

    /// Lets the pools of two places meet at a level.
    fn meet(&mut self, core: usize, one: usize, two: usize, level: i32) {
        let pools = &mut self.pools;
        let (one, two) = (pools.find(one), pools.find(two));
        if one == two {
            return;
        }
        self.divided = self.divided.max(pools.held(one, level).min(pools.held(two, level)));
        let of_core = pools.find(core);
        if of_core == one || of_core == two {
            let reached = if of_core == one { two } else { one };
            pools.for_each(reached, |place| self.pour[place] = level);
        }
        pools.join(one, two);
    }

    /// Pour levels along the sides, and the narrows before them.
    fn approach(&mut self) {
        let Self { width, order, pour, approaches, line, .. } = self;
        let (width, last) = (*width, width.saturating_sub(1));
        for side in Side::ALL {
            let edge = &mut approaches[side as usize];
            edge.clear();
            edge.extend((0..width).map(|i| match side {
                Side::West => pour[i * width],
                Side::East => pour[i * width + last],
                Side::South => pour[i],
                Side::North => pour[last * width + i],
            }));
            approaches[4 + side as usize].clear();
            approaches[4 + side as usize].resize(width, i32::MIN);
        }
        let core = order.first().map_or(0, |&lowest| place_of(lowest));
        for (core, step, across, sides) in [
            (core % width, 1, width, [Side::West, Side::East]),
            (core / width, width, 1, [Side::South, Side::North]),
        ] {
            for at in 0..width {
                line.clear();
                line.extend((0..width).map(|i| pour[at * step + i * across]));
                line.sort_unstable();
                for (side, is_before) in [(sides[0], at <= core), (sides[1], at >= core)] {
                    if is_before {
                        let narrows = &mut approaches[4 + side as usize];
                        narrows.iter_mut().zip(&*line).for_each(|(most, &z)| *most = z.max(*most));
                    }
                }
            }
        }
    }
}

/// Number of the place in an entry of the order.
#[expect(clippy::cast_possible_truncation, reason = "the lower half")]
fn place_of(entry: u64) -> usize {
    entry as u32 as usize
}

/// Part of a face's opening below which the narrows stand for it: 2/5.
const NARROW: (i64, i64) = (2, 5);

/// Sills of the face between two cells: the higher of their pour levels at each place, or their
/// narrows where these leave less than 0.4 of that opening.
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

/// Connected places that are flooded, and what they hold: a union-find.
#[derive(Debug, Clone, Default)]
struct Pools {
    /// The way to the root of each place; `NONE` while it is dry.
    parent: Vec<u32>,
    /// The next place of the same pool, in a ring.
    next: Vec<u32>,
    /// How many places a root has, and the sum of their beds.
    sums: Vec<(i64, i64)>,
}

impl Pools {
    fn clear(&mut self, places: usize) {
        self.parent.clear();
        self.parent.resize(places, NONE);
        self.next.resize(places, NONE);
        self.sums.resize(places, (0, 0));
    }

    /// Floods a place.
    #[expect(clippy::cast_possible_truncation, reason = "2³² places at most")]
    fn add(&mut self, place: usize, bed: i32) {
        (self.parent[place], self.next[place]) = (place as u32, place as u32);
        self.sums[place] = (1, i64::from(bed));
    }

    fn find(&mut self, mut place: usize) -> usize {
        loop {
            let up = self.parent[place] as usize;
            if up == place {
                return place;
            }
            self.parent[place] = self.parent[up];
            place = self.parent[place] as usize;
        }
    }

    /// Water that a root's places hold below a level, vertical units times finest cells.
    fn held(&self, root: usize, level: i32) -> i64 {
        let (count, sum) = self.sums[root];
        count * i64::from(level) - sum
    }

    fn for_each(&self, root: usize, mut take: impl FnMut(usize)) {
        let mut place = root;
        loop {
            take(place);
            place = self.next[place] as usize;
            if place == root {
                return;
            }
        }
    }

    /// Makes one pool of two roots'.
    fn join(&mut self, one: usize, two: usize) {
        let is_smaller = self.sums[one].0 < self.sums[two].0;
        let (small, large) = if is_smaller { (one, two) } else { (two, one) };
        self.parent[small] = self.parent[large];
        self.next.swap(small, large);
        let (count, sum) = self.sums[small];
        self.sums[large].0 += count;
        self.sums[large].1 += sum;
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
            assert_eq!(crests.pour, expected, "seed {seed}");
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
        // Eight places of 32 let through what they did; the others rise to the crest.
        let (gap, divided) = look(8..16, Side::North);
        assert_eq!(gap, [vec![31; 8], vec![3000; 24]].concat());
        assert_eq!(divided, 0);
        // Half of them leave more than 0.4.
        assert_eq!(look(8..24, Side::North).0, vec![31; 32]);
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
        // The deeper one up to its rim, west of it; the slope below that could hold more.
        assert_eq!(crests.divided(), 5000 + 100 * 3 + 7 * 6);
    }
}
