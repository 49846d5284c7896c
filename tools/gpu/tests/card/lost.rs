//! A card that is lost, or has too little memory, loses nothing; nor do readers, edits and files.

use crate::support::{card, maps_hash};
use gpu::{Failure, GpuCard};
use thalweg::prelude::*;
use thalweg::structure::weather::Direction;
use thalweg::terrain::Shape;
use thalweg::units::SimTime;
use thalweg::world::{Action, Amount, MapKinds, Settings, Solver};

/// Water that runs down a slope with hills, with rain on the west of it, and the ground takes some.
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
        .layer_classes("rain", Direction::Into, &[vec![(0.0, 0.0)], vec![(0.0, 1.0e-5)]], |place| {
            u16::from(place.x < 64)
        })
        .and_then(|builder| builder.layer("soil", Direction::Ground, &[(0.0, 1.0e-7)]))
        .expect("good series")
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
/// cycles, at a moment when all planes are on it, those of the ground and of maps among them.
#[test]
fn a_card_that_is_lost_loses_nothing() {
    let Some(turn) = card() else { return };
    let card = turn.card();
    let log = card.log();
    let (mut plain, mut carded) = (slope(), slope());
    carded.set_card(Some(Box::new(card)));
    // Beyond the first checkpoint.
    run([&mut plain, &mut carded], 70);
    assert_eq!((log.events().cycles, log.events().lost), (70, None));
    turn.device.wgpu.destroy();
    assert_eq!(plain.state_hash(), carded.state_hash(), "read after the loss");
    run([&mut plain, &mut carded], 10);
    assert_eq!(plain.state_hash(), carded.state_hash(), "10 cycles later");
    let events = log.events();
    assert_eq!(events.cycles, 70);
    let failure = events.lost.expect("lost").to_string();
    assert!(failure.contains("lost"), "{failure}");
}

/// Goal: a world that does not fit is stepped on the processor. Method: a device that says it binds
/// smaller buffers than nine leaves need.
#[test]
fn a_card_with_too_little_memory_leaves_the_world() {
    let Some(turn) = card() else { return };
    let mut device = turn.device.clone();
    // A slot has six planes of maps in one buffer: room for six slots, the self-test needs five.
    device.limits.max_storage_buffer_binding_size = 6 * 6 * 16_384;
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
/// there at that time. Method: water put in by hand, and a copy of the world that is looked at
/// cycles later.
#[test]
fn readers_and_writers_find_the_planes() {
    let Some(turn) = card() else { return };
    let card = turn.card();
    let log = card.log();
    let (mut plain, mut carded) = (slope(), slope());
    carded.set_card(Some(Box::new(card)));
    for round in 0..4 {
        run([&mut plain, &mut carded], 7);
        let copies = [&plain, &carded].map(|world| world.simulation().clone());
        for world in [&mut plain, &mut carded] {
            let centre_m = [80.0 + 20.0 * f64::from(round), 240.0];
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

/// Goal: leaves that fall asleep and others that take their slots keep their maps and what their
/// ground took, in a world that has more leaves than a card has slots at first; cycles of no length
/// change nothing; so does a loss in the end. Method: a wave that runs along a channel of 90 leaves
/// and leaves still water behind, seen by all flood maps.
#[test]
fn leaves_that_sleep_keep_maps_and_ground() {
    let Some(turn) = card() else { return };
    let world = || {
        let terrain = Terrain::from_heights([64 * 90, 40], 4.0, |x, _| 30.0 - 0.004 * x as f64);
        let settings = Settings { solver: Solver::Pipe, ..Settings::default() };
        let settings = Settings { sleep_after_cycles: 3, ..settings };
        let soils = [vec![(0.0, 3.0e-5)], vec![(0.0, 0.0)]];
        WorldBuilder::new(terrain.expect("a good terrain"))
            .settings(settings)
            .maps(MapKinds::ALL)
            .initial_stage(|place| if place.x < 30 { 31.0 } else { f64::NAN })
            .layer_classes("soil", Direction::Ground, &soils, |place| u16::from(place.x > 5))
            .expect("good series")
            .build()
            .expect("a good world")
    };
    let card = turn.card();
    let log = card.log();
    let (mut plain, mut carded) = (world(), world());
    // Most sleep before the card comes.
    run([&mut plain, &mut carded], 8);
    carded.set_card(Some(Box::new(card)));
    for round in 0..6 {
        run([&mut plain, &mut carded], 12);
        for world in [&mut plain, &mut carded] {
            let now = world.time();
            world.run_cycle(now);
        }
        assert_eq!(plain.state_hash(), carded.state_hash(), "round {round}");
        assert_eq!(maps_hash(&plain), maps_hash(&carded), "maps of round {round}");
    }
    assert!(log.events().cycles > 0 && log.events().lost.is_none(), "{:?}", log.events());
    turn.device.wgpu.destroy();
    assert_eq!(plain.state_hash(), carded.state_hash(), "after the loss");
    assert_eq!(maps_hash(&plain), maps_hash(&carded), "maps after the loss");
}
