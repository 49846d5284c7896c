//! Drainage of a land: filled surfaces, receivers and catchments.
//!
//! A **base** cell is a place where water leaves. The priority flood grows land from the base cells
//! in order of height and lifts every cell a little above the neighbour from which it was reached,
//! so afterwards each cell has a lower neighbour and a way out.
//!
//! Source: Barnes, Lehman & Mulla (2014), Computers & Geosciences 62, for the priority flood;
//!         Fairfield & Leymarie (1991), Water Resources Research 27, for the drawn diagonals.

use crate::lattice::{AROUND, CellLattice};
use crate::noise::Noise;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The receiver of a cell at which water leaves.
pub const NOWHERE: usize = usize::MAX;

/// Receivers and catchments of the cells of a lattice.
#[derive(Debug)]
pub struct Drainage {
    /// For each cell the neighbour with the steepest way down, or [`NOWHERE`] at a base.
    pub receivers: Vec<usize>,
    /// All cells, every receiver before the cells that drain to it.
    pub upward: Vec<usize>,
    /// Area that drains through each cell, itself included, m².
    pub catchments: Vec<f64>,
}

/// Lifts closed pits so that every cell is at least `rise` above a neighbour on its way to a base,
/// and returns the cells from the bases upwards.
///
/// `neighbours` lists the sides over which water may flow. A base reaches every cell: all cells of
/// a lattice are connected.
pub fn fill<H: Height>(
    lattice: &CellLattice,
    heights: &mut [H],
    is_base: impl Fn(usize) -> bool,
    rise: H,
    neighbours: &[(isize, isize)],
) -> Vec<usize> {
    let mut queue = BinaryHeap::new();
    let mut is_known = vec![false; lattice.count()];
    for cell in (0..lattice.count()).filter(|cell| is_base(*cell)) {
        is_known[cell] = true;
        queue.push(Reverse((heights[cell].key(), cell)));
    }
    let mut upward = Vec::with_capacity(lattice.count());
    while let Some(Reverse((_, cell))) = queue.pop() {
        upward.push(cell);
        for (_, next) in lattice.around(cell, neighbours) {
            if !is_known[next] {
                is_known[next] = true;
                heights[next] = heights[next].at_least(heights[cell].raised(rise));
                queue.push(Reverse((heights[next].key(), next)));
            }
        }
    }
    upward
}

/// A height that can be put in order and lifted.
pub trait Height: Copy {
    /// Returns an integer with the same order.
    fn key(self) -> i64;
    /// Returns the higher of two.
    #[must_use]
    fn at_least(self, other: Self) -> Self;
    /// This height plus `rise`.
    #[must_use]
    fn raised(self, rise: Self) -> Self;
}

impl Height for i32 {
    fn key(self) -> i64 {
        i64::from(self)
    }
    fn at_least(self, other: Self) -> Self {
        self.max(other)
    }
    fn raised(self, rise: Self) -> Self {
        self + rise
    }
}

impl Height for f64 {
    fn key(self) -> i64 {
        // The order of `total_cmp`: flip the magnitude of negative numbers.
        let bits = self.to_bits().cast_signed();
        bits ^ ((bits >> 63).cast_unsigned() >> 1).cast_signed()
    }
    fn at_least(self, other: Self) -> Self {
        if self < other { other } else { self }
    }
    fn raised(self, rise: Self) -> Self {
        self + rise
    }
}

/// Fills the pits of `heights` (m) and follows the steepest of eight ways down from every cell.
///
/// Eight directions alone draw long parallel stripes down even slopes, so diagonals count for a
/// little more or less by a draw from `grain`.
pub fn trace(
    lattice: &CellLattice,
    heights: &mut [f64],
    is_base: &[bool],
    grain: &Noise,
) -> Drainage {
    let upward = fill(lattice, heights, |cell| is_base[cell], 1.0e-3, &AROUND);
    let receivers: Vec<usize> = (0..lattice.count())
        .map(|cell| match is_base[cell] {
            true => NOWHERE,
            false => steepest(lattice, heights, cell, grain.draw(cell as u64)),
        })
        .collect();
    let mut catchments = vec![lattice.step_m * lattice.step_m; lattice.count()];
    for &cell in upward.iter().rev() {
        if receivers[cell] != NOWHERE {
            catchments[receivers[cell]] += catchments[cell];
        }
    }
    Drainage { receivers, upward, catchments }
}

/// Returns the neighbour with the steepest way down. `draw` between 0 and 1 weighs diagonals
/// between 1 and ½: on the mean, 1/√2.
fn steepest(lattice: &CellLattice, heights: &[f64], cell: usize, draw: f64) -> usize {
    let mut best = (0.0, NOWHERE);
    for (index, next) in lattice.around(cell, &AROUND) {
        let drop =
            (heights[cell] - heights[next]) * if index < 4 { 1.0 } else { 1.0 / (1.0 + draw) };
        if drop > best.0 {
            best = (drop, next);
        }
    }
    best.1
}

/// Returns the distance between the centres of two neighbouring cells, in cell widths.
#[must_use]
pub fn stride(lattice: &CellLattice, a: usize, b: usize) -> f64 {
    let is_straight =
        a / lattice.width == b / lattice.width || a % lattice.width == b % lattice.width;
    if is_straight { 1.0 } else { std::f64::consts::SQRT_2 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice::SIDES;

    const BOWL: CellLattice =
        CellLattice { width: 5, height: 5, step_m: 1.0, west_m: 0.0, north_m: 0.0 };

    #[test]
    fn filling_opens_every_pit_and_lowers_nothing() {
        let mut heights: Vec<i32> = (0..25).map(|i| (i * 7) % 11).collect();
        let before = heights.clone();
        fill(&BOWL, &mut heights, |cell| BOWL.is_rim(cell), 1, &SIDES);
        for cell in 0..25 {
            assert!(heights[cell] >= before[cell], "cell {cell} was lowered");
            let has_way_out = BOWL.is_rim(cell)
                || SIDES.iter().any(|step| {
                    let next = BOWL.beside(cell, *step).expect("not on the rim");
                    heights[next] < heights[cell]
                });
            assert!(has_way_out, "cell {cell} is still a pit: {heights:?}");
        }
    }

    #[test]
    fn keys_order_heights() {
        let heights = [-1.0e9, -2.5, -1.0e-9, 0.0, 1.0e-9, 2.5, 1.0e9];
        assert!(heights.windows(2).all(|pair| pair[0].key() < pair[1].key()));
    }

    #[test]
    fn the_base_gathers_the_whole_area() {
        let mut heights: Vec<f64> = (0..25).map(f64::from).collect();
        let is_base: Vec<bool> = (0..25).map(|cell| cell == 0).collect();
        let drainage = trace(&BOWL, &mut heights, &is_base, &Noise::new(7, 0));
        assert!((drainage.catchments[0] - 25.0).abs() < 1.0e-12);
    }
}
