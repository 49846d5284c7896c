//! Correction of many heads at once.
//!
//! Around the present heads the balances are lines: a symmetric system in the corrections of all
//! nodes that are full. Those that hang together are solved by conjugate gradients, preconditioned
//! by an incomplete factor that leaves the matrix as it is but for its diagonal: exact for a pipe
//! and for what branches as a tree, as tunnels do.
//!
//! Limits: a large group takes fewer steps of the search: pressure then goes on by so many cells
//!         in a step of the world, and the rest is found in the next.
//! Source: Meijerink & van der Vorst (1977), Math. Comput. 31; the diagonal takes what is left out:
//!         Gustafsson (1978), BIT 18.

use crate::sim::stacks::heads::{Balance, NODES_AT_ONCE, Search, Sought};
use rayon::prelude::*;

/// Rows times steps of a search, at most; never fewer than [`STEPS_LEAST`] steps, nor more than
/// [`STEPS_MOST`].
const WORK_MOST: usize = 4_000_000;
const STEPS_LEAST: usize = 24;
const STEPS_MOST: usize = 400;

/// Part of the band by which depths may be off when a search ends.
const RESIDUAL_PART: f64 = 0.125;

/// Part by which the diagonal is larger than it is, for groups without free water.
const DIAGONAL_OVER: f64 = 1.0e-7;

/// Part of what the incomplete factor leaves out that its diagonal takes instead.
const FILL_KEPT: f64 = 0.97;

/// A row of the system.
#[derive(Debug, Clone, Copy)]
struct Row {
    node: u32,
    diagonal: f64,
    rest: f64,
}

/// Rows that hang together.
#[derive(Debug, Default)]
struct Group {
    rows: Vec<Row>,
    /// The couplings of row i are `others[first[i]..first[i + 1]]`; the first `low[i]` of them lead
    /// to rows before it.
    first: Vec<u32>,
    low: Vec<u32>,
    others: Vec<(u32, f64)>,
}

impl Search<'_> {
    /// Corrects the heads of all full nodes together.
    pub(super) fn correct(&self, sought: &[Sought], head: &mut [f64]) {
        let rows: Vec<Option<Row>> =
            sought.par_iter().with_min_len(NODES_AT_ONCE).map(|own| self.row(own, head)).collect();
        let groups = self.groups(sought, &rows, head);
        let found: Vec<Vec<f64>> =
            groups.par_iter().map(|group| group.solve(RESIDUAL_PART * self.band_m())).collect();
        for (group, found) in groups.iter().zip(found) {
            for (row, change) in group.rows.iter().zip(found) {
                let at = sought.binary_search_by_key(&row.node, |own| own.node);
                let own = &sought[at.expect("a row of a node that is sought")];
                let least = if own.is_soft { own.bed } else { own.low };
                let head = &mut head[row.node as usize];
                *head = (*head + change).min(own.most).max(least);
            }
        }
    }

    /// Row of a node; none where its head is that of free water.
    fn row(&self, own: &Sought, head: &[f64]) -> Option<Row> {
        let node = own.node as usize;
        let Balance { filled, stiff } = self.balance(node, head);
        let is_in = own.is_soft || head[node] > own.low || filled > own.top - own.bed;
        if stiff <= 1.0e-12 || !is_in {
            return None;
        }
        let is_free = own.is_soft && head[node] <= own.top;
        let diagonal = stiff * (1.0 + DIAGONAL_OVER) + if is_free { 1.0 } else { 0.0 };
        let rest = if is_free { filled - (head[node] - own.bed) } else { self.excess(filled, own) };
        Some(Row { node: own.node, diagonal, rest })
    }

    /// Groups of rows that hang together, in the order of their first nodes.
    fn groups(&self, sought: &[Sought], rows: &[Option<Row>], head: &[f64]) -> Vec<Group> {
        let mut index_of = vec![u32::MAX; self.net.nodes.len()];
        for (at, own) in (0..).zip(sought) {
            index_of[own.node as usize] = at;
        }
        let index = |node: u32| {
            let at = index_of[node as usize];
            (at != u32::MAX).then_some(at as usize)
        };
        let beyond = |at: u32, node: u32| {
            let [a, b] = self.net.passages[at as usize].ends;
            if a == node { b } else { a }
        };
        let mut group_of = vec![u32::MAX; rows.len()];
        let mut members: Vec<Vec<u32>> = Vec::new();
        for first in 0..rows.len() {
            if rows[first].is_none() || group_of[first] != u32::MAX {
                continue;
            }
            let number = u32::try_from(members.len()).expect("fewer than 2³²");
            group_of[first] = number;
            let mut own = vec![u32::try_from(first).expect("fewer than 2³²")];
            let mut next = 0;
            while let Some(&row) = own.get(next) {
                next += 1;
                let node = sought[row as usize].node;
                for &at in self.net.passages_of(node as usize) {
                    let is_open = self.laws[at as usize].push > 0.0;
                    let Some(other) = index(beyond(at, node)).filter(|_| is_open) else { continue };
                    if rows[other].is_some() && group_of[other] == u32::MAX {
                        group_of[other] = number;
                        own.push(u32::try_from(other).expect("fewer than 2³²"));
                    }
                }
            }
            own.sort_unstable();
            members.push(own);
        }
        let place = places(&members, rows.len());
        let ratio = self.numbers.ratio();
        members
            .par_iter()
            .map(|members| {
                let mut group = Group::default();
                group.first.push(0);
                for &row in members {
                    let own = rows[row as usize].expect("a member has a row");
                    let mut others = Vec::new();
                    for &at in self.net.passages_of(own.node as usize) {
                        let law = &self.laws[at as usize];
                        let other = index(beyond(at, own.node));
                        let Some(other) = other.filter(|&other| rows[other].is_some()) else {
                            continue;
                        };
                        if law.push > 0.0 {
                            let ends = self.net.passages[at as usize].ends;
                            let heads = ends.map(|end| head[end as usize]);
                            let (_, slope) = law.carried(heads, self.numbers.gravity);
                            others.push((place[other], ratio * slope));
                        }
                    }
                    others.sort_unstable_by_key(|(other, _)| *other);
                    let here = u32::try_from(group.rows.len()).expect("fewer than 2³²");
                    let low = others.partition_point(|(other, _)| *other < here);
                    group.low.push(u32::try_from(low).expect("fewer than 2³²"));
                    group.others.extend(others);
                    group.first.push(u32::try_from(group.others.len()).expect("fewer than 2³²"));
                    group.rows.push(own);
                }
                group
            })
            .collect()
    }
}

/// Place of each row in its group.
fn places(members: &[Vec<u32>], count: usize) -> Vec<u32> {
    let mut place = vec![u32::MAX; count];
    for members in members {
        for (at, &row) in (0..).zip(members) {
            place[row as usize] = at;
        }
    }
    place
}

impl Group {
    /// Couplings of a row to rows before it, and to those behind.
    #[inline(always)]
    fn couplings(&self, row: usize) -> (&[(u32, f64)], &[(u32, f64)]) {
        let all = &self.others[self.first[row] as usize..self.first[row + 1] as usize];
        all.split_at(self.low[row] as usize)
    }

    /// The corrections of all rows.
    fn solve(&self, residual: f64) -> Vec<f64> {
        let count = self.rows.len();
        let factor = self.factor();
        let (mut found, mut turned) = (vec![0.0; count], vec![0.0; count]);
        let mut rest: Vec<f64> = self.rows.iter().map(|row| row.rest).collect();
        let mut eased = vec![0.0; count];
        self.ease(&factor, &rest, &mut eased);
        let mut way = eased.clone();
        let mut size = product(&rest, &eased);
        for _ in 0..(WORK_MOST / count).clamp(STEPS_LEAST, STEPS_MOST) {
            if rest.iter().all(|rest| rest.abs() < residual) {
                break;
            }
            for row in 0..count {
                let (low, high) = self.couplings(row);
                let mut sum = self.rows[row].diagonal * way[row];
                for &(other, weight) in low.iter().chain(high) {
                    sum -= weight * way[other as usize];
                }
                turned[row] = sum;
            }
            let along = product(&way, &turned);
            if along <= 0.0 {
                break;
            }
            let step = size / along;
            for row in 0..count {
                found[row] += step * way[row];
                rest[row] -= step * turned[row];
            }
            self.ease(&factor, &rest, &mut eased);
            let before = size;
            size = product(&rest, &eased);
            let turn = size / before;
            for row in 0..count {
                way[row] = eased[row] + turn * way[row];
            }
        }
        found
    }

    /// One over the diagonal of the incomplete factor.
    fn factor(&self) -> Vec<f64> {
        let mut factor: Vec<f64> = Vec::with_capacity(self.rows.len());
        // Sum of the couplings of each row to those behind it.
        let mut behind: Vec<f64> = Vec::with_capacity(self.rows.len());
        for (at, row) in self.rows.iter().enumerate() {
            let (low, high) = self.couplings(at);
            let mut left = row.diagonal;
            for &(other, weight) in low {
                let other = other as usize;
                let dropped = FILL_KEPT * (behind[other] - weight);
                left -= weight * factor[other] * (weight + dropped);
            }
            // Rounding must not turn it over.
            factor.push(1.0 / left.max(1.0e-9 * row.diagonal));
            behind.push(high.iter().map(|(_, weight)| weight).sum());
        }
        factor
    }

    /// Applies the inverse of the incomplete factor.
    fn ease(&self, factor: &[f64], rest: &[f64], eased: &mut [f64]) {
        for row in 0..rest.len() {
            let (low, _) = self.couplings(row);
            let mut sum = rest[row];
            for &(other, weight) in low {
                sum += weight * eased[other as usize];
            }
            eased[row] = sum * factor[row];
        }
        for row in (0..rest.len()).rev() {
            let (_, high) = self.couplings(row);
            let sum: f64 = high.iter().map(|&(other, weight)| weight * eased[other as usize]).sum();
            eased[row] += sum * factor[row];
        }
    }
}

/// Scalar product, from the first to the last.
fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
