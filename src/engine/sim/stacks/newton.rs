//! Correction of many heads at once.
//!
//! Around the present heads the balances are linear: a symmetric system in the corrections of all
//! nodes that are full. Connected nodes are solved by conjugate gradients
//! ([`gradients`](crate::sim::gradients)).
//!
//! Limits: a large group takes fewer steps of the search: pressure then spreads by as many cells in
//!         a step of the world, and the rest is found in the next.

use crate::sim::gradients::{
    Coupling, DIAGONAL_OVER, NONE, RowGroup, SystemRow, connected, places,
};
use crate::sim::stacks::heads::{CORRECTED_PART, NodeBalance, Search, SoughtNode};
use crate::sim::stacks::pieces::{AT_ONCE, parts};
use rayon::prelude::*;

/// Discharge of a passage under heads, m²/s, and its gain with a metre of fall.
type Carried = (f64, f64);

impl Search<'_> {
    /// Corrects the heads of all full nodes together.
    pub(super) fn correct(&self, sought: &[SoughtNode], head: &mut [f64]) {
        let carried = self.carried(head);
        let row = |own: &SoughtNode| self.row(own, &carried, head);
        let rows = sought.par_iter().with_min_len(AT_ONCE).map(row).collect::<Vec<_>>();
        let groups = SearchRows::of(self, sought, &rows).groups(&carried);
        let residual = CORRECTED_PART * self.band_m();
        let found: Vec<Vec<f64>> =
            groups.par_iter().map(|group| group.solve(residual, group.spare())).collect();
        for (group, found) in groups.iter().zip(found) {
            for (row, change) in group.rows.iter().zip(found) {
                let own = &sought[row.place as usize];
                let least = if own.is_soft { own.bed } else { own.low };
                let head = &mut head[own.node as usize];
                *head = (*head + change).min(own.most).max(least);
            }
        }
    }

    /// Returns the discharges of the passages of slots that are awake.
    fn carried(&self, head: &[f64]) -> Vec<Carried> {
        let Self { net, laws, ref numbers, .. } = *self;
        let pieces = net.passages_awake();
        let mut all = vec![(0.0, 0.0); net.passages.len()];
        let work: Vec<_> = parts(&mut all, &pieces).into_iter().zip(&pieces).collect();
        work.into_par_iter().for_each(|(carried, piece)| {
            for (carried, at) in carried.iter_mut().zip(piece.range.clone()) {
                let heads = net.passages[at].ends.map(|end| head[end as usize]);
                *carried = laws[at].carried(heads, numbers.gravity);
            }
        });
        all
    }

    /// Returns the row of a node; `None` if its head is that of free water. Its place is not set
    /// yet.
    fn row(&self, own: &SoughtNode, carried: &[Carried], head: &[f64]) -> Option<SystemRow> {
        let node = own.node as usize;
        let NodeBalance { filled, stiff } = self.balance(node, |at| carried[at]);
        let is_in = own.is_soft || head[node] > own.low || filled > own.top - own.bed;
        if stiff <= 1.0e-12 || !is_in {
            return None;
        }
        let is_free = own.is_soft && head[node] <= own.top;
        let diagonal = stiff * (1.0 + DIAGONAL_OVER) + if is_free { 1.0 } else { 0.0 };
        let rest = if is_free { filled - (head[node] - own.bed) } else { self.excess(filled, own) };
        Some(SystemRow { place: NONE, diagonal, rest })
    }
}

/// Rows of a search, and the passages between them.
struct SearchRows<'a> {
    search: &'a Search<'a>,
    sought: &'a [SoughtNode],
    rows: &'a [Option<SystemRow>],
    /// Place of each node among the unknowns; else [`NONE`].
    place_of: Vec<u32>,
}

impl<'a> SearchRows<'a> {
    fn of(search: &'a Search<'a>, sought: &'a [SoughtNode], rows: &'a [Option<SystemRow>]) -> Self {
        let mut place_of = vec![NONE; search.net.nodes.len()];
        for (at, own) in (0..).zip(sought) {
            place_of[own.node as usize] = at;
        }
        Self { search, sought, rows, place_of }
    }

    /// Returns the rows that a row meets, each with the passage there.
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

    /// Returns connected rows.
    fn members(&self) -> Vec<Vec<u32>> {
        let is_in = |row: u32| self.rows[row as usize].is_some();
        connected(self.rows.len(), is_in, |row| self.beside(row).map(|(other, _)| other))
    }

    /// Returns the system of some rows; `place` has that of each in its group.
    fn group(&self, members: &[u32], place: &[u32], carried: &[Carried]) -> RowGroup {
        let ratio = self.search.numbers.ratio();
        let mut group = RowGroup::with_room(members.len());
        let mut others: Vec<Coupling> = Vec::new();
        for &row in members {
            let beside = self.beside(row);
            let coupling = |(other, at)| (place[other as usize], ratio * carried[at as usize].1);
            others.extend(beside.map(coupling));
            // `RowGroup::push` splits a sorted list at the place of the row itself.
            others.sort_unstable_by_key(|(other, _)| *other);
            let own = self.rows[row as usize].expect("a member has a row");
            group.push(SystemRow { place: row, ..own }, others.drain(..));
        }
        group
    }

    /// Returns all systems.
    fn groups(&self, carried: &[Carried]) -> Vec<RowGroup> {
        let members = self.members();
        let place = places(&members, self.rows.len());
        members.par_iter().map(|members| self.group(members, &place, carried)).collect()
    }
}
