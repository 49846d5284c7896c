//! The boundary of the world on a card has the bits of the processor.

use crate::support::{check, shrunk};
use thalweg::prelude::*;
use thalweg::world::{EdgeKind, EdgePlace, MapKinds, Order, Settings, Side, Solver};
use thalweg_engine::units::hash::scramble;

/// The pipe, and shallow water of both orders, with how many cycles are run.
const METHODS: [(Solver, Order, u32); 3] = [
    (Solver::Pipe, Order::Second, 40),
    (Solver::ShallowWater, Order::First, 25),
    (Solver::ShallowWater, Order::Second, 25),
];

fn settings((solver, order, _): (Solver, Order, u32)) -> Settings {
    Settings { solver, order, ..Settings::default() }
}

/// A slope with hills and a hole in it, in two leaves by two and a bit.
fn slope(method: (Solver, Order, u32)) -> WorldBuilder {
    let terrain = Terrain::from_heights([140, 130], 4.0, |x, y| {
        let (x, y) = (x as f64, y as f64);
        let is_hole = (x - 70.0).hypot(y - 66.0) < 9.0;
        let height = 30.0 + 0.03 * x + 2.0 * (0.13 * x).sin() * (0.09 * y).cos();
        if is_hole { f64::NAN } else { height }
    });
    let terrain = terrain.expect("a good terrain");
    WorldBuilder::new(terrain).settings(settings(method)).maps(MapKinds::ALL)
}

/// Goal: open edges on all sides, around a hole, and corners. Method: water that runs off over
/// them all, with rain.
#[track_caller]
fn check_open_edges(method: (Solver, Order, u32)) {
    let world = || {
        slope(method)
            .edges(EdgeKind::Open)
            .initial_stage(|place| if place.x > 50 { 36.0 } else { f64::NAN })
            .rain("rain", &[(0.0, 1.0e-5)])
            .expect("a good series")
            .build()
            .expect("a good world")
    };
    check(world, shrunk(method.2));
}

#[test]
fn open_edges_have_the_same_bits() {
    check_open_edges(METHODS[0]);
}

#[test]
#[cfg_attr(not(full_card), ignore = "long: see src/guide/card.md")]
fn open_edges_of_first_order_have_the_same_bits() {
    check_open_edges(METHODS[1]);
}

#[test]
fn open_edges_of_second_order_have_the_same_bits() {
    check_open_edges(METHODS[2]);
}

/// Goal: edges held at a stage that rises and falls. Method: a tide of 2 m in the west, all else
/// open.
#[track_caller]
fn check_tides(method: (Solver, Order, u32)) {
    let world = || {
        let tide = vec![(0.0, 31.0), (60.0, 33.0), (120.0, 31.0), (600.0, 32.0)];
        slope(method)
            .edge("tide", EdgePlace::Side(Side::West), EdgeKind::Stage(tide))
            .edge("north", EdgePlace::Side(Side::North), EdgeKind::Open)
            .build()
            .expect("a good world")
    };
    check(world, shrunk(method.2));
}

#[test]
fn tides_have_the_same_bits() {
    check_tides(METHODS[0]);
}

#[test]
#[cfg_attr(not(full_card), ignore = "long: see src/guide/card.md")]
fn tides_of_first_order_have_the_same_bits() {
    check_tides(METHODS[1]);
}

#[test]
fn tides_of_second_order_have_the_same_bits() {
    check_tides(METHODS[2]);
}

/// A number from 0 to 1.
fn draw(x: u64, y: u64, what: u64) -> f64 {
    let bits = scramble(scramble(what << 32 | x << 16 | y));
    (bits >> 40) as f64 / f64::from(1 << 24)
}

/// Goal: faces that several edges put right, and those between cells that water left over edges,
/// within a leaf and between two. Method: water of all depths and velocities on patches of one to
/// four cells, at the meeting of four leaves.
#[track_caller]
fn check_narrow_ground(method: (Solver, Order, u32)) {
    let height = |x: usize, y: usize| {
        let (x, y) = (x as u64, y as u64);
        let is_outside = draw(x, y, 0) < 0.1 || draw(x / 3, y / 2, 1) < 0.2;
        let step = f64::floor(3.0 * draw(x / 4, y / 4, 2));
        if is_outside { f64::NAN } else { 10.0 + step + 0.2 * draw(x, y, 3) }
    };
    let world = || {
        let terrain = Terrain::from_heights([76, 74], 4.0, height).expect("a good terrain");
        let velocity = |place: CellPlace| {
            let (x, y) = (u64::from(place.x), u64::from(place.y));
            (8.0 * draw(x, y, 5) - 4.0, 8.0 * draw(x, y, 6) - 4.0)
        };
        let tide = vec![(0.0, 11.0), (20.0, 12.5), (40.0, 10.0)];
        WorldBuilder::new(terrain)
            .settings(settings(method))
            .maps(MapKinds::ALL)
            .edges(EdgeKind::Open)
            .edge("tide", EdgePlace::Side(Side::South), EdgeKind::Stage(tide))
            .initial_depth(|place| 2.0 * draw(u64::from(place.x), u64::from(place.y), 4))
            .initial_velocity(velocity)
            .rain("rain", &[(0.0, 1.0e-4)])
            .expect("a good series")
            .build()
            .expect("a good world")
    };
    check(world, shrunk(15));
}

#[test]
fn narrow_ground_has_the_same_bits() {
    check_narrow_ground(METHODS[0]);
}

#[test]
fn narrow_ground_of_first_order_has_the_same_bits() {
    check_narrow_ground(METHODS[1]);
}

#[test]
fn narrow_ground_of_second_order_has_the_same_bits() {
    check_narrow_ground(METHODS[2]);
}

/// Goal: edges beside leaves that sleep. Method: a lake of three leaves whose western edge rises by
/// 4 mm; holes lie one cell within each leaf.
#[test]
fn edges_beside_leaves_asleep_have_the_same_bits() {
    let height = |x: usize, y: usize| {
        let is_outside = x % 64 == 1 && y % 9 == 4;
        if is_outside { f64::NAN } else { 10.0 + 0.01 * draw(x as u64, y as u64, 0) }
    };
    let world = || {
        let terrain = Terrain::from_heights([192, 64], 4.0, height).expect("a good terrain");
        let tide = vec![(0.0, 20.0), (1.0, 20.004), (4.0, 20.0)];
        let settings = Settings { sleep_after_cycles: 1, ..settings(METHODS[2]) };
        WorldBuilder::new(terrain)
            .settings(settings)
            .edge("tide", EdgePlace::Side(Side::West), EdgeKind::Stage(tide))
            .edge("holes", EdgePlace::NoData, EdgeKind::Stage(vec![(0.0, 20.0)]))
            .initial_stage(|_| 20.0)
            .build()
            .expect("a good world")
    };
    let awake = check(world, 6);
    let fell = awake.windows(2).any(|n| n[1].awake < n[0].awake);
    assert!(awake.is_empty() || fell, "{awake:?}");
}
