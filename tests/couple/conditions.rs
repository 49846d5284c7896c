//! Wind, the stage of an edge and roughness, changed while a world runs.

use crate::support::{check_books, depth, reloaded, terrain};
use thalweg::body::{Body, BodyId, Motion, Pose, Solid};
use thalweg::units::SimTime;
use thalweg::world::{
    Action, AdaptiveOptions, Budget, ColumnKind, EdgeKind, EdgePlace, Progress, Stage, World,
    WorldBuilder,
};
use thalweg_engine::grid::Side;
use thalweg_engine::sim::{Settings, Solver};

const SOLVERS: [Solver; 2] = [Solver::Pipe, Solver::ShallowWater];

fn run_to(world: &mut World, seconds: f64) {
    world.run_until(SimTime::from_seconds(seconds));
    check_books(world);
}

/// All depths along a row.
fn depths(world: &World) -> Vec<f64> {
    (0..128).map(|x| depth(world, x, 20)).collect()
}

/// A lake that ends in a sea in the east.
fn lake(solver: Solver, stages: &[(f64, f64)]) -> WorldBuilder {
    WorldBuilder::new(terrain(128, 40, 5.0, |_, _| 0.0))
        .solver(solver)
        .initial_depth(|_| 2.0)
        .edge("sea", EdgePlace::Side(Side::East), EdgeKind::Stage(stages.to_vec()))
        .edge("cliff", EdgePlace::Side(Side::West), EdgeKind::Wall)
}

/// Goal: a tide that an act begins is that of a world that was built with it; one stage for ever
/// wakes a lake that sleeps, and fills it.
#[test]
fn a_sea_rises_when_it_is_told_to() {
    for solver in SOLVERS {
        let mut built =
            lake(solver, &[(0.0, 2.0), (100.0, 2.0), (700.0, 3.0)]).build().expect("good");
        let mut world = lake(solver, &[(0.0, 2.0)]).build().expect("a good world");
        [&mut built, &mut world].into_iter().for_each(|world| run_to(world, 100.0));
        let stage = Stage::Series(vec![(0.0, 2.0), (600.0, 3.0)]);
        let act = Action::ChangeStage { edge: "sea".to_owned(), stage };
        let _ = world.edits().act(act).expect("a sea");
        for at_s in [400.0, 900.0] {
            [&mut built, &mut world].into_iter().for_each(|world| run_to(world, at_s));
            assert_eq!(depths(&world), depths(&built), "{solver:?} at {at_s} s");
        }
        let mut world = lake(solver, &[(0.0, 2.0)]).build().expect("a good world");
        run_to(&mut world, 1000.0);
        assert!(world.simulation().asleep().iter().all(|asleep| *asleep), "{solver:?}");
        let act = Action::ChangeStage { edge: "sea".to_owned(), stage: Stage::Constant(3.0) };
        world.edits().act_for_good(act).expect("a sea");
        run_to(&mut world, 5000.0);
        let last = depth(&world, 3, 20);
        assert!((last - 3.0).abs() < 0.3, "{solver:?}: {last} m deep");
    }
}

/// Goal: wind leans a lake that sleeps by τ L / (ρ g h) in the mean of its swing; without it, and
/// taken back, the lake is as it was.
#[test]
fn wind_begins_over_a_lake_that_sleeps() {
    let mut world = WorldBuilder::new(terrain(128, 40, 5.0, |_, _| 0.0))
        .solver(Solver::ShallowWater)
        .initial_depth(|_| 2.0)
        .build()
        .expect("a good world");
    run_to(&mut world, 1000.0);
    assert!(world.simulation().asleep().iter().all(|asleep| *asleep));
    let still = world.state_hash();
    let act = || Action::ChangeWind { wind_m_s: [20.0, 0.0] };
    let done = world.edits().act(act()).expect("a wind");
    assert_ne!(world.state_hash(), still);
    let _ = world.edits().undo(done.undo).expect("its way back");
    assert_eq!(world.state_hash(), still);
    world.edits().act_for_good(act()).expect("a wind");
    let (mut sum_m, mut count) = (0.0, 0.0);
    while world.time() < SimTime::from_seconds(2500.0) {
        world.run_cycle(SimTime::MAX);
        sum_m += depth(&world, 127, 20) - depth(&world, 0, 20);
        count += 1.0;
    }
    // ρ_air C_d |W| W / ρ, after the table of terms.
    let push = 1.2e-3 * (0.75 + 0.067 * 20.0) * 1.0e-3 * 400.0;
    let lean_m = push * 640.0 / (9.81 * 2.0);
    let ratio = sum_m / count / lean_m;
    assert!((ratio - 1.0).abs() < 0.1, "{ratio} of {lean_m} m");
}

/// Goal: roughness that is changed before anything runs is that of a world built with it, and it
/// changes what comes later.
#[test]
fn roughness_is_what_it_was_changed_to() {
    for solver in SOLVERS {
        let rough = |manning_n: f64| {
            let settings = Settings { solver, manning_n: vec![manning_n], ..Settings::default() };
            WorldBuilder::new(terrain(128, 40, 5.0, |_, _| 0.0))
                .settings(settings)
                .initial_depth(|at| if at.x < 40 { 2.0 } else { 0.0 })
                .build()
                .expect("a good world")
        };
        let (mut built, mut world, mut smooth) = (rough(0.1), rough(0.02), rough(0.02));
        let act = Action::ChangeRoughness { class: 0, manning_n: 0.1 };
        world.edits().act_for_good(act).expect("a class");
        assert_eq!(world.state_hash(), built.state_hash(), "{solver:?}");
        [&mut built, &mut world, &mut smooth].into_iter().for_each(|world| run_to(world, 60.0));
        assert_eq!(world.state_hash(), built.state_hash(), "{solver:?}");
        let reach = |world: &World| depths(world).iter().filter(|depth| **depth > 0.1).count();
        let [rough, smooth] = [&world, &smooth].map(reach);
        assert!(rough + 5 < smooth, "{solver:?}: {rough} cells wet, {smooth} without a change");
    }
}

/// Goal: conditions are in the file, beside crates and over leaves that change; an act ends a cycle
/// that rests.
/// Method: a world that is saved and loaded after the acts goes on as the one that was saved, to
/// the hash.
#[test]
fn conditions_are_saved_and_go_on() {
    let acts = || {
        let stage = Stage::Series(vec![(0.0, 2.0), (50.0, 2.6)]);
        [
            Action::ChangeStage { edge: "sea".to_owned(), stage },
            Action::ChangeRoughness { class: 0, manning_n: 0.08 },
            Action::ChangeWind { wind_m_s: [-15.0, 6.0] },
        ]
    };
    for is_adaptive in [false, true] {
        let options = AdaptiveOptions { coarsest: 1, interval_cycles: 3, ..Default::default() };
        let mut builder = lake(Solver::ShallowWater, &[(0.0, 2.0)]);
        if is_adaptive {
            builder = builder.columns(ColumnKind::Flat).adaptive(options);
        }
        let mut world = builder.build().expect("a good world");
        let solid = Solid::cuboid([12.0, 9.0, 4.0]).expect("a box");
        let (pose, motion) = (Pose::at([301.0, 98.0, 1.0]), Motion::default());
        let crates = vec![Body { id: BodyId(1), solid, pose, motion, mass_kg: None }];
        world.structures_mut().put_bodies(crates).expect("a crate");
        for act in acts() {
            let end = world.time().after(SimTime::from_seconds(2.0).ticks());
            let rests = world.run_within(end, Budget::CellSteps(4096)).expect("a leaf");
            assert!(matches!(rests, Progress::Paused(_)), "{rests:?}");
            world.edits().act_for_good(act).expect("a condition");
            assert!(!world.is_paused());
        }
        let mut loaded = reloaded(&world, Vec::new());
        assert_eq!(loaded.settings(), world.settings());
        assert_eq!(loaded.state_hash(), world.state_hash(), "adaptive: {is_adaptive}");
        for at_s in [20.0, 40.0, 80.0] {
            [&mut world, &mut loaded].into_iter().for_each(|world| run_to(world, at_s));
            assert_eq!(
                loaded.state_hash(),
                world.state_hash(),
                "adaptive: {is_adaptive}, {at_s} s"
            );
        }
    }
}

/// Goal: conditions that cannot be are refused with what is wrong and how to mend it, and nothing
/// has changed.
#[test]
fn conditions_that_cannot_be_are_refused() {
    let mut world = lake(Solver::ShallowWater, &[(0.0, 2.0)]).build().expect("a good world");
    let before = world.state_hash();
    let sea = |stage| Action::ChangeStage { edge: "sea".to_owned(), stage };
    let of = |edge: &str| {
        let (edge, stage) = (edge.to_owned(), Stage::Constant(1.0));
        Action::ChangeStage { edge, stage }
    };
    let wind = |east| Action::ChangeWind { wind_m_s: [east, 0.0] };
    let rough = |class, manning_n| Action::ChangeRoughness { class, manning_n };
    let cases = [
        (wind(f64::NAN), "−100 to 100 m/s"),
        (wind(f64::INFINITY), "−100 to 100 m/s"),
        (wind(101.0), "−100 to 100 m/s"),
        (rough(1, 0.03), "class of roughness is 1: give a number from 0 to 0"),
        (rough(0, -1.0), "0 to 10"),
        (rough(0, f64::NAN), "0 to 10"),
        (of("see"), "sea"),
        (of("cliff"), "build the world with EdgeKind::Stage there"),
        (sea(Stage::Constant(f64::NAN)), "stage of the water"),
        (sea(Stage::Constant(1.0e9)), "stage of the water"),
        (sea(Stage::Series(Vec::new())), "point"),
        (sea(Stage::Series(vec![(5.0, 1.0), (4.0, 1.0)])), "time"),
        (sea(Stage::Series(vec![(-1.0, 1.0)])), "a time of the stage, s from now,"),
        (sea(Stage::Series(vec![(f64::INFINITY, 1.0)])), "a time of the stage, s from now,"),
    ];
    for (action, says) in cases {
        let line = world.edits().act(action.clone()).expect_err("it cannot be").to_string();
        assert!(line.contains(says), "{action:?}: {line}");
        assert_eq!(world.state_hash(), before, "{action:?}");
    }
}
