//! One cycle, phase by phase, and the levels' steps in it, one inside the other.
//!
//! ```text
//! cycle              1  barriers and solids of this cycle
//!                    2  which leaves are awake, what arrives, how long a step is
//!                    3  water that solids touch is lifted out of the planes
//!                    4  steps
//!                    5  that water is lowered into the planes again
//!                    6  ledger, idle times, the speed for the next plan
//! ```
//!
//! Phase 4 is a list ([`phases`](crate::sim::phases)) that a game may go through in parts, frame by
//! frame; the remaining phases are done at once.

use crate::grid::LeafId;
use crate::sim::arrivals::{BEFORE_THE_FIRST, expect_arrivals};
use crate::sim::leaf_steps;
use crate::sim::params::Params;
use crate::sim::phases::{Allowance, Phases};
use crate::sim::schedule::{self, CycleEnd, CyclePlan, CycleReport, FixedRun, FixedStep};
use crate::sim::settings::StepsOf;
use crate::sim::sleep::wake_and_sleep;
use crate::sim::state::SimulationState;
use crate::sim::table::{LeafScratch, LeafTable, pick};
use crate::state::StackState;
use crate::tile::MapKinds;
use crate::units::{SimTime, maths};
use rayon::prelude::*;

/// A cycle that has begun.
#[derive(Debug)]
pub struct Cycle {
    plan: CyclePlan,
    phases: Phases,
}

/// Begins a cycle.
pub(super) fn begin(state: &mut SimulationState, params: &Params, end: CycleEnd) -> Cycle {
    match end {
        CycleEnd::Until(until) => begin_automatic(state, params, until),
        CycleEnd::Fixed(step) => begin_fixed(state, params, step),
    }
}

/// Runs a cycle on the processor.
pub(super) fn run(state: &mut SimulationState, params: &Params, end: CycleEnd) -> CycleReport {
    let mut cycle = begin(state, params, end);
    cycle.advance(state, params, &mut Allowance::Whole);
    cycle.end(state, params)
}

/// Begins an automatic cycle that ends at `until` at the latest; flood maps look at each leaf at
/// the end of its last step.
fn begin_automatic(state: &mut SimulationState, params: &Params, until: SimTime) -> Cycle {
    let left = until.since(state.clock.time);
    begin_structures(state, params);
    let (previous, log2) = (state.clock.previous_step, params.settings.substeps_log2);
    let longest = state.activity.longest_step(params);
    // The end of the cycle decides what wakes and what arrives, and these decide its end. So it is
    // planned twice: the first plan gives the latest end.
    let (plan, _) = schedule::automatic(longest, previous, log2, left);
    let end = state.clock.time.after(plan.ticks);
    wake_and_sleep(state, params, end);
    let is_first = expect_arrivals(state, params, end, previous == 0);
    let previous = if is_first { BEFORE_THE_FIRST } else { previous };
    let longest = state.activity.longest_step(params);
    // Forcing wakes leaves for the first plan alone: this cycle is no longer than that.
    let (plan, step) = schedule::automatic(longest, previous, log2, plan.ticks);
    (state.clock.previous_step, state.clock.fixed_run) = (step, None);
    begin_plan(state, params, plan)
}

/// Begins a cycle of a fixed step, as games do; see [`schedule`].
fn begin_fixed(state: &mut SimulationState, params: &Params, step: FixedStep) -> Cycle {
    let (start, cycle) = match state.clock.fixed_run {
        Some(run) if run.step == step => (run.start, run.cycle + 1),
        _ => (state.clock.time, 1),
    };
    let end = start.after(step.end_of(cycle).ticks());
    let ticks = end.since(state.clock.time);
    begin_structures(state, params);
    wake_and_sleep(state, params, end);
    // The length of the cycle is given, so the first one of a run is no shorter.
    expect_arrivals(state, params, end, false);
    let longest = state.activity.longest_step(params);
    let plan = schedule::fixed(longest, params.settings.substeps_log2, ticks);
    state.clock.fixed_run = Some(FixedRun { start, cycle, step });
    begin_plan(state, params, plan)
}

/// Runs phase 1 of a cycle.
fn begin_structures(state: &mut SimulationState, params: &Params) {
    let SimulationState { barriers, solids, stacks, leaves, activity, clock, .. } = state;
    let moved = barriers.begin(clock.time, leaves);
    activity.disturb(leaves, moved);
    solids.begin(leaves, barriers, params);
    stacks.begin(leaves, params);
}

/// Runs phase 3 of a cycle, and lists its phase 4.
fn begin_plan(state: &mut SimulationState, params: &Params, plan: CyclePlan) -> Cycle {
    let mut phases = Phases::none(state.clock.time);
    if plan.ticks > 0 {
        state.solids.region.lift(&mut state.leaves, state.tracers.len());
        let region = &state.solids.region;
        state.stacks.lift(&state.leaves, params.unit_m, region);
        leaf_steps::begin(state, params, plan);
        phases = Phases::of(state, params, plan);
    }
    Cycle { plan, phases }
}

impl Cycle {
    /// Continues phase 4 within the allowance; returns true if all of it is done.
    pub(super) fn advance(
        &mut self,
        state: &mut SimulationState,
        params: &Params,
        allowance: &mut Allowance<'_>,
    ) -> bool {
        let (tick, steps) = (state.clock.time.ticks(), self.plan.steps);
        let _span = tracing::debug_span!("cycle", tick, steps).entered();
        self.phases.advance(state, params, allowance)
    }

    /// Returns the phases of phase 4.
    pub(super) fn phases_mut(&mut self) -> &mut Phases {
        &mut self.phases
    }

    /// Returns the cell-steps that were done so far, and those that are left.
    #[must_use]
    pub fn cell_steps(&self, state: &SimulationState) -> [u64; 2] {
        [self.phases.cell_steps, self.phases.cell_steps_left(state)]
    }

    /// Runs phases 5 and 6, when phase 4 is done.
    pub(super) fn end(self, state: &mut SimulationState, params: &Params) -> CycleReport {
        let Self { plan, phases } = self;
        if plan.ticks == 0 {
            return report(state, params, plan);
        }
        state.clock.time = state.clock.time.after(plan.ticks);
        leaf_steps::end(state);
        state.solids.lower(&mut state.leaves, params);
        state.stacks.lower(&mut state.leaves, params.unit_m);
        look_below(state);
        let least_cell_steps = close_books(state, params, plan);
        let cell_steps = phases.cell_steps;
        CycleReport { cell_steps, least_cell_steps, ..report(state, params, plan) }
    }
}

/// Lets flood maps look at the intervals of leaves that are awake.
fn look_below(state: &mut SimulationState) {
    let SimulationState { leaves, activity, .. } = state;
    let LeafTable { own, maps, .. } = leaves;
    if !maps.first().is_some_and(|maps| maps.kinds().has(MapKinds::DEPTH)) {
        return;
    }
    let intervals = |leaf: LeafId| {
        let stack: Option<&StackState> = own[leaf].stack.as_deref();
        stack.map_or(&[][..], |stack| &stack.intervals)
    };
    let has_some = |leaf: &LeafId| {
        // A leaf whose last interval was closed looks once more, which drops its maxima.
        let seen = maps[leaf.index()].below();
        !intervals(*leaf).is_empty() || seen.is_ok_and(|below| !below.all().is_empty())
    };
    let mut awake: Vec<LeafId> =
        activity.awake.iter().flatten().copied().filter(has_some).collect();
    // `pick` needs leaves that ascend, and `awake` lists them level by level.
    awake.sort_unstable();
    let work: Vec<_> = pick(maps, &awake).into_iter().zip(&awake).collect();
    work.into_par_iter().for_each(|(maps, &leaf)| maps.look_below(intervals(leaf)));
}

/// Settles the bookings of the cycle, and brings idle times and speeds up to date. Returns
/// [`CycleReport::least_cell_steps`].
fn close_books(state: &mut SimulationState, params: &Params, plan: CyclePlan) -> f64 {
    let SimulationState { leaves, ledger, tracers, sections, activity, .. } = state;
    sections.begin_settling(plan.ticks);
    let mut least = 0.0;
    activity.speeds.fill(0.0);
    for &leaf in activity.awake.iter().flatten() {
        let level = leaves.forest.leaves()[leaf].level;
        let cells = leaves.cells_of(leaf);
        let (own, scratch) = (&mut leaves.own[leaf], &mut leaves.scratch[leaf]);
        scratch.bookings.settle(ledger, cells);
        tracers.settle(&mut scratch.content_bookings, cells);
        sections.settle(&mut scratch.passed, cells);
        let faces = &scratch.seen.faces;
        own.flow_depth_max = faces.flow_depth_max;
        let before = params.idle_before_sleep(level, own.flow_depth_max);
        let idle = params.idle_in_cycle(plan.ticks, before, scratch.is_idle);
        own.idle = if faces.is_active { 0 } else { own.idle.saturating_add(idle) };
        let most = &mut activity.speeds[usize::from(level)];
        let pace = maths::max(faces.pace_max, std::mem::take(&mut scratch.pace_at_ends));
        let is_by_leaf = params.settings.steps == StepsOf::Leaf;
        own.pace = is_by_leaf.then_some(pace);
        let pace = f64::from(pace);
        *most = most.max(pace);
        least += least_cell_steps(scratch, (level, pace), params, plan);
    }
    sections.end_settling();
    activity.add_viscous_speeds(params);
    least
}

/// Returns the report of a cycle without its [`CycleReport::cell_steps`] and
/// [`CycleReport::least_cell_steps`], and without the counts that only the world has: bodies and
/// criteria.
fn report(state: &SimulationState, params: &Params, plan: CyclePlan) -> CycleReport {
    let SimulationState { leaves, activity, clock, .. } = state;
    let dt_s = SimTime::from_ticks(plan.ticks).seconds() / f64::from(plan.steps);
    let awake = || activity.awake.iter().flatten().map(|&leaf| &leaves.scratch[leaf]);
    let (width, speed) = activity.pace(params);
    CycleReport {
        time: clock.time,
        ticks: plan.ticks,
        steps: plan.steps,
        // A cycle of no ticks has no steps: `dt_s` is NaN.
        courant: if plan.ticks == 0 { 0.0 } else { speed * dt_s / width },
        awake: awake().count(),
        cell_steps: 0,
        wet_cell_steps: awake().map(|leaf| leaf.seen.cells).sum(),
        least_cell_steps: 0.0,
        clamped: awake().map(|leaf| u64::from(leaf.seen.faces.clamped)).sum(),
        limited: awake().map(|leaf| u64::from(leaf.seen.limited)).sum(),
        unblocked_cells: state.solids.region.unblocked,
        unblocked_bodies: 0,
        missing_criteria: 0,
    }
}

/// Returns the cell-steps near water of a cycle of a leaf, had it taken the longest steps that its
/// pace allows: one at least, and as many as it took at most.
#[expect(clippy::cast_precision_loss, reason = "counts")]
fn least_cell_steps(
    scratch: &LeafScratch,
    (level, pace): (u8, f64),
    params: &Params,
    plan: CyclePlan,
) -> f64 {
    let longest = params.longest_step(level, pace);
    let steps = f64::from(scratch.steps.max(1));
    let least = (plan.ticks as f64 / longest as f64).clamp(1.0, steps);
    scratch.seen.cells as f64 * least / steps
}
