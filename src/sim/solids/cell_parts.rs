//! Where water from outside comes to in cells that solids touch, and where it is taken from.
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

use crate::flow::tracer::share;
use crate::sim::solids::region::{NONE, Region, RegionCell};
use crate::sim::solids::step::FULL_WITHIN;
use crate::tile::{Ground, Water};
use crate::units::CEILING;
use rayon::prelude::*;

/// The water of a cell of a region, or what of it is over the solids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::sim) struct CellPart {
    /// The cell.
    pub cell: u32,
    /// Its water over the solids; else that under them, all of it where there is one.
    pub is_upper: bool,
}

impl RegionCell {
    /// Its water under the solids, all of it where it is one, while the kernel does not see it.
    pub(in crate::sim) fn lower(&self) -> i32 {
        self.depth - self.upper
    }

    /// True where a solid leaves no room above the bed: nothing comes up there.
    pub(in crate::sim) fn is_plugged(&self) -> bool {
        self.is_apart && self.low - self.bed <= FULL_WITHIN
    }
}

impl Region {
    /// Finds where goes what has no room under solids or runs off them: with regard to how they
    /// move, while they do.
    pub(super) fn find_exits(&mut self) {
        let mut groups = std::mem::take(&mut self.groups);
        groups.par_iter_mut().with_min_len(16).for_each(|group| group.find_exits(self));
        self.groups = groups;
        self.run_off = vec![NONE; self.cells.len()];
        let cell_of = |node: u32| self.nodes[node as usize].cell;
        for group in &self.groups {
            for (&node, &exit) in group.nodes.iter().zip(&group.exits) {
                if exit != NONE {
                    self.run_off[cell_of(node) as usize] = cell_of(group.nodes[exit as usize]);
                }
            }
        }
    }

    /// What takes `units` that fall on a touched cell.
    pub(super) fn below_sky(&self, cell: u32, units: i32) -> CellPart {
        let own = &self.cells[cell as usize];
        if !own.is_apart || (own.upper == 0 && own.low - own.bed - own.lower() >= units) {
            return CellPart { cell, is_upper: false };
        }
        self.off(cell)
    }

    /// What takes that which comes out of the ground in a touched cell.
    pub(in crate::sim) fn above_ground(&self, cell: u32) -> CellPart {
        let own = &self.cells[cell as usize];
        let is_overfull = own.lower() - (own.low - own.bed) > FULL_WITHIN;
        if !own.is_apart || !(own.is_plugged() || is_overfull) {
            return CellPart { cell, is_upper: false };
        }
        self.off(cell)
    }

    /// The water over the solids in a cell, or the open cell that their run-off comes to.
    fn off(&self, cell: u32) -> CellPart {
        let exit = self.run_off[cell as usize];
        let stays = self.cells[cell as usize].upper > 0 || exit == NONE;
        CellPart { cell: if stays { cell } else { exit }, is_upper: stays }
    }

    /// Units that fit into a part.
    pub(in crate::sim) fn room_in(
        &self,
        part: CellPart,
        grounds: &[Ground],
        water: &[Water],
    ) -> i32 {
        let cell = &self.cells[part.cell as usize];
        if !cell.is_touched {
            let (leaf, at) = (cell.leaf as usize, usize::from(cell.cell));
            return (grounds[leaf].room(at) - water[leaf].depth[at]).max(0);
        }
        let stage = i64::from(cell.bed) + i64::from(cell.depth);
        let over = i64::from(cell.high) + i64::from(cell.upper);
        let above = if part.is_upper { stage.max(over) } else { stage };
        i32::try_from((i64::from(CEILING) - above).max(0)).unwrap_or(CEILING)
    }

    /// Puts units into a part; `content` tells what they carry of each tracer.
    pub(in crate::sim) fn pour(
        &mut self,
        water: &mut [Water],
        part: CellPart,
        units: i32,
        content: impl Fn(usize) -> i64,
    ) {
        let cell = &mut self.cells[part.cell as usize];
        let (water, at) = (&mut water[cell.leaf as usize], usize::from(cell.cell));
        if cell.is_touched {
            cell.depth += units;
            cell.upper += if part.is_upper { units } else { 0 };
            for (tracer, lifted) in self.contents.iter_mut().enumerate() {
                lifted[part.cell as usize] += content(tracer);
            }
        } else {
            water.depth[at] += units;
            for (tracer, plane) in water.contents.iter_mut().enumerate() {
                plane[at] += content(tracer);
            }
        }
    }

    /// Takes units out of a part of a touched cell, which has as many; `gone` hears what they carry
    /// of each tracer.
    pub(in crate::sim) fn draw(
        &mut self,
        part: CellPart,
        units: i32,
        mut gone: impl FnMut(usize, i64),
    ) {
        let cell = &mut self.cells[part.cell as usize];
        let whole = cell.depth;
        cell.depth -= units;
        cell.upper -= if part.is_upper { units } else { 0 };
        for (tracer, lifted) in self.contents.iter_mut().enumerate() {
            let content = &mut lifted[part.cell as usize];
            let taken = share(*content, units, whole);
            *content -= taken;
            gone(tracer, taken);
        }
    }
}
