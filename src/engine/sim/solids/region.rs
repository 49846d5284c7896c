//! The cells that solids touch, those beside them, and the passages between.

use crate::grid::LeafId;
use crate::grid::cells::CellPlace;
use crate::grid::id::id;
use crate::tile::CowPlane;
use rayon::prelude::*;

id! {
    /// A cell of a region.
    pub struct RegionCellId: u32, "a region has 2³² cells at most";
}

id! {
    /// A node of a region.
    pub struct NodeId: u32, "a region has 2³² nodes at most";
}

id! {
    /// A passage of a region.
    pub struct PassageId: u32, "a region has 2³² passages at most";
}

/// Units by which a full node may be off, above and below, and still is just full.
pub(super) const FULL_WITHIN: i32 = 8;

/// A cell that solids touch, or one beside such a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RegionCell {
    /// Place of the cell, as a number: row × 2³² + column.
    pub key: u64,
    /// Leaf of the cell.
    pub leaf: LeafId,
    /// Index of the cell in the leaf.
    pub cell: u16,
    /// Whether solids touch it.
    pub is_touched: bool,
    /// Whether water over them and water under them are apart: then it has two nodes.
    pub is_apart: bool,
    /// Bed, vertical units above the datum.
    pub bed: i32,
    /// Underside of the solids, not below the bed, vertical units above the datum.
    pub low: i32,
    /// Top of the solids, vertical units above the datum.
    pub high: i32,
    /// Share of its plan that they cover.
    pub share: f64,
    /// First node of the cell: of all its water, or of the water under the solids.
    pub node: NodeId,
    /// Square of Manning's n, s²/m^(2/3).
    pub n2: f32,
    /// Depth while the water is lifted out of the planes, vertical units.
    pub depth: i32,
    /// Part of the depth that is over the solids: state.
    pub upper: i32,
    /// Part of the depth, without that over solids, that is on the opposite side of a wall: state.
    pub held: i32,
    /// Sides, west, south, east and north from the lowest bit on, that a wall in it closes: state.
    pub closed: u8,
    /// Elevation of the water's surface around the solids, extended below them, m: state.
    pub surface: f64,
}

impl RegionCell {
    /// Returns the nodes of the cell: of all its water, or of that under solids and that over them.
    pub(super) fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        let first = self.node.index();
        (first..=first + usize::from(self.is_apart)).map(NodeId::new)
    }

    /// Returns the depth of the water under the solids, or of all water if it is not divided, while
    /// it is lifted.
    pub(in crate::sim) fn lower(&self) -> i32 {
        self.depth - self.upper
    }

    /// Returns true if a solid leaves no room above the bed: no water can rise there.
    pub(in crate::sim) fn is_plugged(&self) -> bool {
        self.is_apart && self.low - self.bed <= FULL_WITHIN
    }
}

/// A body of water with one head: of a cell, or of the part over or under the solids in it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SolidNode {
    /// Cell of the node.
    pub cell: RegionCellId,
    /// Whether the node is the water over the solids.
    pub is_upper: bool,
    /// Bottom of the water, m above the datum.
    pub floor: f64,
    /// Lower end of the range in which solids take `share` of the cell, m above the datum.
    pub low: f64,
    /// Upper end of that range, m above the datum.
    pub high: f64,
    /// Share of the cell that solids take.
    pub share: f64,
    /// Head, m above the datum: state, of water under pressure.
    pub head: f64,
}

impl SolidNode {
    /// Returns the elevation at which the water meets a solid above it, m above the datum.
    #[must_use]
    pub fn roof(&self) -> f64 {
        if self.share < 1.0 { f64::INFINITY } else { self.low }
    }
}

/// An opening through which water passes from one node to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SolidPassage {
    /// Nodes west or south of it, and east or north.
    pub nodes: [NodeId; 2],
    /// Key of the cell behind it, its axis and its slot.
    pub place: (u64, u8, u8),
    /// Bottom of the opening, m above the datum.
    pub sill: f64,
    /// Top of the opening, m above the datum.
    pub lip: f64,
    /// Part of the face's length that the opening takes.
    pub width: f64,
    /// Whether the passage leads over the top of a thin solid.
    pub is_crest: bool,
    /// Unit discharge, m²/s per width of the whole face: state.
    pub q: f64,
}

/// The cells of a region leaf by leaf, so that all threads reach their planes, each its own.
#[derive(Debug, Clone, Default)]
pub struct CellsByLeaf {
    /// Leaves in their order, and the first index of their cells.
    leaves: Vec<(LeafId, usize)>,
    cells: Vec<RegionCellId>,
}

impl CellsByLeaf {
    /// Returns the leaves with cells of a region.
    pub fn leaves(&self) -> impl Iterator<Item = LeafId> {
        self.leaves.iter().map(|(leaf, _)| *leaf)
    }

    /// Returns the cells of a region, leaf by leaf.
    #[must_use]
    pub fn of(cells: &[RegionCell]) -> Self {
        let ids = RegionCellId::all(cells.len());
        let mut all: Vec<(LeafId, RegionCellId)> =
            cells.iter().map(|cell| cell.leaf).zip(ids).collect();
        all.par_sort_unstable();
        let mut leaves: Vec<(LeafId, usize)> = Vec::new();
        for (index, &(leaf, _)) in all.iter().enumerate() {
            if leaves.last().is_none_or(|last| last.0 != leaf) {
                leaves.push((leaf, index));
            }
        }
        Self { leaves, cells: all.iter().map(|&(_, cell)| cell).collect() }
    }

    /// Returns the leaves that pass a filter, and the cells of each.
    pub(super) fn filtered(
        &self,
        is_in: impl Fn(LeafId) -> bool,
    ) -> (Vec<LeafId>, Vec<&[RegionCellId]>) {
        let ends = self.leaves.iter().skip(1).map(|&(_, end)| end);
        let ends = ends.chain([self.cells.len()]);
        let all = self.leaves.iter().zip(ends).map(|(&(leaf, from), to)| (leaf, from..to));
        all.filter(|(leaf, _)| is_in(*leaf)).map(|(leaf, own)| (leaf, &self.cells[own])).unzip()
    }
}

/// The cells that solids touch and their surroundings.
#[derive(Debug, Clone, Default)]
pub struct SolidRegion {
    /// Cells, by rows.
    pub cells: Vec<RegionCell>,
    /// Nodes, in the order of their cells.
    pub nodes: Vec<SolidNode>,
    /// Passages, in the order of the cells behind them.
    pub passages: Vec<SolidPassage>,
    /// Contents of its cells by tracer while the kernel does not see them, 2⁻²⁴ vertical units.
    pub contents: Vec<CowPlane<i64>>,
    /// Cells west, south, east and north of each; [`RegionCellId::NONE`] if the region has none
    /// there.
    pub beside: Vec<[RegionCellId; 4]>,
    /// Cells leaf by leaf.
    pub by_leaf: CellsByLeaf,
    /// For each cell the open one that takes the water that runs off the solids in it, or has no
    /// room there.
    pub run_off: Vec<RegionCellId>,
    /// Cells of solids at which nothing can be blocked.
    pub unblocked: usize,
}

/// Returns a place as a number that keeps their order by rows.
#[must_use]
pub fn key_of(place: CellPlace) -> u64 {
    u64::from(place.y) << 32 | u64::from(place.x)
}

/// Returns the place of a key.
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "halves of 64 bits")]
pub fn place_of_key(key: u64) -> CellPlace {
    CellPlace { x: key as u32, y: (key >> 32) as u32 }
}

impl SolidRegion {
    /// Returns the head of a cell that has one, without its separate water, m above the datum.
    pub(super) fn head(&self, cell: &RegionCell, unit_m: f64) -> f64 {
        let free = cell.lower().saturating_sub(cell.held).max(0);
        self.nodes[cell.node].head_of(f64::from(free) * unit_m)
    }

    /// Returns true if solids touch a cell and may block it.
    #[must_use]
    pub fn is_touched(&self, place: CellPlace) -> bool {
        self.touched_at(place).is_some()
    }

    /// Returns the cell at a place that solids touch and may block.
    pub(in crate::sim) fn touched_at(&self, place: CellPlace) -> Option<RegionCellId> {
        let at = self.cells.binary_search_by_key(&key_of(place), |cell| cell.key).ok()?;
        self.cells[at].is_touched.then(|| RegionCellId::new(at))
    }

    /// Returns the sides of each cell, west, south, east and north, where its water meets that
    /// beyond: over no crest.
    #[must_use]
    pub fn open_sides(&self) -> Vec<[bool; 4]> {
        let mut open = vec![[false; 4]; self.cells.len()];
        for SolidPassage { nodes, place, is_crest, .. } in &self.passages {
            let [before, behind] = nodes.map(|node| &self.nodes[node]);
            if !(*is_crest || before.is_upper || behind.is_upper) {
                let axis = usize::from(place.1);
                open[behind.cell][axis] = true;
                open[before.cell][2 + axis] = true;
            }
        }
        open
    }
}

/// Returns the larger of two numbers, the second if they are equal.
#[must_use]
pub fn larger(a: f64, b: f64) -> f64 {
    // `f64::max` may return either of two zeros, so the bits would depend on the machine.
    if a > b { a } else { b }
}

/// Returns the smaller of two numbers, the second if they are equal.
#[must_use]
pub fn smaller(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}
