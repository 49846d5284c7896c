//! P3: the same bits for any number of threads, in debug and release, from every kernel version.

use crate::support::{THREADS, fractal, noise, on_threads, scale, terrain};
use thalweg::units::SimTime;
use thalweg::world::{ColumnKind, EdgeKind, EdgePlace, World, WorldBuilder};
use thalweg_engine::flow::face::carried_part;
use thalweg_engine::flow::versions::versions;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::grid::{LeafId, Side, TILE_CELLS};
use thalweg_engine::sim::schedule::FixedStep;
use thalweg_engine::sim::{Order, Settings, Solver};
use thalweg_engine::structure::weather::Direction;

/// Hashes of the worlds below in these kinds: the flood after 60 automatic and 20 fixed cycles of
/// the pipe; the same by shallow water, with a stretch of the pipe in its midst; the valleys, whose
/// columns are sub-grid, after 80 such cycles. They change only with the numerics; then say so in
/// the changelog.
const DIGESTS: [u64; 3] = [0xd658c823ad4ec423, 0x2fd353c2149d414a, 0x414f6aaa28002ba2];

/// The hash of the coast below after 400 cycles.
const COAST_DIGEST: u64 = 0x5c2fe97bc8287acf;

pub fn flood_builder(seed: u64) -> WorldBuilder {
    let ground = terrain(150, 100, 10.0, scale(20, 50.0), |x, y| {
        let hole = x > 120 && y > 80;
        let slope = 40.0 + 0.05 * x as f64;
        if hole { f64::NAN } else { slope + 8.0 * fractal(5, x as f64, y as f64) }
    });
    WorldBuilder::new(ground)
        .settings(Settings { solver: Solver::Pipe, seed, ..Settings::default() })
        .manning_classes(vec![0.03, 0.1], |place| u8::from(place.y % 7 == 0))
        .edges(EdgeKind::Open)
        .initial_stage(|place| if place.x < 60 { 46.0 } else { f64::NAN })
        .rain("rain", &[(0.0, 2.0e-5), (500.0, 0.0)])
        .and_then(|b| {
            b.inflow("river", &[(0.0, 50.0), (900.0, 0.0)], &[CellPlace { x: 80, y: 50 }])
        })
        .and_then(|b| b.green_ampt(1.0e-6, 0.05))
        .expect("good series")
}

fn flood(seed: u64) -> World {
    flood_builder(seed).build().expect("a good world")
}

fn run(mut world: World) -> u64 {
    for _ in 0..60 {
        world.run_cycle(SimTime::MAX);
    }
    let frame = FixedStep::try_new(1, 2).expect("a fraction");
    for _ in 0..20 {
        world.run_cycle(frame);
    }
    world.state_hash()
}

fn run_shallow(mut world: World) -> u64 {
    run_solvers(&mut world);
    run(world)
}

fn run_solvers(world: &mut World) -> u64 {
    for (solver, order, cycles) in [
        (Solver::ShallowWater, Order::Second, 40),
        (Solver::Pipe, Order::Second, 10),
        (Solver::ShallowWater, Order::First, 20),
        (Solver::ShallowWater, Order::Second, 10),
    ] {
        world.set_solver(solver, order);
        (0..cycles).for_each(|_| {
            world.run_cycle(SimTime::MAX);
        });
    }
    world.state_hash()
}

/// The hashes of [`DIGESTS`], after something was done to each world.
fn hashes(ready: impl Fn(&mut World)) -> [u64; 3] {
    let [mut flood_pipe, mut flood_shallow, mut columns] = [flood(99), flood(99), valleys()];
    for world in [&mut flood_pipe, &mut flood_shallow, &mut columns] {
        ready(world);
    }
    [run(flood_pipe), run_shallow(flood_shallow), run_solvers(&mut columns)]
}

#[test]
fn threads_do_not_change_a_bit() {
    // In a quick run other tests of this page have these digests from other numbers of threads.
    let first = if crate::QUICK { THREADS.len() - 1 } else { 0 };
    for &threads in &THREADS[first..] {
        let hashes = on_threads(threads, || hashes(|_| ()));
        assert_eq!(hashes, DIGESTS, "{threads} threads: {hashes:#x?}");
    }
}

#[test]
fn kernel_versions_do_not_change_a_bit() {
    // The baseline is furthest from the fastest, which all other tests run.
    let count = if crate::QUICK { 1 } else { usize::MAX };
    for version in versions().into_iter().take(count) {
        let hashes = hashes(|world| world.set_version(version));
        assert_eq!(hashes, DIGESTS, "{}: {hashes:#x?}", version.name);
    }
}

/// Sub-grid columns of rough valleys around a hole, with open edges; to the east and north, and
/// around the hole, the world ends within cells.
pub fn valleys() -> World {
    let ground = terrain(281, 181, 4.0, scale(20, 0.0), |x, y| {
        let is_hole = (x as f64 - 170.0).hypot(y as f64 - 120.0) < 21.0;
        let slope = 8.0 + 0.02 * x as f64;
        let rough = 0.3 * noise(11, x as i64, y as i64);
        if is_hole { f64::NAN } else { slope + 12.0 * fractal(9, x as f64, y as f64) + rough }
    });
    WorldBuilder::new(ground)
        .settings(Settings { solver: Solver::ShallowWater, seed: 7, ..Settings::default() })
        .level(1)
        .columns(ColumnKind::SubGrid)
        .manning(0.03)
        .edges(EdgeKind::Open)
        .initial_stage(|place| if place.x < 60 { 15.0 } else { 13.0 })
        .rain("rain", &[(0.0, 2.0e-5), (300.0, 0.0)])
        .and_then(|b| b.inflow("river", &[(0.0, 60.0)], &[CellPlace { x: 90, y: 70 }]))
        .and_then(WorldBuilder::build)
        .expect("a good world")
}

/// Goal: the digest of the valleys covers what columns do. Method: their wet cells after the
/// cycles of shallow water and of the pipe: covered ones, ones that carry a part of their momentum,
/// ones that carry none, and cells that lie outside in part.
#[test]
fn the_valleys_have_columns_of_all_kinds() {
    let mut world = valleys();
    run_solvers(&mut world);
    let simulation = world.simulation();
    let [mut covered, mut partly, mut narrow, mut cut] = [0; 4];
    for leaf in simulation.forest().ids() {
        let (ground, depth) = (simulation.ground(leaf), &simulation.water(leaf).depth);
        for cell in (0..TILE_CELLS).filter(|&cell| depth[cell] > 0) {
            let carried = carried_part(ground.surface(cell, depth[cell]).slope);
            let is_cut = (0..4).any(|quarter| !ground.has_quarter(cell, quarter));
            covered += usize::from(carried >= 1.0);
            partly += usize::from(carried > 0.0 && carried < 1.0);
            narrow += usize::from(carried <= 0.0);
            cut += usize::from(is_cut);
        }
    }
    let kinds = [covered, partly, narrow, cut];
    assert!(kinds.iter().all(|&cells| cells > 100), "covered, partly, narrow, cut: {kinds:?}");
}

/// Goal: the parts of the state that the flood above does not have: a coarse level, a sea that
/// moves, evaporation, constant infiltration, leaves that sleep and wake.
#[test]
fn sea_and_sleep_do_not_change_a_bit() {
    for threads in [1, 7] {
        let (hash, slept, woke) = on_threads(threads, || {
            let mut world = coast();
            let (mut slept, mut woke) = (false, false);
            for _ in 0..400 {
                let report = world.run_cycle(SimTime::from_seconds(1500.0));
                slept |= report.awake == 0;
                woke |= slept && report.awake > 0;
            }
            (world.state_hash(), slept, woke)
        });
        assert!(slept && woke, "the story: sleep before the tide turns, then wake");
        assert_eq!(hash, COAST_DIGEST, "{threads} threads: {hash:#x}");
    }
}

pub fn coast_builder() -> WorldBuilder {
    let ground = terrain(300, 140, 2.0, scale(20, 0.0), |x, y| {
        -3.0 + 0.02 * x as f64 + 2.0 * fractal(8, x as f64, y as f64)
    });
    let tide = vec![(0.0, 0.0), (900.0, 0.0), (1500.0, 1.5)];
    WorldBuilder::new(ground)
        .solver(Solver::Pipe)
        .level(1)
        .edge("sea", EdgePlace::Side(Side::West), EdgeKind::Stage(tide))
        .initial_stage(|_| 0.0)
        .layer("sun", Direction::Out, &[(0.0, 0.0), (1200.0, 1.0e-6), (1400.0, 0.0)])
        .and_then(|b| {
            let soil = [(0.0, 0.0), (1000.0, 2.0e-6), (1500.0, 0.0)];
            b.layer("soil", Direction::Ground, &soil)
        })
        .expect("good series")
}

fn coast() -> World {
    coast_builder().build().expect("a good world")
}

#[test]
fn the_seed_is_part_of_the_state() {
    let hash = |seed, cycles| {
        let mut world = flood(seed);
        for _ in 0..cycles {
            world.run_cycle(SimTime::MAX);
        }
        let water = world.simulation().water(LeafId::new(0)).depth.to_vec();
        (world.state_hash(), water)
    };
    assert_eq!(hash(99, 3), hash(99, 3));
    assert_ne!(hash(99, 3).0, hash(99, 4).0);
    assert_ne!(hash(99, 0).0, hash(98, 0).0, "the seed stands in the hash");
    assert_ne!(hash(99, 3).1, hash(98, 3).1, "the seed stands in the draws");
}

#[test]
fn what_decides_how_a_run_goes_on_is_in_the_hash() {
    let world = |width_m: f64, k: u8, river: f64| {
        let ground = terrain(20, 10, width_m, scale(k, 0.0), |_, _| 0.0);
        let built = WorldBuilder::new(ground)
            .inflow("river", &[(0.0, river)], &[CellPlace { x: 3, y: 3 }])
            .and_then(WorldBuilder::build);
        built.expect("a good world").state_hash()
    };
    let hash = world(1.0, 20, 1.0);
    assert_eq!(world(1.0, 20, 1.0), hash);
    for other in [world(2.0, 20, 1.0), world(1.0, 22, 1.0), world(1.0, 20, 2.0)] {
        assert_ne!(other, hash);
    }
}
