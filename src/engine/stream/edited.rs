//! Beds that were edited while their world is streamed: newer than the file until they are saved.

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
    /// The beds of a tile, where they are newer than the file.
    pub fn of(&self, tile: TileKey) -> Option<&CowPlane<i32>> {
        self.0.get(&tile)
    }

    /// Takes the beds of a tile.
    pub fn put(&mut self, tile: TileKey, beds: CowPlane<i32>) {
        self.0.insert(tile, beds);
    }

    /// Finest tiles that tables of a tile look at.
    pub fn below(&self, tile: TileKey) -> Vec<TileKey> {
        let finest = self.0.keys().filter(|own| own.level == 0).copied();
        finest.filter(|&own| looks_at(tile, own)).collect()
    }

    /// Lets go of the beds of tiles that a commit has.
    pub fn saved(&mut self, tiles: &[TileKey]) {
        for tile in tiles {
            self.0.remove(tile);
        }
    }

    /// Whether the beds that a commit has of a tile are those that the world has, or had before it
    /// edited them once more: [`Held::Saved`] or [`Held::Newer`] where the world edited them.
    ///
    /// # Errors
    ///
    /// Errors of reading.
    pub fn held(
        &self,
        tile: TileKey,
        newer: &StoredBeds<'_>,
        older: &StoredBeds<'_>,
    ) -> Result<Held, StoreError> {
        let (mut plane, mut before) = ([OUTSIDE; _], [OUTSIDE; _]);
        newer.read(tile, &mut plane)?;
        let Some(own) = self.0.get(&tile) else {
            older.read(tile, &mut before)?;
            return Ok(if plane == before { Held::Saved } else { Held::Foreign });
        };
        Ok(if **own == plane { Held::Saved } else { Held::Newer })
    }
}

/// Beds of a tile in a commit, against those of the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Held {
    /// Beds that the world has.
    Saved,
    /// The world has edited its own since.
    Newer,
    /// Somebody else wrote them.
    Foreign,
}
