//! Time that a world waits for its saves.
//!
//! Waves all over a lake of a million cells run in fixed cycles of 25 ms, without saves and with
//! one after the next in the background: the longest cycle and the median of both show the cost of
//! saves. Most of the rest is the copy of each plane that a step writes while a save uses it; the
//! saver has prepared for the first.

use crate::suite::{Bench, BenchResult, Context};
use crate::table::Measurement;
use std::time::Instant;
use thalweg::terrain::{TerrainBuilder, TerrainOptions};
use thalweg::units::VerticalScale;
use thalweg::world::{SaveFile, Saver, World, WorldBuilder};
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::schedule::FixedStep;

/// Pauses and sizes of saves while a world runs.
pub const BENCH: Bench = Bench {
    ids: &[
        "store.save.call_ms",
        "store.save.pause_ms",
        "store.save.median",
        "store.save.seconds",
        "store.save.mb",
    ],
    what: "a million wet cells saved in the background, one save after the other: longest call, \
           longest cycle over the median without saves, medians, time and bytes of a save",
    is_long: false,
    measure,
};

const SIDE: usize = 1024;
const CYCLES: usize = 120;

fn world() -> Result<World, Box<dyn std::error::Error + Send + Sync>> {
    let scale = VerticalScale::choose(0.0, 40.0, 100.0)?;
    let options =
        TerrainOptions { width: SIDE, height: SIDE, cell_width_m: 5.0, scale, bed_exponent: 10 };
    let mut terrain = TerrainBuilder::try_new(options)?;
    for row in 0..SIDE {
        let hill = |x: usize| 3.0 + 2.0 * ((x as f64 * 0.05).sin() + (row as f64 * 0.037).cos());
        let heights: Vec<f64> = (0..SIDE).map(hill).collect();
        terrain.push_row(&heights)?;
    }
    let lake = Box::new(|place: CellPlace| {
        let (x, y) = (f64::from(place.x), f64::from(place.y));
        16.0 + 0.5 * (0.3 * x).sin() * (0.23 * y).cos()
    });
    Ok(WorldBuilder::new(terrain.finish()?).initial_stage(lake).build()?)
}

/// Times of cycles and of calls that begin a save, ms, and of saves, s.
type SaveTimes = (Vec<f64>, Vec<f64>, Vec<f64>);

/// Runs cycles, with saves if a saver is given.
fn run(
    world: &mut World,
    mut saver: Option<&mut Saver>,
) -> Result<SaveTimes, Box<dyn std::error::Error + Send + Sync>> {
    let frame = FixedStep::try_new(25, 1000)?;
    let (mut cycles, mut calls, mut saves) = (Vec::new(), Vec::new(), Vec::new());
    let mut begun = Instant::now();
    for _ in 0..CYCLES {
        let clock = Instant::now();
        if let Some(saver) = &mut saver {
            if let Some(saved) = saver.ended() {
                saved?;
                saves.push(begun.elapsed().as_secs_f64());
            }
            let call = Instant::now();
            if saver.save(world)? {
                calls.push(1.0e3 * call.elapsed().as_secs_f64());
                begun = call;
            }
        }
        world.run_cycle(frame);
        cycles.push(1.0e3 * clock.elapsed().as_secs_f64());
    }
    Ok((cycles, calls, saves))
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

fn longest(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}

fn measure(context: &Context) -> BenchResult {
    let folder = tempfile::tempdir()?;
    let mut world = world()?;
    let path = folder.path().join("wet.thalweg");
    let file = SaveFile::create(&path, &world)?;
    let mut saver = file.in_background()?;
    run(&mut world, None)?;
    saver.prepare(&world);
    let (plain, _, _) = run(&mut world, None)?;
    let (saved, calls, saves) = run(&mut world, Some(&mut saver))?;
    let bytes = saver.finish()?.store().reader().live_bytes()? as f64;
    let over = |cycles: &[f64]| longest(cycles) - median(&plain);
    let note = format!(
        "{} cells, {} of {} leaves awake, {CYCLES} cycles of 25 ms, {} threads, {} saves; without \
         saves: median {:.1} ms, longest {:.1} ms above; triad {:.1} GB/s",
        SIDE * SIDE,
        world.simulation().awake().count(),
        world.simulation().forest().leaves().len(),
        rayon::current_num_threads(),
        calls.len(),
        median(&plain),
        over(&plain),
        context.triad_bytes_per_s() / 1.0e9
    );
    Ok(vec![
        Measurement::new("store.save.call_ms", longest(&calls), "ms").target("<= 2").note(note),
        Measurement::new("store.save.pause_ms", over(&saved), "ms"),
        Measurement::new("store.save.median", median(&saved) / median(&plain), "x"),
        Measurement::new("store.save.seconds", median(&saves), "s"),
        Measurement::new("store.save.mb", bytes / 1.0e6, "MB"),
    ])
}
