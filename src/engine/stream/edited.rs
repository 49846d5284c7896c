//! Edited beds of a streamed world: newer than the file until they are saved.

use crate::grid::TileKey;
use crate::store::StoreError;
use crate::store::terrain::{StoredBeds, looks_at};
use crate::tile::CowPlane;
use crate::units::OUTSIDE;
use std::collections::BTreeMap;

/// Mean beds of the ground in the cells of edited tiles, of all levels.
#[derive(Debug, Default)]
pub(super) struct EditedBeds(BTreeMap<TileKey, CowPlane<i32>>);

impl EditedBeds {
    /// Returns the beds of a tile, if they are newer than the file.
    pub fn of(&self, tile: TileKey) -> Option<&CowPlane<i32>> {
        self.0.get(&tile)
    }

    /// Sets the beds of a tile.
    pub fn put(&mut self, tile: TileKey, beds: CowPlane<i32>) {
        self.0.insert(tile, beds);
    }

    /// Returns the finest edited tiles on which tables of a tile depend.
    pub fn below(&self, tile: TileKey) -> Vec<TileKey> {
        let finest = self.0.keys().filter(|own| own.level == 0).copied();
        finest.filter(|&own| looks_at(tile, own)).collect()
    }

    /// Releases the beds of tiles that a commit contains.
    pub fn saved(&mut self, tiles: &[TileKey]) {
        for tile in tiles {
            self.0.remove(tile);
        }
    }

    /// Compares the beds of a tile in a commit with the beds of the world: [`BedComparison::Saved`]
    /// if they are equal, [`BedComparison::Newer`] if they differ and the world has edited the
    /// tile, [`BedComparison::Foreign`] if they differ and it has not.
    ///
    /// # Errors
    ///
    /// Errors of reading.
    pub fn held(
        &self,
        tile: TileKey,
        newer: &StoredBeds<'_>,
        older: &StoredBeds<'_>,
    ) -> Result<BedComparison, StoreError> {
        let (mut plane, mut before) = ([OUTSIDE; _], [OUTSIDE; _]);
        newer.read(tile, &mut plane)?;
        let Some(own) = self.0.get(&tile) else {
            older.read(tile, &mut before)?;
            return Ok(if plane == before { BedComparison::Saved } else { BedComparison::Foreign });
        };
        Ok(if **own == plane { BedComparison::Saved } else { BedComparison::Newer })
    }
}

/// Beds of a tile in a commit, compared with the beds of the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BedComparison {
    /// The beds are equal.
    Saved,
    /// The world has edited its own beds since.
    Newer,
    /// A different writer changed them.
    Foreign,
}
