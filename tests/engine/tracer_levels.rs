//! Tracers that ride the water over edges between levels, and while leaves change under it.

use crate::adaptive::{dig, flooded_builder, jump};
use crate::levels::hilly;
use crate::support::{THREADS, noise, on_threads, scale, shrunk, terrain};
use crate::tracer::{bounds, brought_by_all, names};
use thalweg::check::violations;
use thalweg::units::SimTime;
use thalweg::world::{EdgeKind, World, WorldBuilder};
use thalweg_engine::flow::tracer::ONE;
use thalweg_engine::forest::interfaces::Register;
use thalweg_engine::grid::TileKey;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::{Order, Settings, Solver};
use thalweg_engine::structure::weather::Direction;

const METHODS: [(Solver, Order); 3] = [
    (Solver::Pipe, Order::First),
    (Solver::ShallowWater, Order::First),
    (Solver::ShallowWater, Order::Second),
];

#[expect(clippy::cast_possible_truncation, reason = "below 2²⁴")]
fn whole(c: f64) -> i64 {
    (c * ONE as f64 + 0.5).floor() as i64
}

/// `salt` is 0.3 everywhere and in all that comes; `dye` lies from 0.2 to 0.6 in blocks and comes
/// as 0.5; `mark` is what the spring brings.
pub fn tracked(builder: impl Fn() -> WorldBuilder, order: Order) -> World {
    let all = names(&builder().build().expect("a good world"));
    let builder = builder()
        .tracer("salt", |_| 0.3)
        .tracer("dye", |p| 0.2 + 0.4 * noise(3, i64::from(p.x / 3), i64::from(p.y / 5)))
        .tracer("mark", |_| 0.0)
        .tracer_source("mark", "spring", 1.0);
    let builder = brought_by_all(builder, "salt", &all, 0.3);
    let mut world = brought_by_all(builder, "dye", &all, 0.5).build().expect("a good world");
    let solver = world.simulation().settings().solver;
    world.set_solver(solver, order);
    world
}

/// A flood over hills on leaves of four levels: columns of water, films and dry ground, rain
/// later, a spring, a thirsty sky, open edges.
fn flood(seed: u64, solver: Solver) -> WorldBuilder {
    hilly(seed, solver, 3)
        .edges(EdgeKind::Open)
        .initial_depth(move |p: CellPlace| {
            let block = noise(seed, i64::from(p.x / 50), i64::from(p.y / 50));
            match block {
                ..0.3 => 30.0 * block,
                ..0.7 => 0.0,
                _ => 0.001 * block,
            }
        })
        .rain("rain", &[(0.0, 0.0), (20.0, 2.0e-5)])
        .expect("one point")
        .layer("evaporation", Direction::Out, &[(0.0, 1.0e-6)])
        .expect("one point")
        .inflow("spring", &[(0.0, 30.0)], &[CellPlace { x: 300, y: 300 }])
        .expect("one point")
}

/// Registers of all leaves.
fn registers(world: &World) -> impl Iterator<Item = &Register> {
    let simulation = world.simulation();
    let edges = (simulation.forest().ids())
        .filter_map(|leaf| simulation.leaves().interfaces[leaf].as_deref());
    edges.flat_map(|edges| edges.registers.iter().flatten().map(|register| &**register))
}

/// True where all cells, registers and carries hold `concentration` times their water.
fn is_uniform(world: &World, tracer: usize, concentration: i64) -> bool {
    let simulation = world.simulation();
    let in_leaves = simulation.forest().ids().all(|leaf| {
        let (water, carry) = (simulation.water(leaf), &simulation.leaves().own[leaf].carry);
        let mut cells = water.contents[tracer].iter().zip(&water.depth);
        cells.all(|(&content, &depth)| content == concentration * i64::from(depth))
            && carry.contents[tracer] == i128::from(concentration) * i128::from(carry.water)
    });
    in_leaves
        && registers(world).all(|register| {
            let mut pairs = register.contents[tracer].iter().zip(&register.gained);
            pairs.all(|(content, gained)| *content == concentration * gained)
        })
}

/// Goal: P1 for contents, uniformity and bounds to the unit, over a flood that crosses all edges
/// between four levels.
/// Method: integers after every cycle, no tolerance; cells, registers and ledgers.
#[test]
fn a_flood_over_a_mix_of_levels_keeps_contents_bounds_and_uniformity() {
    for ((solver, order), seed) in METHODS.into_iter().zip([5, 6, 7]) {
        let mut world = tracked(|| flood(seed, solver), order);
        let (lo, hi) = (whole(0.2), whole(0.6));
        let mut under_way = 0;
        for cycle in 0..shrunk(30, 6) {
            world.run_cycle(SimTime::from_seconds(1.0e6));
            let case = format!("{solver:?}, {order:?}, seed {seed}, cycle {cycle}");
            let found = violations(&world);
            assert!(found.is_empty(), "{case}: {found:#?}");
            assert!(is_uniform(&world, 0, whole(0.3)), "{case}");
            let seen = bounds(&world, 1);
            assert!(seen.0 >= lo && seen.1 <= hi, "{case}: dye from {} to {}", seen.0, seen.1);
            for register in registers(&world) {
                for (&content, &gained) in register.contents[1].iter().zip(&register.gained) {
                    let range = lo * gained..=hi * gained;
                    assert!(range.contains(&content), "{case}: {content} in {gained}");
                    under_way += usize::from(content != 0);
                }
            }
        }
        let into = |ledger: &thalweg_engine::sim::ledger::Ledger| {
            let spring = ledger.accounts().iter().find(|account| account.name == "spring");
            spring.map(|account| account.into).expect("a spring")
        };
        let (water, mark) = (
            into(world.water().ledger()),
            into(world.water().tracer_ledger("mark").expect("a tracer")),
        );
        assert!(water > 0 && mark == water * i128::from(ONE), "{water} units, {mark}");
        assert!(under_way > 1_000, "{under_way} remainders held dye");
    }
}

/// Goal: the same while eight observers jump about and terrain is edited. (Bounds of a
/// concentration that differs from place to place hold within 0 and 1 only: a carry remembers what
/// it was.)
#[test]
fn observers_and_edits_change_no_content() {
    for ((solver, order), seed) in METHODS.into_iter().zip([1, 2, 3]) {
        let mut world = tracked(|| flooded_builder(seed, solver), order);
        let mut leaves = world.simulation().forest().leaves().to_vec();
        let mut changes = 0;
        for cycle in 0..shrunk(60, 6) {
            if cycle % 5 == 0 {
                jump(&mut world, seed, cycle);
            }
            if cycle % 7 == 3 {
                dig(&mut world, seed, cycle);
            }
            world.run_cycle(SimTime::from_seconds(1.0e6));
            let case = format!("{solver:?}, {order:?}, seed {seed}, cycle {cycle}");
            let found = violations(&world);
            assert!(found.is_empty(), "{case}: {found:#?}");
            assert!(is_uniform(&world, 0, whole(0.3)), "{case}");
            let now = world.simulation().forest().leaves();
            changes += u64::from(now != leaves);
            leaves = now.to_vec();
        }
        assert!(changes > shrunk(10, 1), "{changes} changes of the leaves");
    }
}

/// Goal: P3. Method: one run on leaves that stay and one on leaves that change, on 1, 2 and 7
/// threads.
#[test]
fn threads_do_not_change_a_bit_of_a_tracer_across_levels() {
    let methods = if crate::QUICK { 1 } else { METHODS.len() };
    for (solver, order) in METHODS.into_iter().take(methods) {
        let hashes = || {
            let mut worlds = [
                tracked(|| flood(11, solver), order),
                tracked(|| flooded_builder(11, solver), order),
            ];
            for cycle in 0..shrunk(6, 2) {
                jump(&mut worlds[1], 11, cycle / 3);
                for world in &mut worlds {
                    world.run_cycle(SimTime::from_seconds(1.0e6));
                }
            }
            worlds.map(|world| world.state_hash())
        };
        let one = on_threads(1, hashes);
        for &threads in &THREADS[1..] {
            let found = on_threads(threads, hashes);
            assert_eq!(found, one, "{solver:?}, {order:?}, {threads} threads");
        }
    }
}

/// A channel of 512 × 128 cells in which 2 m of water flow at 1 m/s, towards the east or the west,
/// with a block of dye before its middle; its leaves, if not all are of level 0.
fn channel(eastward: bool, order: Order, leaves: Option<Vec<TileKey>>) -> World {
    let ground = terrain(512, 128, 1.0, scale(20, 0.0), |_, _| 0.0);
    let settings = Settings { manning_n: vec![0.0], order, ..Settings::default() };
    let (speed, first) = if eastward { (1.0, 216) } else { (-1.0, 276) };
    let builder = WorldBuilder::new(ground)
        .settings(settings)
        .initial_depth(|_| 2.0)
        .initial_velocity(move |_| (speed, 0.0))
        .tracer("dye", move |p| f64::from(u8::from((first..first + 20).contains(&p.x))));
    let builder = match leaves {
        Some(leaves) => builder.leaves(leaves),
        None => builder,
    };
    builder.build().expect("a good world")
}

/// Mean place of the dye from the west, its spread, m, and its largest concentration.
fn cloud(world: &World) -> [f64; 3] {
    let simulation = world.simulation();
    let (mut sums, mut peak) = ([0.0; 3], 0.0_f64);
    for (leaf, key) in simulation.forest().iter() {
        let water = simulation.water(leaf);
        let width = f64::from(1_u32 << key.level);
        for (cell, (&content, &depth)) in water.contents[0].iter().zip(&water.depth).enumerate() {
            let x = (f64::from(key.x) * 64.0 + (cell % 64) as f64 + 0.5) * width;
            let held = content as f64 * width * width;
            sums = [sums[0] + held, sums[1] + held * x, sums[2] + held * x * x];
            peak = peak.max(content as f64 / (f64::from(depth) * ONE as f64));
        }
    }
    let mean = sums[1] / sums[0];
    [mean, (sums[2] / sums[0] - mean * mean).sqrt(), peak]
}

/// Goal: a cloud of dye crosses an edge between levels in both directions with the water.
/// Method: 30 s in a channel without friction, before a wave comes from its ends; mean, spread and
/// peak against the same on fine leaves and on coarse ones alone. (In first order the cloud spreads
/// faster on one side of the edge, which moves its mean by 0.4 m.)
#[test]
fn a_cloud_crosses_an_edge_with_its_water() {
    let coarse = |x: u32| TileKey { level: 1, x, y: 0 };
    let all: Vec<TileKey> = (0..4).map(coarse).collect();
    let mut mixed = all.clone();
    let west = mixed.drain(..2).flat_map(|key| (0..4).map(move |q| key.child(q)));
    let west: Vec<TileKey> = west.collect();
    mixed.extend(west);
    let cases = [(Order::Second, 0.2), (Order::First, 0.5)];
    for (order, off_most) in cases.into_iter().take(if crate::QUICK { 1 } else { 2 }) {
        for eastward in [true, false].into_iter().take(if crate::QUICK { 1 } else { 2 }) {
            let run = |leaves: Option<&Vec<TileKey>>| {
                let mut world = channel(eastward, order, leaves.cloned());
                while world.time() < SimTime::from_seconds(30.0) {
                    world.run_cycle(SimTime::from_seconds(30.0));
                }
                cloud(&world)
            };
            let [fine, mixed, coarse] = [None, Some(&mixed), Some(&all)].map(run);
            let case = format!("{order:?}, eastward {eastward}: {fine:?} {mixed:?} {coarse:?}");
            assert!((mixed[0] - fine[0]).abs() < off_most, "{case}");
            assert!(mixed[1] > 0.99 * fine[1] && mixed[1] < 1.01 * coarse[1], "{case}");
            assert!(mixed[2] > 0.99 * coarse[2], "{case}");
        }
    }
}
