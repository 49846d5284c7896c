//! Speed of the step on large worlds, against the machine's memory bandwidth.
//!
//! ```text
//! roofline = cells · steps / wall  /  (triad bandwidth / 28 bytes)
//! ```
//!
//! At least 28 bytes move for each cell in a step: bed, depth and two flows are read, depth and two
//! flows are written.

use crate::machine::cpu_s;
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::WorldPlan;
use std::time::Instant;
use thalweg::units::SimTime;
use thalweg::world::{MapKinds, World, WorldBuilder};
use thalweg_engine::forest::Forest;
use thalweg_engine::grid::{LeafId, TILE_WIDTH};
use thalweg_engine::sim::forcing::Forcing;
use thalweg_engine::sim::ledger::Ledger;
use thalweg_engine::sim::simulation::SimulationParts;
use thalweg_engine::sim::tracers::Tracers;
use thalweg_engine::sim::{Order, Settings, Simulation, Solver};
use thalweg_engine::tile::{Ground, Resident, Water};

/// Measurements of speed.
pub const BENCHES: &[Bench] = &[
    Bench {
        ids: &[
            "kernel.pipe.mcells",
            "kernel.pipe.roofline",
            "kernel.pipe.mcells_1thread",
            "kernel.dry_ratio",
        ],
        what: "the step alone on a wet and a dry 4096 × 4096 world",
        is_long: false,
        measure: bare,
    },
    Bench {
        ids: &[
            "kernel.swe.mcells",
            "kernel.swe.roofline",
            "kernel.swe.mcells_1thread",
            "kernel.swe.cost_ratio",
        ],
        what: "shallow water on a wet 4096 × 4096 world, and against the pipe cycle by cycle",
        is_long: false,
        measure: shallow,
    },
    Bench {
        ids: &["world.mcells", "world.maps_cost"],
        what: "a wet 4096 × 4096 world with all flood maps; its step over one without maps",
        is_long: false,
        measure: with_maps,
    },
    Bench {
        ids: &["kernel.scaling.pipe", "kernel.scaling.swe", "kernel.scaling.small"],
        what: "a wet 4096 × 4096 world on all threads, 16 at most: speed over threads times that \
               of one; time of a world of 12,288 cells on all threads over that on one",
        is_long: true,
        measure: scaling,
    },
];

const PLAN: WorldPlan =
    WorldPlan { width: 4096, height: 4096, cell_m: 10.0, exponent: 20, datum_m: 0.0 };
/// A world of a game: three tiles.
const SMALL: WorldPlan = WorldPlan { width: 192, height: 64, ..PLAN };
/// Mean depth of the wet world, m.
const DEPTH_M: f64 = 5.0;
const SWE: Solver = Solver::ShallowWater;
/// Cycles of eight steps; the fastest counts.
const CYCLES: u32 = 8;
/// Least number of bytes that a cell moves in a step.
const BYTES_PER_CELL: f64 = 28.0;

/// Number of cells stepped and the time for them.
#[derive(Debug, Clone, Copy)]
struct KernelPace {
    steps: u64,
    wall_s: f64,
    /// Processor time of all threads, if the system reports it.
    cpu_s: Option<f64>,
}

/// A running clock.
struct KernelClock {
    start: Instant,
    cpu_s: Option<f64>,
}

impl KernelClock {
    fn start() -> Self {
        Self { cpu_s: cpu_s(), start: Instant::now() }
    }

    /// Returns the pace of `steps` steps since the start.
    fn pace(&self, steps: u64) -> KernelPace {
        let wall_s = self.start.elapsed().as_secs_f64();
        KernelPace { steps, wall_s, cpu_s: self.cpu_s.and_then(|start| Some(cpu_s()? - start)) }
    }
}

impl KernelPace {
    fn cells_per_s(self) -> f64 {
        PLAN.cells() as f64 * self.steps as f64 / self.wall_s
    }

    /// Describes the share of the machine that other programs used.
    fn share(self) -> String {
        self.cpu_s.map_or_else(String::new, |cpu_s| {
            let millions = 1.0e-6 * PLAN.cells() as f64 * self.steps as f64;
            let busy = cpu_s / self.wall_s;
            format!("; {:.0} Mcells/s a processor, {busy:.2} of them busy", millions / cpu_s)
        })
    }

    fn s_per_step(self) -> f64 {
        self.wall_s / self.steps as f64
    }
}

/// Returns the bed of gentle waves, m.
fn bed_m(x: usize, y: usize) -> f64 {
    let wave = |i: usize| (i as f64 * std::f64::consts::TAU / 128.0).sin();
    0.5 * wave(x) * wave(y)
}

/// Returns the stage of steeper waves, m: water moves everywhere and does not settle in the time.
fn stage_m(x: u32, y: u32) -> f64 {
    let wave = |i: u32| (f64::from(i) * std::f64::consts::TAU / 32.0).sin();
    DEPTH_M + 0.4 * wave(x) * wave(y)
}

fn bare(context: &Context) -> BenchResult {
    let mut wet = simulation(&PLAN, true, Solver::Pipe)?;
    let fast = timed(&mut wet, CYCLES)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let single = pool.install(|| timed(&mut wet, CYCLES / 2))?;
    drop(wet);
    let mut dry = simulation(&PLAN, false, Solver::Pipe)?;
    let (asleep_after, idle) = idle(&mut dry)?;
    let triad = context.triad_bytes_per_s();
    let share = fast.cells_per_s() * BYTES_PER_CELL / triad;
    let yardstick = format!("triad {:.2} GB/s", triad * 1.0e-9);
    let mcells = |id, pace: KernelPace| {
        let note = format!("{yardstick}; no maps, no forcing{}", pace.share());
        let value = pace.cells_per_s() * 1.0e-6;
        Measurement::new(id, value, "Mcells/s").cells(PLAN.cells()).note(note)
    };
    let one = Measurement { threads: 1, ..mcells("kernel.pipe.mcells_1thread", single) };
    let ratio = idle.s_per_step() / fast.s_per_step();
    let dry_note = format!(
        "{:.3} ms a step against {:.1} ms; all asleep after {asleep_after} steps",
        1.0e3 * idle.s_per_step(),
        1.0e3 * fast.s_per_step()
    );
    Ok(vec![
        mcells("kernel.pipe.mcells", fast),
        Measurement::new("kernel.pipe.roofline", share, "1")
            .target(">= 0.4")
            .cells(PLAN.cells())
            .note(format!("{yardstick} / 28 bytes = {:.0} Mcells/s", triad / 28.0e6)),
        one,
        Measurement::new("kernel.dry_ratio", ratio, "1")
            .target("<= 0.02")
            .cells(PLAN.cells())
            .note(dry_note),
    ])
}

/// Measures shallow water, and the pipe in turn with it on the same state: other programs disturb
/// both.
fn shallow(context: &Context) -> BenchResult {
    let mut wet = simulation(&PLAN, true, Solver::ShallowWater)?;
    let (mut fast, mut pipe) = (None, None);
    for _ in 0..CYCLES {
        for (solver, best) in [(Solver::ShallowWater, &mut fast), (Solver::Pipe, &mut pipe)] {
            wet.set_solver(solver, Order::Second);
            let pace = timed(&mut wet, 1)?;
            keep_faster(best, pace);
        }
    }
    let (Some(fast), Some(pipe)) = (fast, pipe) else { return Err("no cycle ran".into()) };
    wet.set_solver(Solver::ShallowWater, Order::Second);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let single = pool.install(|| timed(&mut wet, CYCLES / 2))?;
    let triad = context.triad_bytes_per_s();
    let share = fast.cells_per_s() * BYTES_PER_CELL / triad;
    let yardstick = format!("triad {:.2} GB/s", triad * 1.0e-9);
    let mcells = |id, pace: KernelPace| {
        let note = format!("{yardstick}; second order, no maps, no forcing{}", pace.share());
        let value = pace.cells_per_s() * 1.0e-6;
        Measurement::new(id, value, "Mcells/s").cells(PLAN.cells()).note(note)
    };
    let one = Measurement { threads: 1, ..mcells("kernel.swe.mcells_1thread", single) };
    let ratio = fast.s_per_step() / pipe.s_per_step();
    let against = format!("pipe {:.1} Mcells/s in turn with it", pipe.cells_per_s() * 1.0e-6);
    Ok(vec![
        mcells("kernel.swe.mcells", fast),
        Measurement::new("kernel.swe.roofline", share, "1")
            .target(">= 0.28")
            .cells(PLAN.cells())
            .note(format!("{yardstick} / 28 bytes = {:.0} Mcells/s", triad / 28.0e6)),
        one,
        Measurement::new("kernel.swe.cost_ratio", ratio, "1")
            .target("<= 1.6")
            .cells(PLAN.cells())
            .note(against),
    ])
}

fn with_maps(context: &Context) -> BenchResult {
    let terrain = PLAN.terrain(bed_m)?;
    let stage = |place: thalweg_engine::grid::cells::CellPlace| stage_m(place.x, place.y);
    let build = |maps| {
        let builder = WorldBuilder::new(terrain.clone()).solver(context.solver).maps(maps);
        builder.initial_stage(stage).build()
    };
    let mut worlds: [World; 2] = [build(MapKinds::ALL)?, build(MapKinds::NONE)?];
    let leaves = worlds[0].simulation().forest().leaves().len();
    // In turn: other programs disturb both.
    let mut paces = [None::<KernelPace>; 2];
    for _ in 0..CYCLES {
        for (world, best) in worlds.iter_mut().zip(&mut paces) {
            let pace = fastest(1, || {
                let report = world.run_cycle(SimTime::MAX);
                (report.steps, report.awake == leaves)
            })?;
            keep_faster(best, pace);
        }
    }
    let [Some(pace), Some(bare)] = paces else { return Err("no cycle ran".into()) };
    let cost = pace.s_per_step() / bare.s_per_step();
    let without = format!("{:.1} Mcells/s without, in turn", bare.cells_per_s() * 1.0e-6);
    let triad = context.triad_bytes_per_s() * 1.0e-9;
    let note = format!("triad {triad:.2} GB/s; maps look once in 8 steps{}", pace.share());
    Ok(vec![
        Measurement::new("world.mcells", pace.cells_per_s() * 1.0e-6, "Mcells/s")
            .cells(PLAN.cells())
            .note(note),
        Measurement::new("world.maps_cost", cost, "1")
            .target("<= 1.1")
            .cells(PLAN.cells())
            .note(without),
    ])
}

/// Measures the threads of the machine, 16 at most, against one.
fn scaling(context: &Context) -> BenchResult {
    let threads = context.threads.unwrap_or_else(rayon::current_num_threads).min(16);
    if threads == 1 {
        return Err(BenchError::Skipped("one thread".to_owned()));
    }
    let mut counts = vec![1, 2, 4, 8, 16];
    counts.retain(|&count| count < threads);
    counts.push(threads);
    let large = [("kernel.scaling.pipe", Solver::Pipe), ("kernel.scaling.swe", SWE)];
    let mut measured = Vec::new();
    for (id, solver) in large {
        let rates = rates(&PLAN, solver, &counts, 2)?;
        let share = rates[rates.len() - 1] / (rates[0] * threads as f64);
        let measurement = Measurement::new(id, share, "1").target(">= 0.9");
        measured.push(measurement.cells(PLAN.cells()).note(told(&counts, &rates)));
    }
    let rates = rates(&SMALL, SWE, &counts, 200)?;
    let ratio = rates[0] / rates[rates.len() - 1];
    let measurement = Measurement::new("kernel.scaling.small", ratio, "1").target("<= 1");
    measured.push(measurement.cells(SMALL.cells()).note(told(&counts, &rates)));
    Ok(measured.into_iter().map(|measurement| Measurement { threads, ..measurement }).collect())
}

/// Returns million cells a second on these counts of threads: the best of three turns of some
/// cycles each, as water calms down and other programs disturb.
fn rates(
    plan: &WorldPlan,
    solver: Solver,
    counts: &[usize],
    cycles: u32,
) -> Result<Vec<f64>, BenchError> {
    let mut wet = simulation(plan, true, solver)?;
    let pool = |&count: &usize| rayon::ThreadPoolBuilder::new().num_threads(count).build();
    let pools = counts.iter().map(pool).collect::<Result<Vec<_>, _>>()?;
    let mut rates = vec![0.0_f64; counts.len()];
    for _ in 0..3 {
        for (pool, rate) in pools.iter().zip(&mut rates) {
            let pace = pool.install(|| timed(&mut wet, cycles))?;
            *rate = rate.max(1.0e-6 * plan.cells() as f64 / pace.s_per_step());
        }
    }
    Ok(rates)
}

/// Describes rates by count of threads.
fn told(counts: &[usize], rates: &[f64]) -> String {
    let each = counts.iter().zip(rates).map(|(count, rate)| format!("{rate:.1} on {count}"));
    format!("Mcells/s: {}", each.collect::<Vec<_>>().join(", "))
}

/// Makes a simulation without maps, wet everywhere or dry.
pub fn simulation(
    plan: &WorldPlan,
    is_wet: bool,
    solver: Solver,
) -> Result<Simulation, BenchError> {
    filled(plan, solver, bed_m, |x, y| is_wet.then(|| stage_m(x, y)))
}

/// Makes a simulation without maps of waves in a square basin of `leaves` leaves a side, in the
/// middle of dry ground 50 m higher.
pub fn basin(plan: &WorldPlan, leaves: usize, solver: Solver) -> Result<Simulation, BenchError> {
    let begins = [plan.width, plan.height].map(|cells| (cells / TILE_WIDTH - leaves) / 2);
    let is_within = |at: [usize; 2]| {
        let within = |axis: usize| (begins[axis]..begins[axis] + leaves).contains(&at[axis]);
        within(0) && within(1)
    };
    let leaf = |cell: usize| cell / TILE_WIDTH;
    let bed = |x, y| if is_within([leaf(x), leaf(y)]) { bed_m(x, y) } else { 50.0 };
    let stage =
        |x: u32, y: u32| is_within([x, y].map(|cell| leaf(cell as usize))).then(|| stage_m(x, y));
    filled(plan, solver, bed, stage)
}

/// Makes a simulation without maps, of beds and stages in metres; dry if a cell has no stage.
#[expect(clippy::cast_possible_truncation, reason = "some metres")]
fn filled(
    plan: &WorldPlan,
    solver: Solver,
    bed_m: impl Fn(usize, usize) -> f64,
    stage_m: impl Fn(u32, u32) -> Option<f64>,
) -> Result<Simulation, BenchError> {
    let terrain = plan.terrain(bed_m)?;
    let units = terrain.scale().units_per_m();
    let beds = terrain.level(0).ok_or("no level 0")?;
    let (forest, grounds) = Forest::plant(0, beds);
    let fill = |(leaf, ground): (LeafId, &Resident<Ground>)| {
        let mut water = Water::dry();
        let corner = forest.place_of(leaf, 0);
        if stage_m(corner.x, corner.y).is_none() {
            return water.into();
        }
        for (cell, depth) in water.depth.iter_mut().enumerate() {
            let place = forest.place_of(leaf, cell);
            let stage = stage_m(place.x, place.y);
            *depth = stage.map_or(0, |stage_m| (stage_m * units) as i32 - ground.bed[cell]);
        }
        water.into()
    };
    let water = forest.ids().zip(&grounds).map(fill).collect();
    Ok(Simulation::new(SimulationParts {
        boundaries: vec![Vec::new(); grounds.len()],
        classes: vec![Default::default(); grounds.len()],
        forest,
        grounds,
        water,
        cell_width_m: plan.cell_m,
        unit_m: 1.0 / units,
        settings: Settings { solver, ..Settings::default() },
        forcing: Forcing::default(),
        laws: Vec::new(),
        ledger: Ledger::default(),
        tracers: Tracers::default(),
        barriers: Vec::new(),
        stacks: Vec::new(),
    }))
}

/// Keeps the faster of two paces.
fn keep_faster(best: &mut Option<KernelPace>, pace: KernelPace) {
    if best.is_none_or(|best| pace.s_per_step() < best.s_per_step()) {
        *best = Some(pace);
    }
}

/// Returns the fastest of `cycles` cycles, the least disturbed one; all leaves must be awake.
fn fastest(cycles: u32, mut run: impl FnMut() -> (u32, bool)) -> Result<KernelPace, BenchError> {
    let mut best: Option<KernelPace> = None;
    for _ in 0..cycles {
        let clock = KernelClock::start();
        let (steps, all_awake) = run();
        let pace = clock.pace(u64::from(steps));
        if !all_awake {
            return Err("some water of the wet world fell asleep".into());
        }
        keep_faster(&mut best, pace);
    }
    best.ok_or_else(|| "no cycle ran".into())
}

/// Returns the fastest of `cycles` cycles of a simulation without maps.
fn timed(simulation: &mut Simulation, cycles: u32) -> Result<KernelPace, BenchError> {
    fastest(cycles, || {
        let report = simulation.run_cycle(SimTime::MAX);
        (report.steps, report.awake == simulation.forest().leaves().len())
    })
}

/// Runs steps until all leaves sleep, and returns their number and the pace after that.
fn idle(simulation: &mut Simulation) -> Result<(u64, KernelPace), BenchError> {
    let mut asleep_after = 0;
    for _ in 0..40 {
        let report = simulation.run_cycle(SimTime::MAX);
        if report.awake == 0 {
            let clock = KernelClock::start();
            let steps = (0..10).map(|_| u64::from(simulation.run_cycle(SimTime::MAX).steps));
            return Ok((asleep_after, clock.pace(steps.sum())));
        }
        asleep_after += u64::from(report.steps);
    }
    Err("the dry world does not fall asleep".into())
}
