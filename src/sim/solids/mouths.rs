//! Ends of links in cells that solids touch: their mouths lie at the ground.
//!
//! What a link takes comes from the water under solids, what it brings goes there, or where rain
//! would go if there is no room. Of a cell where solids leave none it takes what is left there,
//! and then nothing: its mouth is shut.
//!
//! Guarantees: not a unit is made or lost, under way or there.
//! Source:     own.

use crate::sim::Simulation;
use crate::sim::cell_store::CellStore;
use crate::sim::links::LinkEnd;
use crate::sim::solids::cell_parts::CellPart;
use crate::sim::solids::region::{NONE, Node, RegionCell, key_of, larger};
use crate::sim::solids::step::FULL_WITHIN;

impl Simulation {
    /// The cell of the region that an end lies in, where solids touch it.
    pub(in crate::sim) fn mouth(&self, end: &LinkEnd) -> Option<u32> {
        let cells = &self.state.solids.region.cells;
        let at = cells.binary_search_by_key(&key_of(end.place), |cell| cell.key).ok()?;
        cells[at].is_touched.then(|| u32::try_from(at).expect("2³² cells at most"))
    }

    /// Its cell, node, and the units that a link meets there, lifted or not.
    fn at_mouth(&self, mouth: u32) -> (&RegionCell, &Node, i32) {
        let region = &self.state.solids.region;
        let cell = &region.cells[mouth as usize];
        let (leaf, at) = (cell.leaf as usize, usize::from(cell.cell));
        let is_lifted = !self.state.leaves.grounds[leaf].is_inside(at);
        let depth = if is_lifted { cell.depth } else { self.state.leaves.water[leaf].depth[at] };
        (cell, &region.nodes[cell.node as usize], depth - cell.upper.min(depth))
    }

    /// True where a mouth is shut, and nothing is left to take.
    pub(in crate::sim) fn is_shut(&self, mouth: u32) -> bool {
        let (cell, _, lower) = self.at_mouth(mouth);
        cell.is_plugged() && lower <= FULL_WITHIN
    }

    /// Head that a link meets at a mouth, m above the datum's unit: of a shut one that of the
    /// nearest cell that is not covered, or of what stands over it.
    pub(in crate::sim) fn head_at_mouth(&self, mouth: u32) -> f64 {
        let (cell, node, lower) = self.at_mouth(mouth);
        let depth_m = f64::from(lower) * self.params.unit_m;
        if cell.is_plugged() {
            let exit = self.state.solids.region.run_off[mouth as usize];
            if exit != NONE {
                let (_, node, lower) = self.at_mouth(exit);
                node.head_of(f64::from(lower) * self.params.unit_m)
            } else if cell.upper > 0 {
                f64::from(cell.high + cell.upper) * self.params.unit_m
            } else {
                node.floor
            }
        } else if !cell.is_apart {
            node.head_of(depth_m)
        } else if lower >= cell.low - cell.bed - FULL_WITHIN {
            larger(node.head, node.low)
        } else {
            node.floor + depth_m
        }
    }

    /// What a link may take at a mouth, units: what stands above a sill, half of the depth at most.
    #[expect(clippy::cast_possible_truncation, reason = "bounded by the ceiling")]
    pub(in crate::sim) fn spare_at_mouth(&self, mouth: u32, sill: i32) -> i32 {
        let (_, node, lower) = self.at_mouth(mouth);
        let below = node.stored(f64::from(sill) * self.params.unit_m) / self.params.unit_m;
        (lower - below.ceil() as i32).min(lower / 2).max(0)
    }

    /// The water that a link takes from at a mouth while the kernel does not see it, or, where
    /// `brings` is set, that which takes what a link brings.
    pub(in crate::sim) fn store_at_mouth(&mut self, mouth: u32, brings: bool) -> CellStore<'_> {
        let region = &mut self.state.solids.region;
        let under = CellPart { cell: mouth, is_upper: false };
        let part = if brings { region.above_ground(mouth) } else { under };
        region.store(part, &self.state.leaves.grounds, &mut self.state.leaves.water)
    }
}
