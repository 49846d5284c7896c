//! Leaves that change under the water: volume, still water, bits, and every invariant on the way.

use crate::support::{THREADS, fractal, noise, on_threads, scale, shrunk, terrain};
use thalweg::check::violations;
use thalweg::criteria::{Criterion, Observer, ObserverOptions, Rectangle, Region, Scale};
use thalweg::terrain::{Edit, EditError, Shape, Terrain};
use thalweg::units::SimTime;
use thalweg::world::{AdaptiveOptions, ColumnKind, EdgeKind, World, WorldBuilder};
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::grid::{LeafId, TileKey};
use thalweg_engine::sim::{Settings, Solver};

const SOLVERS: [Solver; 2] = [Solver::Pipe, Solver::ShallowWater];
const COARSEST: u8 = 3;
const CELLS: usize = 64 << COARSEST;
const WIDTH_M: f64 = 2.0;

/// Limits of new leaves that are tried.
const LIMITS: usize = if crate::QUICK { 1 } else { 2 };

fn hills(seed: u64) -> Terrain {
    terrain(2 * CELLS, CELLS, WIDTH_M, scale(20, 0.0), |x, y| {
        let hole = (x as f64 - 700.0).hypot(y as f64 - 300.0) < 30.0;
        let bed = 30.0 * fractal(seed, x as f64 * 0.2, y as f64 * 0.2);
        if hole { f64::NAN } else { bed }
    })
}

/// Eight observers at places drawn for `jump`.
pub fn observers(seed: u64, jump: u64, world: &Scale) -> Vec<Box<dyn Criterion>> {
    let observer = |i: i64| {
        let draw = |axis: i64| noise(seed + 100 * jump, i, axis);
        let options = ObserverOptions {
            position_m: [draw(0) * 2.0 * CELLS as f64 * WIDTH_M, draw(1) * CELLS as f64 * WIDTH_M],
            velocity_m_s: [0.0; 2],
            look_ahead_s: 0.0,
            radii_m: vec![(0, 40.0 * draw(2) + 1.0), (1, 100.0 * draw(3) + 50.0)],
            priority: 0.0,
        };
        Box::new(Observer::try_new(&options, world).expect("a good observer")) as Box<dyn Criterion>
    };
    (0..8).map(observer).collect()
}

fn adaptive(budget_cells: u64) -> AdaptiveOptions {
    AdaptiveOptions {
        coarsest: COARSEST,
        budget_cells,
        interval_cycles: 1,
        min_age_cycles: 2,
        ahead_cycles: 0,
        leaves_a_cycle: 12,
        criteria: Vec::new(),
    }
}

/// A flood over hills with rain, an inflow and open edges.
pub fn flooded_builder(seed: u64, solver: Solver) -> WorldBuilder {
    WorldBuilder::new(hills(seed))
        .settings(Settings { solver, seed, ..Settings::default() })
        .edges(EdgeKind::Open)
        .columns(ColumnKind::Flat)
        .adaptive(adaptive(1 << 20))
        .initial_depth(move |p: CellPlace| {
            let block = noise(seed, i64::from(p.x / 90), i64::from(p.y / 90));
            if block < 0.3 { 20.0 * block } else { 0.002 * block }
        })
        .rain("rain", &[(0.0, 2.0e-5)])
        .expect("one point")
        .inflow("spring", &[(0.0, 10.0)], &[CellPlace { x: 300, y: 300 }])
        .expect("one point")
}

fn flooded(seed: u64, solver: Solver) -> World {
    flooded_builder(seed, solver).build().expect("a good world")
}

/// Puts the observers elsewhere.
pub fn jump(world: &mut World, seed: u64, jump: u64) {
    let new = observers(seed, jump, &world.extent());
    *world.criteria_mut().expect("an adaptive world") = new;
}

/// Raises or lowers the ground somewhere.
pub fn dig(world: &mut World, seed: u64, count: u64) {
    let draw = |i: i64| noise(seed + count, i, 5);
    let centre_m = [draw(0) * 2.0 * CELLS as f64 * WIDTH_M, draw(1) * CELLS as f64 * WIDTH_M];
    let shape = Shape::Disc { centre_m, radius_m: 20.0 + 40.0 * draw(2), rim_m: 10.0 };
    let by_m = 3.0 * draw(3) + 0.1;
    let edit =
        if draw(4) < 0.5 { Edit::Raise { shape, by_m } } else { Edit::Lower { shape, by_m } };
    match world.edits().edit(&edit) {
        // In the hole there is nothing to dig.
        Ok(_) | Err(EditError::NoGround) => {}
        Err(error) => panic!("{error}"),
    }
}

/// Steps to run: `THALWEG_STEPS`, or as many as every day can bear.
fn steps_asked() -> u64 {
    let asked = std::env::var("THALWEG_STEPS").ok().and_then(|steps| steps.parse().ok());
    asked.unwrap_or(shrunk(400, 60))
}

/// Goal: a change of leaves leaves the discharges alone over sides where nothing changes. Method: a
/// fine leaf between coarser ones in the east and the north, in a flow eastward; those in the north
/// are split.
#[test]
fn discharges_over_sides_that_stay_are_kept() {
    let ground = terrain(256, 256, WIDTH_M, scale(20, 0.0), |x, _| 10.0 - 0.001 * x as f64);
    let options = AdaptiveOptions {
        coarsest: 1,
        min_age_cycles: 0,
        interval_cycles: 1,
        ..AdaptiveOptions::default()
    };
    let builder = WorldBuilder::new(ground)
        .columns(ColumnKind::Flat)
        .initial_depth(|_| 1.0)
        .initial_velocity(|_| (0.5, 0.1));
    let world = builder.extent(1).expect("a coarser level");
    let fine = |rows: f64| -> Vec<Box<dyn Criterion>> {
        let rectangle = Rectangle { west: 1.0, south: 1.0, east: 250.0, north: 128.0 * rows };
        let region = Region::rectangle(rectangle, 0, 0.0, &world).expect("a region");
        vec![Box::new(region)]
    };
    let mut world =
        builder.adaptive(AdaptiveOptions { criteria: fine(1.9), ..options }).build().expect("good");
    world.run_until(SimTime::from_seconds(3.0));
    let over_east = |world: &World| {
        let leaves = world.simulation().leaves().view();
        let leaf = leaves.forest.find(TileKey { level: 0, x: 1, y: 1 }).expect("a fine leaf");
        let row = leaves.interfaces[leaf].as_ref().expect("coarser leaves").beyond[0].as_ref();
        row.expect("a coarser leaf in the east").map(f32::to_bits)
    };
    let before = over_east(&world);
    let count = world.simulation().forest().leaves().len();
    *world.criteria_mut().expect("an adaptive world") = fine(3.9);
    let now = world.time();
    world.run_cycle(now);
    assert_eq!(world.simulation().forest().leaves().len(), count + 3, "one leaf was split");
    assert!(before.iter().all(|&bits| f32::from_bits(bits) > 0.1), "it flows");
    assert_eq!(over_east(&world), before);
}

/// Goal: a large change of leaves takes several cycles, with no more new leaves in one of them
/// than the options say, and ends with the leaves it would have at once. Method: worlds that differ
/// in that number; observers jump, the flood goes on, and invariants are checked at each cycle.
#[test]
fn a_large_change_takes_several_cycles() {
    let ground = hills(3);
    let new_leaves = |leaves_a_cycle: u32| -> (usize, Vec<Vec<TileKey>>) {
        let options = AdaptiveOptions { leaves_a_cycle, ..adaptive(1 << 20) };
        let mut world = WorldBuilder::new(ground.clone())
            .columns(ColumnKind::SubGrid)
            .adaptive(options)
            .initial_depth(|_| 0.2)
            .build()
            .expect("a good world");
        let leaves = |world: &World| world.simulation().forest().leaves().to_vec();
        let (mut last, mut most, mut rests) = (leaves(&world), 0, Vec::new());
        for count in 0..shrunk(4, 1) {
            jump(&mut world, 3, count);
            let mut calm = 0;
            while calm < 6 {
                world.run_cycle(SimTime::from_seconds(1.0e6));
                assert!(violations(&world).is_empty(), "{:#?}", violations(&world));
                let now = leaves(&world);
                let new = now.iter().filter(|key| last.binary_search(key).is_err()).count();
                calm = if new == 0 { calm + 1 } else { 0 };
                most = most.max(new);
                last = now;
            }
            rests.push(last.clone());
        }
        (most, rests)
    };
    let whole = new_leaves(u32::MAX);
    assert!(whole.0 > 8, "{} new leaves at once", whole.0);
    // A tile is split as a whole. One leaf a cycle takes many: its turn comes in full runs.
    for (leaves_a_cycle, most) in [(8, 8), (1, 4)].into_iter().take(LIMITS) {
        let few = new_leaves(leaves_a_cycle);
        assert_eq!(few.0, most, "{leaves_a_cycle} leaves a cycle");
        assert!(whole.1 == few.1, "{leaves_a_cycle} leaves a cycle: the same leaves at the end");
    }
}

/// Goal: P1, P4, P5 over 50,000 steps (`THALWEG_STEPS=50000`) while eight observers jump about and
/// terrain is edited.
/// Method: every few cycles observers jump, and ground is raised or dug; after every cycle all
/// invariants of the forest, the registers and the ledger are checked.
#[test]
fn observers_and_edits_change_no_volume() {
    let kinds = [ColumnKind::Flat, ColumnKind::SubGrid];
    let cases = kinds.into_iter().flat_map(|kind| SOLVERS.into_iter().map(move |s| (kind, s)));
    let every = if crate::QUICK { 3 } else { 1 };
    for ((kind, solver), seed) in cases.zip(1..).step_by(every) {
        let builder = flooded_builder(seed, solver).columns(kind);
        let mut world = builder.build().expect("a good world");
        let (mut steps, mut cycle, mut changes) = (0, 0_u64, 0_u64);
        let mut leaves = world.simulation().forest().leaves().to_vec();
        while steps < steps_asked() {
            if cycle % 5 == 0 {
                jump(&mut world, seed, cycle);
            }
            if cycle % 7 == 3 {
                dig(&mut world, seed, cycle);
            }
            steps += u64::from(world.run_cycle(SimTime::from_seconds(1.0e6)).steps);
            cycle += 1;
            let found = violations(&world);
            assert!(found.is_empty(), "{kind:?}, {solver:?}, cycle {cycle}: {found:#?}");
            let now = world.simulation().forest().leaves();
            changes += u64::from(now != leaves);
            leaves = now.to_vec();
        }
        assert!(changes > shrunk(10, 1), "{changes} changes of the leaves");
    }
}

/// Goal: inside a lake levels change and not one unit of stage moves.
/// Method: a lake over hills that it covers; observers jump about in it; every stage stays.
#[test]
fn a_lake_rests_while_levels_change_under_it() {
    for (solver, kind) in SOLVERS.into_iter().zip([ColumnKind::SubGrid, ColumnKind::Flat]) {
        let settings = Settings { solver, sleep_after_cycles: u32::MAX, ..Settings::default() };
        let ground = terrain(2 * CELLS, CELLS, WIDTH_M, scale(20, 0.0), |x, y| {
            30.0 * fractal(7, x as f64 * 0.2, y as f64 * 0.2)
        });
        let mut world = WorldBuilder::new(ground)
            .settings(settings)
            .adaptive(adaptive(1 << 20))
            .columns(kind)
            .initial_stage(|_| 35.0)
            .build()
            .expect("a good world");
        let stage = |world: &World, leaf: LeafId, cell: usize| {
            world.simulation().ground(leaf).bed[cell] + world.simulation().water(leaf).depth[cell]
        };
        let still = stage(&world, LeafId::new(0), 0);
        let mut levels = [0_usize; 4];
        for cycle in 0..shrunk(60, 8) {
            if cycle % 6 == 0 {
                jump(&mut world, 3, cycle);
                world.criteria_mut().expect("an adaptive world").truncate(2);
            }
            world.run_cycle(SimTime::from_seconds(1.0e6));
            let forest = world.simulation().forest();
            for (leaf, key) in forest.iter() {
                levels[usize::from(key.level)] += 1;
                let all = 0..thalweg_engine::grid::TILE_CELLS;
                let moved = all.filter(|&cell| stage(&world, leaf, cell) != still).count();
                assert_eq!(moved, 0, "{solver:?}, cycle {cycle}, {key:?}");
            }
            assert_eq!(world.water().stored(), world.water().ledger().expected());
        }
        assert!(levels[..3].iter().all(|&count| count > 10), "{levels:?}");
    }
}

/// A lake behind a levee that is one finest cell wide, on a plain that falls away from it. Leaves
/// are all of the finest level until the observer leaves.
fn behind_a_levee(solver: Solver, columns: ColumnKind) -> World {
    let ground = terrain(512, 256, WIDTH_M, scale(20, 0.0), |x, _| {
        if x == LEVEE as usize { 4.0 } else { -0.002 * x as f64 }
    });
    let builder = WorldBuilder::new(ground);
    let near = ObserverOptions {
        position_m: [512.0, 256.0],
        velocity_m_s: [0.0; 2],
        look_ahead_s: 0.0,
        radii_m: vec![(0, 2000.0)],
        priority: 0.0,
    };
    let near = Observer::try_new(&near, &builder.extent(2).expect("levels it has"));
    builder
        .settings(Settings { solver, ..Settings::default() })
        .columns(columns)
        .adaptive(AdaptiveOptions {
            coarsest: 2,
            criteria: vec![Box::new(near.expect("a good observer"))],
            ..adaptive(1 << 20)
        })
        .initial_stage(|place| if place.x < LEVEE { 3.0 } else { f64::NAN })
        .build()
        .expect("a good world")
}

/// Column of the levee. Cells two wide end behind it; of those four wide it is the second column.
const LEVEE: u32 = 93;

/// Goal: a merge does not carry water across a crest.
/// Method: a lake behind a levee that coarser cells would hold together with the plain behind it;
/// no criterion asks for detail. The plain stays dry, its leaves merge, those of the levee wait.
#[test]
fn merges_carry_no_water_across_a_levee() {
    for solver in SOLVERS {
        let mut world = behind_a_levee(solver, ColumnKind::SubGrid);
        let fine = world.simulation().forest().leaves().iter().all(|key| key.level == 0);
        assert!(fine, "{solver:?}: begins with {:?}", world.simulation().forest().leaves());
        world.criteria_mut().expect("an adaptive world").clear();
        for cycle in 0..12 {
            world.run_cycle(SimTime::from_seconds(1.0e6));
            assert_eq!(
                world.water().stored(),
                world.water().ledger().expected(),
                "{solver:?}, cycle {cycle}"
            );
            let forest = world.simulation().forest();
            for (leaf, key) in forest.iter() {
                let within = |cell: usize| u32::try_from(cell % 64).expect("64 columns");
                let column = |cell: usize| (key.corner().x + within(cell)) << key.level;
                let depth = &world.simulation().water(leaf).depth;
                let crossed = (0..depth.len()).find(|&i| column(i) > LEVEE && depth[i] != 0);
                assert_eq!(crossed, None, "{solver:?}, cycle {cycle}: wet in {key:?}");
            }
        }
        let level = |x| {
            let forest = world.simulation().forest();
            let leaf = forest.locate(CellPlace { x, y: 9 }).expect("inside").0;
            forest.leaves()[leaf].level
        };
        assert_eq!([level(LEVEE), level(400)], [1, 2], "{solver:?}");
    }
}

/// Goal: P3 with adaptivity, local steps and edits. Method: one run on 1, 2 and 7 threads.
#[test]
fn threads_do_not_change_a_bit_while_leaves_change() {
    for solver in SOLVERS {
        let hash = || {
            let mut world = flooded(11, solver);
            for cycle in 0..shrunk(20, 5) {
                jump(&mut world, 11, cycle / 3);
                if cycle % 10 == 4 {
                    dig(&mut world, 11, cycle);
                }
                world.run_cycle(SimTime::from_seconds(1.0e6));
            }
            world.state_hash()
        };
        let one = on_threads(1, hash);
        for &threads in &THREADS[1..] {
            assert_eq!(on_threads(threads, hash), one, "{solver:?}, {threads} threads");
        }
    }
}
