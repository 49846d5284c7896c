//! The shore of a lake that becomes coarse and fine again, a thousand times.
//!
//! The lake of `forest.lake_regrid`: 1 km², 5 m deep, banks of 1:3 and 1:20, at rest. A shore cell
//! is a coarse cell that the waterline crosses; its volume at the end is compared with its volume
//! at the beginning, both on finest cells.
//!
//! ```text
//! moved in all = Σ |volume at the end − volume at the beginning| / Σ volume at the beginning
//! ```

use crate::accuracy::case::percent;
use crate::adaptive::shore::{COARSEST, STAGE_M, ShoreLake, WHOLE, bed_m};
use crate::subgrid::columns::{CoarseColumns, KINDS, with_columns};
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::check_books;
use thalweg_engine::grid::TILE_CELLS;
use thalweg_engine::sim::schedule::FixedStep;
use thalweg_engine::sim::{Settings, Solver};

/// Volume that a shore loses and gains, and the waves that it sends out.
pub const BENCH: Bench = Bench {
    ids: &["subgrid.shore_pump", "subgrid.shore_pump.wave"],
    what: "1,000 times coarse and fine again at the shore of a lake of 1 km²: part of the shore \
           cells' volume that moves in all, largest wave",
    is_long: true,
    measure,
};

const ROUNDS: usize = 1000;
/// Simulated time of a cycle, s: as a fraction.
const CYCLE: (u32, u32) = (1, 10);
/// Least number of cycles between two changes: leaves change by one level a cycle.
const CYCLES: usize = 4;

/// Coarse cells in a row.
const COLUMNS: usize = WHOLE.width >> COARSEST;

/// Returns whether the waterline crosses a coarse cell.
fn is_shore(column: usize, row: usize) -> bool {
    let side = 1 << COARSEST;
    let [west, south] = [column, row].map(|i| i * side);
    let mut beds = (south..south + side).flat_map(|y| (west..west + side).map(move |x| (x, y)));
    let is_below = |(x, y)| bed_m(x, y) < STAGE_M;
    let first = beds.next().map(is_below);
    beds.any(|at| Some(is_below(at)) != first)
}

/// Returns the volumes over the coarse cells, vertical units × finest cells.
fn volumes(lake: &ShoreLake) -> Vec<i64> {
    let simulation = lake.world.simulation();
    let mut volumes = vec![0; COLUMNS * COLUMNS];
    for (leaf, key) in simulation.forest().iter() {
        let (water, cells) = (simulation.water(leaf), 1 << (2 * key.level));
        for cell in (0..TILE_CELLS).filter(|&cell| water.depth[cell] > 0) {
            let place = simulation.forest().place_of(leaf, cell);
            let [column, row] = place.indices().map(|at| at >> COARSEST);
            volumes[row * COLUMNS + column] += i64::from(water.depth[cell]) * cells;
        }
    }
    volumes
}

/// Runs the lake until all its leaves are of a level.
fn reach(lake: &mut ShoreLake, level: u8) -> Result<(), BenchError> {
    let cycle = FixedStep::try_new(CYCLE.0, CYCLE.1)?;
    (0..CYCLES).for_each(|_| _ = lake.world.run_cycle(cycle));
    let leaves = lake.world.simulation().forest().leaves();
    let is_there = leaves.iter().all(|key| key.level == level);
    if is_there { Ok(()) } else { Err(format!("not all leaves became level {level}").into()) }
}

/// Results of a thousand rounds.
struct ShorePumpResult {
    /// Shore cells, and their volume at the beginning, m³.
    shore: (usize, f64),
    /// Part of that which has moved after one round, and after all.
    moved: [f64; 2],
    /// Largest distance of a single cell's stage from the lake's, in the part that no bank reaches,
    /// m.
    wave_m: f64,
}

fn run(columns: CoarseColumns, solver: Solver) -> Result<ShorePumpResult, BenchError> {
    let settings = Settings { solver, ..Settings::default() };
    let mut lake = ShoreLake::build(|builder| with_columns(builder.settings(settings), columns))?;
    let cells = 0..COLUMNS * COLUMNS;
    let shore: Vec<usize> = cells.filter(|i| is_shore(i % COLUMNS, i / COLUMNS)).collect();
    let first = volumes(&lake);
    let held: i64 = shore.iter().map(|&i| first[i]).sum();
    let moved = |lake: &ShoreLake| {
        let now = volumes(lake);
        let change: u64 = shore.iter().map(|&i| now[i].abs_diff(first[i])).sum();
        change as f64 / held as f64
    };
    let (mut after_one, mut wave_m) = (f64::NAN, 0.0_f64);
    for round in 0..ROUNDS {
        lake.coarsen()?;
        reach(&mut lake, COARSEST)?;
        wave_m = wave_m.max(lake.stages().open);
        lake.refine()?;
        reach(&mut lake, 0)?;
        wave_m = wave_m.max(lake.stages().open);
        if round == 0 {
            after_one = moved(&lake);
        }
    }
    check_books(&lake.world)?;
    let held_m3 = held as f64 * lake.world.water().unit_m3();
    Ok(ShorePumpResult { shore: (shore.len(), held_m3), moved: [after_one, moved(&lake)], wave_m })
}

fn measure(context: &Context) -> BenchResult {
    let (mut last, mut lines) = (None, Vec::new());
    for &columns in KINDS {
        let found = run(columns, context.solver)?;
        let ShorePumpResult { shore: (count, held_m3), moved: [first, all], wave_m } = found;
        lines.push(format!(
            "{columns}: {count} shore cells of {} m hold {held_m3:.0} m³; {} moved after one \
             round, {} after {ROUNDS}; single cells of open water are {:.2} mm off at most",
            1 << COARSEST,
            percent(first),
            percent(all),
            1.0e3 * wave_m
        ));
        last = Some((all, wave_m));
    }
    let (moved, wave_m) = last.ok_or("no kind of columns")?;
    let (numerator, denominator) = CYCLE;
    lines.push(format!("a round is {} cycles of {numerator}/{denominator} s", 2 * CYCLES));
    Ok(vec![
        Measurement::new("subgrid.shore_pump", 100.0 * moved, "%")
            .target("<= 0.1")
            .cells(WHOLE.cells())
            .note(lines.join("\n")),
        Measurement::new("subgrid.shore_pump.wave", 1.0e3 * wave_m, "mm")
            .target("<= 5")
            .cells(WHOLE.cells()),
    ])
}
