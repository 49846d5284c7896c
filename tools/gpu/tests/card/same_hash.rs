//! P3 with a card: the same state hash after every cycle, with and without one.

use crate::support::{card, check, check_running, shrunk};
use gpu::CardEvents;
use thalweg::prelude::*;
use thalweg::units::SimTime;
use thalweg::world::{FixedStep, MapKinds, Order, Settings, Solver, Terms};
use thalweg_engine::structure::weather::Direction;
use thalweg_engine::units::hash::scramble;

/// The pipe, and shallow water of both orders.
const METHODS: [(Solver, Order); 3] = [
    (Solver::Pipe, Order::Second),
    (Solver::ShallowWater, Order::First),
    (Solver::ShallowWater, Order::Second),
];

/// Hills of 3 m on a slope.
fn valley(cells: [u32; 2], (solver, order): (Solver, Order)) -> WorldBuilder {
    let height = |x: u32, y: u32| {
        let (x, y) = (f64::from(x), f64::from(y));
        let hills = (0.11 * x).sin() * (0.07 * y).cos() + 0.3 * (0.31 * x + 0.17 * y).sin();
        40.0 + 0.02 * x + 3.0 * hills
    };
    let terrain = Terrain::from_heights(cells.map(|n| n as usize), 5.0, |x, y| {
        height(u32::try_from(x).expect("small"), u32::try_from(y).expect("small"))
    });
    let settings = Settings { solver, order, ..Settings::default() };
    WorldBuilder::new(terrain.expect("a good terrain")).settings(settings)
}

/// Goal: all that forcing does without Green–Ampt, and all flood maps. Method: rain by classes,
/// evaporation that dries cells, infiltration by two classes of ground, a river and a spring, over
/// ground of two roughnesses.
#[track_caller]
fn check_weather(method: (Solver, Order), cycles: u32) {
    let world = || {
        let rain = [vec![(0.0, 4.0e-5), (300.0, 0.0)], vec![(0.0, 1.0e-4)], vec![(0.0, 0.0)]];
        let soils = [vec![(0.0, 1.0e-6)], vec![(0.0, 3.0e-5)]];
        let river = CellPlace { x: 80, y: 50 };
        valley([150, 140], method)
            .manning_classes(vec![0.03, 0.1], |place| u8::from(place.y % 7 == 0))
            .maps(MapKinds::ALL)
            .layer_classes("rain", Direction::Into, &rain, |place| ((place.x / 9) % 3) as u16)
            .and_then(|b| b.layer("evaporation", Direction::Out, &[(0.0, 2.0e-6)]))
            .and_then(|b| {
                let soil = |place: CellPlace| u16::from(place.x + place.y > 150);
                b.layer_classes("soil", Direction::Ground, &soils, soil)
            })
            .and_then(|b| b.inflow("river", &[(0.0, 50.0), (900.0, 0.0)], &[river]))
            .and_then(|b| b.inflow("spring", &[(0.0, 0.3)], &[CellPlace { x: 5, y: 130 }]))
            .expect("good series")
            .build()
            .expect("a good world")
    };
    check(world, shrunk(cycles));
}

#[test]
fn weather_and_flood_maps_have_the_same_bits() {
    check_weather(METHODS[0], 80);
}

#[test]
fn weather_on_shallow_water_has_the_same_bits() {
    check_weather(METHODS[1], 10);
    check_weather(METHODS[2], 30);
}

/// Goal: leaves fall asleep and wake as on the processor. Method: small waves in a deep lake run
/// from two corners towards leaves that sleep, which they wake; leaves that are awake touch at the
/// corner of two that sleep.
#[track_caller]
fn check_sleep(method: (Solver, Order)) {
    let world = || {
        let height = |place: CellPlace| if place.x < 6 && place.y < 6 { 0.004 } else { 0.0 };
        let far = |place: CellPlace| CellPlace { x: 255 - place.x, y: 255 - place.y };
        let stage = move |place: CellPlace| 50.0 + height(place) + height(far(place));
        let settings = Settings {
            solver: method.0,
            order: method.1,
            sleep_after_cycles: 1,
            ..Settings::default()
        };
        valley([256, 256], method)
            .settings(settings)
            .maps(MapKinds::NONE)
            .initial_stage(stage)
            .build()
            .expect("a good world")
    };
    let awake: Vec<_> = check(world, 18).iter().map(|report| report.awake).collect();
    let (fell, woke) =
        (awake.windows(2).any(|n| n[1] < n[0]), awake.windows(2).any(|n| n[1] > n[0]));
    assert!(awake.is_empty() || (fell && woke), "{awake:?}");
    println!("{method:?}: {awake:?}");
}

#[test]
fn sleep_and_waking_have_the_same_bits() {
    check_sleep(METHODS[0]);
}

#[test]
fn sleep_beside_shallow_water_has_the_same_bits() {
    check_sleep(METHODS[2]);
}

/// A lake that is let go, in a valley of several leaves.
fn dam_break(method: (Solver, Order)) -> World {
    let stage = |place: CellPlace| if place.x < 70 { 46.0 } else { f64::NAN };
    let builder = valley([200, 150], method).maps(MapKinds::ALL).initial_stage(stage);
    builder.build().expect("a good world")
}

#[test]
fn a_lake_that_breaks_loose_has_the_same_bits() {
    check(|| dam_break(METHODS[0]), shrunk(60));
}

#[test]
fn a_dam_break_of_first_order_has_the_same_bits() {
    check(|| dam_break(METHODS[1]), shrunk(60));
}

#[test]
fn a_dam_break_of_second_order_has_the_same_bits() {
    check(|| dam_break(METHODS[2]), shrunk(60));
}

/// Goal: what no card does yet is left to the processor. Method: a dam break under wind.
#[test]
fn optional_terms_are_left_to_the_processor() {
    let Some(turn) = card() else { return };
    let card = turn.card();
    let log = card.log();
    let terms = Terms { wind_m_s: [9.0, -4.0], ..Terms::NONE };
    let builder = valley([70, 70], METHODS[2]).settings(Settings { terms, ..Settings::default() });
    let mut world = builder.initial_stage(|_| 46.0).build().expect("a good world");
    world.set_card(Some(Box::new(card)));
    world.run_cycle(SimTime::MAX);
    let CardEvents { cycles, refused, .. } = log.events();
    assert_eq!(cycles, 0);
    assert_eq!(refused.as_deref(), Some("viscosity, wind or the rotation of the Earth"));
}

/// Goal: both solvers read the same state. Method: a dam break whose solver changes.
#[test]
fn a_change_of_the_solver_has_the_same_bits() {
    let run = |cycle: u32, world: &mut World| {
        if cycle > 0 && cycle.is_multiple_of(6) {
            let (solver, order) = METHODS[cycle as usize / 6 % 3];
            world.set_solver(solver, order);
        }
        world.run_cycle(SimTime::MAX)
    };
    check_running(|| dam_break(METHODS[0]), 24, run);
}

/// Ground as no valley has it: terraces and pits of up to 12 m, houses at angles to the grid, holes
/// in the map, three roughnesses; water of all depths on it, some of it fast.
fn badlands(method: (Solver, Order), seed: u64) -> World {
    let draw = move |x: u64, y: u64, what: u64| -> f64 {
        let bits = scramble(scramble(seed << 40 | what << 32 | x << 16 | y));
        (bits >> 40) as f64 / f64::from(1 << 24)
    };
    let height = move |x: usize, y: usize| {
        let (x, y) = (x as u64, y as u64);
        let block = |size: u64, what: u64| draw(x / size, y / size, what);
        if block(11, 0) < 0.04 {
            return f64::NAN;
        }
        let house = if (x + 2 * y) % 23 < 5 && (2 * x + 300 - y) % 19 < 9 { 9.0 } else { 0.0 };
        let terrace = 3.0 * f64::floor(4.0 * block(17, 1));
        let pit = if block(3, 2) < 0.1 { 8.0 * block(3, 3) } else { 0.0 };
        let rough = 10.0_f64.powf(-4.0 * block(20, 4)) * draw(x, y, 5);
        20.0 + house + terrace - pit + rough + 0.08 * x as f64
    };
    let depth = move |place: CellPlace| {
        let (x, y) = (u64::from(place.x), u64::from(place.y));
        match draw(x / 9, y / 9, 6) {
            part if part < 0.5 => 0.0,
            part if part < 0.7 => 2.0e-5 * draw(x, y, 7),
            part if part < 0.9 => 30.0 * (part - 0.7),
            _ => draw(x, y, 8),
        }
    };
    let velocity = move |place: CellPlace| {
        let (x, y) = (u64::from(place.x) / 9, u64::from(place.y) / 9);
        (30.0 * draw(x, y, 9) - 15.0, 30.0 * draw(x, y, 10) - 15.0)
    };
    let settings = Settings { solver: method.0, order: method.1, seed, ..Settings::default() };
    WorldBuilder::new(Terrain::from_heights([130, 120], 4.0, height).expect("a good terrain"))
        .settings(settings)
        .manning_classes(vec![0.0, 0.03, 0.2], |place| (place.x / 5 % 3) as u8)
        .maps(MapKinds::ALL)
        .initial_depth(depth)
        .initial_velocity(velocity)
        .build()
        .expect("a good world")
}

/// Goal: walls, fronts, free falls and bounds have the same bits. Method: badlands, now and then in
/// steps of half a second, whatever the water bears: faces are clamped and outflows limited.
#[test]
fn badlands_have_the_same_bits() {
    let long = FixedStep::try_new(4, 1).expect("a good length");
    for (method, seed) in METHODS.iter().flat_map(|&method| [1, 2].map(|seed| (method, seed))) {
        let reports = check_running(
            || badlands(method, seed),
            12,
            |cycle, world| match cycle % 3 {
                0 => world.run_cycle(long),
                _ => world.run_cycle(SimTime::MAX),
            },
        );
        let clamped: u64 = reports.iter().map(|report| report.clamped).sum();
        let limited: u64 = reports.iter().map(|report| report.limited).sum();
        assert!(reports.is_empty() || (clamped > 0 && limited > 0), "{clamped}, {limited}");
        println!("{method:?}, seed {seed}: {clamped} clamped, {limited} limited");
    }
}
