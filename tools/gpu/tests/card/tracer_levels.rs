//! Tracers where leaves of several levels meet, on a card.

use crate::levels::{MIXES, badlands, follow, followed, mix, quarters, run_odd};
use crate::support::shrunk;
use crate::tracers::{TRACERS, check_tracers, draw, with_tracers};
use thalweg::prelude::*;
use thalweg::units::SimTime;
use thalweg::world::{EdgeKind, EdgePlace, FixedStep, MapKinds, Order, Settings, Side, Solver};
use thalweg_engine::structure::weather::Direction;

/// The pipe with tracers of first order, and shallow water of second.
const METHODS: [(Solver, Order); 2] =
    [(Solver::Pipe, Order::First), (Solver::ShallowWater, Order::Second)];

fn settings((solver, order): (Solver, Order)) -> Settings {
    Settings { solver, order, ..Settings::default() }
}

/// Goal: tracers cross between two levels, the fine one on any side of the coarse one. Method: a
/// lake that breaks loose over the boundary between them, and runs back.
#[test]
fn tracers_cross_between_two_levels() {
    for (fine, method) in MIXES.into_iter().zip(METHODS.into_iter().cycle()) {
        let world = || {
            let terrain = Terrain::from_heights([256, 256], 5.0, |x, y| {
                let (x, y) = (x as f64, y as f64);
                let hills = (0.11 * x).sin() * (0.07 * y).cos() + 0.3 * (0.31 * x + 0.17 * y).sin();
                40.0 + 0.02 * x + 3.0 * hills
            });
            let stage = |place: CellPlace| if place.x < 140 { 46.0 } else { f64::NAN };
            with_tracers(WorldBuilder::new(terrain.expect("a good terrain")))
                .settings(settings(method))
                .leaves(quarters(fine))
                .initial_stage(stage)
                .build()
                .expect("a good world")
        };
        let run = |_, world: &mut World| world.run_cycle(SimTime::MAX);
        check_tracers(world, shrunk(48), run, &[]);
    }
}

/// Goal: what fine leaves on two sides of one coarse cell draw from it carries what it may. Method:
/// four quarters, one of them coarse; water on that one that runs down to their corner, over both
/// sides of the cell there, now and then in steps long enough to take all of it.
#[test]
#[cfg_attr(not(full_card), ignore = "long: see src/guide/card.md")]
fn corners_that_fine_leaves_draw_from_give_their_tracers() {
    let long = FixedStep::try_new(24, 1).expect("a good length");
    for coarse in 0..4 {
        let mut fine = [true; 4];
        fine[coarse] = false;
        let far = |x: f64, y: f64| (x - 127.5).hypot(y - 127.5);
        let away = |bit: usize| if coarse & bit == 0 { -0.1 } else { 0.1 };
        let world = || {
            let terrain = Terrain::from_heights([256, 256], 5.0, |x, y| {
                50.0 + away(1) * (x as f64 - 127.5) + away(2) * (y as f64 - 127.5)
            });
            let pool = move |place: CellPlace| {
                let quarter = usize::from(place.x >= 128) + 2 * usize::from(place.y >= 128);
                let is_near = far(f64::from(place.x), f64::from(place.y)) < 20.0;
                let depth = 0.3 + 0.1 * draw(place.x, place.y, 9);
                if quarter == coarse && is_near { depth } else { 0.0 }
            };
            with_tracers(WorldBuilder::new(terrain.expect("a good terrain")))
                .settings(settings(METHODS[coarse % 2]))
                .leaves(quarters(fine))
                .initial_depth(pool)
                .build()
                .expect("a good world")
        };
        let run = |cycle, world: &mut World| match cycle % 4 {
            0 => world.run_cycle(long),
            _ => world.run_cycle(SimTime::MAX),
        };
        check_tracers(world, 8, run, &[]);
    }
}

/// Goal: tracers on three levels, beside holes in the map, edges and weather. Method: badlands, now
/// and then in steps of half a second, whatever the water bears, and with an odd count of steps,
/// after which levels stand in different buffers.
#[test]
#[cfg_attr(not(full_card), ignore = "long: see src/guide/card.md")]
fn tracers_on_three_levels_have_the_same_bits() {
    let long = FixedStep::try_new(4, 1).expect("a good length");
    for (seed, method) in (21..).zip(METHODS) {
        let world = || {
            let tide = vec![(0.0, 24.0), (20.0, 27.0), (40.0, 22.0)];
            with_tracers(badlands(method, seed, 2))
                .maps(MapKinds::ALL)
                .edges(EdgeKind::Open)
                .edge("tide", EdgePlace::Side(Side::West), EdgeKind::Stage(tide))
                .layer("rain", Direction::Into, &[(0.0, 1.0e-4)])
                .and_then(|b| b.layer("evaporation", Direction::Out, &[(0.0, 2.0e-6)]))
                .expect("good series")
                .tracer_source(TRACERS[0], "rain", 0.3)
                .tracer_source(TRACERS[1], "tide", 0.9)
                .build()
                .expect("a good world")
        };
        let run = |cycle, world: &mut World| match cycle % 3 {
            0 => world.run_cycle(long),
            1 => world.run_cycle(SimTime::MAX),
            _ => run_odd(world),
        };
        let reports = check_tracers(world, shrunk(18), run, &["evaporation"]);
        let is_odd = reports.iter().any(|report| report.steps % 2 == 1);
        assert!(reports.is_empty() || is_odd, "{reports:?}");
    }
}

/// Goal: leaves of all levels fall asleep with their tracers, and wake beside others of other
/// levels. Method: small waves in a deep lake run from two corners towards leaves that sleep.
#[test]
fn leaves_of_other_levels_asleep_keep_their_tracers() {
    for method in METHODS {
        let world = || {
            let far = |place: CellPlace| CellPlace { x: 511 - place.x, y: 255 - place.y };
            let height = |place: CellPlace| if place.x < 9 && place.y < 9 { 0.004 } else { 0.0 };
            let stage = move |place: CellPlace| 50.0 + height(place) + height(far(place));
            let terrain = Terrain::from_heights([512, 256], 5.0, |x, y| {
                40.0 + 3.0 * (0.11 * x as f64).sin() * (0.07 * y as f64).cos()
            });
            with_tracers(WorldBuilder::new(terrain.expect("a good terrain")))
                .settings(Settings { sleep_after_cycles: 1, ..settings(method) })
                .leaves(mix(1))
                .maps(MapKinds::NONE)
                .initial_stage(stage)
                .build()
                .expect("a good world")
        };
        let run = |_, world: &mut World| world.run_cycle(SimTime::MAX);
        let reports = check_tracers(world, 18, run, &[]);
        let awake: Vec<_> = reports.iter().map(|report| report.awake).collect();
        let (fell, woke) =
            (awake.windows(2).any(|n| n[1] < n[0]), awake.windows(2).any(|n| n[1] > n[0]));
        assert!(awake.is_empty() || (fell && woke), "{awake:?}");
    }
}

/// Goal: tracers stay with leaves that are split and merged between cycles. Method: a flood whose
/// leaves follow observers.
#[test]
fn leaves_that_change_keep_their_tracers() {
    let world = || with_tracers(followed(METHODS[1], 9)).build().expect("a good world");
    let run = |cycle, world: &mut World| {
        follow(cycle, world);
        world.run_cycle(SimTime::MAX)
    };
    let reports = check_tracers(world, shrunk(36), run, &[]);
    assert!(reports.is_empty() || reports.windows(2).any(|two| two[0].awake != two[1].awake));
}
