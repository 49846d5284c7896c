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
use crate::sim::solids::region::NONE;
use crate::sim::solids::region::Region;
use crate::sim::solids::region::RegionCell;
use crate::sim::solids::step::FULL_WITHIN;
use crate::tile::Ground;
use crate::tile::Water;
use crate::units::CEILING;

/// The water of a cell of a region, or what of it is over the solids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::sim) struct Pot {
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
    /// For each cell the open one that takes what runs off the solids in it; [`NONE`] where there
    /// is none.
    pub(super) fn run_off(&self) -> Vec<u32> {
        let mut to = vec![NONE; self.cells.len()];
        let cell_of = |node: u32| self.nodes[node as usize].cell;
        for group in &self.groups {
            for (&node, &exit) in group.nodes.iter().zip(&group.exits) {
                if exit != NONE {
                    to[cell_of(node) as usize] = cell_of(group.nodes[exit as usize]);
                }
            }
        }
        to
    }

    /// The open cell that takes what runs off the solids in one cell; [`NONE`] where there is none.
    fn run_off_of(&self, cell: u32) -> u32 {
        let node = self.cells[cell as usize].node;
        let exit = self.groups.iter().find_map(|group| {
            let at = group.nodes.binary_search(&node).ok()?;
            group.nodes.get(*group.exits.get(at)? as usize)
        });
        exit.map_or(NONE, |&node| self.nodes[node as usize].cell)
    }

    /// What takes `units` that fall on a touched cell, whose run-off goes to `exit`.
    pub(super) fn below_sky(&self, cell: u32, units: i32, exit: u32) -> Pot {
        let own = &self.cells[cell as usize];
        if !own.is_apart || (own.upper == 0 && own.low - own.bed - own.lower() >= units) {
            return Pot { cell, is_upper: false };
        }
        off(own, cell, exit)
    }

    /// What takes that which comes out of the ground in a touched cell.
    pub(in crate::sim) fn above_ground(&self, cell: u32) -> Pot {
        let own = &self.cells[cell as usize];
        let is_overfull = own.lower() > own.low - own.bed + FULL_WITHIN;
        if !own.is_apart || !(own.is_plugged() || is_overfull) {
            return Pot { cell, is_upper: false };
        }
        off(own, cell, self.run_off_of(cell))
    }

    /// Units that fit into a pot.
    pub(in crate::sim) fn room_in(&self, pot: Pot, grounds: &[Ground], water: &[Water]) -> i32 {
        let cell = &self.cells[pot.cell as usize];
        if !cell.is_touched {
            let (leaf, at) = (cell.leaf as usize, usize::from(cell.cell));
            return (grounds[leaf].room(at) - water[leaf].depth[at]).max(0);
        }
        let stage = i64::from(cell.bed) + i64::from(cell.depth);
        let over = i64::from(cell.high) + i64::from(cell.upper);
        let above = if pot.is_upper { stage.max(over) } else { stage };
        i32::try_from((i64::from(CEILING) - above).max(0)).unwrap_or(CEILING)
    }

    /// Puts units into a pot; `content` tells what they carry of each tracer.
    pub(in crate::sim) fn pour(
        &mut self,
        water: &mut [Water],
        pot: Pot,
        units: i32,
        content: impl Fn(usize) -> i64,
    ) {
        let cell = &mut self.cells[pot.cell as usize];
        let (water, at) = (&mut water[cell.leaf as usize], usize::from(cell.cell));
        if cell.is_touched {
            cell.depth += units;
            cell.upper += if pot.is_upper { units } else { 0 };
            for (tracer, lifted) in self.contents.iter_mut().enumerate() {
                lifted[pot.cell as usize] += content(tracer);
            }
        } else {
            water.depth[at] += units;
            for (tracer, plane) in water.contents.iter_mut().enumerate() {
                plane[at] += content(tracer);
            }
        }
    }

    /// Takes units out of a pot of a touched cell, which has as many; `gone` hears what they carry
    /// of each tracer.
    pub(in crate::sim) fn draw(&mut self, pot: Pot, units: i32, mut gone: impl FnMut(usize, i64)) {
        let cell = &mut self.cells[pot.cell as usize];
        let whole = cell.depth;
        cell.depth -= units;
        cell.upper -= if pot.is_upper { units } else { 0 };
        for (tracer, lifted) in self.contents.iter_mut().enumerate() {
            let content = &mut lifted[pot.cell as usize];
            let taken = share(*content, units, whole);
            *content -= taken;
            gone(tracer, taken);
        }
    }
}

/// The water over the solids in a cell, or the open cell that their run-off comes to.
fn off(own: &RegionCell, cell: u32, exit: u32) -> Pot {
    let stays = own.upper > 0 || exit == NONE;
    Pot { cell: if stays { cell } else { exit }, is_upper: stays }
}
