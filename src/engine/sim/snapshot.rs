//! Snapshots of some leaves at one moment, to restore them before the next cycle.
//!
//! Planes are shared with the simulation until it writes into them. An account that was opened
//! since is closed: nothing books on it any more.

use crate::grid::{LeafId, TILE_CELLS};
use crate::sim::ledger::Ledger;
use crate::sim::state::SimulationState;
use crate::state::{LeafState, StackState};

/// Bytes of an account apart from its name, of a leaf in a list, and of an empty snapshot: the
/// choice of the snapshots that are kept must not depend on the width of an address.
const ACCOUNT_BYTES: usize = 64;
const LISTED_BYTES: usize = 8;
const OWN_BYTES: usize = 256;

/// Bytes of an interval, and of a face with flow.
const INTERVAL_BYTES: usize = 20;

/// State of some leaves, and the values that the next plan needs.
#[derive(Debug, Clone)]
pub struct LeafSnapshot {
    leaves: Vec<(LeafId, LeafState)>,
    /// Count of all leaves.
    count: usize,
    /// Idle cycles of the leaves that the act woke, oldest last: barriers wake leaves whose water
    /// stays.
    idle: Vec<(LeafId, u32)>,
    woken: Vec<LeafId>,
    speeds: Vec<f64>,
    ledger: Ledger,
    tracers: Vec<Ledger>,
}

impl LeafSnapshot {
    /// Returns a snapshot of these leaves, before an act.
    #[must_use]
    pub fn of(state: &SimulationState, leaves: impl IntoIterator<Item = LeafId>) -> Self {
        let of_leaf = |leaf| (leaf, state.leaves.state(leaf));
        Self {
            leaves: leaves.into_iter().map(of_leaf).collect(),
            count: state.leaves.count(),
            idle: Vec::new(),
            woken: state.activity.woken.clone(),
            speeds: state.activity.speeds.clone(),
            ledger: state.ledger.clone(),
            tracers: state.tracers.ledgers(),
        }
    }

    /// Returns a present snapshot of the leaves of this snapshot.
    #[must_use]
    pub fn again(&self, state: &SimulationState) -> Self {
        let idle = |&(leaf, _): &(LeafId, u32)| (leaf, state.leaves.own[leaf].idle);
        Self {
            idle: self.idle.iter().map(idle).collect(),
            ..Self::of(state, self.leaves.iter().map(|(leaf, _)| *leaf))
        }
    }

    /// Returns its size in bytes, as if no plane were shared; the same number on every machine.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let of_leaf = |(_, leaf): &(LeafId, LeafState)| {
            let contents = leaf.water.contents.len() * size_of::<i64>();
            let infiltrated = leaf.infiltrated.as_ref().map_or(0, |_| size_of::<i32>());
            let stack = leaf.stack.as_ref().map_or(0, |stack| {
                let StackState { intervals, flows, contents } = &**stack;
                INTERVAL_BYTES * (intervals.len() + flows.len()) + 8 * contents.len()
            });
            // A depth and two discharges of a cell have 4 bytes each.
            TILE_CELLS * (12 + contents + infiltrated) + stack
        };
        let of_ledger = |ledger: &Ledger| -> usize {
            ledger.accounts().iter().map(|own| ACCOUNT_BYTES + own.name.len()).sum()
        };
        let ledgers: usize = self.tracers.iter().chain([&self.ledger]).map(of_ledger).sum();
        let lists = LISTED_BYTES * (self.idle.len() + self.woken.len());
        self.leaves.iter().map(of_leaf).sum::<usize>() + ledgers + lists + OWN_BYTES
    }

    /// Adds the leaves that the act woke, after the act.
    pub fn take_stirred(&mut self, state: &SimulationState) {
        self.idle.extend(state.leaves.stirred.iter().rev());
    }

    /// Restores its moment, since which nothing but water of its leaves has changed.
    ///
    /// # Panics
    ///
    /// If the leaves have changed their levels since.
    pub(super) fn restore(self, state: &mut SimulationState) {
        let SimulationState { leaves, activity, ledger, tracers, .. } = state;
        assert_eq!(self.count, leaves.count(), "the leaves of that moment");
        let stirred = std::mem::take(&mut leaves.stirred);
        // A leaf may be in `stirred` twice: reversed, its oldest value comes last and stays.
        let idle: Vec<(LeafId, u32)> = stirred.into_iter().rev().chain(self.idle).collect();
        leaves.mark(idle.iter().map(|(leaf, _)| *leaf));
        for (leaf, idle) in idle {
            leaves.own[leaf].idle = idle;
        }
        leaves.mark(self.leaves.iter().map(|(leaf, _)| *leaf));
        for (leaf, state) in self.leaves {
            leaves.set_state(leaf, state).expect("a state of the same leaf");
        }
        (activity.woken, activity.speeds) = (self.woken, self.speeds);
        *ledger = self.ledger;
        tracers.go_back(self.tracers);
    }
}
