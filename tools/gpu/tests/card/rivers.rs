//! Rivers that come in over the edge of a world on a card have the bits of the processor.

use crate::levels::badlands;
use crate::support::{card_to_give_up, check_running};
use std::cell::RefCell;
use std::collections::BTreeMap;
use thalweg::prelude::*;
use thalweg::units::SimTime;
use thalweg::world::{
    CycleReport, EdgeKind, EdgePlace, Entry, MapKinds, Order, Settings, Side, SleepTolerance,
    Solver,
};
use thalweg_engine::units::hash::scramble;

/// The pipe, and shallow water of both orders.
const METHODS: [(Solver, Order); 3] = [
    (Solver::Pipe, Order::Second),
    (Solver::ShallowWater, Order::First),
    (Solver::ShallowWater, Order::Second),
];

/// A number from 0 to 1.
fn draw(seed: u64, x: u64, y: u64, what: u64) -> f64 {
    let bits = scramble(scramble(seed << 40 | what << 32 | x << 16 | y));
    (bits >> 40) as f64 / f64::from(1 << 24)
}

/// A river of such a discharge, m³/s by seconds.
fn river(discharge: &[(f64, f64)], entry: Entry) -> EdgeKind {
    EdgeKind::Inflow { discharge: discharge.to_vec(), entry }
}

/// Runs a cycle of so many seconds at most.
fn run(world: &mut World, seconds: f64) -> CycleReport {
    let end = world.time().after(SimTime::from_seconds(seconds).ticks());
    world.run_cycle(end)
}

/// [`check_running`] in so many cycles of such a length; water must have come in by each of these
/// edges.
#[track_caller]
fn check(
    world: impl Fn() -> World,
    (cycles, seconds): (u32, f64),
    rivers: &[&str],
) -> Vec<CycleReport> {
    let came = RefCell::new(BTreeMap::new());
    let reports = check_running(world, cycles, |_, world| {
        let report = run(world, seconds);
        for account in world.water().ledger().accounts() {
            came.borrow_mut().insert(account.name.clone(), account.into);
        }
        report
    });
    let came = came.into_inner();
    for &river in rivers.iter().filter(|_| !reports.is_empty()) {
        assert!(came.get(river).is_some_and(|&units| units > 0), "{river}: {came:?}");
    }
    reports
}

/// Sides of a map with the names of their rivers.
const SIDES: [(Side, &str); 4] =
    [(Side::West, "west"), (Side::East, "east"), (Side::South, "south"), (Side::North, "north")];

/// Goal: rivers over one side alone, slow and swift. Method: a slope with hills that rises and
/// falls away from the river, dry but for a lake.
#[track_caller]
fn check_side(method: (Solver, Order), (side, name): (Side, &str), entry: Entry) {
    let world = || {
        let terrain = Terrain::from_heights([70, 67], 4.0, |x, y| {
            let (x, y) = (x as f64, y as f64);
            30.0 - 0.02 * x + 0.01 * y + 0.2 * (0.3 * x).sin() * (0.4 * y).cos()
        });
        let (solver, order) = method;
        WorldBuilder::new(terrain.expect("a good terrain"))
            .settings(Settings { solver, order, ..Settings::default() })
            .manning_classes(vec![0.02, 0.05], |place| u8::from(place.y % 5 == 0))
            .maps(MapKinds::ALL)
            .initial_stage(|place| if place.y > 40 { 30.0 } else { f64::NAN })
            .edge(name, EdgePlace::Side(side), river(&[(0.0, 300.0)], entry))
            .build()
            .expect("a good world")
    };
    check(world, (3, 0.5), &[name]);
}

#[test]
fn rivers_over_each_side_have_the_same_bits() {
    for (i, side) in SIDES.into_iter().enumerate() {
        let entry = [Entry::Normal, Entry::Depth(0.05)][i % 2];
        check_side(METHODS[i % 3], side, entry);
    }
}

/// Rivers on all sides of narrow ground, some of which dry up or begin, beside open edges and a
/// tide: in patches of one to four cells at the meeting of four leaves, with water of all depths
/// and velocities.
fn ruins((solver, order): (Solver, Order), seed: u64) -> World {
    let height = |x: usize, y: usize| {
        let (x, y) = (x as u64, y as u64);
        let is_outside = draw(seed, x, y, 0) < 0.1 || draw(seed, x / 3, y / 2, 1) < 0.2;
        let step = f64::floor(3.0 * draw(seed, x / 4, y / 4, 2));
        if is_outside { f64::NAN } else { 10.0 + step + 0.2 * draw(seed, x, y, 3) }
    };
    let terrain = Terrain::from_heights([76, 74], 4.0, height).expect("a good terrain");
    let velocity = move |place: CellPlace| {
        let (x, y) = (u64::from(place.x), u64::from(place.y));
        (8.0 * draw(seed, x, y, 5) - 4.0, 8.0 * draw(seed, x, y, 6) - 4.0)
    };
    let depth = move |place: CellPlace| {
        let (x, y) = (u64::from(place.x), u64::from(place.y));
        if draw(seed, x / 7, y / 7, 7) < 0.4 { 0.0 } else { 2.0 * draw(seed, x, y, 4) }
    };
    let tide = EdgeKind::Stage(vec![(0.0, 11.0), (0.2, 12.5), (0.4, 10.0)]);
    WorldBuilder::new(terrain)
        .settings(Settings { solver, order, seed, ..Settings::default() })
        .manning_classes(vec![0.02, 0.1], |place| u8::from(place.y % 5 == 0))
        .maps(MapKinds::ALL)
        .initial_depth(depth)
        .initial_velocity(velocity)
        .edge("west", EdgePlace::Side(Side::West), river(&[(0.0, 300.0)], Entry::Normal))
        .edge(
            "east",
            EdgePlace::Side(Side::East),
            river(&[(0.0, 90.0), (0.12, 90.0), (0.16, 0.0)], Entry::Slope(0.5)),
        )
        .edge(
            "south",
            EdgePlace::Side(Side::South),
            river(&[(0.0, 0.0), (0.12, 0.0), (0.16, 200.0)], Entry::Depth(0.1)),
        )
        .edge("north", EdgePlace::Side(Side::North), river(&[(0.0, 50.0)], Entry::Depth(0.01)))
        .edge("holes", EdgePlace::NoData, river(&[(0.0, 2000.0)], Entry::Slope(0.1)))
        .edge("open", EdgePlace::Part(Side::South, 20..50), EdgeKind::Open)
        .edge("tide", EdgePlace::Part(Side::West, 30..60), tide)
        .rain("rain", &[(0.0, 0.0), (0.1, 0.0), (0.15, 1.0e-4)])
        .expect("a good series")
        .build()
        .expect("a good world")
}

/// Goal: rivers over all sides and at holes, in corners, and over against each other across one
/// cell and two; those that dry up and begin; beside open edges, a tide and rain. Method: ruins.
#[test]
fn rivers_among_ruins_have_the_same_bits() {
    for (seed, method) in (1..).zip(METHODS) {
        check(|| ruins(method, seed), (3, 0.1), &["west", "east", "south", "north", "holes"]);
    }
}

/// Goal: rivers over the sides of leaves of several levels, and at holes. Method: badlands of two
/// levels; of three in a full run.
#[test]
fn rivers_on_several_levels_have_the_same_bits() {
    let coarsest = if !cfg!(full_card) { 1 } else { 2 };
    for method in [METHODS[0], METHODS[2]] {
        let world = || {
            let south = [(0.0, 0.0), (0.1, 900.0)];
            badlands(method, 1, coarsest)
                .maps(MapKinds::ALL)
                .edges(EdgeKind::Open)
                .edge("west", EdgePlace::Side(Side::West), river(&[(0.0, 500.0)], Entry::Normal))
                .edge("south", EdgePlace::Side(Side::South), river(&south, Entry::Depth(0.2)))
                .edge("north", EdgePlace::Side(Side::North), river(&[(0.0, 70.0)], Entry::Normal))
                .edge("east", EdgePlace::Part(Side::East, 9..50), river(&south, Entry::Slope(0.3)))
                .edge("holes", EdgePlace::NoData, river(&[(0.0, 100.0)], Entry::Slope(0.1)))
                .build()
                .expect("a good world")
        };
        check(world, (2, 0.1), &["west", "east", "south", "north", "holes"]);
    }
}

/// Goal: leaves fall asleep beyond those that rivers keep awake, and a river wakes them. Method: a
/// lake in a row of leaves, with a river at one end that dries up, and one at the other that begins
/// later.
#[test]
fn rivers_that_wake_leaves_have_the_same_bits() {
    for (i, (solver, order)) in METHODS.into_iter().enumerate() {
        let tolerance = SleepTolerance { stage_m: 0.01, time_s: 0.5 };
        let world = || {
            let height = |x: usize, y: usize| 19.0 + 0.3 * draw(0, x as u64, y as u64, 0);
            let terrain = Terrain::from_heights([320, 20], 4.0, height).expect("a good terrain");
            let early = river(&[(0.0, 60.0), (0.5, 60.0), (0.9, 0.0)], Entry::Normal);
            let late = river(&[(0.0, 0.0), (2.0, 0.0), (2.1, 60.0)], Entry::Depth(0.2));
            let settings = Settings { solver, order, sleep_after_cycles: 1, ..Settings::default() };
            WorldBuilder::new(terrain)
                .settings(Settings { sleep_tolerance: (i == 2).then_some(tolerance), ..settings })
                .maps(MapKinds::ALL)
                .edge("west", EdgePlace::Side(Side::West), early)
                .edge("east", EdgePlace::Side(Side::East), late)
                .initial_stage(|_| 20.0)
                .build()
                .expect("a good world")
        };
        let reports = check(world, (6, 0.5), &["west", "east"]);
        let awake: Vec<usize> = reports.iter().map(|report| report.awake).collect();
        let fell = awake.windows(2).any(|n| n[1] < n[0]);
        let woke = awake.windows(2).any(|n| n[1] > n[0]);
        assert!(awake.is_empty() || (fell && woke), "{solver:?}: {awake:?}");
    }
}

/// Goal: a card that is lost loses nothing of rivers. Method: it is destroyed while rivers come in
/// among ruins.
#[test]
fn a_card_that_is_lost_loses_no_river() {
    let Some(turn) = card_to_give_up() else { return };
    let card = turn.card();
    let log = card.log();
    let world = || ruins(METHODS[2], 2);
    let (mut plain, mut carded) = (world(), world());
    carded.set_card(Some(Box::new(card)));
    for world in [&mut plain, &mut carded] {
        for _ in 0..3 {
            run(world, 0.1);
        }
    }
    assert_eq!((log.events().cycles, log.events().lost), (3, None));
    turn.device().give_up();
    assert_eq!(plain.state_hash(), carded.state_hash(), "read after the loss");
    for world in [&mut plain, &mut carded] {
        for _ in 0..2 {
            run(world, 0.1);
        }
    }
    assert_eq!(plain.state_hash(), carded.state_hash(), "2 cycles later");
    assert_eq!(log.events().cycles, 3);
    assert_eq!(carded.water().stored(), carded.water().ledger().expected());
}
