//! Steps by leaf: volume, still water, bits, and that they are taken at all.

use crate::levels::hilly;
use crate::support::{TempFile, fractal, on_threads, scale, shrunk, terrain};
use thalweg::units::SimTime;
use thalweg::world::{Budget, ColumnKind, EdgeKind, Progress, SaveFile, World, WorldBuilder};
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::{Settings, Solver, StepsOf};
use thalweg_engine::tile::CowPlane;
use thalweg_engine::units::hash::scramble;

const SOLVERS: [Solver; 2] = [Solver::Pipe, Solver::ShallowWater];
const COLUMNS: [ColumnKind; 2] = [ColumnKind::Flat, ColumnKind::SubGrid];

/// All kinds of worlds below, or some of them (`QUICK`).
fn kinds() -> impl Iterator<Item = (Solver, ColumnKind)> {
    let all = SOLVERS.into_iter().flat_map(|solver| COLUMNS.map(|columns| (solver, columns)));
    all.step_by(if crate::QUICK { 3 } else { 1 })
}

fn settings(solver: Solver) -> Settings {
    Settings { solver, steps: StepsOf::Leaf, ..Settings::default() }
}

/// A valley of five by four tiles that is 60 m deep in the west, and hills in the east; sub-grid
/// columns are two cells of the ground wide.
fn valley((solver, columns): (Solver, ColumnKind)) -> WorldBuilder {
    let level = u8::from(columns == ColumnKind::SubGrid);
    let wide = 1 << level;
    let ground = terrain(320 * wide, 256 * wide, 5.0 / wide as f64, scale(20, 0.0), |x, y| {
        let [x, y] = [x, y].map(|at| at as f64 / wide as f64);
        60.0 * (x / 320.0).min(1.0) + 6.0 * fractal(7, x * 0.7, y * 0.7)
    });
    WorldBuilder::new(ground).settings(settings(solver)).columns(columns).level(level)
}

/// The valley as a reservoir whose dam breaks, with rain on the hills and an open edge.
fn flood(kind: (Solver, ColumnKind)) -> WorldBuilder {
    valley(kind)
        .edges(EdgeKind::Open)
        .initial_depth(|p: CellPlace| match p.x {
            0..90 => 30.0,
            200..220 => 2.0,
            _ => 0.0,
        })
        .rain("rain", &[(0.0, 2.0e-5)])
        .expect("one point")
}

/// Runs a world: its cell-steps, and those of leaves awake if all took the shortest.
fn run(world: &mut World, cycles: u64) -> (u64, f64) {
    let (mut taken, mut all) = (0, 0.0);
    for cycle in 0..cycles {
        let report = world.run_cycle(SimTime::from_seconds(1.0e6));
        taken += report.cell_steps;
        all += (report.awake * 4096) as f64 * f64::from(report.steps);
        let (stored, expected) = (world.water().stored(), world.water().ledger().expected());
        assert_eq!(stored, expected, "cycle {cycle}");
    }
    (taken, all)
}

/// Depths of all cells after some seconds, in cycles no longer than this.
fn depths_at(world: &mut World, seconds: f64, cycle_s: f64) -> Vec<i32> {
    let mut end_s = 0.0;
    while end_s < seconds {
        end_s += cycle_s;
        let end = SimTime::from_seconds(end_s);
        while world.time() < end {
            world.run_cycle(end);
        }
    }
    let leaves = world.simulation().forest().ids();
    leaves.flat_map(|leaf| world.simulation().water(leaf).depth.to_vec()).collect()
}

/// Goal: P1 and P4 where leaves of other steps meet, and that steps are saved. Method: the flood;
/// volumes as integers after every cycle; fewer cell-steps than awake leaves × steps.
#[test]
fn a_flood_through_leaves_of_other_steps_loses_nothing() {
    for kind in kinds() {
        let mut world = flood(kind).build().expect("a good world");
        let (taken, all) = run(&mut world, shrunk(120, 12));
        assert!((taken as f64) < 0.9 * all, "{kind:?}: {taken} of {all} cell-steps");
        for leaf in world.simulation().forest().ids() {
            let least = world.simulation().water(leaf).depth.iter().min();
            assert!(least.is_some_and(|&h| h >= 0), "{kind:?}: {leaf:?}");
        }
    }
}

/// Goal: P2 where leaves of other steps meet. Method: a lake from 60 m deep to its shore; depths to
/// the unit.
#[test]
fn a_lake_rests_through_leaves_of_other_steps() {
    for kind in kinds() {
        let settings = Settings { sleep_after_cycles: u32::MAX, ..settings(kind.0) };
        let mut world =
            valley(kind).settings(settings).initial_stage(|_| 58.0).build().expect("a good world");
        let depths = |world: &World| -> Vec<CowPlane<i32>> {
            let leaves = world.simulation().forest().ids();
            leaves.map(|leaf| world.simulation().water(leaf).depth.clone()).collect()
        };
        let before = depths(&world);
        let (taken, all) = run(&mut world, shrunk(12, 4));
        assert!((taken as f64) < all, "{kind:?}: {taken} of {all} cell-steps");
        assert!(depths(&world) == before, "{kind:?}: the lake moved");
    }
}

/// Goal: P1 with levels beside each other as well. Method: floods on random mixes of levels.
#[test]
fn leaves_of_other_steps_and_other_levels_lose_nothing() {
    for (seed, solver) in (5..).zip(SOLVERS) {
        let mut world = hilly(seed, solver, 3)
            .settings(Settings { seed, ..settings(solver) })
            .edges(EdgeKind::Open)
            .initial_depth(|p: CellPlace| if p.x < 200 { 12.0 } else { 0.1 })
            .build()
            .expect("a good world");
        let (taken, all) = run(&mut world, shrunk(40, 5));
        assert!((taken as f64) < all, "{solver:?}: {taken} of {all} cell-steps");
    }
}

/// Goal: P3 and P5. Method: the flood with some numbers of threads, in parts, and saved and loaded
/// in its midst; hashes.
#[test]
fn leaves_of_other_steps_give_the_same_bits_however_they_are_run() {
    for kind in kinds() {
        let cycles = shrunk(16, 8);
        let hash = || {
            let mut world = flood(kind).build().expect("a good world");
            run(&mut world, cycles);
            world.state_hash()
        };
        let one = on_threads(1, hash);
        assert_eq!(on_threads(7, hash), one, "{kind:?}, 7 threads");
        let mut parts = flood(kind).build().expect("a good world");
        for _ in 0..cycles {
            let mut part = || {
                let budget = Budget::CellSteps(9 * 4096);
                parts.run_within(SimTime::from_seconds(1.0e6), budget).expect("a budget")
            };
            while matches!(part(), Progress::Paused(_)) {}
        }
        assert_eq!(parts.state_hash(), one, "{kind:?}, in parts");
        let path = TempFile::new("leaf-steps");
        let mut first = flood(kind).build().expect("a good world");
        run(&mut first, cycles / 2);
        let mut file = SaveFile::create(&path.0, &first).expect("a new file");
        file.save(&first).expect("saved");
        let mut again = file.load(Vec::new()).expect("opened");
        run(&mut again, cycles - cycles / 2);
        assert_eq!(again.state_hash(), one, "{kind:?}, saved and loaded");
    }
}

/// Goal: P1 if leaves asleep, which take no steps, lie beside leaves of other steps. Method: a dam
/// breaks beside a pond into dry land, whose tiles sleep until water comes; volumes after every
/// cycle.
#[test]
fn leaves_asleep_beside_other_steps_lose_nothing() {
    for kind in kinds() {
        let settings = Settings { sleep_after_cycles: 2, ..settings(kind.0) };
        let mut world = valley(kind)
            .settings(settings)
            .initial_depth(|p: CellPlace| match (p.x, p.y) {
                (..90, ..90) => 30.0,
                (150..180, ..60) => 0.3,
                _ => 0.0,
            })
            .build()
            .expect("a good world");
        let (mut mixed, mut taken, mut all) = (0, 0, 0.0);
        for _ in 0..shrunk(60, 12) {
            let (of_cycle, if_all) = run(&mut world, 1);
            let is_asleep = if_all > 0.0 && world.simulation().awake().count() < 20;
            mixed += u32::from(is_asleep && (of_cycle as f64) < if_all);
            (taken, all) = (taken + of_cycle, all + if_all);
        }
        assert!(mixed > 2, "{kind:?}: {mixed} cycles, {taken} of {all} cell-steps");
    }
}

/// Goal: P1 for any neighbours. Method: tiles of ponds at random, from 20 m deep to dry, behind
/// ridges with some gaps; dry ones sleep, those of 30 cm take the longest steps.
#[test]
fn ponds_of_any_depth_beside_each_other_lose_nothing() {
    for (solver, seed) in SOLVERS.into_iter().flat_map(|solver| [1, 2, 3].map(|i| (solver, i))) {
        let draw = move |x: usize, y: usize| scramble(seed << 32 | (x << 8 | y) as u64) % 10;
        let ground = terrain(512, 512, 5.0, scale(20, 0.0), |x, y| {
            let is_ridge = x % 64 < 2 || y % 64 < 2;
            let is_gap = (x % 64 == 30 || y % 64 == 30) && draw(x / 64, y / 64) == 1;
            if is_ridge && !is_gap { 60.0 } else { fractal(7, x as f64, y as f64) }
        });
        let settings = Settings { sleep_after_cycles: 2, ..settings(solver) };
        let mut world = WorldBuilder::new(ground)
            .settings(settings)
            .initial_depth(move |p: CellPlace| {
                let (x, y) = (p.x as usize, p.y as usize);
                let deep = match draw(x / 64 + 8, y / 64) {
                    0 => 20.0,
                    1 => 0.3,
                    _ => 0.0,
                };
                let is_ridge = x % 64 < 2 || y % 64 < 2;
                if is_ridge { 0.0 } else { deep * (0.5 + (x % 64) as f64 / 64.0) }
            })
            .build()
            .expect("a good world");
        let (taken, all) = run(&mut world, shrunk(60, 12));
        let asleep = 64 - world.simulation().awake().count();
        assert!((taken as f64) < 0.9 * all, "{solver:?}, {seed}: {taken} of {all} cell-steps");
        assert!(asleep > 3, "{solver:?}, {seed}: {asleep} asleep");
    }
}

/// Goal: a leaf sees the water of its neighbour with longer steps at its own moment. Method: a wave
/// runs from a tile 40 m deep into one 4 m deep, and back; the difference of depths from those
/// in steps of a tenth of a second, as a root mean square, against that with steps of levels.
#[test]
fn a_wave_runs_through_leaves_of_other_steps() {
    for solver in SOLVERS {
        let stages = |steps: StepsOf, cycle_s: f64, from_west: bool| -> Vec<i32> {
            let ground =
                terrain(128, 64, 5.0, scale(20, 0.0), |x, _| if x < 64 { 0.0 } else { 36.0 });
            let mut world = WorldBuilder::new(ground)
                .settings(Settings { steps, ..settings(solver) })
                .initial_stage(move |p| {
                    let x = if from_west { f64::from(p.x) - 44.0 } else { f64::from(p.x) - 80.0 };
                    40.0 + 0.5 * (-(x / 8.0).powi(2)).exp()
                })
                .build()
                .expect("a good world");
            depths_at(&mut world, 12.0, cycle_s)
        };
        for from_west in [true, false] {
            let fine = stages(StepsOf::Level, 0.1, from_west);
            let [by_level, by_leaf] = [StepsOf::Level, StepsOf::Leaf].map(|steps| {
                let off = stages(steps, 12.0, from_west);
                let off = off.iter().zip(&fine).map(|(a, b)| f64::from(a - b).powi(2));
                (off.sum::<f64>() / 8192.0).sqrt() / f64::from(1 << 20)
            });
            assert!(
                by_leaf < 2.0 * by_level,
                "{solver:?}, from the west: {from_west}: off by {by_leaf} m, by level {by_level} m"
            );
        }
    }
}

/// Goal: steps by leaf are as exact as those of levels. Method: the flood with both, beside one in
/// steps of a tenth; the sum of the differences of all depths from those, over the volume.
#[test]
fn leaves_of_other_steps_tell_the_same_flood() {
    let seconds = if crate::QUICK { 8.0 } else { 60.0 };
    for kind in kinds() {
        let depths = |steps: StepsOf, cycle_s: f64| -> Vec<i32> {
            let settings = Settings { steps, ..settings(kind.0) };
            let mut world =
                flood(kind).edges(EdgeKind::Wall).settings(settings).build().expect("a good world");
            depths_at(&mut world, seconds, cycle_s)
        };
        let fine = depths(StepsOf::Level, 0.1);
        let volume: f64 = fine.iter().copied().map(f64::from).sum();
        let off = |depths: &[i32]| {
            let apart = depths.iter().zip(&fine).map(|(a, b)| f64::from(a - b).abs());
            apart.sum::<f64>() / volume
        };
        let [by_level, by_leaf] =
            [StepsOf::Level, StepsOf::Leaf].map(|steps| off(&depths(steps, seconds)));
        println!("{kind:?}: off by {by_level} with steps of levels, {by_leaf} by leaf");
        assert!(by_leaf < 1.5 * by_level, "{kind:?}: {by_leaf}, with steps of levels {by_level}");
        assert!((by_leaf - by_level).abs() > 0.0, "{kind:?}: the same steps");
    }
}
