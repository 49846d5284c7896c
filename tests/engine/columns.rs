//! Tables of sub-grid columns in a world that runs and is edited.

use crate::adaptive::{flooded_builder, jump};
use crate::support::{THREADS, fractal, noise, on_threads, scale, shrunk, terrain};
use thalweg::check::violations;
use thalweg::terrain::{Edit, EditError, Shape, Terrain};
use thalweg::units::SimTime;
use thalweg::world::{ColumnKind, EdgeKind, EdgePlace, MapKinds, World, WorldBuilder};
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::grid::{Side, TILE_CELLS, TileKey};
use thalweg_engine::sim::{Settings, Solver};
use thalweg_engine::tile::{Ground, Resident};

const CELLS: usize = 512;

/// Solvers that the slowest tests try.
const SOLVERS: usize = if crate::QUICK { 1 } else { 2 };

/// Hills with a hole.
fn hills(seed: u64) -> Terrain {
    terrain(2 * CELLS, CELLS, 2.0, scale(20, 0.0), |x, y| {
        let is_hole = (x as f64 - 700.0).hypot(y as f64 - 300.0) < 30.0;
        let bed = 30.0 * fractal(seed, x as f64 * 0.2, y as f64 * 0.2);
        if is_hole { f64::NAN } else { bed }
    })
}

fn built(terrain: Terrain, leaves: &[TileKey]) -> World {
    WorldBuilder::new(terrain)
        .columns(ColumnKind::SubGrid)
        .leaves(leaves.to_vec())
        .build()
        .expect("a good world")
}

/// Grounds of all leaves.
fn grounds(world: &World) -> Vec<Ground> {
    world.simulation().leaves().grounds.iter().map(Resident::copied).collect()
}

/// Raises or lowers the ground somewhere, by little or by much.
fn digging(seed: u64, count: u64) -> Edit {
    let draw = |i: i64| noise(seed + count, i, 5);
    let centre_m = [draw(0) * 4.0 * CELLS as f64, draw(1) * 2.0 * CELLS as f64];
    let radius_m = 2.0 + 60.0 * draw(2) * draw(2);
    let shape = Shape::Disc { centre_m, radius_m, rim_m: 0.5 * radius_m };
    let by_m = 3.0 * draw(3) + 0.1;
    if draw(4) < 0.5 { Edit::Raise { shape, by_m } } else { Edit::Lower { shape, by_m } }
}

/// Goal: tables follow the ground. Method: leaves of four levels change under jumping observers
/// while ground is raised and dug, over sides of tiles and cells; now and then every ground is
/// compared with that of a world built afresh from the edited terrain.
#[test]
fn edited_tables_are_those_of_the_edited_terrain() {
    for (solver, seed) in [(Solver::ShallowWater, 2), (Solver::Pipe, 1)].into_iter().take(SOLVERS) {
        let builder = flooded_builder(seed, solver).columns(ColumnKind::SubGrid);
        let (mut world, mut ground) = (builder.build().expect("a good world"), hills(seed));
        for round in 0..shrunk(8, 1) {
            jump(&mut world, seed, round);
            for count in 10 * round..10 * round + 10 {
                let edit = digging(seed, count);
                match world.edits().edit(&edit) {
                    Ok(changed) => assert_eq!(ground.edit(&edit), Ok(changed)),
                    Err(EditError::NoGround) => {}
                    Err(error) => panic!("{error}"),
                }
                world.run_cycle(SimTime::from_seconds(1.0e6));
            }
            let found = violations(&world);
            assert!(found.is_empty(), "{solver:?}, round {round}: {found:#?}");
            let leaves = world.simulation().forest().leaves();
            let fresh = built(ground.clone(), leaves);
            let pairs = grounds(&world).into_iter().zip(grounds(&fresh));
            for (key, (own, fresh)) in leaves.iter().zip(pairs) {
                assert!(own == fresh, "{solver:?}, round {round}: {key:?} is another");
            }
        }
    }
}

#[test]
fn threads_do_not_change_tables() {
    let leaves: Vec<TileKey> =
        (0..4).flat_map(|y| (0..8).map(move |x| TileKey { level: 1, x, y })).collect();
    let of = || {
        let bed = |x, y| 30.0 * fractal(3, x as f64 * 0.2, y as f64 * 0.2);
        grounds(&built(terrain(2 * CELLS, CELLS, 2.0, scale(20, 0.0), bed), &leaves))
    };
    let one = on_threads(1, of);
    assert!(THREADS[1..].iter().all(|&threads| one == on_threads(threads, of)));
}

/// Goal: the memory of tables is reported. Method: uniform levels; a world whose leaves may change
/// keeps those of coarse ones, too.
#[test]
fn tables_are_counted() {
    let bytes = |level: u8, kind: ColumnKind| {
        let builder = WorldBuilder::new(hills(1)).level(level).columns(kind);
        let world = builder.build().expect("a good world");
        (world.table_bytes(), world.simulation().forest().leaves().len())
    };
    assert_eq!(bytes(1, ColumnKind::Flat).0, 0);
    assert_eq!(bytes(0, ColumnKind::SubGrid).0, 0);
    for level in [1, 2, 3] {
        let (bytes, leaves) = bytes(level, ColumnKind::SubGrid);
        let cells = leaves * TILE_CELLS;
        assert!((340 * cells..360 * cells).contains(&bytes), "level {level}: {bytes}");
    }
    let builder = flooded_builder(1, Solver::Pipe).columns(ColumnKind::SubGrid);
    let mut world = builder.build().expect("a good world");
    let before = world.table_bytes();
    jump(&mut world, 1, 0);
    for _ in 0..4 {
        world.run_cycle(SimTime::from_seconds(1.0e6));
    }
    assert_ne!(world.table_bytes(), before);
}

/// Goal: P3 for what maps see. Method: the speeds that they saw of a flood by each solver on leaves
/// of two levels, on 1, 2 and 7 threads.
#[test]
fn threads_do_not_change_the_speeds_of_maps() {
    let all = (0..8).flat_map(|x| (0..4).map(move |y| TileKey { level: 1, x, y }));
    let leaves = all.flat_map(|key| {
        let is_fine = (key.x + 3 * key.y) % 7 == 2;
        if is_fine { (0..4).map(|quadrant| key.child(quadrant)).collect() } else { vec![key] }
    });
    let leaves: Vec<TileKey> = leaves.collect();
    // The other solver's turn comes in full runs.
    for solver in [Solver::ShallowWater, Solver::Pipe].into_iter().take(SOLVERS) {
        let run = || {
            let mut world = WorldBuilder::new(hills(4))
                .columns(ColumnKind::SubGrid)
                .leaves(leaves.clone())
                .solver(solver)
                .maps(MapKinds::SPEED)
                .initial_depth(|_| 1.0)
                .build()
                .expect("a good world");
            for _ in 0..3 {
                world.run_cycle(SimTime::from_seconds(1.0e6));
            }
            let places = (0..CELLS).flat_map(|y| (0..2 * CELLS).map(move |x| (x, y)));
            let speed = |(x, y): (usize, usize)| {
                let [x, y] = [x, y].map(|at| u32::try_from(at).expect("a column or row"));
                let (maps, cell) = world.maps().at(CellPlace { x, y })?;
                Some(maps.speed_max().expect("kept")[cell].to_bits())
            };
            places.map(speed).collect::<Vec<_>>()
        };
        let one = on_threads(1, run);
        for &threads in &THREADS[1..] {
            let off = one.iter().zip(on_threads(threads, run)).filter(|(a, b)| **a != *b).count();
            assert_eq!(off, 0, "{solver:?}, {threads} threads: cells with another speed");
        }
    }
}

/// Minutes after which the water of a shower is compared; the late ones in full runs alone.
const MINUTES: &[f64] =
    if crate::QUICK { &[6.0, 8.0] } else { &[6.0, 8.0, 10.0, 13.0, 18.0, 25.0] };

/// Volume, m³, that has left a hill of 2 % after each of `MINUTES`, under a shower of eight.
fn runoff(builder: WorldBuilder, solver: Solver) -> Vec<f64> {
    let mut world = builder
        .settings(Settings { solver, manning_n: vec![0.05], ..Settings::default() })
        .edge("foot", EdgePlace::Side(Side::East), EdgeKind::Open)
        .rain("shower", &[(0.0, 60.0 / 3.6e6), (480.0, 0.0)])
        .expect("a rate")
        .build()
        .expect("a good world");
    let mut left = Vec::new();
    for minutes in MINUTES {
        world.run_until(SimTime::from_seconds(60.0 * minutes));
        let accounts = world.water().ledger().accounts();
        let foot = accounts.iter().find(|own| own.name == "foot").expect("an account");
        left.push((foot.out - foot.into) as f64 * world.water().unit_m3());
        assert!(violations(&world).is_empty(), "{solver:?}: {:#?}", violations(&world));
    }
    left
}

/// Goal: a sheet that is thinner than the fall of the ground within a column runs as it does over
/// fine cells. Method: what has left a hill, against flat cells of 1 m, within 3 % of the rain:
/// cells of 4 and 8 m, and leaves of two levels, coarse above fine and fine above coarse.
#[test]
fn runoff_over_columns_arrives_as_over_fine_cells() {
    const SIZE: (usize, usize) = (512, 64);
    let hill = || terrain(SIZE.0, SIZE.1, 1.0, scale(20, 0.0), |x, _| 10.0 - 0.02 * x as f64);
    let rain_m3 = (SIZE.0 * SIZE.1) as f64 * 60.0 / 3.6e6 * 480.0;
    for solver in [Solver::ShallowWater, Solver::Pipe].into_iter().take(SOLVERS) {
        let fine = runoff(WorldBuilder::new(hill()), solver);
        let sub_grid = || WorldBuilder::new(hill()).columns(ColumnKind::SubGrid);
        let key = |level: u8, x: u32| TileKey { level, x, y: 0 };
        let fine_at = |from: u32| [from, from + 1].map(|x| key(1, x));
        let worlds = [
            ("4 m", sub_grid().level(2)),
            ("8 m", sub_grid().level(3)),
            ("4 above 2 m", sub_grid().leaves([&[key(2, 0)], &fine_at(2)[..]].concat())),
            ("2 above 4 m", sub_grid().leaves([&fine_at(0)[..], &[key(2, 1)]].concat())),
        ];
        for (name, builder) in worlds {
            let coarse = runoff(builder, solver);
            for (left, fine) in coarse.iter().zip(&fine) {
                let error = (left - fine) / rain_m3;
                assert!(error.abs() < 0.03, "{solver:?}, {name}: {coarse:?}, 1 m: {fine:?}");
            }
        }
    }
}
