//! Cost of a thousand floats and a hundred blockers beside four million wet cells.
//!
//! ```text
//! cost   (cycle with bodies − cycle without) / cycle with bodies
//! put    footprints, merge           loads   the water around each body, pressure and drag
//! cycle  what is left: cells among solids, their heads and transfers
//! ```
//!
//! Medians of cycles of 1/60 s, in which every body moves a little.

use crate::bodies::boxes::held;
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::{WorldPlan, check_books, noise};
use std::time::Instant;
use thalweg::body::{Body, Motion};
use thalweg::glam::DVec3;
use thalweg::world::{World, WorldBuilder};
use thalweg_engine::sim::Solver;
use thalweg_engine::sim::schedule::FixedStep;

/// Cost of bodies in a large world.
pub const BENCH: Bench = Bench {
    ids: &["bodies.cost", "bodies.cost_ms"],
    what: "1,000 floats, 100 blockers, 4 M wet cells: coupling over the step, and ms (long)",
    is_long: true,
    measure,
};

const PLAN: WorldPlan =
    WorldPlan { width: 2048, height: 2048, cell_m: 1.0, exponent: 18, datum_m: 0.0 };
const DEPTH_M: f64 = 5.0;
/// Places for bodies: squares of 56 m, one in each.
const SQUARES: u32 = 36;
const SQUARE_M: f64 = 56.0;
const FLOATS: u32 = 1000;
const BLOCKERS: u32 = 100;
/// Cycles before the first that counts, and cycles that count.
const WARM: u32 = 6;
const CYCLES: u32 = 25;
const HEAVE_M: f64 = 0.1;
const HEAVE_PER_S: f64 = 2.0;

fn lake(solver: Solver) -> Result<World, BenchError> {
    // Waves, so that nothing sleeps.
    let depth = |x: u32, y: u32| {
        let [x, y] = [x, y].map(|at| f64::from(at) / 25.0);
        DEPTH_M + 0.05 * (x.sin() + y.cos())
    };
    Ok(WorldBuilder::new(PLAN.terrain(|_, _| 0.0)?)
        .solver(solver)
        .initial_depth(move |at| depth(at.x, at.y))
        .build()?)
}

/// Makes all bodies in their first places.
fn bodies() -> Result<Vec<Body>, BenchError> {
    let count = SQUARES * SQUARES;
    let place = |index: u32| {
        // A step that shares no factor with the squares spreads the kinds.
        let square = (index * 37) % count;
        let [column, row] = [square % SQUARES, square / SQUARES].map(f64::from);
        let shift = |seed| 10.0 * noise(seed, i64::from(index), 0);
        [(column + 0.5) * SQUARE_M + shift(1), (row + 0.5) * SQUARE_M + shift(2)]
    };
    let some = |seed: u64, index: u32| noise(seed, i64::from(index), 1);
    let float = |index: u32| {
        let size = |seed| 1.0 + 3.0 * some(seed, index);
        let [x, y] = place(index);
        let lengths = [size(3), size(4), 1.0];
        held(u64::from(index), lengths, [x, y, DEPTH_M], 3.1 * some(5, index))
    };
    let blocker = |index: u32| {
        let [x, y] = place(FLOATS + index);
        let id = u64::from(FLOATS + index);
        held(id, [10.0, 4.0, 8.0], [x, y, 3.5], 3.1 * some(6, index))
    };
    (0..FLOATS).map(float).chain((0..BLOCKERS).map(blocker)).collect()
}

/// Returns the bodies as they bob after some cycles.
fn moved(bodies: &[Body], cycle: u32) -> Vec<Body> {
    let time = f64::from(cycle) / 60.0;
    let bob = |(index, body): (u32, &Body)| {
        let phase = HEAVE_PER_S * time + f64::from(index);
        let mut pose = body.pose;
        pose.position.x += 0.5 * HEAVE_M * phase.cos();
        pose.position.z += HEAVE_M * phase.sin();
        let linear = HEAVE_M * HEAVE_PER_S * DVec3::new(-0.5 * phase.sin(), 0.0, phase.cos());
        let mass_kg = (index < FLOATS).then_some(2000.0);
        Body { pose, motion: Motion { linear, ..Motion::default() }, mass_kg, ..body.clone() }
    };
    (0..).zip(bodies).map(bob).collect()
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Returns median times of the parts of a cycle, s: put, cycle, loads; and of one without bodies.
fn times(solver: Solver) -> Result<([f64; 4], String), BenchError> {
    let (mut plain, mut world) = (lake(solver)?, lake(solver)?);
    let (all, step) = (bodies()?, FixedStep::try_new(1, 60)?);
    let mut parts: [Vec<f64>; 4] = Default::default();
    for cycle in 1..=WARM + CYCLES {
        let mut took = [0.0; 4];
        let asked = moved(&all, cycle);
        let start = Instant::now();
        world.structures_mut().put_bodies(asked)?;
        took[0] = start.elapsed().as_secs_f64();
        let start = Instant::now();
        world.run_cycle(step);
        took[1] = start.elapsed().as_secs_f64();
        let start = Instant::now();
        std::hint::black_box(world.structures().loads(1.0 / 60.0));
        took[2] = start.elapsed().as_secs_f64();
        // By turns, so that a busy machine slows both.
        let start = Instant::now();
        plain.run_cycle(step);
        took[3] = start.elapsed().as_secs_f64();
        if cycle > WARM {
            parts.iter_mut().zip(took).for_each(|(part, took)| part.push(took));
        }
    }
    check_books(&world)?;
    let report = world.structures().body_report();
    let words = format!("{} bodies on {} cells", report.bodies, report.cells);
    Ok((parts.map(median), words))
}

fn measure(context: &Context) -> BenchResult {
    let ([put, cycle, loads, plain], words) = times(context.solver)?;
    let coupling = put + cycle + loads - plain;
    let note = format!(
        "{words}; put {:.1} ms, cycle {:.1} ms, loads {:.1} ms; without bodies {:.1} ms",
        1.0e3 * put,
        1.0e3 * cycle,
        1.0e3 * loads,
        1.0e3 * plain
    );
    let part = Measurement::new("bodies.cost", coupling / (coupling + plain), "1");
    let time = Measurement::new("bodies.cost_ms", 1.0e3 * coupling, "ms").target("<= 10");
    let cells = PLAN.cells();
    Ok(vec![part.target("<= 0.25").cells(cells).note(note), time.cells(cells)])
}
