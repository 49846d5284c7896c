//! The simulation: all leaves, stepped in cycles.

use crate::flow::params::StepInput;
use crate::flow::params::StepParams;
use crate::flow::solver::Order;
use crate::flow::solver::Solver;
use crate::flow::solver::StepSummary;
use crate::flow::terms::Terms;
use crate::flow::versions::Step;
use crate::flow::versions::Version;
use crate::flow::versions::versions;
use crate::forest::Forest;
use crate::grid::TILE_CELLS;
use crate::sim::forcing::Forcing;
use crate::sim::forcing::Share;
use crate::sim::leaf::Leaf;
use crate::sim::leaf::LeafSample;
use crate::sim::leaf::StepContext;
use crate::sim::leaf::stored;
use crate::sim::ledger::Bookings;
use crate::sim::ledger::Ledger;
use crate::sim::rim::CREDIT_DEPTHS;
use crate::sim::rim::EdgeLaw;
use crate::sim::rim::RimFace;
use crate::sim::schedule;
use crate::sim::schedule::CyclePlan;
use crate::sim::schedule::CycleReport;
use crate::sim::schedule::FixedStep;
use crate::sim::settings::Settings;
use crate::sim::settings::Settling;
use crate::sim::tracers::Tracers;
use crate::tile::Ground;
use crate::tile::Water;
use crate::units::SimTime;
use crate::units::Volume;
use rayon::prelude::*;

/// All parts a simulation is put together from.
#[derive(Debug)]
pub struct Parts {
    /// Leaves and neighbours.
    pub forest: Forest,
    /// Their grounds.
    pub grounds: Vec<Ground>,
    /// Their water.
    pub water: Vec<Water>,
    /// Width of their cells, m.
    pub cell_width_m: f64,
    /// Metres per vertical unit.
    pub unit_m: f64,
    /// Settings, checked.
    pub settings: Settings,
    /// Sources and sinks.
    pub forcing: Forcing,
    /// Laws of the rim.
    pub laws: Vec<EdgeLaw>,
    /// Rim faces of each leaf.
    pub rims: Vec<Vec<RimFace>>,
    /// The accounts of forcing and rim, opened.
    pub ledger: Ledger,
    /// What the water carries.
    pub tracers: Tracers,
}

/// Water on one forest.
#[derive(Debug)]
pub struct Simulation {
    pub(super) forest: Forest,
    pub(super) grounds: Vec<Ground>,
    pub(super) water: Vec<Water>,
    pub(super) leaves: Vec<Leaf>,
    pub(super) settings: Settings,
    pub(super) ledger: Ledger,
    pub(super) time: SimTime,
    /// Largest speed for the Courant number, m/s, at the end of the last cycle.
    pub(super) speed: f64,
    /// Length of the last automatic step, ticks.
    pub(super) previous_step: u64,
    pub(super) fixed_run: Option<(SimTime, u64, FixedStep)>,
    new_water: Vec<Water>,
    pub(super) asleep: Vec<bool>,
    pub(super) n2: Vec<f32>,
    pub(super) cell_width_m: f64,
    pub(super) unit_m: f64,
    pub(super) forcing: Forcing,
    pub(super) laws: Vec<EdgeLaw>,
    version: Version,
    pub(super) tracers: Tracers,
    pub(super) setup_hash: u64,
}

impl Simulation {
    /// Puts a simulation together.
    ///
    /// # Panics
    ///
    /// If the parts do not fit each other: lengths differ, or a law is named that is not there.
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        let count = parts.forest.leaves().len();
        assert!(parts.grounds.len() == count && parts.water.len() == count);
        assert_eq!(parts.rims.len(), count);
        let has_ground = parts.forcing.has_ground();
        let mut leaves: Vec<Leaf> = parts
            .rims
            .into_iter()
            .map(|rim| Leaf {
                rim,
                infiltrated: has_ground.then(|| vec![0; TILE_CELLS].into()),
                content_bookings: vec![Bookings::default(); parts.tracers.len()],
                ..Leaf::default()
            })
            .collect();
        for (inflow, source) in (0..).zip(&parts.forcing.inflows) {
            for (rank, &(leaf, cell)) in (0..).zip(&source.cells) {
                leaves[leaf as usize].shares.push(Share { inflow, cell, rank });
            }
        }
        #[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
        let n2 = parts.settings.manning_n.iter().map(|n| (n * n) as f32).collect();
        let mut simulation = Self {
            new_water: vec![Water::dry_with(parts.tracers.len()); count],
            tracers: parts.tracers,
            asleep: vec![false; count],
            forest: parts.forest,
            grounds: parts.grounds,
            water: parts.water,
            leaves,
            n2,
            settings: parts.settings,
            cell_width_m: parts.cell_width_m,
            unit_m: parts.unit_m,
            forcing: parts.forcing,
            laws: parts.laws,
            ledger: parts.ledger,
            time: SimTime::ZERO,
            speed: 0.0,
            previous_step: 0,
            fixed_run: None,
            version: *versions().last().expect("the baseline is always there"),
            setup_hash: 0,
        };
        simulation.setup_hash = simulation.hash_of_setup();
        for (leaf, water) in simulation.leaves.iter_mut().zip(&simulation.water) {
            for face in &mut leaf.rim {
                let depth = water.depth[usize::from(face.cell)];
                face.credit = CREDIT_DEPTHS * i64::from(depth);
                face.begin(water, depth);
            }
        }
        simulation.ledger.set_initial(simulation.stored());
        simulation.tracers.begin(&simulation.water, simulation.cells());
        simulation.look_at_the_start();
        simulation
    }

    /// Goes on with another solver: both read the same state. Optional terms rest while the pipe
    /// runs.
    pub fn set_solver(&mut self, solver: Solver, order: Order) {
        (self.settings.solver, self.settings.order) = (solver, order);
    }

    /// Uses another version of the kernel; all give the same bits.
    pub fn set_version(&mut self, version: Version) {
        self.version = version;
    }

    /// Runs one automatic cycle that ends at `until` at the latest; at the end of each leaf's last
    /// step shows it to its sample. `samples` has one for each leaf.
    ///
    /// # Panics
    ///
    /// If `samples` has another length than there are leaves.
    pub fn run_cycle<S: LeafSample>(&mut self, until: SimTime, samples: &mut [S]) -> CycleReport {
        let left = until.since(self.time);
        let (width, previous) = (self.cell_width_m, self.previous_step);
        let log2 = self.settings.substeps_log2;
        let (plan, _) = schedule::automatic(width, self.speed, previous, log2, left);
        let speed = self.wake_and_sleep(self.time.after(plan.ticks));
        let (plan, step) = schedule::automatic(width, speed, previous, log2, left);
        self.previous_step = step;
        self.fixed_run = None;
        self.run_plan(plan, samples)
    }

    /// Runs one cycle of a fixed step, as games do; see [`schedule`].
    ///
    /// # Panics
    ///
    /// If `samples` has another length than there are leaves.
    pub fn run_fixed<S: LeafSample>(&mut self, step: FixedStep, samples: &mut [S]) -> CycleReport {
        let (start, cycle) = match self.fixed_run {
            Some((start, cycle, same)) if same == step => (start, cycle + 1),
            _ => (self.time, 1),
        };
        let end = start.after(step.end_of(cycle).ticks());
        let ticks = end.since(self.time);
        let log2 = self.settings.substeps_log2;
        let speed = self.wake_and_sleep(end);
        let plan = schedule::fixed(self.cell_width_m, speed, log2, ticks);
        let report = self.run_plan(plan, samples);
        self.fixed_run = Some((start, cycle, step));
        report
    }

    /// Phases 3 and 4 of a cycle.
    fn run_plan<S: LeafSample>(&mut self, plan: CyclePlan, samples: &mut [S]) -> CycleReport {
        assert_eq!(samples.len(), self.leaves.len(), "one sample for each leaf");
        let start = self.time;
        if plan.ticks == 0 {
            return self.report(plan, 0.0);
        }
        let _span =
            tracing::debug_span!("cycle", tick = start.ticks(), steps = plan.steps).entered();
        for step in 0..plan.steps {
            let (from, to) = (plan.start_of(step), plan.start_of(step + 1));
            let is_last = step + 1 == plan.steps;
            self.step(start.after(from), start.after(to), is_last.then_some(&mut *samples));
        }
        self.time = start.after(plan.ticks);
        let dt_s = SimTime::from_ticks(plan.ticks).seconds() / f64::from(plan.steps);
        self.close_books();
        self.report(plan, dt_s)
    }

    /// One step of all leaves that are awake.
    fn step<S: LeafSample>(&mut self, from: SimTime, to: SimTime, samples: Option<&mut [S]>) {
        let params = StepParams::new(&StepInput {
            dt_s: SimTime::from_ticks(to.since(from)).seconds(),
            cell_width_m: self.cell_width_m,
            unit_m: self.unit_m,
            gravity: self.settings.gravity,
            settling: self.settings.settling == Settling::On,
            terms: self.settings.terms,
        });
        let doses = self.forcing.doses(from, to, 1.0 / self.unit_m);
        self.step_rim(&params, from, to);
        let context = StepContext {
            forest: &self.forest,
            grounds: &self.grounds,
            water: &self.water,
            asleep: &self.asleep,
            params: &params,
            n2: &self.n2,
            solver: self.settings.solver,
            kernel: self.kernel(),
            seed: self.settings.seed,
            start: from,
            end: to,
            forcing: &self.forcing,
            doses: &doses,
            tracers: &self.tracers,
            order: self.settings.order,
        };
        let leaves = self.leaves.par_iter_mut().zip(&mut self.new_water).enumerate();
        match samples {
            Some(samples) => leaves.zip(samples).for_each(|((index, (leaf, new)), sample)| {
                if !context.asleep[index] {
                    context.advance(index, leaf, new, Some(sample));
                }
            }),
            None => leaves.for_each(|(index, (leaf, new))| {
                if !context.asleep[index] {
                    context.advance::<S>(index, leaf, new, None);
                }
            }),
        }
        for (index, asleep) in self.asleep.iter().enumerate() {
            if !asleep {
                std::mem::swap(&mut self.water[index], &mut self.new_water[index]);
            }
        }
    }

    /// The step of the solver at hand.
    fn kernel(&self) -> Step {
        let Settings { solver, order, terms, .. } = self.settings;
        if solver == Solver::ShallowWater && terms != Terms::NONE {
            self.version.step_with_terms(order)
        } else {
            self.version.step(solver, order)
        }
    }

    /// Brings ledger, quiet counters and the speed up to date.
    fn close_books(&mut self) {
        let cells = self.cells();
        let mut speed = 0.0_f64;
        for (leaf, is_asleep) in self.leaves.iter_mut().zip(&self.asleep) {
            leaf.bookings.settle(&mut self.ledger, cells);
            self.tracers.settle(&mut leaf.content_bookings, cells);
            if *is_asleep {
                continue;
            }
            leaf.quiet = if leaf.seen.faces.is_restless { 0 } else { leaf.quiet.saturating_add(1) };
            leaf.flow_depth_max = leaf.seen.faces.flow_depth_max;
            let wave = 2.0 * self.settings.gravity * f64::from(leaf.flow_depth_max);
            speed = speed.max(f64::from(leaf.seen.faces.speed_max) + wave.sqrt());
        }
        self.speed = speed + self.viscous_speed();
    }

    fn report(&self, plan: CyclePlan, dt_s: f64) -> CycleReport {
        let sum = |count: fn(&StepSummary) -> u32| {
            self.leaves.iter().map(|leaf| u64::from(count(&leaf.seen))).sum()
        };
        CycleReport {
            time: self.time,
            ticks: plan.ticks,
            steps: plan.steps,
            courant: self.speed * dt_s / self.cell_width_m,
            awake: self.asleep.iter().filter(|asleep| !**asleep).count(),
            clamped: sum(|seen| seen.faces.clamped),
            limited: sum(|seen| seen.limited),
        }
    }

    /// Volume on the ground now, vertical units × finest cells.
    #[must_use]
    pub fn stored(&self) -> Volume {
        let units: Volume = self.water.par_iter().map(|w| Volume::from(stored(w))).sum();
        units * self.cells()
    }

    /// Finest cells in a cell.
    fn cells(&self) -> Volume {
        Volume::from(1_i64 << (2 * self.forest.base()))
    }

    /// Content of a tracer in the world now, 2⁻²⁴ vertical units × finest cells.
    #[must_use]
    pub fn content_stored(&self, tracer: usize) -> Volume {
        Tracers::stored(tracer, &self.water, self.cells())
    }

    /// The tracers.
    #[must_use]
    pub fn tracers(&self) -> &Tracers {
        &self.tracers
    }

    /// Where every unit came from and went.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The moment the state belongs to.
    #[must_use]
    pub fn time(&self) -> SimTime {
        self.time
    }

    /// The leaves.
    #[must_use]
    pub fn forest(&self) -> &Forest {
        &self.forest
    }

    /// Ground of a leaf.
    #[must_use]
    pub fn ground(&self, leaf: usize) -> &Ground {
        &self.grounds[leaf]
    }

    /// Water of a leaf.
    #[must_use]
    pub fn water(&self, leaf: usize) -> &Water {
        &self.water[leaf]
    }

    /// Which leaves sleep.
    #[must_use]
    pub fn asleep(&self) -> &[bool] {
        &self.asleep
    }
}
