//! A world of 64 × 64 km with cells of 1 m: a river network that runs throughout, 200 lakes, and
//! observers at 50 m/s, streamed from its file.
//!
//! ```text
//! 8 rivers in the west ── 4 ── 2 ── 1 in the east      between them plateaus with lakes
//! ```
//!
//! One process writes the file with its tables and ends; another opens the world anew, runs it in
//! cycles of 100 ms and saves it. Leaves far from observers are as coarse as they may be, 256 m a
//! cell, and sub-grid columns keep the rivers in their beds there.

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
use thalweg::world::{
    AdaptiveOptions, ColumnKind, EdgeKind, EdgePlace, SaveFile, StreamOptions, World,
};
use thalweg_engine::grid::Side;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::schedule::FixedStep;
use thalweg_engine::store::Store;
use thalweg_engine::store::terrain::TerrainWriter;
use thalweg_engine::units::hash::scramble;

/// Time, memory and stalls of the vast world.
pub const BENCH: Bench = Bench {
    ids: &[
        "stream.vast.realtime",
        "stream.vast.peak_mib",
        "stream.vast.stalls",
        "stream.vast.made_s",
        "stream.vast.opened_ms",
        "stream.vast.saved_ms",
        "stream.vast.file_bytes",
    ],
    what: "a world of 64 × 64 km, 1 m cells, rivers and 200 lakes, observers at 50 m/s, streamed: \
           simulated over real time, most memory, stalls, time to make, open and save it, bytes a \
           cell of its file",
    is_long: true,
    measure,
};

/// Cells along a side.
const SIDE: usize = 65_536;
const SIDE_M: f64 = 65_536.0;
/// Memory that the world may take, MiB.
const BUDGET_MIB: u64 = 1792;
const BUDGET_CELLS: u64 = 5 << 19;
const COARSEST: u8 = 8;
/// Rivers in the west.
const RIVERS: usize = 8;
/// Inflow of each river, m³/s, and its depth at first, m.
const INFLOW: f64 = 60.0;
const DEPTH_M: f64 = 1.2;
const LAKES: u64 = 200;
const OBSERVERS: usize = 4;
const SPEED: f64 = 50.0;
/// Simulated time that is measured, s, and the longest that this may take.
const SPAN_S: f64 = 60.0;
const WALL_S: f64 = 180.0;
/// Rows that are made together.
const ROWS: usize = 256;

/// Returns the middle of river `river` at `x`, m from the south: two become one on each quarter of
/// the way.
fn river_m(river: usize, x: f64) -> f64 {
    let quarter = (x / SIDE_M * 4.0).clamp(0.0, 3.999);
    let (stage, part) = (quarter.floor(), quarter.fract());
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 3")]
    let stage = stage as usize;
    let place = |stage: usize| {
        let count = (RIVERS >> stage).max(1);
        ((river >> stage.min(3)) as f64 + 0.5) * SIDE_M / count as f64
    };
    let share = part * part * (3.0 - 2.0 * part);
    let straight = place(stage) + share * (place((stage + 1).min(3)) - place(stage));
    straight + 600.0 * (x / 1900.0).sin()
}

/// Returns the floor of the rivers at `x`, m.
fn floor_m(x: f64) -> f64 {
    100.0 + 0.0006 * (SIDE_M - x)
}

/// Height of the plateaus over the floor, m, and their distance from a river.
const PLATEAU_M: f64 = 40.0;
const BEGIN_M: f64 = 1_400.0;

/// A lake on a plateau.
#[derive(Debug, Clone, Copy)]
struct PlateauLake {
    centre: [f64; 2],
    radius: f64,
    stage: f64,
}

/// Returns the lakes: each well away from every river.
fn lakes() -> Vec<PlateauLake> {
    let draw = |salt: u64, i: u64| (scramble(salt << 32 | i) >> 11) as f64 / (1_u64 << 53) as f64;
    let lake = |i: u64| {
        let centre = [1, 2].map(|salt| 2_000.0 + (SIDE_M - 4_000.0) * draw(salt, i));
        let away = (0..RIVERS).map(|river| (river_m(river, centre[0]) - centre[1]).abs());
        let is_dry = away.fold(f64::INFINITY, f64::min) > BEGIN_M + 1_100.0;
        let stage = floor_m(centre[0]) + PLATEAU_M - 1.5;
        is_dry.then_some(PlateauLake { centre, radius: 200.0 + 300.0 * draw(3, i), stage })
    };
    (0..).filter_map(lake).take(usize::try_from(LAKES).unwrap_or(0)).collect()
}

/// Fills a row with heights, m; the first row is the northern one.
#[expect(clippy::cast_possible_truncation, reason = "a height to 7 digits")]
fn fill(row: usize, (rivers, lakes): (&[[f32; RIVERS]], &[PlateauLake]), cells: &mut [f32]) {
    let y = (SIDE - 1 - row) as f64;
    cells.fill(0.0);
    let mut reach = 1.2;
    for octave in (2..=8).rev() {
        add_noise(octave, row, reach, cells);
        reach *= 0.5;
    }
    let near: Vec<&PlateauLake> =
        lakes.iter().filter(|lake| (lake.centre[1] - y).abs() < 1.4 * lake.radius).collect();
    for (x, cell) in cells.iter_mut().enumerate() {
        let away = rivers[x].iter().map(|at| (f64::from(*at) - y).abs());
        let away = away.fold(f64::INFINITY, f64::min);
        let bank = (away - 30.0).max(0.0);
        let slope = PLATEAU_M / (BEGIN_M - 30.0);
        let mut noise = f64::from(*cell) * ((away - 150.0) / 600.0).clamp(0.0, 1.0);
        let mut ground = floor_m(x as f64) + (slope * bank).min(PLATEAU_M);
        for lake in &near {
            let part = (x as f64 - lake.centre[0]).hypot(y - lake.centre[1]) / lake.radius;
            noise *= ((part - 1.0) / 0.3).clamp(0.0, 1.0);
            if part < 1.0 {
                ground = lake.stage + 0.5 - 8.0 * (1.0 - part * part);
            }
        }
        *cell = (ground + noise) as f32;
    }
}

/// Writes the world with its tables, and its beginning.
///
/// # Errors
///
/// Errors of the store.
pub fn make(path: &Path) -> Result<(), BenchError> {
    let scale = VerticalScale::choose(0.0, 400.0, 200.0)?;
    let options =
        TerrainOptions { width: SIDE, height: SIDE, cell_width_m: 1.0, scale, bed_exponent: 8 };
    #[expect(clippy::cast_possible_truncation, reason = "a place to a cm")]
    let at = |x: usize| std::array::from_fn(|river| river_m(river, x as f64) as f32);
    let (rivers, lakes): (Vec<_>, _) = ((0..SIDE).map(at).collect(), lakes());
    let mut store = Store::create(path)?;
    let mut writer = TerrainWriter::begin(options, &mut store)?;
    let (mut piece, mut heights) = (vec![0.0_f32; ROWS * SIDE], vec![0.0_f64; ROWS * SIDE]);
    for from in (0..SIDE).step_by(ROWS) {
        let rows = piece.par_chunks_exact_mut(SIDE).enumerate();
        rows.for_each(|(row, cells)| fill(from + row, (&rivers, &lakes), cells));
        heights.par_iter_mut().zip(&piece).for_each(|(height, &cell)| *height = f64::from(cell));
        writer.push(&heights, &mut store)?;
    }
    writer.finish(&mut store)?;
    store.commit()?;
    let mut file = SaveFile::of(store);
    file.make_tables(&mut |_| ())?;
    let world = built(&file)?;
    file.save(&world)?;
    Ok(())
}

const STREAM: StreamOptions = StreamOptions { budget_bytes: BUDGET_MIB << 20 };

/// Builds the world at its beginning, streamed.
fn built(file: &SaveFile) -> Result<World, BenchError> {
    let options = AdaptiveOptions {
        coarsest: COARSEST,
        budget_cells: BUDGET_CELLS,
        ahead_cycles: 8,
        ..AdaptiveOptions::default()
    };
    let lakes = lakes();
    let stage = move |place: CellPlace| {
        let [x, y] = [place.x, place.y].map(|i| f64::from(i) + 0.5);
        let away = (0..RIVERS).map(|river| (river_m(river, x) - y).abs());
        if away.fold(f64::INFINITY, f64::min) < 500.0 {
            return floor_m(x) + DEPTH_M;
        }
        let is_in = |lake: &&PlateauLake| {
            (lake.centre[0] - x).hypot(lake.centre[1] - y) < lake.radius + 256.0
        };
        lakes.iter().find(is_in).map_or(f64::NAN, |lake| lake.stage)
    };
    let mut builder = file
        .builder(STREAM)?
        .columns(ColumnKind::SubGrid)
        .adaptive(options)
        .edge("sea", EdgePlace::Side(Side::East), EdgeKind::Open)
        .initial_stage(stage);
    for river in 0..RIVERS {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a row")]
        let y = river_m(river, 40.0) as u32;
        let name = format!("river {river}");
        builder = builder.inflow(&name, &[(0.0, INFLOW)], &[CellPlace { x: 40, y }])?;
    }
    Ok(builder.build()?)
}

/// Makes observers on their ways down the rivers.
fn walkers(world: &World, time_s: f64) -> Result<Vec<Box<dyn Criterion>>, BenchError> {
    let scale = world.extent();
    let walker = |i: usize| -> Result<Box<dyn Criterion>, BenchError> {
        let x = 4_000.0 + 14_000.0 * i as f64 + SPEED * time_s;
        let options = ObserverOptions {
            position_m: [x, river_m(2 * i, x)],
            velocity_m_s: [SPEED, 0.0],
            look_ahead_s: 4.0,
            radii_m: vec![(0, 120.0), (1, 250.0), (2, 500.0), (3, 1000.0)],
            priority: 0.0,
        };
        Ok(Box::new(Observer::try_new(&options, &scale)?))
    };
    (0..OBSERVERS).map(walker).collect()
}

/// Walks through the world of a file and prints the results.
///
/// # Errors
///
/// Errors of the world.
pub fn walk(path: &Path) -> Result<String, BenchError> {
    let clock = Instant::now();
    let mut file = SaveFile::open(path)?;
    let mut world = file.stream(Vec::new(), STREAM)?;
    let opened_ms = 1.0e3 * clock.elapsed().as_secs_f64();
    let frame = FixedStep::try_new(1, 10)?;
    // In the first seconds the leaves adapt to the observers.
    let begin_s = 3.0;
    let (mut cycles, mut awake, mut begun) = (Vec::new(), 0.0, None);
    let is_slow = |begun: &Option<(Instant, u64)>| {
        begun.is_some_and(|(begun, _)| begun.elapsed().as_secs_f64() > WALL_S)
    };
    while world.time().seconds() < begin_s + SPAN_S && !is_slow(&begun) {
        let clock = Instant::now();
        let criteria = walkers(&world, world.time().seconds())?;
        *world.criteria_mut().ok_or("an adaptive world")? = criteria;
        let report = world.run_cycle(frame);
        if world.time() > SimTime::from_seconds(begin_s) {
            let counters = world.stream().counters().ok_or("the world is streamed")?;
            begun.get_or_insert((clock, counters.stalls));
            awake += report.awake as f64;
            cycles.push(1.0e3 * clock.elapsed().as_secs_f64());
        }
    }
    let (begun, stalls) = begun.ok_or("no cycle")?;
    let real_time = (world.time().seconds() - begin_s) / begun.elapsed().as_secs_f64();
    let counters = world.stream().counters().ok_or("the world is streamed")?;
    let clock = Instant::now();
    file.save(&world)?;
    let saved_ms = 1.0e3 * clock.elapsed().as_secs_f64();
    crate::world::check_books(&world)?;
    cycles.sort_by(f64::total_cmp);
    Ok(format!(
        "{real_time} {} {} {opened_ms} {saved_ms} {} {} {} {} {}",
        peak_mib().ok_or("the system does not tell how much memory a process has had")?,
        counters.stalls - stalls,
        cycles[cycles.len() / 2],
        cycles[cycles.len() * 99 / 100],
        cycles[cycles.len() - 1],
        awake / cycles.len() as f64,
        world.simulation().forest().leaves().len(),
    ))
}

fn measure(context: &Context) -> BenchResult {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("vast.thalweg");
    let child = |word: &str| -> Result<String, BenchError> {
        let output = Command::new(std::env::current_exe()?).arg(word).arg(&path).output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let clock = Instant::now();
    child("--vast-make")?;
    let made_s = clock.elapsed().as_secs_f64();
    let bytes = std::fs::metadata(&path)?.len() as f64 / (SIDE_M * SIDE_M);
    let text = child("--vast-walk")?;
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [real_time, peak, stalls, opened, saved, median, ninety_nine, longest, awake, leaves] =
        numbers[..]
    else {
        return Err(format!("the child told {text:?}").into());
    };
    let note = format!(
        "{SIDE} × {SIDE} cells, budget {BUDGET_MIB} MiB and {BUDGET_CELLS} cells, {OBSERVERS} \
         observers, {SPAN_S} s in cycles of 100 ms; {leaves} leaves, {awake:.0} awake; cycles: \
         median {median:.1}, 99 of 100 within {ninety_nine:.1}, longest {longest:.1} ms; {} \
         threads, triad {:.1} GB/s",
        rayon::current_num_threads(),
        context.triad_bytes_per_s() / 1.0e9
    );
    Ok(vec![
        Measurement::new("stream.vast.realtime", real_time, "x").target(">= 1").note(note),
        Measurement::new("stream.vast.peak_mib", peak, "MiB").target("<= 2048"),
        Measurement::new("stream.vast.stalls", stalls, "").target("<= 0"),
        Measurement::new("stream.vast.made_s", made_s, "s"),
        Measurement::new("stream.vast.opened_ms", opened, "ms"),
        Measurement::new("stream.vast.saved_ms", saved, "ms"),
        Measurement::new("stream.vast.file_bytes", bytes, "bytes a cell"),
    ])
}
