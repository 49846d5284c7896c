//! Stored tables of sub-grid columns, because making them takes longer than a game may wait between
//! two frames.
//!
//! Guarantees: a stored table equals one made from the present beds (`tests/engine/columns.rs`).

use rayon::prelude::*;
use std::sync::{Arc, OnceLock};
use thalweg_engine::grid::{TILE_WIDTH, TileKey};
use thalweg_engine::terrain::{BedLevel, Changed, Terrain};
use thalweg_engine::tile::columns::build::{BedPlanes, CellBlock};
use thalweg_engine::tile::columns::{Columns, LeafColumns};

/// Level from which on tables are stored, 5.5 bytes for each finest cell if all are. The tables of
/// a finer tile are made whenever it becomes a leaf.
const KEPT_FROM: u8 = 3;

/// The tables of a world's tiles.
#[derive(Debug, Clone, Default)]
pub(super) struct Tables {
    /// Tables of each level from [`KEPT_FROM`] on.
    levels: Vec<LevelTables>,
}

/// The tables of the tiles of one level, row by row, if they were requested.
#[derive(Debug, Clone)]
struct LevelTables {
    columns: usize,
    tiles: Vec<OnceLock<Arc<Columns>>>,
}

impl Tables {
    /// Returns an empty place for the tables of a terrain.
    pub fn of_terrain(terrain: &Terrain) -> Self {
        let kept = (KEPT_FROM..=terrain.coarsest()).filter_map(|level| terrain.level(level));
        let of_level = |beds: &BedLevel| {
            let [columns, rows] = [beds.width(), beds.height()].map(|n| n.div_ceil(TILE_WIDTH));
            LevelTables { columns, tiles: (0..columns * rows).map(|_| OnceLock::new()).collect() }
        };
        Self { levels: kept.map(of_level).collect() }
    }

    /// Returns the tables of a tile.
    pub fn of(&self, key: TileKey, terrain: &Terrain) -> Arc<Columns> {
        let make = || Arc::new(Columns::of(key, &beds(terrain, key.level)));
        match self.find(key) {
            Some((level, tile)) => Arc::clone(self.levels[level].tiles[tile].get_or_init(make)),
            None => make(),
        }
    }

    /// Makes the tables of all these tiles that are kept.
    pub fn fill(&self, tiles: impl IntoIterator<Item = TileKey>, terrain: &Terrain) {
        let mut tiles: Vec<TileKey> =
            tiles.into_iter().filter(|&key| self.find(key).is_some()).collect();
        // The tables of coarse tiles need the most time.
        tiles.sort_unstable_by_key(|key| std::cmp::Reverse(key.level));
        tiles.into_par_iter().with_max_len(1).for_each(|key| drop(self.of(key, terrain)));
    }

    /// Brings the stored tables up to date with an edited terrain.
    pub fn follow(&mut self, changed: &Changed, terrain: &Terrain) {
        for level in (KEPT_FROM..).take(self.levels.len()) {
            let beds = beds(terrain, level);
            // Tables are taken out of `self`, so that all threads can renew them at once.
            let mut taken = Vec::new();
            for key in changed.tiles_beside(level) {
                let Some(place) = self.find(key) else { continue };
                let block = changed.block(key);
                taken.extend(self.place(place).take().map(|kept| (key, place, block, kept)));
            }
            taken.par_iter_mut().with_max_len(1).for_each(|(key, _, block, kept)| {
                if let Some(block) = *block {
                    // If a leaf uses the table, a copy is renewed: the leaf keeps the old one until
                    // its ground is renewed.
                    Arc::make_mut(kept).renew(*key, &beds, block);
                }
            });
            for (_, place, _, kept) in taken {
                *self.place(place) = OnceLock::from(kept);
            }
        }
    }

    /// Returns the stored tables, by tile.
    pub fn kept(&self) -> impl Iterator<Item = (TileKey, &Arc<Columns>)> {
        let number = |at: usize| u32::try_from(at).expect("2¹⁴ tiles a side");
        (KEPT_FROM..).zip(&self.levels).flat_map(move |(level, own)| {
            own.tiles.iter().enumerate().filter_map(move |(tile, kept)| {
                let [x, y] = [tile % own.columns, tile / own.columns].map(number);
                Some((TileKey { level, x, y }, kept.get()?))
            })
        })
    }

    fn place(&mut self, (level, tile): (usize, usize)) -> &mut OnceLock<Arc<Columns>> {
        &mut self.levels[level].tiles[tile]
    }

    /// Returns the tables of a leaf after beds changed below some cells of its level: the stored
    /// ones, or its own brought up to date.
    pub fn renewed(
        &self,
        key: TileKey,
        changed: CellBlock,
        columns: &LeafColumns,
        terrain: &Terrain,
    ) -> Arc<Columns> {
        if self.find(key).is_some() {
            return self.of(key, terrain);
        }
        let mut tables = Columns::clone(columns);
        tables.renew(key, &beds(terrain, key.level), changed);
        Arc::new(tables)
    }

    /// Returns the bytes of all stored tables.
    pub fn bytes(&self) -> usize {
        let kept = self.levels.iter().flat_map(|level| &level.tiles).filter_map(OnceLock::get);
        kept.map(|columns| columns.bytes()).sum()
    }

    /// Whether the tables of a level are kept.
    pub fn keeps(&self, level: u8) -> bool {
        level >= KEPT_FROM
    }

    /// Finds where the tables of a tile are stored: level and tile.
    fn find(&self, key: TileKey) -> Option<(usize, usize)> {
        let index = usize::from(key.level.checked_sub(KEPT_FROM)?);
        let level = self.levels.get(index)?;
        let tile = key.y as usize * level.columns + key.x as usize;
        let is_within = (key.x as usize) < level.columns && tile < level.tiles.len();
        is_within.then_some((index, tile))
    }
}

/// Returns the beds from which the tables of a level are made.
fn beds(terrain: &Terrain, level: u8) -> BedPlanes<'_> {
    let beds = |level| terrain.level(level).expect("leaves are of levels the terrain has");
    BedPlanes { coarse: beds(level).plane(), finest: beds(0).plane() }
}
