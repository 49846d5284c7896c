//! The net of all intervals, and of the faces over which they meet.
//!
//! A net is built from the leaves' lists when their shape changes, and contains their water while a
//! cycle runs: `StackNet::lift` takes it out of the leaves, `StackNet::lower` puts it back.

use crate::forest::Forest;
use crate::grid::cells::{CellPlace, column_row};
use crate::grid::{Axis, LeafId};
use crate::sim::passage::PassageLaw;
use crate::sim::solids::region::SolidRegion;
use crate::sim::stacks::grown::Grown;
use crate::sim::stacks::mouths::StackMouth;
use crate::sim::table::{LeafTable, pick};
use crate::state::stack::{NO_HEAD, OPEN_END, StackFlowState, StackState};
use crate::units::CEILING;
use rayon::prelude::*;
use std::ops::Range;

/// Depth by which an interval may fall short of its capacity and still be full, m, and the least of
/// it, vertical units: so random draws of transfers do not change whether it is full.
const BAND_M: f64 = 1.0 / 16_384.0; // 64 units at k = 20
const BAND_LEAST: i32 = 4;

/// Returns the units by which an interval may fall short of its capacity and still be full.
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "a few thousand")]
pub fn band_units(unit_m: f64) -> i32 {
    ((BAND_M / unit_m) as i32).max(BAND_LEAST)
}

/// An interval, or the open water of a cell beside one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StackNode {
    /// Lowest place, vertical units.
    pub bed: i32,
    /// Highest place; [`CEILING`] of open water.
    pub ceiling: i32,
    /// Leaf of the cell.
    pub leaf: LeafId,
    /// The cell.
    pub cell: u16,
    /// Whether it is open water, which is in the planes.
    pub is_open: bool,
    /// 0 or 1: nodes that meet have different colours.
    pub colour: u8,
}

impl StackNode {
    /// Returns leaf and cell.
    pub(super) fn place(&self) -> (LeafId, u16) {
        (self.leaf, self.cell)
    }
}

/// A face between two nodes of neighbouring cells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StackPassage {
    /// The node west or south of it, and the one behind.
    pub ends: [u32; 2],
    /// Lowest place, vertical units.
    pub sill: i32,
    /// Highest place.
    pub roof: i32,
    /// Manning's n squared, mean of both cells, s²/m^(2/3).
    pub n2: f32,
    /// Axis across it.
    pub axis: Axis,
    /// The cell whose west or south face it is.
    pub cell: u16,
}

/// Nodes and passages of one leaf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StackSlot {
    /// The leaf.
    pub leaf: LeafId,
    /// Range of its intervals among the nodes.
    pub intervals: Range<usize>,
    /// Range of its passages.
    pub passages: Range<usize>,
    /// Number of the leaves that it wakes with.
    pub group: usize,
    /// Place of its south-west cell.
    pub corner: CellPlace,
}

/// All intervals, and the faces over which they meet.
#[derive(Debug, Default)]
pub struct StackNet {
    /// The number of the shapes for which it was built.
    pub(super) made_for: Option<u64>,
    /// Leaves that have intervals or faces of some, ascending.
    pub(super) slots: Vec<StackSlot>,
    /// Intervals leaf by leaf, then open water.
    pub(super) nodes: Vec<StackNode>,
    /// Number of nodes that are intervals.
    pub(super) covered: usize,
    /// Passages leaf by leaf.
    pub(super) passages: Vec<StackPassage>,
    /// The passages of node i are `faces[first[i]..first[i + 1]]`.
    pub(super) first: Vec<u32>,
    /// Passages by node.
    pub(super) faces: Vec<u32>,
    /// Units by which an interval may fall short of its capacity and still be full.
    pub(super) band: i32,
    /// Leaves that wake together.
    pub(super) groups: Vec<Vec<LeafId>>,
    /// Its water while a cycle runs.
    pub(super) now: Now,
}

impl Clone for StackNet {
    /// Returns a copy between cycles: without the water of a running one.
    fn clone(&self) -> Self {
        Self {
            made_for: self.made_for,
            slots: self.slots.clone(),
            nodes: self.nodes.clone(),
            covered: self.covered,
            passages: self.passages.clone(),
            first: self.first.clone(),
            faces: self.faces.clone(),
            band: self.band,
            groups: self.groups.clone(),
            now: Now::default(),
        }
    }
}

/// Water of a net while a cycle runs.
#[derive(Debug, Clone, Default)]
pub struct Now {
    /// Slots that are awake.
    pub awake: Vec<usize>,
    /// Depth of each node, vertical units.
    pub depth: Vec<i32>,
    /// Stage of each node at the start of the step, vertical units.
    pub stage: Vec<i32>,
    /// Head of each node, m.
    pub head: Vec<f64>,
    /// Contents of the intervals, tracer by tracer.
    pub contents: Vec<Vec<i64>>,
    /// Unit discharge of each passage, m²/s.
    pub q: Vec<f64>,
    /// Units that a passage moves in the step.
    pub moved: Vec<i32>,
    /// Inflow of each interval over its west, south, east and north side in the last step, m²/s;
    /// over a closed side the flow that turns in.
    pub inflow: Vec<[f32; 4]>,
    /// Laws of the passages in the step.
    pub laws: Vec<PassageLaw>,
    /// Open nodes of leaves that are awake.
    pub open: Vec<usize>,
    /// Faces of open water whose discharge grew with their opening in the step.
    pub(super) grown: Vec<(LeafId, Grown)>,
    /// Places of the water of open nodes in this cycle.
    pub(super) mouths: Vec<StackMouth>,
}

/// Shape of a net: slots, nodes, passages, passages by node, and leaves that wake together.
pub type NetShape<'a> =
    (&'a [StackSlot], &'a [StackNode], &'a [StackPassage], [&'a [u32]; 2], &'a [Vec<LeafId>]);

impl StackNet {
    /// Returns the number of the shapes for which the net was built; `None` before the first cycle.
    #[must_use]
    pub fn made_for(&self) -> Option<u64> {
        self.made_for
    }

    /// Returns all that follows from the lists of the leaves.
    #[must_use]
    pub fn shape(&self) -> NetShape<'_> {
        let faces = [&self.first[..], &self.faces];
        (&self.slots, &self.nodes, &self.passages, faces, &self.groups)
    }

    /// Returns a copy in the middle of a cycle.
    #[must_use]
    pub fn copy_within(&self) -> Self {
        Self { now: self.now.clone(), ..self.clone() }
    }

    /// Returns true if the world has no intervals.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.covered == 0
    }

    /// Returns the leaves that are connected by passages, or alone.
    pub(in crate::sim) fn grouped(&self) -> impl Iterator<Item = LeafId> {
        self.groups.iter().flatten().copied()
    }

    /// Wakes leaves that are connected by passages to leaves that are awake; all ascend.
    pub(in crate::sim) fn wake_groups(&self, wakes: &mut Vec<LeafId>) {
        let is_awake = |leaf: &LeafId| wakes.binary_search(leaf).is_ok();
        let woken = self.groups.iter().filter(|group| group.iter().any(is_awake));
        let more: Vec<LeafId> = woken.flatten().copied().filter(|leaf| !is_awake(leaf)).collect();
        if !more.is_empty() {
            wakes.extend(more);
            wakes.sort_unstable();
            wakes.dedup();
        }
    }

    /// Returns the place of the cell of a node, in the base level.
    pub(super) fn place_of(&self, node: &StackNode, forest: &Forest) -> CellPlace {
        let corner = forest.leaves()[node.leaf].corner();
        let (column, row) = column_row(usize::from(node.cell));
        CellPlace { x: corner.x + column, y: corner.y + row }
    }

    /// Returns the mouth of an open node.
    pub(super) fn mouth_of<'a>(&self, node: usize, now: &'a Now) -> &'a StackMouth {
        &now.mouths[node - self.covered]
    }

    /// Returns the passages of a node.
    pub(super) fn passages_of(&self, node: usize) -> &[u32] {
        &self.faces[self.first[node] as usize..self.first[node + 1] as usize]
    }

    /// Takes the water of intervals in leaves that are awake out of the leaves; `region` has the
    /// cells that solids touch.
    pub(in crate::sim) fn lift(&mut self, leaves: &LeafTable, unit_m: f64, region: &SolidRegion) {
        if self.is_empty() {
            return;
        }
        let (nodes, passages) = (self.nodes.len(), self.passages.len());
        let mut now = std::mem::take(&mut self.now);
        now.awake.clear();
        now.awake.extend((0..self.slots.len()).filter(|&at| !leaves.asleep[self.slots[at].leaf]));
        now.depth.resize(nodes, 0);
        now.stage.resize(nodes, 0);
        now.head.resize(nodes, 0.0);
        now.q.resize(passages, 0.0);
        now.moved.resize(passages, 0);
        now.laws.resize(passages, PassageLaw::default());
        now.inflow.resize(self.covered, [0.0; 4]);
        now.contents.resize_with(leaves.tracers(), Vec::new);
        for plane in &mut now.contents {
            plane.resize(self.covered, 0);
        }
        for &slot in &now.awake {
            let StackSlot { leaf, intervals, passages, .. } = &self.slots[slot];
            let Some(stack) = &leaves.own[*leaf].stack else {
                now.q[passages.clone()].fill(0.0);
                continue;
            };
            for (own, node) in stack.intervals.iter().zip(intervals.clone()) {
                now.depth[node] = own.depth;
                now.head[node] = f64::from(own.surface()) * unit_m;
            }
            for (content, plane) in now.contents.iter_mut().enumerate() {
                let count = stack.intervals.len();
                let own = &stack.contents[content * count..(content + 1) * count];
                plane[intervals.clone()].copy_from_slice(own);
            }
            self.take_flows(stack, passages.clone(), &mut now.q);
        }
        let is_awake = |&node: &usize| !leaves.asleep[self.nodes[node].leaf];
        now.open.clear();
        now.open.extend((self.covered..self.nodes.len()).filter(is_awake));
        now.moved.fill(0);
        now.mouths = self.mouths(leaves, region, unit_m);
        self.now = now;
    }

    /// Sets the discharges of passages to those that a leaf lists.
    fn take_flows(&self, stack: &StackState, passages: Range<usize>, q: &mut [f64]) {
        // Both are in the order of keys: the parts of a cell ascend, and open water comes last,
        // whose `OPEN_END` is the largest bed. So one pass finds all.
        let mut flows = stack.flows.iter().peekable();
        for at in passages {
            let key = self.key_of(at);
            while flows.next_if(|flow| flow.key() < key).is_some() {}
            let found = flows.next_if(|flow| flow.key() == key);
            q[at] = found.map_or(0.0, |flow| f64::from(flow.q));
        }
    }

    /// Returns the key of a passage in the list of its leaf.
    fn key_of(&self, passage: usize) -> (u16, u16, i32, i32) {
        let StackPassage { ends, axis, cell, .. } = self.passages[passage];
        let [before, behind] = ends.map(|node| {
            let node = &self.nodes[node as usize];
            if node.is_open { OPEN_END } else { node.bed }
        });
        (cell, u16::from(axis == Axis::Y), before, behind)
    }

    /// Puts the water back into the leaves that are awake.
    #[expect(clippy::cast_possible_truncation, reason = "heads are below the ceiling")]
    pub(in crate::sim) fn lower(&self, leaves: &mut LeafTable, unit_m: f64) {
        if self.is_empty() {
            return;
        }
        let ids: Vec<LeafId> = self.now.awake.iter().map(|&slot| self.slots[slot].leaf).collect();
        let own = pick(&mut leaves.own, &ids);
        let work: Vec<_> = self.now.awake.iter().zip(own).collect();
        work.into_par_iter().for_each(|(&slot, own)| {
            let StackSlot { intervals, passages, .. } = &self.slots[slot];
            let stack = own.stack.get_or_insert_default();
            let now = &self.now;
            for (own, node) in stack.intervals.iter_mut().zip(intervals.clone()) {
                own.depth = now.depth[node];
                let is_full = own.depth >= own.capacity() - self.band.min(own.capacity() / 2);
                let head = (now.head[node] / unit_m + 0.5).floor();
                let head = head.clamp(-f64::from(CEILING), f64::from(CEILING)) as i32;
                own.head = if is_full { head.max(own.bed + own.depth) } else { NO_HEAD };
            }
            for (tracer, plane) in now.contents.iter().enumerate() {
                let count = stack.intervals.len();
                stack.contents[tracer * count..(tracer + 1) * count]
                    .copy_from_slice(&plane[intervals.clone()]);
            }
            stack.flows.clear();
            stack.flows.extend(passages.clone().filter_map(|at| {
                let q = now.q[at] as f32;
                let (cell, axis, before, behind) = self.key_of(at);
                (q != 0.0).then_some(StackFlowState { cell, axis, before, behind, q })
            }));
            if stack.is_empty() {
                own.stack = None;
            }
        });
    }
}
