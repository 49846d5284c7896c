//! Solids in the water: what blocks, the water over and under it.
//!
//! ```text
//!        upper            kernel   all cells that no solid touches
//!   ≈≈≈≈≈≈≈≈≈≈≈≈≈≈≈       region   the others, and the faces around them: a node for the water
//!   ≈≈≈┌───────┐≈≈≈                of a cell, or two where a solid covers 95 % of it and more
//!   ≈≈≈│ solid │≈≈≈       passage  where the water of two nodes meets: between the higher floor
//!   ≈≈≈└───────┘≈≈≈                and the lower roof
//!   ≈≈≈≈≈ lower ≈≈≈
//!   ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓
//! ```
//!
//! While a cycle runs, the water of touched cells is taken out of the planes, and the kernel takes
//! the cells for ground outside the world. Before each of its steps the heads of all nodes are
//! found, what passes is rounded to whole units, cut to what there is, and moved. Between cycles
//! planes hold all the water of a cell, over and under solids, so that regridding, saving, queries
//! and the ledger know no solids; how much of it stands over them is state beside the planes.
//!
//! A solid that comes down on water makes room smaller: heads rise until it flows out, up to a
//! bound; what is left over goes to the water above, or to the nearest open cell, or waits. One
//! that moves sideways takes along what is beside it: [`sweep`].
//!
//! Rain, sinks, inflows and the mouths of links move the water of touched cells as that of others,
//! and samples see it ([`look`]).
//!
//! Guarantees: not a unit is made or lost; no head above the highest still one but by impact; the
//!             same bits for any number of threads.
//! Limits:     the water of touched cells has no transport of momentum, and gives none to open
//!             cells; solids block in flat leaves of the base level, not beside another level nor
//!             at open edges; of a barrier in cells that they touch only its crest counts, whole; a
//!             link takes nothing where a solid stands on its mouth.
//! Source:     own; heads: [`heads`].

mod cell_parts;
mod covered;
mod find;
pub mod group;
pub mod heads;
pub mod law;
pub mod lift;
pub mod look;
pub mod memory;
mod mouths;
pub mod region;
mod step;
pub mod sweep;

use crate::body::Solids;
use crate::forest::LeafIndex;
use crate::sim::Simulation;
use crate::sim::solids::memory::SolidMemory;
use crate::sim::solids::region::Region;

/// Solids, and the water that they touch.
#[derive(Debug, Default)]
pub struct SolidField {
    /// The solids.
    pub solids: Solids,
    /// Cells, nodes and passages; empty where it is stale.
    pub region: Region,
    /// Memory of the region from before leaves changed, or from a file: for the next region.
    pub memory: SolidMemory,
    /// The region is to be made again.
    pub is_stale: bool,
}

impl Simulation {
    /// Puts solids in the place of those there are. Who is beside one that came, went or moved
    /// wakes.
    pub fn set_solids(&mut self, solids: Solids) {
        if self.state.solids.solids == solids {
            return;
        }
        let before = std::mem::replace(&mut self.state.solids.solids, solids);
        let moved = self.leaves_of_change(&before);
        for &leaf in &moved {
            self.state.leaves.own[leaf as usize].quiet = 0;
        }
        self.state.leaves.mark(moved.iter().copied());
        self.state.activity.roused.extend(moved);
        self.forget_region();
        if self.state.solids.solids.is_empty() {
            // Nothing is left to remember: a file would not tell of it.
            self.state.solids.memory = SolidMemory::default();
        }
    }

    /// Wakes all leaves of groups of which one wakes: none is awake in part.
    pub(in crate::sim) fn wake_groups(&self, wakes: &mut Vec<LeafIndex>) {
        let is_awake = |leaf: &LeafIndex| wakes.binary_search(leaf).is_ok();
        let groups = self.state.solids.region.groups.iter();
        let woken = groups.filter(|group| group.leaves.iter().any(is_awake));
        let leaves: Vec<LeafIndex> =
            woken.flat_map(|group| &group.leaves).copied().filter(|leaf| !is_awake(leaf)).collect();
        if !leaves.is_empty() {
            wakes.extend(leaves);
            wakes.sort_unstable();
            wakes.dedup();
            self.wake_groups(wakes);
        }
    }

    /// Stops the passages of groups that sleep.
    pub(in crate::sim) fn rest_solids(&mut self) {
        let region = &mut self.state.solids.region;
        for group in &region.groups {
            if group.leaves.iter().any(|&leaf| self.state.leaves.asleep[leaf as usize]) {
                for &passage in &group.passages {
                    region.passages[passage as usize].q = 0.0;
                }
            }
        }
    }

    /// The solids.
    #[must_use]
    pub fn solids(&self) -> &SolidField {
        &self.state.solids
    }
}
