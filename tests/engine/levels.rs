//! Leaves of several levels side by side: volume, still water, bits.

use crate::support::{THREADS, fractal, noise, on_threads, scale, shrunk, terrain};
use std::collections::BTreeMap;
use std::sync::Mutex;
use thalweg::terrain::Terrain;
use thalweg::units::SimTime;
use thalweg::world::{ColumnKind, EdgeKind, World, WorldBuilder};
use thalweg_engine::forest::{Forest, ForestError};
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::grid::{LeafId, TILE_CELLS, TileKey};
use thalweg_engine::sim::{Settings, Solver};
use thalweg_engine::tile::CowPlane;

const SOLVERS: [Solver; 2] = [Solver::Pipe, Solver::ShallowWater];

/// Leaves that cover `columns` × `rows` tiles of level `coarsest`, split at random: down to level 0
/// around three places, and here and there.
pub fn random_mix(seed: u64, columns: u32, rows: u32, coarsest: u8) -> Vec<TileKey> {
    let mut leaves: Vec<TileKey> = (0..rows)
        .flat_map(|y| (0..columns).map(move |x| TileKey { level: coarsest, x, y }))
        .collect();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below 2¹⁶")]
    let draw = |i: i64, count: u32| (noise(seed, i, 77) * f64::from(count << coarsest)) as u32;
    let places: Vec<_> = (0..3)
        .map(|i| TileKey { level: 0, x: draw(i, columns / 2), y: draw(i + 3, rows) })
        .collect();
    for round in 0..u64::from(coarsest) {
        let splits = |key: &TileKey| {
            let lot = noise(seed + round, i64::from(key.x), i64::from(key.y));
            let is_place = places.iter().any(|place| place.ancestor(key.level) == *key);
            key.level > 0 && (is_place || lot < 0.05)
        };
        let (split, kept): (Vec<_>, Vec<_>) = leaves.into_iter().partition(splits);
        leaves = kept;
        leaves.extend(split.iter().flat_map(|key| (0..4).map(|q| key.child(q))));
    }
    loop {
        match Forest::try_of_leaves(0, leaves.clone()) {
            Ok(_) => return leaves,
            Err(ForestError::Unbalanced([_, coarse])) => {
                leaves.retain(|key| *key != coarse);
                leaves.extend((0..4).map(|q| coarse.child(q)));
            }
            Err(error) => panic!("{error}"),
        }
    }
}

/// A world of hills and hollows on such leaves, with sub-grid columns.
pub fn hilly_sub_grid(seed: u64, solver: Solver, coarsest: u8) -> WorldBuilder {
    hilly(seed, solver, coarsest).columns(ColumnKind::SubGrid)
}

/// Both kinds of them.
const HILLY: [fn(u64, Solver, u8) -> WorldBuilder; 2] = [hilly, hilly_sub_grid];

/// Ground of hills and hollows for a seed and a level, made once: some have eight million cells.
fn ground(seed: u64, coarsest: u8) -> Terrain {
    static MADE: Mutex<BTreeMap<(u64, u8), Terrain>> = Mutex::new(BTreeMap::new());
    let mut made = MADE.lock().expect("whole");
    let new = || {
        let width = 64 << coarsest;
        terrain(4 * width, 2 * width, 2.0, scale(20, 0.0), |x, y| {
            40.0 * fractal(seed, x as f64 * 0.2, y as f64 * 0.2)
        })
    };
    made.entry((seed, coarsest)).or_insert_with(new).clone()
}

/// A world of hills and hollows on such leaves.
pub fn hilly(seed: u64, solver: Solver, coarsest: u8) -> WorldBuilder {
    WorldBuilder::new(ground(seed, coarsest))
        .settings(Settings { solver, seed, ..Settings::default() })
        .leaves(random_mix(seed, 4, 2, coarsest))
}

fn levels_of(world: &World) -> [usize; 5] {
    let mut counts = [0; 5];
    for key in world.simulation().forest().leaves() {
        counts[usize::from(key.level)] += 1;
    }
    counts
}

/// Goal: P2 on five levels side by side: shores, islands and hollows cross their edges.
/// Method: a lake filled to one stage over fractal ground; no sleep; depths compared to the unit.
#[test]
fn a_lake_rests_on_any_mix_of_levels() {
    let cases = SOLVERS.into_iter().flat_map(|s| [(s, 3), (s, 4)]);
    let cases = HILLY.into_iter().flat_map(|hilly| cases.clone().map(move |(s, n)| (hilly, s, n)));
    let every = if crate::QUICK { 6 } else { 1 };
    for (hilly, solver, seed) in cases.step_by(every) {
        let settings =
            Settings { solver, seed, sleep_after_cycles: u32::MAX, ..Settings::default() };
        let mut world = hilly(seed, solver, 4)
            .settings(settings)
            .initial_stage(|_| 19.0)
            .build()
            .expect("a good world");
        assert!(levels_of(&world).iter().all(|&count| count > 0), "{:?}", levels_of(&world));
        let depths = |world: &World| -> Vec<CowPlane<i32>> {
            let leaves = world.simulation().forest().ids();
            leaves.map(|leaf| world.simulation().water(leaf).depth.clone()).collect()
        };
        let before = depths(&world);
        for _ in 0..shrunk(20, 4) {
            world.run_cycle(SimTime::from_seconds(1.0e6));
        }
        assert!(depths(&world) == before, "{solver:?}, seed {seed}: the lake moved");
    }
}

/// Goal: a lake sleeps, whatever levels meet at its shore. Method: the lake above, with sleep on;
/// after the idle cycles no leaf is awake.
#[test]
fn a_lake_on_a_mix_of_levels_falls_asleep() {
    let cases = SOLVERS.into_iter().flat_map(|s| HILLY.map(|hilly| (s, hilly)));
    for (solver, hilly) in cases.step_by(if crate::QUICK { 3 } else { 1 }) {
        let mut world = hilly(3, solver, 3).initial_stage(|_| 19.0).build().expect("a good world");
        let awake = (0..20).map(|_| world.run_cycle(SimTime::from_seconds(1.0e6)).awake);
        assert_eq!(awake.last(), Some(0), "{solver:?}");
    }
}

/// Goal: P1 and P4 over a flood that crosses all edges between levels.
/// Method: columns of water fall on hilly ground, rain adds to them, the edge is open; stored and
/// booked volume are compared as integers after every cycle.
#[test]
fn a_flood_over_a_mix_of_levels_loses_nothing() {
    let seeds = 5..if crate::QUICK { 6 } else { 8 };
    let cases = SOLVERS.into_iter().flat_map(|s| seeds.clone().map(move |seed| (s, seed)));
    let flat = cases.map(|(solver, seed)| (HILLY[0], solver, seed));
    let sub_grid = SOLVERS.into_iter().map(|solver| (HILLY[1], solver, 5));
    let every = if crate::QUICK { 3 } else { 1 };
    for (hilly, solver, seed) in flat.chain(sub_grid).step_by(every) {
        let mut world = hilly(seed, solver, 3)
            .edges(EdgeKind::Open)
            .initial_depth(move |p: CellPlace| {
                let block = noise(seed, i64::from(p.x / 50), i64::from(p.y / 50));
                if block < 0.3 { 30.0 * block } else { 0.001 * block }
            })
            .rain("rain", &[(0.0, 2.0e-5)])
            .expect("one point")
            .build()
            .expect("a good world");
        for cycle in 0..shrunk(60, 5) {
            world.run_cycle(SimTime::from_seconds(1.0e6));
            let (stored, expected) = (world.water().stored(), world.water().ledger().expected());
            assert_eq!(stored, expected, "{solver:?}, seed {seed}, cycle {cycle}");
        }
        let forest = world.simulation().forest();
        for leaf in forest.ids() {
            let least = world.simulation().water(leaf).depth.iter().min();
            assert!(least.is_some_and(|&h| h >= 0), "{solver:?}, seed {seed}, {leaf:?}");
        }
    }
}

/// Goal: P3 with levels and local steps. Method: the same flood on 1, 2 and 7 threads.
#[test]
fn threads_do_not_change_a_bit_across_levels() {
    for (solver, hilly) in SOLVERS.into_iter().zip([hilly_sub_grid, hilly]) {
        let hash = || {
            let mut world = hilly(11, solver, 3)
                .initial_depth(|p: CellPlace| if p.x < 200 { 5.0 } else { 0.2 })
                .build()
                .expect("a good world");
            for _ in 0..shrunk(20, 5) {
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

/// Goal: a velocity at the beginning holds over faces between levels too, whoever owns them.
/// Method: uniform flow down a plane to each side through an edge; depths stay, away from the ends.
#[test]
fn a_flow_begins_across_edges_between_levels() {
    let (slope, n) = (0.005_f64, 0.03);
    let speed = slope.sqrt() / n;
    for (solver, side) in SOLVERS.into_iter().flat_map(|s| (0..4).map(move |side| (s, side))) {
        let (cos, sin) = [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)][side];
        let ground = terrain(256, 256, 1.0, scale(22, 0.0), |x, y| {
            -slope * (cos * x as f64 + sin * y as f64)
        });
        // Three quarters fine, one coarse in the north-east.
        let coarse = |level, x, y| TileKey { level, x, y };
        let mut leaves = vec![coarse(1, 1, 1)];
        leaves.extend(
            [(0, 0), (1, 0), (0, 1)]
                .into_iter()
                .flat_map(|(x, y)| (0..4).map(move |quadrant| coarse(1, x, y).child(quadrant))),
        );
        let mut world = WorldBuilder::new(ground)
            .settings(Settings { solver, manning_n: vec![n], ..Settings::default() })
            .leaves(leaves)
            .initial_depth(|_| 1.0)
            .initial_velocity(move |_| (speed * cos, speed * sin))
            .build()
            .expect("a good world");
        world.run_until(SimTime::from_seconds(3.0));
        for (x, y) in (64..192).flat_map(|y| (64..192).map(move |x| (x, y))) {
            let depth = world.water().depth_m(CellPlace { x, y }).expect("inside");
            assert!((depth - 1.0).abs() < 1.0e-4, "{solver:?}, side {side}, ({x}, {y}): {depth} m");
        }
    }
}

/// Goal: a velocity at the beginning depends on the neighbours of a coarse cell, and not on the
///             cell itself.
/// Method: at rest, and moving: water west of a dry shore, faces along the shore and the boundary.
#[test]
fn a_flow_begins_between_coarse_cells_and_not_through_rims() {
    for level in 0..=2 {
        let ground = terrain(128 << level, 128 << level, 1.0, scale(22, 0.0), |_, _| 0.0);
        // Finer and finer towards the north-east.
        let quarters = |x: u32, y: u32| [(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)];
        let mut leaves = Vec::new();
        for finer in (0..=level).rev() {
            let last = (2 << (level - finer)) - 2;
            leaves.extend(quarters(last, last).map(|(x, y)| TileKey { level: finer, x, y }));
            if finer > 0 {
                leaves.pop();
            }
        }
        let world = WorldBuilder::new(ground)
            .leaves(leaves)
            .initial_depth(|place| if place.x < 16 { 2.0 } else { 0.0 })
            .initial_velocity(|_| (1.5, 0.75))
            .build()
            .expect("a good world");
        let corner = world.simulation().water(LeafId::new(0));
        let shore = 16 >> level;
        let row = &corner.flow_x[10 * 64..];
        assert_eq!((row[0], row[shore - 1], row[shore], row[shore + 1]), (0.0, 3.0, 3.0, 0.0));
        assert_eq!((corner.flow_y[2], corner.flow_y[2 + 64]), (0.0, 1.5), "level {level}");
    }
}

/// Goal: the work that is counted is the work that is done: a level's leaves step half as often as
/// those of the next finer one, and what sleeps costs nothing.
#[test]
fn a_cycle_counts_the_cells_it_stepped() {
    let settings = Settings { sleep_after_cycles: 2, ..Settings::default() };
    let mut world = hilly(3, Solver::ShallowWater, 3)
        .settings(settings)
        .initial_stage(|_| 19.0)
        .build()
        .expect("a good world");
    let mut slept = false;
    for _ in 0..20 {
        let report = world.run_cycle(SimTime::from_seconds(1.0e6));
        let (forest, asleep) = (world.simulation().forest(), world.simulation().asleep());
        let awake = || forest.leaves().iter().zip(asleep).filter(|(_, asleep)| !**asleep);
        let finest = awake().map(|(key, _)| key.level).min().unwrap_or(0);
        let steps = awake().map(|(key, _)| u64::from(report.steps >> (key.level - finest)));
        let cell_steps = steps.sum::<u64>() * TILE_CELLS as u64;
        assert_eq!((report.steps, report.cell_steps), (8, cell_steps));
        slept |= asleep.contains(&true);
    }
    assert!(slept, "all leaves were awake");
}

/// Goal: the report says how much of the work steps by leaf would save.
/// Method: two leaves, with a wall between them, of still water that stays awake. As deep as each
/// other they need all of their steps; where one is a quarter as deep, its waves run half as fast.
#[test]
fn a_cycle_says_what_steps_by_leaf_would_leave() {
    for solver in SOLVERS {
        let left = |east_m: f64| {
            let settings = Settings { solver, sleep_after_cycles: u32::MAX, ..Settings::default() };
            let wall = |x: usize| x == 63 || x == 64;
            let ground =
                terrain(128, 64, 10.0, scale(20, 0.0), |x, _| if wall(x) { 50.0 } else { 0.0 });
            let mut world = WorldBuilder::new(ground)
                .settings(settings)
                .initial_depth(move |p| match p.x {
                    63 | 64 => 0.0,
                    x if x < 63 => 10.0,
                    _ => east_m,
                })
                .build()
                .expect("a good world");
            // The first cycles are shorter.
            let report = (0..8).map(|_| world.run_cycle(SimTime::MAX)).last().expect("eight");
            assert_eq!(report.awake, 2, "{solver:?}");
            #[expect(clippy::cast_precision_loss, reason = "below 2⁵³")]
            let wet = report.wet_cell_steps as f64;
            report.least_cell_steps / wet
        };
        let [even, uneven] = [10.0, 2.5].map(left);
        assert!((even - 1.0).abs() < 0.01, "{solver:?}: {even} of the steps");
        assert!((uneven - 0.75).abs() < 0.01, "{solver:?}: {uneven} of the steps");
    }
}
