//! Edges whose ground is edited while the world runs.

use crate::support::{scale, terrain};
use thalweg::grid::{LeafId, Side, TileKey};
use thalweg::store::backend::memory::Memory;
use thalweg::terrain::{Edit, Shape};
use thalweg::units::SimTime;
use thalweg::world::{ColumnKind, EdgeKind, EdgePlace, SaveFile, World, WorldBuilder};

const CELL_M: f64 = 2.0;
/// Columns and rows; the pit is in the third of the finest leaves.
const SIZE: (usize, usize) = if cfg!(debug_assertions) { (192, 128) } else { (320, 192) };

/// A pond at rest behind an edge towards which the ground rises.
fn pond(columns: ColumnKind, level: u8) -> World {
    let bed = |_, y: usize| 2.0 - 0.0021 * CELL_M * y as f64;
    let ground = terrain(SIZE.0, SIZE.1, CELL_M, scale(20, 0.0), bed);
    WorldBuilder::new(ground)
        .level(level)
        .columns(columns)
        .edge("south", EdgePlace::Side(Side::South), EdgeKind::Open)
        .initial_stage(|_| 2.5)
        .build()
        .expect("a good world")
}

/// Goal: an edit that opens an edge wakes the leaves whose ground it did not touch, too, and a save
/// between two cycles has them. Method: a pit at the edge, two leaves away from the west; the world
/// is saved, loaded and runs on.
#[test]
fn an_edit_opens_an_edge_beyond_its_leaves() {
    for (columns, level) in [(ColumnKind::Flat, 0), (ColumnKind::SubGrid, 1)] {
        let mut world = pond(columns, level);
        let mut file = SaveFile::create_on(Box::new(Memory::default()), &world).expect("a file");
        while world.run_cycle(SimTime::MAX).awake > 0 {
            assert!(world.time() < SimTime::from_seconds(600.0), "still water sleeps");
        }
        assert_eq!(world.water().ledger().expected(), world.water().stored());
        let before = world.water().stored();
        file.save(&world).expect("saved");
        let key = TileKey { level, x: 0, y: 0 };
        let west: LeafId = world.simulation().forest().find(key).expect("a leaf");
        let shape = Shape::Disc { centre_m: [300.0, 4.0], radius_m: 12.0, rim_m: 2.0 };
        world.edits().edit(&Edit::Lower { shape, by_m: 4.0 }).expect("a pit");
        file.save(&world).expect("saved");
        let mut copy = file.load(Vec::new()).expect("a world");
        assert_eq!(copy.state_hash(), world.state_hash(), "{columns:?}");
        world.run_cycle(SimTime::MAX);
        assert!(!world.simulation().asleep()[west.index()], "{columns:?}: it sleeps");
        copy.run_cycle(SimTime::MAX);
        for _ in 0..20 {
            world.run_cycle(SimTime::MAX);
            copy.run_cycle(SimTime::MAX);
        }
        assert_eq!(copy.state_hash(), world.state_hash(), "{columns:?}: 20 cycles on");
        assert!(world.water().stored() < before, "{columns:?}: water leaves");
    }
}
