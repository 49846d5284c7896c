//! A flood that is fine around an observer. Look first at the digits: each is the level of the
//! leaves there, and they follow the observer, while not a unit of water is lost.

use thalweg::criteria::{Criterion, Observer, ObserverOptions};
use thalweg::terrain::{TerrainBuilder, TerrainOptions};
use thalweg::units::{SimTime, VerticalScale};
use thalweg::world::{AdaptiveOptions, CellPlace, TileKey, World, WorldBuilder};

/// Cells of 2 m a side of the world.
const CELLS: u32 = 2048;
const WIDTH_M: f64 = 2.0;
const COARSEST: u8 = 4;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scale = VerticalScale::choose(0.0, 60.0, 200.0)?;
    let size = CELLS as usize;
    let options = TerrainOptions {
        width: size,
        height: size,
        cell_width_m: WIDTH_M,
        scale,
        bed_exponent: 10,
    };
    let mut terrain = TerrainBuilder::try_new(options)?;
    for row in (0..CELLS).rev() {
        let bed_m = |x: u32| {
            let (x, y) = (f64::from(x) * 0.004, f64::from(row) * 0.004);
            20.0 + 8.0 * (x * 1.7).sin() * y.cos() + 2.0 * f64::from(row) / f64::from(CELLS)
        };
        terrain.push_row(&(0..CELLS).map(bed_m).collect::<Vec<_>>())?;
    }
    let builder = WorldBuilder::new(terrain.finish()?);
    let options = AdaptiveOptions { coarsest: COARSEST, ..AdaptiveOptions::default() };
    let mut world = builder
        .adaptive(options)
        .initial_stage(|place| if place.x < 600 { 21.0 } else { 17.0 })
        .build()?;
    for minute in 0..4 {
        look_from(&mut world, [900.0 + 700.0 * f64::from(minute), 2000.0])?;
        world.run_until(SimTime::from_seconds(60.0 * f64::from(minute + 1)));
        println!("minute {}", minute + 1);
        print_levels(&world);
    }
    let (stored, expected) = (world.water().stored(), world.water().ledger().expected());
    println!("stored {stored} units, {expected} by the ledger");
    Ok(())
}

/// Moves the one observer.
fn look_from(world: &mut World, position_m: [f64; 2]) -> Result<(), Box<dyn std::error::Error>> {
    let options = ObserverOptions {
        position_m,
        velocity_m_s: [0.0; 2],
        look_ahead_s: 0.0,
        radii_m: vec![(0, 250.0), (1, 500.0), (2, 1000.0)],
        priority: 0.0,
    };
    let observer: Box<dyn Criterion> = Box::new(Observer::try_new(&options, &world.extent())?);
    if let Some(criteria) = world.criteria_mut() {
        *criteria = vec![observer];
    }
    Ok(())
}

/// Prints the level of the leaf at every fourth tile.
fn print_levels(world: &World) {
    let leaves = world.leaves();
    for y in (0..CELLS).step_by(128).rev() {
        let level = |x: u32| {
            let key = TileKey::of_cell(0, CellPlace { x, y });
            leaves.covering(key).map_or('.', |leaf| {
                char::from_digit(u32::from(leaf.key().level), 10).unwrap_or('?')
            })
        };
        println!("  {}", (0..CELLS).step_by(64).map(level).collect::<String>());
    }
}
