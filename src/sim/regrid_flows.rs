//! Discharges while leaves change: from those before, so that no velocity grows.

use crate::forest::Forest;
use crate::forest::change::{Change, Origin};
use crate::forest::interfaces::strip::{SideFlow, openings, side_flow, strip, strips};
use crate::grid::{LeafId, Side, TILE_WIDTH, TileKey};
use crate::sim::table::{LeafRow, LeafTable};
use crate::tile::flows::{Strip, TileWithSides, coarsen_flows, refine_flows};
use rayon::prelude::*;

/// A leaf that goes, between what lay around it.
pub(super) struct Retired {
    pub(super) row: LeafRow,
    pub(super) beside: [Strip; 4],
}

impl Retired {
    fn with_sides(&self) -> TileWithSides<'_> {
        TileWithSides { ground: &self.row.ground, water: &self.row.water, beside: &self.beside }
    }
}

/// Flow over the sides of a new leaf: west and south where it is not the leaf it was, east and
/// north where a coarser one lies beyond.
pub(super) struct SideFlows {
    near: Option<[SideFlow; 2]>,
    far: Option<[SideFlow; 2]>,
}

impl LeafTable {
    /// Flow over the sides of the new leaves now.
    pub(super) fn side_flows(&self, change: &Change, new_forest: &Forest) -> Vec<SideFlows> {
        let leaves = self.view();
        let side_flows = |(new, (key, origin)): (LeafId, &(TileKey, Origin))| {
            let over = |sides: [Side; 2]| sides.map(|side| side_flow(&leaves, *key, side));
            let is_owner = [Side::East, Side::North]
                .into_iter()
                .any(|side| new_forest.across(new, side).is_coarser());
            let is_new = !matches!(origin, Origin::Kept(_));
            SideFlows {
                near: is_new.then(|| over([Side::West, Side::South])),
                far: is_owner.then(|| over([Side::East, Side::North])),
            }
        };
        new_forest.par_ids().zip(&change.leaves).map(side_flows).collect()
    }

    /// Neighbours of the leaves that go.
    pub(super) fn besides(&self, change: &Change) -> Vec<Option<[Strip; 4]>> {
        let mut goes = vec![true; self.count()];
        for (_, origin) in &change.leaves {
            if let Origin::Kept(old) = origin {
                goes[*old] = false;
            }
        }
        let leaves = self.view();
        let beside = |(leaf, &goes): (LeafId, &bool)| goes.then(|| strips(&leaves, leaf));
        self.forest.par_ids().zip(&goes).map(beside).collect()
    }

    /// Discharges of the new leaves, and over the interfaces between levels.
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
        let each = self.forest.par_ids().zip(&change.leaves).with_max_len(1);
        let flows: Vec<_> = each.map(flows).collect();
        let far = |(new, side_flows): (LeafId, &SideFlows)| {
            let over = |side, axis: usize| {
                let strip = strip(&leaves, new, side);
                Some(side_flows.far.as_ref()?[axis].through(&openings(&leaves, new, side, &strip)))
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
        self.take_all_means();
    }
}
