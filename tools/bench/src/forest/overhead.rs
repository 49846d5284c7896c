//! Cost of the forest beside the kernel.
//!
//! ```text
//! bare      the kernel on every tile, its frame filled beforehand: no neighbours, no schedule
//! uniform   cycles of the simulation on the same tiles
//! edges     every second tile of level 1 split into four: each side of each tile is an edge
//! ```

use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use rayon::prelude::*;
use std::time::Instant;
use thalweg::units::SimTime;
use thalweg_engine::flow::params::{StepInput, StepParams};
use thalweg_engine::flow::solver::{ShownPlanes, TileStep};
use thalweg_engine::flow::terms::Terms;
use thalweg_engine::flow::transfer::Dither;
use thalweg_engine::flow::versions::versions;
use thalweg_engine::forest::Forest;
use thalweg_engine::grid::{TILE_CELLS, TileKey};
use thalweg_engine::sim::forcing::Forcing;
use thalweg_engine::sim::ledger::Ledger;
use thalweg_engine::sim::simulation::SimulationParts;
use thalweg_engine::sim::tracers::Tracers;
use thalweg_engine::sim::{Settings, Simulation, Solver};
use thalweg_engine::tile::halo::{CENTRE, HaloNeighbour, HaloPatch, gather_roughness};
use thalweg_engine::tile::padded::Padded;
use thalweg_engine::tile::{Ground, Water};

/// Costs beside the kernel, and at edges.
pub const BENCH: Bench = Bench {
    ids: &["forest.overhead", "forest.overhead.edges"],
    what: "part of a step that is not the bare kernel's; time of a cell-step where all tiles have \
           level edges, over that of a uniform world",
    is_long: false,
    measure,
};

/// Tiles of level 1 along a side.
const SIDE: u32 = 8;
/// Rounds; the fastest counts.
const ROUNDS: u32 = 32;
const UNIT_M: f64 = 1.0 / 1_048_576.0;
const WIDTH_M: f64 = 10.0;

/// Returns leaves of level 0, or every second of level 1.
fn leaves(is_mixed: bool) -> Vec<TileKey> {
    let mut leaves = Vec::new();
    for (x, y) in (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (x, y))) {
        let key = TileKey { level: 1, x, y };
        if is_mixed && (x + y) % 2 == 1 {
            leaves.push(key);
        } else {
            leaves.extend((0..4).map(|quadrant| key.child(quadrant)));
        }
    }
    leaves
}

/// Makes waves on 5 m of water, the same in every tile.
#[expect(clippy::cast_possible_truncation, reason = "some metres")]
fn wavy() -> Water {
    let mut water = Water::dry();
    for (cell, depth) in water.depth.iter_mut().enumerate() {
        let wave = |i: usize| (i as f64 * std::f64::consts::TAU / 32.0).sin();
        *depth = ((5.0 + 0.4 * wave(cell % 64) * wave(cell / 64)) / UNIT_M) as i32;
    }
    water
}

fn flat() -> Ground {
    Ground::flat(vec![0; TILE_CELLS].into())
}

fn simulation(solver: Solver, is_mixed: bool) -> Simulation {
    let forest = Forest::of_leaves(0, leaves(is_mixed));
    let count = forest.leaves().len();
    Simulation::new(SimulationParts {
        boundaries: vec![Vec::new(); count],
        forest,
        grounds: vec![flat().into(); count],
        classes: vec![Default::default(); count],
        water: vec![wavy().into(); count],
        cell_width_m: WIDTH_M,
        unit_m: UNIT_M,
        settings: Settings { solver, ..Settings::default() },
        forcing: Forcing::default(),
        laws: Vec::new(),
        ledger: Ledger::default(),
        tracers: Tracers::default(),
        barriers: Vec::new(),
        stacks: Vec::new(),
    })
}

/// Returns the seconds of a cell-step in the next cycle.
fn cycle_s(simulation: &mut Simulation) -> Result<f64, BenchError> {
    let leaves = simulation.forest().leaves();
    // A coarse cell takes half as many steps.
    let cells: f64 =
        leaves.iter().map(|key| TILE_CELLS as f64 / f64::from(1_u32 << key.level)).sum();
    let start = Instant::now();
    let report = simulation.run_cycle(SimTime::MAX);
    let wall_s = start.elapsed().as_secs_f64();
    if report.awake != simulation.forest().leaves().len() {
        return Err("some water fell asleep".into());
    }
    Ok(wall_s / (cells * f64::from(report.steps)))
}

/// The kernel on tiles by themselves.
struct Bare {
    solver: Solver,
    ground: Vec<Ground>,
    water: Vec<Water>,
    new: Vec<Water>,
}

impl Bare {
    fn new(solver: Solver) -> Self {
        let count = leaves(false).len();
        let (ground, water) = (vec![flat(); count], vec![wavy(); count]);
        Self { solver, ground, new: water.clone(), water }
    }

    /// Returns the seconds of a cell-step, the mean of eight.
    fn steps_s(&mut self) -> Result<f64, BenchError> {
        let dt_s = 0.03 * WIDTH_M;
        let (gravity, damping, terms) = (9.81, true, Terms::NONE);
        let input =
            StepInput { dt_s, cell_width_m: WIDTH_M, unit_m: UNIT_M, gravity, damping, terms };
        let params = StepParams::new(&input);
        let step = versions().last().ok_or("no kernel")?.step(self.solver);
        let n2 = [0.0009];
        let start = Instant::now();
        for count in 0..8 {
            let tiles = self.new.par_iter_mut().zip(&self.water).zip(&self.ground);
            tiles.for_each_init(Padded::new, |padded, ((new, water), ground)| {
                let mut around = [HaloNeighbour::Filled; 9];
                around[CENTRE] = HaloNeighbour::Tile(HaloPatch { ground, water });
                gather_roughness(padded, &around, &n2);
                let dither = Dither::new(1, 0, 64, 64, count << 20);
                let input = TileStep {
                    around: &around,
                    params: &params,
                    dither: &dither,
                    interfaces: None,
                    shown: ShownPlanes::Planes,
                    reach: None,
                };
                std::hint::black_box(step(padded, &input, new));
            });
            std::mem::swap(&mut self.new, &mut self.water);
        }
        let cells = (self.water.len() * TILE_CELLS) as f64;
        Ok(start.elapsed().as_secs_f64() / (8.0 * cells))
    }
}

/// Returns the fastest cell-step of bare, uniform and edges, s.
fn fastest(solver: Solver) -> Result<[f64; 3], BenchError> {
    let mut bare = Bare::new(solver);
    let (mut uniform, mut edges) = (simulation(solver, false), simulation(solver, true));
    let mut best = [f64::INFINITY; 3];
    for _ in 0..ROUNDS {
        let round = [bare.steps_s()?, cycle_s(&mut uniform)?, cycle_s(&mut edges)?];
        for (best, time) in best.iter_mut().zip(round) {
            *best = best.min(time);
        }
    }
    Ok(best)
}

fn measure(_: &Context) -> BenchResult {
    let (mut overhead, mut at_edges, mut lines) = (0.0_f64, 0.0_f64, Vec::new());
    for solver in [Solver::ShallowWater, Solver::Pipe] {
        let [bare, uniform, edges] = fastest(solver)?;
        overhead = overhead.max(1.0 - bare / uniform);
        at_edges = at_edges.max(edges / uniform);
        let mcells = |time: f64| 1.0e-6 / time;
        lines.push(format!(
            "{solver:?}: {:.1} Mcells/s bare, {:.1} uniform, {:.1} with edges",
            mcells(bare),
            mcells(uniform),
            mcells(edges)
        ));
    }
    let cells = |is_mixed| leaves(is_mixed).len() * TILE_CELLS;
    Ok(vec![
        Measurement::new("forest.overhead", overhead, "1")
            .target("<= 0.15")
            .cells(cells(false))
            .note(lines.join("\n")),
        Measurement::new("forest.overhead.edges", at_edges, "times").cells(cells(true)),
    ])
}
