//! What the tests of cards share.

use gpu::{Device, GpuCard};
use thalweg::prelude::*;
use thalweg::units::SimTime;
use thalweg::units::hash::StateHasher;

/// The card of this machine; none, with a line that says so, where there is none. Where the variable
/// `THALWEG_VULKAN` is set there must be one.
pub fn device() -> Option<Device> {
    match Device::open() {
        Ok(device) => Some(device),
        Err(failure) => {
            assert!(std::env::var_os("THALWEG_VULKAN").is_none(), "{failure}");
            println!("skipped: no graphics device");
            None
        }
    }
}

/// Runs a world with and without a card, and compares hashes: after every cycle of a hundred, or
/// every twentieth of more; flood maps and books at the end. Returns how many leaves were awake in
/// each cycle.
#[track_caller]
pub fn check(world: impl Fn() -> World, cycles: u32) -> Vec<usize> {
    let Some(device) = device() else { return Vec::new() };
    let card = GpuCard::on(device).expect("a good card");
    let log = card.log();
    let (mut plain, mut carded) = (world(), world());
    carded.set_card(Some(Box::new(card)));
    let (mut done, mut awake) = (0, Vec::new());
    for cycle in 0..cycles {
        let reports = [&mut plain, &mut carded].map(|world| world.run_cycle(SimTime::MAX));
        let events = log.events();
        let is_still = reports[0].awake == 0;
        assert!(is_still || events.cycles > done, "cycle {cycle} was left: {events:?}");
        done = events.cycles;
        let [a, b] = reports.map(|report| (report.time, report.courant, report.limited));
        assert_eq!(a, b, "report of cycle {cycle}");
        awake.push(reports[0].awake);
        if cycles <= 100 || cycle % 20 == 0 {
            assert_eq!(plain.state_hash(), carded.state_hash(), "after cycle {cycle}");
        }
    }
    assert_eq!(plain.state_hash(), carded.state_hash(), "at the end");
    assert_eq!(maps_hash(&plain), maps_hash(&carded), "flood maps");
    assert_eq!(carded.water().stored(), carded.water().ledger().expected());
    awake
}

/// Hash of all flood maps.
pub fn maps_hash(world: &World) -> u64 {
    let mut hash = StateHasher::new();
    for maps in world.simulation().maps() {
        maps.hash(maps.kinds(), &mut hash).expect("kept");
    }
    hash.finish()
}
