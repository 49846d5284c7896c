//! Sleep under a tolerance: water that moves little falls asleep, water that runs does not.

use crate::support::{fractal, from_disk, on_threads, scale, seconds, terrain};
use thalweg::body::{Body, BodyId, Motion, Pose, Solid};
use thalweg::terrain::Shape;
use thalweg::units::SimTime;
use thalweg::world::{
    Action, AdaptiveOptions, Amount, Barrier, ColumnKind, EdgeKind, EdgePlace, Gap, Opening, World,
    WorldBuilder,
};
use thalweg_engine::grid::Side;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::{Settings, SleepTolerance, Solver, Terms};

const TOLERANCE: SleepTolerance = SleepTolerance { stage_m: 0.01, time_s: 5.0 };

/// Kinds of worlds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    OneLevel,
    SubGrid,
    Adaptive,
    AdaptiveFlat,
}

const KINDS: [Kind; 4] = [Kind::OneLevel, Kind::SubGrid, Kind::Adaptive, Kind::AdaptiveFlat];

fn settings(solver: Solver, sleep_tolerance: Option<SleepTolerance>) -> Settings {
    Settings { solver, sleep_tolerance, ..Settings::default() }
}

/// A lake of 2 m with islands and shores, 192 × 128 cells of 1 m.
fn lake(kind: Kind, solver: Solver, tolerance: Option<SleepTolerance>) -> World {
    let bed = |x: usize, y: usize| 5.0 * fractal(4, x as f64, y as f64) - 4.0;
    let builder = WorldBuilder::new(terrain(192, 128, 1.0, scale(20, 0.0), bed))
        .settings(settings(solver, tolerance))
        .initial_stage(|_| 0.0);
    let options = || AdaptiveOptions { coarsest: 2, interval_cycles: 4, ..Default::default() };
    let builder = match kind {
        Kind::OneLevel => builder,
        Kind::SubGrid => builder.level(1).columns(ColumnKind::SubGrid),
        Kind::Adaptive => builder.columns(ColumnKind::SubGrid).adaptive(options()),
        Kind::AdaptiveFlat => builder.columns(ColumnKind::Flat).adaptive(options()),
    };
    builder.build().expect("a good world")
}

/// Half a cubic metre into the lake.
fn splash(world: &mut World) {
    let area = Shape::Disc { centre_m: [61.0, 63.0], radius_m: 2.5, rim_m: 0.0 };
    let action = Action::AddWater { area, amount: Amount::VolumeM3(0.5) };
    world.edits().act_for_good(action).expect("a splash");
}

/// One cycle, after which not a unit is missing; returns how many leaves are awake.
#[track_caller]
fn cycle(world: &mut World, end: SimTime) -> usize {
    let report = world.run_cycle(end);
    let at = report.time.seconds();
    assert_eq!(world.water().stored(), world.water().ledger().expected(), "at {at} s");
    report.awake
}

/// Seconds until all leaves sleep, `most_s` where some are awake then.
#[track_caller]
fn until_asleep(world: &mut World, most_s: f64) -> f64 {
    let start = world.time();
    let end = start.after(seconds(most_s).ticks());
    while world.time() < end && cycle(world, end) > 0 {}
    SimTime::from_ticks(world.time().since(start)).seconds()
}

/// Goal: a lake sleeps within a minute after a splash, and goes on sleeping.
/// Method: each kind of world and solver; the ledger after every cycle. Without a tolerance the
/// lake is awake all that time.
#[test]
fn a_lake_sleeps_soon_after_a_splash() {
    for kind in KINDS {
        for solver in [Solver::ShallowWater, Solver::Pipe] {
            let mut world = lake(kind, solver, Some(TOLERANCE));
            let first_s = until_asleep(&mut world, 240.0);
            splash(&mut world);
            let then_s = until_asleep(&mut world, 240.0);
            println!("{kind:?}, {solver:?}: {first_s:.1} s, after the splash {then_s:.1} s");
            // Cells of 1 m, of 2, and up to 4 m: waves take their time to cross a leaf.
            let most_s = match kind {
                Kind::OneLevel => 60.0,
                Kind::SubGrid => 120.0,
                Kind::Adaptive | Kind::AdaptiveFlat => 240.0,
            };
            assert!(then_s < most_s, "{kind:?}, {solver:?}: awake for {then_s} s");
            let end = world.time().after(seconds(100.0).ticks());
            while world.time() < end {
                assert_eq!(cycle(&mut world, end), 0, "{kind:?}, {solver:?}: it woke");
            }
        }
    }
    let mut exact = lake(Kind::OneLevel, Solver::ShallowWater, None);
    splash(&mut exact);
    assert!(until_asleep(&mut exact, 60.0) >= 60.0, "nothing to gain");
}

/// Goal: a film on a slope, which is too thin for waves, runs off and does not sleep before.
/// Method: 3 mm on slopes that fall by less from cell to cell than the tolerance bears, along the
/// grid and askew; all is as without sleep until the film is thinner than a sixteenth of the
/// tolerance.
#[test]
fn a_film_on_a_slope_stays_awake() {
    for fall in [[0.004, 0.0], [0.002, 0.0015], [0.0, -0.02]] {
        let run = |tolerance: Option<SleepTolerance>| {
            let bed = |x: usize, y: usize| 5.0 - fall[0] * x as f64 - fall[1] * y as f64;
            let mut world = WorldBuilder::new(terrain(64, 64, 1.0, scale(20, 0.0), bed))
                .settings(settings(Solver::ShallowWater, tolerance))
                .edges(EdgeKind::Open)
                .initial_depth(|_| 0.003)
                .build()
                .expect("a good world");
            while world.time() < seconds(90.0) {
                assert_eq!(cycle(&mut world, seconds(90.0)), 1, "{fall:?}: it sleeps");
            }
            world.water().stored()
        };
        assert_eq!(run(Some(TOLERANCE)), run(None), "{fall:?}");
    }
}

/// Goal: a film that is fed from above, too thin for waves, does not sleep however long it runs.
/// Method: 3 mm on a slope of 8 ‰ over five leaves, of which the spring and the open edge keep
/// those at the ends awake, and those beside them: the middle one goes on being awake for longer
/// than waves of a centimetre need to cross it twice.
#[test]
fn a_film_that_is_fed_stays_awake() {
    let cells: Vec<CellPlace> = (0..8).map(|y| CellPlace { x: 0, y }).collect();
    let bed = |x: usize, _| 9.0 - 0.008 * x as f64;
    let mut world = WorldBuilder::new(terrain(320, 8, 1.0, scale(20, 0.0), bed))
        .settings(settings(Solver::ShallowWater, Some(TOLERANCE)))
        .edge("out", EdgePlace::Side(Side::East), EdgeKind::Open)
        .inflow("spring", &[(0.0, 0.0015)], &cells)
        .and_then(WorldBuilder::build)
        .expect("a good world");
    while world.time() < seconds(7000.0) {
        cycle(&mut world, seconds(7000.0));
    }
    let depth_m = world.water().depth_m(CellPlace { x: 160, y: 4 }).expect("in the world");
    assert!(depth_m > 0.002 && depth_m < 0.005, "{depth_m} m");
    while world.time() < seconds(8000.0) {
        let awake = cycle(&mut world, seconds(8000.0));
        assert_eq!(awake, 5, "at {} s", world.time().seconds());
    }
}

/// Goal: a river in steady flow, whose stages do not change, does not sleep.
/// Method: a shallow one on a slope of 10⁻³ into which 1 m³/s come and that leaves over an open
/// edge: all leaves are awake, and as much leaves as comes.
#[test]
fn a_river_in_steady_flow_stays_awake() {
    let bed = |x: usize, y: usize| {
        let bank = if (28..36).contains(&y) { 0.0 } else { 2.0 };
        2.0 - 0.005 * x as f64 + bank
    };
    let cells: Vec<CellPlace> = (28..36).map(|y| CellPlace { x: 0, y }).collect();
    let mut world = WorldBuilder::new(terrain(192, 64, 5.0, scale(20, 0.0), bed))
        .settings(settings(Solver::Pipe, Some(TOLERANCE)))
        .edge("out", EdgePlace::Side(Side::East), EdgeKind::Open)
        .inflow("river", &[(0.0, 1.0)], &cells)
        .and_then(WorldBuilder::build)
        .expect("a good world");
    let left_m3 = |world: &World| {
        let account = world.water().ledger().accounts().iter().find(|own| own.name == "out");
        account.map_or(0.0, |own| own.out as f64 * world.water().unit_m3())
    };
    while world.time() < seconds(9000.0) {
        cycle(&mut world, seconds(9000.0));
    }
    let before_m3 = left_m3(&world);
    while world.time() < seconds(9500.0) {
        assert_eq!(cycle(&mut world, seconds(9500.0)), 3, "at {} s", world.time().seconds());
    }
    let m3_s = (left_m3(&world) - before_m3) / 500.0;
    assert!((m3_s - 1.0).abs() < 0.03, "{m3_s} m³/s leave");
}

/// Goal: water that begins at rest on a slope, too flat to be a wave at first, runs.
/// Method: uniform depths on a slope of 10⁻⁴ between open edges, deep and shallow, in cells of 1, 5
/// and 20 m: no leaf sleeps, and all is as without sleep.
#[test]
fn water_at_rest_on_a_slope_runs() {
    for (cell_m, depth_m) in [(1.0, 2.0), (5.0, 0.3), (20.0, 2.0)] {
        for solver in [Solver::ShallowWater, Solver::Pipe] {
            let run = |tolerance: Option<SleepTolerance>| {
                let bed = |x: usize, _| 5.0 - 1.0e-4 * cell_m * x as f64;
                let mut world = WorldBuilder::new(terrain(192, 8, cell_m, scale(20, 0.0), bed))
                    .settings(settings(solver, tolerance))
                    .edge("out", EdgePlace::Side(Side::East), EdgeKind::Open)
                    .initial_depth(move |_| depth_m)
                    .build()
                    .expect("a good world");
                let end = seconds(100.0 * cell_m);
                while world.time() < end {
                    let awake = cycle(&mut world, end);
                    let at = world.time().seconds();
                    assert_eq!(awake, 3, "{solver:?}, {cell_m} m, {depth_m} m deep, at {at} s");
                }
                world.water().stored()
            };
            assert_eq!(run(Some(TOLERANCE)), run(None), "{solver:?}, {cell_m} m");
        }
    }
}

/// Goal: wind that would lean a lake by more than the tolerance sets it in motion, though it begins
/// at rest.
/// Method: 20 m/s on 2 m of water, 960 m long: it leans by 5 cm as without sleep, within the
/// tolerance for each leaf.
#[test]
fn wind_on_a_lake_at_rest_leans_it() {
    let lean_m = |tolerance: Option<SleepTolerance>| {
        let terms = Terms { wind_m_s: [20.0, 0.0], ..Terms::NONE };
        let settings = Settings { terms, ..settings(Solver::ShallowWater, tolerance) };
        let mut world = WorldBuilder::new(terrain(192, 8, 5.0, scale(20, 0.0), |_, _| -2.0))
            .settings(settings)
            .initial_stage(|_| 0.0)
            .build()
            .expect("a good world");
        let mut most_m = 0.0_f64;
        while world.time() < seconds(1000.0) {
            cycle(&mut world, seconds(1000.0));
            let stage = |x: u32| world.water().stage_m(CellPlace { x, y: 4 }).expect("wet");
            most_m = most_m.max(stage(191) - stage(0));
        }
        most_m
    };
    let [exact_m, tolerant_m] = [None, Some(TOLERANCE)].map(lean_m);
    println!("{exact_m} m, under the tolerance {tolerant_m} m");
    assert!(exact_m > 0.05, "{exact_m} m");
    assert!((tolerant_m - exact_m).abs() < 3.0 * TOLERANCE.stage_m, "{tolerant_m}, {exact_m} m");
}

/// Goal: the turn of a swell is not taken for its end.
/// Method: a lake of 8 leaves, inclined by 10 cm at first, looked at when it falls asleep: it leans
/// by no more than the tolerance for each leaf, and it slept sooner than without a tolerance.
#[test]
fn a_swell_does_not_freeze_as_it_turns() {
    for solver in [Solver::ShallowWater, Solver::Pipe] {
        let mut world = WorldBuilder::new(terrain(512, 8, 2.0, scale(20, 0.0), |_, _| -0.5))
            .settings(settings(solver, Some(TOLERANCE)))
            .initial_stage(|at| 2.0e-4 * (f64::from(at.x) - 255.5))
            .build()
            .expect("a good world");
        let (mut steepest_m, mut first_s) = (0.0_f64, 0.0);
        let stage = |world: &World, x: usize| {
            let x = u32::try_from(x).expect("512 columns");
            world.water().stage_m(CellPlace { x, y: 4 }).expect("wet")
        };
        while world.simulation().asleep().contains(&false) {
            let before = world.simulation().asleep().to_vec();
            cycle(&mut world, seconds(20_000.0));
            assert!(world.time() < seconds(20_000.0), "{solver:?}: it never sleeps");
            let leaves = world.simulation().asleep().iter().zip(before).enumerate();
            for (leaf, _) in leaves.filter(|(_, (is, was))| **is && !was) {
                let fall_m = stage(&world, 64 * leaf) - stage(&world, 64 * leaf + 63);
                steepest_m = steepest_m.max(fall_m.abs());
                first_s = if first_s > 0.0 { first_s } else { world.time().seconds() };
            }
        }
        let asleep_s = world.time().seconds();
        println!(
            "{solver:?}: {first_s} to {asleep_s} s, {steepest_m} m over a leaf that fell asleep"
        );
        assert!(steepest_m < TOLERANCE.stage_m, "{solver:?}: {steepest_m} m over a leaf");
        let lean_m = (stage(&world, 511) - stage(&world, 0)).abs();
        assert!(lean_m < 2.0 * TOLERANCE.stage_m, "{solver:?}: {lean_m} m are left of 0.1 m");
    }
}

/// Goal: a narrow gate passes water as long as there is a head on it.
/// Method: two pools with an opening of 30 by 20 cm in a wall, and 30 cm of head: the pools
/// sleep when the stages are even within the tolerance, and not before.
#[test]
fn a_narrow_gate_stays_awake_under_its_head() {
    let gap = Gap { sill_m: None, opening: Opening::Fixed(0.2) };
    for solver in [Solver::ShallowWater, Solver::Pipe] {
        let gate = Barrier {
            gap: Some(gap.clone()),
            ..Barrier::wall("gate", vec![[32.0, 3.35], [32.0, 3.65]], 10.0)
        };
        let mut world = WorldBuilder::new(terrain(64, 8, 1.0, scale(20, 0.0), |_, _| 0.0))
            .settings(settings(solver, Some(TOLERANCE)))
            .initial_depth(|at| if at.x < 32 { 0.6 } else { 0.3 })
            .barrier(Barrier::wall("south", vec![[32.0, 0.0], [32.0, 3.35]], 10.0))
            .barrier(gate)
            .barrier(Barrier::wall("north", vec![[32.0, 3.65], [32.0, 8.0]], 10.0))
            .build()
            .expect("a good world");
        let head = |world: &World| {
            let stage = |x: u32| world.water().stage_m(CellPlace { x, y: 2 }).expect("wet");
            stage(8) - stage(56)
        };
        let first_m = head(&world);
        let asleep_s = until_asleep(&mut world, 30_000.0);
        let last_m = head(&world);
        println!("{solver:?}: from {first_m} m to {last_m} m in {asleep_s} s");
        assert!(last_m.abs() < 2.0 * TOLERANCE.stage_m, "{solver:?}: {last_m} m of head");
        assert!(asleep_s < 30_000.0, "{solver:?}: it never sleeps");
    }
}

/// Goal: a lake that fills by much less than the tolerance in its time fills everywhere, and then
/// sleeps.
/// Method: five leaves in a row with a spring in the first: all stages end within the tolerance of
/// their mean.
#[test]
fn a_lake_that_fills_slowly_fills_everywhere() {
    let mut world = WorldBuilder::new(terrain(320, 64, 10.0, scale(20, 0.0), |_, _| -2.0))
        .settings(settings(Solver::Pipe, Some(TOLERANCE)))
        .initial_stage(|_| 0.0)
        .inflow("spring", &[(0.0, 20.0), (6000.0, 0.0)], &[CellPlace { x: 9, y: 30 }])
        .and_then(WorldBuilder::build)
        .expect("a good world");
    let mut slept = 0;
    while world.time() < seconds(6000.0) {
        slept += 5 - cycle(&mut world, seconds(6000.0));
    }
    assert!(slept > 0, "the far end slept meanwhile");
    until_asleep(&mut world, 2000.0);
    let stage = |x: u32| world.water().stage_m(CellPlace { x, y: 32 }).expect("wet");
    let stages = [32, 96, 160, 224, 288].map(stage);
    println!("{stages:?} m at {} s", world.time().seconds());
    let mean = 0.5 * 20.0 * 6000.0 / (3200.0 * 640.0);
    assert!(
        stages.iter().all(|stage| (stage - mean).abs() < TOLERANCE.stage_m),
        "{mean} m: {stages:?} m"
    );
    assert!(world.simulation().asleep().iter().all(|asleep| *asleep), "all sleep in the end");
}

/// Goal: a world with a tolerance goes on from its file as the one that was saved, on any number of
/// threads.
/// Method: hashes after a splash, saved while leaves are quiet and do not sleep yet.
#[test]
fn a_tolerance_is_saved_and_knows_no_threads() {
    for kind in KINDS {
        let run = || {
            let mut world = lake(kind, Solver::ShallowWater, Some(TOLERANCE));
            splash(&mut world);
            world.run_until(seconds(8.0));
            let mut copy = from_disk("tolerance", &world);
            assert_eq!(copy.settings(), world.settings());
            let mut hashes = Vec::new();
            for at_s in [8.0, 12.0, 30.0] {
                world.run_until(seconds(at_s));
                copy.run_until(seconds(at_s));
                assert_eq!(copy.state_hash(), world.state_hash(), "{kind:?}, {at_s} s");
                hashes.push(world.state_hash());
            }
            hashes
        };
        let one = on_threads(1, run);
        let are_equal = [2, 7].into_iter().all(|threads| on_threads(threads, run) == one);
        assert!(are_equal, "{kind:?}");
    }
}

fn held(id: u64, position: [f64; 3]) -> Body {
    let solid = Solid::cuboid([2.0, 2.0, 1.0]).expect("a box");
    let (pose, motion) = (Pose::at(position), Motion::default());
    Body { id: BodyId(id), solid, pose, motion, mass_kg: None }
}

/// Goal: a body at rest lets a lake sleep, and one that moves on dry land wakes nobody.
/// Method: a crate that is put into a lake, held afloat off the grid; then it stays while another
/// is moved about on land far from the water.
#[test]
fn bodies_at_rest_let_a_lake_sleep() {
    let bed = |x: usize, _| if x < 64 { -2.0 } else { 3.0 };
    let mut world = WorldBuilder::new(terrain(320, 64, 1.0, scale(20, 0.0), bed))
        .settings(settings(Solver::ShallowWater, Some(TOLERANCE)))
        .initial_stage(|_| 0.0)
        .build()
        .expect("a good world");
    let afloat = held(1, [30.3, 31.6, 0.1]);
    world.structures_mut().put_bodies(vec![afloat.clone()]).expect("a body");
    let asleep_s = until_asleep(&mut world, 400.0);
    println!("asleep {asleep_s:.1} s after the crate came");
    assert!(asleep_s < 300.0, "awake for {asleep_s} s");
    for step in 0..5 {
        let dry = held(2, [250.3 + 0.1 * f64::from(step), 20.2, 3.5]);
        world.structures_mut().put_bodies(vec![afloat.clone(), dry]).expect("two bodies");
        let end = world.time().after(seconds(1.0).ticks());
        assert_eq!(cycle(&mut world, end), 0, "step {step}");
    }
}

/// Goal: a tolerance that is none is refused, with its range.
#[test]
fn tolerances_out_of_range_are_refused() {
    let bad = [f64::NAN, f64::INFINITY, -1.0, 0.0, 1.0e9];
    let stages = bad.map(|stage_m| SleepTolerance { stage_m, ..TOLERANCE });
    let times = bad.map(|time_s| SleepTolerance { time_s, ..TOLERANCE });
    for (tolerances, name) in [(stages, "stage"), (times, "time")] {
        for tolerance in tolerances {
            let ground = terrain(8, 8, 1.0, scale(20, 0.0), |_, _| 0.0);
            let builder = WorldBuilder::new(ground);
            let result = builder.settings(settings(Solver::Pipe, Some(tolerance))).build();
            let error = result.expect_err("no tolerance").to_string();
            let start = format!("the {name} of the tolerance of sleep is ");
            assert!(error.starts_with(&start) && error.contains(": choose 0."), "{error}");
        }
    }
}
