//! Files of worlds in memory.

use thalweg::terrain::Terrain;
use thalweg::world::{SaveFile, World};
use thalweg_engine::store::Store;
use thalweg_engine::store::backend::memory::Memory;
use thalweg_engine::store::terrain::write_terrain;

/// A file in memory that has a world.
#[track_caller]
pub fn in_memory(world: &World) -> SaveFile {
    SaveFile::create_on(Box::new(Memory::default()), world).expect("saved in memory")
}

/// A file in memory that has a terrain and no world.
#[track_caller]
pub fn terrain_in_memory(terrain: &Terrain) -> SaveFile {
    let mut store = Store::create_on(Box::new(Memory::default())).expect("in memory");
    write_terrain(terrain, &mut store).expect("written");
    store.commit().expect("committed");
    SaveFile::of(store)
}
