//! A lake among islands at 1500 m, touched by 1 mm: does it come to rest, and does it stay so?
//!
//! Source:     design: rounding moves each face by up to a unit a step; without damping the rms
//!             stage of such a lake grows as √steps.

use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::{WorldPlan, fractal};
use thalweg::units::SimTime;
use thalweg::world::{World, WorldBuilder};
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::Settings;

/// Noise after a million steps.
pub const RMS: Bench = Bench {
    ids: &["physics.lake_settles.rms"],
    what: "rms stage of a lake 10⁶ steps after a disturbance of 1 mm, sleep off",
    is_long: false,
    measure: rms,
};

/// Time until all tiles sleep.
pub const ASLEEP: Bench = Bench {
    ids: &["physics.lake_settles.asleep_s"],
    what: "simulated time until that lake, a larger one, is asleep",
    is_long: false,
    measure: asleep,
};

/// The lake of `tests/engine/conserve.rs`.
const WHOLE: WorldPlan =
    WorldPlan { width: 140, height: 120, cell_m: 10.0, exponent: 20, datum_m: 1500.0 };
/// A corner of it with islands, one tile, so that a million steps take half a minute.
const CORNER: WorldPlan = WorldPlan { width: 60, height: 60, ..WHOLE };
/// Column and row of the whole lake at which the corner begins.
const CORNER_START: usize = 60;
const STAGE_M: f64 = 1500.0;
const DISTURBANCE_M: f64 = 0.001;
const STEPS: u64 = 1_000_000;
/// Time after which a lake that is still awake counts as never asleep, s.
const GIVE_UP_S: f64 = 7200.0;
/// Cells that were less deep than this at rest may keep a film on a shore.
const SHORE_M: f64 = 0.01;

/// Returns the bed of a cell of `WHOLE` or `CORNER`.
fn bed_m(plan: WorldPlan, x: usize, y: usize) -> f64 {
    let start = if plan == CORNER { CORNER_START } else { 0 };
    STAGE_M - 20.0 + 40.0 * fractal(3, (start + x) as f64, (start + y) as f64)
}

/// Cells that are 1 mm too high at the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Touched {
    /// The middle ninth.
    Area,
    /// 5 × 5 cells in the middle.
    Spot,
}

impl Touched {
    fn holds(self, plan: WorldPlan, place: CellPlace) -> bool {
        let within = |i: u32, count: usize| match self {
            Self::Area => (count / 3..2 * count / 3).contains(&(i as usize)),
            Self::Spot => (i as usize).abs_diff(count / 2) <= 2,
        };
        within(place.x, plan.width) && within(place.y, plan.height)
    }
}

fn lake(plan: WorldPlan, touched: Touched, settings: Settings) -> Result<World, BenchError> {
    let stage = move |place: CellPlace| {
        STAGE_M + if touched.holds(plan, place) { DISTURBANCE_M } else { 0.0 }
    };
    Ok(WorldBuilder::new(plan.terrain(|x, y| bed_m(plan, x, y))?)
        .settings(settings)
        .initial_stage(stage)
        .build()?)
}

fn rms(context: &Context) -> BenchResult {
    let solver = context.solver;
    let settings = Settings { solver, sleep_after_cycles: u32::MAX, ..Settings::default() };
    let mut world = lake(CORNER, Touched::Area, settings)?;
    let pools = pools(&world);
    let wet: usize = pools.iter().map(Vec::len).sum();
    let mut looks = vec![rms_units(&world, &pools)];
    let mut steps = 0;
    for part in [STEPS / 4, STEPS / 2, STEPS] {
        while steps < part {
            steps += u64::from(world.run_cycle(SimTime::MAX).steps);
        }
        looks.push(rms_units(&world, &pools));
    }
    let note = format!(
        "rms {:.1} units at the start, {:.1}, {:.1} and {:.1} after a quarter, half and all of \
         {STEPS} steps ({:.0} s); {wet} cells in {} pools, each against its own mean",
        looks[0],
        looks[1],
        looks[2],
        looks[3],
        world.time().seconds(),
        pools.len()
    );
    Ok(vec![
        Measurement::new("physics.lake_settles.rms", looks[3], "units")
            .target("<= 32")
            .cells(CORNER.cells())
            .note(note),
    ])
}

/// Returns the connected parts of the corner that are no shore.
fn pools(world: &World) -> Vec<Vec<CellPlace>> {
    let (width, height) = world.size();
    let is_deep =
        |x: usize, y: usize| x < width && y < height && bed_m(CORNER, x, y) < STAGE_M - SHORE_M;
    let mut seen = vec![false; width * height];
    let mut pools = Vec::new();
    for start in 0..width * height {
        let mut pool = Vec::new();
        let mut open = vec![(start % width, start / width)];
        while let Some((x, y)) = open.pop() {
            if !is_deep(x, y) || std::mem::replace(&mut seen[y * width + x], true) {
                continue;
            }
            let index = |i| u32::try_from(i).expect("a small map");
            pool.push(CellPlace { x: index(x), y: index(y) });
            let (west, south) = (x.wrapping_sub(1), y.wrapping_sub(1));
            open.extend([(west, y), (x + 1, y), (x, south), (x, y + 1)]);
        }
        if !pool.is_empty() {
            pools.push(pool);
        }
    }
    pools
}

/// Returns the root mean square of the stage about the mean of its pool, vertical units.
fn rms_units(world: &World, pools: &[Vec<CellPlace>]) -> f64 {
    let units = world.scale().units_per_m();
    let (mut sum, mut count) = (0.0, 0);
    for pool in pools {
        let stage = |&place: &CellPlace| {
            let stage_m =
                world.bed_m(place).zip(world.water().depth_m(place)).map(|(bed, h)| bed + h);
            (stage_m.expect("inside the world") - STAGE_M) * units
        };
        let stages: Vec<f64> = pool.iter().map(stage).collect();
        let mean = stages.iter().sum::<f64>() / stages.len() as f64;
        sum += stages.iter().map(|stage| (stage - mean).powi(2)).sum::<f64>();
        count += stages.len();
    }
    (sum / count as f64).sqrt()
}

fn asleep(context: &Context) -> BenchResult {
    let (area_s, spot_s) = (asleep_s(context, Touched::Area)?, asleep_s(context, Touched::Spot)?);
    let note = format!(
        "{area_s:.0} s after 1 mm more over the middle ninth, {spot_s:.0} s after 1 mm over 5 × 5 \
         cells; {GIVE_UP_S} s means never"
    );
    Ok(vec![
        Measurement::new("physics.lake_settles.asleep_s", area_s.max(spot_s), "s")
            .target("<= 600")
            .cells(WHOLE.cells())
            .note(note),
    ])
}

/// Returns the simulated time until all tiles of the whole lake sleep.
fn asleep_s(context: &Context, touched: Touched) -> Result<f64, BenchError> {
    let mut world =
        lake(WHOLE, touched, Settings { solver: context.solver, ..Settings::default() })?;
    while world.time().seconds() < GIVE_UP_S {
        if world.run_cycle(SimTime::from_seconds(GIVE_UP_S)).awake == 0 {
            break;
        }
    }
    Ok(world.time().seconds())
}
