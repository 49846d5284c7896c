//! Edges with a stage let no more water pass than the fall there drives.

use crate::support::{scale, terrain};
use thalweg::units::SimTime;
use thalweg::world::{EdgeKind, EdgePlace, World, WorldBuilder};
use thalweg_engine::grid::Side;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::{Order, Settings, Solver};

const GRAVITY: f64 = 9.81;
const CELL_M: f64 = 5.0;
const METHODS: [(Solver, Order); 3] = [
    (Solver::Pipe, Order::Second),
    (Solver::ShallowWater, Order::First),
    (Solver::ShallowWater, Order::Second),
];

type Size = (usize, usize);

/// Ground between walls with a stage at a place, water at a level on it.
fn world(
    (size, bed): (Size, fn(usize, usize) -> f64),
    (place, stage_m): (EdgePlace, f64),
    level_m: f64,
    (solver, order): (Solver, Order),
) -> World {
    WorldBuilder::new(terrain(size.0, size.1, CELL_M, scale(20, 0.0), bed))
        .settings(Settings { solver, order, ..Settings::default() })
        .edges(EdgeKind::Wall)
        .edge("outside", place, EdgeKind::Stage(vec![(0.0, stage_m)]))
        .initial_stage(move |_| level_m)
        .build()
        .expect("a good world")
}

/// The largest speed in a cell at any second, m/s, and the largest discharge over a second, m³/s.
fn largest(world: &mut World, (width, height): Size, seconds: u32) -> [f64; 2] {
    let passed = |world: &World| {
        let accounts = world.water().ledger().accounts().iter();
        let passed: i128 = accounts.map(|account| account.into - account.out).sum();
        passed as f64 * world.water().unit_m3()
    };
    let number = |at: usize| u32::try_from(at).expect("small");
    let places = || (0..width).flat_map(|x| (0..height).map(move |y| (number(x), number(y))));
    let mut most = [0.0, 0.0_f64];
    for second in 1..=seconds {
        let (before, since) = (passed(world), world.time().seconds());
        world.run_until(SimTime::from_seconds(f64::from(second)));
        let speeds = places().filter_map(|(x, y)| world.water().speed_m_s(CellPlace { x, y }));
        let discharge = (passed(world) - before).abs() / (world.time().seconds() - since);
        most = [speeds.fold(most[0], f64::max), most[1].max(discharge)];
    }
    assert_eq!(world.water().ledger().expected(), world.water().stored());
    most
}

/// Goal: a stage edge drives no current that its head does not, and the flow round its ends does
/// not grow. Method: a mouth 120 m wide between walls to water 20 cm higher, 4 m deep. That head
/// drives √(2 g Δη) = 2 m/s. Up to twice as much at the ends of the mouth, with shallow water, is a
/// known fault (`src/guide/scenario.md`); before there were bounds, it was 12 to 40 m/s.
#[test]
fn a_short_stage_edge_in_deep_water_is_calm() {
    let size = (96, 92);
    let mouth = || EdgePlace::Part(Side::West, 38..62);
    let seconds = if crate::QUICK { 80 } else { 300 };
    for method in METHODS {
        let mut world = world((size, |_, _| -4.0), (mouth(), 0.2), 0.0, method);
        let [speed, _] = largest(&mut world, size, seconds);
        let head = (2.0 * GRAVITY * 0.2).sqrt();
        let most = if method.0 == Solver::Pipe { head } else { 2.0 * head };
        assert!(speed > 0.3 * head && speed < most, "{method:?}: {speed} m/s");
    }
}

/// Goal: a stage over dry ground pours no more in than a broad-crested weir of that head passes,
/// but for what comes once the ground is flooded. Method: a dry valley 40 m wide that falls by 1 in
/// 1000, with 1.8 m of water outside: 4.1 m²/s.
#[test]
fn a_stage_over_dry_ground_pours_in_as_over_a_weir() {
    let size = (200, 16);
    let bed = |x: usize, y: usize| {
        let bank = if (4..12).contains(&y) { 0.0 } else { 4.0 };
        bank - 0.001 * CELL_M * x as f64
    };
    for method in METHODS {
        let outside = (EdgePlace::Side(Side::West), 1.8);
        let [speed, discharge] = largest(&mut world((size, bed), outside, -9.0, method), size, 60);
        let weir = (2.0_f64 / 3.0).powf(1.5) * GRAVITY.sqrt() * 1.8_f64.powf(1.5) * 8.0 * CELL_M;
        let case = format!("{method:?}: {speed} m/s, {discharge} of {weir} m³/s");
        assert!(discharge > 0.5 * weir && discharge < 1.3 * weir, "{case}");
        // A front runs onto dry ground at 2 √(g h) at most.
        assert!(speed < 2.0 * (GRAVITY * 1.8).sqrt(), "{case}");
    }
}

/// Goal: water that falls over an edge is no faster than critical there. Method: 1 m of water
/// before a stage 3 m below its bed; half as much again counts for cells that run nearly dry.
#[test]
fn water_falls_over_an_edge_at_critical_speed() {
    let size = (60, 30);
    for method in METHODS {
        let outside = (EdgePlace::Side(Side::West), 2.0);
        let mut world = world((size, |_, _| 5.0), outside, 6.0, method);
        let [speed, discharge] = largest(&mut world, size, 60);
        let critical = GRAVITY.sqrt();
        let case = format!("{method:?}: {speed} m/s, {discharge} m³/s");
        let most = 1.01 * critical * 150.0;
        assert!(discharge > 0.2 * most && discharge < most && speed < 1.5 * critical, "{case}");
    }
}
