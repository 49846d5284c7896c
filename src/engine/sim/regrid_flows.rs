//! Discharges while leaves change: from the previous ones, so that no velocity grows.

use crate::forest::change::{Change, Origin};
use crate::forest::interfaces::strip::{SideFlow, openings, side_flow, strip, strips};
use crate::forest::{Forest, Neighbour};
use crate::grid::{LeafId, Side, TILE_WIDTH, TileKey};
use crate::sim::table::{LeafRow, LeafTable};
use crate::tile::flows::{SideStrip, TileWithSides, coarsen_flows, refine_flows};
use rayon::prelude::*;

/// A leaf that is removed, with its old surroundings.
pub(super) struct Retired {
    pub(super) row: LeafRow,
    pub(super) beside: [SideStrip; 4],
}

impl Retired {
    fn with_sides(&self) -> TileWithSides<'_> {
        TileWithSides { ground: &self.row.ground, water: &self.row.water, beside: &self.beside }
    }
}

/// Flow over the sides of a leaf if it, or one beyond, has changed: west and south of new leaves,
/// east and north if a coarser one is beyond.
pub(super) struct SideFlows {
    near: Option<[SideFlow; 2]>,
    far: [Option<SideFlow>; 2],
}

impl LeafTable {
    /// Returns the flow over the sides of the new leaves now.
    pub(super) fn side_flows(&self, change: &Change, new_forest: &Forest) -> Vec<SideFlows> {
        let leaves = self.view();
        let is_new = |leaf: LeafId| !matches!(change.leaves[leaf.index()].1, Origin::Kept(_));
        let side_flows = |(new, (key, _)): (LeafId, &(TileKey, Origin))| {
            let over = |side| side_flow(&leaves, *key, side);
            let far = |side| {
                let Neighbour::Coarser(leaf) = new_forest.across(new, side) else { return None };
                (is_new(new) || is_new(leaf)).then(|| over(side))
            };
            let near = is_new(new).then(|| [Side::West, Side::South].map(over));
            SideFlows { near, far: [Side::East, Side::North].map(far) }
        };
        new_forest.par_ids().zip(&change.leaves).map(side_flows).collect()
    }

    /// Returns the neighbours of the leaves that are removed.
    pub(super) fn besides(&self, change: &Change) -> Vec<Option<[SideStrip; 4]>> {
        let goes = change.goes(self.count());
        let leaves = self.view();
        let beside = |(leaf, &goes): (LeafId, &bool)| goes.then(|| strips(&leaves, leaf));
        self.forest.par_ids().zip(&goes).map(beside).collect()
    }

    /// Sets the discharges of the new leaves, and over the interfaces between levels.
    pub(super) fn flow_again(
        &mut self,
        change: &Change,
        retired: &[Option<Retired>],
        side_flows: &[SideFlows],
    ) {
        let leaves = self.view();
        let retired = |leaf: LeafId| retired[leaf.known()?].as_ref();
        let flows = |(new, (_, origin)): (LeafId, &(TileKey, Origin))| {
            let near = side_flows[new].near.as_ref()?;
            let beside = strips(&leaves, new);
            let (ground, water) = (&leaves.grounds[new], &leaves.water[new]);
            let tile = TileWithSides { ground, water, beside: &beside };
            let mut flows = match *origin {
                Origin::Kept(_) => return None,
                Origin::Child { of, quadrant } => {
                    refine_flows(&retired(of)?.with_sides(), quadrant, &tile)
                }
                Origin::Merged(quarters) => {
                    coarsen_flows(&quarters.map(|leaf| Some(retired(leaf)?.with_sides())), &tile)
                }
            };
            let [west, south] = [(Side::West, 0), (Side::South, 2)]
                .map(|(side, at)| near[at / 2].through(&openings(&leaves, new, side, &beside[at])));
            for (i, (west, south)) in west.into_iter().zip(south).enumerate() {
                flows[0][i * TILE_WIDTH] = west;
                flows[1][i] = south;
            }
            Some(flows)
        };
        // Leaves that stay cost nothing: tasks of one leaf spread the new ones over all threads.
        let each = self.forest.par_ids().zip(&change.leaves).with_max_len(1);
        let flows: Vec<_> = each.map(flows).collect();
        let far = |(new, side_flows): (LeafId, &SideFlows)| {
            let over = |side, axis: usize| {
                let flow = side_flows.far[axis].as_ref()?;
                let strip = strip(&leaves, new, side);
                Some(flow.through(&openings(&leaves, new, side, &strip)))
            };
            [over(Side::East, 0), over(Side::North, 1)]
        };
        let far: Vec<_> = self.forest.par_ids().zip(side_flows).map(far).collect();
        for (leaf, (flows, far)) in self.forest.ids().zip(flows.into_iter().zip(far)) {
            if let Some([flow_x, flow_y]) = flows {
                (self.water[leaf].flow_x, self.water[leaf].flow_y) = (flow_x, flow_y);
            }
            let Some(interfaces) = &mut self.interfaces[leaf] else { continue };
            for (row, far) in interfaces.beyond.iter_mut().zip(far) {
                if let (Some(row), Some(far)) = (row, far) {
                    **row = far;
                }
            }
        }
        self.take_means(&self.near(&change.new_leaves()));
    }
}
