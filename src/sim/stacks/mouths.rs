//! Mouths: where the open water beside intervals stands in a cycle.
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
//! Limits: a thin wall in a cell beside an interval shuts the mouth, whatever its height; so does a
//!         leaf that is asleep on the other side.
//! Source: own.

use crate::grid::LeafId;
use crate::sim::solids::region::{Region, RegionCell, RegionCellId};
use crate::sim::stacks::net::{Node, StackNet};
use crate::sim::table::LeafTable;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// Cells under solids that a way to open water leads through, at most.
const WAY_MOST: usize = 4096;

/// The open water that a node stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mouth {
    /// Leaf and cell whose planes hold it.
    pub leaf: LeafId,
    pub cell: u16,
    /// Lowest and highest place that solids leave open, vertical units.
    pub open: [i32; 2],
    /// How many nodes stand for the same water.
    pub shared: i32,
    /// Depth at which the node's part of it is full, vertical units.
    pub full: i32,
}

impl Mouth {
    /// The water of a node's own cell.
    fn of(node: &Node) -> Self {
        let open = [i32::MIN, i32::MAX];
        Self { leaf: node.leaf, cell: node.cell, open, shared: 1, full: 0 }
    }

    /// True where it is that of the node's own cell.
    pub fn is_own(&self, node: &Node) -> bool {
        (self.leaf, self.cell) == (node.leaf, node.cell)
    }

    fn shut(self) -> Self {
        Self { open: [i32::MAX, i32::MIN], ..self }
    }
}

impl StackNet {
    /// The mouths of all open nodes.
    pub(super) fn mouths(&self, leaves: &LeafTable, region: &Region) -> Vec<Mouth> {
        let nodes = &self.nodes[self.covered..];
        let mut mouths: Vec<Mouth> = nodes.iter().map(Mouth::of).collect();
        if region.cells.is_empty() {
            return mouths;
        }
        for (mouth, node) in mouths.iter_mut().zip(nodes) {
            if let Some(from) = region.touched_at(self.place_of(node, &leaves.forest)) {
                let way = way_out(region, from).filter(|way| !leaves.asleep[way.leaf]);
                *mouth = way.unwrap_or(mouth.shut());
            }
        }
        let place = |mouth: &Mouth| (mouth.leaf, mouth.cell);
        let mut places: Vec<(LeafId, u16)> = mouths.iter().map(place).collect();
        places.sort_unstable();
        for mouth in &mut mouths {
            let same = places.partition_point(|at| *at <= place(mouth))
                - places.partition_point(|at| *at < place(mouth));
            mouth.shared = i32::try_from(same).expect("fewer than cells near a mouth");
        }
        mouths
    }
}

/// The open water that a cell which solids touch meets: below them, else over them; none where a
/// wall is in the way.
fn way_out(region: &Region, from: RegionCellId) -> Option<Mouth> {
    Way::Below.out(region, from).or_else(|| Way::Over.out(region, from))
}

/// Which side of solids a way leads along.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Below,
    Over,
}

impl Way {
    /// What it leaves open in a cell; nothing where a wall stands.
    fn open(self, cell: &RegionCell) -> Option<[i32; 2]> {
        match self {
            _ if !cell.is_touched => Some([cell.bed, i32::MAX]),
            _ if cell.closed != 0 => None,
            _ if !cell.is_apart => Some([cell.bed, i32::MAX]),
            Self::Below if cell.is_plugged() => None,
            Self::Below => Some([cell.bed, cell.low]),
            Self::Over => Some([cell.high, i32::MAX]),
        }
    }

    /// The cell that no solid touches and that lies behind the lowest sill, the nearest of those.
    fn out(self, region: &Region, from: RegionCellId) -> Option<Mouth> {
        let cells = &region.cells;
        let mut seen = BTreeSet::from([from]);
        // By sill, then in the order in which they were met; with the lowest roof on the way.
        let mut met = BinaryHeap::new();
        let [sill, roof] = self.open(&cells[from])?;
        met.push((Reverse((sill, 0)), roof, from));
        while let Some((Reverse((sill, _)), roof, at)) = met.pop() {
            let RegionCell { leaf, cell, is_touched, .. } = cells[at];
            if !is_touched {
                return Some(Mouth { leaf, cell, open: [sill, roof], shared: 1, full: 0 });
            }
            for beside in region.beside[at] {
                if beside == RegionCellId::NONE || !seen.insert(beside) || seen.len() > WAY_MOST {
                    continue;
                }
                if let Some([low, high]) = self.open(&cells[beside]) {
                    let (sill, roof) = (sill.max(low), roof.min(high));
                    if sill < roof {
                        met.push((Reverse((sill, seen.len())), roof, beside));
                    }
                }
            }
        }
        None
    }
}
