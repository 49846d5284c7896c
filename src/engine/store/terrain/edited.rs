//! Edited terrain, tile by tile.

use crate::grid::TileKey;
use crate::store::codec::encode_ints;
use crate::store::terrain::head::{RECORD, read_head};
use crate::store::terrain::tiles;
use crate::store::{Key, Layer, Store, StoreError};
use crate::terrain::Terrain;

/// Returns the extents of a tile of a terrain; empty if it has no ground.
#[must_use]
pub fn tile_extents(terrain: &Terrain, tile: TileKey) -> Vec<(Key, Vec<u8>)> {
    terrain.level(tile.level).map_or_else(Vec::new, |beds| tiles::extents(beds, tile))
}

/// Returns the extent of the mean beds of the ground in the cells of a tile.
///
/// # Panics
///
/// If `beds` are not 64 × 64.
#[must_use]
pub fn bed_extent(tile: TileKey, beds: &[i32]) -> (Key, Vec<u8>) {
    let mut bytes = Vec::new();
    encode_ints(beds.try_into().expect("64 × 64 cells"), &mut bytes);
    (Key::of_tile(Layer::Bed, tile), bytes)
}

/// Widens the range of heights in the head to include these beds, vertical units.
///
/// # Errors
///
/// Errors of reading and writing the store.
pub fn widen_head(store: &mut Store, (low, high): (i32, i32)) -> Result<(), StoreError> {
    let mut head = read_head(store)?;
    if low < head.low || high > head.high {
        (head.low, head.high) = (head.low.min(low), head.high.max(high));
        store.put(RECORD, &head.to_bytes())?;
    }
    Ok(())
}
