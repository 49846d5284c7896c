//! A steady river in a steep channel, through cells of 1 to 16 m.
//!
//! ```text
//! north   353 m³/s come in
//!   ─┬─   2048 m, with eight sections
//! south   open
//! ```
//!
//! A straight channel 60 m wide with banks of 1:2, S = 0.002, n = 0.035, at its normal depth of
//! 2.5 m: Froude number 0.48. After an hour discharges are means over a minute.

use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::{WorldPlan, check_books, place};
use rayon::prelude::*;
use thalweg::units::SimTime;
use thalweg::world::{EdgeKind, EdgePlace, World, WorldBuilder};
use thalweg_engine::grid::Side;
use thalweg_engine::sim::{Settings, Solver};

/// Changes of discharge along the channel.
pub const BENCH: Bench = Bench {
    ids: &["physics.channel.pipe", "physics.channel.swe"],
    what: "a steady river in a steep channel, through cells of 1 to 16 m: largest difference of \
           the discharge through a section from what comes in, over a minute",
    is_long: true,
    measure,
};

/// The world, m from west to east and from south to north.
const SIZE_M: [usize; 2] = [128, 2048];
const SLOPE: f64 = 0.002;
const WIDTH_M: f64 = 60.0;
const DEPTH_M: f64 = 2.5;
const MANNING: f64 = 0.035;
/// Widths of cells, m.
const CELLS_M: [usize; 5] = [1, 2, 4, 8, 16];
const SECTIONS: usize = 8;
const WARM_S: f64 = 3600.0;
const WINDOW_S: f64 = 60.0;

fn away_m(x: f64) -> f64 {
    (x - 0.5 * SIZE_M[0] as f64).abs()
}

fn normal_m_s() -> f64 {
    DEPTH_M.powf(2.0 / 3.0) * SLOPE.sqrt() / MANNING
}

fn discharge_m3_s() -> f64 {
    normal_m_s() * DEPTH_M * WIDTH_M
}

fn world(solver: Solver, across_m: usize) -> Result<World, BenchError> {
    let ([width, height], cell_m) = (SIZE_M.map(|m| m / across_m), across_m as f64);
    let plan = WorldPlan { width, height, cell_m, exponent: 20, datum_m: 100.0 };
    let middle = |i: usize| (i as f64 + 0.5) * cell_m;
    let metres = move |i: u32| (f64::from(i) + 0.5) * cell_m;
    let terrain = plan.terrain(|x, y| {
        let bank = (away_m(middle(x)) - 0.5 * WIDTH_M).max(0.0);
        SLOPE * middle(y) + (0.5 * bank).min(4.0) + 0.01 * bank
    })?;
    let floor = (0..plan.width).filter(|&x| away_m(middle(x)) < 0.5 * WIDTH_M - 5.0);
    let cells: Vec<_> = floor.map(|x| place(x, plan.height - 2)).collect();
    let in_river = move |x: u32| away_m(metres(x)) < 0.5 * WIDTH_M;
    Ok(WorldBuilder::new(terrain)
        .settings(Settings { solver, manning_n: vec![MANNING], ..Settings::default() })
        .edge("south", EdgePlace::Side(Side::South), EdgeKind::Open)
        .initial_stage(move |p| match in_river(p.x) {
            true => SLOPE * metres(p.y) + DEPTH_M,
            false => f64::NAN,
        })
        .initial_velocity(move |p| (0.0, if in_river(p.x) { -normal_m_s() } else { 0.0 }))
        .inflow("river", &[(0.0, discharge_m3_s())], &cells)?
        .build()?)
}

/// Returns the discharges to the south through the sections, m³/s.
fn discharges_m3_s(world: &World, across_m: usize) -> [f64; SECTIONS] {
    let simulation = world.simulation();
    let (mut sums, rows) = ([0.0; SECTIONS], SIZE_M[1] / across_m);
    for (leaf, key) in simulation.forest().iter() {
        for (section, sum) in sums.iter_mut().enumerate() {
            let row = rows * (2 * section + 1) / (2 * SECTIONS);
            let Some(row) = row.checked_sub(64 * key.y as usize).filter(|row| *row < 64) else {
                continue;
            };
            let faces = &simulation.water(leaf).flow_y[64 * row..64 * (row + 1)];
            *sum -= faces.iter().map(|&q| f64::from(q)).sum::<f64>() * across_m as f64;
        }
    }
    sums
}

/// Returns the means of the discharges over a minute, after an hour.
fn run(solver: Solver, across_m: usize) -> Result<[f64; SECTIONS], BenchError> {
    let mut world = world(solver, across_m)?;
    world.run_until(SimTime::from_seconds(WARM_S));
    let (mut sums, end) = ([0.0; SECTIONS], SimTime::from_seconds(WARM_S + WINDOW_S));
    while world.time() < end {
        let before = world.time().seconds();
        world.run_cycle(end);
        let step_s = world.time().seconds() - before;
        let now = discharges_m3_s(&world, across_m);
        sums.iter_mut().zip(now).for_each(|(sum, now)| *sum += step_s * now);
    }
    check_books(&world)?;
    Ok(sums.map(|sum| sum / WINDOW_S))
}

fn measure(_: &Context) -> BenchResult {
    let case = |(id, solver)| {
        let runs: Result<Vec<_>, BenchError> =
            CELLS_M.par_iter().map(|&across_m| run(solver, across_m)).collect();
        let runs = runs?;
        let off = runs.iter().flatten().map(|q| (q / discharge_m3_s() - 1.0).abs());
        let lines: Vec<_> =
            CELLS_M.iter().zip(&runs).map(|(m, means)| format!("{m} m: {means:.1?}")).collect();
        let worst = 100.0 * off.fold(0.0, f64::max);
        Ok(Measurement::new(id, worst, "%").target("<= 1").note(lines.join("\n")))
    };
    [(BENCH.ids[0], Solver::Pipe), (BENCH.ids[1], Solver::ShallowWater)]
        .map(case)
        .into_iter()
        .collect()
}
