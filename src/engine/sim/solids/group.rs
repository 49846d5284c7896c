//! Groups of cells among solids between which water can pass.

use crate::grid::LeafId;
use crate::grid::id::id;
use crate::sim::solids::region::{NodeId, PassageId, RegionCellId, SolidRegion};
use crate::sim::solids::sweep::Sweep;
use rayon::prelude::*;

id! {
    /// A node of a group.
    pub struct OwnNode: u32, "a group has 2³² nodes at most";
}

id! {
    /// A passage of a group.
    pub struct OwnPassage: u32, "a group has 2³² passages at most";
}

/// The incidence of a node and a passage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PassageIncidence {
    /// The passage, in its group.
    pub passage: OwnPassage,
    /// The node beyond, in its group.
    pub other: OwnNode,
    /// Whether the node is west or south of the passage: flow through it leaves the node.
    pub is_before: bool,
}

/// Connected cells among solids.
#[derive(Debug, Clone, Default)]
pub struct SolidGroup {
    /// Cells of the group, in the region.
    pub cells: Vec<RegionCellId>,
    /// Nodes of the group, in the region.
    pub nodes: Vec<NodeId>,
    /// Passages of the group, in the region.
    pub passages: Vec<PassageId>,
    /// Nodes of its passages, in the group.
    pub ends: Vec<[OwnNode; 2]>,
    /// Index of the first incidence of each node, and the count of all.
    pub first_hold: Vec<usize>,
    /// The incidences of all nodes.
    pub holds: Vec<PassageIncidence>,
    /// Nodes of the first colour, then of the second, so that no two of one colour touch.
    pub order: Vec<OwnNode>,
    /// For each node under solids, the node in the group that takes the water without room.
    pub exits: Vec<OwnNode>,
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
    /// Whether something moved in the last step.
    pub is_active: bool,
    /// Whether a leaf of the group sleeps: then the group rests.
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

/// Returns the root of a cell among joined ones.
fn root(joined: &mut [RegionCellId], mut cell: RegionCellId) -> RegionCellId {
    while joined[cell] != cell {
        let above = joined[joined[cell]];
        joined[cell] = above;
        cell = above;
    }
    cell
}

/// Divides the cells of a region into connected groups, in the order of their first cells.
#[must_use]
pub fn groups(region: &SolidRegion) -> Vec<SolidGroup> {
    let ids = RegionCellId::all(region.cells.len());
    let mut joined: Vec<RegionCellId> = ids.clone().collect();
    let cell_of = |node: NodeId| region.nodes[node].cell;
    for passage in &region.passages {
        let [a, b] = passage.nodes.map(|node| root(&mut joined, cell_of(node)));
        joined[a.max(b)] = a.min(b);
    }
    let mut counts: Vec<[usize; 3]> = Vec::new();
    let mut group_of = vec![0; region.cells.len()];
    for cell in ids.clone() {
        // The root of a group is its first cell.
        let first = root(&mut joined, cell);
        if first == cell {
            group_of[cell] = counts.len();
            counts.push([0; 3]);
        }
        group_of[cell] = group_of[first];
        let count = &mut counts[group_of[cell]];
        count[0] += 1;
        count[1] += 1 + usize::from(region.cells[cell].is_apart);
    }
    for passage in &region.passages {
        counts[group_of[cell_of(passage.nodes[0])]][2] += 1;
    }
    let mut all: Vec<SolidGroup> = counts.iter().map(SolidGroup::with_room).collect();
    let mut place_of = vec![OwnNode::NONE; region.nodes.len()];
    for (cell, own) in ids.zip(&region.cells) {
        let group = &mut all[group_of[cell]];
        group.cells.push(cell);
        for node in own.nodes() {
            place_of[node] = OwnNode::new(group.nodes.len());
            group.nodes.push(node);
        }
    }
    for (index, passage) in PassageId::all(region.passages.len()).zip(&region.passages) {
        let group = &mut all[group_of[cell_of(passage.nodes[0])]];
        group.passages.push(index);
        group.ends.push(passage.nodes.map(|node| place_of[node]));
    }
    all.retain(|group| !group.passages.is_empty());
    all.par_iter_mut().with_min_len(16).for_each(|group| group.link(region));
    all
}

/// Finds the destination of water that has no room under solids or runs off them: with regard to
/// how they move, while they do.
pub(super) fn find_exits(groups: &mut [SolidGroup], region: &mut SolidRegion, sweeps: &[Sweep]) {
    groups.par_iter_mut().with_min_len(16).for_each(|group| group.find_exits(region, sweeps));
    region.run_off = vec![RegionCellId::NONE; region.cells.len()];
    for group in groups {
        for (&node, &exit) in group.nodes.iter().zip(&group.exits) {
            if exit != OwnNode::NONE {
                let [from, to] = [node, group.nodes[exit]].map(|node| region.nodes[node].cell);
                region.run_off[from] = to;
            }
        }
    }
}

impl SolidGroup {
    /// Returns a group with room for this number of cells, nodes and passages.
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
    fn link(&mut self, region: &SolidRegion) {
        let count = self.nodes.len();
        let mut counts = vec![0; count + 1];
        self.ends.iter().flatten().for_each(|&node| counts[node.index() + 1] += 1);
        for node in 0..count {
            counts[node + 1] += counts[node];
        }
        self.first_hold.clone_from(&counts);
        let none =
            PassageIncidence { passage: OwnPassage::NONE, other: OwnNode::NONE, is_before: false };
        self.holds = vec![none; 2 * self.ends.len()];
        for (passage, &[a, b]) in OwnPassage::all(self.ends.len()).zip(&self.ends) {
            for (node, other, is_before) in [(a, b, true), (b, a, false)] {
                let at = &mut counts[node];
                self.holds[*at] = PassageIncidence { passage, other, is_before };
                *at += 1;
            }
        }
        let is_red = |node: OwnNode| {
            let cell = region.nodes[self.nodes[node]].cell;
            let key = region.cells[cell].key;
            // Row plus column is even, as on a chessboard: passages join cells side by side only.
            (key ^ key >> 32) & 1 == 0
        };
        let all = OwnNode::all(count);
        self.order = all.clone().filter(|&node| is_red(node)).collect();
        self.order.extend(all.filter(|&node| !is_red(node)));
        let leaf = |&cell: &RegionCellId| region.cells[cell].leaf;
        self.leaves = self.cells.iter().map(leaf).collect();
        self.leaves.sort_unstable();
        self.leaves.dedup();
        self.heads = self.nodes.iter().map(|&node| region.nodes[node].head).collect();
        let flow = |&passage: &PassageId| region.passages[passage].q;
        self.flows = self.passages.iter().map(flow).collect();
        (self.moved, self.held) = (vec![0; self.flows.len()], vec![0; count]);
    }

    /// Finds for each node under solids the nearest one that is not: over closed gaps too, and
    /// against the motion of a body only if no way avoids it.
    fn find_exits(&mut self, region: &SolidRegion, sweeps: &[Sweep]) {
        self.exits = vec![OwnNode::NONE; self.nodes.len()];
        let place = |node: NodeId| {
            let found = self.nodes.binary_search(&node).expect("nodes of a group ascend");
            OwnNode::new(found)
        };
        let is_free = |cell: &RegionCellId| !region.cells[*cell].is_apart;
        let free = self.cells.iter().copied().filter(is_free);
        let found = free.map(|cell| (cell, place(region.cells[cell].node)));
        let mut found: Vec<(RegionCellId, OwnNode)> = found.collect();
        let ways: &[bool] = if sweeps.is_empty() { &[true] } else { &[false, true] };
        for &is_any in ways {
            // First the nodes that are at the edge.
            let end = if is_any { usize::MAX } else { found.len() };
            let mut next = 0;
            while let Some(&(cell, exit)) = found.get(next).filter(|_| next < end) {
                next += 1;
                for (side, beside) in region.beside[cell].into_iter().enumerate() {
                    let is_none = beside == RegionCellId::NONE || is_free(&beside);
                    if is_none || !is_any && region.is_against(sweeps, cell, side) {
                        continue;
                    }
                    let node = region.cells[beside].node;
                    let Ok(node) = self.nodes.binary_search(&node) else { continue };
                    if self.exits[node] == OwnNode::NONE {
                        self.exits[node] = exit;
                        found.push((beside, exit));
                    }
                }
            }
        }
    }
}
