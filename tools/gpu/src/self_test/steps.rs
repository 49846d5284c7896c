//! Whole steps on the card against the processor.

use crate::arithmetic::Routes;
use crate::card::GpuCard;
use crate::device::Device;
use crate::failure::{Failure, Mismatch};
use thalweg::Error;
use thalweg::prelude::*;
use thalweg::sim::Order;
use thalweg::units::SimTime;
use thalweg::units::hash::StateHasher;
use thalweg::world::{MapKinds, Settings, Solver};

/// Cycles of each method.
const CYCLES: u32 = 3;

/// First method whose steps give another state than on the processor.
///
/// # Errors
///
/// The device is lost, or refuses a kernel.
pub fn compare(device: &Device, routes: Routes) -> Result<Option<Mismatch>, Failure> {
    let methods = [
        ("steps of the pipe", Solver::Pipe, Order::Second),
        ("steps of shallow water of first order", Solver::ShallowWater, Order::First),
        ("steps of shallow water of second order", Solver::ShallowWater, Order::Second),
    ];
    for (operation, solver, order) in methods {
        let card = GpuCard::with_routes(device.clone(), routes)?;
        let log = card.log();
        let settings = Settings { solver, order, ..Settings::default() };
        let world = || landscape(settings.clone()).expect("the landscape of the test is sound");
        let (mut plain, mut carded) = (world(), world());
        carded.set_card(Some(Box::new(card)));
        for _ in 0..CYCLES {
            plain.run_cycle(SimTime::MAX);
            carded.run_cycle(SimTime::MAX);
        }
        let events = log.events();
        if let Some(failure) = events.lost {
            return Err(failure);
        }
        assert_eq!(events.cycles, u64::from(CYCLES), "the card can do the landscape of the test");
        let [expected, got] = [&plain, &carded].map(|world| halves(hash(world)));
        if expected != got {
            return Ok(Some(Mismatch { operation, operands: [0; 4], got, expected }));
        }
    }
    Ok(None)
}

/// Hash of the state and of all flood maps.
fn hash(world: &World) -> u64 {
    let mut hash = StateHasher::new();
    hash.add(world.state_hash());
    for maps in world.simulation().maps() {
        maps.hash(maps.kinds(), &mut hash).expect("kinds that are kept");
    }
    hash.finish()
}

#[expect(clippy::cast_possible_truncation, reason = "halves")]
fn halves(hash: u64) -> [u32; 2] {
    [hash as u32, (hash >> 32) as u32]
}

/// A front that runs over dry ground, a film on a slope, a fall from a cliff, and a basin of 300 m:
/// in four leaves, of which each has some.
fn landscape(settings: Settings) -> Result<World, Error> {
    let terrain = Terrain::from_heights([80, 76], 5.0, |x, y| {
        let (x, y) = (x as f64, y as f64);
        let hills = (0.31 * x).sin() * (0.23 * y).cos() + 0.2 * (1.7 * x + 0.9 * y).sin();
        let cliff = if (x - 40.0).hypot(y - 50.0) < 12.0 { 25.0 } else { 0.0 };
        let basin = if (x - 62.0).hypot(y - 66.0) < 8.0 { 300.0 } else { 0.0 };
        50.0 + 0.05 * x + 2.0 * hills + cliff - basin
    })?;
    let stage = |place: CellPlace| match (place.x, place.y) {
        (x, _) if x < 20 => 56.0,
        (x, y) if x > 52 && y > 56 => 54.0,
        (x, y) if (34..46).contains(&x) && (44..56).contains(&y) => 78.0,
        _ => f64::NAN,
    };
    let world = WorldBuilder::new(terrain)
        .settings(settings)
        .maps(MapKinds::ALL)
        .initial_stage(stage)
        .rain("film", &[(0.0, 3.0e-5)])?;
    Ok(world.build()?)
}
