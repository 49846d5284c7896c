//! P3 with a card: the same state hash after every cycle, with and without one.

use gpu::{CardLog, GpuCard};
use thalweg::prelude::*;
use thalweg::structure::weather::Direction;
use thalweg::units::SimTime;
use thalweg::units::hash::StateHasher;
use thalweg::world::{MapKinds, Order, Settings, Solver};

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

/// The pipe, and shallow water of both orders.
const METHODS: [(Solver, Order); 3] = [
    (Solver::Pipe, Order::Second),
    (Solver::ShallowWater, Order::First),
    (Solver::ShallowWater, Order::Second),
];

/// Hills of 3 m on a slope, with a lake and a dam that is gone.
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

/// Runs a world with and without a card, and compares after every cycle.
#[track_caller]
fn check(world: impl Fn() -> World, cycles: u32) {
    let Some((card, log)) = card() else { return };
    let (mut plain, mut carded) = (world(), world());
    carded.set_card(Some(Box::new(card)));
    let mut before = 0;
    for cycle in 0..cycles {
        let reports = [&mut plain, &mut carded].map(|world| world.run_cycle(SimTime::MAX));
        let events = log.events();
        let is_still = reports[0].awake == 0;
        assert!(is_still || events.cycles > before, "cycle {cycle} was left: {events:?}");
        before = events.cycles;
        let [a, b] = reports.map(|report| (report.time, report.courant, report.limited));
        assert_eq!(a, b, "report of cycle {cycle}");
        let every = if cycles > 100 { 20 } else { 1 };
        if cycle % every == 0 {
            assert_eq!(plain.state_hash(), carded.state_hash(), "after cycle {cycle}");
        }
    }
    assert_eq!(plain.state_hash(), carded.state_hash(), "at the end");
    assert_eq!(maps_hash(&plain), maps_hash(&carded), "flood maps");
    assert_eq!(carded.water().stored(), carded.water().ledger().expected());
}

/// Hash of all flood maps.
fn maps_hash(world: &World) -> u64 {
    let mut hash = StateHasher::new();
    for maps in world.simulation().maps() {
        maps.hash(maps.kinds(), &mut hash).expect("kept");
    }
    hash.finish()
}

/// Goal: all that forcing does without Green–Ampt, and all flood maps. Method: rain by classes,
/// evaporation that dries cells, infiltration by two classes of ground, a river and a spring, over
/// ground of two roughnesses with holes.
#[test]
fn weather_and_flood_maps_have_the_same_bits() {
    let world = || {
        let rain = [vec![(0.0, 4.0e-5), (300.0, 0.0)], vec![(0.0, 1.0e-4)], vec![(0.0, 0.0)]];
        let soils = [vec![(0.0, 1.0e-6)], vec![(0.0, 3.0e-5)]];
        let river = CellPlace { x: 80, y: 50 };
        valley([150, 140], METHODS[0])
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
    check(world, 80);
}

/// Goal: leaves fall asleep and wake as on the processor. Method: a small wave in a lake, until all
/// sleep; then rain.
#[test]
fn sleep_and_waking_have_the_same_bits() {
    let world = || {
        let stage = |place: CellPlace| if place.x < 12 { 46.02 } else { 46.0 };
        valley([330, 70], METHODS[0])
            .maps(MapKinds::NONE)
            .initial_stage(stage)
            .rain("rain", &[(0.0, 0.0), (4000.0, 1.0e-5), (4200.0, 0.0)])
            .expect("a good series")
            .build()
            .expect("a good world")
    };
    check(world, 800);
}

/// A lake that is let go, in a valley of several leaves.
#[track_caller]
fn check_dam_break(method: (Solver, Order)) {
    let world = || {
        let stage = |place: CellPlace| if place.x < 70 { 46.0 } else { f64::NAN };
        let builder = valley([200, 150], method).maps(MapKinds::ALL).initial_stage(stage);
        builder.build().expect("a good world")
    };
    check(world, 60);
}

#[test]
fn a_lake_that_breaks_loose_has_the_same_bits() {
    check_dam_break(METHODS[0]);
}

#[test]
fn a_dam_break_of_first_order_has_the_same_bits() {
    check_dam_break(METHODS[1]);
}

#[test]
fn a_dam_break_of_second_order_has_the_same_bits() {
    check_dam_break(METHODS[2]);
}
