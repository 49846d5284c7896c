//! Look at: the stage above the dam rising crate by crate while the discharge falls, the moment at
//! which the reservoir pushes harder than the ground resists, and the flood that follows; then the
//! last line, where no water is lost.
//!
//! `cargo run --release --example dam_of_crates [PICTURE.png]`
//!
//! The picture, `target/dam_of_crates.png` by default, is an animated PNG, which browsers play.

mod film;

use std::error::Error;
use std::path::PathBuf;
use thalweg::body::{Bodies, Body, BodyId, Load, Motion, Pose, Solid};
use thalweg::glam::{DVec2, DVec3};
use thalweg::terrain::{TerrainBuilder, TerrainOptions};
use thalweg::units::VerticalScale;
use thalweg::world::{CellPlace, EdgeKind, EdgePlace, FixedStep, Side, World, WorldBuilder};

const WIDTH: u32 = 140;
const HEIGHT: u32 = 24;
/// Rows of the river between its banks.
const RIVER: std::ops::Range<u32> = 2..22;
const GRAVITY: f64 = 9.81;
/// Crates full of gravel: their width, m, and density, kg/m³; place of the dam, m.
const CRATE_M: f64 = 2.0;
const DENSITY: f64 = 2000.0;
const DAM_M: f64 = 80.3;
/// Coefficient of friction: part of a crate's weight that resists its sliding.
const FRICTION: f64 = 0.7;
/// Cycles a second, seconds in all, seconds between two crates, cycles between two frames.
const RATE: u32 = 20;
const END_S: u32 = 600;
const CRATE_EVERY_S: u32 = 3;
const FRAME: u32 = 60;
const PIXELS: u32 = 5;

/// A crate that moves but does not turn.
struct PiledCrate {
    at: DVec3,
    speed: DVec3,
    /// Crate below, if the crate is on top of one.
    on: Option<usize>,
}

/// Crates on a river bed and on each other.
struct CrateDam {
    solid: Solid,
    crates: Vec<PiledCrate>,
}

impl CrateDam {
    fn mass_kg(&self) -> f64 {
        DENSITY * self.solid.volume_m3()
    }

    /// Returns the highest top below a crate, m, and the index of its crate.
    fn support(&self, index: usize) -> (f64, Option<usize>) {
        let at = self.crates[index].at;
        let mut best = (bed_m(at.x, at.y), None);
        for (other, one) in self.crates.iter().enumerate().filter(|(other, _)| *other != index) {
            let is_below = one.at.z < at.z - 0.5 * CRATE_M;
            let is_near = (one.at - at).truncate().abs().max_element() < 0.95 * CRATE_M;
            let top = one.at.z + 0.5 * CRATE_M;
            if is_below && is_near && top > best.0 {
                best = (top, Some(other));
            }
        }
        best
    }

    /// Moves all crates for a step under their loads, the highest first.
    fn advance(&mut self, loads: &[Load], dt_s: f64) {
        let mass_kg = self.mass_kg();
        let mut order: Vec<usize> = (0..self.crates.len()).collect();
        order.sort_by(|&a, &b| self.crates[b].at.z.total_cmp(&self.crates[a].at.z));
        // Crates above each one press it down, N, and drag it along, N·s.
        let (mut pressed, mut dragged) = (vec![0.0; order.len()], vec![DVec2::ZERO; order.len()]);
        for index in order {
            let (support, on) = self.support(index);
            let below = on.map_or(DVec3::ZERO, |on| self.crates[on].speed);
            let (force, _) = loads[index].for_engine(mass_kg, GRAVITY, self.crates[index].at);
            let down = mass_kg * GRAVITY - force.z + pressed[index];
            let one = &mut self.crates[index];
            let drive = force.truncate() * dt_s + dragged[index];
            one.speed += (drive.extend(-down * dt_s)) / mass_kg;
            let is_lying = one.at.z - 0.5 * CRATE_M + one.speed.z * dt_s <= support;
            one.on = on.filter(|_| is_lying);
            if is_lying {
                one.at.z = support + 0.5 * CRATE_M;
                one.speed.z = 0.0;
                let slip = (one.speed - below).truncate();
                let size = slip.length().max(1.0e-12);
                let hold = (FRICTION * down.max(0.0) * dt_s / (mass_kg * size)).min(1.0);
                one.speed -= (hold * slip).extend(0.0);
                if let Some(on) = on {
                    dragged[on] += hold * slip * mass_kg;
                    pressed[on] += down.max(0.0);
                }
            }
            one.at += one.speed * dt_s;
            let half = 0.5 * CRATE_M;
            let [south, north] = [RIVER.start, RIVER.end].map(f64::from);
            one.at.y = one.at.y.clamp(south + half, north - half);
        }
    }

    /// Counts the crates that were swept away from the dam.
    fn swept(&self) -> usize {
        self.crates.iter().filter(|one| one.at.x > DAM_M + CRATE_M).count()
    }
}

impl Bodies for CrateDam {
    fn solids(&mut self, put: &mut dyn FnMut(Body)) {
        let mass_kg = Some(self.mass_kg());
        for (id, one) in (0..).zip(&self.crates) {
            let motion = Motion { linear: one.speed, ..Motion::default() };
            let (solid, pose) = (self.solid.clone(), Pose::at(one.at));
            put(Body { id: BodyId(id), solid, pose, motion, mass_kg });
        }
    }

    fn loads(&mut self, loads: &[(BodyId, Load)]) {
        let loads: Vec<Load> = loads.iter().map(|load| load.1).collect();
        self.advance(&loads, 1.0 / f64::from(RATE));
    }
}

/// Returns the elevation of the ground at a place, m.
fn bed_m(x: f64, y: f64) -> f64 {
    let is_river = y >= f64::from(RIVER.start) && y < f64::from(RIVER.end);
    if is_river { 2.0 - 0.005 * x } else { 9.0 }
}

fn world() -> Result<World, Box<dyn Error>> {
    let scale = VerticalScale::choose(1.0, 9.0, 20.0)?;
    let (width, height) = (WIDTH as usize, HEIGHT as usize);
    let bed_exponent = TerrainOptions::BED_EXPONENT;
    let options = TerrainOptions { width, height, cell_width_m: 1.0, scale, bed_exponent };
    let mut terrain = TerrainBuilder::try_new(options)?;
    for y in (0..HEIGHT).rev() {
        let bed = |x: u32| bed_m(f64::from(x) + 0.5, f64::from(y) + 0.5);
        terrain.push_row(&(0..WIDTH).map(bed).collect::<Vec<_>>())?;
    }
    let source: Vec<CellPlace> = RIVER.map(|y| CellPlace { x: 0, y }).collect();
    Ok(WorldBuilder::new(terrain.finish()?)
        .edges(EdgeKind::Wall)
        .edge("mouth", EdgePlace::Part(Side::East, RIVER), EdgeKind::Open)
        .inflow("river", &[(0.0, 20.0), (f64::from(END_S), 20.0)], &source)?
        .initial_depth(|place| if RIVER.contains(&place.y) { 0.6 } else { 0.0 })
        .build()?)
}

/// Returns the discharge through a column of cells, m³/s.
fn discharge(world: &World, x: u32) -> f64 {
    let through = RIVER.filter_map(|y| {
        let place = CellPlace { x, y };
        Some(world.water().depth_m(place)? * world.water().velocity_m_s(place)?[0])
    });
    through.sum()
}

/// Returns a line of the table.
fn row(world: &World, dam: &CrateDam) -> String {
    let stage = |x: u32| world.water().stage_m(CellPlace { x, y: 12 }).unwrap_or(f64::NAN);
    format!(
        "{:>4.0} {:>7} {:>7} {:>8.2} {:>8.2} {:>11.1} {:>11.1}",
        world.time().seconds(),
        dam.crates.len(),
        dam.swept(),
        stage(70),
        stage(95),
        discharge(world, 60),
        discharge(world, 110),
    )
}

/// Returns the colour of a pixel: ground, crates, or water by its depth.
fn colour(world: &World, dam: &CrateDam, x: u32, y: u32) -> [u8; 3] {
    let at = (DVec2::new(f64::from(x), f64::from(y)) + 0.5) / f64::from(PIXELS);
    let covers = |one: &&PiledCrate| (at - one.at.truncate()).abs().max_element() < 0.95;
    let place = CellPlace { x: x / PIXELS, y: y / PIXELS };
    if let Some(one) = dam.crates.iter().filter(covers).max_by(|a, b| a.at.z.total_cmp(&b.at.z)) {
        return if one.on.is_some() { [190, 120, 60] } else { [130, 80, 40] };
    }
    match world.water().depth_m(place) {
        Some(depth_m) if depth_m > 0.02 => {
            film::mix([180.0, 215.0, 235.0], [10.0, 45.0, 110.0], depth_m / 4.5)
        }
        _ if RIVER.contains(&place.y) => [196, 182, 140],
        _ => [110, 130, 85],
    }
}

fn frame(world: &World, dam: &CrateDam) -> Vec<u8> {
    let rows = (0..HEIGHT * PIXELS).rev();
    rows.flat_map(|y| (0..WIDTH * PIXELS).flat_map(move |x| colour(world, dam, x, y))).collect()
}

/// Returns the place for crate `index`: ten across the river, and ten on top of them.
fn drop_place(index: u32) -> DVec3 {
    // Every third one in turn, as a crane would hardly work along the row.
    let (across, row) = (f64::from(index % 10 * 3 % 10), f64::from(index / 10));
    DVec3::new(DAM_M, f64::from(RIVER.start) + CRATE_M * (across + 0.5), 7.0 + CRATE_M * row)
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).map_or("target/dam_of_crates.png".into(), PathBuf::from);
    let mut world = world()?;
    let mut dam = CrateDam { solid: Solid::cuboid([CRATE_M; 3])?, crates: Vec::new() };
    let step = FixedStep::try_new(1, RATE)?;
    let mut frames = Vec::new();
    let (mut broken, mut peak, mut held_m) = (None, (0.0, 0.0), 0.0_f64);
    println!("   s  crates   swept  above m  below m  above m³/s  below m³/s");
    for cycle in 0..RATE * END_S {
        let (second, is_whole) = (cycle / RATE, cycle.is_multiple_of(RATE));
        let from_s = 60;
        let count = second.saturating_sub(from_s) / CRATE_EVERY_S;
        if is_whole && second > from_s && count <= 20 && dam.crates.len() < count as usize {
            let [at, speed] = [drop_place(count - 1), DVec3::ZERO];
            dam.crates.push(PiledCrate { at, speed, on: None });
        }
        if is_whole && second.is_multiple_of(30) {
            println!("{}", row(&world, &dam));
        }
        world.run_cycle_with(step, &mut dam)?;
        let now_s = world.time().seconds();
        if broken.is_none() && dam.swept() > 0 {
            broken = Some(now_s);
        }
        let stage = world.water().stage_m(CellPlace { x: 70, y: 12 }).unwrap_or(0.0);
        held_m = held_m.max(stage - bed_m(70.0, 12.0));
        let flow = discharge(&world, 110);
        if flow > peak.1 {
            peak = (now_s, flow);
        }
        if cycle.is_multiple_of(FRAME) {
            frames.push(frame(&world, &dam));
        }
    }
    match broken {
        Some(time_s) => println!("it broke at {time_s:.0} s, {} crates were swept", dam.swept()),
        None => println!("it holds"),
    }
    println!("deepest above {held_m:.2} m, most below {:.0} m³/s at {:.0} s", peak.1, peak.0);
    let (stored, expected) = (world.water().stored(), world.water().ledger().expected());
    println!("stored {stored} units, expected {expected}: {} lost", expected - stored);
    film::write(&path, [WIDTH * PIXELS, HEIGHT * PIXELS], 15, &frames)?;
    println!("{} frames in {}", frames.len(), path.display());
    Ok(())
}
