//! One cycle, phase by phase, and the levels' steps in it, one inside the other.
//!
//! ```text
//! cycle              1  barriers and solids of this cycle
//!                    2  which leaves are awake, what arrives, how long a step is
//!                    3  water that solids touch is lifted out of the planes
//!                    4  steps
//!                    5  that water is lowered into the planes again
//!                    6  ledger, idle cycles, the speed for the next plan
//!
//! step of level L    1  links, boundary, solids; leaves beside finer ones note their water
//!                    2  twice (once beyond the K-th level):
//!                         show the moment to finer leaves → step of level L − 1 → collect
//!                       leaves beside finer ones take the content that came
//!                    3  kernel of every awake leaf: transfers, depths, discharges
//! ```
//!
//! Level L steps with `Δt₀ · 2^min(L, K)`, levels counted from the finest that is awake. Leaves of
//! one level step in parallel: each reads the old water of all and writes its own new.

use crate::flow::params::StepParams;
use crate::flow::terms::Terms;
use crate::forest::interfaces::{LeafInterfaces, Leaves};
use crate::grid::{LeafId, TILE_CELLS};
use crate::sim::arrivals::{BEFORE_THE_FIRST, expect_arrivals};
use crate::sim::boundary_step::step_boundary;
use crate::sim::leaf::StepContext;
use crate::sim::links::LinkStep;
use crate::sim::maps::LeafMaps;
use crate::sim::params::Params;
use crate::sim::schedule::{self, CyclePlan, CycleReport, FixedRun, FixedStep, longest_step};
use crate::sim::settings::Settings;
use crate::sim::sleep::wake_and_sleep;
use crate::sim::solids::covered::CoveredForcing;
use crate::sim::solids::look::SolidLook;
use crate::sim::state::State;
use crate::sim::table::{LeafScratch, LeafTable, LeafWork, pick};
use crate::units::{SimTime, maths};
use rayon::prelude::*;
use std::ops::Range;

/// A cycle under way.
struct Cycle<'a> {
    state: &'a mut State,
    params: &'a Params,
    plan: CyclePlan,
    start: SimTime,
    /// Finest level that is awake.
    finest: u8,
    /// Cells stepped so far, each as often as it was.
    cell_steps: u64,
}

/// Runs one automatic cycle that ends at `until` at the latest; flood maps look at each leaf at the
/// end of its last step.
pub(super) fn run_automatic(state: &mut State, params: &Params, until: SimTime) -> CycleReport {
    let left = until.since(state.clock.time);
    begin_structures(state, params);
    let (previous, log2) = (state.clock.previous_step, params.settings.substeps_log2);
    let longest = state.activity.longest_step(params);
    let (plan, _) = schedule::automatic(longest, previous, log2, left);
    let end = state.clock.time.after(plan.ticks);
    wake_and_sleep(state, params, end);
    let has_news = expect_arrivals(state, params, end);
    let is_first = previous == 0 && has_news;
    let previous = if is_first { BEFORE_THE_FIRST } else { previous };
    let longest = state.activity.longest_step(params);
    // Forcing wakes leaves for the first plan alone: this cycle is no longer than that.
    let (plan, step) = schedule::automatic(longest, previous, log2, plan.ticks);
    state.clock.previous_step = step;
    state.clock.fixed_run = None;
    run_plan(state, params, plan)
}

/// Runs one cycle of a fixed step, as games do; see [`schedule`].
pub(super) fn run_fixed(state: &mut State, params: &Params, step: FixedStep) -> CycleReport {
    let (start, cycle) = match state.clock.fixed_run {
        Some(run) if run.step == step => (run.start, run.cycle + 1),
        _ => (state.clock.time, 1),
    };
    let end = start.after(step.end_of(cycle).ticks());
    let ticks = end.since(state.clock.time);
    begin_structures(state, params);
    wake_and_sleep(state, params, end);
    expect_arrivals(state, params, end);
    let longest = state.activity.longest_step(params);
    let plan = schedule::fixed(longest, params.settings.substeps_log2, ticks);
    let report = run_plan(state, params, plan);
    state.clock.fixed_run = Some(FixedRun { start, cycle, step });
    report
}

/// Phase 1 of a cycle.
fn begin_structures(state: &mut State, params: &Params) {
    let State { barriers, solids, leaves, activity, clock, .. } = state;
    let moved = barriers.begin(clock.time, leaves);
    activity.disturb(leaves, moved);
    solids.begin(leaves, barriers, params);
}

/// Phases 3 to 6 of a cycle.
fn run_plan(state: &mut State, params: &Params, plan: CyclePlan) -> CycleReport {
    let start = state.clock.time;
    if plan.ticks == 0 {
        return report(state, params, plan);
    }
    let _span = tracing::debug_span!("cycle", tick = start.ticks(), steps = plan.steps).entered();
    let mut cell_steps = 0;
    state.solids.region.lift(&mut state.leaves, state.tracers.len());
    if let Some((finest, coarsest)) = state.activity.levels_awake() {
        let mut cycle = Cycle { state: &mut *state, params, plan, start, finest, cell_steps };
        let longest = cycle.span_of(coarsest);
        for from in (0..plan.steps).step_by(longest as usize) {
            cycle.run_level(coarsest, from..plan.steps.min(from + longest));
        }
        cell_steps = cycle.cell_steps;
    }
    state.clock.time = start.after(plan.ticks);
    state.solids.lower(&mut state.leaves, params);
    let least_cell_steps = close_books(state, params, plan);
    CycleReport { cell_steps, least_cell_steps, ..report(state, params, plan) }
}

impl Cycle<'_> {
    /// The moment at which finest step `step` begins.
    fn at(&self, step: u32) -> SimTime {
        self.start.after(self.plan.start_of(step))
    }

    /// Finest steps in a step of `level`.
    fn span_of(&self, level: u8) -> u32 {
        1 << (level - self.finest).min(self.params.settings.substeps_log2)
    }

    /// One step of `level` over some finest steps, those of finer levels inside it.
    fn run_level(&mut self, level: u8, steps: Range<u32>) {
        let (from, to) = (self.at(steps.start), self.at(steps.end));
        let is_awake = !self.state.activity.awake[usize::from(level)].is_empty();
        let step = self.params.of_step(level, from, to);
        if is_awake {
            self.move_sources(level, (&step, from, to));
            self.each_interface(level, |interfaces, leaves, leaf| {
                interfaces.begin(leaves, leaf, step.units_per_flow);
            });
        }
        if level > self.finest {
            let shorter = self.span_of(level - 1) < self.span_of(level);
            let count = steps.end - steps.start;
            let parts = if shorter && count > 1 {
                let middle = steps.start + count.div_ceil(2);
                vec![steps.start..middle, middle..steps.end]
            } else {
                vec![steps.clone()]
            };
            for part in parts {
                #[expect(clippy::cast_precision_loss, reason = "a part of a step")]
                let elapsed =
                    self.at(part.start).since(from) as f32 / (to.since(from) as f32).max(1.0);
                self.each_interface(level, |interfaces, leaves, leaf| {
                    interfaces.show(leaves, leaf, elapsed);
                });
                self.run_level(level - 1, part);
                self.each_interface(level, LeafInterfaces::collect);
            }
        }
        if is_awake {
            let State { leaves, activity, tracers, .. } = &mut *self.state;
            let coarse_sides = &activity.coarse_sides[usize::from(level)];
            leaves.settle_contents(level, coarse_sides, tracers.len());
            self.step_leaves(level, (&step, from, to), steps.end == self.plan.steps);
        }
    }

    /// Does something with the edges of each leaf of `level` that is awake beside finer leaves.
    fn each_interface(
        &mut self,
        level: u8,
        act: impl Fn(&mut LeafInterfaces, &Leaves<'_>, LeafId) + Send + Sync,
    ) {
        let State { leaves, activity, .. } = &mut *self.state;
        leaves.each_interface(&activity.coarse_sides[usize::from(level)], act);
    }

    /// Moves what comes and goes before the kernel: over links, over the boundary, among solids.
    fn move_sources(&mut self, level: u8, (step, from, to): (&StepParams, SimTime, SimTime)) {
        let State { leaves, links, solids, tracers, forcing, activity, .. } = &mut *self.state;
        let (params, awake) = (self.params, &activity.awake[usize::from(level)]);
        let region = &mut solids.region;
        LinkStep { leaves, region, params, level, from, to }.run(links);
        step_boundary(leaves, tracers, params, awake, (step, from, to));
        if level == params.base {
            solids.step(leaves, params, from, to);
            let region = &mut solids.region;
            CoveredForcing { region, leaves, forcing, tracers }.apply(awake, params, from, to);
        }
    }

    /// The kernel of all leaves of `level` that are awake; their last step in a cycle shows them to
    /// their maps.
    fn step_leaves(
        &mut self,
        level: u8,
        (step, start, end): (&StepParams, SimTime, SimTime),
        is_last: bool,
    ) {
        let params = self.params;
        // Plans, sleep and reports go by the last step.
        let step = &StepParams { looks: is_last, ..*step };
        let State { leaves, tracers, barriers, solids, forcing, activity, .. } = &mut *self.state;
        let step_depths = forcing.step_depths(start, end, 1.0 / params.unit_m);
        let looks = is_last && level == params.base;
        let looks = looks && !leaves.maps.is_empty();
        let solids = if looks { solids.look(&leaves.asleep) } else { SolidLook::default() };
        let Settings { solver, terms, .. } = params.settings;
        let awake = &activity.awake[usize::from(level)];
        leaves.make_next(awake.len());
        let LeafTable {
            forest,
            grounds,
            classes,
            water,
            interfaces,
            asleep,
            own,
            next,
            scratch,
            maps,
            ..
        } = &mut *leaves;
        let maps: Vec<Option<&mut LeafMaps>> = match is_last && !maps.is_empty() {
            true => pick(maps, awake).into_iter().map(Some).collect(),
            false => awake.iter().map(|_| None).collect(),
        };
        let context = StepContext {
            leaves: Leaves { forest, grounds, water, interfaces },
            classes,
            asleep,
            params,
            step,
            kernels: params.version.both(solver, terms != Terms::NONE),
            start,
            end,
            forcing,
            step_depths: &step_depths,
            tracers,
            barriers,
            is_last,
            solids: &solids,
        };
        let columns = pick(own, awake).into_iter().zip(pick(scratch, awake));
        let columns = columns.zip(next).zip(maps);
        let mut work: Vec<LeafWork<'_>> = awake
            .iter()
            .zip(columns)
            .map(|(&id, (((own, scratch), new), maps))| LeafWork { id, own, scratch, new, maps })
            .collect();
        work.par_iter_mut().for_each(|leaf| context.advance(leaf));
        leaves.keep_found(awake);
        leaves.take_new(awake);
        self.cell_steps += (awake.len() * TILE_CELLS) as u64;
    }
}

/// Settles the bookings of the cycle, and brings idle cycles and speeds up to date. Returns
/// [`CycleReport::least_cell_steps`].
fn close_books(state: &mut State, params: &Params, plan: CyclePlan) -> f64 {
    let State { leaves, ledger, tracers, activity, .. } = state;
    let mut least = 0.0;
    activity.speeds.fill(0.0);
    for &leaf in activity.awake.iter().flatten() {
        let level = leaves.forest.leaves()[leaf].level;
        let cells = leaves.cells_of(leaf);
        let (own, scratch) = (&mut leaves.own[leaf], &mut leaves.scratch[leaf]);
        scratch.bookings.settle(ledger, cells);
        tracers.settle(&mut scratch.content_bookings, cells);
        let faces = &scratch.seen.faces;
        own.idle_cycles = if faces.is_active { 0 } else { own.idle_cycles.saturating_add(1) };
        own.flow_depth_max = faces.flow_depth_max;
        let most = &mut activity.speeds[usize::from(level)];
        let pace = maths::max(faces.pace_max, std::mem::take(&mut scratch.pace_at_ends));
        let pace = f64::from(pace);
        *most = most.max(pace);
        least += least_cell_steps(scratch, (level, pace), params, plan);
    }
    activity.add_viscous_speeds(params);
    least
}

/// Report of a cycle without its [`CycleReport::cell_steps`] and
/// [`CycleReport::least_cell_steps`].
fn report(state: &State, params: &Params, plan: CyclePlan) -> CycleReport {
    let State { leaves, activity, clock, .. } = state;
    let dt_s = SimTime::from_ticks(plan.ticks).seconds() / f64::from(plan.steps);
    let awake = || activity.awake.iter().flatten().map(|&leaf| &leaves.scratch[leaf]);
    let (width, speed) = activity.pace(params);
    CycleReport {
        time: clock.time,
        ticks: plan.ticks,
        steps: plan.steps,
        courant: if plan.ticks == 0 { 0.0 } else { speed * dt_s / width },
        awake: awake().count(),
        cell_steps: 0,
        wet_cell_steps: awake().map(|leaf| leaf.seen.cells).sum(),
        least_cell_steps: 0.0,
        clamped: awake().map(|leaf| u64::from(leaf.seen.faces.clamped)).sum(),
        limited: awake().map(|leaf| u64::from(leaf.seen.limited)).sum(),
    }
}

/// Cell-steps near water of a cycle of a leaf, had it taken the longest steps that its pace bears:
/// one at least, and as many as it took at most.
#[expect(clippy::cast_precision_loss, reason = "counts")]
fn least_cell_steps(
    scratch: &LeafScratch,
    (level, pace): (u8, f64),
    params: &Params,
    plan: CyclePlan,
) -> f64 {
    let pace = pace + params.viscous_speed(level);
    let longest = longest_step(params.width_of(level), params.courant_target() / pace);
    let steps = f64::from(scratch.steps.max(1));
    let least = (plan.ticks as f64 / longest as f64).clamp(1.0, steps);
    scratch.seen.cells as f64 * least / steps
}

impl LeafTable {
    /// Does something with the edges of each of these leaves, which lie beside finer ones.
    fn each_interface(
        &mut self,
        coarse_sides: &[LeafId],
        act: impl Fn(&mut LeafInterfaces, &Leaves<'_>, LeafId) + Send + Sync,
    ) {
        if coarse_sides.is_empty() {
            return;
        }
        // Each reads the edges of others: so it is out of the table while it changes.
        let mut taken: Vec<_> =
            coarse_sides.iter().map(|&leaf| (leaf, self.interfaces[leaf].take())).collect();
        let leaves = self.view();
        taken.par_iter_mut().for_each(|(leaf, interfaces)| {
            if let Some(interfaces) = interfaces {
                act(interfaces, &leaves, *leaf);
            }
        });
        for (leaf, interfaces) in taken {
            self.interfaces[leaf] = interfaces;
        }
    }

    /// Keeps what these leaves, which are awake, looked up in their tables.
    fn keep_found(&mut self, awake: &[LeafId]) {
        let has_found = |&&leaf: &&LeafId| !self.scratch[leaf].found.is_empty();
        let found: Vec<LeafId> = awake.iter().filter(has_found).copied().collect();
        if found.is_empty() {
            return;
        }
        let leaves = pick(&mut self.scratch, &found);
        let grounds = pick(&mut self.grounds, &found);
        leaves.into_par_iter().zip(grounds).for_each(|(leaf, ground)| {
            if let Some(columns) = &mut ground.columns {
                columns.keep(&mut leaf.found);
            }
        });
    }

    /// Takes the new water of these leaves, which were stepped.
    fn take_new(&mut self, awake: &[LeafId]) {
        for (&leaf, next) in awake.iter().zip(&mut self.next) {
            std::mem::swap(&mut *self.water[leaf], next);
            if let Some(interfaces) = &mut self.interfaces[leaf] {
                self.scratch[leaf].transfers.swap(interfaces);
                interfaces.settle();
            }
        }
    }
}
