//! Ends of links in cells that solids touch: their mouths are at the ground.
//!
//! A link takes from the water under solids and brings water there, or, if it has no room, to the
//! same place as rain. In a cell where solids leave no room the link takes the rest, and then
//! nothing: its mouth is shut.
//!
//! Guarantees: not a unit is made or lost, under way or there.
//! Source:     own.

use crate::grid::cells::CellPlace;
use crate::sim::solids::cell_parts::CellPart;
use crate::sim::solids::region::{
    FULL_WITHIN, RegionCell, RegionCellId, SolidNode, SolidRegion, larger,
};
use crate::sim::table::LeafTable;

/// The water at a mouth of a link.
#[derive(Debug, Clone, Copy)]
pub(in crate::sim) struct SolidMouth<'a> {
    /// Cell of the mouth.
    cell: &'a RegionCell,
    /// The node of the water at the ground.
    node: &'a SolidNode,
    /// Units of that water, lifted or not.
    units: i32,
}

impl SolidRegion {
    /// Returns the mouth of a link at a place, if solids touch the cell.
    pub(in crate::sim) fn mouth(
        &self,
        place: CellPlace,
        leaves: &LeafTable,
    ) -> Option<SolidMouth<'_>> {
        Some(self.mouth_in(self.touched_at(place)?, leaves))
    }

    fn mouth_in(&self, cell: RegionCellId, leaves: &LeafTable) -> SolidMouth<'_> {
        let cell = &self.cells[cell];
        let (leaf, at) = (cell.leaf, usize::from(cell.cell));
        // While its water is lifted out of the planes a cell has the bed `OUTSIDE` there.
        let is_lifted = !leaves.grounds[leaf].is_inside(at);
        let depth = if is_lifted { cell.depth } else { leaves.water[leaf].depth[at] };
        let node = &self.nodes[cell.node];
        SolidMouth { cell, node, units: depth - cell.upper.min(depth) }
    }

    /// Returns the head for a link at a mouth, m above the datum's unit: of a shut one the head of
    /// the nearest cell that is not covered, or of the water over it.
    pub(in crate::sim) fn head_at(
        &self,
        place: CellPlace,
        leaves: &LeafTable,
        unit_m: f64,
    ) -> Option<f64> {
        let at = self.touched_at(place)?;
        let SolidMouth { cell, node, units } = self.mouth_in(at, leaves);
        let depth_m = f64::from(units) * unit_m;
        Some(if cell.is_plugged() {
            let exit = self.run_off[at];
            if exit != RegionCellId::NONE {
                let SolidMouth { node, units, .. } = self.mouth_in(exit, leaves);
                node.head_of(f64::from(units) * unit_m)
            } else if cell.upper > 0 {
                f64::from(cell.high + cell.upper) * unit_m
            } else {
                node.floor
            }
        } else if !cell.is_apart {
            node.head_of(depth_m)
        } else if units >= cell.low - cell.bed - FULL_WITHIN {
            larger(node.head, node.low)
        } else {
            node.floor + depth_m
        })
    }

    /// Returns the water from which a link takes at a place, if solids touch the cell.
    pub(in crate::sim) fn part_under(&self, place: CellPlace) -> Option<CellPart> {
        Some(CellPart { cell: self.touched_at(place)?, is_upper: false })
    }

    /// Returns the water that receives water from the ground at a place, if solids touch the cell.
    pub(in crate::sim) fn part_above_ground(&self, place: CellPlace) -> Option<CellPart> {
        Some(self.above_ground(self.touched_at(place)?))
    }
}

impl SolidMouth<'_> {
    /// Returns true if the mouth is shut, and nothing is left to take.
    pub(in crate::sim) fn is_shut(&self) -> bool {
        self.cell.is_plugged() && self.units <= FULL_WITHIN
    }

    /// Returns the bed there, vertical units above the datum.
    pub(in crate::sim) fn bed(&self) -> i32 {
        self.cell.bed
    }

    /// Returns the volume that a link may take, units: the water above a sill, half of the depth at
    /// most.
    #[expect(clippy::cast_possible_truncation, reason = "bounded by the ceiling")]
    pub(in crate::sim) fn spare(&self, sill: i32, unit_m: f64) -> i32 {
        let below = self.node.stored(f64::from(sill) * unit_m) / unit_m;
        // Rounded up: no unit that is below the sill leaves.
        (self.units - below.ceil() as i32).min(self.units / 2).max(0)
    }
}
