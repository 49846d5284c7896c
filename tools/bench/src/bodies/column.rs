//! A dam break against a square column, with its measurement.
//!
//! ```text
//! ┌───────┬───────────────────────┐
//! │       │                       │     1.6 × 0.61 m; 0.3 m of water behind a gate at 0.4 m,
//! │ 0.3 m │  0.01 m    ┌─┐        │     1 cm on the floor; a column of 0.12 × 0.12 m, 0.5 m from
//! │       │            └─┘        │     the gate and 0.24 m from the side; cells of 1 cm
//! └───────┴───────────────────────┘
//! ```
//!
//! Depth-averaged water has no splash: its peak arrives without the one of the first impact.
//!
//! Source: Yeh & Petroff; Raad & Bidoae (2005), J. Comput. Phys. 203, 668.

use crate::bodies::boxes::held;
use crate::measured::columns;
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::{WorldPlan, check_books};
use thalweg::units::SimTime;
use thalweg::world::WorldBuilder;
use thalweg_engine::sim::{Settings, Solver};

/// Force of a dam break on a column.
pub const BENCH: Bench = Bench {
    ids: &["bodies.column_force", "bodies.column_plateau"],
    what: "dam break against a column: peak of its force, and its plateau, over the measured ones",
    is_long: false,
    measure,
};

const PLAN: WorldPlan =
    WorldPlan { width: 160, height: 61, cell_m: 0.01, exponent: 20, datum_m: 0.0 };
const GATE_M: f64 = 0.4;
/// Times of the plateau: after the first impact, before the wave returns from the end, s.
const PLATEAU_S: [f64; 2] = [0.55, 0.80];
const END_S: f64 = 3.0;
const LOOK_S: f64 = 0.01;

/// Returns the largest value, and the mean over the plateau.
fn shape(series: &[[f64; 2]]) -> [f64; 2] {
    let most = series.iter().map(|at| at[1]).fold(f64::NEG_INFINITY, f64::max);
    let [from, to] = PLATEAU_S;
    let flat: Vec<f64> =
        series.iter().filter(|at| at[0] >= from && at[0] <= to).map(|at| at[1]).collect();
    [most, flat.iter().sum::<f64>() / flat.len() as f64]
}

/// Returns the force on the column over time.
fn forces(solver: Solver) -> Result<Vec<[f64; 2]>, BenchError> {
    let settings = Settings { manning_n: vec![0.01], solver, ..Settings::default() };
    let dam = |x: u32| (f64::from(x) + 0.5) * PLAN.cell_m < GATE_M;
    let mut world = WorldBuilder::new(PLAN.terrain(|_, _| 0.0)?)
        .settings(settings)
        .initial_depth(move |at| if dam(at.x) { 0.3 } else { 0.01 })
        .build()?;
    world.structures_mut().put_bodies(vec![held(
        1,
        [0.12, 0.12, 0.75],
        [0.96, 0.3, 0.375],
        0.0,
    )?])?;
    let mut series = Vec::new();
    let mut time = LOOK_S;
    while time <= END_S {
        world.run_until(SimTime::from_seconds(time));
        series.push([time, world.structures().loads(LOOK_S)[0].1.force.x]);
        time += LOOK_S;
    }
    check_books(&world)?;
    Ok(series)
}

/// Describes the series at some moments.
fn told(series: &[[f64; 2]]) -> String {
    let moments = [0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.5, 2.0, 2.5];
    let near = |moment: f64| {
        let off = |at: &&[f64; 2]| (at[0] - moment).abs();
        series.iter().min_by(|a, b| off(a).total_cmp(&off(b))).map_or(f64::NAN, |at| at[1])
    };
    moments.map(|moment| format!("{moment} s {:.1}", near(moment))).join(", ")
}

fn measure(context: &Context) -> BenchResult {
    let measured = columns(&context.data("column_force/for_exp.txt")?, [0, 1])?;
    let found = forces(context.solver)?;
    let ([most, flat], [peak, plateau]) = (shape(&measured), shape(&found));
    let note = format!(
        "peak {peak:.1} N ({most:.1} measured), {:.2} to {:.2} s {plateau:.1} N ({flat:.1})\n\
         computed: {}\nmeasured: {}",
        PLATEAU_S[0],
        PLATEAU_S[1],
        told(&found),
        told(&measured)
    );
    let row = Measurement::new("bodies.column_force", peak / most, "1").cells(PLAN.cells());
    let level = Measurement::new("bodies.column_plateau", plateau / flat, "1");
    Ok(vec![row.note(note), level.cells(PLAN.cells())])
}
