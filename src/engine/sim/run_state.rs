//! The state of a simulation without its setup, to keep it and to continue from it.
//!
//! Ground, forcing and laws are read from the terrain and from the setup; this state contains all
//! else that decides how a run continues. Planes are shared with the simulation until it writes
//! into them, so reading the state of a leaf copies its boundary faces and its interfaces only.
//!
//! Guarantees: a simulation that continues from a state gives the same results as the original one,
//!             to the bit (`tests/engine/saved.rs`).
//! Limits:     between cycles only.

use crate::body::Solids;
use crate::grid::{LeafId, TileKey};
use crate::sim::barriers::BarrierState;
use crate::sim::ledger::Ledger;
use crate::sim::schedule::FixedRun;
use crate::sim::solids::memory::SolidMemory;
use crate::sim::state::SimulationState;
use crate::sim::tracers::Tracer;
use crate::state::LeafState;
use crate::structure::LinkState;
use crate::units::SimTime;
use serde::Serialize;

/// State of a simulation outside its leaves.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunState {
    /// Time of the state.
    pub time: SimTime,
    /// Length of the last automatic step, ticks.
    pub previous_step: u64,
    /// The present run of fixed cycles.
    pub fixed_run: Option<FixedRun>,
    /// Largest speed for the Courant number by level, m/s, at the end of the last cycle.
    pub speeds: Vec<f64>,
    /// Leaves that were touched since the last cycle.
    pub woken: Vec<TileKey>,
    /// Source and sink of every unit of water.
    pub ledger: Ledger,
    /// Ledger of each tracer.
    pub tracers: Vec<Ledger>,
    /// States of the barriers, in their order.
    pub barriers: Vec<BarrierState>,
    /// States of the links, by their numbers.
    pub links: Vec<(u32, LinkState)>,
    /// Solids, and the state of the water among them; `None` if the world has no solids.
    pub solids: Option<Box<(Solids, SolidMemory)>>,
}

/// Reason why a simulation cannot continue from a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StateMismatch {
    /// Leaf that does not fit; `None` for a part outside the leaves.
    pub leaf: Option<LeafId>,
    /// Part that does not fit.
    pub what: &'static str,
}

impl RunState {
    /// Returns the state of a simulation outside its leaves.
    #[must_use]
    pub fn of(state: &SimulationState) -> Self {
        let SimulationState { leaves, activity, clock, .. } = state;
        let keys = leaves.forest.leaves();
        Self {
            time: clock.time,
            previous_step: clock.previous_step,
            fixed_run: clock.fixed_run,
            speeds: activity.speeds.clone(),
            woken: activity.woken.iter().map(|&leaf| keys[leaf]).collect(),
            ledger: state.ledger.clone(),
            tracers: state.tracers.ledgers(),
            barriers: state.barriers.all().iter().map(|standing| standing.state).collect(),
            links: state.links.states(),
            solids: state.solids.of_run(),
        }
    }

    /// Restores a simulation to this state: `leaves` has the state of each leaf in the order of the
    /// forest.
    ///
    /// # Errors
    ///
    /// [`StateMismatch`] if the state is not one of this simulation: different leaves, faces or
    /// accounts, or a sum that differs from the ledger. The simulation is of no further use then.
    pub(super) fn restore(
        self,
        state: &mut SimulationState,
        leaves: Vec<LeafState>,
    ) -> Result<(), StateMismatch> {
        let run = self;
        let SimulationState { leaves: table, activity, clock, ledger, tracers, .. } = state;
        let mismatch = |what| StateMismatch { leaf: None, what };
        if leaves.len() != table.count() {
            return Err(mismatch("it has another count of leaves"));
        }
        let accounts = |ledger: &Ledger| -> Vec<String> {
            ledger.accounts().iter().map(|account| account.name.clone()).collect()
        };
        let own = accounts(ledger);
        if run.tracers.len() != tracers.len()
            || run.tracers.iter().chain([&run.ledger]).any(|ledger| accounts(ledger) != own)
        {
            return Err(mismatch("it has other accounts or tracers"));
        }
        if run.speeds.len() != activity.speeds.len()
            // Plans divide by these numbers, which come from a file. A NaN is in no range.
            || run.speeds.iter().any(|speed| !(0.0..1.0e9).contains(speed))
        {
            return Err(mismatch("its speeds are out of range, or of other levels"));
        }
        if !state.barriers.set_states(&run.barriers) {
            return Err(mismatch("it has another count of barriers"));
        }
        if !state.links.set_states(&run.links) {
            return Err(mismatch("it has other links"));
        }
        if let Some(solids) = run.solids {
            let (solids, memory) = *solids;
            if !state.solids.recall(solids, memory) {
                return Err(mismatch("its solids are out of order, or no numbers"));
            }
        }
        activity.woken.clear();
        for key in &run.woken {
            let leaf = table
                .forest
                .find(*key)
                .ok_or(mismatch("a tile was woken that the world does not have"))?;
            activity.woken.push(leaf);
        }
        (clock.time, clock.previous_step, activity.speeds) =
            (run.time, run.previous_step, run.speeds);
        clock.fixed_run = run.fixed_run;
        *ledger = run.ledger;
        tracers.set_ledgers(run.tracers);
        for (leaf, state) in table.forest.ids().zip(leaves) {
            let mismatch = |what| StateMismatch { leaf: Some(leaf), what };
            table.set_state(leaf, state).map_err(mismatch)?;
        }
        activity.list_all_awake(table);
        let contents = (0..).zip(tracers.all());
        let is_kept = |(tracer, own): (usize, &Tracer)| -> bool {
            table.content_stored(tracer) == own.ledger().expected()
        };
        if table.stored() != ledger.expected() || !contents.into_iter().all(is_kept) {
            return Err(mismatch("its water is not what its ledger says"));
        }
        Ok(())
    }
}
