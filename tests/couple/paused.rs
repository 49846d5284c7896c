//! Cycles that rest, beside the cases of `tests/worlds`; and weather that a hash must tell apart.

use crate::support::terrain;
use std::panic::{AssertUnwindSafe, catch_unwind};
use thalweg::terrain::Shape;
use thalweg::units::SimTime;
use thalweg::world::{
    Action, Amount, Budget, Command, CommandLog, CycleEnd, Difference, Event, FixedStep, Progress,
    Rate, Session, Watch, Weather, World, WorldBuilder,
};

/// 192 × 64 cells of 2 m with a wave on them, under two layers of rain that do not fall yet.
fn wave() -> World {
    let plain = terrain(192, 64, 2.0, |_, _| 0.0);
    let dry = &[(0.0, 0.0)];
    let builder =
        WorldBuilder::new(plain).initial_depth(|place| if place.x < 60 { 1.0 } else { 0.5 });
    let builder = builder.rain("west", dry).and_then(|builder| builder.rain("east", dry));
    builder.expect("good layers").build().expect("a good world")
}

fn pause(world: &mut World, end: impl Into<CycleEnd>) {
    let progress = world.run_within(end, Budget::CellSteps(4096)).expect("a leaf");
    assert!(matches!(progress, Progress::Paused(_)), "{progress:?}");
}

/// Goal: a run to a time ends the cycle under way, and begins none more than one in one go.
#[test]
fn a_run_goes_on_from_a_cycle_that_rests() {
    let end = SimTime::from_seconds(3.0);
    let frame = FixedStep::try_new(1, 30).expect("a good step");
    let (mut world, mut twin) = (wave(), wave());
    while twin.time() < end {
        twin.run_cycle(end);
        pause(&mut world, end);
        world.finish_cycle().expect("one was under way");
    }
    let (mut again, short) = (wave(), SimTime::from_seconds(0.05));
    pause(&mut again, short);
    again.run_until(end);
    let mut whole = wave();
    whole.run_cycle(short);
    whole.run_until(end);
    assert_eq!(world.state_hash(), twin.state_hash());
    assert_eq!(again.state_hash(), whole.state_hash());
    // The last cycle before a time rests: nothing is left to run beyond it.
    let last = twin.time().after(1 << 20);
    pause(&mut world, last);
    world.run_until(last);
    twin.run_until(last);
    assert_eq!((world.time(), world.state_hash()), (twin.time(), twin.state_hash()));
    pause(&mut world, frame);
    world.run_cycle(frame);
    twin.run_cycle(frame);
    twin.run_cycle(frame);
    assert_eq!(world.state_hash(), twin.state_hash(), "two fixed cycles");
}

/// Goal: a game's clock that panics, and is caught, costs the cycle and not the world.
#[test]
fn a_clock_that_panics_leaves_the_world_before_the_cycle() {
    let (mut world, mut twin) = (wave(), wave());
    let mut asked = 0;
    let mut clock = || {
        asked += 1;
        assert!(asked < 3, "the clock stands still");
        true
    };
    let end = SimTime::from_seconds(1.0);
    let run = || world.run_within(end, Budget::While(&mut clock));
    catch_unwind(AssertUnwindSafe(run)).expect_err("it panicked");
    assert!(!world.is_broken() && !world.is_paused());
    assert_eq!(world.state_hash(), twin.state_hash());
    world.run_until(end);
    twin.run_until(end);
    assert_eq!(world.state_hash(), twin.state_hash());
}

/// Goal: worlds whose layers of weather lie over other leaves have other hashes, by tile.
#[test]
fn the_place_of_weather_is_in_the_hash() {
    let storms = |areas: [f64; 2]| {
        let mut world = wave();
        for (layer, centre_m) in ["west", "east"].into_iter().zip(areas) {
            let area = Some(Shape::Rectangle {
                low_m: [centre_m - 30.0, 20.0],
                high_m: [centre_m + 30.0, 100.0],
            });
            let rates = vec![Rate::Constant(1.0e-5)];
            let weather = Weather { layer: layer.to_owned(), area, rates };
            world.edits().act(Action::ChangeWeather(weather)).expect("a good storm");
        }
        world
    };
    let (one, other) = (storms([60.0, 320.0]), storms([320.0, 60.0]));
    assert_ne!(one.state_hash(), other.state_hash());
    let found = one.digest().first_difference(&other.digest());
    assert!(matches!(found, Some(Difference::Tile(_))), "{found:?}");
}

/// Goal: events of a cycle that an act ends are told by the next run, once.
#[test]
fn events_of_a_cycle_that_an_act_ends_are_told() {
    let frame = FixedStep::try_new(1, 10).expect("a good step");
    let watched = || {
        let mut world = wave();
        for x_m in (0..20).map(|number| 121.0 + 2.0 * f64::from(number)) {
            let place = Watch::Place { at_m: [x_m, 64.0], depth_m: 0.6, hysteresis_m: 0.01 };
            world.watch(place).expect("a good place");
        }
        world
    };
    let area = || Shape::Disc { centre_m: [300.0, 64.0], radius_m: 8.0, rim_m: 0.0 };
    let pour = || Action::AddWater { area: area(), amount: Amount::DepthM(0.1) };
    let (mut world, mut twin) = (watched(), watched());
    let (mut told, mut expected): (Vec<Event>, Vec<Event>) = (Vec::new(), Vec::new());
    for cycle in 0..60 {
        twin.run_cycle(frame);
        expected.extend(twin.events());
        pause(&mut world, frame);
        told.extend(world.events());
        if cycle % 2 == 0 {
            // The act ends the cycle: the next run tells of it.
            world.edits().act(pour()).expect("a good place");
            twin.edits().act(pour()).expect("a good place");
        } else {
            let left = world.run_within(frame, Budget::CellSteps(1 << 30)).expect("a budget");
            assert!(matches!(left, Progress::Done(_)), "{left:?}");
            told.extend(world.events());
        }
    }
    pause(&mut world, frame);
    told.extend(world.events());
    assert!(expected.len() > 8, "{expected:?}");
    assert_eq!(told, expected);
}

/// Goal: cycles in parts are commands of a session, and their log leads to the same hash.
#[test]
fn cycles_in_parts_are_in_the_log() {
    let frame = FixedStep::try_new(1, 10).expect("a good step");
    let (mut session, mut log) = (Session::new(wave()), CommandLog::new());
    let area = Shape::Disc { centre_m: [300.0, 64.0], radius_m: 8.0, rim_m: 0.0 };
    let pour = Action::AddWater { area, amount: Amount::DepthM(0.1) };
    for part in 0..40 {
        log.run_within(&mut session, frame, Budget::CellSteps(3 * 4096)).expect("a budget");
        if part % 7 == 3 {
            log.apply(&mut session, Command::Act(vec![pour.clone()])).expect("a good place");
        }
    }
    session.world_mut().finish_cycle();
    let mut again = Session::new(wave());
    log.replay(&mut again).expect("the same world");
    assert_eq!(again.next_id(), session.next_id());
    assert_eq!(again.world().state_hash(), session.world().state_hash());
    let run = Command::Run { step: frame, cycles: 10_001 };
    let line = session.apply(run).expect_err("too many").to_string();
    assert!(line.contains("10001 cycles") && line.contains("10000 at most"), "{line}");
}
