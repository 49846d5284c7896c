//! Layers for the eye over leaves of several levels, and over leaves that change.

use crate::support::{THREADS, fractal, noise, on_threads, scale, shrunk, terrain};
use std::collections::BTreeSet;
use thalweg::criteria::{Criterion, Observer, ObserverOptions};
use thalweg::units::SimTime;
use thalweg::world::{AdaptiveOptions, Barrier, VisualLayer, World, WorldBuilder};
use thalweg_engine::grid::TileKey;
use thalweg_engine::grid::cells::CellPlace;

const WIDTH: u32 = 512;
const HEIGHT: u32 = 256;
const CELL_WIDTH_M: f64 = 2.0;
const COARSEST: u8 = 2;

/// Columns of a wall that no mean lowers: it is two cells wide on the coarsest level.
const WALL: [u32; 2] = [264, 271];

fn cells() -> impl Iterator<Item = CellPlace> {
    (0..HEIGHT).flat_map(|y| (0..WIDTH).map(move |x| CellPlace { x, y }))
}

fn on(bed_m: impl Fn(u32, u32) -> f64) -> WorldBuilder {
    let size = (WIDTH as usize, HEIGHT as usize);
    let small = |i: usize| u32::try_from(i).expect("small");
    let bed_m = |x, y| bed_m(small(x), small(y));
    WorldBuilder::new(terrain(size.0, size.1, CELL_WIDTH_M, scale(20, 0.0), bed_m))
}

fn adaptive(builder: WorldBuilder) -> World {
    let options = AdaptiveOptions {
        coarsest: COARSEST,
        budget_cells: 1 << 20,
        interval_cycles: 1,
        min_age_cycles: 2,
        ahead_cycles: 0,
        leaves_a_cycle: 6,
        criteria: Vec::new(),
    };
    builder.adaptive(options).build().expect("a good world")
}

/// Leaves of three levels from west to east.
fn three_levels() -> Vec<TileKey> {
    let tiles = |level, columns: [u32; 2], rows| {
        (0..rows).flat_map(move |y| (columns[0]..columns[1]).map(move |x| TileKey { level, x, y }))
    };
    tiles(2, [0, 1], 1).chain(tiles(1, [2, 3], 2)).chain(tiles(0, [6, 8], 4)).collect()
}

/// Puts the observer elsewhere: now in the west, now in the east.
fn jump(world: &mut World, jump: u64) {
    let draw = |axis: i64| noise(17, jump.cast_signed(), axis);
    let half_m = f64::from(WIDTH) * CELL_WIDTH_M / 2.0;
    let west_m = if jump.is_multiple_of(4) { 0.0 } else { half_m };
    observe(world, [west_m + half_m * draw(0), half_m * draw(1)], 80.0 * draw(2) + 1.0);
}

fn observe(world: &mut World, position_m: [f64; 2], radius_m: f64) {
    let options = ObserverOptions {
        position_m,
        velocity_m_s: [0.0; 2],
        look_ahead_s: 0.0,
        radii_m: vec![(0, radius_m)],
        priority: 0.0,
    };
    let observer = Observer::try_new(&options, &world.extent()).expect("a good observer");
    let observer: Box<dyn Criterion> = Box::new(observer);
    *world.criteria_mut().expect("an adaptive world") = vec![observer];
}

/// Whole multiples of 2⁻²⁸, so that sums of the shares of cells two levels up are exact.
fn units(amount: f64) -> f64 {
    amount * f64::from(1 << 28)
}

/// Sum of what lies in cells, 2⁻²⁸.
fn sum(foam: &VisualLayer, is_part: impl Fn(CellPlace) -> bool) -> f64 {
    cells().filter(|&place| is_part(place)).map(|place| units(foam.at(place))).sum()
}

/// A wave from the west that carries foam against a wall while the observer jumps; levels of leaves
/// where foam was, and how often leaves changed.
fn flood() -> (World, VisualLayer, BTreeSet<u8>, usize) {
    let is_wall = |x: u32| (WALL[0]..=WALL[1]).contains(&x);
    let builder = on(|x, _| if is_wall(x) { 30.0 } else { 0.0 });
    let mut world = adaptive(builder.initial_depth(move |p| match p.x {
        0..160 => 6.0,
        x if is_wall(x) => 0.0,
        _ => 0.5,
    }));
    let mut foam = VisualLayer::new(&world);
    for place in cells().filter(|p| p.x < WALL[0]) {
        foam.add(&world, place, 0.3 + f64::from(place.y % 7)).expect("inside");
    }
    let added = units(foam.total());
    let (mut levels, mut changes) = (BTreeSet::new(), 0);
    for frame in 0..shrunk(40, 12) {
        if frame % 2 == 0 {
            jump(&mut world, frame);
        }
        let before = (world.time(), world.simulation().forest().leaves().to_vec());
        world.run_until(world.time().after(SimTime::from_seconds(2.0).ticks()));
        let _ = foam
            .advance(&world, SimTime::from_ticks(world.time().since(before.0)))
            .expect("its world");
        let forest = world.simulation().forest();
        changes += usize::from(forest.leaves() != before.1);
        levels.extend(cells().filter(|&p| foam.at(p) > 0.0).filter_map(|p| {
            let (leaf, _) = forest.locate(p)?;
            Some(forest.leaves()[leaf].level)
        }));
        assert_eq!(sum(&foam, |_| true).to_bits(), added.to_bits(), "frame {frame}");
        assert!(sum(&foam, |p| p.x >= WALL[0]) == 0.0, "frame {frame}: behind the wall");
    }
    (world, foam, levels, changes)
}

/// Goal: over leaves of three levels that come and go, the sum is exact, nothing gets behind a
/// wall, and threads change no bit.
#[test]
fn foam_over_changing_leaves_is_exact_stays_on_its_side_and_has_the_same_bits() {
    let ends = THREADS.iter().map(|&threads| {
        let (world, foam, levels, changes) = on_threads(threads, flood);
        assert_eq!(levels, BTreeSet::from([0, 1, 2]), "levels where foam was");
        assert!(changes > 4, "{changes} changes of the leaves");
        let far = sum(&foam, |p| p.x > 160) / units(foam.total());
        assert!(far > 0.45, "{far} of the foam: the wave takes it along");
        let bits: Vec<u64> = cells().map(|p| foam.at(p).to_bits()).collect();
        (world.state_hash(), bits)
    });
    let ends: Vec<_> = ends.collect();
    assert!(ends.iter().all(|end| *end == ends[0]));
}

/// Goal: foam at rest is as thick on leaves of all levels, whatever leaves come and go.
/// Method: the same amount in all cells of a lake over hills; every cell keeps it to the bit.
#[test]
fn foam_at_rest_is_even_while_levels_change_under_it() {
    let builder = on(|x, y| 30.0 * fractal(7, f64::from(x) * 0.2, f64::from(y) * 0.2));
    let mut world = adaptive(builder.initial_stage(|_| 40.0));
    let mut foam = VisualLayer::new(&world);
    cells().for_each(|place| foam.add(&world, place, 0.75).expect("inside"));
    let mut changes = 0;
    for cycle in 0..shrunk(60, 24) {
        if cycle % 2 == 0 {
            jump(&mut world, cycle);
        }
        let before = world.simulation().forest().leaves().to_vec();
        world.run_cycle(SimTime::from_seconds(1.0e6));
        assert_eq!(
            foam.advance(&world, SimTime::from_seconds(1.0)).expect("its world").moves,
            0,
            "cycle {cycle}"
        );
        assert!(cells().all(|p| foam.at(p).to_bits() == 0.75_f64.to_bits()), "cycle {cycle}");
        changes += usize::from(world.simulation().forest().leaves() != before);
    }
    assert!(changes > 8, "{changes} changes of the leaves");
}

/// Goal: a cell that is split gives its content to the wet cells below it, to each the same.
/// Method: foam in coarse cells over a shore; then the leaves are split twice before it is moved.
#[test]
fn a_cell_that_is_split_shares_its_content_among_wet_cells() {
    let builder = on(|x, y| 0.1 * f64::from(x) + 2.0 * noise(5, i64::from(x), i64::from(y)));
    let coarsest = (0..2).map(|x| TileKey { level: COARSEST, x, y: 0 }).collect();
    let mut world = adaptive(builder.initial_stage(|_| 20.0).leaves(coarsest));
    let mut foam = VisualLayer::new(&world);
    let shore = || cells().filter(|p| p.x % 4 == 0 && p.y % 4 == 0);
    shore().for_each(|place| foam.add(&world, place, 3.0).expect("inside"));
    observe(&mut world, [400.0, 250.0], 2000.0);
    for _ in 0..10 {
        world.run_cycle(SimTime::from_seconds(1.0e6));
    }
    assert!(world.simulation().forest().leaves().iter().all(|key| key.level == 0));
    assert_eq!(foam.advance(&world, SimTime::ZERO).expect("its world").moves, 0);
    let mut shared = [0; 3];
    for corner in shore() {
        let at = |i: u32| CellPlace { x: corner.x + i % 4, y: corner.y + i / 4 };
        let is_wet = |i: &u32| world.water().depth_m(at(*i)).expect("inside") > 0.0;
        let wet: Vec<u32> = (0..16).filter(is_wet).collect();
        let holders: Vec<u32> = if wet.is_empty() { (0..16).collect() } else { wet.clone() };
        shared[[1, 0, 2][usize::from(!wet.is_empty()) + usize::from(wet.len() == 16)]] += 1;
        let amounts: f64 = holders.iter().map(|&i| foam.at(at(i))).sum();
        assert!(amounts.to_bits() == 3.0_f64.to_bits(), "{corner:?}: {amounts}");
        let share = 3.0 / holders.len() as f64;
        let is_even = |i: &u32| (foam.at(at(*i)) - share).abs() < 1.0e-6;
        assert!(holders.iter().all(is_even), "{corner:?}");
    }
    assert!(shared.iter().all(|&count| count > 20), "{shared:?} dry, in part and wholly wet");
}

/// Goal: no stripe where levels meet. Method: foam spread evenly over a lake that flows evenly,
/// obliquely, over leaves of three levels; in the middle, where no wave from the banks has come
/// yet, every cell keeps its amount.
#[test]
fn even_foam_on_an_even_flow_stays_even_across_levels() {
    let velocities_m_s = [[0.5, 4.0], [3.0, 1.0], [-2.5, -1.0]];
    let count = usize::try_from(shrunk(3, 1)).expect("small");
    for velocity_m_s in velocities_m_s.into_iter().take(count) {
        let mut world = on(|_, _| 0.0)
            .leaves(three_levels())
            .initial_depth(|_| 1.0)
            .initial_velocity(move |_| velocity_m_s.into())
            .manning(0.0)
            .build()
            .expect("a good world");
        let mut foam = VisualLayer::new(&world);
        cells().for_each(|place| foam.add(&world, place, 1.0).expect("inside"));
        let mut moves = 0;
        for _ in 0..6 {
            world.run_until(world.time().after(SimTime::from_seconds(3.0).ticks()));
            moves += foam.advance(&world, SimTime::from_seconds(3.0)).expect("its world").moves;
        }
        assert!(moves >= 6);
        let middle = || cells().filter(|p| (90..430).contains(&p.x) && (90..166).contains(&p.y));
        let worst = middle().map(|p| (foam.at(p) - 1.0).abs()).fold(0.0, f64::max);
        assert!(worst < 1.0e-3, "{velocity_m_s:?}: {worst}");
        let banks = cells().map(|p| (foam.at(p) - 1.0).abs()).fold(0.0, f64::max);
        assert!(banks > 0.2, "{velocity_m_s:?}: {banks}: foam drifts from one bank to the other");
    }
}

/// Goal: foam crosses from level to level with the flow, neither late nor early.
/// Method: a patch beside an edge on a lake that flows evenly, both ways; its centre.
#[test]
fn a_patch_of_foam_crosses_edges_between_levels_with_the_flow() {
    let cases = [(236, 2.0), (400, -2.0), (368, 2.0), (272, -2.0)];
    for (from, u) in cases.into_iter().take(usize::try_from(shrunk(4, 2)).expect("small")) {
        let mut world = on(|_, _| 0.0)
            .leaves(three_levels())
            .initial_depth(|_| 1.0)
            .initial_velocity(move |_| (u, 0.0))
            .manning(0.0)
            .build()
            .expect("a good world");
        let mut foam = VisualLayer::new(&world);
        let is_patch = |p: &CellPlace| p.x / 8 == from / 8 && p.y / 8 == 16;
        cells().filter(is_patch).for_each(|p| foam.add(&world, p, 1.0).expect("inside"));
        let centre = |foam: &VisualLayer| {
            let moment: f64 = cells().map(|p| foam.at(p) * (f64::from(p.x) + 0.5)).sum();
            moment / foam.total()
        };
        let start = centre(&foam);
        for _ in 0..20 {
            world.run_until(world.time().after(SimTime::from_seconds(1.3).ticks()));
            assert!(foam.advance(&world, SimTime::from_seconds(1.3)).expect("its world").moves > 0);
        }
        let cells_moved = centre(&foam) - start;
        let expected = u * 26.0 / CELL_WIDTH_M;
        assert!((cells_moved - expected).abs() < 1.0, "{from}, {u}: {cells_moved}, {expected}");
        assert!(sum(&foam, |p| (f64::from(p.x) - f64::from(from)) * u > 0.0) > 0.0);
    }
}

/// Goal: a levee over leaves of three levels lets nothing through. Method: level ground, 3 m of
/// water on one side; the other stays dry, so content in a dry cell has leaked.
#[test]
fn foam_keeps_to_its_side_of_a_levee_across_levels() {
    let line = [[0.0, 100.0], [1024.0, 380.0]];
    let side = |p: CellPlace| {
        let [x, y] = [p.x, p.y].map(|at| (f64::from(at) + 0.5) * CELL_WIDTH_M);
        1024.0 * (y - 100.0) - 280.0 * x
    };
    let mut world = on(|_, _| 0.0)
        .leaves(three_levels())
        .initial_depth(move |p| if side(p) > 8000.0 { 3.0 } else { 0.0 })
        .initial_velocity(move |p| if side(p) > 8000.0 { (1.0, -3.0) } else { (0.0, 0.0) })
        .barrier(Barrier::wall("levee", line.to_vec(), 20.0))
        .build()
        .expect("a good world");
    let mut foam = VisualLayer::new(&world);
    let is_wet = |world: &World, p| world.water().depth_m(p).expect("inside") > 0.0;
    cells().filter(|&p| is_wet(&world, p)).for_each(|p| {
        foam.add(&world, p, 1.0).expect("inside");
    });
    let added = units(foam.total());
    for _ in 0..shrunk(30, 10) {
        world.run_until(world.time().after(SimTime::from_seconds(1.0).ticks()));
        assert!(foam.advance(&world, SimTime::from_seconds(1.0)).expect("its world").moves > 0);
        assert_eq!(sum(&foam, |_| true).to_bits(), added.to_bits());
        assert!(sum(&foam, |p| !is_wet(&world, p)) == 0.0, "in dry cells");
    }
    assert!(sum(&foam, |p| side(p) < -12_000.0) == 0.0, "behind the levee");
}
