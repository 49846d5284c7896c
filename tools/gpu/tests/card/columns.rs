//! Sub-grid columns on a card.

use crate::support::{card, card_to_give_up, check_running, maps_hash, shrunk};
use std::cell::RefCell;
use std::collections::BTreeMap;
use thalweg::prelude::*;
use thalweg::units::SimTime;
use thalweg::world::{
    ColumnKind, EdgeKind, EdgePlace, Entry, FixedStep, MapKinds, Order, Settings, Side, Solver,
};
use thalweg_engine::structure::weather::Direction;
use thalweg_engine::units::hash::scramble;

/// The pipe, and shallow water of both orders.
pub const METHODS: [(Solver, Order); 3] = [
    (Solver::Pipe, Order::Second),
    (Solver::ShallowWater, Order::First),
    (Solver::ShallowWater, Order::Second),
];

/// A number from 0 to 1 for a place.
pub fn draw(x: usize, y: usize, what: u64) -> f64 {
    let bits = scramble(scramble(what << 32 | (x as u64) << 16 | y as u64));
    (bits >> 40) as f64 / f64::from(1 << 24)
}

/// Rough ground with brooks, levees and houses narrower than the cells of its level, holes and a
/// ragged border.
fn ground(cells: [usize; 2], level: u8, method: (Solver, Order)) -> WorldBuilder {
    rough(cells, method).level(level).columns(ColumnKind::SubGrid)
}

/// That ground, before its leaves are chosen.
pub fn rough(cells: [usize; 2], (solver, order): (Solver, Order)) -> WorldBuilder {
    let height = |x: usize, y: usize| {
        if draw(x / 7, y / 7, 0) < 0.03 {
            return f64::NAN;
        }
        let (a, b) = (x as f64, y as f64);
        let hills = 2.0 * (0.05 * a).sin() * (0.04 * b).cos() + 0.02 * a;
        let brook = if (y + x / 40) % 23 < 2 { -1.5 } else { 0.0 };
        let levee = if x.is_multiple_of(41) && y % 60 > 3 { 1.0 } else { 0.0 };
        let house = if x % 29 < 6 && y % 31 < 9 { 5.0 } else { 0.0 };
        30.0 + hills + brook + levee + house + 0.3 * draw(x, y, 1)
    };
    let terrain = Terrain::from_heights(cells, 2.0, height).expect("a good terrain");
    let settings = Settings { solver, order, ..Settings::default() };
    WorldBuilder::new(terrain).settings(settings)
}

/// Goal: columns have the same bits whatever the water does. Method: rough ground on which some
/// water stands and runs, closed all around, now and then in steps of half a second.
#[test]
fn rough_ground_has_the_same_bits() {
    let long = FixedStep::try_new(4, 1).expect("a good length");
    for method in METHODS {
        let world = || {
            let depth = |place: CellPlace| match draw(place.x as usize / 9, place.y as usize / 9, 2)
            {
                part if part < 0.4 => 0.0,
                part if part < 0.7 => 1.0e-3 * part,
                part => 3.0 * (part - 0.6),
            };
            let builder = ground([200, 150], 1, method).maps(MapKinds::ALL);
            builder.initial_depth(depth).build().expect("a good world")
        };
        let reports = check_running(world, shrunk(48), |cycle, world| match cycle % 4 {
            3 => world.run_cycle(long),
            _ => world.run_cycle(SimTime::MAX),
        });
        let clamped: u64 = reports.iter().map(|report| report.clamped).sum();
        let limited: u64 = reports.iter().map(|report| report.limited).sum();
        println!("{method:?}: {clamped} clamped, {limited} limited");
        assert!(reports.is_empty() || (clamped > 0 && limited > 0), "{clamped}, {limited}");
    }
}

/// Goal: all that comes and goes has the same bits, over cells that lie outside the world in part,
/// too. Method: rain by classes, evaporation, two losses to the ground, Green and Ampt, a spring,
/// rivers slow and swift, a tide and open edges, over ground of two roughnesses.
#[test]
#[cfg_attr(not(full_card), ignore = "long: see src/guide/card.md")]
fn weather_and_edges_have_the_same_bits() {
    let river = |discharge: f64| EdgeKind::Inflow {
        discharge: vec![(0.0, discharge), (20.0, 0.0), (30.0, discharge)],
        entry: Entry::Normal,
    };
    for (i, method) in METHODS.into_iter().enumerate() {
        let world = || {
            let rain = [vec![(0.0, 1.0e-4)], vec![(0.0, 3.3e-4), (15.0, 0.0)]];
            let soils = [vec![(0.0, 1.0e-6)], vec![(0.0, 1.0e-4)]];
            let depth = |place: CellPlace| if place.x % 31 < 4 { 0.6 } else { 0.0 };
            let level = [1, 2, 1][i];
            ground([150, 130], level, method)
                .manning_classes(vec![0.03, 0.1], |place| u8::from(place.y % 7 == 0))
                .maps(MapKinds::ALL)
                .initial_depth(depth)
                .edges(EdgeKind::Open)
                .edge("tide", EdgePlace::Side(Side::East), tide())
                .edge("river", EdgePlace::Side(Side::West), river(40.0 + 300.0 * i as f64))
                .layer_classes("rain", Direction::Into, &rain, |place| (place.x / 9 % 2) as u16)
                .and_then(|b| b.layer("evaporation", Direction::Out, &[(0.0, 2.0e-6)]))
                .and_then(|b| {
                    let soil = |place: CellPlace| u16::from(place.x + place.y > 100);
                    b.layer_classes("loss", Direction::Ground, &soils, soil)
                })
                .and_then(|b| b.inflow("spring", &[(0.0, 5.0)], &[CellPlace { x: 30, y: 20 }]))
                .and_then(|b| b.green_ampt(3.0e-5, 0.1))
                .expect("good numbers")
                .build()
                .expect("a good world")
        };
        let accounts = RefCell::new(BTreeMap::new());
        let reports = check_running(world, shrunk(30), |_, world| {
            let end = world.time().after(SimTime::from_seconds(4.0).ticks());
            let report = world.run_cycle(end);
            let all = world.water().ledger().accounts();
            accounts
                .borrow_mut()
                .extend(all.iter().map(|own| (own.name.clone(), (own.into, own.out))));
            report
        });
        let accounts = accounts.into_inner();
        println!("{method:?}: {accounts:?}");
        let moves = |name: &str| accounts.get(name).is_some_and(|(into, out)| into + out > 0);
        for name in ["rain", "evaporation", "loss", "spring", "river", "tide"] {
            assert!(reports.is_empty() || moves(name), "{name}: {accounts:?}");
        }
    }
}

/// A sea that rises and falls.
fn tide() -> EdgeKind {
    EdgeKind::Stage(vec![(0.0, 35.0), (10.0, 37.5), (20.0, 34.0)])
}

/// Small waves in a lake over rough ground that run from two corners; all leaves but those fall
/// asleep.
fn lake((solver, order): (Solver, Order)) -> World {
    let height = |place: CellPlace| if place.x < 9 && place.y < 9 { 0.004 } else { 0.0 };
    let far = |place: CellPlace| CellPlace { x: 511 - place.x, y: 511 - place.y };
    let stage = move |place: CellPlace| 45.2 + height(place) + height(far(place));
    let settings = Settings { solver, order, sleep_after_cycles: 1, ..Settings::default() };
    let builder = ground([512, 512], 1, (solver, order)).settings(settings);
    builder.initial_stage(stage).build().expect("a good world")
}

/// Goal: leaves asleep beside those awake wake as on the processor. Method: a lake with waves.
#[test]
fn sleep_and_waking_have_the_same_bits() {
    for method in [METHODS[0], METHODS[2]] {
        let run = |_, world: &mut World| world.run_cycle(SimTime::MAX);
        let reports = check_running(|| lake(method), 18, run);
        let awake: Vec<_> = reports.iter().map(|report| report.awake).collect();
        let (fell, woke) =
            (awake.windows(2).any(|n| n[1] < n[0]), awake.windows(2).any(|n| n[1] > n[0]));
        assert!(awake.is_empty() || (fell && woke), "{awake:?}");
        println!("{method:?}: {awake:?}");
    }
}

/// Goal: leaves asleep beside those awake stand as on the processor, though no card ever stepped
/// them. Method: a lake with waves that gets a card once most of its leaves sleep.
#[test]
fn leaves_that_slept_before_the_card_came_stand() {
    let Some(turn) = card() else { return };
    for method in [METHODS[0], METHODS[2]] {
        let [mut plain, mut carded] = [lake(method), lake(method)];
        let run = |world: &mut World| world.run_cycle(SimTime::MAX).awake;
        (0..4).for_each(|_| assert_eq!(run(&mut plain), run(&mut carded)));
        let card = turn.card();
        let log = card.log();
        carded.set_card(Some(Box::new(card)));
        for cycle in 0..12 {
            assert_eq!(run(&mut plain), run(&mut carded), "{method:?}, cycle {cycle}");
            assert_eq!(plain.state_hash(), carded.state_hash(), "{method:?}, cycle {cycle}");
        }
        assert_eq!(log.events().cycles, 12, "{:?}", log.events());
    }
}

/// Goal: tables that an edit changes go to the card. Method: a dam across the water of a valley
/// that is taken away again.
#[test]
fn edited_ground_has_the_same_bits() {
    let world = || {
        let builder = ground([200, 180], 1, METHODS[2]).maps(MapKinds::NONE);
        builder.initial_depth(|place| if place.x > 100 { 1.0 } else { 0.2 }).build()
    };
    let bar = || {
        let [low_m, high_m] = [[150.0, 40.0], [156.0, 300.0]];
        Shape::Rectangle { low_m, high_m }
    };
    check_running(
        || world().expect("a good world"),
        15,
        |cycle, world| {
            let edit = match cycle {
                5 => Some(Edit::Raise { shape: bar(), by_m: 3.0 }),
                10 => Some(Edit::Lower { shape: bar(), by_m: 2.5 }),
                _ => None,
            };
            edit.iter().for_each(|edit| {
                world.edits().edit(edit).expect("a good edit");
            });
            world.run_cycle(SimTime::MAX)
        },
    );
}

/// Goal: a card that is lost loses no column. Method: water that runs over rough ground, and a
/// device that is destroyed.
#[test]
fn a_card_that_is_lost_loses_no_column() {
    let Some(turn) = card_to_give_up() else { return };
    let card = turn.card();
    let log = card.log();
    let world = || {
        let builder = ground([140, 130], 1, METHODS[2]).maps(MapKinds::ALL);
        builder.initial_depth(|place| if place.x > 70 { 1.5 } else { 0.0 }).build()
    };
    let [mut plain, mut carded] = [world(), world()].map(|world| world.expect("a good world"));
    carded.set_card(Some(Box::new(card)));
    let run = |world: &mut World, cycles: u32| {
        (0..cycles).for_each(|_| {
            world.run_cycle(SimTime::MAX);
        });
    };
    run(&mut carded, 6);
    turn.device().give_up();
    run(&mut carded, 3);
    run(&mut plain, 9);
    assert_eq!(plain.state_hash(), carded.state_hash());
    assert_eq!(maps_hash(&plain), maps_hash(&carded));
    let events = log.events();
    assert!(events.cycles == 6 && events.lost.is_some(), "{events:?}");
}
