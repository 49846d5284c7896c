//! A voxel automaton that searches paths, as games of voxels have it, beside intervals.
//!
//! Each voxel contains up to seven units. In a step a unit falls, or spreads to a neighbour with
//! two less; if a voxel is full and cannot, the unit moves along full voxels to the nearest that is
//! lower and has room: pressure.

use crate::stacks::mine::cave;
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::{WorldPlan, check_books, place};
use std::collections::VecDeque;
use std::time::Instant;
use thalweg::units::SimTime;
use thalweg::world::{Voids, WorldBuilder};
use thalweg_engine::sim::schedule::FixedStep;
use thalweg_engine::sim::{Settings, Solver};

/// A lake that levels out through a cave.
pub const BENCH: Bench = Bench {
    ids: &[
        "stacks.automaton",
        "stacks.automaton_steps",
        "stacks.automaton_s",
        "stacks.intervals_s",
    ],
    what: "a tank that levels out with another through a cave of 32 × 32 × 8 voxels, until their \
           stages are within half a voxel: time that a path-searching voxel automaton needs over \
           that of intervals; its steps; seconds of both",
    is_long: true,
    measure,
};

const SIZE: usize = 32;
const LAYERS: usize = 16;
/// Columns of each tank, and first stage of the one that is full, m.
const TANK: usize = 4;
const STAGE: usize = 14;
/// Units of a full voxel.
const FULL: u8 = 7;
/// Largest number of steps of the automaton.
const STEPS_MOST: u32 = 20_000;

/// Returns whether a voxel is air: two tanks, and a cave between them below a roof.
fn is_air(x: usize, y: usize, z: usize, cave: &impl Fn(usize, usize, usize) -> bool) -> bool {
    let is_tank = !(TANK..SIZE - TANK).contains(&x);
    is_tank || (z < 8 && cave(x, y, z))
}

struct Automaton {
    air: Vec<bool>,
    units: Vec<u8>,
}

fn index(x: usize, y: usize, z: usize) -> usize {
    (z * SIZE + y) * SIZE + x
}

fn voxels() -> impl Iterator<Item = (usize, usize, usize)> {
    let rows = (0..LAYERS).flat_map(|z| (0..SIZE).map(move |y| (y, z)));
    rows.flat_map(|(y, z)| (0..SIZE).map(move |x| (x, y, z)))
}

impl Automaton {
    fn new(cave: &impl Fn(usize, usize, usize) -> bool) -> Self {
        let air = voxels().map(|(x, y, z)| is_air(x, y, z, cave)).collect();
        let units = voxels().map(|(x, _, z)| if x < TANK && z < STAGE { FULL } else { 0 });
        Self { air, units: units.collect() }
    }

    /// Returns the neighbours of a voxel: four beside it, below and above.
    fn beside(at: usize) -> impl Iterator<Item = usize> {
        let [x, y, z] = [at % SIZE, at / SIZE % SIZE, at / (SIZE * SIZE)];
        let near = [
            (z > 0).then(|| at - SIZE * SIZE),
            (x > 0).then(|| at - 1),
            (x + 1 < SIZE).then(|| at + 1),
            (y > 0).then(|| at - SIZE),
            (y + 1 < SIZE).then(|| at + SIZE),
            (z + 1 < LAYERS).then(|| at + SIZE * SIZE),
        ];
        near.into_iter().flatten()
    }

    /// Returns the nearest voxel with room that a full one reaches along full ones, below its own
    /// layer.
    fn reached(&self, from: usize, seen: &mut [u32], mark: u32) -> Option<usize> {
        let layer = from / (SIZE * SIZE);
        let mut queue = VecDeque::from([from]);
        seen[from] = mark;
        while let Some(at) = queue.pop_front() {
            for next in Self::beside(at) {
                if !self.air[next] || seen[next] == mark || next / (SIZE * SIZE) >= layer {
                    continue;
                }
                seen[next] = mark;
                if self.units[next] < FULL {
                    return Some(next);
                }
                queue.push_back(next);
            }
        }
        None
    }

    /// Steps all voxels; returns false if nothing moves.
    fn step(&mut self, seen: &mut [u32], mark: &mut u32) -> bool {
        let mut has_moved = false;
        for at in 0..self.units.len() {
            if self.units[at] == 0 {
                continue;
            }
            let below = at.checked_sub(SIZE * SIZE).filter(|&below| self.air[below]);
            let to = match below {
                Some(below) if self.units[below] < FULL => Some(below),
                _ => {
                    let same = |&next: &usize| next / (SIZE * SIZE) == at / (SIZE * SIZE);
                    let lower =
                        |next: &usize| self.air[*next] && self.units[*next] + 1 < self.units[at];
                    Self::beside(at).filter(same).find(lower).or_else(|| {
                        // Only the uppermost water is pressed away.
                        let above = at + SIZE * SIZE;
                        let is_top = above >= self.units.len() || self.units[above] == 0;
                        *mark += 1;
                        below.filter(|_| is_top).and_then(|_| self.reached(at, seen, *mark))
                    })
                }
            };
            if let Some(to) = to {
                self.units[at] -= 1;
                self.units[to] += 1;
                has_moved = true;
            }
        }
        has_moved
    }

    /// Returns the mean stage of a tank, voxels.
    fn stage(&self, columns: std::ops::Range<usize>) -> f64 {
        let count = (columns.len() * SIZE) as f64;
        let rows = (0..LAYERS).flat_map(|z| (0..SIZE).map(move |y| (y, z)));
        let own = rows.flat_map(|(y, z)| columns.clone().map(move |x| index(x, y, z)));
        let units: u32 = own.map(|at| u32::from(self.units[at])).sum();
        f64::from(units) / f64::from(FULL) / count
    }

    fn is_level(&self) -> bool {
        (self.stage(0..TANK) - self.stage(SIZE - TANK..SIZE)).abs() < 0.5
    }
}

/// Returns the seconds and steps of the automaton.
fn by_automaton(cave: &impl Fn(usize, usize, usize) -> bool) -> Result<[f64; 2], BenchError> {
    let mut automaton = Automaton::new(cave);
    let (mut seen, mut mark) = (vec![0; automaton.units.len()], 0);
    let (begun, mut steps) = (Instant::now(), 0);
    while !automaton.is_level() {
        if steps == STEPS_MOST || !automaton.step(&mut seen, &mut mark) {
            return Err("an automaton that does not level out".into());
        }
        steps += 1;
    }
    Ok([begun.elapsed().as_secs_f64(), f64::from(steps)])
}

/// Returns the seconds of the same case with intervals.
fn by_intervals(cave: &impl Fn(usize, usize, usize) -> bool) -> Result<f64, BenchError> {
    let plan = WorldPlan { width: SIZE, height: SIZE, cell_m: 1.0, exponent: 20, datum_m: 0.0 };
    let is_tank = |x: usize| !(TANK..SIZE - TANK).contains(&x);
    let mut voids = Voids::new();
    for (x, y, z) in voxels().filter(|&(x, y, z)| !is_tank(x) && is_air(x, y, z, cave)) {
        voids.extend([(place(x, y), [z as f64, (z + 1) as f64])]);
    }
    let settings = Settings { solver: Solver::Pipe, ..Settings::default() };
    let mut world = WorldBuilder::new(plan.terrain(|x, _| if is_tank(x) { 0.0 } else { 16.0 })?)
        .settings(settings)
        .initial_stage(|at| if (at.x as usize) < TANK { STAGE as f64 } else { f64::NAN })
        .voids(voids)
        .build()?;
    let step = FixedStep::try_new(1, 20)?;
    let begun = Instant::now();
    loop {
        world.run_cycle(step);
        let mean = |columns: std::ops::Range<usize>| {
            let places = columns.flat_map(|x| (0..SIZE).map(move |y| place(x, y)));
            places.map(|at| world.water().depth_m(at).unwrap_or(0.0)).sum::<f64>()
                / (TANK * SIZE) as f64
        };
        if (mean(0..TANK) - mean(SIZE - TANK..SIZE)).abs() < 0.5 {
            break;
        }
        if world.time() > SimTime::from_seconds(600.0) {
            return Err("tanks that do not level out".into());
        }
    }
    check_books(&world)?;
    Ok(begun.elapsed().as_secs_f64())
}

fn measure(_: &Context) -> BenchResult {
    let cave = cave(SIZE, 8, 1);
    let [automaton_s, steps] = by_automaton(&cave)?;
    let intervals_s = by_intervals(&cave)?;
    Ok(vec![
        Measurement::new(BENCH.ids[0], automaton_s / intervals_s, "x"),
        Measurement::new(BENCH.ids[1], steps, "steps"),
        Measurement::new(BENCH.ids[2], automaton_s, "s"),
        Measurement::new(BENCH.ids[3], intervals_s, "s"),
    ])
}
