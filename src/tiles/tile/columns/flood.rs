//! Flooding the finest places of a cell, the lowest first.
//!
//! A place that is flooded joins the pools beside it. If two pools meet and one is the pool of the
//! lowest place of all, water from there reaches the second. So places are reached in the order of
//! their pour levels, and the places of each row and column are sorted as they arrive.
//!
//! Guarantees: integers; of places equally low the first one, row by row, is flooded first.
//! Source:     own; as in Barnes et al. (2014), Computers & Geosciences 62.

use crate::grid::Axis;
use crate::units::OUTSIDE;

/// No place.
const NONE: u32 = u32::MAX;
/// Count of places from which on sorting by digits is faster.
const DIGITS_FROM: usize = 128;
/// Most bits of a digit.
const DIGIT_BITS: u32 = 8;

/// Count of a pool's places, and the sum of their beds.
#[derive(Debug, Clone, Copy, Default)]
struct PoolSum {
    count: i64,
    beds: i64,
}

impl PoolSum {
    /// Returns the water in its places below a level, vertical units times finest cells.
    fn held(self, level: i32) -> i64 {
        self.count * i64::from(level) - self.beds
    }
}

/// Levels of columns or of rows of places, each sorted.
#[derive(Debug, Clone, Default)]
struct FloodLevels {
    levels: Vec<i32>,
    counts: Vec<usize>,
}

impl FloodLevels {
    fn clear(&mut self, width: usize) {
        self.levels.clear();
        self.levels.resize(width * width, OUTSIDE);
        self.counts.clear();
        self.counts.extend((0..width).map(|line| line * width));
    }

    fn push(&mut self, line: usize, level: i32) {
        let at = &mut self.counts[line];
        self.levels[*at] = level;
        *at += 1;
    }
}

/// Flood of cells; keeps its buffers from one to the next.
///
/// Places have numbers in a frame that is one place wider on each side, so each has four beside it.
#[derive(Debug, Clone, Default)]
pub struct Flood {
    width: usize,
    /// Height over the lowest one and number of each place inside the world, the lowest first.
    order: Vec<u64>,
    scratch: Vec<u64>,
    /// The way to the root of the pool of each place; `NONE` while it is dry.
    parent: Vec<u32>,
    /// The next place of the same pool, in a ring; not kept in that of the lowest place.
    next: Vec<u32>,
    /// Sums of roots.
    sums: Vec<PoolSum>,
    /// Column and row of each place.
    places: Vec<[u16; 2]>,
    /// The lowest place, and the root of its pool.
    lowest: u32,
    core: u32,
    pour: Vec<i32>,
    columns: FloodLevels,
    rows: FloodLevels,
    divided: i64,
}

impl Flood {
    /// Floods the places of a square of beds, row by row, [`OUTSIDE`] where the world ends.
    ///
    /// # Panics
    ///
    /// If the count of beds is not a square.
    pub fn flood(&mut self, beds: &[i32]) {
        self.clear(beds.len());
        let Some((datum, step)) = self.sort(beds) else { return };
        self.lowest = number(self.order[0]);
        self.core = self.lowest;
        let order = std::mem::take(&mut self.order);
        for &entry in &order {
            let height = number(entry >> 32) << step;
            self.add(number(entry), datum.wrapping_add_unsigned(height));
        }
        self.order = order;
    }

    /// Returns the column and row of the lowest place.
    #[must_use]
    pub fn lowest(&self) -> [usize; 2] {
        self.places[self.lowest as usize].map(usize::from)
    }

    /// Returns the level from which water from the lowest place reaches each, row by row;
    /// [`OUTSIDE`] if it never does.
    #[must_use]
    pub fn pour(&self) -> &[i32] {
        &self.pour
    }

    /// Returns the pour levels of each column (x) or row (y), sorted.
    #[must_use]
    pub fn lines(&self, axis: Axis) -> &[i32] {
        [&self.columns.levels, &self.rows.levels][axis]
    }

    /// Returns the water that a crest could keep on either side while the opposite side is dry,
    /// vertical units times finest cells: of the two sides the smaller, of all crests the largest.
    #[must_use]
    pub fn divided(&self) -> i64 {
        self.divided
    }

    fn clear(&mut self, count: usize) {
        let width = count.isqrt();
        assert_eq!(width * width, count, "beds of a square");
        let place_count = (width + 2) * (width + 2);
        if self.width != width {
            self.width = width;
            let narrow = |place: usize| u16::try_from(place).expect("2⁸ places a side");
            let place = |i: usize| {
                let (row, column) = (i / (width + 2), i % (width + 2));
                [column, row].map(|at| narrow(at.saturating_sub(1)))
            };
            self.places = (0..place_count).map(place).collect();
            self.next.resize(place_count, NONE);
            self.sums.resize(place_count, PoolSum::default());
        }
        self.parent.clear();
        self.parent.resize(place_count, NONE);
        self.pour.clear();
        self.pour.resize(count, OUTSIDE);
        self.columns.clear(width);
        self.rows.clear(width);
        (self.divided, self.lowest) = (0, 0);
    }

    /// Sorts the places. Returns the lowest bed, and a power of two that divides all heights over
    /// it; `None` if all places are outside.
    fn sort(&mut self, beds: &[i32]) -> Option<(i32, u32)> {
        let width = self.width;
        let datum = beds.iter().copied().min().filter(|&z| z != OUTSIDE)?;
        let height = |z: i32| z.wrapping_sub(datum).cast_unsigned();
        let inside = beds.iter().filter(|&&z| z != OUTSIDE);
        let bits = inside.fold(0, |bits, &z| bits | height(z));
        // Imported beds are multiples of a coarser unit: without their common zeros there are fewer
        // digits to sort. On level ground all 32 bits are 0, and the remainder makes the shift 0.
        let step = bits.trailing_zeros() % 32;
        self.order.clear();
        for (row, beds) in beds.chunks_exact(width).enumerate() {
            let first = (row + 1) * (width + 2) + 1;
            let inside = (first as u64..).zip(beds).filter(|&(_, &z)| z != OUTSIDE);
            // With the height above the number, one comparison sorts by height and then by place.
            self.order.extend(inside.map(|(at, &z)| u64::from(height(z) >> step) << 32 | at));
        }
        if self.order.len() < DIGITS_FROM {
            self.order.sort_unstable();
        } else {
            self.sort_by_digits(32 - (bits >> step).leading_zeros());
        }
        Some((datum, step))
    }

    /// Sorts by heights of `bits` bits; equal ones keep their order.
    fn sort_by_digits(&mut self, bits: u32) {
        let Self { order, scratch, .. } = self;
        scratch.resize(order.len(), 0);
        let passes = bits.div_ceil(DIGIT_BITS).max(1);
        let digit = bits.div_ceil(passes);
        for pass in 0..passes {
            let shift = pass * digit;
            let digit = |entry: u64| (number(entry >> 32) >> shift & ((1 << digit) - 1)) as usize;
            let mut ends = [0_u32; 1 << DIGIT_BITS];
            order.iter().for_each(|&entry| ends[digit(entry)] += 1);
            let mut sum = 0;
            ends.iter_mut().for_each(|end| (*end, sum) = (sum, sum + *end));
            for &entry in &*order {
                let at = &mut ends[digit(entry)];
                scratch[*at as usize] = entry;
                *at += 1;
            }
            std::mem::swap(order, scratch);
        }
    }

    /// Floods a place up to its bed.
    #[expect(clippy::cast_possible_truncation, reason = "2¹⁷ places at most")]
    fn add(&mut self, place: u32, bed: i32) {
        let stride = (self.width + 2) as u32;
        let mut own = NONE;
        for beside in [place - 1, place + 1, place - stride, place + stride] {
            if self.parent[beside as usize] == NONE {
                continue;
            }
            let root = self.find(beside);
            if own == NONE {
                own = root;
                self.join_place(place, root, bed);
            } else if own != root {
                own = self.join(own, root, bed);
            }
        }
        if own == NONE {
            (self.parent[place as usize], self.next[place as usize]) = (place, place);
            self.sums[place as usize] = PoolSum { count: 1, beds: i64::from(bed) };
            if place == self.lowest {
                self.reach(place, bed);
            }
        }
    }

    /// Adds a place to a pool.
    fn join_place(&mut self, place: u32, root: u32, bed: i32) {
        let (at, of) = (place as usize, root as usize);
        self.parent[at] = root;
        self.sums[of].count += 1;
        self.sums[of].beds += i64::from(bed);
        if root == self.core {
            self.reach(place, bed);
        } else {
            (self.next[at], self.next[of]) = (self.next[of], place);
        }
    }

    /// Makes one pool of two that meet at a level; returns its root.
    fn join(&mut self, one: u32, two: u32, level: i32) -> u32 {
        let (a, b) = (self.sums[one as usize], self.sums[two as usize]);
        self.divided = self.divided.max(a.held(level).min(b.held(level)));
        // The smaller pool hangs below the larger one, which keeps the ways to the root short.
        let (root, other) = if a.count < b.count { (two, one) } else { (one, two) };
        if one == self.core || two == self.core {
            self.reach_all(if one == self.core { two } else { one }, level);
            self.core = root;
        } else {
            // Two rings become one if a link of each is exchanged for that of the other.
            self.next.swap(one as usize, two as usize);
        }
        self.parent[other as usize] = root;
        self.sums[root as usize] = PoolSum { count: a.count + b.count, beds: a.beds + b.beds };
        root
    }

    /// Returns the root of the pool of a place.
    fn find(&mut self, mut place: u32) -> u32 {
        loop {
            let up = self.parent[place as usize];
            if up == place {
                return place;
            }
            let over = self.parent[up as usize];
            // Every other place on the way now points to the next but one, so a later search has
            // half the way.
            self.parent[place as usize] = over;
            place = over;
        }
    }

    /// Lets water from the lowest place reach all places of a pool.
    fn reach_all(&mut self, root: u32, level: i32) {
        let mut place = root;
        loop {
            self.reach(place, level);
            place = self.next[place as usize];
            if place == root {
                return;
            }
        }
    }

    fn reach(&mut self, place: u32, level: i32) {
        let [column, row] = self.places[place as usize].map(usize::from);
        self.pour[row * self.width + column] = level;
        self.columns.push(column, level);
        self.rows.push(row, level);
    }
}

/// Returns the number of the place, the lower half of an entry of the order.
#[expect(clippy::cast_possible_truncation, reason = "the lower half")]
fn number(entry: u64) -> u32 {
    entry as u32
}
