//! Maps with ragged outlines and holes, whose coarse cells lie outside in part.

use crate::support::{THREADS, fractal, noise, on_threads, scale, shrunk, terrain};
use thalweg::check::violations;
use thalweg::criteria::{Criterion, Observer, ObserverOptions};
use thalweg::terrain::{Edit, EditError, Shape, Terrain};
use thalweg::units::SimTime;
use thalweg::world::{AdaptiveOptions, ColumnKind, EdgeKind, World, WorldBuilder};
use thalweg_engine::forest::Coverage;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::grid::{LeafId, TILE_CELLS, TileKey};
use thalweg_engine::sim::{Settings, Solver};
use thalweg_engine::structure::weather::Direction;
use thalweg_engine::tile::{Ground, Resident};

const SOLVERS: [Solver; 2] = [Solver::Pipe, Solver::ShallowWater];
const COLUMNS: usize = 203;
const ROWS: usize = 149;
const WIDTH_M: f64 = 2.0;

/// Whether a map has ground somewhere.
type Outline = fn(usize, usize) -> bool;

/// An island with bays.
fn island(x: usize, y: usize) -> bool {
    let (x, y) = (x as f64, y as f64);
    let away = (x / 203.0 - 0.5).hypot(y / 149.0 - 0.5);
    away + 0.12 * fractal(8, 2.0 * x, 2.0 * y) < 0.58
}

/// The island with holes, and a wall of single cells across it with gaps.
fn ragged(x: usize, y: usize) -> bool {
    let (u, v) = (x as f64, y as f64);
    let is_hole = fractal(9, u * 2.0, v * 2.0) > 0.66;
    let is_wall = (u * 0.7 + v).rem_euclid(91.0) < 1.5 && u.rem_euclid(23.0) > 4.0;
    island(x, y) && !is_hole && !is_wall
}

/// An L, whose sides lie within cells of all levels.
fn el(x: usize, y: usize) -> bool {
    x < 77 || y < 45
}

fn map(seed: u64, outline: Outline) -> Terrain {
    terrain(COLUMNS, ROWS, WIDTH_M, scale(20, 0.0), |x, y| {
        let bed = 20.0 * fractal(seed, x as f64 * 0.5, y as f64 * 0.5);
        if outline(x, y) { bed } else { f64::NAN }
    })
}

/// A builder whose closures hold the map: they are called for ground alone.
fn builder(level: u8, outline: Outline, solver: Solver) -> WorldBuilder {
    WorldBuilder::new(map(1, outline))
        .level(level)
        .columns(ColumnKind::SubGrid)
        .settings(Settings { solver, ..Settings::default() })
        .manning_classes(vec![0.03, 0.05], move |at| u8::from(at.x % 2 == 1))
}

/// True where a cell of a level has ground.
fn has_ground(outline: Outline, level: u8, at: CellPlace) -> bool {
    let range = |at: u32, end: usize| {
        let (from, to) = ((at as usize) << level, (at as usize + 1) << level);
        from..to.min(end)
    };
    range(at.y, ROWS).any(|y| range(at.x, COLUMNS).any(|x| outline(x, y)))
}

/// Finest cells inside the world in each cell of all leaves that has some, and its level.
fn cells(world: &World) -> Vec<(u64, u8)> {
    let leaves = world.simulation().forest().iter();
    let of_leaf = |(leaf, key): (LeafId, TileKey)| {
        let ground = world.simulation().ground(leaf);
        let inside = |cell: usize| match ground.parts() {
            Some(parts) => u64::from(parts.inside(cell)),
            None => 1 << (2 * key.level),
        };
        let inside = (0..TILE_CELLS).filter(|&cell| ground.is_inside(cell)).map(inside);
        inside.map(|count| (count, key.level)).collect::<Vec<_>>()
    };
    leaves.flat_map(of_leaf).collect()
}

fn area(world: &World) -> u64 {
    cells(world).iter().map(|&(inside, _)| inside).sum()
}

fn volume_m3(world: &World) -> f64 {
    world.water().stored() as f64 * world.water().unit_m3()
}

/// Volume that an account brought into a world or took out of it, vertical units times finest
/// cells.
fn account(world: &World, name: &str) -> i128 {
    let accounts = world.water().ledger().accounts();
    let own = accounts.iter().find(|own| own.name == name).expect("an account");
    own.into + own.out
}

/// Goal: no ground is left out on coarse cells. Method: area, and the volume up to stages from low
/// to high, on cells of all levels.
#[test]
fn coarse_cells_have_all_ground_and_its_volume() {
    for (outline, stage_m) in [ragged, el].into_iter().flat_map(|o| [(o, 11.0), (o, 25.0)]) {
        let filled = |level: u8| {
            let stage = Box::new(move |at: CellPlace| {
                let is_ground = has_ground(outline, level, at);
                assert!(is_ground, "asked for {at:?}, which has no ground");
                stage_m
            });
            let builder = builder(level, outline, Solver::Pipe);
            builder.initial_stage(stage).build().expect("a good world")
        };
        let fine = filled(0);
        let ground = (0..COLUMNS * ROWS).filter(|i| outline(i % COLUMNS, i / COLUMNS));
        assert_eq!(area(&fine), ground.count() as u64);
        assert!(volume_m3(&fine) > 1.0e3);
        for level in 1..=4 {
            let coarse = filled(level);
            assert_eq!(area(&coarse), area(&fine), "level {level}");
            let off = volume_m3(&coarse) / volume_m3(&fine) - 1.0;
            assert!(off.abs() < 0.001, "level {level}, {stage_m} m: {off:+.5}");
            assert_eq!(coarse.excluded_cells(), 0);
        }
        let flat = WorldBuilder::new(map(1, outline)).level(3).build().expect("a good world");
        assert_eq!(flat.excluded_cells() as u64, area(&fine) - area(&flat));
    }
}

/// Goal: x mm of rain are x mm over the ground that cells have, cut to a whole unit for each cell;
/// less evaporates and soaks from less. Method: what came and went on each level, to the unit and
/// against the finest; invariants.
#[test]
fn rain_falls_on_the_ground_that_cells_have() {
    const RATES: [(&str, Direction, f64); 3] = [
        ("rain", Direction::Into, 5.0e-5),
        ("air", Direction::Out, 2.0e-5),
        ("soil", Direction::Ground, 1.0e-5),
    ];
    let mut finest = None;
    for level in 0..=3 {
        let mut builder = builder(level, ragged, Solver::Pipe).initial_depth(|_| 0.1);
        for (name, direction, rate) in RATES {
            builder = builder.layer(name, direction, &[(0.0, rate)]).expect("good rates");
        }
        let mut world = builder.build().expect("a good world");
        let begin = volume_m3(&world);
        while world.time().seconds() < 6.0 {
            world.run_cycle(SimTime::from_seconds(6.0));
        }
        let found = violations(&world);
        assert!(found.is_empty(), "level {level}: {found:#?}");
        for (name, _, rate) in RATES {
            #[expect(clippy::cast_possible_truncation, reason = "a few hundred")]
            let units = (rate * 6.0 * 2.0_f64.powi(20)) as u64;
            let of_cell =
                |&(inside, level): &(u64, u8)| (units * inside) >> (2 * level) << (2 * level);
            let expected: u64 = cells(&world).iter().map(of_cell).sum();
            let got = account(&world, name);
            if name == "rain" {
                assert_eq!(got, i128::from(expected), "{name} on level {level}");
            } else {
                // Sinks take no more than is there: where it is dry they take less.
                let part = got as f64 / expected as f64;
                assert!((0.95..=1.0).contains(&part), "{name} on level {level}: {part}");
            }
        }
        let begin_fine = *finest.get_or_insert(begin);
        assert!((begin / begin_fine - 1.0).abs() < 1.0e-5, "level {level}: {begin}, {begin_fine}");
    }
}

/// Goal: P2 over parts of cells. Method: lakes with islands and shores, on one level and on a mix.
#[test]
fn lakes_rest_at_ragged_outlines() {
    for (solver, level) in SOLVERS.into_iter().flat_map(|s| [(s, 1), (s, 2), (s, 3), (s, 0)]) {
        let mut builder = builder(level, ragged, solver).initial_stage(|_| 10.0);
        if level == 0 {
            builder = builder.leaves(mixed_leaves());
        }
        let mut world = builder.edges(EdgeKind::Stage(vec![(0.0, 10.0)])).build().expect("good");
        let planes = |world: &World| -> Vec<_> {
            let leaves = world.simulation().forest().ids();
            leaves.map(|leaf| world.simulation().water(leaf).depth.clone()).collect::<Vec<_>>()
        };
        let before = planes(&world);
        assert!(volume_m3(&world) > 1.0e3);
        for _ in 0..shrunk(100, 5) {
            world.run_cycle(SimTime::from_seconds(1.0e6));
        }
        assert!(before == planes(&world), "{solver:?}, level {level}: cells changed");
    }
}

/// Leaves of levels 0 to 2 side by side, with parts of cells wherever the outline runs.
fn mixed_leaves() -> Vec<TileKey> {
    let world = builder(0, ragged, Solver::Pipe).build().expect("a good world");
    let mut leaves = Vec::new();
    let mut open = vec![TileKey { level: 2, x: 0, y: 0 }];
    while let Some(key) = open.pop() {
        if world.cover(key) == Coverage::Outside {
            continue;
        }
        // The south-west is finest.
        let is_leaf = match key.level {
            2 => false,
            1 => key.x + key.y > 0,
            _ => true,
        };
        if is_leaf {
            leaves.push(key);
        } else {
            open.extend((0..4).map(|quadrant| key.child(quadrant)));
        }
    }
    leaves
}

fn adaptive() -> AdaptiveOptions {
    AdaptiveOptions {
        coarsest: 3,
        budget_cells: 1 << 20,
        interval_cycles: 1,
        min_age_cycles: 2,
        ..AdaptiveOptions::default()
    }
}

/// Water, dye, rain, soil and an open outline, on leaves that change.
fn flooded(solver: Solver) -> World {
    builder(0, ragged, solver)
        .adaptive(adaptive())
        .initial_depth(|at| if at.x < 90 { 3.0 } else { 0.0 })
        .rain("rain", &[(0.0, 2.0e-5)])
        .and_then(|b| b.inflow("spring", &[(0.0, 2.0)], &[CellPlace { x: 101, y: 76 }]))
        .and_then(|b| b.green_ampt(1.0e-5, 0.1))
        .expect("good rates")
        .tracer("dye", |at| if at.y < 70 { 1.0 } else { 0.25 })
        .edges(EdgeKind::Open)
        .build()
        .expect("a good world")
}

/// Three observers at places drawn for `jump`.
fn observers(world: &World, jump: u64) -> Vec<Box<dyn Criterion>> {
    let observer = |i: i64| {
        let draw = |axis: i64| noise(100 * jump, i, axis);
        let options = ObserverOptions {
            position_m: [draw(0) * 400.0, draw(1) * 290.0],
            velocity_m_s: [0.0; 2],
            look_ahead_s: 0.0,
            radii_m: vec![(0, 20.0 * draw(2) + 1.0), (1, 40.0 * draw(3) + 20.0)],
            priority: 0.0,
        };
        let observer = Observer::try_new(&options, &world.extent()).expect("a good observer");
        Box::new(observer) as Box<dyn Criterion>
    };
    (0..2).map(observer).collect()
}

/// Goal: P1 and P5 while observers jump about over ragged ground, water soaks into it and leaves
/// over its edges. Method: all invariants after each cycle; coarse leaves lie on the outline.
#[test]
fn observers_change_no_volume_on_ragged_ground() {
    let idle = builder(0, ragged, Solver::Pipe).adaptive(adaptive()).build().expect("a world");
    assert_eq!(idle.simulation().forest().leaves().len(), 1, "nothing is pinned");
    for solver in SOLVERS {
        let mut world = flooded(solver);
        let (mut coarse, mut merged, mut leaves) = (0, 0, 1);
        for cycle in 0..shrunk(200, 30) {
            if cycle % 5 == 0 {
                let far = cycle % 10 == 5;
                let criteria = if far { Vec::new() } else { observers(&world, cycle) };
                *world.criteria_mut().expect("adaptive") = criteria;
            }
            world.run_cycle(SimTime::from_seconds(1.0e6));
            let found = violations(&world);
            assert!(found.is_empty(), "{solver:?}, cycle {cycle}: {found:#?}");
            let simulation = world.simulation();
            let now = simulation.forest().leaves().len();
            merged += usize::from(now < leaves);
            leaves = now;
            coarse += simulation
                .leaves()
                .grounds
                .iter()
                .filter(|ground| ground.parts().is_some())
                .count();
        }
        assert!(coarse > 20 && merged > 1, "{coarse} leaves with parts of cells, {merged} merges");
    }
}

/// Goal: P3 on parts of cells. Method: the same flood on 1, 2 and 7 threads.
#[test]
fn threads_do_not_change_ragged_worlds() {
    let of = || {
        let mut world = flooded(Solver::ShallowWater);
        for cycle in 0..8 {
            if cycle == 2 {
                *world.criteria_mut().expect("adaptive") = observers(&world, 0);
            }
            world.run_cycle(SimTime::from_seconds(1.0e6));
        }
        world.state_hash()
    };
    let one = on_threads(1, of);
    for &threads in &THREADS[1..] {
        assert_eq!(on_threads(threads, of), one, "{threads} threads");
    }
}

/// Goal: tables of parts follow the ground, and the water on it stays. Method: ground is dug all
/// along the outline; grounds are compared with those of a world built afresh.
#[test]
fn edited_tables_of_parts_are_those_of_the_edited_terrain() {
    let leaves = mixed_leaves();
    let built = |terrain: Terrain| {
        let builder = WorldBuilder::new(terrain).columns(ColumnKind::SubGrid);
        let builder = builder.leaves(leaves.clone()).initial_depth(|_| 1.0);
        builder.build().expect("a good world")
    };
    let grounds = |world: &World| -> Vec<Ground> {
        world.simulation().leaves().grounds.iter().map(Resident::copied).collect()
    };
    let mut ground = map(2, ragged);
    let mut world = built(ground.clone());
    let (stored, before) = (world.water().stored(), grounds(&world));
    let mut done = 0;
    for count in 0..30 {
        let draw = |i: i64| noise(count, i, 5);
        let centre_m = [draw(0) * 406.0, draw(1) * 298.0];
        let radius_m = 2.0 + 9.0 * draw(2);
        let shape = Shape::Disc { centre_m, radius_m, rim_m: 0.5 * radius_m };
        let by_m = 3.0 * draw(3) + 0.1;
        let edit =
            if draw(4) < 0.5 { Edit::Raise { shape, by_m } } else { Edit::Lower { shape, by_m } };
        match world.edits().edit(&edit) {
            Ok(changed) => assert_eq!(ground.edit(&edit), Ok(changed)),
            Err(EditError::NoGround) => continue,
            Err(error) => panic!("{error}"),
        }
        done += 1;
    }
    assert!(done > 15, "{done} edits");
    let (own, fresh) = (grounds(&world), grounds(&built(ground)));
    assert!(own == fresh && own != before);
    assert_eq!(world.water().stored(), stored);
    let found = violations(&world);
    assert!(found.is_empty(), "{found:#?}");
}

/// Goal: an open outline drains what a wall keeps, on cells of all sizes. Method: half a metre of
/// water on a slope of 2 %; what is left after a minute, against the finest. (On a rectangle of
/// whole cells of all levels it is 0.66, 0.65, 0.65, 0.65.)
#[test]
fn water_leaves_over_a_ragged_outline() {
    let slope = || {
        terrain(COLUMNS, ROWS, WIDTH_M, scale(20, 0.0), |x, y| {
            let bed = 12.0 - 0.02 * WIDTH_M * x as f64;
            if island(x, y) { bed } else { f64::NAN }
        })
    };
    let left = |level: u8, kind: EdgeKind| {
        let mut world = WorldBuilder::new(slope())
            .level(level)
            .columns(ColumnKind::SubGrid)
            .solver(Solver::ShallowWater)
            .edges(kind)
            .initial_depth(|_| 0.5)
            .build()
            .expect("a good world");
        let before = volume_m3(&world);
        world.run_until(SimTime::from_seconds(60.0));
        assert_eq!(world.water().stored(), world.water().ledger().expected());
        volume_m3(&world) / before
    };
    let fine = left(0, EdgeKind::Open);
    assert!((0.55..0.65).contains(&fine), "{fine}");
    for (level, most) in [(1, 0.02), (2, 0.04), (3, 0.07)] {
        let coarse = left(level, EdgeKind::Open);
        assert!(
            (coarse - fine).abs() < most,
            "level {level}: {coarse:.3}, {fine:.3} on the finest"
        );
        assert!(left(level, EdgeKind::Wall) >= 1.0, "nothing leaves");
    }
}
