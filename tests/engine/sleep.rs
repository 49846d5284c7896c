//! Sleep: still water and dry land cost nothing, and nothing is lost when they wake.

use crate::support::{TempFile, noise, scale, terrain};
use thalweg::terrain::Shape;
use thalweg::units::SimTime;
use thalweg::world::{Action, Amount, EdgeKind, EdgePlace, SaveFile, World, WorldBuilder};
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::grid::{LeafId, Side};
use thalweg_engine::sim::schedule::FixedStep;
use thalweg_engine::sim::{Settings, Solver};

const SOLVERS: [Solver; 2] = [Solver::Pipe, Solver::ShallowWater];

/// Five tiles in a row that fall to the east, with a pond in the last and a river into the first.
fn valley(solver: Solver, sleep_after_cycles: u32) -> World {
    let ground = terrain(320, 64, 5.0, scale(20, 0.0), |x, y| {
        let pond = if x > 270 { -2.0 } else { 0.0 };
        20.0 - 0.05 * x as f64 + pond + 0.1 * noise(9, x as i64, y as i64)
    });
    let river = [(0.0, 0.0), (400.0, 0.0), (500.0, 80.0), (800.0, 0.0)];
    WorldBuilder::new(ground)
        .settings(Settings { solver, sleep_after_cycles, ..Settings::default() })
        .initial_stage(|place| if place.x > 271 { 3.5 } else { f64::NAN })
        .inflow("river", &river, &[CellPlace { x: 3, y: 32 }])
        .and_then(WorldBuilder::build)
        .expect("a good world")
}

/// Goal: P1 through falling asleep, a flood that wakes one tile after the other, and the damping of
///             still water.
/// Method: equality of integers after every cycle; the count of leaves awake tells the story.
#[test]
fn a_flood_wakes_what_it_reaches_and_loses_nothing() {
    // The other solver's turn comes in full runs.
    let quick = if crate::QUICK { 1 } else { 2 };
    SOLVERS.into_iter().take(quick).for_each(check_flood_wakes);
}

fn check_flood_wakes(solver: Solver) {
    let mut world = valley(solver, 16);
    let pond = CellPlace { x: 300, y: 30 };
    let before_m = world.water().depth_m(pond).expect("inside");
    let mut awake = Vec::new();
    let end = SimTime::from_seconds(3000.0);
    while world.time() < end {
        let report = world.run_cycle(end);
        awake.push((report.time.seconds(), report.awake));
        assert_eq!(
            world.water().stored(),
            world.water().ledger().expected(),
            "at {} s",
            report.time.seconds()
        );
    }
    let between = |from: f64, to: f64| awake.iter().filter(move |a| a.0 > from && a.0 < to);
    assert!(between(300.0, 400.0).all(|a| a.1 == 0), "all sleep before the river comes");
    let first = between(400.0, 430.0).map(|a| a.1).max();
    assert_eq!(first, Some(2), "the river wakes its own tile and the one beside it");
    assert_eq!(awake.iter().map(|a| a.1).max(), Some(5), "the flood reaches the pond");
    let after_m = world.water().depth_m(pond).expect("inside");
    assert!(after_m > before_m + 0.1, "the pond rose: {before_m} m, {after_m} m");
}

/// Goal: the water that sleep leaves out changes nothing worth a look.
/// Method: the same flood without sleep; the pond ends at the same stage to a millimetre.
#[test]
fn sleep_does_not_change_the_flood() {
    let end = SimTime::from_seconds(2700.0);
    let pond = CellPlace { x: 300, y: 30 };
    // The other solver's turn comes in full runs.
    let quick = if crate::QUICK { 1 } else { 2 };
    for solver in SOLVERS.into_iter().take(quick) {
        let depths_m = [16, u32::MAX].map(|sleep_after_cycles| {
            let mut world = valley(solver, sleep_after_cycles);
            let before_m = world.water().depth_m(pond).expect("inside");
            world.run_until(end);
            let after_m = world.water().depth_m(pond).expect("inside");
            assert!(after_m > before_m + 0.1, "{solver:?}: no flood, {before_m} m, {after_m} m");
            after_m
        });
        assert!((depths_m[0] - depths_m[1]).abs() < 1.0e-3, "{solver:?}: {depths_m:?} m");
    }
}

/// Goal: dry leaves beside a flood sleep until water comes near them, and sleep changes no bit.
/// Method: a column of water falls apart in the middle of rough ground, over sides and corners of
/// leaves; after every cycle all planes are those of a world in which nothing sleeps. One cycle of
/// rest is enough for sleep, so that the front meets leaves asleep.
#[test]
fn dry_leaves_sleep_beside_a_flood_to_the_bit() {
    const CELLS: usize = 192;
    for solver in SOLVERS {
        let mut worlds = [1, u32::MAX].map(|sleep_after_cycles| {
            let ground = terrain(CELLS, CELLS, 2.0, scale(20, 0.0), |x, y| {
                0.2 * noise(7, x as i64 / 9, y as i64 / 9)
            });
            let off = |v: u32| f64::from(v) - 0.5 * CELLS as f64;
            WorldBuilder::new(ground)
                .settings(Settings { solver, sleep_after_cycles, ..Settings::default() })
                .initial_stage(
                    move |at| {
                        if off(at.x).hypot(off(at.y)) < 10.0 { 12.0 } else { f64::NAN }
                    },
                )
                .build()
                .expect("a good world")
        });
        let (mut most, mut least, end) = (0, usize::MAX, SimTime::from_seconds(60.0));
        while worlds[0].time() < end {
            let [awake, all] = worlds.each_mut().map(|world| world.run_cycle(end).awake);
            assert_eq!(all, 9);
            (most, least) = (most.max(awake), least.min(awake));
            let [some, all] = worlds.each_ref().map(World::simulation);
            assert_eq!(some.time(), all.time());
            for leaf in (0..9).map(LeafId::new) {
                let [some, all] = [some, all].map(|simulation| simulation.water(leaf));
                let at = worlds[0].time().seconds();
                assert!(some == all, "{solver:?}: leaf {leaf:?} differs at {at} s");
            }
        }
        println!("{solver:?}: {least} to {most} of 9 leaves awake");
        // The flood begins in the middle leaf, which keeps none awake until it comes near.
        assert!(least == 1 && most == 9, "{solver:?}: {least} to {most} leaves awake");
    }
}

/// Goal: water that comes from elsewhere than over faces finds dry sleepers awake in time.
/// Method: an inflow, then water poured in, in the cells beside the border of a leaf asleep; planes
/// after every cycle as in a world in which nothing sleeps. Water is poured before a cycle of no
/// length, which steps nothing, and the world is saved and loaded after that.
#[test]
fn water_put_beside_a_dry_sleeper_flows_on_to_the_bit() {
    for solver in SOLVERS {
        let at = |x: u32, y: u32| CellPlace { x, y };
        let mut worlds = [1, u32::MAX].map(|sleep_after_cycles| {
            // The waves of a deep pool in the middle ask for eight steps a cycle.
            let ground = terrain(192, 192, 2.0, scale(20, 0.0), |x, y| {
                let is_pool = (90..102).contains(&x) && (90..102).contains(&y);
                if is_pool { -20.0 } else { 0.2 * noise(8, x as i64 / 9, y as i64 / 9) }
            });
            let inflow = [(0.0, 0.0), (4.0, 0.0), (4.1, 9.0), (60.0, 9.0)];
            WorldBuilder::new(ground)
                .settings(Settings { solver, sleep_after_cycles, ..Settings::default() })
                .initial_stage(|p| if p.x < 96 { -2.0 } else { -3.0 })
                .inflow("spring", &inflow, &[at(60, 140)])
                .and_then(WorldBuilder::build)
                .expect("a good world")
        });
        let check = |worlds: &[World; 2]| {
            let [some, all] = worlds.each_ref().map(World::simulation);
            for leaf in (0..9).map(LeafId::new) {
                let at = worlds[0].time().seconds();
                let [some, all] = [some, all].map(|simulation| simulation.water(leaf));
                assert!(some == all, "{solver:?}: leaf {leaf:?} differs at {at} s");
            }
        };
        let (mut least, mut loaded) = (usize::MAX, None);
        let cycle = FixedStep::try_new(1, 2).expect("a good length");
        for round in 0..24 {
            if round == 16 {
                for world in &mut worlds {
                    // West of a leaf asleep.
                    let area = Shape::Disc { centre_m: [249.0, 41.0], radius_m: 4.0, rim_m: 0.0 };
                    let amount = Amount::DepthM(2.0);
                    world.edits().act(Action::AddWater { area, amount }).expect("water");
                    world.run_cycle(world.time());
                }
                let path = TempFile::new("dry-sleeper");
                let mut file = SaveFile::create(&path.0, &worlds[0]).expect("a new file");
                file.save(&worlds[0]).expect("saved");
                let mut again = file.load(Vec::new()).expect("opened");
                again.run_cycle(cycle);
                loaded = Some(again.state_hash());
            }
            let [report, _] = worlds.each_mut().map(|world| world.run_cycle(cycle));
            assert_eq!(report.steps, 8);
            least = least.min(report.awake);
            check(&worlds);
            if let Some(hash) = loaded.take() {
                assert_eq!(hash, worlds[0].state_hash(), "{solver:?}: loaded");
            }
        }
        assert!(least < 9, "{solver:?}: {least} leaves awake at least");
    }
}

/// Goal: a deep lake that wakes takes short steps at once.
/// Method: the sea at its side rises by a metre after the lake fell asleep; the wave is where it is
/// without sleep.
#[test]
fn a_deep_lake_wakes_without_a_jolt() {
    SOLVERS.into_iter().for_each(check_deep_lake);
}

fn check_deep_lake(solver: Solver) {
    let stages = [16, u32::MAX].map(|sleep_after_cycles| {
        let ground = terrain(256, 64, 10.0, scale(20, 0.0), |_, _| -50.0);
        let tide = vec![(0.0, 0.0), (100.0, 0.0), (101.0, 1.0)];
        let mut world = WorldBuilder::new(ground)
            .settings(Settings { solver, sleep_after_cycles, ..Settings::default() })
            .edge("sea", EdgePlace::Side(Side::West), EdgeKind::Stage(tide))
            .initial_stage(|_| 0.0)
            .build()
            .expect("a good world");
        let mut courant = 0.0_f64;
        while world.time() < SimTime::from_seconds(120.0) {
            courant = courant.max(world.run_cycle(SimTime::from_seconds(120.0)).courant);
        }
        assert!(courant < 0.9, "Courant {courant}");
        world.water().depth_m(CellPlace { x: 20, y: 30 }).expect("inside")
    });
    assert!(stages[1] > 50.5 && (stages[0] - stages[1]).abs() < 0.02, "{stages:?} m");
}

/// Goal: P1 at the border between a leaf that falls asleep and one that is kept awake, on all four
/// sides.
/// Method: a touched lake of four tiles in a row or a column, with a spring in the tile at one end;
/// equality of integers after every cycle, and some of the tiles, not all, must have slept.
#[test]
fn no_unit_is_lost_at_a_sleepers_border() {
    let shapes = [(256_u32, 64_u32), (64, 256)];
    let cases = SOLVERS.into_iter().flat_map(|s| shapes.map(|w| (s, w)));
    for (solver, (width, height)) in cases.step_by(if crate::QUICK { 3 } else { 1 }) {
        let ends = [(5, 5), (width - 6, height - 6)];
        for spring in ends.into_iter().take(if crate::QUICK { 1 } else { 2 }) {
            let size = (width as usize, height as usize);
            let ground = terrain(size.0, size.1, 2.0, scale(20, 0.0), |_, _| -1.0);
            let place = CellPlace { x: spring.0, y: spring.1 };
            let mut world = WorldBuilder::new(ground)
                .settings(Settings { solver, ..Settings::default() })
                .initial_stage(|p| if (p.x + p.y) % 64 < 16 { 0.0002 } else { 0.0 })
                .inflow("spring", &[(0.0, 0.005)], &[place])
                .and_then(WorldBuilder::build)
                .expect("a good world");
            let mut slept = 0;
            while world.time() < SimTime::from_seconds(900.0) {
                let report = world.run_cycle(SimTime::from_seconds(900.0));
                slept += u32::from(report.awake < 4);
                let case = format!("{solver:?}, {width} × {height}, spring at {spring:?}");
                assert_eq!(world.water().stored(), world.water().ledger().expected(), "{case}");
                assert!(report.awake > 0, "{case}: the spring keeps its own tile awake");
            }
            assert!(
                slept > 0,
                "{solver:?}, {width} × {height}, spring at {spring:?}: nobody slept"
            );
        }
    }
}
