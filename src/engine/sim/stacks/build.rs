//! Building of the net from the lists of the leaves.

use crate::forest::Neighbour;
use crate::grid::{Axis, LeafId, Side, TILE_CELLS, TILE_WIDTH};
use crate::sim::params::Params;
use crate::sim::stacks::net::{StackNet, StackNode, StackPassage, StackSlot, band_units};
use crate::sim::table::LeafTable;
use crate::state::StackState;
use crate::units::CEILING;
use rayon::prelude::*;

/// First index of the intervals of each cell of a leaf in its list.
struct ByCell {
    first: Vec<u32>,
    /// Index of the first of them among all nodes.
    node: usize,
}

/// One end of a face while the net is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum FaceEnd {
    Interval(u32),
    Open(LeafId, u16),
}

/// A column of nodes: the intervals of a cell, and its open water.
struct NodeColumn {
    /// Bed, ceiling and end, by bed.
    parts: Vec<(i32, i32, FaceEnd)>,
}

/// A face while the net is built.
struct DraftFace {
    ends: [FaceEnd; 2],
    passage: StackPassage,
}

impl StackNet {
    /// Rebuilds the net if the shape of the leaves' lists, or of the ground around, has changed.
    pub(in crate::sim) fn begin(&mut self, leaves: &LeafTable, params: &Params) {
        if self.made_for == Some(leaves.shapes) {
            return;
        }
        let band = band_units(params.unit_m);
        *self = Self { made_for: Some(leaves.shapes), band, ..Self::default() };
        let has = |leaf: &LeafId| {
            leaves.own[*leaf].stack.as_ref().is_some_and(|stack| !stack.intervals.is_empty())
        };
        let stacked: Vec<LeafId> = leaves.forest.ids().filter(has).collect();
        if stacked.is_empty() {
            return;
        }
        let by_cell = self.list_nodes(leaves, &stacked);
        let owners = owners(leaves, &stacked);
        let maker = FaceMaker { leaves, params, stacked: &stacked, by_cell: &by_cell };
        let drafts: Vec<Vec<DraftFace>> =
            owners.par_iter().map(|&leaf| maker.faces_of(leaf)).collect();
        self.list_open(&drafts, leaves);
        self.list_passages(&owners, drafts, &maker);
        self.link();
        self.group(leaves);
    }

    /// Lists all intervals as nodes; returns their places by cell.
    fn list_nodes(&mut self, leaves: &LeafTable, stacked: &[LeafId]) -> Vec<ByCell> {
        let mut all = Vec::with_capacity(stacked.len());
        for &leaf in stacked {
            let stack = leaves.own[leaf].stack.as_ref().expect("a leaf with intervals");
            all.push(ByCell { first: firsts(stack), node: self.nodes.len() });
            self.nodes.extend(stack.intervals.iter().map(|own| StackNode {
                bed: own.bed,
                ceiling: own.ceiling,
                leaf,
                cell: own.cell,
                is_open: false,
                colour: colour(own.cell),
            }));
        }
        self.covered = self.nodes.len();
        all
    }

    /// Lists the open water to which faces lead.
    fn list_open(&mut self, drafts: &[Vec<DraftFace>], leaves: &LeafTable) {
        let ends = drafts.iter().flatten().flat_map(|draft| draft.ends);
        let mut open: Vec<(LeafId, u16)> = ends
            .filter_map(|end| match end {
                FaceEnd::Open(leaf, cell) => Some((leaf, cell)),
                FaceEnd::Interval(_) => None,
            })
            .collect();
        open.sort_unstable();
        open.dedup();
        self.nodes.extend(open.into_iter().map(|(leaf, cell)| StackNode {
            bed: leaves.grounds[leaf].dry_stage(usize::from(cell)),
            ceiling: CEILING,
            leaf,
            cell,
            is_open: true,
            colour: colour(cell),
        }));
    }

    fn list_passages(
        &mut self,
        owners: &[LeafId],
        drafts: Vec<Vec<DraftFace>>,
        maker: &FaceMaker<'_>,
    ) {
        let open = &self.nodes[self.covered..];
        let number = |end: FaceEnd| match end {
            FaceEnd::Interval(node) => node,
            FaceEnd::Open(leaf, cell) => {
                let at = open.binary_search_by_key(&(leaf, cell), |node| (node.leaf, node.cell));
                count_u32(self.covered + at.expect("listed a moment ago"))
            }
        };
        let mut slots = Vec::with_capacity(owners.len());
        let (mut passages, mut behind) = (Vec::new(), 0);
        for (&leaf, drafts) in owners.iter().zip(drafts) {
            let from = passages.len();
            passages.extend(
                drafts
                    .into_iter()
                    .map(|draft| StackPassage { ends: draft.ends.map(number), ..draft.passage }),
            );
            // An owner without intervals gets an empty range, so that the ranges of all slots
            // ascend.
            let intervals = maker.slot_of(leaf).map_or(behind..behind, |at| {
                let ByCell { first, node } = &maker.by_cell[at];
                *node..node + first[TILE_CELLS] as usize
            });
            behind = intervals.end;
            let corner = maker.leaves.forest.leaves()[leaf].corner();
            let passages = from..passages.len();
            slots.push(StackSlot { leaf, intervals, passages, group: 0, corner });
        }
        (self.slots, self.passages) = (slots, passages);
    }

    /// Lists the passages of each node.
    fn link(&mut self) {
        let mut first = vec![0_u32; self.nodes.len() + 1];
        for passage in &self.passages {
            passage.ends.iter().for_each(|&node| first[node as usize + 1] += 1);
        }
        for at in 1..first.len() {
            first[at] += first[at - 1];
        }
        let mut next = first.clone();
        let mut faces = vec![0; 2 * self.passages.len()];
        for (at, passage) in self.passages.iter().enumerate() {
            for &node in &passage.ends {
                faces[next[node as usize] as usize] = count_u32(at);
                next[node as usize] += 1;
            }
        }
        (self.first, self.faces) = (first, faces);
    }

    /// Finds which leaves wake together because passages join them.
    fn group(&mut self, leaves: &LeafTable) {
        let mut parent: Vec<usize> = (0..leaves.count()).collect();
        let mut members: Vec<LeafId> = self.slots.iter().map(|slot| slot.leaf).collect();
        for passage in &self.passages {
            let [a, b] = passage.ends.map(|node| self.nodes[node as usize].leaf);
            members.extend([a, b]);
            let [a, b] = [a, b].map(|leaf| root(&mut parent, leaf.index()));
            // The smallest member becomes the root, in whatever order passages join the set.
            parent[a.max(b)] = a.min(b);
        }
        members.sort_unstable();
        members.dedup();
        let mut numbers = vec![usize::MAX; leaves.count()];
        for leaf in members {
            let root = root(&mut parent, leaf.index());
            if numbers[root] == usize::MAX {
                numbers[root] = self.groups.len();
                self.groups.push(Vec::new());
            }
            self.groups[numbers[root]].push(leaf);
        }
        for slot in &mut self.slots {
            slot.group = numbers[root(&mut parent, slot.leaf.index())];
        }
    }
}

/// Returns the first member of the connected set of one.
fn root(parent: &mut [usize], mut at: usize) -> usize {
    while parent[at] != at {
        parent[at] = parent[parent[at]];
        at = parent[at];
    }
    at
}

/// Returns the leaves that own faces of intervals: leaves with some, and leaves east and north of
/// these.
fn owners(leaves: &LeafTable, stacked: &[LeafId]) -> Vec<LeafId> {
    let mut owners = stacked.to_vec();
    for &leaf in stacked {
        for side in [Side::East, Side::North] {
            if let Neighbour::Same(beyond) = leaves.forest.across(leaf, side) {
                owners.push(beyond);
            }
        }
    }
    owners.sort_unstable();
    owners.dedup();
    owners
}

/// All data from which faces are made.
struct FaceMaker<'a> {
    leaves: &'a LeafTable,
    params: &'a Params,
    stacked: &'a [LeafId],
    by_cell: &'a [ByCell],
}

impl FaceMaker<'_> {
    fn slot_of(&self, leaf: LeafId) -> Option<usize> {
        self.stacked.binary_search(&leaf).ok()
    }

    fn has(&self, (leaf, cell): (LeafId, usize)) -> bool {
        self.slot_of(leaf).is_some_and(|at| {
            let first = &self.by_cell[at].first;
            first[cell] < first[cell + 1]
        })
    }

    /// Returns the nodes of a cell.
    fn column(&self, (leaf, cell): (LeafId, usize)) -> NodeColumn {
        let mut parts = Vec::new();
        if let Some(at) = self.slot_of(leaf) {
            let ByCell { first, node } = &self.by_cell[at];
            let stack = self.leaves.own[leaf].stack.as_ref().expect("a leaf with intervals");
            for own in first[cell] as usize..first[cell + 1] as usize {
                let interval = &stack.intervals[own];
                let end = FaceEnd::Interval(count_u32(node + own));
                parts.push((interval.bed, interval.ceiling, end));
            }
        }
        let ground = &self.leaves.grounds[leaf];
        if ground.is_inside(cell) {
            let end = FaceEnd::Open(leaf, u16::try_from(cell).expect("4096 cells"));
            parts.push((ground.dry_stage(cell), CEILING, end));
        }
        NodeColumn { parts }
    }

    fn n2(&self, (leaf, cell): (LeafId, usize)) -> f32 {
        let classes = self.leaves.grounds[leaf].roughness.as_ref();
        self.params.n2[classes.map_or(0, |classes| usize::from(classes[cell]))]
    }

    /// Returns the faces of a leaf over which intervals meet, by cell, axis and beds.
    fn faces_of(&self, leaf: LeafId) -> Vec<DraftFace> {
        let beside =
            [Side::West, Side::South].map(|side| match self.leaves.forest.across(leaf, side) {
                Neighbour::Same(beyond) => Some(beyond),
                _ => None,
            });
        let mut drafts = Vec::new();
        for cell in 0..TILE_CELLS {
            for axis in Axis::ALL {
                let (at, along) = match axis {
                    Axis::X => (cell % TILE_WIDTH, 1),
                    Axis::Y => (cell / TILE_WIDTH, TILE_WIDTH),
                };
                let before = match (at, beside[axis]) {
                    (1.., _) => (leaf, cell - along),
                    (0, Some(beyond)) => (beyond, cell + along * (TILE_WIDTH - 1)),
                    (0, None) => continue,
                };
                if self.has(before) || self.has((leaf, cell)) {
                    self.join(axis, before, (leaf, cell), &mut drafts);
                }
            }
        }
        drafts
    }

    /// Joins the overlapping parts of two cells, except their open water, which the kernels join.
    fn join(
        &self,
        axis: Axis,
        before: (LeafId, usize),
        behind: (LeafId, usize),
        drafts: &mut Vec<DraftFace>,
    ) {
        let [first, second] = [before, behind].map(|at| self.column(at));
        let n2 = 0.5 * (self.n2(before) + self.n2(behind));
        let cell = u16::try_from(behind.1).expect("4096 cells");
        for &(bed_l, ceiling_l, end_l) in &first.parts {
            for &(bed_r, ceiling_r, end_r) in &second.parts {
                let (sill, roof) = (bed_l.max(bed_r), ceiling_l.min(ceiling_r));
                let is_open = matches!((end_l, end_r), (FaceEnd::Open(..), FaceEnd::Open(..)));
                if roof > sill && !is_open {
                    let passage = StackPassage { ends: [0; 2], sill, roof, n2, axis, cell };
                    drafts.push(DraftFace { ends: [end_l, end_r], passage });
                }
            }
        }
    }
}

/// Returns the first index of the intervals of each cell.
fn firsts(stack: &StackState) -> Vec<u32> {
    let mut first = vec![0_u32; TILE_CELLS + 1];
    for own in &stack.intervals {
        first[usize::from(own.cell) + 1] += 1;
    }
    for at in 1..first.len() {
        first[at] += first[at - 1];
    }
    first
}

/// Returns the colour of a cell: no two beside each other have the same.
fn colour(cell: u16) -> u8 {
    let (column, row) = crate::grid::cells::column_row(usize::from(cell));
    // A tile has an even width, so the colours alternate across its sides, too.
    u8::from((column + row) % 2 == 1)
}

/// Returns a count of things that are fewer than 2³².
fn count_u32(count: usize) -> u32 {
    u32::try_from(count).expect("fewer than 2³² intervals and faces")
}
