//! Openings in a cycle: the water of open nodes, and how much of passages solids leave open.

use crate::grid::LeafId;
use crate::sim::solids::region::{RegionCellId, SolidRegion};
use crate::sim::stacks::mouths::{StackMouth, exit_of, exits};
use crate::sim::stacks::net::{Now, StackNet, StackNode};
use crate::sim::table::LeafTable;

impl StackNet {
    /// Returns the mouths of all open nodes.
    pub(super) fn mouths(
        &self,
        leaves: &LeafTable,
        region: &SolidRegion,
        unit_m: f64,
    ) -> Vec<StackMouth> {
        let nodes = &self.nodes[self.covered..];
        let mut mouths: Vec<StackMouth> =
            nodes.iter().map(|node| StackMouth::of(node.place())).collect();
        let touched = |node: &StackNode| match leaves.asleep[node.leaf] {
            true => None,
            false => region.touched_at(self.place_of(node, &leaves.forest)),
        };
        let touched: Vec<Option<RegionCellId>> = match region.cells.is_empty() {
            true => return mouths,
            false => nodes.iter().map(touched).collect(),
        };
        if touched.iter().all(Option::is_none) {
            return mouths;
        }
        let exits = exits(region, unit_m);
        for (mouth, cell) in mouths.iter_mut().zip(touched) {
            let Some(cell) = cell.map(|cell| &region.cells[cell]) else { continue };
            let exit = exit_of(cell, &exits).filter(|exit| !leaves.asleep[exit.leaf]);
            *mouth = exit.unwrap_or(mouth.shut());
        }
        let mut places: Vec<(LeafId, u16)> = mouths.iter().map(StackMouth::place).collect();
        places.sort_unstable();
        for mouth in &mut mouths {
            let same = places.partition_point(|at| *at <= mouth.place())
                - places.partition_point(|at| *at < mouth.place());
            mouth.shared = i32::try_from(same).expect("fewer than cells near a mouth");
        }
        mouths
    }

    /// Returns the lowest and highest place of a passage, as mouths leave it, vertical units.
    pub(super) fn opening(&self, passage: usize, now: &Now) -> [i32; 2] {
        let passage = &self.passages[passage];
        let mut opening = [passage.sill, passage.roof];
        for node in passage.ends.map(|node| node as usize) {
            if node >= self.covered {
                let [low, high] = self.mouth_of(node, now).open;
                opening = [opening[0].max(low), opening[1].min(high)];
            }
        }
        opening
    }
}
