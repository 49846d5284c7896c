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
const RESIDUAL_PART: f64 = 1.0 / 32.0;

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

/// A row, and how strongly another is coupled to it.
type Coupling = (u32, f64);

/// Rows that hang together.
#[derive(Debug, Default)]
struct Group {
    rows: Vec<Row>,
    /// The couplings of row i are `others[first[i]..first[i + 1]]`; the first `low[i]` of them lead
    /// to rows before it.
    first: Vec<u32>,
    low: Vec<u32>,
    others: Vec<Coupling>,
}

impl Search<'_> {
    /// Corrects the heads of all full nodes together.
    pub(super) fn correct(&self, sought: &[Sought], head: &mut [f64]) {
        let rows: Vec<Option<Row>> =
            sought.par_iter().with_min_len(NODES_AT_ONCE).map(|own| self.row(own, head)).collect();
        let groups = Rows::of(self, sought, &rows).groups(head);
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
}

/// Rows of a search, with what leads from one to the other.
struct Rows<'a> {
    search: &'a Search<'a>,
    sought: &'a [Sought],
    rows: &'a [Option<Row>],
    /// Place of each node among those that are sought; [`NONE`] of others.
    place_of: Vec<u32>,
}

/// Stands for no place.
const NONE: u32 = u32::MAX;

impl<'a> Rows<'a> {
    fn of(search: &'a Search<'a>, sought: &'a [Sought], rows: &'a [Option<Row>]) -> Self {
        let mut place_of = vec![NONE; search.net.nodes.len()];
        for (at, own) in (0..).zip(sought) {
            place_of[own.node as usize] = at;
        }
        Self { search, sought, rows, place_of }
    }

    /// Rows that a row meets, each with the passage there.
    fn beside(&self, row: u32) -> impl Iterator<Item = (u32, u32)> {
        let Search { net, laws, .. } = *self.search;
        let node = self.sought[row as usize].node;
        net.passages_of(node as usize).iter().filter_map(move |&at| {
            let [a, b] = net.passages[at as usize].ends;
            let other = self.place_of[if a == node { b } else { a } as usize];
            let is_in = other != NONE && self.rows[other as usize].is_some();
            (is_in && laws[at as usize].push > 0.0).then_some((other, at))
        })
    }

    /// Rows that hang together, in the order of their first ones.
    fn members(&self) -> Vec<Vec<u32>> {
        let count = count_u32(self.rows.len());
        let mut is_seen = vec![false; self.rows.len()];
        let mut all = Vec::new();
        for first in (0..count).filter(|&row| self.rows[row as usize].is_some()) {
            if std::mem::replace(&mut is_seen[first as usize], true) {
                continue;
            }
            let (mut own, mut next) = (vec![first], 0);
            while let Some(&row) = own.get(next) {
                next += 1;
                for (other, _) in self.beside(row) {
                    if !std::mem::replace(&mut is_seen[other as usize], true) {
                        own.push(other);
                    }
                }
            }
            own.sort_unstable();
            all.push(own);
        }
        all
    }

    /// The system of some rows; `place` has that of each in its group.
    fn group(&self, members: &[u32], place: &[u32], head: &[f64]) -> Group {
        let Search { net, laws, ref numbers, .. } = *self.search;
        let mut group = Group { first: vec![0], ..Group::default() };
        for (here, &row) in (0..).zip(members) {
            let coupling = |(other, at): (u32, u32)| {
                let heads = net.passages[at as usize].ends.map(|end| head[end as usize]);
                let (_, slope) = laws[at as usize].carried(heads, numbers.gravity);
                (place[other as usize], numbers.ratio() * slope)
            };
            let mut others: Vec<Coupling> = self.beside(row).map(coupling).collect();
            others.sort_unstable_by_key(|(other, _)| *other);
            group.low.push(count_u32(others.partition_point(|(other, _)| *other < here)));
            group.others.extend(others);
            group.first.push(count_u32(group.others.len()));
            group.rows.push(self.rows[row as usize].expect("a member has a row"));
        }
        group
    }

    /// All systems.
    fn groups(&self, head: &[f64]) -> Vec<Group> {
        let members = self.members();
        let place = places(&members, self.rows.len());
        members.par_iter().map(|members| self.group(members, &place, head)).collect()
    }
}

/// A count of things that are fewer than 2³².
fn count_u32(count: usize) -> u32 {
    u32::try_from(count).expect("fewer than 2³²")
}

/// Place of each row in its group.
fn places(members: &[Vec<u32>], count: usize) -> Vec<u32> {
    let mut place = vec![NONE; count];
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
    fn couplings(&self, row: usize) -> (&[Coupling], &[Coupling]) {
        let all = &self.others[self.first[row] as usize..self.first[row + 1] as usize];
        all.split_at(self.low[row] as usize)
    }

    /// The corrections of all rows.
    fn solve(&self, residual: f64) -> Vec<f64> {
        let count = self.rows.len();
        let factor = self.factor();
        let (mut found, mut turned) = (vec![0.0; count], vec![0.0; count]);
        let mut rest: Vec<f64> = self.rows.iter().map(|row| row.rest).collect();
        if self.is_sealed() {
            // What all of them have too much has nowhere to go.
            let mean = rest.iter().sum::<f64>() / rest.len() as f64;
            rest.iter_mut().for_each(|rest| *rest -= mean);
        }
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

    /// True where no row leads to water that is not in the group.
    fn is_sealed(&self) -> bool {
        self.rows.iter().enumerate().all(|(at, row)| {
            let (low, high) = self.couplings(at);
            let sum: f64 = low.iter().chain(high).map(|(_, weight)| weight).sum();
            row.diagonal - sum <= 2.0 * DIAGONAL_OVER * row.diagonal
        })
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
