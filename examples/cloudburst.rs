//! Look at: the water gathering in the hollow, and the ledger that balances to the unit.
//!
//! `cargo run --release --example cloudburst`

use thalweg::prelude::*;

const WIDTH: u32 = 72;
const HEIGHT: u32 = 24;

/// Returns the bed of a valley that falls to the east, with a hollow half-way.
fn bed_m(x: usize, y: usize) -> f64 {
    let (x, y) = (x as f64, y as f64);
    let hollow = 4.0 / (1.0 + ((x - 36.0).powi(2) + 4.0 * (y - 12.0).powi(2)) / 60.0);
    0.06 * (72.0 - x) + 0.03 * (y - 12.0).powi(2) - hollow
}

fn picture(world: &World) -> String {
    let mut picture = String::new();
    for y in (0..HEIGHT).rev() {
        for x in 0..WIDTH {
            let depth_m = world.water().depth_m(CellPlace { x, y }).unwrap_or(0.0);
            picture.push(match depth_m {
                d if d > 1.0 => '#',
                d if d > 0.2 => '≈',
                d if d > 0.02 => '~',
                _ => '.',
            });
        }
        picture.push('\n');
    }
    picture
}

fn main() -> Result<(), thalweg::Error> {
    let terrain = Terrain::from_heights([WIDTH as usize, HEIGHT as usize], 5.0, bed_m)?;
    let mut world = WorldBuilder::new(terrain)
        .edges(EdgeKind::Open)
        .rain("cloudburst", &[(0.0, 0.1 / 600.0), (600.0, 0.0)])?
        .build()?;

    for minutes in [5, 15, 60] {
        world.run_until(SimTime::from_seconds(60.0 * f64::from(minutes)));
        println!("after {minutes} minutes:\n{}", picture(&world));
    }
    for account in world.water().ledger().accounts() {
        println!("{:12} in {:>14} out {:>14}", account.name, account.into, account.out);
    }
    println!("stored {}, expected {}", world.water().stored(), world.water().ledger().expected());
    Ok(())
}
