//! Leaves that are stepped apart from the rest: a part of the leaves that are awake.
//!
//! ```text
//! touched     links end there, barriers stand, solids lie, intervals are stacked
//! apart       those, all around them, and whatever hangs on these: across levels, at an edge that
//!             is no wall, and with tracers along finer leaves asleep
//! seam        leaves apart beside leaves that are not: all of one level, of which the other side
//!             reads ground and water
//! ```
//!
//! A step of the leaves apart reads the water of the rest beside the seam, and vice versa: its
//! values when the phase [`Begin`](super::phases::Phase::Begin) of their level is over.
//!
//! Guarantees: the same bits as in one go, on any devices that step the two parts
//!             (`tools/gpu/tests/card/apart.rs`).

use crate::grid::LeafId;
use crate::sim::card::beside_planes;
use crate::sim::state::SimulationState;
use crate::sim::structure_leaves::with_structures;
use crate::sim::table::LeafTable;

/// Leaves that are awake, by level, in two parts.
#[derive(Debug, Clone)]
pub struct Apart {
    /// Whether each leaf is apart.
    is_apart: Vec<bool>,
    /// Leaves that are apart, in their order.
    pub leaves: Vec<LeafId>,
    /// Leaves that are not apart.
    others: Vec<LeafId>,
}

impl Apart {
    /// Returns the leaves apart in a cycle that has begun; `None` if nothing touches any that is
    /// awake.
    #[must_use]
    pub fn of(state: &SimulationState) -> Option<Self> {
        let SimulationState { leaves, activity, .. } = state;
        beside_planes(state)?;
        let touched: Vec<LeafId> =
            with_structures(state).filter(|leaf| !leaves.asleep[*leaf]).collect();
        if touched.is_empty() {
            return None;
        }
        let is_apart = vec![false; leaves.count()];
        let mut found = Self { is_apart, leaves: Vec::new(), others: Vec::new() };
        touched.iter().for_each(|&leaf| found.add(leaf));
        for leaf in touched {
            leaves.forest.near(leaf).for_each(|beside| found.add_awake(leaves, beside));
        }
        let mut next = 0;
        // Leaves that hang on this one join the end of the list, so theirs are found in turn.
        while let Some(&leaf) = found.leaves.get(next) {
            found.add_what_hangs_on(state, leaf);
            next += 1;
        }
        let awake = activity.awake.iter().flatten().copied();
        found.others = awake.filter(|leaf| !found.is_apart[leaf.index()]).collect();
        found.others.sort_unstable();
        // `pick` needs leaves that ascend, and the search found them in another order.
        found.leaves.sort_unstable();
        Some(found)
    }

    /// Returns the leaves that are not apart.
    #[must_use]
    pub fn others(&self) -> &[LeafId] {
        &self.others
    }

    /// Returns true if more leaves are apart than not.
    #[must_use]
    pub fn is_most(&self) -> bool {
        self.leaves.len() > self.others.len()
    }

    /// Returns true if a leaf is apart.
    #[must_use]
    pub fn has(&self, leaf: LeafId) -> bool {
        self.is_apart[leaf.index()]
    }

    fn add(&mut self, leaf: LeafId) {
        if !std::mem::replace(&mut self.is_apart[leaf.index()], true) {
            self.leaves.push(leaf);
        }
    }

    fn add_awake(&mut self, leaves: &LeafTable, leaf: LeafId) {
        if !leaves.asleep[leaf] {
            self.add(leaf);
        }
    }

    /// Adds leaves of different levels beside one, as registers are shared; if either is at an edge
    /// that is no wall, the leaves beside it, as boundary faces scale the discharges around them;
    /// and if either is beside sleeping finer leaves, as contents move between its registers there
    /// and its cells in a step. Finer leaves awake depend on both.
    fn add_what_hangs_on(
        &mut self,
        SimulationState { leaves, tracers, .. }: &SimulationState,
        leaf: LeafId,
    ) {
        let is_edge = |leaf: LeafId| !leaves.own[leaf].boundary.is_empty();
        let level = |leaf: LeafId| leaves.forest.leaves()[leaf].level;
        let rests = |leaf: LeafId| {
            let is_finer = |beside: LeafId| level(beside) < level(leaf) && leaves.asleep[beside];
            !tracers.is_empty() && leaves.forest.near(leaf).any(is_finer)
        };
        let is_bound = |leaf: LeafId| is_edge(leaf) || rests(leaf);
        let hangs =
            |beside: &LeafId| level(*beside) != level(leaf) || is_bound(leaf) || is_bound(*beside);
        for beside in leaves.forest.near(leaf).filter(hangs) {
            self.add_awake(leaves, beside);
        }
    }
}
