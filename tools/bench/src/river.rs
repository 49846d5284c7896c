//! Cost of a map with one quiet river, against the cost of a lake.
//!
//! ```text
//! 4 × 4 km, cells of 4 m, flat plain that falls by 1 in 1,000; a channel 40 m wide and 3 m deep in
//! bends, 60 m³/s come in at its head and leave over the open east side; n = 0.03
//! value   processor seconds a wet cell and step of the river, once it is steady, over those of a
//!         lake of as many cells as the map
//! ```
//!
//! A game's map is mostly dry: the cost of a step should be the cost of its water.
//!
//! Limits:     one thread; wet cells have water at the end.

use crate::machine::cpu_s;
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::{WorldPlan, check_books};
use thalweg::units::SimTime;
use thalweg::world::{EdgeKind, EdgePlace, MapKinds, World, WorldBuilder};
use thalweg_engine::grid::Side;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::{Settings, Solver};

/// The river against a lake.
pub const BENCHES: &[Bench] = &[
    Bench {
        ids: &["kernel.river.swe"],
        what: "a quiet river of 40 m in 4 × 4 km, shallow water: processor time a wet cell over \
               that of a lake",
        is_long: true,
        measure: |_: &Context| measure("kernel.river.swe", Solver::ShallowWater),
    },
    Bench {
        ids: &["kernel.river.pipe"],
        what: "a quiet river of 40 m in 4 × 4 km, pipe method: processor time a wet cell over \
               that of a lake",
        is_long: true,
        measure: |_: &Context| measure("kernel.river.pipe", Solver::Pipe),
    },
];

const PLAN: WorldPlan =
    WorldPlan { width: 1024, height: 1024, cell_m: 4.0, exponent: 20, datum_m: 0.0 };
const MANNING: f64 = 0.03;
const FALL: f64 = 1.0e-3;
const WIDTH_M: f64 = 40.0;
const BANK_M: f64 = 3.0;
const DISCHARGE_M3_S: f64 = 60.0;
/// Time in which the river reaches the edge and becomes steady.
const WARM_S: f64 = 3.0 * 3600.0;
/// Time that counts.
const MEASURED_S: f64 = 600.0;

/// Returns the middle of the channel at a column, m to the north.
fn middle_m(x_m: f64) -> f64 {
    2048.0 + 700.0 * (x_m / 500.0).sin()
}

fn bed_m(x: usize, y: usize) -> f64 {
    let [x_m, y_m] = [x, y].map(|cell| (cell as f64 + 0.5) * PLAN.cell_m);
    let slope = 700.0 / 500.0 * (x_m / 500.0).cos();
    let off_m = (y_m - middle_m(x_m)).abs() / slope.hypot(1.0);
    let bank = if off_m < 0.5 * WIDTH_M { 0.0 } else { BANK_M };
    10.0 - FALL * x_m + bank
}

/// Returns the processor seconds a wet cell and step, and a sentence about them.
fn cost(world: &mut World) -> Result<(f64, String), BenchError> {
    let clock = || cpu_s().ok_or_else(|| BenchError::Skipped("no processor time".to_owned()));
    let end = SimTime::from_seconds(world.time().seconds() + MEASURED_S);
    let (start, mut steps, mut awake, mut gone) = (clock()?, 0, 0, 0);
    while world.time() < end {
        let report = world.run_cycle(end);
        steps += u64::from(report.steps);
        (awake, gone) = (report.awake, gone + report.wet_cell_steps);
    }
    let took_s = clock()? - start;
    check_books(world)?;
    let wet = world.simulation().leaves().water.iter().map(|water| {
        let depths = water.depth.iter();
        depths.filter(|&&depth| depth > 0).count()
    });
    let wet: usize = wet.sum();
    let (a_cell, a_step) = (took_s / (wet as f64 * steps as f64), gone as f64 / steps as f64);
    let note = format!(
        "{:.1} ns a wet cell and step, {steps} steps, {wet} wet cells, {awake} leaves awake, \
         {a_step:.0} cells a step in blocks near water",
        1.0e9 * a_cell
    );
    Ok((a_cell, note))
}

/// Returns the cells across the channel's head.
fn head() -> Vec<CellPlace> {
    let is_channel = |y: &u32| bed_m(10, *y as usize) < 10.0;
    (0..1024).filter(is_channel).map(|y| CellPlace { x: 10, y }).collect()
}

fn measure(id: &'static str, solver: Solver) -> BenchResult {
    let settings = Settings { solver, manning_n: vec![MANNING], ..Settings::default() };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    pool.install(|| {
        let terrain = PLAN.terrain(bed_m)?;
        let mut river = WorldBuilder::new(terrain)
            .settings(settings.clone())
            .maps(MapKinds::NONE)
            .edges(EdgeKind::Wall)
            .edge("outlet", EdgePlace::Side(Side::East), EdgeKind::Open)
            .inflow("head", &[(0.0, DISCHARGE_M3_S)], &head())?
            .build()?;
        river.run_until(SimTime::from_seconds(WARM_S));
        let wave = |at: u32| (f64::from(at) / 25.0).sin();
        let mut lake = WorldBuilder::new(PLAN.terrain(|_, _| 0.0)?)
            .settings(settings)
            .maps(MapKinds::NONE)
            .initial_depth(move |at| 2.0 + 0.05 * (wave(at.x) + wave(at.y)))
            .build()?;
        let ((river, of_river), (lake, of_lake)) = (cost(&mut river)?, cost(&mut lake)?);
        let note = format!("river: {of_river}\nlake: {of_lake}");
        let measurement = Measurement::new(id, river / lake, "1").target("<= 3");
        Ok(vec![measurement.cells(PLAN.cells()).note(note)])
    })
}
