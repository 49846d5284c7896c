//! Look at: the gate opening as the river rises behind it, the levee that breaches when the gate
//! cannot keep up, and the field behind it; then the table's last line, where no water is lost.
//!
//! `cargo run --release --example sluice [PICTURE.png]`
//!
//! The picture, `target/sluice.png` by default, is an animated PNG, which browsers play.

mod film;

use std::error::Error;
use std::path::PathBuf;
use thalweg::terrain::{TerrainBuilder, TerrainOptions};
use thalweg::units::{SimTime, VerticalScale};
use thalweg::world::{
    Barrier, Breach, CellPlace, EdgeKind, EdgePlace, Gap, Opening, Side, Trigger, World,
    WorldBuilder,
};

const WIDTH: u32 = 120;
const HEIGHT: u32 = 40;
const CELL_M: f64 = 4.0;
/// Rows of the river: south of it the field, north of it a bank.
const RIVER: std::ops::Range<u32> = 22..34;
/// Column of the gate.
const GATE: u32 = 60;
const MINUTES: u32 = 20;
/// Seconds between two frames of the picture, and pixels along a cell.
const FRAME_S: u32 = 15;
const PIXELS: u32 = 5;

/// Returns the bed of a cell, m.
fn bed_m(x: u32, y: u32) -> f64 {
    match y {
        y if y < RIVER.start => 11.0 - 0.03 * f64::from(RIVER.start - y),
        y if y < RIVER.end => 10.0 - 0.002 * f64::from(x),
        _ => 16.0,
    }
}

/// Returns the river with its gate and its levee.
fn world() -> Result<World, Box<dyn Error>> {
    let scale = VerticalScale::choose(9.0, 16.0, 50.0)?;
    let (width, height) = (WIDTH as usize, HEIGHT as usize);
    let bed_exponent = TerrainOptions::BED_EXPONENT;
    let options = TerrainOptions { width, height, cell_width_m: CELL_M, scale, bed_exponent };
    let mut terrain = TerrainBuilder::try_new(options)?;
    for y in (0..HEIGHT).rev() {
        terrain.push_row(&(0..WIDTH).map(|x| bed_m(x, y)).collect::<Vec<_>>())?;
    }
    let [south, north] = [RIVER.start, RIVER.end].map(|y| f64::from(y) * CELL_M);
    let (gate_m, east_m) = (f64::from(GATE) * CELL_M, f64::from(WIDTH) * CELL_M);
    let before_gate = [gate_m - 10.0, 0.5 * (south + north)];

    // It shuts below 11.5 m and lifts by up to 40 cm.
    let rule = Opening::Rule { at_m: before_gate, points: vec![(11.0, 0.0), (12.5, 0.4)] };
    let mut gate = Barrier::wall("gate", vec![[gate_m, north], [gate_m, south]], 15.0);
    gate.gap = Some(Gap { sill_m: None, opening: rule });

    // It breaches at a stage of 13 m in the river: 24 m of it within three minutes.
    let mut levee = Barrier::wall("levee", vec![[0.0, south], [east_m, south]], 14.0);
    levee.breach = Some(Breach {
        along_m: 150.0,
        trigger: Trigger::Stage { at_m: before_gate, stage_m: 13.0 },
        width_m: vec![(0.0, 0.0), (180.0, 24.0)],
        bottom_m: vec![(0.0, 14.0), (180.0, 11.0)],
    });

    let source: Vec<CellPlace> = RIVER.map(|y| CellPlace { x: 0, y }).collect();
    let flood = [(0.0, 40.0), (300.0, 150.0), (900.0, 150.0), (1200.0, 60.0)];
    Ok(WorldBuilder::new(terrain.finish()?)
        .edges(EdgeKind::Wall)
        .edge("mouth", EdgePlace::Part(Side::East, RIVER), EdgeKind::Open)
        .inflow("river", &flood, &source)?
        .barrier(levee)
        .barrier(gate)
        .build()?)
}

/// Returns a line of the table.
fn row(world: &World) -> String {
    let flow = |name| world.structures().barrier_flow(name).expect("it stands");
    let (gate, levee) = (flow("gate"), flow("levee"));
    // The gate is drawn from north to south: right of it is up the river.
    let [below, above] = gate.stage_m;
    let stage = |stage: Option<f64>| stage.map_or("dry".to_owned(), |stage| format!("{stage:.2}"));
    let cells = (0..RIVER.start).flat_map(|y| (0..WIDTH).map(move |x| CellPlace { x, y }));
    let field_m: f64 = cells.filter_map(|place| world.water().depth_m(place)).sum();
    format!(
        "{:>4.0} {:>8} {:>8} {:>8.1} {:>8.0} {:>8} {:>8.1} {:>8.0}",
        world.time().seconds() / 60.0,
        stage(above),
        stage(below),
        gate.discharge_m3_s.abs(),
        gate.power_w() / 1000.0,
        if levee.breached_s.is_some() { "broken" } else { "whole" },
        levee.discharge_m3_s,
        field_m * CELL_M * CELL_M,
    )
}

/// Returns the colour of a pixel: the bed, or water by its depth; barriers are dark.
fn colour(world: &World, x: u32, y: u32) -> [u8; 3] {
    let place = CellPlace { x: x / PIXELS, y: y / PIXELS };
    let is_gate = x == GATE * PIXELS && RIVER.contains(&place.y);
    if is_gate || y == RIVER.start * PIXELS {
        return [40, 30, 30];
    }
    let depth_m = world.water().depth_m(place).unwrap_or(0.0);
    match depth_m {
        d if d < 0.02 => {
            let bed = (bed_m(place.x, place.y) - 9.5) / 6.5;
            film::mix([196.0, 182.0, 140.0], [120.0, 136.0, 92.0], bed)
        }
        d => film::mix([170.0, 210.0, 235.0], [12.0, 52.0, 120.0], d / 3.5),
    }
}

fn frame(world: &World) -> Vec<u8> {
    let rows = (0..HEIGHT * PIXELS).rev();
    rows.flat_map(|y| (0..WIDTH * PIXELS).flat_map(move |x| colour(world, x, y))).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).map_or("target/sluice.png".into(), PathBuf::from);
    let mut world = world()?;
    let mut frames = vec![frame(&world)];
    println!(" min  above m  below m   gate m³/s   kW    levee     m³/s field m³");
    for step in 1..=MINUTES * 60 / FRAME_S {
        world.run_until(SimTime::from_seconds(f64::from(step * FRAME_S)));
        frames.push(frame(&world));
        if (step * FRAME_S).is_multiple_of(120) {
            println!("{}", row(&world));
        }
    }
    let (stored, expected) = (world.water().stored(), world.water().ledger().expected());
    println!("stored {stored} units, expected {expected}: {} lost", expected - stored);
    film::write(&path, [WIDTH * PIXELS, HEIGHT * PIXELS], 10, &frames)?;
    println!("{} frames in {}", frames.len(), path.display());
    Ok(())
}
