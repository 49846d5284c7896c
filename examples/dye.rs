//! Look at: a spill of dye that the eddies behind a building tear apart, and its exact ledger.
//!
//! `cargo run --release --example dye`

use std::error::Error;
use thalweg::terrain::{TerrainBuilder, TerrainOptions};
use thalweg::units::{SimTime, VerticalScale};
use thalweg::world::{CellPlace, EdgeKind, Settings, Solver, World, WorldBuilder};

const WIDTH: u32 = 96;
const HEIGHT: u32 = 24;

fn is_building(x: u32, y: u32) -> bool {
    (30..36).contains(&x) && (8..15).contains(&y)
}

/// Returns the bed of a river that falls to the east, between its banks, round a building.
fn bed_m(x: u32, y: u32) -> f64 {
    let bank = (f64::from(y) - 11.5).abs() - 9.0;
    let river = 0.002 * f64::from(WIDTH - x) + 0.5 * bank.max(0.0);
    if is_building(x, y) { river + 6.0 } else { river }
}

/// Returns a picture of the dye by its concentration, from 0 to undiluted.
fn picture(world: &World) -> String {
    let mut picture = String::new();
    for y in (0..HEIGHT).rev() {
        for x in 0..WIDTH {
            let place = CellPlace { x, y };
            let is_wet = world.water().depth_m(place).is_some_and(|depth_m| depth_m > 0.02);
            let concentration = world.water().concentration("dye", place).unwrap_or(0.0);
            picture.push(match concentration {
                _ if is_building(x, y) => '#',
                _ if !is_wet => ' ',
                c if c > 0.02 => '@',
                c if c > 0.005 => '*',
                c if c > 0.001 => '+',
                c if c > 0.0002 => ':',
                _ => '.',
            });
        }
        picture.push('\n');
    }
    picture
}

fn main() -> Result<(), Box<dyn Error>> {
    let scale = VerticalScale::choose(0.0, 8.0, 50.0)?;
    let (width, height) = (WIDTH as usize, HEIGHT as usize);
    let bed_exponent = TerrainOptions::BED_EXPONENT;
    let options = TerrainOptions { width, height, cell_width_m: 2.0, scale, bed_exponent };
    let mut terrain = TerrainBuilder::try_new(options)?;
    for y in (0..HEIGHT).rev() {
        let row: Vec<f64> = (0..WIDTH).map(|x| bed_m(x, y)).collect();
        terrain.push_row(&row)?;
    }
    let head: Vec<CellPlace> = (4..20).map(|y| CellPlace { x: 0, y }).collect();
    let settings = Settings { solver: Solver::ShallowWater, ..Settings::default() };
    // Twenty litres a second of dye, for two minutes, into thirty cubic metres of river.
    let mut world = WorldBuilder::new(terrain.finish()?)
        .settings(settings)
        .edges(EdgeKind::Open)
        .initial_depth(|p| if is_building(p.x, p.y) { 0.0 } else { 0.8 })
        .inflow("river", &[(0.0, 30.0)], &head)?
        .inflow("spill", &[(600.0, 0.02), (720.0, 0.02)], &[CellPlace { x: 12, y: 13 }])?
        .tracer("dye", |_| 0.0)
        .tracer_source("dye", "spill", 1.0)
        .build()?;

    for seconds in [640, 700, 800] {
        world.run_until(SimTime::from_seconds(f64::from(seconds)));
        println!("after {seconds} s:\n{}", picture(&world));
    }
    let ledger = world.water().tracer_ledger("dye").ok_or("there is dye")?;
    let m3 = |content: i128| content as f64 * world.water().unit_m3() / 16_777_216.0;
    for account in ledger.accounts() {
        println!(
            "{:12} in {:8.4} m³ out {:8.4} m³",
            account.name,
            m3(account.into),
            m3(account.out)
        );
    }
    let stored = world.water().tracer_stored("dye").ok_or("there is dye")?;
    println!("stored {stored}, expected {}: {:.4} m³", ledger.expected(), m3(stored));
    Ok(())
}
