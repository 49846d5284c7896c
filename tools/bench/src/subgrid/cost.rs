//! Cost of a coarse cell with sub-grid columns beside a flat one.
//!
//! ```text
//! ratio = time of a cell in a step, with all that its column needs / the same of a flat cell
//! ```
//!
//! Cells of 8 m over hills and hollows of 1 m cells, water up to a wavy stage among them, in motion
//! everywhere. Both worlds step in turn, cycle by cycle; the fastest cycle of each counts.

use crate::subgrid::columns::{CoarseColumns, KINDS, with_columns};
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::{WorldPlan, fractal};
use std::time::Instant;
use thalweg::terrain::Terrain;
use thalweg::units::SimTime;
use thalweg::world::{MapKinds, World, WorldBuilder};
use thalweg_engine::grid::TILE_CELLS;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::{Settings, Solver};

/// Cost of a cell against a flat one.
pub const BENCH: Bench = Bench {
    ids: &["subgrid.cost"],
    what: "time of a coarse cell in a step against that of a flat one, worst of both solvers",
    is_long: true,
    measure,
};

const PLAN: WorldPlan =
    WorldPlan { width: 8192, height: 8192, cell_m: 1.0, exponent: 20, datum_m: 0.0 };
const LEVEL: u8 = 3;
const CELLS: usize = (PLAN.width >> LEVEL) * (PLAN.height >> LEVEL);
/// Cycles of eight steps; the fastest counts.
const CYCLES: usize = 8;

/// Returns the bed: hills and hollows of some metres, as long as 256 m and as short as 16 m, and
/// bumps of 4 m.
fn bed_m(x: usize, y: usize) -> f64 {
    let (x, y) = (x as f64, y as f64);
    8.0 * fractal(5, 0.25 * x, 0.25 * y) + 0.5 * (1.5 * x).sin() * (1.5 * y).cos()
}

/// Returns the stage among them, by coarse cell, m.
fn stage_m(place: CellPlace) -> f64 {
    let wave = |i: u32| (f64::from(i) * std::f64::consts::TAU / 32.0).sin();
    4.0 + 0.4 * wave(place.x) * wave(place.y)
}

/// Returns the parts of the coarse cells that are wet, and that are wet but not covered.
fn covered(terrain: &Terrain) -> Result<[f64; 2], BenchError> {
    let (beds, scale) = (terrain.level(0).ok_or("no level 0")?, terrain.scale());
    let side = 1_usize << LEVEL;
    let (mut wet, mut partly) = (0, 0);
    for index in 0..CELLS {
        let (x, y) = (index % (PLAN.width >> LEVEL), index / (PLAN.width >> LEVEL));
        let stage = scale.elevation(stage_m(crate::world::place(x, y)), scale.exponent())?;
        let cells = (0..side * side).map(|i| (side * x + i % side, side * y + i / side));
        let below = cells.filter(|&(x, y)| beds.bed(x, y) < stage).count();
        wet += usize::from(below > 0);
        partly += usize::from(below > 0 && below < side * side);
    }
    Ok([wet, partly].map(|count| count as f64 / CELLS as f64))
}

fn world(terrain: Terrain, columns: CoarseColumns, solver: Solver) -> Result<World, BenchError> {
    let builder = WorldBuilder::new(terrain)
        .maps(MapKinds::ALL)
        .level(LEVEL)
        .settings(Settings { solver, ..Settings::default() })
        .initial_stage(stage_m);
    Ok(with_columns(builder, columns).build()?)
}

/// Returns the seconds of a cell in a step of the next cycle.
fn cycle_s(world: &mut World) -> Result<f64, BenchError> {
    let clock = Instant::now();
    let report = world.run_cycle(SimTime::MAX);
    let wall_s = clock.elapsed().as_secs_f64();
    if report.awake * TILE_CELLS != CELLS {
        return Err("some water fell asleep".into());
    }
    Ok(wall_s / report.cell_steps as f64)
}

fn measure(context: &Context) -> BenchResult {
    let columns = *KINDS.last().ok_or("no kind of columns")?;
    let terrain = PLAN.terrain(bed_m)?;
    let [wet, partly] = covered(&terrain)?;
    let (mut worst, mut lines) = (0.0_f64, Vec::new());
    for solver in [Solver::Pipe, Solver::ShallowWater] {
        let mut worlds = [
            world(terrain.clone(), CoarseColumns::Flat, solver)?,
            world(terrain.clone(), columns, solver)?,
        ];
        let mut best = [f64::INFINITY; 2];
        for _ in 0..CYCLES {
            for (world, best) in worlds.iter_mut().zip(&mut best) {
                *best = best.min(cycle_s(world)?);
            }
        }
        let [flat, other] = best;
        worst = worst.max(other / flat);
        let mcells = |seconds: f64| 1.0e-6 / seconds;
        lines.push(format!(
            "{solver:?}: {:.1} Mcells/s flat, {:.1} {columns}: {:.2} times the cost",
            mcells(flat),
            mcells(other),
            other / flat
        ));
    }
    lines.push(format!(
        "{:.1} % of the cells are wet, {:.1} % partly covered; {CYCLES} cycles of 8 steps in turn, \
         with maps; triad {:.2} GB/s",
        100.0 * wet,
        100.0 * partly,
        context.triad_bytes_per_s() * 1.0e-9
    ));
    Ok(vec![
        Measurement::new("subgrid.cost", worst, "times")
            .target("<= 1.8")
            .cells(CELLS)
            .note(lines.join("\n")),
    ])
}
