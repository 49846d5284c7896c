//! What some leaves are at one moment, to come back to before the next cycle.
//!
//! Planes are shared with the simulation until it writes into them. An account that was opened
//! since is closed: nothing is left that books on it.

use crate::forest::LeafIndex;
use crate::sim::Simulation;
use crate::sim::ledger::Ledger;
use crate::state::LeafState;

/// What some leaves are, and what the next plan knows.
#[derive(Debug, Clone)]
pub struct LeafSnapshot {
    leaves: Vec<(LeafIndex, LeafState)>,
    /// Cycles for which each leaf has been quiet: barriers wake leaves whose water stays.
    quiet: Vec<u32>,
    roused: Vec<LeafIndex>,
    speeds: Vec<f64>,
    ledger: Ledger,
    tracers: Vec<Ledger>,
}

impl Simulation {
    /// What these leaves are, and all around them.
    #[must_use]
    pub fn snapshot(&self, leaves: &[LeafIndex]) -> LeafSnapshot {
        self.snapshot_of(self.state.leaves.near(leaves))
    }

    /// What the leaves of another snapshot are now.
    #[must_use]
    pub fn snapshot_like(&self, other: &LeafSnapshot) -> LeafSnapshot {
        self.snapshot_of(other.leaves.iter().map(|(leaf, _)| *leaf))
    }

    fn snapshot_of(&self, leaves: impl IntoIterator<Item = LeafIndex>) -> LeafSnapshot {
        let of_leaf = |leaf| (leaf, self.leaf_state(leaf as usize));
        LeafSnapshot {
            leaves: leaves.into_iter().map(of_leaf).collect(),
            quiet: self.state.leaves.own.iter().map(|own| own.quiet).collect(),
            roused: self.state.activity.roused.clone(),
            speeds: self.state.activity.speeds.clone(),
            ledger: self.state.ledger.clone(),
            tracers: self
                .state
                .tracers
                .all()
                .iter()
                .map(|tracer| tracer.ledger().clone())
                .collect(),
        }
    }

    /// Goes back to a moment since which nothing but water of its leaves has changed.
    ///
    /// # Panics
    ///
    /// If the leaves have changed their levels since.
    pub fn go_back(&mut self, snapshot: LeafSnapshot) {
        assert_eq!(snapshot.quiet.len(), self.state.leaves.count(), "the leaves of that moment");
        for (own, quiet) in self.state.leaves.own.iter_mut().zip(snapshot.quiet) {
            own.quiet = quiet;
        }
        self.state.leaves.mark(snapshot.leaves.iter().map(|(leaf, _)| *leaf).collect::<Vec<_>>());
        for (leaf, state) in snapshot.leaves {
            self.state.leaves.set_state(leaf as usize, state).expect("a state of the same leaf");
        }
        (self.state.activity.roused, self.state.activity.speeds) =
            (snapshot.roused, snapshot.speeds);
        self.state.ledger = snapshot.ledger;
        self.state.tracers.go_back(snapshot.tracers);
    }
}
