//! A lake that drains into a mine.

use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::{WorldPlan, check_books, place};
use std::time::Instant;
use thalweg::world::{SleepTolerance, Voids, World, WorldBuilder};
use thalweg_engine::sim::schedule::FixedStep;
use thalweg_engine::sim::{Settings, Solver};
use thalweg_engine::units::hash::scramble;

/// Floods in mines.
pub const BENCH: Bench = Bench {
    ids: &[
        "stacks.mine",
        "stacks.mine_spread",
        "stacks.mine_us",
        "stacks.caves_us",
        "stacks.caves",
        "stacks.mine_asleep",
    ],
    what: "a lake let into a mine of 64 × 64 × 8 voxels: mean head there over the lake's mean \
           stage after three minutes, and the spread of heads; time for each interval and step, \
           there and in caves of a million intervals; simulated time until all of the mine sleeps, \
           where waves of 5 cm are let go",
    is_long: true,
    measure,
};

/// Columns of the lake in the west.
const TANK: usize = 6;

/// Returns whether a voxel of a cave is air: rock that three rounds of a cellular automaton smooth.
pub fn cave(size: usize, height: usize, seed: u64) -> impl Fn(usize, usize, usize) -> bool {
    let index = move |x: usize, y: usize, z: usize| (z * size + y) * size + x;
    let mut rock: Vec<bool> =
        (0..size * size * height).map(|at| scramble(seed << 40 ^ at as u64) & 1 == 0).collect();
    for _ in 0..3 {
        let before = rock.clone();
        let at = |x: isize, y: isize, z: isize| {
            let inside = |v: isize, most: usize| (0..most).contains(&(v as usize)) && v >= 0;
            let is_in = inside(x, size) && inside(y, size) && inside(z, height);
            !is_in || before[index(x as usize, y as usize, z as usize)]
        };
        for (x, y, z) in
            (0..size).flat_map(|x| (0..size).flat_map(move |y| (0..height).map(move |z| (x, y, z))))
        {
            let near = (-1..=1_isize).flat_map(|dx| {
                (-1..=1_isize).flat_map(move |dy| (-1..=1_isize).map(move |dz| (dx, dy, dz)))
            });
            let near =
                near.filter(|&(dx, dy, dz)| at(x as isize + dx, y as isize + dy, z as isize + dz));
            rock[index(x, y, z)] = near.count() >= 14;
        }
    }
    move |x, y, z| !rock[index(x, y, z)]
}

/// Makes a mine below a plateau, and a lake beside it with a stage.
fn mine(
    size: usize,
    height: usize,
    stage_m: f64,
    sleep_tolerance: Option<SleepTolerance>,
) -> Result<World, BenchError> {
    let air = cave(size, height, 1);
    let plan = WorldPlan { width: size, height: size, cell_m: 1.0, exponent: 20, datum_m: 0.0 };
    let top = height as f64;
    let mut voids = Voids::new();
    for (x, y) in (TANK..size).flat_map(|x| (0..size).map(move |y| (x, y))) {
        let cells = (0..height).filter(|&z| air(x, y, z));
        let at = place(x, y);
        voids.extend(cells.map(|z| (at, [z as f64, (z + 1) as f64])));
    }
    Ok(WorldBuilder::new(plan.terrain(|x, _| if x < TANK { 0.0 } else { top + 30.0 })?)
        .settings(Settings {
            manning_n: vec![0.03],
            solver: Solver::Pipe,
            sleep_tolerance,
            ..Settings::default()
        })
        .initial_stage(move |at| if (at.x as usize) < TANK { stage_m } else { f64::NAN })
        .voids(voids)
        .build()?)
}

/// Returns the heads of all full intervals, m, ascending.
fn heads(world: &World) -> Vec<f64> {
    let (width, height) = world.size();
    let mut heads: Vec<f64> = (0..width * height)
        .flat_map(|at| world.stacks().intervals_at(place(at % width, at / width)))
        .filter(|own| own.is_full)
        .map(|own| own.head_m)
        .collect();
    heads.sort_unstable_by(f64::total_cmp);
    heads
}

/// Runs a mine of 64 × 64 × 8 voxels that a lake runs into for three minutes: returns the
/// difference of the heads there from the lake's stage, as means over twenty seconds, m; the spread
/// of heads at one moment; and µs for an interval and step.
fn small() -> Result<[f64; 3], BenchError> {
    let mut world = mine(64, 8, 30.0, None)?;
    let count = world.stacks().count() as f64;
    let step = FixedStep::try_new(1, 20)?;
    let (mut steps, begun) = (0.0, Instant::now());
    for _ in 0..4000 {
        steps += f64::from(world.run_cycle(step).steps);
    }
    let spent_us = begun.elapsed().as_secs_f64() * 1.0e6;
    let (mut difference, mut spread) = (0.0, 0.0_f64);
    for _ in 0..40 {
        (0..10).for_each(|_| {
            world.run_cycle(step);
        });
        let heads = heads(&world);
        let at = |part: usize| heads[part * (heads.len() - 1) / 100];
        let lake = (0..64).filter_map(|y| world.water().stage_m(place(2, y)));
        difference += at(50) - lake.sum::<f64>() / 64.0;
        spread = spread.max(at(99) - at(1));
    }
    check_books(&world)?;
    Ok([(difference / 40.0).abs(), spread, spent_us / steps / count])
}

/// Runs caves of a million intervals: returns µs for an interval and step.
fn large() -> Result<[f64; 2], BenchError> {
    let mut world = mine(448, 64, 60.0, None)?;
    let count = world.stacks().count();
    let step = FixedStep::try_new(1, 40)?;
    for _ in 0..10 {
        world.run_cycle(step);
    }
    let (mut steps, begun) = (0.0, Instant::now());
    for _ in 0..10 {
        steps += f64::from(world.run_cycle(step).steps);
    }
    let spent_s = begun.elapsed().as_secs_f64();
    check_books(&world)?;
    Ok([spent_s * 1.0e6 / steps / count as f64, count as f64])
}

/// Returns the simulated time until all of the small mine sleeps under a game's tolerance, s;
/// infinite if it does not within half an hour.
fn asleep() -> Result<f64, BenchError> {
    let tolerance = SleepTolerance { stage_m: 0.1, time_s: 5.0 };
    let mut world = mine(64, 8, 30.0, Some(tolerance))?;
    let step = FixedStep::try_new(1, 20)?;
    for _ in 0..36_000 {
        if world.run_cycle(step).awake == 0 {
            check_books(&world)?;
            return Ok(world.time().seconds());
        }
    }
    Ok(f64::INFINITY)
}

fn measure(_: &Context) -> BenchResult {
    let [difference, spread, us] = small()?;
    let [large_us, count] = large()?;
    Ok(vec![
        Measurement::new(BENCH.ids[0], difference, "m").target("<= 0.02"),
        Measurement::new(BENCH.ids[1], spread, "m"),
        Measurement::new(BENCH.ids[2], us, "us").target("<= 1"),
        Measurement::new(BENCH.ids[3], large_us, "us").target("<= 1"),
        Measurement::new(BENCH.ids[4], count, "intervals"),
        Measurement::new(BENCH.ids[5], asleep()?, "s"),
    ])
}
