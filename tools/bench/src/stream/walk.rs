//! An observer at 50 m/s through a world of 16 × 16 km with cells of 1 m, in its file.
//!
//! The world is a river valley under noise, of 268 million cells. One process writes it and ends;
//! another streams it within 512 MiB, in cycles of 25 ms, and saves it every 20 s in the
//! background. The time of a cycle is all that a game would wait for: moving the observer, the
//! water, plans and changes of leaves, the beginning of a save.

use crate::machine::peak_mib;
use crate::store::import::add_noise;
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use rayon::prelude::*;
use std::path::Path;
use std::process::Command;
use std::time::Instant;
use thalweg::criteria::{Criterion, Observer, ObserverOptions};
use thalweg::terrain::TerrainOptions;
use thalweg::units::{SimTime, VerticalScale};
use thalweg::world::{AdaptiveOptions, ColumnKind, EdgeKind, SaveFile, StreamOptions, World};
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::schedule::FixedStep;
use thalweg_engine::store::Store;
use thalweg_engine::store::terrain::TerrainWriter;

/// Stalls, memory and pauses of a walk.
pub const BENCH: Bench = Bench {
    ids: &[
        "stream.stalls",
        "stream.peak_mib",
        "stream.pause_ms",
        "stream.median_ms",
        "stream.real_time",
    ],
    what: "an observer at 50 m/s through a world of 16 × 16 km, 1 m cells, streamed within 512 \
           MiB and saved on the way: stalls, most memory, longest cycle over the median, median, \
           simulated over real time",
    is_long: true,
    measure,
};

const SIDE: usize = 16_384;
/// Memory that the world may take, MiB.
pub const BUDGET_MIB: u64 = 512;
/// Speed of the observer, m/s.
pub const SPEED: f64 = 50.0;
const LENGTH_M: f64 = 10_000.0;
/// Rows that are made together.
const ROWS: usize = 64;

/// Returns the place of the river, m from the south.
#[must_use]
pub fn thalweg_m(x_m: f64) -> f64 {
    8192.0 + 1500.0 * (x_m / 2600.0).sin()
}

/// Fills a row with heights, m; the first row is the northern one.
#[expect(clippy::cast_possible_truncation, reason = "a height to 7 digits")]
fn fill(row: usize, cells: &mut [f32]) {
    let y = (SIDE - 1 - row) as f64;
    for (x, cell) in cells.iter_mut().enumerate() {
        let away = (y - thalweg_m(x as f64)).abs();
        *cell = (200.0 - 0.002 * x as f64 + (0.00008 * away * away).min(0.2 * away)) as f32;
    }
    let mut reach = 8.0;
    for octave in (1..=9).rev() {
        add_noise(octave, row, reach, cells);
        reach *= 0.45;
    }
}

/// Writes the terrain.
///
/// # Errors
///
/// Errors of the store.
pub fn make(path: &Path) -> Result<(), BenchError> {
    let scale = VerticalScale::choose(100.0, 1900.0, 200.0)?;
    let options =
        TerrainOptions { width: SIDE, height: SIDE, cell_width_m: 1.0, scale, bed_exponent: 10 };
    let mut store = Store::create(path)?;
    let mut writer = TerrainWriter::begin(options, &mut store)?;
    let mut piece = vec![0.0; ROWS * SIDE];
    for from in (0..SIDE).step_by(ROWS) {
        let rows = piece.par_chunks_exact_mut(SIDE).enumerate();
        rows.for_each(|(row, cells)| fill(from + row, cells));
        for cells in piece.chunks_exact(SIDE) {
            let heights: Vec<f64> = cells.iter().map(|&cell| f64::from(cell)).collect();
            writer.push(&heights, &mut store)?;
        }
    }
    writer.finish(&mut store)?;
    store.commit()?;
    Ok(())
}

fn walker(world: &World, x_m: f64) -> Result<Vec<Box<dyn Criterion>>, BenchError> {
    let options = ObserverOptions {
        position_m: [x_m, thalweg_m(x_m)],
        velocity_m_s: [SPEED, 0.0],
        look_ahead_s: 4.0,
        radii_m: vec![(0, 200.0), (1, 500.0), (2, 1200.0)],
        priority: 0.0,
    };
    Ok(vec![Box::new(Observer::try_new(&options, &world.extent())?)])
}

/// Opens the world in a file that [`make`] wrote, with a river in it, streamed.
///
/// # Errors
///
/// Errors of the world.
pub fn open(path: &Path) -> Result<(SaveFile, World), BenchError> {
    let stream = StreamOptions { budget_bytes: BUDGET_MIB << 20 };
    let file = SaveFile::open(path)?;
    let options = AdaptiveOptions {
        coarsest: 5,
        budget_cells: 2 << 20,
        ahead_cycles: 8,
        ..AdaptiveOptions::default()
    };
    let world = file
        .builder(stream)?
        .columns(ColumnKind::Flat)
        .adaptive(options)
        .edges(EdgeKind::Open)
        .initial_depth(|place: CellPlace| {
            let away = (f64::from(place.y) - thalweg_m(f64::from(place.x))).abs();
            if away < 60.0 { 2.0 } else { 0.0 }
        })
        .inflow("river", &[(0.0, 150.0)], &[CellPlace { x: 3, y: 8192 }])?
        .build()?;
    Ok((file, world))
}

/// Walks through the world of a file and prints the results.
///
/// # Errors
///
/// Errors of the world.
pub fn walk(path: &Path) -> Result<String, BenchError> {
    let (mut file, mut world) = open(path)?;
    file.save(&world)?;
    let mut saver = file.in_background()?.every(SimTime::from_seconds(20.0));
    let frame = FixedStep::try_new(25, 1000)?;
    let (mut cycles, mut awake, mut saves) = (Vec::new(), 0.0, 0);
    let begun = Instant::now();
    // In the first second the leaves adapt to the observer.
    while SPEED * world.time().seconds() < LENGTH_M {
        let clock = Instant::now();
        let criteria = walker(&world, 2000.0 + SPEED * world.time().seconds())?;
        if let Some(own) = world.criteria_mut() {
            *own = criteria;
        }
        let report = world.run_cycle(frame);
        if let Some(saved) = saver.keep(&world) {
            saved?;
            saves += 1;
        }
        awake += report.awake as f64;
        if world.time() > SimTime::from_seconds(1.0) {
            cycles.push(1.0e3 * clock.elapsed().as_secs_f64());
        }
    }
    let simulated = world.time().seconds() / begun.elapsed().as_secs_f64();
    saver.finish()?;
    let counters = world.stream().counters().ok_or("the world is streamed")?;
    cycles.sort_by(f64::total_cmp);
    let (median, longest) = (cycles[cycles.len() / 2], cycles[cycles.len() - 1]);
    let ninety_nine = cycles[cycles.len() * 99 / 100];
    Ok(format!(
        "{} {} {} {median} {simulated} {ninety_nine} {} {} {saves}",
        counters.stalls,
        peak_mib().ok_or("the system does not tell how much memory a process has had")?,
        longest - median,
        awake / cycles.len() as f64,
        counters.pages_in,
    ))
}

fn measure(context: &Context) -> BenchResult {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("wide.thalweg");
    let child = |word: &str| -> Result<String, BenchError> {
        let output = Command::new(std::env::current_exe()?).arg(word).arg(&path).output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    };
    child("--stream-make")?;
    let file_mb = std::fs::metadata(&path)?.len() as f64 / 1.0e6;
    let text = child("--stream-walk")?;
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [stalls, peak, pause, median, real_time, ninety_nine, awake, pages, saves] = numbers[..]
    else {
        return Err(format!("the child told {text:?}").into());
    };
    let note = format!(
        "{SIDE} × {SIDE} cells of 1 m, {file_mb:.0} MB on disk, budget {BUDGET_MIB} MiB, 2097152 \
         cells in leaves, {LENGTH_M} m in cycles of 25 ms, {awake:.0} leaves awake, {pages} pages \
         read, {saves} saves on the way; 99 of 100 cycles within {ninety_nine:.1} ms; {} threads, \
         triad {:.1} GB/s",
        rayon::current_num_threads(),
        context.triad_bytes_per_s() / 1.0e9
    );
    Ok(vec![
        Measurement::new("stream.stalls", stalls, "").target("<= 0").note(note),
        Measurement::new("stream.peak_mib", peak, "MiB").target("<= 563"),
        Measurement::new("stream.pause_ms", pause, "ms").target("<= 5"),
        Measurement::new("stream.median_ms", median, "ms"),
        Measurement::new("stream.real_time", real_time, "x").target(">= 1"),
    ])
}
