//! First water on coarse leaves, against that of a world of the finest ones.

use crate::levels::random_mix;
use crate::streamed::file_of;
use crate::support::{fractal, noise, scale, terrain};
use thalweg::terrain::Terrain;
use thalweg::world::{AdaptiveOptions, ColumnKind, StreamOptions, World, WorldBuilder};
use thalweg_engine::grid::TILE_CELLS;
use thalweg_engine::grid::cells::{CellPlace, column_row};

const STAGE_M: f64 = 21.0;
const COARSEST: u8 = 3;

/// Hills and hollows, rough from cell to cell: 2048 × 1024 cells.
fn rough(side: usize) -> Terrain {
    terrain(2 * side, side, 2.0, scale(20, 0.0), |x, y| {
        40.0 * fractal(7, 0.3 * x as f64, 0.3 * y as f64) + noise(6, x as i64, y as i64)
    })
}

fn adaptive(builder: WorldBuilder, columns: ColumnKind) -> World {
    let options =
        AdaptiveOptions { coarsest: COARSEST, budget_cells: 1 << 22, ..AdaptiveOptions::default() };
    let builder = builder.columns(columns).adaptive(options).leaves(random_mix(3, 4, 2, COARSEST));
    builder.initial_stage(|_| STAGE_M).build().expect("a good world")
}

/// Largest difference of a cell's volume from that of the finest cells below, units of its depth,
/// and the ratio of both sums.
fn off(world: &World, finest: &World) -> (f64, f64) {
    let (coarse, fine) = (world.simulation(), finest.simulation());
    let (mut most, mut sums) = (0.0_f64, [0.0; 2]);
    for (leaf, key) in coarse.forest().iter() {
        for cell in (0..TILE_CELLS).filter(|&cell| coarse.ground(leaf).is_inside(cell)) {
            let (corner, (x, y), width) = (key.corner(), column_row(cell), 1_u32 << key.level);
            let [west, south] = [(corner.x + x) * width, (corner.y + y) * width];
            let of_finest = |i: u32| {
                let place = CellPlace { x: west + i % width, y: south + i / width };
                let (leaf, cell) = fine.forest().locate(place).expect("in the world");
                i64::from(fine.water(leaf).depth[cell])
            };
            let cells = f64::from(width * width);
            let held = f64::from(coarse.water(leaf).depth[cell]) * cells;
            let sum = (0..width * width).map(of_finest).sum::<i64>() as f64;
            most = most.max((held - sum).abs() / cells);
            sums = [sums[0] + held, sums[1] + sum];
        }
    }
    (most, sums[0] / sums[1])
}

/// Goal: flat coarse cells hold the water of the finest cells below them, in memory and streamed.
/// Method: each cell of leaves of four levels within half a unit of depth for each level, as beds
/// are rounded, though their own beds would
/// hold a tenth less at the shore; sub-grid columns hold as much as their tables do.
#[test]
fn coarse_leaves_begin_with_the_water_of_the_finest() {
    let terrain = rough(1024);
    let (_path, file) = file_of("first-water", &terrain);
    let finest = WorldBuilder::new(terrain.clone()).initial_stage(|_| STAGE_M).build();
    let finest = finest.expect("a good world");
    for columns in [ColumnKind::Flat, ColumnKind::SubGrid] {
        let world = adaptive(WorldBuilder::new(terrain.clone()), columns);
        let (most, ratio) = off(&world, &finest);
        println!("{columns:?}: {most} units of depth, {ratio} of the volume");
        match columns {
            ColumnKind::Flat => assert!(most <= 1.5, "{most} units"),
            ColumnKind::SubGrid => assert!((ratio - 1.0).abs() < 1.0e-3, "{ratio}"),
        }
        let streamed = file.builder(StreamOptions { budget_bytes: 2 << 30 }).expect("a terrain");
        let streamed = adaptive(streamed, columns);
        assert_eq!(streamed.state_hash(), world.state_hash(), "{columns:?} streamed");
    }
    // What the beds of the coarse cells would hold at their shores.
    let world = adaptive(WorldBuilder::new(terrain), ColumnKind::Flat);
    let (simulation, stage) = (world.simulation(), world.scale().elevation(STAGE_M, 20));
    let stage = stage.expect("below the ceiling");
    let [mut by_means, mut held] = [0.0; 2];
    for (leaf, _) in simulation.forest().iter().filter(|(_, key)| key.level == COARSEST) {
        for cell in 0..TILE_CELLS {
            let depth = simulation.water(leaf).depth[cell];
            let is_shore = depth > 0 && depth < 1 << 20;
            if is_shore {
                by_means += f64::from(simulation.ground(leaf).holds(cell, stage));
                held += f64::from(depth);
            }
        }
    }
    assert!(by_means < 0.9 * held, "{} of the water at the shore", by_means / held);
}

/// Goal: a lake covers coarse cells at its own stage, so that it is still away from its shores.
#[test]
fn a_lake_over_coarse_cells_is_level() {
    let bed = |x: usize, y: usize| 3.0 * fractal(9, x as f64, y as f64);
    let terrain = terrain(2048, 1024, 2.0, scale(20, 0.0), bed);
    let world = adaptive(WorldBuilder::new(terrain), ColumnKind::Flat);
    let stage = world.scale().elevation(STAGE_M, 20).expect("below the ceiling");
    for leaf in world.simulation().forest().ids() {
        let (ground, water) = (world.simulation().ground(leaf), world.simulation().water(leaf));
        let is_level = |cell: usize| ground.bed[cell] + water.depth[cell] == stage;
        assert!((0..TILE_CELLS).all(is_level));
    }
}
