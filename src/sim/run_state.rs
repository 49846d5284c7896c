//! The state of a simulation apart from what it is made of, to keep it and to go on from it.
//!
//! Ground, forcing and laws come from the terrain and from what was asked for; all else that
//! decides how a run goes on stands here. Planes are shared with the simulation until it writes
//! into them, so taking the state of a leaf copies its rim and its edges only.
//!
//! Guarantees: a simulation that goes on from a state goes on as the one it was taken from, to the
//!             bit (`tests/engine/saved.rs`).
//! Limits:     between cycles only.

use crate::body::Solids;
use crate::forest::LeafIndex;
use crate::grid::TileKey;
use crate::sim::Simulation;
use crate::sim::barriers::BarrierState;
use crate::sim::ledger::Ledger;
use crate::sim::schedule::FixedRun;
use crate::sim::solids::memory::SolidMemory;
use crate::sim::tracers::Tracer;
use crate::state::LeafState;
use crate::structure::LinkState;
use crate::units::SimTime;
use serde::Serialize;

/// What a simulation keeps beside its leaves.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunState {
    /// The moment.
    pub time: SimTime,
    /// Length of the last automatic step, ticks.
    pub previous_step: u64,
    /// The run of fixed cycles that is under way.
    pub fixed_run: Option<FixedRun>,
    /// Largest speed for the Courant number by level, m/s, at the end of the last cycle.
    pub speeds: Vec<f64>,
    /// Leaves that were touched since the last cycle.
    pub roused: Vec<TileKey>,
    /// Where every unit came from and went.
    pub ledger: Ledger,
    /// The same of each tracer.
    pub tracers: Vec<Ledger>,
    /// What barriers remember, in their order.
    pub barriers: Vec<BarrierState>,
    /// What links do, by their numbers.
    pub links: Vec<(u32, LinkState)>,
    /// Solids, and what is remembered of the water among them; `None` where there are none.
    pub solids: Option<Box<(Solids, SolidMemory)>>,
}

/// Why a simulation cannot go on from a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StateMismatch {
    /// Which leaf does not fit; `None` for what stands beside the leaves.
    pub leaf: Option<LeafIndex>,
    /// What does not fit.
    pub what: &'static str,
}

impl Simulation {
    /// What it keeps beside its leaves.
    #[must_use]
    pub fn run_state(&self) -> RunState {
        let leaves = self.state.leaves.forest.leaves();
        RunState {
            time: self.state.clock.time,
            previous_step: self.state.clock.previous_step,
            fixed_run: self.state.clock.fixed_run,
            speeds: self.state.activity.speeds.clone(),
            roused: self.state.activity.roused.iter().map(|&leaf| leaves[leaf as usize]).collect(),
            ledger: self.state.ledger.clone(),
            tracers: self
                .state
                .tracers
                .all()
                .iter()
                .map(|tracer| tracer.ledger().clone())
                .collect(),
            barriers: self.state.barriers.all().iter().map(|standing| standing.state).collect(),
            links: self.state.links.states(),
            solids: self.state.solids.of_run(),
        }
    }

    /// All state of a leaf.
    #[must_use]
    pub fn leaf_state(&self, leaf: usize) -> LeafState {
        self.state.leaves.state(leaf)
    }

    /// Number of the last change of any leaf.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.state.leaves.revision
    }

    /// Number of the last change of a leaf: what it holds is what it held at every number from
    /// that on.
    #[must_use]
    pub fn changed_at(&self, leaf: usize) -> u64 {
        self.state.leaves.scratch[leaf].changed
    }

    /// Goes on from a state: `leaves` has that of each leaf in the order of the forest.
    ///
    /// # Errors
    ///
    /// [`StateMismatch`] where the state is none of this simulation: other leaves, faces or
    /// accounts, or a sum that is not what the ledger says. The simulation is of no further use
    /// then.
    pub fn restore(&mut self, run: RunState, leaves: Vec<LeafState>) -> Result<(), StateMismatch> {
        let mismatch = |what| StateMismatch { leaf: None, what };
        if leaves.len() != self.state.leaves.count() {
            return Err(mismatch("it has another count of leaves"));
        }
        let accounts = |ledger: &Ledger| -> Vec<String> {
            ledger.accounts().iter().map(|account| account.name.clone()).collect()
        };
        let own = accounts(&self.state.ledger);
        if run.tracers.len() != self.state.tracers.len()
            || run.tracers.iter().chain([&run.ledger]).any(|ledger| accounts(ledger) != own)
        {
            return Err(mismatch("it has other accounts or tracers"));
        }
        if run.speeds.len() != self.state.activity.speeds.len()
            || run.speeds.iter().any(|speed| !(0.0..1.0e9).contains(speed))
        {
            return Err(mismatch("its speeds are none, or of other levels"));
        }
        if !self.state.barriers.set_states(&run.barriers) {
            return Err(mismatch("it has another count of barriers"));
        }
        if !self.state.links.set_states(&run.links) {
            return Err(mismatch("it has other links"));
        }
        if let Some(solids) = run.solids {
            let (solids, memory) = *solids;
            if !self.state.solids.recall(solids, memory) {
                return Err(mismatch("its solids are out of order, or no numbers"));
            }
        }
        self.state.activity.roused.clear();
        for key in &run.roused {
            let leaf = self
                .state
                .leaves
                .forest
                .find(*key)
                .ok_or(mismatch("a leaf was roused that is none"))?;
            self.state.activity.roused.push(LeafIndex::try_from(leaf).expect("2⁴⁰ cells at most"));
        }
        (self.state.clock.time, self.state.clock.previous_step, self.state.activity.speeds) =
            (run.time, run.previous_step, run.speeds);
        self.state.clock.fixed_run = run.fixed_run;
        self.state.ledger = run.ledger;
        self.state.tracers.set_ledgers(run.tracers);
        for (index, state) in leaves.into_iter().enumerate() {
            let leaf = LeafIndex::try_from(index).ok();
            self.state
                .leaves
                .set_state(index, state)
                .map_err(|what| StateMismatch { leaf, what })?;
        }
        self.state.activity.list_all_awake(&self.state.leaves);
        let contents = (0..).zip(self.state.tracers.all());
        let is_kept = |(tracer, own): (usize, &Tracer)| -> bool {
            self.state.leaves.content_stored(tracer) == own.ledger().expected()
        };
        if self.state.leaves.stored() != self.state.ledger.expected()
            || !contents.into_iter().all(is_kept)
        {
            return Err(mismatch("its water is not what its ledger says"));
        }
        Ok(())
    }
}
