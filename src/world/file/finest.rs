//! Finest beds of a commit, below the sub-grid columns that a surface shows.

use crate::probe::Window;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use thalweg_engine::grid::cells::WorldCell;
use thalweg_engine::grid::cells::{CellPlace, TILE_WIDTH_U32};
use thalweg_engine::grid::{TILE_CELLS, TileKey};
use thalweg_engine::store::terrain::StoredBeds;
use thalweg_engine::store::{CommitChanges, Layer, StoreError};
use thalweg_engine::tile::CowPlane;
use thalweg_engine::tile::columns::build::{FinestBeds, add_from_tiles};
use thalweg_engine::units::OUTSIDE;

/// Finest tiles that surfaces read.
#[derive(Debug, Default)]
pub(super) struct FinestTiles {
    tiles: BTreeMap<TileKey, CowPlane<i32>>,
    /// Tiles that a surface has read since the last newer commit.
    wanted: BTreeSet<TileKey>,
}

impl FinestTiles {
    /// Returns the finest tiles that a window reads below a coarser leaf: those of the cells that
    /// it meets, and one finest cell around, where water falls in.
    pub fn below(window: &Window, key: TileKey) -> impl Iterator<Item = TileKey> + use<> {
        let first = key.corner();
        let of_axis = |low: u32, count: usize, first: u32| {
            let count = u64::try_from(count).expect("2²⁸ cells at most");
            let [low, high] = [u64::from(low), u64::from(low) + count].map(|v| v << window.level);
            let first = u64::from(first) << key.level;
            let end = first + (u64::from(TILE_WIDTH_U32) << key.level);
            let width = 1_u64 << key.level;
            let from = low.max(first) & !(width - 1);
            let to = high.min(end).next_multiple_of(width);
            let tile = |cell: u64| {
                u32::try_from(cell / u64::from(TILE_WIDTH_U32)).expect("2²⁶ tiles at most")
            };
            // `to` is the first cell beyond, so it is the cell around on that side.
            tile(from.saturating_sub(1))..=tile(to)
        };
        let CellPlace { x, y } = window.corner;
        let columns = of_axis(x, window.width, first.x);
        let rows = of_axis(y, window.height, first.y);
        rows.flat_map(move |y| columns.clone().map(move |x| TileKey { level: 0, x, y }))
    }

    /// Returns the missing ones of some tiles, and notes that a surface reads them all.
    pub fn lacking(&mut self, tiles: impl Iterator<Item = TileKey>) -> Vec<TileKey> {
        let all: BTreeSet<TileKey> = tiles.collect();
        let lacking = all.iter().copied().filter(|tile| !self.tiles.contains_key(tile)).collect();
        self.wanted.extend(all);
        lacking
    }

    /// Reads tiles.
    pub fn read(&mut self, beds: &StoredBeds<'_>, tiles: &[TileKey]) -> Result<(), StoreError> {
        let read = tiles.par_iter().map(|&tile| {
            let mut plane = [OUTSIDE; TILE_CELLS];
            beds.read(tile, &mut plane)?;
            Ok((tile, plane.as_slice().into()))
        });
        let read: Result<Vec<(TileKey, CowPlane<i32>)>, StoreError> = read.collect();
        self.tiles.extend(read?);
        Ok(())
    }

    /// Moves on to a newer commit: gives back the tiles that it wrote anew, and those that no
    /// surface has read since the commit before.
    pub fn renew(&mut self, changes: &CommitChanges) {
        let wanted = std::mem::take(&mut self.wanted);
        self.tiles.retain(|tile, _| wanted.contains(tile));
        for key in changes.put.iter().chain(&changes.gone) {
            if key.layer == Layer::Bed {
                self.tiles.remove(&key.tile);
            }
        }
    }
}

impl FinestBeds for FinestTiles {
    fn add_finest(&self, place: WorldCell, width: i64, beds: &mut Vec<i32>) {
        add_from_tiles(place, width, beds, |(column, row), show| {
            let (Ok(x), Ok(y)) = (u32::try_from(column), u32::try_from(row)) else { return };
            if let Some(plane) = self.tiles.get(&TileKey { level: 0, x, y }) {
                show(plane);
            }
        });
    }
}
