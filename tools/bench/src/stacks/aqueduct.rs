//! An aqueduct over a river: both run at normal depth, and the spill of an overfed aqueduct falls
//! into the river.

use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::{WorldPlan, check_books, place};
use thalweg::units::SimTime;
use thalweg::world::{EdgeKind, EdgePlace, Voids, World, WorldBuilder};
use thalweg_engine::grid::Side;
use thalweg_engine::sim::{Settings, Solver};

/// An aqueduct over a river.
pub const BENCH: Bench = Bench {
    ids: &[
        "stacks.aqueduct_river",
        "stacks.aqueduct_river_swe",
        "stacks.aqueduct",
        "stacks.aqueduct_swe",
        "stacks.aqueduct_spill",
    ],
    what: "an aqueduct over a river: depths of the river below it and of the aqueduct over their \
           normal depths, with either solver; overfed, what leaves over what comes",
    is_long: false,
    measure,
};

const N: f64 = 0.03;
/// Falls of the river and of the aqueduct.
const RIVER_FALL: f64 = 0.001;
const AQUEDUCT_FALL: f64 = 0.002;
/// Unit discharges, m²/s.
const RIVER_M2_S: f64 = 2.0;
const AQUEDUCT_M2_S: f64 = 0.8;
const WIDTH: usize = 64;
const HEIGHT: usize = 41;

fn in_river(y: usize) -> bool {
    (15..26).contains(&y)
}

/// Returns the bed of the aqueduct, with its walls, at the top.
fn aqueduct_m(x: usize, y: usize) -> Option<f64> {
    let bed = 8.0 - AQUEDUCT_FALL * (y as f64 + 0.5);
    match x {
        29..=31 => Some(bed),
        28 | 32 => Some(bed + 1.0),
        _ => None,
    }
}

fn river_m(x: usize) -> f64 {
    -RIVER_FALL * (x as f64 + 0.5)
}

/// Makes the world, fed with `fed_m2_s` per metre of the aqueduct, m²/s.
fn world(solver: Solver, fed_m2_s: f64) -> Result<World, BenchError> {
    let plan = WorldPlan { width: WIDTH, height: HEIGHT, cell_m: 1.0, exponent: 20, datum_m: -4.0 };
    let top = |x: usize, y: usize| {
        let ground = if in_river(y) { river_m(x) } else { 14.0 };
        aqueduct_m(x, y).unwrap_or(ground)
    };
    let mut voids = Voids::new();
    for (x, y) in (28..=32).flat_map(|x| (15..26).map(move |y| (x, y))) {
        voids.carve(place(x, y), place(x + 1, y + 1), [river_m(x), 7.0]);
    }
    let normal = |q: f64, fall: f64| (q * N / fall.sqrt()).powf(0.6);
    let river = normal(RIVER_M2_S, RIVER_FALL);
    let mouth = EdgeKind::Stage(vec![(0.0, river_m(WIDTH - 1) + river)]);
    let depth = move |x: usize, y: usize| match (x, y) {
        (29..=31, _) => normal(AQUEDUCT_M2_S, AQUEDUCT_FALL),
        (28 | 32, _) => 0.0,
        (_, y) if in_river(y) => river,
        _ => 0.0,
    };
    let rows: Vec<_> = (15..26).map(|y| place(0, y)).collect();
    let head: Vec<_> = (29..=31).map(|x| place(x, 0)).collect();
    let settings = Settings { manning_n: vec![N], solver, ..Settings::default() };
    Ok(WorldBuilder::new(plan.terrain(top)?)
        .settings(settings)
        .initial_depth(move |at| depth(at.x as usize, at.y as usize))
        .voids(voids)
        .initial_stage_below(move |_, [bed_m, _]| bed_m + river)
        .inflow("river", &[(0.0, RIVER_M2_S * 11.0)], &rows)?
        .inflow("aqueduct", &[(0.0, fed_m2_s * 3.0)], &head)?
        .edge("mouth", EdgePlace::Side(Side::East), mouth)
        .edge("end", EdgePlace::Side(Side::North), EdgeKind::Open)
        .build()?)
}

/// Returns the depth of the river under the aqueduct, and of the aqueduct over the river, over
/// normal depths.
fn depths(solver: Solver) -> Result<[f64; 2], BenchError> {
    let mut world = world(solver, AQUEDUCT_M2_S)?;
    world.run_until(SimTime::from_seconds(600.0));
    check_books(&world)?;
    let below = world.stacks().intervals_at(place(30, 20))[0].depth_m;
    let above = world.water().depth_m(place(30, 20)).ok_or("outside")?;
    let normal = |q: f64, fall: f64| (q * N / fall.sqrt()).powf(0.6);
    Ok([below / normal(RIVER_M2_S, RIVER_FALL), above / normal(AQUEDUCT_M2_S, AQUEDUCT_FALL)])
}

/// Returns the outflow over the inflow, if the aqueduct is fed with more than it can carry.
fn spilt() -> Result<f64, BenchError> {
    let mut world = world(Solver::Pipe, 3.0)?;
    world.run_until(SimTime::from_seconds(900.0));
    let out = |world: &World| -> f64 {
        let accounts = world.water().ledger().accounts().iter();
        accounts.map(|account| account.out as f64).sum()
    };
    let before = out(&world);
    world.run_until(SimTime::from_seconds(1200.0));
    check_books(&world)?;
    let unit_m3 = world.scale().unit_m();
    let rate = (out(&world) - before) * unit_m3 / 300.0;
    Ok(rate / (11.0 * RIVER_M2_S + 9.0))
}

fn measure(_: &Context) -> BenchResult {
    let [river, aqueduct] = depths(Solver::Pipe)?;
    let [river_swe, aqueduct_swe] = depths(Solver::ShallowWater)?;
    Ok(vec![
        Measurement::new(BENCH.ids[0], river, "x").target("0.99..1.01"),
        Measurement::new(BENCH.ids[1], river_swe, "x").target("0.99..1.01"),
        Measurement::new(BENCH.ids[2], aqueduct, "x").target("0.99..1.01"),
        Measurement::new(BENCH.ids[3], aqueduct_swe, "x").target("0.99..1.01"),
        Measurement::new(BENCH.ids[4], spilt()?, "x").target("0.99..1.01"),
    ])
}
