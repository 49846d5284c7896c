//! The summary of a file by itself is that of its world.

use crate::adaptive::{flooded_builder, jump};
use crate::determinism::{flood_builder, valleys};
use crate::support::{in_memory, scale, shrunk, terrain, terrain_in_memory};
use thalweg::units::SimTime;
use thalweg::world::{World, WorldBuilder};
use thalweg_engine::sim::Solver;

#[track_caller]
fn check(name: &str, mut world: World, act: &dyn Fn(&mut World, u64)) {
    for cycle in 0..shrunk(12, 6) {
        act(&mut world, cycle);
        world.run_cycle(SimTime::from_seconds(1.0e6));
    }
    let file = in_memory(&world);
    let summary = file.summary().expect("whole").expect("water");
    let (simulation, setup) = (world.simulation(), world.settings());
    let leaves = simulation.forest().leaves();
    assert_eq!((summary.time, &summary.settings), (world.time(), setup), "{name}");
    assert_eq!(summary.leaves, leaves, "{name}");
    assert_eq!(&summary.ledger, world.water().ledger(), "{name}");
    assert_eq!(summary.level, simulation.forest().base(), "{name}");
    let water = file.water().expect("whole").expect("water");
    for (leaf, &key) in simulation.forest().ids().zip(leaves) {
        let found = water.read(key).expect("whole");
        assert_eq!(found.bed[..], simulation.ground(leaf).bed[..], "{name}, beds of {key:?}");
        assert_eq!(found.depth[..], simulation.water(leaf).depth[..], "{name}, {key:?}");
    }
}

#[test]
fn a_summary_is_what_the_world_is() {
    check("flood", flood_builder(3).build().expect("a good world"), &|_, _| {});
    check("valleys", valleys(), &|_, _| {});
    let lake = flooded_builder(7, Solver::ShallowWater).build().expect("a good world");
    check("levels", lake, &|world, cycle| jump(world, 7, cycle / 3));
}

/// Goal: over flat columns, cells that lie outside in part are left out here as in the world.
#[test]
fn holes_are_left_out() {
    let bed_m = |x: usize, y: usize| match (x * 7 + y * 13) % 61 {
        0 => f64::NAN,
        _ => 0.1 * ((x + 2 * y) % 17) as f64,
    };
    let ground = terrain(150, 140, 5.0, scale(20, 0.0), bed_m);
    let lake = WorldBuilder::new(ground).level(1).initial_stage(|_| 1.0);
    let world = lake.build().expect("a good world");
    assert!(world.excluded_cells() > 0);
    check("holes", world, &|_, _| {});
}

#[test]
fn a_terrain_alone_has_no_summary() {
    let world = flood_builder(3).build().expect("a good world");
    let file = terrain_in_memory(world.terrain().expect("held"));
    assert!(file.summary().expect("whole").is_none() && file.water().expect("whole").is_none());
}
