//! The file in which a world is kept: its contents, terrain, damage.
//!
//! [`SaveFile`](crate::world::SaveFile) saves and loads worlds; a tool that reads a file itself, as
//! `thalweg verify` does, starts with [`Store`]. `src/guide/format.md` describes the format.

pub use thalweg_engine::store::terrain::{
    Damage, Head, StoredBeds, TerrainWriter, WriteError, check_terrain, make_tables,
    read_georeference, read_head, read_terrain, write_georeference, write_terrain,
};
pub use thalweg_engine::store::{
    Claim, Extent, Key, Layer, Limit, Limits, Opened, OverLimit, Reader, Store, StoreError,
};
