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
//! step of level L    1  links, rim, solids; leaves beside finer ones note their water
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
use crate::forest::LeafIndex;
use crate::forest::edges::{LeafEdges, Leaves};
use crate::grid::TILE_CELLS;
use crate::sim::arrivals::BEFORE_THE_FIRST;
use crate::sim::leaf::{LeafSample, StepContext};
use crate::sim::links::LinkStep;
use crate::sim::params::Params;
use crate::sim::rim_step::step_rim;
use crate::sim::schedule::{self, CyclePlan, CycleReport, FixedRun, FixedStep};
use crate::sim::solids::covered::CoveredForcing;
use crate::sim::solids::look::SolidLook;
use crate::sim::state::State;
use crate::sim::table::{LeafTable, LeafWork, pick};
use crate::sim::{Settings, Simulation};
use crate::units::SimTime;
use rayon::prelude::*;
use std::ops::Range;

/// A cycle under way.
struct Cycle<'a, S> {
    plan: CyclePlan,
    start: SimTime,
    /// Finest level that is awake.
    finest: u8,
    /// Cells stepped so far, each as often as it was.
    cell_steps: u64,
    samples: &'a mut [S],
}

impl<S> Cycle<'_, S> {
    /// The moment at which finest step `step` begins.
    fn at(&self, step: u32) -> SimTime {
        self.start.after(self.plan.start_of(step))
    }
}

impl Simulation {
    /// Runs one automatic cycle that ends at `until` at the latest; at the end of each leaf's last
    /// step shows it to its sample. `samples` has one for each leaf.
    ///
    /// # Panics
    ///
    /// If `samples` has another length than there are leaves.
    pub fn run_cycle<S: LeafSample>(&mut self, until: SimTime, samples: &mut [S]) -> CycleReport {
        let left = until.since(self.state.clock.time);
        begin_structures(&mut self.state, &self.params);
        let (previous, log2) = (self.state.clock.previous_step, self.params.settings.substeps_log2);
        let (width, speed) = self.state.activity.pace(&self.params);
        let (plan, _) = schedule::automatic(width, speed, previous, log2, left);
        let end = self.state.clock.time.after(plan.ticks);
        self.wake_and_sleep(end);
        let has_news = self.expect_arrivals(end);
        let is_first = previous == 0 && has_news;
        let previous = if is_first { BEFORE_THE_FIRST } else { previous };
        let (width, speed) = self.state.activity.pace(&self.params);
        // Leaves that sleep are not asked again whether something falls on them: no longer cycle.
        let (plan, step) = schedule::automatic(width, speed, previous, log2, plan.ticks);
        self.state.clock.previous_step = step;
        self.state.clock.fixed_run = None;
        self.run_plan(plan, samples)
    }

    /// Runs one cycle of a fixed step, as games do; see [`schedule`].
    ///
    /// # Panics
    ///
    /// If `samples` has another length than there are leaves.
    pub fn run_fixed<S: LeafSample>(&mut self, step: FixedStep, samples: &mut [S]) -> CycleReport {
        let (start, cycle) = match self.state.clock.fixed_run {
            Some(run) if run.step == step => (run.start, run.cycle + 1),
            _ => (self.state.clock.time, 1),
        };
        let end = start.after(step.end_of(cycle).ticks());
        let ticks = end.since(self.state.clock.time);
        let log2 = self.params.settings.substeps_log2;
        begin_structures(&mut self.state, &self.params);
        self.wake_and_sleep(end);
        self.expect_arrivals(end);
        let (width, speed) = self.state.activity.pace(&self.params);
        let plan = schedule::fixed(width, speed, log2, ticks);
        let report = self.run_plan(plan, samples);
        self.state.clock.fixed_run = Some(FixedRun { start, cycle, step });
        report
    }

    /// Phases 3 to 6 of a cycle.
    pub(super) fn run_plan<S: LeafSample>(
        &mut self,
        plan: CyclePlan,
        samples: &mut [S],
    ) -> CycleReport {
        assert_eq!(samples.len(), self.state.leaves.count(), "one sample for each leaf");
        let start = self.state.clock.time;
        if plan.ticks == 0 {
            return report(&self.state, &self.params, plan);
        }
        let _span =
            tracing::debug_span!("cycle", tick = start.ticks(), steps = plan.steps).entered();
        let mut cell_steps = 0;
        let State { solids, leaves, tracers, .. } = &mut self.state;
        solids.region.lift(leaves, tracers.len());
        if let Some((finest, coarsest)) = self.state.activity.levels_awake() {
            let longest = self.span_of(coarsest, finest);
            let mut cycle = Cycle { plan, start, finest, cell_steps, samples };
            for from in (0..plan.steps).step_by(longest as usize) {
                let to = plan.steps.min(from + longest);
                self.run_level(&mut cycle, coarsest, from..to);
            }
            cell_steps = cycle.cell_steps;
        }
        self.state.clock.time = start.after(plan.ticks);
        self.state.solids.lower(&mut self.state.leaves, self.params.unit_m);
        close_books(&mut self.state, &self.params);
        CycleReport { cell_steps, ..report(&self.state, &self.params, plan) }
    }

    /// Finest steps in a step of `level`.
    pub(super) fn span_of(&self, level: u8, finest: u8) -> u32 {
        1 << (level - finest).min(self.params.settings.substeps_log2)
    }

    /// One step of `level` over some finest steps, those of finer levels inside it.
    fn run_level<S: LeafSample>(&mut self, cycle: &mut Cycle<'_, S>, level: u8, steps: Range<u32>) {
        let (from, to) = (cycle.at(steps.start), cycle.at(steps.end));
        let is_awake = !self.state.activity.awake[usize::from(level)].is_empty();
        let params = self.params.of_step(level, from, to);
        if is_awake {
            let State { leaves, tracers, activity, links, solids, forcing, .. } = &mut self.state;
            let awake = &activity.awake[usize::from(level)];
            let region = &mut solids.region;
            LinkStep { leaves, region, params: &self.params, level, from, to }.run(links);
            step_rim(leaves, tracers, &self.params, awake, (&params, from, to));
            if level == self.params.base {
                solids.step(leaves, &self.params, from, to);
                let region = &mut solids.region;
                CoveredForcing { region, leaves, forcing, tracers }.apply(
                    awake,
                    &self.params,
                    from,
                    to,
                );
            }
            let coarse_sides = &activity.coarse_sides[usize::from(level)];
            leaves.each_edges(coarse_sides, |edges, leaves, leaf| {
                edges.begin(leaves, leaf, params.units_per_flow);
            });
        }
        if level > cycle.finest {
            let shorter = self.span_of(level - 1, cycle.finest) < self.span_of(level, cycle.finest);
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
                    cycle.at(part.start).since(from) as f32 / (to.since(from) as f32).max(1.0);
                let State { leaves, activity, .. } = &mut self.state;
                let coarse_sides = &activity.coarse_sides[usize::from(level)];
                leaves.each_edges(coarse_sides, |edges, leaves, leaf| {
                    edges.show(leaves, leaf, elapsed);
                });
                self.run_level(cycle, level - 1, part);
                let State { leaves, activity, .. } = &mut self.state;
                let coarse_sides = &activity.coarse_sides[usize::from(level)];
                leaves.each_edges(coarse_sides, LeafEdges::collect);
            }
        }
        if is_awake {
            let State { leaves, activity, tracers, .. } = &mut self.state;
            leaves.settle_contents(
                level,
                &activity.coarse_sides[usize::from(level)],
                tracers.len(),
            );
            let is_last = steps.end == cycle.plan.steps;
            let samples = is_last.then_some(&mut *cycle.samples);
            let looks = samples.is_some() && level == self.params.base;
            let solids = looks.then(|| self.state.solids.look(&self.state.leaves.asleep));
            let solids = solids.unwrap_or_default();
            let step = (&params, from, to);
            step_level(&mut self.state, &self.params, level, step, (samples, &solids));
            cycle.cell_steps +=
                (self.state.activity.awake[usize::from(level)].len() * TILE_CELLS) as u64;
        }
    }
}

/// Phase 1 of a cycle.
fn begin_structures(state: &mut State, params: &Params) {
    let State { barriers, solids, leaves, activity, clock, .. } = state;
    let moved = barriers.begin(clock.time, leaves);
    activity.disturb(leaves, moved);
    solids.begin(leaves, barriers, params);
}

/// The kernel of all leaves of `level` that are awake, between two moments.
fn step_level<S: LeafSample>(
    state: &mut State,
    params: &Params,
    level: u8,
    (step, from, to): (&StepParams, SimTime, SimTime),
    (samples, solids): (Option<&mut [S]>, &SolidLook),
) {
    let State { leaves, tracers, barriers, forcing, activity, .. } = state;
    let doses = forcing.doses(from, to, 1.0 / params.unit_m);
    let Settings { solver, order, terms, .. } = params.settings;
    let awake = &activity.awake[usize::from(level)];
    let LeafTable { forest, grounds, classes, water, edges, asleep, own, next, scratch, .. } =
        &mut *leaves;
    let context = StepContext {
        leaves: Leaves { forest, grounds, water, edges },
        classes,
        asleep,
        params,
        step,
        kernels: params.version.both(solver, order, terms != Terms::NONE),
        start: from,
        end: to,
        forcing,
        doses: &doses,
        tracers,
        barriers,
        solids,
    };
    let columns = pick(own, awake).into_iter().zip(pick(scratch, awake)).zip(pick(next, awake));
    let mut work: Vec<LeafWork<'_>> = awake
        .iter()
        .zip(columns)
        .map(|(&index, ((own, scratch), new))| LeafWork {
            index: index as usize,
            own,
            scratch,
            new,
        })
        .collect();
    match samples {
        Some(samples) => work
            .par_iter_mut()
            .zip(pick(samples, awake))
            .for_each(|(leaf, sample)| context.advance(leaf, Some(sample))),
        None => work.par_iter_mut().for_each(|leaf| context.advance::<S>(leaf, None)),
    }
    leaves.keep_found(awake);
    leaves.take_new(awake);
}

/// Settles the bookings of the cycle, and brings idle cycles and speeds up to date.
fn close_books(state: &mut State, params: &Params) {
    let State { leaves, ledger, tracers, activity, .. } = state;
    activity.speeds.fill(0.0);
    for index in activity.awake.iter().flatten() {
        let index = *index as usize;
        let level = leaves.forest.leaves()[index].level;
        let cells = leaves.cells_of(index);
        let (own, scratch) = (&mut leaves.own[index], &mut leaves.scratch[index]);
        scratch.bookings.settle(ledger, cells);
        tracers.settle(&mut scratch.content_bookings, cells);
        let faces = &scratch.seen.faces;
        own.quiet = if faces.is_restless { 0 } else { own.quiet.saturating_add(1) };
        own.flow_depth_max = faces.flow_depth_max;
        let speed = f64::from(faces.speed_max) + params.wave_speed(f64::from(own.flow_depth_max));
        let most = &mut activity.speeds[usize::from(level)];
        *most = most.max(speed);
    }
    activity.add_viscous_speeds(params);
}

/// Report of a cycle without its [`CycleReport::cell_steps`].
fn report(state: &State, params: &Params, plan: CyclePlan) -> CycleReport {
    let State { leaves, activity, clock, .. } = state;
    let dt_s = SimTime::from_ticks(plan.ticks).seconds() / f64::from(plan.steps);
    let awake = || activity.awake.iter().flatten().map(|&leaf| &leaves.scratch[leaf as usize]);
    let (width, speed) = activity.pace(params);
    CycleReport {
        time: clock.time,
        ticks: plan.ticks,
        steps: plan.steps,
        courant: if plan.ticks == 0 { 0.0 } else { speed * dt_s / width },
        awake: awake().count(),
        cell_steps: 0,
        clamped: awake().map(|leaf| u64::from(leaf.seen.faces.clamped)).sum(),
        limited: awake().map(|leaf| u64::from(leaf.seen.limited)).sum(),
    }
}

impl LeafTable {
    /// Does something with the edges of each of these leaves, which lie beside finer ones.
    fn each_edges(
        &mut self,
        coarse_sides: &[LeafIndex],
        act: impl Fn(&mut LeafEdges, &Leaves<'_>, usize) + Send + Sync,
    ) {
        if coarse_sides.is_empty() {
            return;
        }
        // Each reads the edges of others: so it is out of the table while it changes.
        let mut taken: Vec<_> =
            coarse_sides.iter().map(|&leaf| (leaf, self.edges[leaf as usize].take())).collect();
        let leaves = self.view();
        taken.par_iter_mut().for_each(|(leaf, edges)| {
            if let Some(edges) = edges {
                act(edges, &leaves, *leaf as usize);
            }
        });
        for (leaf, edges) in taken {
            self.edges[leaf as usize] = edges;
        }
    }

    /// Keeps what these leaves, which are awake, looked up in their tables.
    fn keep_found(&mut self, awake: &[LeafIndex]) {
        let has_found = |&&leaf: &&LeafIndex| !self.scratch[leaf as usize].found.is_empty();
        let found: Vec<LeafIndex> = awake.iter().filter(has_found).copied().collect();
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
    fn take_new(&mut self, awake: &[LeafIndex]) {
        for index in awake.iter().map(|&index| index as usize) {
            std::mem::swap(&mut self.water[index], &mut self.next[index]);
            if let Some(edges) = &mut self.edges[index] {
                self.scratch[index].crossed.swap(edges);
                edges.settle();
            }
        }
    }
}
