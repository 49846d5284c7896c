//! Cells that lie outside the world in part, where levels change and where they meet.

use crate::support::{fractal, noise, scale, shrunk, terrain};
use thalweg::check::violations;
use thalweg::terrain::Terrain;
use thalweg::units::SimTime;
use thalweg::world::{ColumnKind, World, WorldBuilder};
use thalweg_engine::forest::cut_out;
use thalweg_engine::grid::{TILE_CELLS, TileKey};
use thalweg_engine::sim::Solver;
use thalweg_engine::tile::carry::finest_cells;
use thalweg_engine::tile::coarsen::coarsen;
use thalweg_engine::tile::columns::Columns;
use thalweg_engine::tile::columns::build::BedPlanes;
use thalweg_engine::tile::refine::refine;
use thalweg_engine::tile::{Carry, Ground, Holding, Water};

/// Ground of a tile of sub-grid columns.
fn ground(terrain: &Terrain, key: TileKey) -> Ground {
    let [coarse, finest] = [key.level, 0].map(|level| terrain.level(level).expect("a level"));
    let mut ground = Ground::flat(cut_out(key, |x, y| coarse.ground_bed(x, y)).bed);
    let beds = BedPlanes { coarse: coarse.plane(), finest: finest.plane() };
    ground.columns = (key.level > 0).then(|| Columns::of(key, &beds).into());
    ground
}

fn stored(level: u8, water: &Water, carry: &Carry) -> i64 {
    let depths: i64 = water.depth.iter().map(|&h| i64::from(h)).sum();
    depths * finest_cells(level) + carry.water
}

/// Depths from films to the ceiling, and one tracer.
fn water(ground: &Ground, seed: u64) -> Water {
    let mut water = Water::dry_with(1);
    for cell in (0..TILE_CELLS).filter(|&cell| ground.is_inside(cell)) {
        let draw = |i: i64| noise(seed, i, cell as i64);
        let part = if draw(0) < 0.2 { 0.0 } else { 0.5_f64.powf(24.0 * draw(1)) };
        let room = f64::from(ground.room(cell));
        let depth = if draw(2) < 0.05 { room } else { (part * room).floor() };
        #[expect(clippy::cast_possible_truncation, reason = "at most the room")]
        let depth = depth as i32;
        water.depth[cell] = depth;
        water.contents[0][cell] = i64::from(depth) * 77;
    }
    water
}

/// Goal: parts of cells go up and down a level to the unit, and no cell holds what it has no room
/// for. Method: random holes in rough ground, depths of all sizes, up and down and up again.
#[test]
fn parts_of_cells_go_up_and_down_to_the_unit() {
    for seed in 0..shrunk(24, 6) {
        let fine_level = u8::try_from(seed % 3).expect("small");
        let coarse_level = fine_level + 1;
        let width = 128 << fine_level;
        let is_hole = |x: usize, y: usize| noise(seed, x as i64 / 3, y as i64 / 2) < 0.3;
        let relief = [0.0, 5.0, 900.0][(seed / 3 % 3) as usize];
        let map = terrain(width - 5, width - 9, 1.0, scale(20, 0.0), |x, y| {
            let bed = relief * (fractal(seed, x as f64, y as f64) - 0.5);
            if is_hole(x, y) { f64::NAN } else { bed }
        });
        let key = TileKey { level: coarse_level, x: 0, y: 0 };
        let coarse = ground(&map, key);
        assert!(coarse.parts().is_some());
        let fine: Vec<Ground> = (0..4).map(|q| ground(&map, key.child(q))).collect();
        let (before, none) = (water(&coarse, seed), Carry::none(1));
        let holding = Holding { ground: &coarse, water: &before, carry: &none };
        let quarters: Vec<(Water, Carry)> =
            (0..4).map(|q| refine(&holding, q, &fine[q], fine_level)).collect();
        let total: i64 = quarters.iter().map(|(w, c)| stored(fine_level, w, c)).sum();
        assert_eq!(total, stored(coarse_level, &before, &none), "seed {seed}");
        for ((water, _), ground) in quarters.iter().zip(&fine) {
            check_room(ground, water, seed);
        }
        let holdings: [_; 4] = std::array::from_fn(|q| {
            let (water, carry) = (&quarters[q].0, &quarters[q].1);
            Some(Holding { ground: &fine[q], water, carry })
        });
        let (after, carry) = coarsen(&holdings, &coarse, coarse_level);
        assert_eq!(stored(coarse_level, &after, &carry), total, "seed {seed}");
        check_room(&coarse, &after, seed);
        for cell in 0..TILE_CELLS {
            let (h, room) = (before.depth[cell], coarse.room(cell));
            let (is_full, back) = (i64::from(h) + 256 > room.into(), after.depth[cell]);
            assert!(back == h || is_full, "seed {seed}, cell {cell}: {h} of {room} became {back}");
        }
    }
}

#[track_caller]
fn check_room(ground: &Ground, water: &Water, seed: u64) {
    for (cell, &depth) in water.depth.iter().enumerate() {
        // Beds are rounded, and an f32 cannot tell stages apart.
        let room = ground.room(cell);
        let room = if ground.is_inside(cell) { room + 8 + (room >> 22) } else { 0 };
        assert!((0..=room).contains(&depth), "seed {seed}, cell {cell}: {depth} of {room}");
        let content = water.contents[0][cell];
        assert!((0..=77 * i64::from(depth)).contains(&content), "seed {seed}, cell {cell}");
    }
}

/// Goal: a wall of single NoData cells between a fine and a coarse leaf holds water, though the
/// coarse cells there have ground. Method: a pond on either side, both ways round.
#[test]
fn walls_of_single_cells_hold_between_levels() {
    const COLUMNS: usize = 256;
    let cases = [false, true].into_iter().flat_map(|turned| [(turned, true), (turned, false)]);
    for ((turned, is_fine_wet), solver) in cases.zip([Solver::Pipe, Solver::ShallowWater].repeat(2))
    {
        let map = terrain(COLUMNS, COLUMNS, 2.0, scale(20, 0.0), |x, y| {
            let (along, across) = if turned { (y, x) } else { (x, y) };
            if along == 127 { f64::NAN } else { 0.01 * across as f64 }
        });
        let mut leaves: Vec<TileKey> =
            (0..2).flat_map(|x| (0..2).map(move |y| TileKey { level: 1, x, y })).collect();
        leaves.retain(|key| if turned { key.y == 0 } else { key.x == 0 });
        leaves.extend((0..8).map(|i| {
            let (far, along) = (2 + i % 2, i / 2);
            let [x, y] = if turned { [along, far] } else { [far, along] };
            TileKey { level: 0, x, y }
        }));
        let mut world = WorldBuilder::new(map)
            .columns(ColumnKind::SubGrid)
            .solver(solver)
            .leaves(leaves)
            .initial_depth(move |at| {
                let along = if turned { at.y } else { at.x };
                if (along >= 128) == is_fine_wet { 2.0 } else { 0.0 }
            })
            .build()
            .expect("a good world");
        let before = wet_leaves(&world);
        assert!(before.iter().any(|&wet| wet) && before.iter().any(|&wet| !wet));
        for _ in 0..shrunk(40, 6) {
            world.run_cycle(SimTime::from_seconds(1.0e6));
        }
        assert_eq!(wet_leaves(&world), before, "{solver:?}, turned: {turned}");
        let found = violations(&world);
        assert!(found.is_empty(), "{solver:?}: {found:#?}");
    }
}

/// Which leaves have water.
fn wet_leaves(world: &World) -> Vec<bool> {
    let leaves = world.simulation().forest().ids();
    leaves.map(|leaf| world.simulation().water(leaf).depth.iter().any(|&h| h > 0)).collect()
}
