//! A tolerance of sleep on a card has the bits of the processor.

use crate::support::check_running;
use thalweg::prelude::*;
use thalweg::units::SimTime;
use thalweg::world::{
    CycleReport, EdgeKind, EdgePlace, MapKinds, Order, Settings, Side, SleepTolerance, Solver,
};
use thalweg_engine::units::hash::scramble;

/// The pipe, and shallow water of both orders.
const METHODS: [(Solver, Order); 3] = [
    (Solver::Pipe, Order::Second),
    (Solver::ShallowWater, Order::First),
    (Solver::ShallowWater, Order::Second),
];

fn settings((solver, order): (Solver, Order), stage_m: f64) -> Settings {
    let sleep_tolerance = Some(SleepTolerance { stage_m, time_s: 1.0 });
    Settings { solver, order, sleep_tolerance, sleep_after_cycles: 1, ..Settings::default() }
}

/// A number from 0 to 1.
fn draw(x: u64, y: u64, what: u64) -> f64 {
    let bits = scramble(scramble(what << 32 | x << 16 | y));
    (bits >> 40) as f64 / f64::from(1 << 24)
}

/// Cycles of a third of a second.
fn run_shortly(_: u32, world: &mut World) -> CycleReport {
    let end = world.time().after(SimTime::from_seconds(0.33).ticks());
    world.run_cycle(end)
}

/// Goal: waves and runoff are told from quiet water with the same bits. Method: leaves that ridges
/// part, eight for each kind of water, which is a little slower, thinner or lower in the first than
/// the tolerance bears, and a little more so in the last: waves; a swift sheet without friction;
/// streaks of a film of three to ten faces; trickles two faces wide; films that
/// lean. What a leaf counts as quiet is
/// in the hash of each cycle.
#[test]
fn quiet_water_has_the_same_bits() {
    const TOLERANCE_M: f64 = 0.02;
    for method in METHODS {
        let world = || {
            let is_ridge = |x: usize, y: usize| x % 64 == 63 || y % 64 == 63;
            let height = |x: usize, y: usize| match y / 64 {
                _ if is_ridge(x, y) => 12.0,
                4 => 9.0 + 0.0006 * (x % 64) as f64,
                _ => 9.0,
            };
            let terrain = Terrain::from_heights([512, 320], 2.0, height).expect("a good terrain");
            let depth = move |place: CellPlace| {
                let (leaf, x) = (f64::from(place.x / 64), f64::from(place.x % 64));
                match place.y / 64 {
                    _ if is_ridge(place.x as usize, place.y as usize) => 0.0,
                    0 => 1.0 + TOLERANCE_M * (0.3 + 0.05 * leaf) * (0.05 * x).cos(),
                    1 => 0.009,
                    2 => 0.005,
                    4 => 0.006 + 0.001 * leaf,
                    _ => TOLERANCE_M * (1.6 + 0.1 * leaf),
                }
            };
            let velocity = move |place: CellPlace| {
                let (leaf, x) = (place.x / 64, place.x % 64);
                let along = match place.y / 64 {
                    1 if (20..44).contains(&x) => 1.1 + 0.1 * f64::from(leaf),
                    2 if (20..22 + leaf).contains(&x) => 0.08,
                    3 if (20..22).contains(&x) => 0.2,
                    _ => 0.0,
                };
                (along, 0.0)
            };
            WorldBuilder::new(terrain)
                .settings(settings(method, TOLERANCE_M))
                .manning_classes(vec![0.0, 0.03], |place| u8::from(place.y / 64 != 1))
                .initial_depth(depth)
                .initial_velocity(velocity)
                .build()
                .expect("a good world")
        };
        check_running(world, 4, run_shortly);
    }
}

/// Goal: water beside leaves that sleep wakes them with the same bits. Method: a narrow channel
/// in which a low wave runs up to leaves asleep, beside still pools: most of each leaf is quiet.
#[test]
fn sleepers_beside_quiet_water_have_the_same_bits() {
    for (method, high_m) in METHODS.into_iter().zip([0.024, 0.026, 0.03]) {
        let world = || {
            let height = |x: usize, y: usize| match y {
                3 => 12.0,
                _ => 9.0 + 0.05 * draw(x as u64, y as u64, 0),
            };
            let terrain = Terrain::from_heights([320, 64], 1.0, height).expect("a good terrain");
            let stage = move |place: CellPlace| {
                10.0 + if (30..50).contains(&place.x) && place.y < 3 { high_m } else { 0.0 }
            };
            WorldBuilder::new(terrain)
                .settings(settings(method, 0.01))
                .maps(MapKinds::ALL)
                .initial_stage(stage)
                .build()
                .expect("a good world")
        };
        let reports = check_running(world, 100, run_shortly);
        let awake: Vec<usize> = reports.iter().map(|report| report.awake).collect();
        println!("{method:?}: {awake:?}");
        let count = |is_so: fn(usize, usize) -> bool| {
            awake.windows(2).filter(|pair| is_so(pair[0], pair[1])).count()
        };
        let fell = count(|before, after| after < before);
        let woke = count(|before, after| after > before);
        assert!(reports.is_empty() || (fell > 0 && woke > 0), "{method:?}: {awake:?}");
    }
}

/// Goal: the edge of still water, likewise. Method: pools whose edge is held at a stage a little
/// above their own, of other depths along it.
#[test]
fn quiet_edges_have_the_same_bits() {
    for (method, rise_m) in METHODS.into_iter().zip([0.004, 0.009, 0.013]) {
        let world = || {
            let height = |x: usize, y: usize| match y % 64 {
                63 => 12.0,
                row => 9.95 - 0.004 * row as f64 + 0.002 * draw(x as u64, y as u64, 0),
            };
            let terrain = Terrain::from_heights([40, 256], 2.0, height).expect("a good terrain");
            let stage = vec![(0.0, 10.0 + rise_m)];
            WorldBuilder::new(terrain)
                .settings(settings(method, 0.01))
                .edge("sea", EdgePlace::Side(Side::West), EdgeKind::Stage(stage))
                .initial_stage(|place| 10.0 + 0.004 * f64::from(place.y / 64))
                .build()
                .expect("a good world")
        };
        check_running(world, 20, run_shortly);
    }
}
