//! The terrain of a world in its file.
//!
//! Layer [`Layer::Bed`] has an extent for each tile of each level of the pyramid with ground: the
//! mean beds of the ground in its 64 × 64 cells, [`OUTSIDE`] for cells without ground. Layer
//! [`Layer::Parts`] has an extent if some of these cells are partly outside the world. The head
//! describes the world, its position on the globe, and which finest tiles have ground.
//!
//! [`TerrainWriter`] writes a terrain of any size while its rows arrive; [`write_terrain`] writes a
//! terrain in memory.
//!
//! Guarantees: a terrain is read as it was written (`a_terrain_comes_back`); a tile that is
//!             damaged, missing or of a different map is an error that names it
//!             (`damage_is_named`).
//! Limits:     [`read_terrain`] reads a whole terrain, from its finest level; its pyramid is
//!             rebuilt.

mod band;
mod check;
mod edited;
mod head;
mod tables;
mod tiles;
mod unfinished;
mod writer;

pub use check::{Damage, check_terrain};
pub use edited::{bed_extent, tile_extents, widen_head};
pub use head::{
    GEOREFERENCE, GROUND_TILES, Head, RECORD, UNFINISHED, read_georeference, read_head,
    write_georeference,
};
pub use tables::{
    STORED_FROM, looks_at, make_tables, read_tables, renew_tables, tables_extents, tables_of,
};
pub use tiles::StoredPlane;
pub use writer::{TerrainWriter, WriteError};

use crate::grid::{TILE_CELLS, TILE_WIDTH, TileKey};
use crate::store::codec::decode_ints;
use crate::store::terrain::tiles::GroundTiles;
use crate::store::{Extents, Key, Layer, Limits, Store, StoreError};
use crate::terrain::{BedLevel, Terrain, TerrainOptions};
use crate::units::OUTSIDE;
use std::io;
use std::sync::Arc;

/// Writes a terrain in place of the previous one; the caller commits.
///
/// # Errors
///
/// Errors of writing the store. Earlier commits are intact.
pub fn write_terrain(terrain: &Terrain, store: &mut Store) -> Result<(), StoreError> {
    write_terrain_watched(terrain, store, &mut |_| ())
}

/// Writes a terrain; `watch` is called from time to time with the share that is done.
///
/// # Errors
///
/// Errors of writing the store. Earlier commits are intact.
pub fn write_terrain_watched(
    terrain: &Terrain,
    store: &mut Store,
    watch: &mut dyn FnMut(f64),
) -> Result<(), StoreError> {
    let beds = terrain.level(0).expect("a terrain has its finest level");
    let (width, height) = (beds.width(), beds.height());
    let (cell_width_m, scale) = (terrain.cell_width_m(0), terrain.scale());
    let bed_exponent = terrain.bed_exponent();
    let options = TerrainOptions { width, height, cell_width_m, scale, bed_exponent };
    let mut writer = TerrainWriter::in_place(options, store)?;
    while writer.rows_wanted() > 0 {
        let done = writer.rows();
        #[expect(clippy::cast_precision_loss, reason = "a share of the rows")]
        watch(done as f64 / height as f64);
        writer.fill::<_, StoreError>(writer.rows_wanted(), store, |row, out| {
            out.copy_from_slice(beds.ground_row(height - 1 - done - row));
            Ok::<(), StoreError>(())
        })?;
    }
    writer.complete(store).map(drop)
}

/// Reads the terrain of a world.
///
/// # Errors
///
/// [`StoreError::Damaged`] names the first tile that differs from the written one, or the head;
/// [`StoreError::Limit`] if the terrain takes more bytes than the limits allow, [`StoreError::Io`]
/// if the memory is too small.
pub fn read_terrain(store: &dyn Extents, limits: &Limits) -> Result<Terrain, StoreError> {
    let stored = StoredBeds::open(store)?;
    limits.check_bytes("the terrain of this world", stored.head().terrain_bytes())?;
    let Head { width, height, scale, bed_exponent, cell_width_m, .. } = stored.outline.head;
    let mut bed: Vec<i32> = Vec::new();
    // Up to 64 GiB, if the limits allow it: `vec!` would end the process if memory is too small.
    bed.try_reserve_exact(width * height).map_err(|_| StoreError::Io {
        doing: "hold the terrain in memory",
        source: io::ErrorKind::OutOfMemory.into(),
    })?;
    bed.resize(width * height, OUTSIDE);
    let mut plane = [OUTSIDE; TILE_CELLS];
    for tile in stored.tiles(0) {
        stored.read(tile, &mut plane)?;
        let (west, south) = (tile.x as usize * TILE_WIDTH, tile.y as usize * TILE_WIDTH);
        let (columns, rows) = (TILE_WIDTH.min(width - west), TILE_WIDTH.min(height - south));
        for (row, beds) in plane.chunks_exact(TILE_WIDTH).take(rows).enumerate() {
            bed[(south + row) * width + west..][..columns].copy_from_slice(&beds[..columns]);
        }
    }
    let terrain =
        Terrain::new(scale, cell_width_m, bed_exponent, BedLevel::new(0, width, height, bed));
    if terrain.inside_count() as u64 != stored.outline.head.inside {
        let what = "its count of cells with ground is not that of the beds";
        return Err(StoreError::Damaged { key: Some(RECORD), what });
    }
    Ok(terrain)
}

/// The beds of a world in a store, for reading tile by tile.
#[derive(Debug)]
pub struct StoredBeds<'a> {
    store: &'a dyn Extents,
    outline: TerrainOutline,
}

/// Head of a world and its tiles with ground, which are read before any beds.
#[derive(Debug, Clone)]
pub struct TerrainOutline {
    head: Head,
    ground: Arc<GroundTiles>,
}

impl TerrainOutline {
    /// Returns the head of the world.
    #[must_use]
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// Whether a tile has ground.
    #[must_use]
    pub fn has(&self, tile: TileKey) -> bool {
        self.ground.has(tile)
    }

    /// Returns the number of finest tiles with ground.
    #[must_use]
    pub fn ground_tiles(&self) -> u64 {
        self.ground.bytes().iter().map(|bits| u64::from(bits.count_ones())).sum()
    }
}

impl<'a> StoredBeds<'a> {
    /// Opens the beds of the world in a store.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`] if the head differs from the written one; errors of reading.
    pub fn open(store: &'a dyn Extents) -> Result<Self, StoreError> {
        let head = read_head(store)?;
        let damaged = |what| StoreError::Damaged { key: Some(GROUND_TILES), what };
        let mut bytes = Vec::new();
        if !store.get(GROUND_TILES, &mut bytes)? {
            return Err(damaged("it is missing"));
        }
        let ground = GroundTiles::of_bytes(&head, &bytes).map_err(damaged)?;
        let outline = TerrainOutline { head, ground: Arc::new(ground) };
        Ok(Self { store, outline })
    }

    /// Opens the beds of a world whose outline was read before, in a different commit.
    #[must_use]
    pub fn over(store: &'a dyn Extents, outline: &TerrainOutline) -> Self {
        Self { store, outline: outline.clone() }
    }

    /// Returns the outline of the world, available before beds are read.
    #[must_use]
    pub fn outline(&self) -> TerrainOutline {
        self.outline.clone()
    }

    /// Sets the cells of a tile that are partly outside to [`OUTSIDE`].
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`] names the tile if its partly outside cells differ from the written
    /// ones.
    pub fn cut_parts(&self, tile: TileKey, plane: &mut StoredPlane) -> Result<(), StoreError> {
        let key = Key::of_tile(Layer::Parts, tile);
        let mut bytes = Vec::new();
        if !self.store.get(key, &mut bytes)? {
            return Ok(());
        }
        let damaged = |what| StoreError::Damaged { key: Some(key), what };
        let parts = tiles::decode_parts(&bytes).map_err(damaged)?;
        for (cell, bed) in plane.iter_mut().enumerate() {
            if tiles::is_set(&parts, cell) {
                *bed = OUTSIDE;
            }
        }
        Ok(())
    }

    /// Returns the head of the world.
    #[must_use]
    pub fn head(&self) -> &Head {
        &self.outline.head
    }

    /// Returns the tiles of a level that have ground, along a Morton curve.
    #[must_use]
    pub fn tiles(&self, level: u8) -> Vec<TileKey> {
        let mut tiles = tiles::tiles(&self.outline.head, level);
        tiles.retain(|&tile| self.outline.has(tile));
        tiles
    }

    /// Reads the mean beds of the ground in the cells of a tile; returns false if it has no ground,
    /// and sets the plane to [`OUTSIDE`].
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`] names the tile if it differs from the written one.
    pub fn read(&self, tile: TileKey, plane: &mut StoredPlane) -> Result<bool, StoreError> {
        plane.fill(OUTSIDE);
        let Some(key) = self.key_of(tile) else { return Ok(false) };
        let mut bytes = Vec::new();
        let is_there = self.store.get(key, &mut bytes)?;
        self.decode(key, is_there.then_some(bytes.as_slice()), plane)?;
        Ok(true)
    }

    /// Returns the key of the beds of a tile, if it has ground.
    fn key_of(&self, tile: TileKey) -> Option<Key> {
        let has_ground = tile.level <= self.outline.head.coarsest && self.outline.has(tile);
        has_ground.then(|| Key::of_tile(Layer::Bed, tile))
    }

    /// Reads the mean beds of the ground in the cells of some tiles, and shows them by their index
    /// among these tiles; tiles close to each other in the file are read at once. Nothing is shown
    /// for a tile without ground; errors are as in [`StoredBeds::read`].
    pub fn read_each(
        &self,
        tiles: &[TileKey],
        mut look: impl FnMut(usize, Result<Option<&StoredPlane>, StoreError>),
    ) {
        let (mut numbers, mut keys) = (Vec::new(), Vec::new());
        for (number, &tile) in tiles.iter().enumerate() {
            match self.key_of(tile) {
                None => look(number, Ok(None)),
                Some(key) => {
                    numbers.push(number);
                    keys.push(key);
                }
            }
        }
        let mut plane = [OUTSIDE; TILE_CELLS];
        self.store.show(&keys, &mut |at, bytes| {
            let decoded = bytes.and_then(|bytes| self.decode(keys[at], bytes, &mut plane));
            look(numbers[at], decoded.map(|()| Some(&plane)));
        });
    }

    /// Decodes the beds of an extent.
    fn decode(
        &self,
        key: Key,
        bytes: Option<&[u8]>,
        plane: &mut StoredPlane,
    ) -> Result<(), StoreError> {
        let damaged = |what| StoreError::Damaged { key: Some(key), what };
        let missing = || damaged("they are missing, though the world has ground there");
        let bytes = bytes.ok_or_else(missing)?;
        decode_ints(bytes, plane).map_err(|_| damaged("they do not decode"))?;
        tiles::fault(&self.outline.head, key.tile, plane).map_or(Ok(()), |what| Err(damaged(what)))
    }
}

#[cfg(test)]
mod tests;
