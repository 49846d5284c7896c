//! A card that is lost, or has too little memory, loses nothing; nor do readers, edits and files.

use crate::support::{card, card_to_lose, maps_hash};
use gpu::{Failure, GpuCard};
use std::time::Duration;
use thalweg::prelude::*;
use thalweg::structure::Barrier;
use thalweg::terrain::Shape;
use thalweg::units::SimTime;
use thalweg::world::{Action, Amount, MapKinds, Settings, Solver};
use thalweg_engine::structure::weather::Direction;

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
    let Some(turn) = card_to_lose() else { return };
    let card = turn.card();
    let log = card.log();
    let (mut plain, mut carded) = (slope(), slope());
    carded.set_card(Some(Box::new(card)));
    // Beyond the first checkpoint.
    run([&mut plain, &mut carded], 70);
    assert_eq!((log.events().cycles, log.events().lost), (70, None));
    turn.device().wgpu.destroy();
    assert_eq!(plain.state_hash(), carded.state_hash(), "read after the loss");
    run([&mut plain, &mut carded], 10);
    assert_eq!(plain.state_hash(), carded.state_hash(), "10 cycles later");
    let events = log.events();
    assert_eq!(events.cycles, 70);
    let failure = events.lost.expect("lost").to_string();
    assert!(failure.contains("lost"), "{failure}");
}

/// Goal: a device that is taken away while it steps costs nothing but its speed, and no call waits
/// for ever. Method: another thread destroys it while cycles run without a pause, once it has done
/// so many.
#[test]
fn a_card_that_is_taken_away_in_a_cycle_loses_nothing() {
    const CYCLES: u32 = 60;
    let Some(turn) = card_to_lose() else { return };
    let card = turn.card();
    let (log, device) = (card.log(), turn.device().wgpu.clone());
    let (mut plain, mut carded) = (slope(), slope());
    carded.set_card(Some(Box::new(card)));
    std::thread::scope(|scope| {
        let log = log.clone();
        scope.spawn(move || {
            while log.events().cycles < 7 {
                std::thread::sleep(Duration::from_micros(300));
            }
            device.destroy();
        });
        run([&mut plain, &mut carded], CYCLES);
    });
    assert_eq!(plain.state_hash(), carded.state_hash());
    assert_eq!(maps_hash(&plain), maps_hash(&carded));
    let events = log.events();
    println!("lost after {} cycles", events.cycles);
    assert!((7..u64::from(CYCLES)).contains(&events.cycles), "{events:?}");
    assert!(events.lost.is_some(), "{events:?}");
}

/// Goal: a world that does not fit is stepped on the processor. Method: a device that says it binds
/// smaller buffers than nine leaves need.
#[test]
fn a_card_with_too_little_memory_leaves_the_world() {
    let Some(turn) = card() else { return };
    let mut device = turn.device().clone();
    let routes = turn.card().routes();
    // A slot has six planes of maps in one buffer: room for six slots.
    device.limits.max_storage_buffer_binding_size = 6 * 6 * 16_384;
    let card = GpuCard::with_routes(device, routes).expect("a good card");
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

/// Leaves under the storm: more than a card has slots at first.
const LEAVES: usize = 90;

/// A plain of leaves in a row, dry at first. A storm runs over them from west to east and leaves a
/// film too thin to keep a leaf awake, which the ground takes a part of meanwhile, in each leaf
/// another.
fn plain_under_a_storm() -> World {
    let terrain = Terrain::from_heights([64 * LEAVES, 64], 4.0, |_, _| 10.0);
    let shower = |leaf: usize, most: f64| {
        let (begins, part) = (leaf as f64 + 0.5, 0.5 + 0.5 * leaf as f64 / LEAVES as f64);
        vec![(0.0, 0.0), (begins, 0.0), (begins + 1.0, most * part), (begins + 2.0, 0.0)]
    };
    let [rain, soils]: [Vec<_>; 2] =
        [1.2e-5, 4.0e-6].map(|most| (0..LEAVES).map(|leaf| shower(leaf, most)).collect());
    let leaf = |place: CellPlace| u16::try_from(place.x / 64).expect("few leaves");
    let settings = Settings { solver: Solver::Pipe, ..Settings::default() };
    WorldBuilder::new(terrain.expect("a good terrain"))
        .settings(Settings { sleep_after_cycles: 1, ..settings })
        .maps(MapKinds::ALL)
        .layer_classes("rain", Direction::Into, &rain, leaf)
        .and_then(|builder| builder.layer_classes("soil", Direction::Ground, &soils, leaf))
        .expect("good series")
        .build()
        .expect("a good world")
}

/// Goal: leaves that fall asleep and others that take their slots keep their maps and what their
/// ground took, in a world that has more leaves than a card has slots at first; cycles of no length
/// change nothing; so does a loss in the end. Method: a storm that passes over a row of leaves,
/// most of which sleep when the card comes; nobody reads a leaf before all slots were given anew.
#[test]
fn leaves_that_sleep_keep_maps_and_ground() {
    let Some(turn) = card_to_lose() else { return };
    let card = turn.card();
    let log = card.log();
    let (mut plain, mut carded) = (plain_under_a_storm(), plain_under_a_storm());
    let run = |worlds: [&mut World; 2], seconds: std::ops::Range<u32>| {
        let mut most = 0;
        for world in worlds {
            for second in seconds.clone() {
                let end = SimTime::from_seconds(f64::from(second + 1));
                while world.time() < end {
                    most = world.run_cycle(end).awake.max(most);
                }
                if second % 12 == 0 {
                    world.run_cycle(end);
                }
            }
        }
        most
    };
    // All are awake at first.
    run([&mut plain, &mut carded], 0..2);
    carded.set_card(Some(Box::new(card)));
    let most = run([&mut plain, &mut carded], 2..80);
    assert!(most < 10, "{most} leaves awake at once");
    assert_eq!(plain.state_hash(), carded.state_hash());
    assert_eq!(maps_hash(&plain), maps_hash(&carded));
    run([&mut plain, &mut carded], 80..86);
    assert!(log.events().cycles > 80 && log.events().lost.is_none(), "{:?}", log.events());
    turn.device().wgpu.destroy();
    assert_eq!(plain.state_hash(), carded.state_hash(), "after the loss");
    assert_eq!(maps_hash(&plain), maps_hash(&carded), "maps after the loss");
    run([&mut plain, &mut carded], 86..88);
    assert_eq!(plain.state_hash(), carded.state_hash(), "two seconds on");
    assert!(log.events().lost.is_some(), "the card was needed");
}

/// Goal: copies of the world are as they were, though their leaves fell asleep since. Method:
/// a pool that comes to rest; a copy from before the first cycle without a step, read after that
/// cycle and a loss.
#[test]
fn a_copy_from_before_sleep_is_as_it_was() {
    let Some(turn) = card_to_lose() else { return };
    let card = turn.card();
    let log = card.log();
    let world = || {
        let terrain = Terrain::from_heights([64, 64], 4.0, |_, _| 10.0).expect("a good terrain");
        let settings = Settings { solver: Solver::Pipe, ..Settings::default() };
        WorldBuilder::new(terrain)
            .settings(Settings { sleep_after_cycles: 1, ..settings })
            .manning(0.3)
            .initial_stage(|place| 10.2 + 3.0e-5 * f64::from(place.x))
            .build()
            .expect("a good world")
    };
    let (mut plain, mut carded) = (world(), world());
    carded.set_card(Some(Box::new(card)));
    let copied = |worlds: [&World; 2]| worlds.map(|world| world.try_clone().expect("in memory"));
    let mut copies = copied([&plain, &carded]);
    for _ in 0..4000 {
        let awake = [&mut plain, &mut carded].map(|world| world.run_cycle(SimTime::MAX).awake);
        if awake == [0, 0] {
            break;
        }
        copies = copied([&plain, &carded]);
    }
    assert!(plain.simulation().asleep().iter().all(|asleep| *asleep), "the pool rests");
    println!("{} cycles", log.events().cycles);
    assert!(log.events().cycles > 1 && log.events().lost.is_none(), "{:?}", log.events());
    let [plain_copy, carded_copy] = copies;
    turn.device().wgpu.destroy();
    assert_eq!(plain_copy.state_hash(), carded_copy.state_hash(), "the copy");
    assert_eq!(plain.state_hash(), carded.state_hash(), "the world");
}

/// Goal: a card that something keeps from a world, and that takes it again when that is gone,
/// changes nothing. Method: a wall that comes, goes and comes again; a copy from between; the
/// device is destroyed while the wall stands.
#[test]
fn a_card_that_rests_changes_nothing() {
    let Some(turn) = card_to_lose() else { return };
    let card = turn.card();
    let log = card.log();
    let (mut plain, mut carded) = (slope(), slope());
    carded.set_card(Some(Box::new(card)));
    let wall = || Barrier::wall("dam", [[200.0, 100.0], [200.0, 400.0]], 40.0);
    let mut copies = Vec::new();
    for round in 0..2 {
        run([&mut plain, &mut carded], 5);
        assert_eq!(log.events().cycles, 5 * (round + 1), "before the wall of round {round}");
        for world in [&mut plain, &mut carded] {
            copies.push(world.try_clone().expect("in memory"));
            world.structures_mut().put_barrier(wall()).expect("in the world");
        }
        run([&mut plain, &mut carded], 3);
        assert_eq!(plain.state_hash(), carded.state_hash(), "behind the wall of round {round}");
        if round == 0 {
            for world in [&mut plain, &mut carded] {
                world.structures_mut().remove_barrier("dam").expect("it is there");
            }
        }
    }
    turn.device().wgpu.destroy();
    run([&mut plain, &mut carded], 2);
    assert_eq!(plain.state_hash(), carded.state_hash(), "without the device");
    assert_eq!(maps_hash(&plain), maps_hash(&carded), "without the device");
    for pair in copies.chunks(2) {
        assert_eq!(pair[0].state_hash(), pair[1].state_hash(), "the copies");
    }
    assert_eq!((log.events().cycles, log.events().lost), (10, None), "nobody needed the card");
}
