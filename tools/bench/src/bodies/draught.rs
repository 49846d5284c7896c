//! Boxes that float at rest, and one that rights itself.
//!
//! ```text
//! draught   height · density / 1000, where the level water of the pond comes to
//! energy    of the box, of the level water around it, of waves on it: none above the start
//! ```
//!
//! The energy leaves out the waves within a cell of the box.

use crate::bodies::afloat::{DENSITY, Float, FloatingBoxes, GRAVITY};
use crate::bodies::channel::flat;
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::{check_books, places};
use thalweg::body::Pose;
use thalweg::glam::{DQuat, DVec2, DVec3};
use thalweg::world::{World, WorldBuilder};
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::Solver;
use thalweg_engine::sim::schedule::FixedStep;

/// Draught of boxes at rest; a box that was heeled.
pub const BENCH: Bench = Bench {
    ids: &["bodies.draught", "bodies.righted", "bodies.float_energy"],
    what: "boxes afloat: draught over Archimedes' less 1; heel left of 20°; energy gained",
    is_long: false,
    measure,
};

const WIDTH: usize = 64;
const DEPTH_M: f64 = 6.0;
const RUN_S: u32 = 60;
const MEAN_S: u32 = 20;
const CYCLES_PER_S: u32 = 60;

/// Lengths, density, place and turn of a box.
type DraughtCase = ([f64; 3], f64, [f64; 2], f64);

const CASES: [DraughtCase; 9] = [
    ([0.4, 0.4, 0.2], 500.0, [10.3, 10.7], 0.2),
    ([0.8, 0.6, 0.4], 300.0, [20.0, 10.0], 0.0),
    ([1.0, 1.0, 0.6], 700.0, [30.5, 10.5], 0.4),
    ([1.5, 1.0, 0.5], 100.0, [42.1, 11.9], 1.1),
    ([2.5, 2.0, 1.2], 500.0, [10.6, 24.2], 0.7),
    ([4.0, 3.0, 1.5], 800.0, [24.0, 24.0], 0.0),
    ([6.0, 6.0, 2.0], 250.0, [40.3, 26.6], 0.3),
    ([6.0, 2.5, 1.5], 600.0, [16.7, 44.4], 1.0),
    ([3.0, 3.0, 1.0], 400.0, [43.0, 47.5], 0.5),
];

/// Makes level water around boxes, less the water that they displace.
fn pond(solver: Solver, floats: &[Float]) -> Result<World, BenchError> {
    let floats = floats.to_vec();
    let depth = move |place: CellPlace| {
        let at = DVec2::new(f64::from(place.x), f64::from(place.y)) + 0.5;
        let taken = floats.iter().map(|float| float.column_filled_m(at, DEPTH_M));
        DEPTH_M - taken.sum::<f64>()
    };
    let builder = WorldBuilder::new(flat(WIDTH, WIDTH, 1.0)?).solver(solver);
    Ok(builder.initial_depth(depth).build()?)
}

fn volume_m3(world: &World) -> f64 {
    places(world).filter_map(|place| world.water().depth_m(place)).sum()
}

fn area_m2() -> f64 {
    (WIDTH * WIDTH) as f64
}

/// Returns deviations of the draughts.
fn draughts(solver: Solver) -> Result<Vec<f64>, BenchError> {
    let mut fleet = FloatingBoxes { floats: Vec::new(), dt_s: 1.0 / f64::from(CYCLES_PER_S) };
    for (lengths, density, [x, y], turn) in CASES {
        // A little too high at first.
        let up = DEPTH_M + lengths[2] * (0.5 - 0.95 * density / DENSITY);
        let pose = Pose { rotation: DQuat::from_rotation_z(turn), ..Pose::at([x, y, up]) };
        fleet.floats.push(Float::at(lengths.into(), density, pose)?);
    }
    let mut world = pond(solver, &fleet.floats)?;
    let step = FixedStep::try_new(1, CYCLES_PER_S)?;
    let mut sums = vec![0.0; CASES.len()];
    for cycle in 0..RUN_S * CYCLES_PER_S {
        world.run_cycle_with(step, &mut fleet)?;
        // Small waves run to and fro for long: means over the last third.
        if cycle >= (RUN_S - MEAN_S) * CYCLES_PER_S {
            let found = now(&world, &fleet);
            sums.iter_mut().zip(found).for_each(|(sum, draught)| *sum += draught);
        }
    }
    check_books(&world)?;
    let count = f64::from(MEAN_S * CYCLES_PER_S);
    Ok(sums.iter().map(|sum| sum / count - 1.0).collect())
}

/// Returns draughts over Archimedes'.
fn now(world: &World, fleet: &FloatingBoxes) -> Vec<f64> {
    // Level water around upright boxes: s (A − Σ a) = V − Σ a b, b their undersides.
    let plan = |float: &Float| float.lengths.x * float.lengths.y;
    let under = |float: &Float| float.pose.position.z - 0.5 * float.lengths.z;
    let taken: f64 = fleet.floats.iter().map(plan).sum();
    let below: f64 = fleet.floats.iter().map(|float| plan(float) * under(float)).sum();
    let stage = (volume_m3(world) - below) / (area_m2() - taken);
    fleet.floats.iter().map(|float| (stage - under(float)) / float.draught_m()).collect()
}

/// Returns the energy of a box and the water around it, and the part of it in waves, J.
fn energy_j(world: &World, float: &Float) -> [f64; 2] {
    let (volume, area) = (volume_m3(world), area_m2());
    let (mut stage, mut below) = (DEPTH_M, [0.0; 2]);
    for _ in 0..4 {
        below = float.below(stage);
        stage = (volume + below[0]) / area;
    }
    let weight = DENSITY * GRAVITY;
    let mut waves = 0.0;
    let energy = float.energy_j() + weight * (0.5 * area * stage * stage - below[1]);
    let reach = 0.5 * float.lengths.length() + 1.5;
    for place in places(world) {
        let [x, y] = [place.x, place.y].map(|at| f64::from(at) + 0.5);
        if (x - float.pose.position.x).hypot(y - float.pose.position.y) > reach {
            let depth = world.water().depth_m(place).unwrap_or(0.0);
            let [u, v] = world.water().velocity_m_s(place).unwrap_or([0.0; 2]);
            waves += 0.5 * weight * (depth - stage).powi(2);
            waves += 0.5 * DENSITY * depth * (u * u + v * v);
        }
    }
    [energy + waves, waves]
}

/// Returns the heel that is left, degrees; the highest energy and the last, above the start's, J;
/// the energy to lose until it is at rest, and the most in waves, J.
fn righted(solver: Solver) -> Result<[f64; 5], BenchError> {
    let (lengths, density, heel) = (DVec3::new(3.0, 3.0, 1.5), 400.0, 20.0_f64.to_radians());
    let up = DEPTH_M + lengths.z * (0.5 - density / DENSITY);
    let pose = Pose { rotation: DQuat::from_rotation_x(heel), ..Pose::at([32.3, 31.8, up]) };
    let floats = vec![Float::at(lengths, density, pose)?];
    let mut fleet = FloatingBoxes { floats, dt_s: 1.0 / f64::from(CYCLES_PER_S) };
    let step = FixedStep::try_new(1, CYCLES_PER_S)?;
    let mut world = pond(solver, &fleet.floats)?;
    let [start, _] = energy_j(&world, &fleet.floats[0]);
    let upright = Float::at(lengths, density, Pose::at(pose.position))?;
    let to_lose = start - energy_j(&world, &upright)[0];
    let (mut most, mut last, mut waves) = (f64::NEG_INFINITY, start, 0.0_f64);
    for cycle in 1..=RUN_S * CYCLES_PER_S {
        world.run_cycle_with(step, &mut fleet)?;
        if cycle % 12 == 0 {
            let [all, of_waves] = energy_j(&world, &fleet.floats[0]);
            (most, last, waves) = (most.max(all), all, waves.max(of_waves));
        }
    }
    check_books(&world)?;
    let heel = fleet.floats[0].upright().min(1.0).acos().to_degrees();
    Ok([heel, most - start, last - start, to_lose, waves])
}

fn measure(_: &Context) -> BenchResult {
    let (mut worst, mut told) = (0.0_f64, Vec::new());
    let (mut heel, mut rise, mut words) = (0.0_f64, f64::NEG_INFINITY, Vec::new());
    for solver in [Solver::Pipe, Solver::ShallowWater] {
        for (part, (lengths, density, ..)) in draughts(solver)?.into_iter().zip(CASES) {
            worst = worst.max(part.abs());
            let [x, y, z] = lengths;
            told.push(format!("{x} × {y} × {z} m {density} kg/m³ {solver:?} {part:+.4}"));
        }
        let [left, over, last, to_lose, waves] = righted(solver)?;
        (heel, rise) = (heel.max(left), rise.max(over / to_lose));
        words.push(format!(
            "{solver:?} {left:.3}° left, energy {over:+.0} J at most and {last:+.0} J at last of \
             {to_lose:.0} J to lose, {waves:.1} J in waves at most"
        ));
    }
    let cells = WIDTH * WIDTH;
    let draught = Measurement::new("bodies.draught", worst, "1").target("<= 0.01");
    let righted = Measurement::new("bodies.righted", heel, "°").target("<= 1");
    let energy = Measurement::new("bodies.float_energy", rise, "1").target("<= 0");
    Ok(vec![
        draught.cells(cells).note(told.join("; ")),
        righted.cells(cells).note(words.join("; ")),
        energy.cells(cells),
    ])
}
