//! A steady river while a reach of it splits and merges.
//!
//! ```text
//! north   353 m³/s come in
//!   ─┬─   2560 m   the reach: cells of 16 m become 8 m or 2 m, and 16 m again
//!    │
//!   ─┴─   1536 m
//! south   open
//! ```
//!
//! A straight channel 60 m wide with banks of 1:2, S = 0.002, n = 0.035, at its normal depth of 2.5
//! m. After half an hour the reach changes its cells; discharges are means over 10 s through
//! sections above, in and below it, stages are taken in its middle. All are compared with the
//! values before the change.

use crate::subgrid::columns::{CoarseColumns, KINDS, with_columns};
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::{WorldPlan, check_books, place};
use thalweg::criteria::{Criterion, Rectangle, Region, Scale};
use thalweg::units::SimTime;
use thalweg::world::{AdaptiveOptions, EdgeKind, EdgePlace, World, WorldBuilder};
use thalweg_engine::grid::Side;
use thalweg_engine::sim::{Settings, Solver};

/// Changes of discharge and stage.
pub const BENCH: Bench = Bench {
    ids: &["regrid.river.subgrid", "regrid.river.flat", "regrid.river.stage", "regrid.river.back"],
    what: "a steady river while a reach of it splits and merges by one and three levels, both \
           solvers: largest change of discharge with sub-grid and flat columns, of stage, and how \
           long until discharges are back, over the time that water takes through the reach",
    is_long: true,
    measure,
};

const PLAN: WorldPlan =
    WorldPlan { width: 512, height: 2048, cell_m: 2.0, exponent: 20, datum_m: 100.0 };
const COARSEST: u8 = 3;
const SLOPE: f64 = 0.002;
const WIDTH_M: f64 = 60.0;
const DEPTH_M: f64 = 2.5;
const MANNING: f64 = 0.035;
/// The reach, m from the south.
const REACH_M: [f64; 2] = [1536.0, 2560.0];
/// Sections: below, in and above it.
const SECTIONS_M: [f64; 3] = [1024.0, 2048.0, 3072.0];
const WARM_S: f64 = 1800.0;
const HOLD_S: f64 = 1200.0;
const WINDOW_S: f64 = 10.0;

fn away_m(x: f64) -> f64 {
    (x - 0.5 * PLAN.width as f64 * PLAN.cell_m).abs()
}

fn bed_m(x: f64, y: f64) -> f64 {
    let bank = (away_m(x) - 0.5 * WIDTH_M).max(0.0);
    SLOPE * y + (0.5 * bank).min(4.0) + 0.01 * bank
}

/// Returns the velocity at the normal depth, m/s.
fn normal_m_s() -> f64 {
    DEPTH_M.powf(2.0 / 3.0) * SLOPE.sqrt() / MANNING
}

fn builder(solver: Solver) -> Result<WorldBuilder, BenchError> {
    let middle = |i: usize| (i as f64 + 0.5) * PLAN.cell_m;
    let metres = |i: u32| (f64::from(i) + 0.5) * PLAN.cell_m;
    let terrain = PLAN.terrain(|x, y| bed_m(middle(x), middle(y)))?;
    let top = PLAN.height - 2;
    let floor = (0..PLAN.width).filter(|&x| away_m(middle(x)) < 0.5 * WIDTH_M - 5.0);
    let cells: Vec<_> = floor.map(|x| place(x, top)).collect();
    let in_river = move |x: u32| away_m(metres(x)) < 0.5 * WIDTH_M;
    let discharge = normal_m_s() * DEPTH_M * WIDTH_M;
    Ok(WorldBuilder::new(terrain)
        .settings(Settings { solver, manning_n: vec![MANNING], ..Settings::default() })
        .edge("south", EdgePlace::Side(Side::South), EdgeKind::Open)
        .initial_stage(move |p| match in_river(p.x) {
            true => SLOPE * metres(p.y) + DEPTH_M,
            false => f64::NAN,
        })
        .initial_velocity(move |p| (0.0, if in_river(p.x) { -normal_m_s() } else { 0.0 }))
        .inflow("river", &[(0.0, discharge)], &cells)?)
}

/// Requests a level in the reach, if one.
fn requests(level: Option<u8>, scale: &Scale) -> Result<Vec<Box<dyn Criterion>>, BenchError> {
    let Some(level) = level else { return Ok(Vec::new()) };
    let east = PLAN.width as f64 * PLAN.cell_m;
    let rectangle =
        Rectangle { west: 0.1, south: REACH_M[0] + 0.1, east: east - 0.1, north: REACH_M[1] - 0.1 };
    Ok(vec![Box::new(Region::rectangle(rectangle, level, 0.0, scale)?)])
}

/// Returns the discharge to the south through the faces at each section, m³/s.
fn discharges_m3_s(world: &World) -> [f64; 3] {
    let simulation = world.simulation();
    SECTIONS_M.map(|section_m| {
        let mut sum = 0.0;
        for (leaf, key) in simulation.forest().iter() {
            let cell_m = PLAN.cell_m * f64::from(1_u32 << key.level);
            let row = (section_m / cell_m - 64.0 * f64::from(key.y)).round();
            if (0.0..64.0).contains(&row) {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a row"
                )]
                let first = 64 * row as usize;
                let faces = &simulation.water(leaf).flow_y[first..first + 64];
                sum -= faces.iter().map(|&q| f64::from(q)).sum::<f64>() * cell_m;
            }
        }
        sum
    })
}

/// Returns the mean stage over the normal one along the middle of the reach, m.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "columns and rows")]
fn stage_off_m(world: &World) -> f64 {
    let [from, to] = REACH_M.map(|m| (m / PLAN.cell_m) as usize);
    let stages = (from..to).filter_map(|y| {
        let stage = world.water().stage_m(place(PLAN.width / 2, y))?;
        Some(stage - SLOPE * (y as f64 + 0.5) * PLAN.cell_m)
    });
    let stages: Vec<f64> = stages.collect();
    stages.iter().sum::<f64>() / stages.len() as f64
}

/// Differences that a change of leaves makes.
#[derive(Debug, Clone, Copy, Default)]
struct ReachSwing {
    /// Largest change of a discharge, part of it.
    discharge: f64,
    /// Change of the stage at the end, m.
    stage_m: f64,
    /// Time until all discharges are within the bound, s.
    back_s: f64,
}

impl ReachSwing {
    fn with(self, other: Self) -> Self {
        Self {
            discharge: self.discharge.max(other.discharge),
            stage_m: self.stage_m.max(other.stage_m),
            back_s: self.back_s.max(other.back_s),
        }
    }
}

/// Returns means of discharges over a time, by windows.
fn watch(world: &mut World, seconds: f64) -> Vec<[f64; 3]> {
    let (begin, mut windows) = (world.time().seconds(), Vec::new());
    while world.time().seconds() < begin + seconds {
        let end = SimTime::from_seconds(world.time().seconds() + WINDOW_S);
        let (mut sum, mut all) = ([0.0; 3], 0.0);
        while world.time() < end {
            let before = world.time().seconds();
            world.run_cycle(end);
            let step = world.time().seconds() - before;
            let now = discharges_m3_s(world);
            (0..3).for_each(|i| sum[i] += step * now[i]);
            all += step;
        }
        windows.push(sum.map(|sum| sum / all));
    }
    windows
}

/// Returns the swing of a change to different requests, within `bound` in the end.
fn change(
    world: &mut World,
    level: Option<u8>,
    (scale, bound): (&Scale, f64),
) -> Result<ReachSwing, BenchError> {
    let before = watch(world, 10.0 * WINDOW_S);
    let mean = [0, 1, 2].map(|i| before.iter().map(|q| q[i]).sum::<f64>() / before.len() as f64);
    let stage_m = stage_off_m(world);
    *world.criteria_mut().ok_or("an adaptive world")? = requests(level, scale)?;
    let after = watch(world, HOLD_S);
    let off = |q: &[f64; 3]| (0..3).map(|i| (q[i] / mean[i] - 1.0).abs()).fold(0.0, f64::max);
    let last = after.iter().rposition(|q| off(q) > bound).map_or(0, |last| last + 1);
    Ok(ReachSwing {
        discharge: after.iter().map(off).fold(0.0, f64::max),
        stage_m: (stage_off_m(world) - stage_m).abs(),
        back_s: last as f64 * WINDOW_S,
    })
}

fn measure(_: &Context) -> BenchResult {
    let through_s = (REACH_M[1] - REACH_M[0]) / normal_m_s();
    let (mut worst, mut lines) = ([ReachSwing::default(); 2], Vec::new());
    for (&columns, worst) in KINDS.iter().zip(&mut worst) {
        let bound = if columns == CoarseColumns::SubGrid { 0.01 } else { 0.02 };
        for solver in [Solver::Pipe, Solver::ShallowWater] {
            let builder = builder(solver)?;
            let scale = builder.extent(COARSEST)?;
            let options = AdaptiveOptions {
                coarsest: COARSEST,
                min_age_cycles: 0,
                interval_cycles: 1,
                ..AdaptiveOptions::default()
            };
            let mut world = with_columns(builder.adaptive(options), columns).build()?;
            world.run_until(SimTime::from_seconds(WARM_S));
            for level in [Some(COARSEST - 1), None, Some(0), None] {
                let swing = change(&mut world, level, (&scale, bound))?;
                *worst = worst.with(swing);
                lines.push(format!(
                    "{columns}, {solver:?}, {}: discharge {:.2} %, stage {:.1} mm, back in {:.0} s",
                    level.map_or("16 m".to_owned(), |level| format!("{} m", 2 << level)),
                    100.0 * swing.discharge,
                    1.0e3 * swing.stage_m,
                    swing.back_s,
                ));
            }
            check_books(&world)?;
        }
    }
    lines.push(format!("water takes {through_s:.0} s through the reach"));
    let [flat, sub_grid] = worst;
    let all = flat.with(sub_grid);
    let cells = PLAN.cells();
    Ok(vec![
        Measurement::new("regrid.river.subgrid", 100.0 * sub_grid.discharge, "%")
            .target("<= 1")
            .cells(cells)
            .note(lines.join("\n")),
        Measurement::new("regrid.river.flat", 100.0 * flat.discharge, "%")
            .target("<= 2")
            .cells(cells),
        Measurement::new("regrid.river.stage", 1.0e3 * all.stage_m, "mm")
            .target("<= 10")
            .cells(cells),
        Measurement::new("regrid.river.back", all.back_s / through_s, "1")
            .target("<= 1")
            .cells(cells),
    ])
}
