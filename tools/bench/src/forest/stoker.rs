//! A dam break onto water, with leaves that follow its bore.
//!
//! The dam of `accuracy.stoker` in a basin that is wide enough for coarse leaves. All leaves begin
//! at the finest level; a step of stage requests detail ([`Measure::StageStep`], the fan), and so
//! does a bore, with a margin ahead of it ([`Ahead`]).
//!
//! ```text
//!  ────╲            0   around the bore and the ends of the fan
//!       ╲_____      1   in the fan, once it is flat enough
//!             |___  2   still water, and the plain between fan and bore
//! ```
//!
//! Errors are taken at the centres of all finest cells, where a query interpolates.

use super::ahead::Ahead;
use crate::accuracy::scheme::Scheme;
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::WorldPlan;
use exact::Stoker;
use thalweg::criteria::{Feature, Measure};
use thalweg::units::SimTime;
use thalweg::world::{AdaptiveOptions, World, WorldBuilder};
use thalweg_engine::grid::TileKey;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::Settings;

/// Error and work.
pub const BENCH: Bench = Bench {
    ids: &["forest.stoker", "forest.stoker.cell_steps"],
    what: "dam break 0.5 m onto 0.1 m with leaves that follow the bore: error and cell-updates \
           against a uniformly fine run",
    is_long: false,
    measure,
};

const COLUMNS: u32 = 2048;
const ROWS: u32 = 256;
const COARSEST: u8 = 2;
const LENGTH_M: f64 = 10.0;
const CELL_M: f64 = LENGTH_M / COLUMNS as f64;
const BEHIND_M: f64 = 0.5;
const AHEAD_M: f64 = 0.1;
const END_S: f64 = 1.5;
/// Step of stage between neighbour cells that is refined, m.
const STEP_M: f32 = 0.0017;
/// Steepness that counts as a bore.
const BORE: Ahead = Ahead { step_m: 0.01, margin_m: 8.0 * CELL_M, level: 0 };

/// Results of a run.
#[derive(Debug, Clone, Copy)]
struct StokerResult {
    /// Relative L1 of depth.
    error: f64,
    cell_steps: u64,
}

/// Choice of leaves.
#[derive(Debug, Clone, Copy, PartialEq)]
enum StokerLeaves {
    /// All leaves of the finest level, awake throughout.
    Uniform,
    /// All leaves of the finest level; still ones sleep.
    Sleeping,
    /// Leaves that follow the water.
    Adaptive,
}

fn measure(_: &Context) -> BenchResult {
    let uniform = run(StokerLeaves::Uniform)?;
    let sleeping = run(StokerLeaves::Sleeping)?;
    let adaptive = run(StokerLeaves::Adaptive)?;
    let work = |other: StokerResult| adaptive.cell_steps as f64 / other.cell_steps as f64;
    let cells = (COLUMNS * ROWS) as usize;
    let note = format!(
        "relative L1 of depth at finest cells: {:.2e} uniformly fine, {:.2e} with levels 0 to \
         {COARSEST}",
        uniform.error, adaptive.error
    );
    let asleep = format!(
        "{:.1} million cell-updates; {:.2} of those of a fine run whose still leaves sleep",
        adaptive.cell_steps as f64 / 1.0e6,
        work(sleeping)
    );
    Ok(vec![
        Measurement::new("forest.stoker", adaptive.error / uniform.error, "1")
            .target("<= 1.2")
            .cells(cells)
            .note(note),
        Measurement::new("forest.stoker.cell_steps", work(uniform), "1")
            .target("<= 0.25")
            .cells(cells)
            .note(asleep),
    ])
}

fn run(leaves: StokerLeaves) -> Result<StokerResult, BenchError> {
    let mut world = world(leaves)?;
    let end = SimTime::from_seconds(END_S);
    let mut cell_steps = 0;
    while world.time() < end {
        cell_steps += world.run_cycle(end).cell_steps;
        if leaves == StokerLeaves::Adaptive {
            let bore = BORE.criterion(&world)?;
            let criteria = world.criteria_mut().ok_or("leaves do not change")?;
            criteria.truncate(1);
            criteria.push(bore);
        }
    }
    Ok(StokerResult { error: error(&world)?, cell_steps })
}

fn world(leaves: StokerLeaves) -> Result<World, BenchError> {
    let (width, height) = (COLUMNS as usize, ROWS as usize);
    let plan = WorldPlan { width, height, cell_m: CELL_M, exponent: 24, datum_m: 0.0 };
    let mut settings = Scheme::Second.settings(0.0);
    if leaves == StokerLeaves::Uniform {
        settings = Settings { sleep_after_cycles: u32::MAX, ..settings };
    }
    let depth = |place: CellPlace| if place.x < COLUMNS / 2 { BEHIND_M } else { AHEAD_M };
    let builder =
        WorldBuilder::new(plan.terrain(|_, _| 0.0)?).settings(settings).initial_depth(depth);
    if leaves != StokerLeaves::Adaptive {
        return Ok(builder.build()?);
    }
    let scale = builder.extent(COARSEST)?;
    let fan = Feature::try_new(Measure::StageStep(STEP_M), 0, 0.0, &scale);
    let options = AdaptiveOptions {
        coarsest: COARSEST,
        interval_cycles: 1,
        min_age_cycles: 4,
        ahead_cycles: 0,
        leaves_a_cycle: u32::MAX,
        criteria: vec![Box::new(fan.map_err(|error| error.to_string())?)],
        ..AdaptiveOptions::default()
    };
    let (columns, rows) = scale.tiles(0);
    let fine = (0..rows).flat_map(|y| (0..columns).map(move |x| TileKey { level: 0, x, y }));
    Ok(builder.adaptive(options).leaves(fine.collect()).build()?)
}

/// Returns the relative L1 of depth at the centres of all finest cells.
fn error(world: &World) -> Result<f64, BenchError> {
    let exact = Stoker::new(BEHIND_M, AHEAD_M);
    let centre = |at: u32| (f64::from(at) + 0.5) * CELL_M;
    let places: Vec<[f64; 2]> =
        (0..COLUMNS).flat_map(|x| (0..ROWS).map(move |y| [centre(x), centre(y)])).collect();
    let (mut error, mut sum) = (0.0, 0.0);
    for (place, sample) in places.iter().zip(world.query().at_all(&places)?) {
        let depth_m = sample.ok_or("a place lies outside the basin")?.depth_m;
        let exact_m = exact.at(place[0] - 0.5 * LENGTH_M, END_S).depth_m;
        error += (depth_m - exact_m).abs();
        sum += exact_m;
    }
    Ok(error / sum)
}
