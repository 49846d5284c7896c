//! Rain on a tilted plane to equilibrium: its outflow and its depth.
//!
//! ```text
//!  rain 20 mm/h
//!  ▼ ▼ ▼ ▼ ▼ ▼            1 km, slope 1 %, n = 0.03, 10 m cells, 16 of them wide
//!  ╲______                 normal depth where q passes:  h = (n q / √S)^(3/5),  q = rain · x
//!         ╲______ ─▶ open
//! ```

use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::{RunPace, WorldPlan, column_depth_m, out_m3};
use thalweg::world::{EdgeKind, EdgePlace, World, WorldBuilder};
use thalweg_engine::grid::Side;
use thalweg_engine::sim::Solver;

/// Outflow over rain, and depth over normal depth.
pub const BENCH: Bench = Bench {
    ids: &["physics.rain_plane.outflow", "physics.rain_plane.depth"],
    what: "rain on a tilted plane at equilibrium: |outflow/rain − 1|, |depth/normal depth − 1|",
    is_long: false,
    measure,
};

const PLAN: WorldPlan =
    WorldPlan { width: 100, height: 16, cell_m: 10.0, exponent: 20, datum_m: 0.0 };
const SLOPE: f64 = 0.01;
const MANNING: f64 = 0.03;
const RAIN_M_S: f64 = 0.02 / 3600.0;
/// Equilibrium is reached after 65 minutes (kinematic wave).
const SETTLED_S: f64 = 7200.0;
/// Time over which means are taken, s.
const WINDOW_S: f64 = 600.0;

/// Ratios at equilibrium.
struct Equilibrium {
    pace: RunPace,
    outflow: f64,
    depth: f64,
}

fn measure(context: &Context) -> BenchResult {
    let paces = [RunPace::Automatic, RunPace::fixed(1, 1), RunPace::fixed(1, 10)];
    let runs = paces
        .into_iter()
        .map(|pace| equilibrium(context.solver, pace))
        .collect::<Result<Vec<_>, BenchError>>()?;
    let row = |id, target, ratio: fn(&Equilibrium) -> f64| {
        let worst = runs.iter().map(|run| (ratio(run) - 1.0).abs()).fold(0.0, f64::max);
        let cases: Vec<String> =
            runs.iter().map(|run| format!("{}: {:.5}", run.pace, ratio(run))).collect();
        let note = format!("ratio with {}; the value is the worst", cases.join(", "));
        Measurement::new(id, worst, "1").target(target).cells(PLAN.cells()).note(note)
    };
    Ok(vec![
        row("physics.rain_plane.outflow", "<= 0.002", |run| run.outflow),
        row("physics.rain_plane.depth", "<= 0.02", |run| run.depth),
    ])
}

fn equilibrium(solver: Solver, pace: RunPace) -> Result<Equilibrium, BenchError> {
    let mut world = plane(solver)?;
    pace.run(&mut world, SETTLED_S);
    let (start_s, out_before) = (world.time().seconds(), out_m3(&world, "outlet"));
    let (mut depth, mut looks) = (0.0, 0);
    while world.time().seconds() < SETTLED_S + WINDOW_S {
        let next = world.time().seconds() + 5.0;
        pace.run(&mut world, next);
        depth += mid_slope_depth_m(&world);
        looks += 1;
    }
    let out = out_m3(&world, "outlet") - out_before;
    let area = PLAN.cells() as f64 * PLAN.cell_m * PLAN.cell_m;
    let rain = RAIN_M_S * area * (world.time().seconds() - start_s);
    let q = RAIN_M_S * 0.5 * PLAN.width as f64 * PLAN.cell_m;
    let normal = (MANNING * q / SLOPE.sqrt()).powf(0.6);
    Ok(Equilibrium { pace, outflow: out / rain, depth: depth / f64::from(looks) / normal })
}

fn plane(solver: Solver) -> Result<World, BenchError> {
    let terrain = PLAN.terrain(|x, _| (PLAN.width - 1 - x) as f64 * PLAN.cell_m * SLOPE)?;
    Ok(WorldBuilder::new(terrain)
        .solver(solver)
        .manning(MANNING)
        .edge("outlet", EdgePlace::Side(Side::East), EdgeKind::Open)
        .rain("rain", &[(0.0, RAIN_M_S)])?
        .build()?)
}

/// Returns the depth where exactly half the plane's rain passes: between its two middle columns.
fn mid_slope_depth_m(world: &World) -> f64 {
    f64::midpoint(column_depth_m(world, 49), column_depth_m(world, 50))
}
