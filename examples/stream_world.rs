//! An observer walks 10 km down a river through a world that stays in its file. Look first at the
//! digits, the levels of the leaves under way: they are fine around the observer only; then at the
//! counters: the part of the world in memory, and that it never waited for the file.

use std::fs;
use std::path::Path;
use std::time::Instant;
use thalweg::criteria::{Criterion, Observer, ObserverOptions};
use thalweg::follow::Store;
use thalweg::terrain::{TerrainBuilder, TerrainOptions};
use thalweg::units::{SimTime, VerticalScale};
use thalweg::world::{
    AdaptiveOptions, CellPlace, ColumnKind, EdgeKind, FixedStep, SaveFile, StreamOptions, TileKey,
    World, write_terrain,
};

const COLUMNS: u32 = 3072;
const ROWS: u32 = 512;
const WIDTH_M: f64 = 4.0;
/// Speed of the observer, m/s.
const SPEED: f64 = 50.0;

type StreamResult<T> = Result<T, Box<dyn std::error::Error>>;

/// Returns the river's distance from the south, m.
fn thalweg_m(x_m: f64) -> f64 {
    1024.0 + 350.0 * (x_m / 900.0).sin()
}

/// Writes the terrain: a valley that falls to the east.
fn import(path: &Path) -> StreamResult<()> {
    let scale = VerticalScale::choose(0.0, 120.0, 200.0)?;
    let (width, height) = (COLUMNS as usize, ROWS as usize);
    let options = TerrainOptions { width, height, cell_width_m: WIDTH_M, scale, bed_exponent: 10 };
    let mut terrain = TerrainBuilder::try_new(options)?;
    for row in (0..ROWS).rev() {
        let bed_m = |column: u32| {
            let (x, y) = (f64::from(column) * WIDTH_M, f64::from(row) * WIDTH_M);
            let away = (y - thalweg_m(x)).abs();
            40.0 - 0.002 * x + (0.00012 * away * away).min(60.0) + 0.3 * (x * 0.11).sin()
        };
        terrain.push_row(&(0..COLUMNS).map(bed_m).collect::<Vec<_>>())?;
    }
    let mut store = Store::create(path)?;
    write_terrain(&terrain.finish()?, &mut store)?;
    store.commit()?;
    Ok(())
}

/// Returns the observer's criterion, which looks ahead to the place at which the observer will be
/// once the leaves are ready.
fn walker(world: &World, x_m: f64) -> StreamResult<Vec<Box<dyn Criterion>>> {
    let options = ObserverOptions {
        position_m: [x_m, thalweg_m(x_m)],
        velocity_m_s: [SPEED, 0.0],
        look_ahead_s: 2.0,
        radii_m: vec![(0, 200.0), (1, 500.0), (2, 1000.0)],
        priority: 0.0,
    };
    Ok(vec![Box::new(Observer::try_new(&options, &world.extent())?)])
}

fn main() -> StreamResult<()> {
    let path = std::env::temp_dir().join(format!("stream_world-{}.thalweg", std::process::id()));
    import(&path)?;
    let outcome = walk(&path);
    fs::remove_file(&path)?;
    outcome
}

fn walk(path: &Path) -> StreamResult<()> {
    let mut file = SaveFile::open(path)?;
    // Tables of the ground under a coarse cell, so that the river flows on far from the observer.
    file.make_tables(&mut |_| ())?;
    let stream = StreamOptions { budget_bytes: 768 << 20 };
    let options = AdaptiveOptions {
        coarsest: 3,
        budget_cells: 1 << 20,
        ahead_cycles: 8,
        ..AdaptiveOptions::default()
    };
    let world = file
        .builder(stream)?
        .adaptive(options)
        .columns(ColumnKind::SubGrid)
        .edges(EdgeKind::Open)
        .initial_depth(|place: CellPlace| {
            let (x, y) = (f64::from(place.x) * WIDTH_M, f64::from(place.y) * WIDTH_M);
            if (y - thalweg_m(x)).abs() < 60.0 { 1.5 } else { 0.0 }
        })
        .inflow("river", &[(0.0, 60.0)], &[CellPlace { x: 2, y: 256 }])?
        .build()?;
    file.save(&world)?;
    drop((world, file));

    // The game opens a saved world.
    let mut file = SaveFile::open(path)?;
    let mut world = file.stream(Vec::new(), stream)?;
    let mut saver = file.in_background()?.every(SimTime::from_seconds(60.0));
    let frame = FixedStep::try_new(1, 5)?;
    let (clock, mut saves, mut kilometre) = (Instant::now(), 0, 0.0);
    while kilometre < 10.0 {
        let x_m = 1000.0 + SPEED * world.time().seconds();
        let criteria = walker(&world, x_m)?;
        if let Some(own) = world.criteria_mut() {
            *own = criteria;
        }
        world.run_cycle(frame);
        if let Some(saved) = saver.keep(&world) {
            saved?;
            saves += 1;
        }
        if SPEED * world.time().seconds() >= 1000.0 * kilometre + 2000.0 {
            kilometre += 2.0;
            print_levels(&world, kilometre);
        }
    }
    let simulated_s = world.time().seconds();
    println!("{simulated_s:.0} s of water in {:.0} s", clock.elapsed().as_secs_f64());
    let mut file = saver.finish()?;
    file.save(&world)?;
    if let Some(counters) = world.stream().counters() {
        println!(
            "{} pages read, {} let go, {} MiB kept; {} stalls; {saves} saves on the way",
            counters.pages_in,
            counters.pages_out,
            counters.resident_bytes >> 20,
            counters.stalls
        );
    }
    println!(
        "stored {} units, {} by the ledger",
        world.water().stored(),
        world.water().ledger().expected()
    );
    Ok(())
}

/// Prints the level of the leaf at every finest tile along three lines.
fn print_levels(world: &World, kilometre: f64) {
    let leaves = world.leaves();
    println!("{kilometre:.0} km, {} leaves", leaves.len());
    for y in [448, 256, 64] {
        let level = |x: u32| {
            let key = TileKey::of_cell(0, CellPlace { x, y });
            leaves.covering(key).map_or('.', |leaf| {
                char::from_digit(u32::from(leaf.key().level), 10).unwrap_or('?')
            })
        };
        println!("  {}", (0..COLUMNS).step_by(64).map(level).collect::<String>());
    }
}
