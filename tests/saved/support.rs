//! Small worlds, and files in memory.

#[path = "../common/ground.rs"]
mod ground;
#[path = "../common/memory.rs"]
mod memory;

pub use ground::terrain_of;
pub use memory::{in_memory, terrain_in_memory};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use thalweg::criteria::Criterion;
use thalweg::terrain::{Terrain, TerrainOptions};
use thalweg::units::{SimTime, VerticalScale};
use thalweg::world::{FileError, SaveFile, World};
use thalweg_engine::store::backend::memory::Memory;

/// A terrain of cells of 2 m from heights by column and row from the south; NaN is NoData.
pub fn terrain(
    [width, height]: [usize; 2],
    bed_exponent: u8,
    bed_m: impl Fn(usize, usize) -> f64,
) -> Terrain {
    let scale = VerticalScale::try_new(20, 0.0).expect("a good scale");
    let options = TerrainOptions { width, height, cell_width_m: 2.0, scale, bed_exponent };
    terrain_of(options, bed_m)
}

/// Does all rounds on threads of their own: a thread of a pool that waits for a piece of its round
/// may take up another round on the same stack, and there another one.
pub fn each_round(seeds: &[u64], round: impl Fn(u64) + Sync) {
    let next = AtomicU64::new(0);
    let taken = || seeds.get(usize::try_from(next.fetch_add(1, Ordering::Relaxed)).ok()?).copied();
    let threads = thread::available_parallelism().map_or(2, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| std::iter::from_fn(taken).for_each(&round));
        }
    });
}

/// A world saved in memory and loaded.
pub fn loaded(world: &World, criteria: Vec<Box<dyn Criterion>>) -> Result<World, FileError> {
    SaveFile::create_on(Box::new(Memory::default()), world)?.load(criteria)
}

/// Saves a world, loads it, and runs both on: all the while they are one.
#[track_caller]
pub fn check_saved(world: &mut World, criteria: impl Fn() -> Vec<Box<dyn Criterion>>, case: &str) {
    let mut copy = loaded(world, criteria()).unwrap_or_else(|error| panic!("{case}: {error}"));
    assert_eq!(copy.state_hash(), world.state_hash(), "{case}: loaded");
    for cycle in 0..3 {
        world.run_cycle(SimTime::MAX);
        copy.run_cycle(SimTime::MAX);
        assert_eq!(copy.state_hash(), world.state_hash(), "{case}: {cycle} cycles on");
    }
    assert_eq!(world.water().stored(), world.water().ledger().expected(), "{case}: volume");
}
