//! The parts of cells touched by solids to which water from outside is added, and from which it is
//! taken.
//!
//! ```text
//!   ≈≈≈│ │≈≈≈                   rain    falls on the water over solids; where there is none, on
//!   ≈≈┌───┐≈≈   dry ┌───┐               that under them, as far as it has room; else it runs off
//!   ≈≈│   │≈≈   ≈≈≈≈│   │≈≈≈≈           to the nearest open cell
//!   ≈≈└───┘≈≈   ≈≈≈≈└───┘≈≈≈≈
//!   ≈≈≈≈≈≈≈≈≈   ≈≈≈≈≈ ↑ ≈≈≈≈≈   spring  comes up under them; where there is no room, or there is
//!   ▓▓▓▓▓▓▓▓▓   ▓▓▓▓▓▓↑▓▓▓▓▓▓           more than room, over them or beside
//! ```
//!
//! Guarantees: not a unit is made or lost; nothing rises above the ceiling.
//! Source:     own.

use crate::sim::cell_store::CellStore;
use crate::sim::solids::region::{FULL_WITHIN, NodeId, RegionCellId, SolidNode, SolidRegion};
use crate::sim::table::LeafTable;
use crate::tile::{Ground, Resident, Water};
use crate::units::CEILING;

/// The water of a cell of a region, or the part of it over the solids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::sim) struct CellPart {
    /// The cell.
    pub cell: RegionCellId,
    /// Whether the part is the water over the solids; else the water under them, or all if it is
    /// not divided.
    pub is_upper: bool,
}

impl SolidRegion {
    /// Returns the part that takes `units` which fall on a touched cell.
    pub(super) fn below_sky(&self, cell: RegionCellId, units: i32) -> CellPart {
        let own = &self.cells[cell];
        // Rain joins the water under the solids while there is room. As a film on the roof it would
        // raise the highest still head of its group, which bounds how hard a falling body presses.
        if !own.is_apart || (own.upper == 0 && own.low - own.bed - own.lower() >= units) {
            return CellPart { cell, is_upper: false };
        }
        self.off(cell)
    }

    /// Returns the part that takes water from the ground in a touched cell.
    pub(in crate::sim) fn above_ground(&self, cell: RegionCellId) -> CellPart {
        let own = &self.cells[cell];
        let is_overfull = own.lower() - (own.low - own.bed) > FULL_WITHIN;
        if !own.is_apart || !(own.is_plugged() || is_overfull) {
            return CellPart { cell, is_upper: false };
        }
        self.off(cell)
    }

    /// Returns the water over the solids in a cell, or the open cell that receives their run-off.
    fn off(&self, cell: RegionCellId) -> CellPart {
        let exit = self.run_off[cell];
        let stays = self.cells[cell].upper > 0 || exit == RegionCellId::NONE;
        CellPart { cell: if stays { cell } else { exit }, is_upper: stays }
    }

    /// Returns the water of a part, in the planes of its leaf or lifted out of them.
    pub(in crate::sim) fn store<'a>(
        &'a mut self,
        part: CellPart,
        grounds: &[Resident<Ground>],
        water: &'a mut [Resident<Water>],
    ) -> CellStore<'a> {
        let cell = &mut self.cells[part.cell];
        if !cell.is_touched {
            let (leaf, at) = (cell.leaf, usize::from(cell.cell));
            return CellStore::open(&mut water[leaf], at).full_at(grounds[leaf].room(at));
        }
        let stage = i64::from(cell.bed) + i64::from(cell.depth);
        let over = i64::from(cell.high) + i64::from(cell.upper);
        // The upper water stands on the solids: its surface may be above the stage of all water.
        let highest = if part.is_upper { stage.max(over) } else { stage };
        let room = i32::try_from((i64::from(CEILING) - highest).max(0)).unwrap_or(CEILING);
        let whole = CellStore::new(&mut cell.depth, &mut self.contents, part.cell.index());
        let store =
            if part.is_upper { whole.over(&mut cell.upper) } else { whole.under(cell.upper) };
        store.with_room(room)
    }

    /// Moves units with their contents from the water of one node to that of another.
    pub(super) fn hand_over(&mut self, nodes: [NodeId; 2], units: i32, leaves: &mut LeafTable) {
        let [giver, taker] = nodes.map(|node| {
            let SolidNode { cell, is_upper, .. } = self.nodes[node];
            CellPart { cell, is_upper }
        });
        let LeafTable { grounds, water, .. } = leaves;
        let contents = self.store(giver, grounds, water).take_all(units);
        self.store(taker, grounds, water).give(units, |tracer| contents[tracer]);
    }
}
