//! Groups of cells among solids that water can pass between.

use crate::grid::LeafId;
use crate::sim::solids::region::{NONE, Region};
use crate::sim::solids::sweep::Sweep;
use rayon::prelude::*;

/// The hold of a node on a passage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hold {
    /// The passage, in its group.
    pub passage: u32,
    /// The node beyond, in its group.
    pub other: u32,
    /// The node lies west or south of the passage: what passes leaves it.
    pub is_before: bool,
}

/// Cells among solids that hang together.
#[derive(Debug, Default)]
pub struct Group {
    /// Cells of the group, in the region.
    pub cells: Vec<u32>,
    /// Nodes of the group, in the region.
    pub nodes: Vec<u32>,
    /// Passages of the group, in the region.
    pub passages: Vec<u32>,
    /// Nodes of its passages, in the group.
    pub ends: Vec<[u32; 2]>,
    /// Index of the first hold of each node, and the count of all.
    pub first_hold: Vec<u32>,
    /// The holds of all nodes.
    pub holds: Vec<Hold>,
    /// Nodes of one colour first, then of the other, so that none touches another of its colour.
    pub order: Vec<u32>,
    /// The node that takes what a node under solids has no room for, in the group.
    pub exits: Vec<u32>,
    /// Heads of its nodes, m above the datum.
    pub heads: Vec<f64>,
    /// Discharges of its passages, m²/s.
    pub flows: Vec<f64>,
    /// Transfers of the last step, vertical units.
    pub moved: Vec<i32>,
    /// Depths of the nodes, vertical units.
    pub held: Vec<i32>,
    /// Sweeps that the heads of the last step took.
    pub sweeps: u32,
    /// Something moved in the last step.
    pub is_restless: bool,
    /// A leaf of the group sleeps: the group rests.
    pub is_asleep: bool,
    /// Leaves of the group.
    pub leaves: Vec<LeafId>,
    /// Largest speed of the last step over passages that have no roof, m/s.
    pub fastest: f64,
    /// Largest depth there, m.
    pub deepest: f64,
    /// Highest head of the step, m above the datum.
    pub most: f64,
}

/// The root of a cell among joined ones.
fn root(joined: &mut [u32], mut cell: u32) -> u32 {
    while joined[cell as usize] != cell {
        let above = joined[joined[cell as usize] as usize];
        joined[cell as usize] = above;
        cell = above;
    }
    cell
}

/// Puts the cells of a region that hang together into groups, in the order of their first cells.
#[must_use]
pub fn groups(region: &Region) -> Vec<Group> {
    let number = |index: usize| u32::try_from(index).expect("2³² at most");
    let mut joined: Vec<u32> = (0..number(region.cells.len())).collect();
    let cell_of = |node: u32| region.nodes[node as usize].cell;
    for passage in &region.passages {
        let [a, b] = passage.nodes.map(|node| root(&mut joined, cell_of(node)));
        joined[a.max(b) as usize] = a.min(b);
    }
    let mut group_of = vec![NONE; region.cells.len()];
    let mut counts: Vec<[usize; 3]> = Vec::new();
    for cell in 0..number(region.cells.len()) {
        let first = root(&mut joined, cell) as usize;
        if group_of[first] == NONE {
            group_of[first] = number(counts.len());
            counts.push([0; 3]);
        }
        let group = group_of[first];
        group_of[cell as usize] = group;
        let count = &mut counts[group as usize];
        count[0] += 1;
        count[1] += 1 + usize::from(region.cells[cell as usize].is_apart);
    }
    for passage in &region.passages {
        counts[group_of[cell_of(passage.nodes[0]) as usize] as usize][2] += 1;
    }
    let mut all: Vec<Group> = counts.iter().map(Group::with_room).collect();
    let mut place_of = vec![NONE; region.nodes.len()];
    for (cell, own) in (0..).zip(&region.cells) {
        let group = &mut all[group_of[cell as usize] as usize];
        group.cells.push(cell);
        for node in own.node..=own.node + u32::from(own.is_apart) {
            place_of[node as usize] = number(group.nodes.len());
            group.nodes.push(node);
        }
    }
    for (index, passage) in (0..).zip(&region.passages) {
        let group = &mut all[group_of[cell_of(passage.nodes[0]) as usize] as usize];
        group.passages.push(index);
        group.ends.push(passage.nodes.map(|node| place_of[node as usize]));
    }
    all.retain(|group| !group.passages.is_empty());
    all.par_iter_mut().with_min_len(16).for_each(|group| group.link(region));
    all
}

/// Finds where goes what has no room under solids or runs off them: with regard to how they move,
/// while they do.
pub(super) fn find_exits(groups: &mut [Group], region: &mut Region, sweeps: &[Sweep]) {
    groups.par_iter_mut().with_min_len(16).for_each(|group| group.find_exits(region, sweeps));
    region.run_off = vec![NONE; region.cells.len()];
    for group in groups {
        for (&node, &exit) in group.nodes.iter().zip(&group.exits) {
            if exit != NONE {
                let [from, to] =
                    [node, group.nodes[exit as usize]].map(|node| region.nodes[node as usize].cell);
                region.run_off[from as usize] = to;
            }
        }
    }
}

impl Group {
    /// A group with room for so many cells, nodes and passages.
    fn with_room(&[cells, nodes, passages]: &[usize; 3]) -> Self {
        Self {
            cells: Vec::with_capacity(cells),
            nodes: Vec::with_capacity(nodes),
            passages: Vec::with_capacity(passages),
            ends: Vec::with_capacity(passages),
            ..Self::default()
        }
    }

    /// Links its nodes.
    fn link(&mut self, region: &Region) {
        let number = |index: usize| u32::try_from(index).expect("2³² at most");
        let count = self.nodes.len();
        let mut counts = vec![0_u32; count + 1];
        self.ends.iter().flatten().for_each(|&node| counts[node as usize + 1] += 1);
        for node in 0..count {
            counts[node + 1] += counts[node];
        }
        self.first_hold.clone_from(&counts);
        let none = Hold { passage: NONE, other: NONE, is_before: false };
        self.holds = vec![none; 2 * self.ends.len()];
        for (passage, &[a, b]) in self.ends.iter().enumerate() {
            for (node, other, is_before) in [(a, b, true), (b, a, false)] {
                let at = &mut counts[node as usize];
                self.holds[*at as usize] = Hold { passage: number(passage), other, is_before };
                *at += 1;
            }
        }
        let is_red = |node: u32| {
            let cell = region.nodes[self.nodes[node as usize] as usize].cell;
            let key = region.cells[cell as usize].key;
            (key ^ key >> 32) & 1 == 0
        };
        let all = 0..number(count);
        self.order = all.clone().filter(|&node| is_red(node)).collect();
        self.order.extend(all.filter(|&node| !is_red(node)));
        let leaf = |&cell: &u32| region.cells[cell as usize].leaf;
        self.leaves = self.cells.iter().map(leaf).collect();
        self.leaves.sort_unstable();
        self.leaves.dedup();
        self.heads = self.nodes.iter().map(|&node| region.nodes[node as usize].head).collect();
        let flow = |&passage: &u32| region.passages[passage as usize].q;
        self.flows = self.passages.iter().map(flow).collect();
        (self.moved, self.held) = (vec![0; self.flows.len()], vec![0; count]);
    }

    /// For each node under solids the nearest one that is not: over closed gaps too, and where
    /// there is another way not through a body to where it comes from.
    fn find_exits(&mut self, region: &Region, sweeps: &[Sweep]) {
        self.exits = vec![NONE; self.nodes.len()];
        let place = |node: u32| {
            let found = self.nodes.binary_search(&node).expect("nodes of a group ascend");
            u32::try_from(found).expect("2³² at most")
        };
        let is_free = |cell: &u32| !region.cells[*cell as usize].is_apart;
        let free = self.cells.iter().copied().filter(is_free);
        let found = free.map(|cell| (cell, place(region.cells[cell as usize].node)));
        let mut found: Vec<(u32, u32)> = found.collect();
        let ways: &[bool] = if sweeps.is_empty() { &[true] } else { &[false, true] };
        for &is_any in ways {
            // First those that lie at the edge.
            let end = if is_any { usize::MAX } else { found.len() };
            let mut next = 0;
            while let Some(&(cell, exit)) = found.get(next).filter(|_| next < end) {
                next += 1;
                for (side, beside) in region.beside[cell as usize].into_iter().enumerate() {
                    let is_none = beside == NONE || is_free(&beside);
                    if is_none || !is_any && region.is_against(sweeps, cell, side) {
                        continue;
                    }
                    let node = region.cells[beside as usize].node;
                    let Ok(node) = self.nodes.binary_search(&node) else { continue };
                    if self.exits[node] == NONE {
                        self.exits[node] = exit;
                        found.push((beside, exit));
                    }
                }
            }
        }
    }
}
