//! Systems of connected rows, solved by conjugate gradients.
//!
//! ```text
//! A = L + D + Lᵀ                          L leads to rows before: minus the couplings
//! M = (L + F) F⁻¹ (F + Lᵀ)                its diagonal F takes most of what M leaves out
//! Â = (L + F)⁻¹ A (F + Lᵀ)⁻¹              Â p = t + (L + F)⁻¹ (p + (D − 2 F) t),  (F + Lᵀ) t = p
//! ```
//!
//! Preconditioned by an incomplete factor that leaves the matrix as it is except for its diagonal:
//! it is exact for a pipe and for a network that branches as a tree, as tunnels do. A step in the
//! variables of Â needs no product with A.
//!
//! Source: Meijerink & van der Vorst (1977), Math. Comput. 31; the diagonal takes the terms left
//!         out: Gustafsson (1978), BIT 18; both solves and the product in one: Eisenstat (1981),
//!         SIAM J. Sci. Stat. Comput. 2.

/// Rows times steps of a search, at most; never fewer than [`STEPS_LEAST`] steps, nor more than
/// [`STEPS_MOST`].
const WORK_MOST: usize = 4_000_000; // 400 steps up to 10,000 rows, 24 from 166,667 on
const STEPS_LEAST: usize = 24;
const STEPS_MOST: usize = 400;

/// Steps after which the residuals of rows are checked, and after the first, which is all that a
/// pipe needs.
const STEPS_BETWEEN: usize = 4;

/// Part by which the diagonal is increased, for groups without free water.
pub(super) const DIAGONAL_OVER: f64 = 1.0e-7;

/// Part of the terms left out of the incomplete factor that its diagonal takes instead.
// With all of it the factor would have the row sums of the matrix: in a group that leads to no free
// water these are nearly 0, and so would be the last pivot.
const FILL_KEPT: f64 = 0.97;

/// A row of the system.
#[derive(Debug, Clone, Copy)]
pub(super) struct SystemRow {
    /// Place among the unknowns.
    pub place: u32,
    pub diagonal: f64,
    /// Right side: the sum that the row must reach.
    pub rest: f64,
}

/// A row of the incomplete factor.
#[derive(Debug, Clone, Copy)]
struct Pivot {
    /// F.
    f: f64,
    /// 1/F.
    over: f64,
    /// D − 2 F.
    shift: f64,
}

/// A row, and how strongly a second one is coupled to it.
pub(super) type Coupling = (u32, f64);

/// Marks that a node has no place among rows.
pub(super) const NONE: u32 = u32::MAX;

/// Returns the rows of each group of connected rows, among `count` places. A group begins with its
/// first row and grows outward, so that rows at one distance, which do not meet, are adjacent.
/// `is_in` returns true for a place with a row, `beside` the rows that a row meets.
pub(super) fn connected<I: Iterator<Item = u32>>(
    count: usize,
    is_in: impl Fn(u32) -> bool,
    beside: impl Fn(u32) -> I,
) -> Vec<Vec<u32>> {
    let mut is_seen = vec![false; count];
    let mut all = Vec::new();
    for first in (0..count_u32(count)).filter(|&row| is_in(row)) {
        if std::mem::replace(&mut is_seen[first as usize], true) {
            continue;
        }
        let (mut own, mut next) = (vec![first], 0);
        while let Some(&row) = own.get(next) {
            next += 1;
            for other in beside(row) {
                if !std::mem::replace(&mut is_seen[other as usize], true) {
                    own.push(other);
                }
            }
        }
        all.push(own);
    }
    all
}

/// Returns the place of each row in its group; [`NONE`] of a place without a row.
pub(super) fn places(groups: &[Vec<u32>], count: usize) -> Vec<u32> {
    let mut place = vec![NONE; count];
    for group in groups {
        for (at, &row) in (0..).zip(group) {
            place[row as usize] = at;
        }
    }
    place
}

/// Returns a count of things that are fewer than 2³².
pub(super) fn count_u32(count: usize) -> u32 {
    u32::try_from(count).expect("fewer than 2³²")
}

/// Connected rows.
#[derive(Debug)]
pub(super) struct RowGroup {
    pub rows: Vec<SystemRow>,
    /// The couplings of row i are `others[first[i]..first[i + 1]]`; the first `low[i]` of them lead
    /// to rows before it.
    first: Vec<u32>,
    low: Vec<u32>,
    others: Vec<Coupling>,
}

impl RowGroup {
    /// Returns a group of no rows, with room for this number.
    pub fn with_room(rows: usize) -> Self {
        let mut first = Vec::with_capacity(rows + 1);
        first.push(0);
        Self {
            rows: Vec::with_capacity(rows),
            first,
            low: Vec::with_capacity(rows),
            others: Vec::with_capacity(4 * rows),
        }
    }

    /// Adds a row, with its couplings in the order of the rows.
    pub fn push(&mut self, row: SystemRow, others: impl Iterator<Item = Coupling>) {
        let (here, from) = (self.rows.len(), self.others.len());
        self.others.extend(others);
        let low = self.others[from..].partition_point(|(other, _)| (*other as usize) < here);
        self.low.push(count_u32(low));
        self.first.push(count_u32(self.others.len()));
        self.rows.push(row);
    }

    /// Returns the couplings of a row to rows before it, and to rows behind.
    #[inline(always)]
    fn couplings(&self, row: usize) -> (&[Coupling], &[Coupling]) {
        let all = &self.others[self.first[row] as usize..self.first[row + 1] as usize];
        all.split_at(self.low[row] as usize)
    }

    /// Solves for all rows, until none is off by more than the residual; `spare` is subtracted from
    /// each right side, see [`RowGroup::spare`].
    pub fn solve(&self, residual: f64, spare: f64) -> Vec<f64> {
        let count = self.rows.len();
        let pivots = self.pivots();
        let mut found = vec![0.0; count];
        // The direction of a step, and its value before and behind the matrix.
        let (mut along, mut turned) = (vec![0.0; count], vec![0.0; count]);
        // In the variables of Â, from here on.
        let mut rest: Vec<f64> = vec![0.0; count];
        self.forward(&pivots, |row| self.rows[row].rest - spare, &mut rest);
        let mut way: Vec<f64> = rest.iter().zip(&pivots).map(|(rest, own)| rest * own.f).collect();
        let mut size: f64 = rest.iter().zip(&way).map(|(rest, way)| rest * way).sum();
        for step in 0..(WORK_MOST / count).clamp(STEPS_LEAST, STEPS_MOST) {
            if step % STEPS_BETWEEN == 1 && self.is_found(&pivots, &rest, residual) {
                break;
            }
            self.backward(&pivots, &way, &mut along);
            self.forward(&pivots, |row| way[row] + pivots[row].shift * along[row], &mut turned);
            let mut bend = 0.0;
            for row in 0..count {
                turned[row] += along[row];
                bend += way[row] * turned[row];
            }
            // Only rounding leads here: the matrix is positive definite.
            if bend <= 0.0 {
                break;
            }
            let (part, before) = (size / bend, size);
            size = 0.0;
            for row in 0..count {
                found[row] += part * along[row];
                rest[row] -= part * turned[row];
                size += rest[row] * rest[row] * pivots[row].f;
            }
            let turn = size / before;
            for row in 0..count {
                way[row] = rest[row] * pivots[row].f + turn * way[row];
            }
        }
        found
    }

    /// Returns the part of each row's right side that cannot drain, if no row leads to water beyond
    /// the group. Without it the rows of such a group rise by about 1/[`DIAGONAL_OVER`] of their
    /// mean right side, which a bound of heads has to cut.
    pub fn spare(&self) -> f64 {
        let is_sealed = self.rows.iter().enumerate().all(|(at, row)| {
            let (low, high) = self.couplings(at);
            let sum: f64 = low.iter().chain(high).map(|(_, weight)| weight).sum();
            // Twice the increase of the diagonal, to leave room for rounding.
            row.diagonal - sum <= 2.0 * DIAGONAL_OVER * row.diagonal
        });
        let rests = self.rows.iter().map(|row| row.rest);
        // Such a system has a solution only if the right sides add up to 0: each gives up the mean.
        if is_sealed { rests.sum::<f64>() / self.rows.len() as f64 } else { 0.0 }
    }

    /// Returns the diagonal of the incomplete factor.
    fn pivots(&self) -> Vec<Pivot> {
        let mut pivots: Vec<Pivot> = Vec::with_capacity(self.rows.len());
        // Sum of the couplings of each row to those behind it.
        let mut behind: Vec<f64> = Vec::with_capacity(self.rows.len());
        for (at, row) in self.rows.iter().enumerate() {
            let (low, high) = self.couplings(at);
            let mut left = row.diagonal;
            for &(other, weight) in low {
                let other = other as usize;
                let dropped = FILL_KEPT * (behind[other] - weight);
                left -= weight * pivots[other].over * (weight + dropped);
            }
            // Rounding must not change its sign.
            let f = left.max(1.0e-9 * row.diagonal);
            pivots.push(Pivot { f, over: 1.0 / f, shift: row.diagonal - 2.0 * f });
            behind.push(high.iter().map(|(_, weight)| weight).sum());
        }
        pivots
    }

    /// Solves (L + F) found = given.
    #[inline(always)]
    fn forward(&self, pivots: &[Pivot], given: impl Fn(usize) -> f64, found: &mut [f64]) {
        for row in 0..pivots.len() {
            let (low, _) = self.couplings(row);
            let mut sum = given(row);
            for &(other, weight) in low {
                sum += weight * found[other as usize];
            }
            found[row] = sum * pivots[row].over;
        }
    }

    /// Solves (F + Lᵀ) found = given.
    fn backward(&self, pivots: &[Pivot], given: &[f64], found: &mut [f64]) {
        for row in (0..pivots.len()).rev() {
            let (_, high) = self.couplings(row);
            let mut sum = given[row];
            for &(other, weight) in high {
                sum += weight * found[other as usize];
            }
            found[row] = sum * pivots[row].over;
        }
    }

    /// Returns true if no row is off by more than the residual: (L + F) rest, as the rows have it.
    fn is_found(&self, pivots: &[Pivot], rest: &[f64], residual: f64) -> bool {
        (0..rest.len()).all(|row| {
            let (low, _) = self.couplings(row);
            let less: f64 = low.iter().map(|&(other, weight)| weight * rest[other as usize]).sum();
            (pivots[row].f * rest[row] - less).abs() < residual
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::hash::scramble;

    /// Returns a group of a grid of this width and height, with random couplings; if it is open,
    /// each seventh row leads to water that is not in it.
    fn grid(width: usize, height: usize, seed: u64, is_open: bool) -> RowGroup {
        let random = |at: usize| (scramble(seed << 32 ^ at as u64) % 1000) as f64 / 1000.0;
        let count = width * height;
        let place = |row: usize| u32::try_from(row).expect("a few rows");
        let pair = |a: usize, b: usize| 0.1 + random(a.min(b) * count + a.max(b));
        let mut group = RowGroup::with_room(count);
        for row in 0..count {
            let (x, y) = (row % width, row / width);
            let mut others = Vec::new();
            others.extend((y > 0).then(|| row - width));
            others.extend((x > 0).then(|| row - 1));
            others.extend((x + 1 < width).then_some(row + 1));
            others.extend((y + 1 < height).then_some(row + width));
            let others: Vec<Coupling> =
                others.into_iter().map(|other| (place(other), pair(row, other))).collect();
            let sum: f64 = others.iter().map(|(_, weight)| weight).sum();
            let free = if is_open && row % 7 == 0 { 0.5 } else { 0.0 };
            let diagonal = sum * (1.0 + DIAGONAL_OVER) + free;
            let rest = random(count * count + row) - 0.5;
            group.push(SystemRow { place: place(row), diagonal, rest }, others.into_iter());
        }
        group
    }

    /// Returns the largest deviation of a row from its right side, except for the part that cannot
    /// drain.
    fn off(group: &RowGroup, found: &[f64]) -> f64 {
        let spare = group.spare();
        let of_row = |row: usize| {
            let (low, high) = group.couplings(row);
            let others = low.iter().chain(high);
            let sum: f64 = others.map(|&(other, weight)| weight * found[other as usize]).sum();
            let SystemRow { diagonal, rest, .. } = group.rows[row];
            (diagonal * found[row] - sum - (rest - spare)).abs()
        };
        (0..found.len()).map(of_row).fold(0.0, f64::max)
    }

    #[test]
    fn rows_come_to_what_they_shall() {
        for (width, height, is_open) in
            [(30, 20, true), (30, 20, false), (200, 1, true), (200, 1, false), (2, 1, false)]
        {
            let group = grid(width, height, 7, is_open);
            let off = off(&group, &group.solve(1.0e-9, group.spare()));
            assert!(off < 1.1e-9, "{width} × {height}, open {is_open}: off by {off}");
        }
        let mut nothing = grid(5, 5, 3, true);
        nothing.rows.iter_mut().for_each(|row| row.rest = 0.0);
        assert_eq!(nothing.solve(1.0e-9, nothing.spare()), [0.0; 25]);
    }

    /// Goal: a system without loops takes one step.
    #[test]
    fn a_pipe_is_found_at_once() {
        let group = grid(300, 1, 5, true);
        let pivots = group.pivots();
        let mut along = vec![0.0; 300];
        let mut rest = vec![0.0; 300];
        group.forward(&pivots, |row| group.rows[row].rest, &mut rest);
        let way: Vec<f64> = rest.iter().zip(&pivots).map(|(rest, own)| rest * own.f).collect();
        group.backward(&pivots, &way, &mut along);
        assert!(off(&group, &along) < 1.0e-9);
    }
}
