//! P3 with a card: the same state hash after every cycle, with and without one.

use gpu::{CardLog, GpuCard};
use thalweg::prelude::*;
use thalweg::units::SimTime;
use thalweg::world::{MapKinds, Settings, Solver};

/// A card for a world, and its log; none where the machine has none, and need not have one.
fn card() -> Option<(GpuCard, CardLog)> {
    match GpuCard::open() {
        Ok(card) => {
            let log = card.log();
            Some((card, log))
        }
        Err(failure) => {
            assert!(std::env::var_os("THALWEG_VULKAN").is_none(), "{failure}");
            println!("skipped: no graphics device");
            None
        }
    }
}

/// Hills of 3 m on a slope, with a lake and a dam that is gone.
fn valley(cells: [u32; 2]) -> WorldBuilder {
    let height = |x: u32, y: u32| {
        let (x, y) = (f64::from(x), f64::from(y));
        let hills = (0.11 * x).sin() * (0.07 * y).cos() + 0.3 * (0.31 * x + 0.17 * y).sin();
        40.0 + 0.02 * x + 3.0 * hills
    };
    let terrain = Terrain::from_heights(cells.map(|n| n as usize), 5.0, |x, y| {
        height(u32::try_from(x).expect("small"), u32::try_from(y).expect("small"))
    });
    let settings = Settings { solver: Solver::Pipe, ..Settings::default() };
    WorldBuilder::new(terrain.expect("a good terrain")).settings(settings)
}

/// Runs a world with and without a card, and compares after every cycle.
#[track_caller]
fn check(world: impl Fn() -> World, cycles: u32) {
    let Some((card, log)) = card() else { return };
    let (mut plain, mut carded) = (world(), world());
    carded.set_card(Some(Box::new(card)));
    for cycle in 0..cycles {
        let reports = [&mut plain, &mut carded].map(|world| world.run_cycle(SimTime::MAX));
        let events = log.events();
        assert_eq!(events.cycles, u64::from(cycle) + 1, "{events:?}");
        let [a, b] = reports.map(|report| (report.time, report.courant, report.limited));
        assert_eq!(a, b, "report of cycle {cycle}");
        let every = if cycles > 100 { 20 } else { 1 };
        if cycle % every == 0 {
            assert_eq!(plain.state_hash(), carded.state_hash(), "after cycle {cycle}");
        }
    }
    assert_eq!(plain.state_hash(), carded.state_hash(), "at the end");
    assert_eq!(carded.water().stored(), carded.water().ledger().expected());
}

#[test]
fn a_lake_that_breaks_loose_has_the_same_bits() {
    let world = || {
        let stage = |place: CellPlace| if place.x < 70 { 46.0 } else { f64::NAN };
        let builder = valley([200, 150]).maps(MapKinds::NONE).initial_stage(stage);
        builder.build().expect("a good world")
    };
    check(world, 60);
}
