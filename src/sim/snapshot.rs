//! Snapshots of some leaves at one moment, to come back to before the next cycle.
//!
//! Planes are shared with the simulation until it writes into them. An account that was opened
//! since is closed: nothing is left that books on it.

use crate::grid::LeafId;
use crate::sim::ledger::Ledger;
use crate::sim::state::State;
use crate::state::LeafState;

/// State of some leaves, and the facts of the next plan.
#[derive(Debug, Clone)]
pub struct LeafSnapshot {
    leaves: Vec<(LeafId, LeafState)>,
    /// Cycles for which each leaf has been idle: barriers wake leaves whose water stays.
    idle_cycles: Vec<u32>,
    woken: Vec<LeafId>,
    speeds: Vec<f64>,
    ledger: Ledger,
    tracers: Vec<Ledger>,
}

impl LeafSnapshot {
    /// Snapshot of these leaves, and of all around them.
    #[must_use]
    pub fn of(state: &State, leaves: &[LeafId]) -> Self {
        Self::of_leaves(state, state.leaves.near(leaves))
    }

    /// Present snapshot of the leaves of this snapshot.
    #[must_use]
    pub fn again(&self, state: &State) -> Self {
        Self::of_leaves(state, self.leaves.iter().map(|(leaf, _)| *leaf))
    }

    fn of_leaves(state: &State, leaves: impl IntoIterator<Item = LeafId>) -> Self {
        let of_leaf = |leaf| (leaf, state.leaves.state(leaf));
        Self {
            leaves: leaves.into_iter().map(of_leaf).collect(),
            idle_cycles: state.leaves.own.iter().map(|own| own.idle_cycles).collect(),
            woken: state.activity.woken.clone(),
            speeds: state.activity.speeds.clone(),
            ledger: state.ledger.clone(),
            tracers: state.tracers.ledgers(),
        }
    }

    /// Goes back to its moment, since which nothing but water of its leaves has changed.
    ///
    /// # Panics
    ///
    /// If the leaves have changed their levels since.
    pub(super) fn restore(self, state: &mut State) {
        let State { leaves, activity, ledger, tracers, .. } = state;
        assert_eq!(self.idle_cycles.len(), leaves.count(), "the leaves of that moment");
        for (own, idle_cycles) in leaves.own.iter_mut().zip(self.idle_cycles) {
            own.idle_cycles = idle_cycles;
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
