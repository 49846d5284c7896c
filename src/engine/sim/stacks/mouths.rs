//! Mouths: the place of the open water beside intervals in a cycle.
//!
//! ```text
//!   ▓▓▓▓▓┌──────┐≈≈≈     the water of cells that solids touch is not in the planes: an interval
//!   ▓▓▓▓▓└──────┘≈≈≈     meets that of the nearest cell that none touches,
//!   ≈≈≈≈≈≈≈≈≈≈≈≈≈≈≈≈     below the solids on the way,
//!
//!   ▓▓▓▓▓≈≈≈≈≈≈≈≈≈≈≈
//!   ≈≈≈≈≈┌──────┐≈≈≈     or over them, where one leaves no room above the bed
//!   ≈≈≈≈≈│      │≈≈≈
//! ```
//!
//! Ways lead over the passages of the region, so that plates, barriers and closed gaps count.
//!
//! Limits: a wall of any height in the cell itself shuts the mouth; so does a sleeping leaf on the
//!         opposite side. No momentum crosses.
//! Source: own.

use crate::grid::LeafId;
use crate::sim::solids::region::{RegionCell, RegionCellId, SolidRegion};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The open water that a node represents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StackMouth {
    /// Leaf and cell whose planes contain it.
    pub leaf: LeafId,
    pub cell: u16,
    /// Lowest and highest place that solids leave open, vertical units.
    pub open: [i32; 2],
    /// Number of nodes that represent the same water.
    pub shared: i32,
    /// Depth at which the node's part of it is full, vertical units.
    pub full: i32,
}

impl StackMouth {
    /// Returns the water of a node's own cell.
    pub fn of((leaf, cell): (LeafId, u16)) -> Self {
        Self { leaf, cell, open: [i32::MIN, i32::MAX], shared: 1, full: 0 }
    }

    /// Returns leaf and cell.
    pub fn place(&self) -> (LeafId, u16) {
        (self.leaf, self.cell)
    }

    /// Returns the mouth, shut.
    pub fn shut(self) -> Self {
        Self { open: [i32::MAX, i32::MIN], ..self }
    }
}

/// Returns the mouth of a cell that solids touch: by the way from below them, else from over them.
pub(super) fn exit_of(cell: &RegionCell, exits: &[Option<StackMouth>]) -> Option<StackMouth> {
    if cell.closed != 0 {
        return None;
    }
    let first = cell.node.index();
    let below = if cell.is_plugged() { None } else { exits[first] };
    below.or_else(|| if cell.is_apart { exits[first + 1] } else { None })
}

/// Returns for each node of a region the open water that it reaches over the lowest sill, among
/// these over the highest roof, among these in the fewest steps.
#[expect(clippy::cast_possible_truncation, reason = "elevations are below the ceiling")]
pub(super) fn exits(region: &SolidRegion, unit_m: f64) -> Vec<Option<StackMouth>> {
    // Rounded inwards: no opening in units is larger than the one that the solids leave.
    let up = |height_m: f64| (height_m / unit_m).ceil() as i32;
    let down = |height_m: f64| (height_m / unit_m).floor() as i32;
    let mut passages = vec![Vec::new(); region.nodes.len()];
    for passage in &region.passages {
        let [a, b] = passage.nodes;
        let open = [up(passage.sill), down(passage.lip)];
        passages[a.index()].push((b, open));
        passages[b.index()].push((a, open));
    }
    let mut exits = vec![None; region.nodes.len()];
    // The heap returns its largest entry first, hence the reversed order. The node and the cell at
    // the end make the order complete, so no way depends on how entries came in.
    let mut met = BinaryHeap::new();
    for (at, cell) in RegionCellId::all(region.cells.len()).zip(&region.cells) {
        if !cell.is_touched {
            met.push(Reverse((cell.bed, Reverse(i32::MAX), 0_u32, cell.node, at)));
        }
    }
    while let Some(Reverse((sill, Reverse(roof), steps, node, from))) = met.pop() {
        if exits[node.index()].is_some() {
            continue;
        }
        let RegionCell { leaf, cell, .. } = region.cells[from];
        exits[node.index()] =
            Some(StackMouth { leaf, cell, open: [sill, roof], shared: 1, full: 0 });
        if region.cells[region.nodes[node].cell].closed != 0 {
            continue;
        }
        for &(other, [low, high]) in &passages[node.index()] {
            let beyond = &region.nodes[other];
            let sill = sill.max(low).max(up(beyond.floor));
            let roof = roof.min(high).min(down(beyond.roof()));
            if sill < roof && exits[other.index()].is_none() {
                met.push(Reverse((sill, Reverse(roof), steps + 1, other, from)));
            }
        }
    }
    exits
}
