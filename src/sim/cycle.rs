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
use crate::forest::edges::{LeafEdges, Leaves};
use crate::grid::TILE_CELLS;
use crate::sim::arrivals::BEFORE_THE_FIRST;
use crate::sim::leaf::{LeafSample, StepContext};
use crate::sim::rim_step::step_rim;
use crate::sim::schedule::{self, CyclePlan, CycleReport, FixedRun, FixedStep};
use crate::sim::state::State;
use crate::sim::table::{LeafTable, LeafWork, pick};
use crate::sim::{Settings, Simulation};
use crate::tile::Water;
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
        self.begin_barriers();
        self.begin_solids();
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
        self.begin_barriers();
        self.begin_solids();
        self.wake_and_sleep(end);
        self.expect_arrivals(end);
        let (width, speed) = self.state.activity.pace(&self.params);
        let plan = schedule::fixed(width, speed, log2, ticks);
        let report = self.run_plan(plan, samples);
        self.state.clock.fixed_run = Some(FixedRun { start, cycle, step });
        report
    }

    /// Brings ledger, quiet counters and the speeds up to date.
    pub(super) fn close_books(&mut self) {
        self.state.activity.speeds.fill(0.0);
        for index in self.state.activity.awake.iter().flatten() {
            let index = *index as usize;
            let level = self.state.leaves.forest.leaves()[index].level;
            let cells = self.state.leaves.cells_of(index);
            let (own, scratch) =
                (&mut self.state.leaves.own[index], &mut self.state.leaves.scratch[index]);
            scratch.bookings.settle(&mut self.state.ledger, cells);
            self.state.tracers.settle(&mut scratch.content_bookings, cells);
            let faces = &scratch.seen.faces;
            own.quiet = if faces.is_restless { 0 } else { own.quiet.saturating_add(1) };
            own.flow_depth_max = faces.flow_depth_max;
            let wave = 2.0 * self.params.settings.gravity * f64::from(own.flow_depth_max);
            let speed = f64::from(faces.speed_max) + wave.sqrt();
            let most = &mut self.state.activity.speeds[usize::from(level)];
            *most = most.max(speed);
        }
        self.state.activity.add_viscous_speeds(&self.params);
    }

    pub(super) fn report(&self, plan: CyclePlan) -> CycleReport {
        let dt_s = SimTime::from_ticks(plan.ticks).seconds() / f64::from(plan.steps);
        let awake = || {
            self.state
                .activity
                .awake
                .iter()
                .flatten()
                .map(|&leaf| &self.state.leaves.scratch[leaf as usize])
        };
        let (width, speed) = self.state.activity.pace(&self.params);
        CycleReport {
            time: self.state.clock.time,
            ticks: plan.ticks,
            steps: plan.steps,
            courant: if plan.ticks == 0 { 0.0 } else { speed * dt_s / width },
            awake: awake().count(),
            cell_steps: 0,
            clamped: awake().map(|leaf| u64::from(leaf.seen.faces.clamped)).sum(),
            limited: awake().map(|leaf| u64::from(leaf.seen.limited)).sum(),
        }
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
            return self.report(plan);
        }
        let _span =
            tracing::debug_span!("cycle", tick = start.ticks(), steps = plan.steps).entered();
        let mut cell_steps = 0;
        self.lift_solids();
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
        self.lower_solids();
        self.close_books();
        CycleReport { cell_steps, ..self.report(plan) }
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
            self.step_links(level, from, to);
            let State { leaves, tracers, activity, .. } = &mut self.state;
            let awake = &activity.awake[usize::from(level)];
            step_rim(leaves, tracers, &self.params, awake, (&params, from, to));
            self.step_solids(level, from, to);
            self.force_covered_cells(level, from, to);
            self.each_coarse_side(level, |edges, leaves, leaf| {
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
                self.each_coarse_side(level, |edges, leaves, leaf| {
                    edges.show(leaves, leaf, elapsed);
                });
                self.run_level(cycle, level - 1, part);
                self.each_coarse_side(level, LeafEdges::collect);
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
            self.step_level(level, &params, (from, to), samples);
            cycle.cell_steps +=
                (self.state.activity.awake[usize::from(level)].len() * TILE_CELLS) as u64;
        }
    }

    /// Does something with the edges of each leaf of `level` that is awake beside finer leaves.
    fn each_coarse_side(
        &mut self,
        level: u8,
        act: impl Fn(&mut LeafEdges, &Leaves<'_>, usize) + Send + Sync,
    ) {
        let coarse_sides = &self.state.activity.coarse_sides[usize::from(level)];
        if coarse_sides.is_empty() {
            return;
        }
        let edges = &mut self.state.leaves.edges;
        let mut taken: Vec<_> =
            coarse_sides.iter().map(|&leaf| (leaf, edges[leaf as usize].take())).collect();
        let leaves = self.state.leaves.view();
        taken.par_iter_mut().for_each(|(leaf, edges)| {
            if let Some(edges) = edges {
                act(edges, &leaves, *leaf as usize);
            }
        });
        for (leaf, edges) in taken {
            self.state.leaves.edges[leaf as usize] = edges;
        }
    }

    /// The kernel of all leaves of `level` that are awake.
    fn step_level<S: LeafSample>(
        &mut self,
        level: u8,
        params: &StepParams,
        (from, to): (SimTime, SimTime),
        samples: Option<&mut [S]>,
    ) {
        let doses = self.state.forcing.doses(from, to, 1.0 / self.params.unit_m);
        let solids = samples.as_ref().map(|_| self.look_at_solids(level)).unwrap_or_default();
        let Settings { solver, order, terms, .. } = self.params.settings;
        let kernels = self.params.version.both(solver, order, terms != Terms::NONE);
        let LeafTable {
            forest, grounds, classes, water, edges, asleep, own, next, scratch, ..
        } = &mut self.state.leaves;
        let context = StepContext {
            leaves: Leaves { forest, grounds, water, edges },
            classes,
            asleep,
            params,
            n2: &self.params.n2,
            solver: self.params.settings.solver,
            kernels,
            seed: self.params.settings.seed,
            start: from,
            end: to,
            forcing: &self.state.forcing,
            doses: &doses,
            tracers: &self.state.tracers,
            order: self.params.settings.order,
            barriers: &self.state.barriers,
            solids: &solids,
        };
        let awake = &self.state.activity.awake[usize::from(level)];
        let own = pick(own, awake).into_iter();
        let scratch = pick(scratch, awake).into_iter();
        let leaves = own.zip(scratch).map(|(own, scratch)| LeafWork { own, scratch });
        let water = pick(next, awake);
        let mut work: Vec<(u32, LeafWork<'_>, &mut Water)> = awake
            .iter()
            .zip(leaves)
            .zip(water)
            .map(|((&index, leaf), water)| (index, leaf, water))
            .collect();
        match samples {
            Some(samples) => {
                work.par_iter_mut().zip(pick(samples, awake)).for_each(|(work, sample)| {
                    context.advance(work.0 as usize, &mut work.1, work.2, Some(sample));
                });
            }
            None => work.par_iter_mut().for_each(|work| {
                context.advance::<S>(work.0 as usize, &mut work.1, work.2, None);
            }),
        }
        self.keep_found(level);
        for &index in &self.state.activity.awake[usize::from(level)] {
            let index = index as usize;
            std::mem::swap(&mut self.state.leaves.water[index], &mut self.state.leaves.next[index]);
            if let Some(edges) = &mut self.state.leaves.edges[index] {
                self.state.leaves.scratch[index].crossed.swap(edges);
                edges.settle();
            }
        }
    }

    /// Keeps what the leaves of `level` that are awake looked up in their tables.
    fn keep_found(&mut self, level: u8) {
        let awake = &self.state.activity.awake[usize::from(level)];
        let has_found = |&&leaf: &&u32| !self.state.leaves.scratch[leaf as usize].found.is_empty();
        let found: Vec<u32> = awake.iter().filter(has_found).copied().collect();
        if found.is_empty() {
            return;
        }
        let leaves = pick(&mut self.state.leaves.scratch, &found);
        let grounds = pick(&mut self.state.leaves.grounds, &found);
        leaves.into_par_iter().zip(grounds).for_each(|(leaf, ground)| {
            if let Some(columns) = &mut ground.columns {
                columns.keep(&mut leaf.found);
            }
        });
    }
}
