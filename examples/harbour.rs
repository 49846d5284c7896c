//! Look at: the draught of each hull against Archimedes' principle, and the heave in the swell of
//! hulls behind the breakwater and of the buoy outside; then the last line, where no water is lost.
//!
//! `cargo run --release --example harbour [PICTURE.png]`
//!
//! The picture, `target/harbour.png` by default, is an animated PNG, which browsers play.

mod boxes;
mod film;

use boxes::{Boxes, Crate};
use std::error::Error;
use std::path::PathBuf;
use thalweg::body::{Bodies, Body, BodyId, Load};
use thalweg::glam::{DVec2, DVec3};
use thalweg::terrain::{TerrainBuilder, TerrainOptions};
use thalweg::units::VerticalScale;
use thalweg::world::{CellPlace, EdgeKind, EdgePlace, FixedStep, Side, World, WorldBuilder};

const WIDTH: u32 = 96;
const HEIGHT: u32 = 60;
/// Depth of the harbour and the sea before it, m.
const DEPTH_M: f64 = 4.0;
/// Column at which the land begins, and the breakwater: its column, its rows.
const SHORE: u32 = 84;
const BREAKWATER: u32 = 40;
const MOUTH: std::ops::Range<u32> = 24..34;
/// Cycles a second, cycles between two frames of the picture.
const RATE: u32 = 20;
const FRAME: u32 = 12;
/// Seconds in calm water and in the swell.
const CALM_S: u32 = 90;
/// Seconds before the swell in which draughts are taken.
const MEAN_S: u32 = 30;
const SWELL_S: u32 = 90;
/// The swell: half its height, m, and its period, s.
const SWELL_M: f64 = 0.25;
const PERIOD_S: f64 = 8.0;
const PIXELS: u32 = 6;

/// Name, length and breadth and height in m, density in kg/m³, place.
const HULLS: [(&str, [f64; 3], f64, [f64; 2]); 8] = [
    ("trawler", [9.0, 3.6, 2.4], 320.0, [62.3, 40.4]),
    ("barge", [12.0, 5.0, 1.8], 450.0, [70.2, 14.8]),
    ("yacht", [6.0, 2.4, 1.2], 280.0, [56.7, 21.2]),
    ("dinghy", [3.2, 1.6, 0.7], 150.0, [66.4, 29.3]),
    ("dinghy", [3.2, 1.6, 0.7], 300.0, [52.1, 46.6]),
    ("raft", [4.0, 4.0, 0.4], 600.0, [76.6, 50.3]),
    ("buoy inside", [1.2, 1.2, 0.8], 400.0, [48.4, 28.7]),
    ("buoy outside", [1.2, 1.2, 0.8], 400.0, [24.3, 29.2]),
];

/// Hulls, each on a line to its first place.
struct MooredFleet<G> {
    boxes: Boxes<G>,
    /// Lowest and highest elevation of each hull's middle over the run up to now.
    heave: Vec<[f64; 2]>,
}

impl<G: Fn(f64, f64) -> f64> Bodies for MooredFleet<G> {
    fn solids(&mut self, put: &mut dyn FnMut(Body)) {
        self.boxes.solids(put);
    }

    fn loads(&mut self, loads: &[(BodyId, Load)]) {
        let mut pulled = loads.to_vec();
        let moored = self.boxes.all.iter().zip(&HULLS);
        for ((one, &(.., home)), (_, load)) in moored.zip(&mut pulled) {
            let Body { pose, motion, mass_kg, .. } = &one.body;
            // A soft line: half a minute to and fro.
            let off = pose.position.truncate() - DVec2::from(home);
            let pull = 0.05 * off + 0.1 * motion.linear.truncate();
            load.force -= (mass_kg.unwrap_or(0.0) * pull).extend(0.0);
        }
        self.boxes.loads(&pulled);
        for (one, [low, high]) in self.boxes.all.iter().zip(&mut self.heave) {
            let up = one.body.pose.position.z;
            (*low, *high) = (low.min(up), high.max(up));
        }
    }
}

/// Returns the bed of a cell, m: the sea's at 0.
fn bed_m(x: u32, y: u32) -> f64 {
    match x {
        BREAKWATER..=44 if !MOUTH.contains(&y) => 6.0,
        x if x >= SHORE => 0.5 * f64::from(x - SHORE) + 1.0,
        _ => 0.0,
    }
}

fn world() -> Result<World, Box<dyn Error>> {
    let scale = VerticalScale::choose(0.0, 7.0, 20.0)?;
    let (width, height) = (WIDTH as usize, HEIGHT as usize);
    let bed_exponent = TerrainOptions::BED_EXPONENT;
    let options = TerrainOptions { width, height, cell_width_m: 1.0, scale, bed_exponent };
    let mut terrain = TerrainBuilder::try_new(options)?;
    for y in (0..HEIGHT).rev() {
        terrain.push_row(&(0..WIDTH).map(|x| bed_m(x, y)).collect::<Vec<_>>())?;
    }
    let moments = (0..=4 * (CALM_S + SWELL_S)).map(|quarter| 0.25 * f64::from(quarter));
    let swell = moments.map(|time_s| {
        let since_s = time_s - f64::from(CALM_S);
        let part = (since_s / (2.0 * PERIOD_S)).clamp(0.0, 1.0);
        let turn = std::f64::consts::TAU * since_s / PERIOD_S;
        (time_s, DEPTH_M + part * SWELL_M * turn.sin())
    });
    Ok(WorldBuilder::new(terrain.finish()?)
        .edges(EdgeKind::Wall)
        .edge("sea", EdgePlace::Side(Side::West), EdgeKind::Stage(swell.collect()))
        .initial_stage(|_| DEPTH_M)
        .build()?)
}

/// Returns the volume of a box below a stage, m³, from a lattice of points in it.
fn below_m3(one: &Crate, stage_m: f64) -> f64 {
    const PARTS: u32 = 24;
    let along = |i: u32| (f64::from(i) + 0.5) / f64::from(PARTS) - 0.5;
    let lengths_m = one.lengths_m;
    let rise = one.body.pose.matrix().z_axis.z;
    let columns = (0..PARTS).flat_map(|i| (0..PARTS).map(move |j| (along(i), along(j))));
    let part: f64 = columns
        .map(|(i, j)| {
            // Each column of the box is below to the same depth as its axis.
            let foot = one.body.pose.place(lengths_m * DVec3::new(i, j, -0.5));
            ((stage_m - foot.z) / (rise * lengths_m.z)).clamp(0.0, 1.0)
        })
        .sum();
    part / f64::from(PARTS * PARTS) * one.body.solid.volume_m3()
}

/// Returns the mean stage four metres beyond a hull's ends and sides, m.
fn stage_beside(world: &World, one: &Crate) -> f64 {
    let at = one.body.pose.position.truncate();
    let off = 0.5 * one.lengths_m.truncate() + 4.0;
    let (east, north) = (off.with_y(0.0), off.with_x(0.0));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in the world")]
    let stage = |at: DVec2| {
        let place = CellPlace { x: at.x.max(0.0) as u32, y: at.y.max(0.0) as u32 };
        world.water().stage_m(place).unwrap_or(DEPTH_M)
    };
    0.25 * (stage(at - east) + stage(at + east) + stage(at - north) + stage(at + north))
}

/// Prints the table of hulls in calm water, with the mean displacement of each over some cycles.
fn calm_rows(all: &[Crate], displaced_m3: &[f64]) {
    println!("in calm water    displaced m³  Archimedes m³  off %  tilt °");
    for ((one, (name, ..)), found) in all.iter().zip(&HULLS).zip(displaced_m3) {
        let due = one.body.mass_kg.unwrap_or(0.0) / 1000.0;
        let tilt = one.body.pose.matrix().z_axis.z.clamp(-1.0, 1.0).acos().to_degrees();
        let off = 100.0 * (found / due - 1.0);
        println!("  {name:<14} {found:>12.3} {due:>14.3} {off:>6.2} {tilt:>7.2}");
    }
}

/// Returns the colour of a pixel: land, hulls, or water by its stage.
fn colour(world: &World, all: &[Crate], x: u32, y: u32) -> [u8; 3] {
    let place = CellPlace { x: x / PIXELS, y: y / PIXELS };
    let at = (DVec2::new(f64::from(x), f64::from(y)) + 0.5) / f64::from(PIXELS);
    for (one, (name, ..)) in all.iter().zip(&HULLS) {
        let off = at - one.body.pose.position.truncate();
        let own = one.body.pose.matrix().mul_transpose_vec3(off.extend(0.0)).truncate();
        if own.abs().cmplt(0.5 * one.lengths_m.truncate()).all() {
            return if name.starts_with("buoy") { [235, 90, 30] } else { [120, 70, 40] };
        }
    }
    match world.water().depth_m(place) {
        Some(depth_m) if depth_m > 0.02 => {
            let rise = world.water().stage_m(place).unwrap_or(DEPTH_M) - DEPTH_M;
            film::mix([10.0, 50.0, 110.0], [190.0, 225.0, 240.0], 0.5 + rise)
        }
        _ => film::mix([190.0, 178.0, 140.0], [120.0, 120.0, 120.0], bed_m(place.x, place.y) / 6.0),
    }
}

fn frame(world: &World, all: &[Crate]) -> Vec<u8> {
    let rows = (0..HEIGHT * PIXELS).rev();
    rows.flat_map(|y| (0..WIDTH * PIXELS).flat_map(move |x| colour(world, all, x, y))).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).map_or("target/harbour.png".into(), PathBuf::from);
    let mut world = world()?;
    let hulls = HULLS.iter().zip(1..).map(|(&(_, lengths, density, [x, y]), id)| {
        let draught = lengths[2] * density / 1000.0;
        let up = DEPTH_M - draught + 0.5 * lengths[2] + 0.3;
        Crate::new(id, lengths, [x, y, up], Some(density))
    });
    let dt_s = 1.0 / f64::from(RATE);
    let boxes =
        Boxes { all: hulls.collect::<Result<_, _>>()?, ground_m: |_: f64, _: f64| 0.0, dt_s };
    let mut fleet = MooredFleet { boxes, heave: Vec::new() };
    let step = FixedStep::try_new(1, RATE)?;
    let mut frames = Vec::new();
    let mut displaced_m3 = vec![0.0; HULLS.len()];
    println!("each hull is let go 30 cm above where it floats");
    for cycle in 0..RATE * (CALM_S + SWELL_S) {
        if cycle == RATE * CALM_S {
            calm_rows(&fleet.boxes.all, &displaced_m3);
            let up = |one: &Crate| [one.body.pose.position.z; 2];
            fleet.heave = fleet.boxes.all.iter().map(up).collect();
        }
        world.run_cycle_with(step, &mut fleet)?;
        if (RATE * (CALM_S - MEAN_S)..RATE * CALM_S).contains(&cycle) {
            let part = 1.0 / f64::from(RATE * MEAN_S);
            for (one, sum) in fleet.boxes.all.iter().zip(&mut displaced_m3) {
                *sum += part * below_m3(one, stage_beside(&world, one));
            }
        }
        if cycle >= RATE * CALM_S && cycle.is_multiple_of(FRAME) {
            frames.push(frame(&world, &fleet.boxes.all));
        }
    }
    println!("in the swell, {:.2} m high at the west edge", 2.0 * SWELL_M);
    for ([low, high], (name, ..)) in fleet.heave.iter().zip(&HULLS) {
        println!("  {name:<14} heaves {:>6.3} m", high - low);
    }
    let (stored, expected) = (world.water().stored(), world.water().ledger().expected());
    println!("stored {stored} units, expected {expected}: {} lost", expected - stored);
    film::write(&path, [WIDTH * PIXELS, HEIGHT * PIXELS], 10, &frames)?;
    println!("{} frames in {}", frames.len(), path.display());
    Ok(())
}
