//! Tracers stay exact, within their bounds, and uniform where they were.

use crate::conserve::busy;
use crate::determinism::{coast_builder, flood_builder};
use crate::support::{THREADS, noise, on_threads, scale, shrunk, terrain};
use thalweg::units::SimTime;
use thalweg::world::{World, WorldBuilder};
use thalweg_engine::flow::tracer::ONE;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::{Order, Solver};
use thalweg_engine::units::hash::StateHasher;

/// A builder whose sources all bring `concentration` of `tracer`.
pub fn brought_by_all(
    builder: WorldBuilder,
    tracer: &str,
    names: &[String],
    c: f64,
) -> WorldBuilder {
    names.iter().fold(builder, |builder, name| builder.tracer_source(tracer, name, c))
}

/// Names of all accounts of a world.
pub fn names(world: &World) -> Vec<String> {
    world.water().ledger().accounts().iter().map(|account| account.name.clone()).collect()
}

/// True where every cell holds `concentration` times its water.
fn is_uniform(world: &World, tracer: usize, concentration: i64) -> bool {
    let simulation = world.simulation();
    simulation.forest().ids().all(|leaf| {
        let water = simulation.water(leaf);
        let mut pairs = water.contents[tracer].iter().zip(&water.depth);
        pairs.all(|(&content, &depth)| content == concentration * i64::from(depth))
    })
}

/// Smallest and largest whole bounds of a tracer's concentration.
pub fn bounds(world: &World, tracer: usize) -> (i64, i64) {
    let simulation = world.simulation();
    let leaves = simulation.forest().ids();
    leaves.fold((ONE, 0), |bounds, leaf| {
        let water = simulation.water(leaf);
        let pairs = water.contents[tracer].iter().zip(&water.depth);
        pairs.filter(|&(_, &depth)| depth > 0).fold(bounds, |(lo, hi), (&content, &depth)| {
            let depth = i64::from(depth);
            (lo.min(content / depth), hi.max((content + depth - 1) / depth))
        })
    })
}

#[track_caller]
pub fn check_books(world: &World, tracer: &str) {
    let stored = world.water().tracer_stored(tracer).expect("a tracer");
    let expected = world.water().tracer_ledger(tracer).expect("a tracer").expected();
    assert_eq!(stored, expected, "{tracer} at {} s", world.time().seconds());
}

/// Goal: a uniform concentration stays uniform to the unit, bounds hold and every unit is booked,
/// over a flood with rain, a river, a tide, open edges, evaporation and thirsty ground.
/// Method: integers after every cycle, no tolerance. `salt` is 0.3 everywhere and in all that
/// comes; `dye` lies from 0.2 to 0.6 and comes as 0.5; `mark` is what the river brought.
#[test]
fn a_flood_keeps_contents_bounds_and_uniformity_to_the_unit() {
    for (solver, order) in [(Solver::Pipe, Order::First), (Solver::ShallowWater, Order::Second)] {
        keeps_contents_bounds_and_uniformity(solver, order);
    }
}

fn keeps_contents_bounds_and_uniformity(solver: Solver, order: Order) {
    let all = names(&busy(5, solver).build().expect("a good world"));
    let case = format!("{solver:?}, {order:?}");
    let builder = busy(5, solver)
        .tracer("salt", |_| 0.3)
        .tracer("dye", |p| 0.2 + 0.4 * noise(3, p.x.into(), p.y.into()))
        .tracer("mark", |_| 0.0)
        .tracer_source("mark", "river", 1.0);
    let builder = brought_by_all(builder, "salt", &all, 0.3);
    let mut world = brought_by_all(builder, "dye", &all, 0.5).build().expect("a good world");
    world.set_solver(solver, order);
    #[expect(clippy::cast_possible_truncation, reason = "below 2²⁴")]
    let whole = |c: f64| (c * ONE as f64 + 0.5).floor() as i64;
    for cycle in 0..shrunk(400, 60) {
        let report = world.run_cycle(SimTime::MAX);
        assert!(is_uniform(&world, 0, whole(0.3)), "{case}, cycle {cycle}");
        let (lo, hi) = bounds(&world, 1);
        assert!(lo >= whole(0.2) && hi <= whole(0.6), "{case}, cycle {cycle}: dye {lo} to {hi}");
        for tracer in ["salt", "dye", "mark"] {
            check_books(&world, tracer);
        }
        assert!(report.steps > 0);
    }
    let account = |ledger: &thalweg_engine::sim::ledger::Ledger| {
        let river = ledger.accounts().iter().find(|account| account.name == "river");
        river.map(|account| account.into).expect("a river")
    };
    let river = account(world.water().ledger());
    let mark = account(world.water().tracer_ledger("mark").expect("a tracer"));
    assert!(river > 0 && mark == river * i128::from(ONE), "{case}: {river} units of water, {mark}");
    assert!(bounds(&world, 2).1 > ONE / 2, "{case}: the river is marked");
}

/// Goal: leaves that sleep keep what they hold, to the unit, and wake with it.
#[test]
fn sleep_keeps_contents() {
    let dye = |p: CellPlace| f64::from((p.x / 10 + p.y / 10) % 2);
    let mut world = coast_builder().tracer("dye", dye).build().expect("a good world");
    let (mut slept, mut woke) = (false, false);
    for _ in 0..400 {
        let before = world.water().tracer_stored("dye");
        let report = world.run_cycle(SimTime::from_seconds(1500.0));
        slept |= report.awake == 0;
        woke |= slept && report.awake > 0;
        check_books(&world, "dye");
        assert!(report.awake > 0 || world.water().tracer_stored("dye") == before);
    }
    assert!(slept && woke, "the story: sleep before the tide turns, then wake");
}

fn marked_flood(river: f64, solver: Solver) -> World {
    let mut world = flood_builder(99)
        .tracer("lake", |p| f64::from(u8::from(p.x < 60)))
        .tracer("river", |_| 0.0)
        .tracer_source("river", "river", river)
        .build()
        .expect("a good world");
    world.set_solver(solver, Order::Second);
    world
}

/// Hash of all contents after 60 cycles, and that of all state.
fn hashes(mut world: World) -> [u64; 2] {
    (0..60).for_each(|_| _ = world.run_cycle(SimTime::MAX));
    let mut contents = StateHasher::new();
    for leaf in world.simulation().forest().ids() {
        let planes = &world.simulation().water(leaf).contents;
        planes.iter().flatten().for_each(|content| contents.add(content.cast_unsigned()));
    }
    [contents.finish(), world.state_hash()]
}

/// The hash of the contents of the flood by the pipe. It changes only with the numerics; then say
/// so in the changelog.
const CONTENTS_DIGEST: u64 = 0x900b_4224_19cb_3079;

#[test]
fn threads_do_not_change_a_bit_of_a_tracer() {
    let mut first = None;
    for &threads in THREADS {
        let solvers = [Solver::Pipe, Solver::ShallowWater];
        let all = on_threads(threads, || solvers.map(|solver| hashes(marked_flood(1.0, solver))));
        assert_eq!(all[0][0], CONTENTS_DIGEST, "{threads} threads: {:#x}", all[0][0]);
        assert_eq!(all, *first.get_or_insert(all), "{threads} threads");
    }
}

#[test]
fn what_a_source_brings_is_in_the_hash_and_tracers_do_not_touch_the_water() {
    let hash = |river| marked_flood(river, Solver::Pipe).state_hash();
    assert_ne!(hash(1.0), hash(0.5));
    let mut worlds =
        [marked_flood(1.0, Solver::Pipe), flood_builder(99).build().expect("a good world")];
    for world in &mut worlds {
        (0..20).for_each(|_| _ = world.run_cycle(SimTime::MAX));
    }
    for leaf in worlds[0].simulation().forest().ids() {
        let [marked, plain] = [0, 1].map(|i| worlds[i].simulation().water(leaf));
        assert!(marked.depth == plain.depth && marked.flow_x == plain.flow_x, "{leaf:?}");
    }
}

#[test]
fn tracers_that_cannot_be_are_refused() {
    let refused = |change: fn(WorldBuilder) -> WorldBuilder, expected: &str| {
        let ground = terrain(20, 10, 5.0, scale(20, 0.0), |_, _| 10.0);
        let builder = WorldBuilder::new(ground).tracer("dye", |_| 0.5);
        let builder = builder.rain("rain", &[(0.0, 1.0e-6)]).expect("one point");
        let error = change(builder).build().expect_err("a bad world").to_string();
        assert_eq!(error, expected);
    };
    let out_of_range = "salt: the concentration in cell 3, 0 is 1.5: choose 0 to 1";
    refused(|b| b.tracer("salt", |p| 0.5 * f64::from(p.x)), out_of_range);
    let no_number = "salt: the concentration in cell 0, 0 is NaN: choose 0 to 1";
    refused(|b| b.tracer("salt", |_| f64::NAN), no_number);
    let brought = "dye: the concentration in rain is -0.1: choose 0 to 1";
    refused(|b| b.tracer_source("dye", "rain", -0.1), brought);
    let no_source = "there is no source \"snow\": choose one of: rain";
    refused(|b| b.tracer_source("dye", "snow", 0.1), no_source);
    let no_tracer = "there is no tracer \"die\": choose one of: dye";
    refused(|b| b.tracer_source("die", "rain", 0.1), no_tracer);
    let twice = "there are two tracers dye: rename one";
    refused(|b| b.tracer("dye", |_| 0.1), twice);
}

#[test]
fn concentrations_are_read_by_name_and_place() {
    let ground = terrain(20, 10, 5.0, scale(20, 0.0), |x, _| if x < 5 { f64::NAN } else { 10.0 });
    let world = WorldBuilder::new(ground)
        .initial_depth(|p| f64::from(u8::from(p.x < 12)))
        .tracer("dye", |p| f64::from(p.x) / 32.0)
        .build()
        .expect("a good world");
    let read = |name: &str, x: u32| world.water().concentration(name, CellPlace { x, y: 3 });
    assert_eq!(read("dye", 8), Some(0.25));
    assert_eq!(read("dye", 15), Some(0.0), "a dry cell");
    assert_eq!((read("dye", 2), read("salt", 8)), (None, None));
}
