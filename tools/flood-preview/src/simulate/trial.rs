//! Estimate of the time of a run, from a little of it and all of a coarser one.
//!
//! ```text
//! time  =  reading and building                  measured: the world is built
//!        + Σ cell steps · cost / threads at work   of a coarse run; cost from the first cycles
//!        + frames · one frame + results          measured; results as so many frames
//! ```
//!
//! A coarse run of `r` times wider cells has `r` times longer steps. For each time it gives the
//! number of wet tiles of the real run, which are the ones that cost time, and the length of steps.
//!
//! Limits:     narrow channels are shallower and slower in coarse cells, so steep maps take longer
//!             than foretold.

use std::time::{Duration, Instant};

use kit::device::{DeviceName, tried};
use kit::error::UserError;
use kit::interrupt;
use kit::reading::{ReadingWatch, silent};
use kit::threads::on_threads;
use scenario::build::build;
use scenario::plan::Plan;
use scenario::survey::Survey;
use thalweg::units::SimTime;
use thalweg::world::{LeafView, TILE_CELLS, TILE_WIDTH, World};

use super::{planes, section};
use crate::outcome::DepthFrame;

/// Longest trial of the real run.
const REAL: Duration = Duration::from_millis(250);
/// Longest coarse run.
const COARSE: Duration = Duration::from_millis(1500);
/// Approximate limit of the cells of the coarse run.
const COARSE_CELLS: usize = 20_000;
/// Approximate limit of the observations of the coarse run.
const LOOKS: f64 = 200.0;
/// Time of the results, in frames.
const RESULTS_FRAMES: f64 = 40.0;

/// Device and time that a run takes.
#[derive(Debug, Clone, PartialEq)]
pub struct Forecast {
    /// Device that steps the water, and how far it can, in words.
    pub device: String,
    /// Seconds on the processor.
    pub time: ForecastTimes,
}

/// Seconds that a run takes on the processor, part by part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ForecastTimes {
    /// Reading the map and building the world.
    pub building_s: f64,
    /// Simulating the water.
    pub running_s: f64,
    /// Frames and results.
    pub writing_s: f64,
}

impl ForecastTimes {
    /// Returns the whole time.
    #[must_use]
    pub fn total_s(&self) -> f64 {
        self.building_s + self.running_s + self.writing_s
    }
}

/// Foretells how long the run of `plan` takes on this machine, and which device it has.
///
/// # Errors
///
/// Errors of building the world and its sections, and a stop by the user.
pub fn forecast(
    (plan, survey): (&Plan, &Survey),
    device: DeviceName,
    watch: ReadingWatch<'_>,
) -> Result<Forecast, UserError> {
    on_threads(plan.numbers.threads, || {
        let start = Instant::now();
        let mut world = build(plan, survey, &|builder| builder, watch)?.world;
        section::put(&mut world, plan)?;
        let building_s = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let depth = planes::depth_m(&world, None);
        drop(DepthFrame::reduced(0.0, plan.map.size(), &depth, &plan.output.depth_classes_m));
        let frame_s = start.elapsed().as_secs_f64();
        drop(depth);
        let real = Real::run(&mut world, plan)?;
        let device = tried(&mut world, device);
        drop(world);
        let running_s = match real.left_s(plan) {
            left if left <= 0.0 => real.wall_s,
            left => {
                real.wall_s
                    + coarse(plan, survey, &real)?.unwrap_or(left / real.time_s * real.wall_s)
            }
        };
        let writing_s = frame_s * (plan.output.frames as f64 + RESULTS_FRAMES);
        Ok(Forecast { device, time: ForecastTimes { building_s, running_s, writing_s } })
    })
}

/// The first cycles of the real run.
#[derive(Debug)]
struct Real {
    /// Simulated time, s.
    time_s: f64,
    /// Time it took, s.
    wall_s: f64,
    /// Time of a thread for a cell and a step, s.
    cost_s: f64,
}

impl Real {
    fn run(world: &mut World, plan: &Plan) -> Result<Self, UserError> {
        let (start, end) = (Instant::now(), SimTime::from_seconds(plan.duration_s));
        let (mut cell_steps, mut work_s) = (0, 0.0);
        while world.time() < end && start.elapsed() < REAL {
            interrupt::check()?;
            let before = Instant::now();
            let report = world.run_cycle(end);
            work_s += before.elapsed().as_secs_f64() * at_work(report.awake);
            cell_steps += report.cell_steps;
        }
        let cost_s = work_s / cell_steps.max(1) as f64;
        Ok(Self { time_s: world.time().seconds(), wall_s: start.elapsed().as_secs_f64(), cost_s })
    }

    fn left_s(&self, plan: &Plan) -> f64 {
        plan.duration_s - self.time_s
    }
}

/// Returns the number of threads that have work if `tiles` tiles are awake.
fn at_work(tiles: usize) -> f64 {
    tiles.clamp(1, rayon::current_num_threads()) as f64
}

/// Returns the time of the rest of the run, s, by a run on coarser cells; `None` if no
/// coarser run is possible.
fn coarse(plan: &Plan, survey: &Survey, real: &Real) -> Result<Option<f64>, UserError> {
    let mut coarse = plan.clone();
    coarse.is_adaptive = false;
    let Some(steps) = coarser(plan) else { return Ok(None) };
    coarse.map.level += steps;
    let Ok(made) = build(&coarse, survey, &|builder| builder, &mut silent()) else {
        interrupt::check()?;
        return Ok(None);
    };
    let mut world = made.world;
    let (start, end) = (Instant::now(), SimTime::from_seconds(plan.duration_s));
    let (mut tiles, mut looked_s, mut rest_s, mut last_rate) = (0, f64::NEG_INFINITY, 0.0, 0.0);
    while world.time() < end && start.elapsed() < COARSE {
        interrupt::check()?;
        let before_s = world.time().seconds();
        let report = world.run_cycle(end);
        let now_s = world.time().seconds();
        if now_s - looked_s >= plan.duration_s / LOOKS {
            (tiles, looked_s) = (wet_tiles(&world, steps), now_s);
        }
        let cell_steps = tiles as f64 * TILE_CELLS as f64 * f64::from(report.steps << steps);
        let wall_s = cell_steps * real.cost_s / at_work(tiles);
        last_rate = wall_s / (now_s - before_s).max(1.0e-9);
        // The first part was run as it is.
        rest_s += wall_s * ((now_s - real.time_s) / (now_s - before_s)).clamp(0.0, 1.0);
    }
    Ok(Some(rest_s + last_rate * (plan.duration_s - world.time().seconds())))
}

/// Returns the number of levels by which the coarse run is coarser.
fn coarser(plan: &Plan) -> Option<u8> {
    let (width, height) = plan.map.size();
    let narrow = width.min(height) >> plan.map.level;
    let cells = plan.map.simulated_cells();
    let is_enough = |steps: &u8| cells >> (2 * steps) <= COARSE_CELLS;
    let most = thalweg::terrain::Terrain::LEVELS - 1 - plan.map.level;
    (1..=most.min(6)).take_while(|steps| narrow >> steps >= 8).find(is_enough)
}

/// Returns the number of tiles of the real run that are wet, from this coarse one.
fn wet_tiles(world: &World, steps: u8) -> usize {
    let width = (TILE_WIDTH >> steps).max(1);
    let across = TILE_WIDTH / width;
    let of_leaf = |leaf: LeafView<'_>| {
        let depth = leaf.depth();
        let is_wet = |tile: usize| {
            let (x, y) = (tile % across * width, tile / across * width);
            (y..y + width).any(|y| depth[y * TILE_WIDTH + x..][..width].iter().any(|h| *h > 0))
        };
        (0..across * across).filter(|tile| is_wet(*tile)).count()
    };
    world.leaves().iter().map(of_leaf).sum()
}
