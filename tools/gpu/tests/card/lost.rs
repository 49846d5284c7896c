//! A card that is lost, or has too little memory, loses nothing; nor do readers, edits and files.

use crate::support::device;
use gpu::{Failure, GpuCard};
use thalweg::prelude::*;
use thalweg::terrain::Shape;
use thalweg::units::SimTime;
use thalweg::world::{Action, Amount, MapKinds, Settings, Solver};

/// Water that runs down a slope with hills, rain on it, and the ground takes some.
fn slope() -> World {
    let terrain = Terrain::from_heights([140, 130], 4.0, |x, y| {
        let (x, y) = (x as f64, y as f64);
        30.0 + 0.03 * x + 2.0 * (0.13 * x).sin() * (0.09 * y).cos()
    });
    let settings = Settings { solver: Solver::Pipe, ..Settings::default() };
    WorldBuilder::new(terrain.expect("a good terrain"))
        .settings(settings)
        .maps(MapKinds::ALL)
        .initial_stage(|place| if place.x > 90 { 36.0 } else { f64::NAN })
        .rain("rain", &[(0.0, 1.0e-5)])
        .expect("a good series")
        .build()
        .expect("a good world")
}

fn run(worlds: [&mut World; 2], cycles: u32) {
    for world in worlds {
        (0..cycles).for_each(|_| {
            world.run_cycle(SimTime::MAX);
        });
    }
}

/// Goal: a device that is lost costs nothing but its speed. Method: it is destroyed after some
/// cycles, at a moment when all planes are on it; then before a cycle, with new planes in between.
#[test]
fn a_card_that_is_lost_loses_nothing() {
    let Some(device) = device() else { return };
    let card = GpuCard::on(device.clone()).expect("a good card");
    let log = card.log();
    let (mut plain, mut carded) = (slope(), slope());
    carded.set_card(Some(Box::new(card)));
    // Beyond the first checkpoint.
    run([&mut plain, &mut carded], 70);
    assert_eq!((log.events().cycles, log.events().lost), (70, None));
    device.wgpu.destroy();
    assert_eq!(plain.state_hash(), carded.state_hash(), "read after the loss");
    run([&mut plain, &mut carded], 10);
    assert_eq!(plain.state_hash(), carded.state_hash(), "10 cycles later");
    let events = log.events();
    assert_eq!(events.cycles, 70);
    let failure = events.lost.expect("lost").to_string();
    assert!(failure.contains("lost"), "{failure}");
}

/// Goal: a world that does not fit is stepped on the processor. Method: a device that says it binds
/// buffers of four slots.
#[test]
fn a_card_with_too_little_memory_leaves_the_world() {
    let Some(mut device) = device() else { return };
    device.limits.max_storage_buffer_binding_size = 4 * 32_768;
    let card = GpuCard::on(device).expect("a good card");
    let log = card.log();
    let (mut plain, mut carded) = (slope(), slope());
    carded.set_card(Some(Box::new(card)));
    run([&mut plain, &mut carded], 5);
    assert_eq!(plain.state_hash(), carded.state_hash());
    let events = log.events();
    assert_eq!(events.cycles, 0);
    let Some(failure @ Failure::Refused { .. }) = events.lost else { panic!("{events:?}") };
    assert!(failure.to_string().contains("MiB at most"), "{failure}");
}

/// Goal: whoever reads or writes leaves on the card, or keeps a copy of the world, has what was
/// there at that time. Method: water put in by hand, a copy of the world that is looked at cycles
/// later, and an undone act.
#[test]
fn readers_and_writers_find_the_planes() {
    let Some(device) = device() else { return };
    let card = GpuCard::on(device).expect("a good card");
    let log = card.log();
    let (mut plain, mut carded) = (slope(), slope());
    carded.set_card(Some(Box::new(card)));
    for round in 0..4 {
        run([&mut plain, &mut carded], 7);
        let copies = [&plain, &carded].map(|world| world.simulation().clone());
        for world in [&mut plain, &mut carded] {
            let centre_m = [80.0 + 20.0 * f64::from(round), 240.0].into();
            let area = Shape::Disc { centre_m, radius_m: 30.0, rim_m: 0.0 };
            let action = Action::AddWater { area, amount: Amount::DepthM(0.5) };
            world.edits().act(action).expect("in the world");
        }
        assert_eq!(plain.state_hash(), carded.state_hash(), "round {round}");
        run([&mut plain, &mut carded], 7);
        let [a, b] = copies.map(|copy| copy.state_hash());
        assert_eq!(a, b, "the copy of round {round}");
        assert_eq!(plain.state_hash(), carded.state_hash(), "after round {round}");
    }
    assert_eq!(log.events().cycles, 56);
}
