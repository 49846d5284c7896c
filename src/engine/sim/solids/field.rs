//! The solids of a simulation and the water that they touch, from cycle to cycle.

use crate::body::{Covered, Solids};
use crate::forest::Forest;
use crate::grid::cells::CellPlace;
use crate::grid::{LeafId, TileKey};
use crate::sim::barriers::Barriers;
use crate::sim::params::Params;
use crate::sim::solids::group::{SolidGroup, find_exits, groups};
use crate::sim::solids::look::SolidLook;
use crate::sim::solids::memory::SolidMemory;
use crate::sim::solids::region::{SolidRegion, key_of};
use crate::sim::solids::sweep::Sweep;
use crate::sim::table::LeafTable;
use crate::units::maths;
use rayon::prelude::*;
use std::cmp::Ordering;

/// Solids, and the water that they touch.
#[derive(Debug, Clone, Default)]
pub struct SolidField {
    /// The solids.
    pub solids: Solids,
    /// Cells, nodes and passages; empty while they are stale.
    pub region: SolidRegion,
    /// Connected cells of the region.
    pub groups: Vec<SolidGroup>,
    /// Faces that a moving solid blocks, in the order of the cells behind them.
    pub sweeps: Vec<Sweep>,
    /// Memory of the region from before leaves changed, or from a file: for the next region.
    pub memory: SolidMemory,
    /// Whether the region must be rebuilt.
    pub is_stale: bool,
}

impl SolidField {
    /// Replaces the solids; returns the leaves of solids that were added or removed, or that move.
    pub(in crate::sim) fn set(&mut self, solids: Solids, forest: &Forest) -> Vec<LeafId> {
        let before = std::mem::replace(&mut self.solids, solids);
        self.forget();
        if self.solids.is_empty() {
            // Nothing is left to keep: a file would not contain it.
            self.memory = SolidMemory::default();
        }
        leaves_at(&places_of_change(&before, &self.solids), forest)
    }

    /// Returns the state of the water among solids that is not in the planes.
    #[must_use]
    pub fn remembered(&self) -> SolidMemory {
        if self.is_stale { self.memory.clone() } else { SolidMemory::of(&self.region) }
    }

    /// Returns the solids and the state of the water among them, for a file.
    pub(in crate::sim) fn of_run(&self) -> Option<Box<(Solids, SolidMemory)>> {
        (!self.solids.is_empty()).then(|| Box::new((self.solids.clone(), self.remembered())))
    }

    /// Restores solids and the saved state of the water among them; returns false if the numbers
    /// are invalid.
    pub(in crate::sim) fn recall(&mut self, solids: Solids, memory: SolidMemory) -> bool {
        // Merges and binary searches build the region: they need the order, which a file may lack.
        let is_ordered = solids.is_good()
            && solids.cells.is_sorted_by(|a, b| key_of(a.place) < key_of(b.place))
            && solids
                .faces
                .is_sorted_by(|a, b| (a.axis, key_of(a.place)) < (b.axis, key_of(b.place)));
        if !is_ordered || !memory.is_good() {
            return false;
        }
        *self = Self { solids, memory, is_stale: true, ..Self::default() };
        true
    }

    /// Drops the region: its state is kept for the next.
    pub(in crate::sim) fn forget(&mut self) {
        if self.is_stale {
            return;
        }
        self.memory = SolidMemory::of(&self.region);
        self.region = SolidRegion::default();
        self.sweeps.clear();
        // Each group owns a dozen vectors: all threads free them.
        self.groups.par_drain(..).with_min_len(64).for_each(drop);
        self.is_stale = true;
    }

    /// Builds the region of the solids, if it is stale.
    pub(in crate::sim) fn begin(
        &mut self,
        leaves: &LeafTable,
        barriers: &Barriers,
        params: &Params,
    ) {
        if !self.is_stale {
            return;
        }
        let mut region = SolidRegion::of(&self.solids, leaves, barriers, params);
        self.sweeps = region.block_faces(&self.solids.faces, params.unit_m);
        region.recall(&self.memory, &self.sweeps, params.unit_m);
        region.read_flows(&leaves.water);
        self.groups = groups(&region);
        find_exits(&mut self.groups, &mut region, &self.sweeps);
        (self.region, self.memory, self.is_stale) = (region, SolidMemory::default(), false);
    }

    /// Wakes all leaves of groups in which one wakes: no group is awake in part.
    pub(in crate::sim) fn wake_groups(&self, wakes: &mut Vec<LeafId>) {
        let is_awake = |leaf: &LeafId| wakes.binary_search(leaf).is_ok();
        let woken = self.groups.iter().filter(|group| group.leaves.iter().any(is_awake));
        let leaves: Vec<LeafId> =
            woken.flat_map(|group| &group.leaves).copied().filter(|leaf| !is_awake(leaf)).collect();
        if !leaves.is_empty() {
            wakes.extend(leaves);
            wakes.sort_unstable();
            wakes.dedup();
            // A leaf that has just woken may also have cells of a different group.
            self.wake_groups(wakes);
        }
    }

    /// Stops the passages of groups that sleep.
    pub(in crate::sim) fn rest(&mut self, asleep: &[bool]) {
        for group in &self.groups {
            if group.leaves.iter().any(|&leaf| asleep[leaf]) {
                for &passage in &group.passages {
                    self.region.passages[passage].q = 0.0;
                }
            }
        }
    }

    /// Returns the view of the water that solids touch in the leaves of the base level, after its
    /// part of a step.
    pub(in crate::sim) fn look(&self, asleep: &[bool]) -> SolidLook {
        SolidLook::of(&self.region, &self.groups, asleep)
    }

    /// Puts the water of touched cells back into the planes, with the flows there; solids that
    /// moved in the cycle are at rest from now on.
    #[expect(clippy::cast_possible_truncation, reason = "speeds and depths")]
    pub(in crate::sim) fn lower(&mut self, leaves: &mut LeafTable, params: &Params) {
        self.region.lower(&self.sweeps, leaves);
        for group in self.groups.iter().filter(|group| !group.is_asleep) {
            for &leaf in &group.leaves {
                // The next plan takes into account the speeds that the kernel did not see.
                let faces = &mut leaves.scratch[leaf].seen.faces;
                let pace = params.pace(group.fastest, group.deepest) as f32;
                faces.pace_max = maths::max(faces.pace_max, pace);
                faces.flow_depth_max = maths::max(faces.flow_depth_max, group.deepest as f32);
            }
        }
        if self.region.by_leaf.leaves().any(|leaf| !leaves.asleep[leaf]) {
            self.region.carry_surfaces(leaves, params.unit_m);
        }
        // A velocity counts for one cycle: a body that moves on gives it again before the next.
        self.solids.faces.iter_mut().for_each(|face| face.speed = 0);
        if !self.sweeps.is_empty() {
            self.sweeps.clear();
            find_exits(&mut self.groups, &mut self.region, &self.sweeps);
        }
    }
}

/// Returns the places of cells whose solids have changed, or move.
fn places_of_change(before: &Solids, now: &Solids) -> Vec<CellPlace> {
    let mut places: Vec<CellPlace> = Vec::new();
    let (mut old, mut new) = (before.cells.iter().peekable(), now.cells.iter().peekable());
    loop {
        let order = match (old.peek(), new.peek()) {
            (None, None) => break,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(a), Some(b)) => key_of(a.place).cmp(&key_of(b.place)),
        };
        let place = |cell: Option<&Covered>| cell.map(|cell| cell.place);
        match order {
            Ordering::Less => places.extend(place(old.next())),
            Ordering::Greater => places.extend(place(new.next())),
            Ordering::Equal => {
                let (a, b) = (old.next(), new.next());
                places.extend(place(a).filter(|_| a != b));
            }
        }
    }
    for face in now.faces.iter().filter(|face| face.speed != 0) {
        let CellPlace { x, y } = face.place;
        let before =
            if face.axis == 0 { (x.checked_sub(1), Some(y)) } else { (Some(x), y.checked_sub(1)) };
        places.push(face.place);
        places.extend(before.0.zip(before.1).map(|(x, y)| CellPlace { x, y }));
    }
    places
}

/// Returns the leaves at places of the base level, in their order.
fn leaves_at(places: &[CellPlace], forest: &Forest) -> Vec<LeafId> {
    let base = forest.base();
    let mut tiles: Vec<(u32, u32)> = places
        .iter()
        .map(|&place| TileKey::of_cell(base, place))
        .map(|tile| (tile.y, tile.x))
        .collect();
    // Places run along rows, so most repetitions are adjacent and need not be sorted.
    tiles.dedup();
    tiles.sort_unstable();
    tiles.dedup();
    let mut leaves: Vec<LeafId> =
        tiles.iter().filter_map(|&(y, x)| forest.covering(TileKey { level: base, x, y })).collect();
    leaves.sort_unstable();
    leaves.dedup();
    leaves
}
