//! Coverage of tiles: whether they may be leaves.

use crate::world::setup::ColumnKind;
use thalweg_engine::forest::Coverage;
use thalweg_engine::grid::{TILE_WIDTH, TileKey};
use thalweg_engine::stream::Pager;
use thalweg_engine::terrain::Terrain;
use thalweg_engine::units::OUTSIDE;

/// Coverage of the tiles of each level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CoverageMap {
    /// The finest level.
    base: u8,
    levels: Vec<CoverageLevel>,
}

/// Coverage of the tiles of one level, row by row.
#[derive(Debug, Clone, PartialEq, Eq)]
struct CoverageLevel {
    columns: usize,
    tiles: Vec<Coverage>,
}

impl CoverageMap {
    /// Returns the coverage of all tiles from level `base` on: if columns are flat, cells partly
    /// outside are outside on the base level, and may belong to no leaf on coarser ones.
    pub fn of_terrain(terrain: &Terrain, base: u8, kind: ColumnKind) -> Self {
        let mut levels = Vec::new();
        let mut finer: Option<CoverageBits> = None;
        for level in base..=terrain.coarsest() {
            let Some(beds) = terrain.level(level) else { break };
            let (width, height) = (beds.width(), beds.height());
            let columns = width.div_ceil(TILE_WIDTH);
            let mut tiles = vec![Coverage::Outside; columns * height.div_ceil(TILE_WIDTH)];
            let mut holds = CoverageBits::new(width, height);
            for y in 0..height {
                for x in 0..width {
                    let is_inside = match kind {
                        ColumnKind::Flat => beds.bed(x, y) != OUTSIDE,
                        ColumnKind::SubGrid => beds.ground_bed(x, y) != OUTSIDE,
                    };
                    // A flat cell that is partly outside has no bed, but finer cells in it may have
                    // ground.
                    let has_ground = is_inside || finer.as_ref().is_some_and(|f| f.any_below(x, y));
                    if !has_ground {
                        continue;
                    }
                    holds.set(x, y);
                    let tile = &mut tiles[y / TILE_WIDTH * columns + x / TILE_WIDTH];
                    if !is_inside {
                        *tile = Coverage::Ragged;
                    } else if *tile == Coverage::Outside {
                        *tile = Coverage::Whole;
                    }
                }
            }
            finer = Some(holds);
            levels.push(CoverageLevel { columns, tiles });
        }
        Self { base, levels }
    }

    /// Returns the coverage of the tiles of all levels of a streamed world from `base` on. If
    /// columns are flat, `base` is the finest level.
    pub fn of_pages(pager: &Pager, base: u8, kind: ColumnKind) -> Self {
        let head = pager.head();
        let number = |i: usize| u32::try_from(i).expect("2¹⁴ tiles a side at most");
        let of_level = |level: u8| {
            let (width, height) = head.size(level);
            let (columns, rows) = (width.div_ceil(TILE_WIDTH), height.div_ceil(TILE_WIDTH));
            let cover = |i: usize| {
                let key = TileKey { level, x: number(i % columns), y: number(i / columns) };
                match (pager.has(key), kind == ColumnKind::Flat && pager.is_ragged(key)) {
                    (false, _) => Coverage::Outside,
                    (true, true) => Coverage::Ragged,
                    (true, false) => Coverage::Whole,
                }
            };
            CoverageLevel { columns, tiles: (0..columns * rows).map(cover).collect() }
        };
        Self { base, levels: (base..=head.coarsest).map(of_level).collect() }
    }

    /// Returns the coverage of a tile.
    pub fn of(&self, key: TileKey) -> Coverage {
        let at = |level: &CoverageLevel| {
            let (x, y) = (key.x as usize, key.y as usize);
            if x < level.columns { level.tiles.get(y * level.columns + x).copied() } else { None }
        };
        self.level(key.level).and_then(at).unwrap_or(Coverage::Outside)
    }

    /// Returns all tiles of a level that may be leaves.
    pub fn tiles(&self, level: u8) -> impl Iterator<Item = TileKey> + '_ {
        self.level(level).into_iter().flat_map(move |covers| {
            let key = move |i: usize| {
                let number = |i: usize| u32::try_from(i).expect("2¹⁴ tiles a side at most");
                TileKey { level, x: number(i % covers.columns), y: number(i / covers.columns) }
            };
            (0..covers.tiles.len()).map(key).filter(|&key| self.of(key) == Coverage::Whole)
        })
    }

    fn level(&self, level: u8) -> Option<&CoverageLevel> {
        self.levels.get(usize::from(level.checked_sub(self.base)?))
    }
}

/// A bit for each cell of a level: whether it has ground.
struct CoverageBits {
    width: usize,
    height: usize,
    bits: Vec<u64>,
}

impl CoverageBits {
    fn new(width: usize, height: usize) -> Self {
        Self { width, height, bits: vec![0; (width * height).div_ceil(64)] }
    }

    fn set(&mut self, x: usize, y: usize) {
        let at = y * self.width + x;
        self.bits[at / 64] |= 1 << (at % 64);
    }

    fn at(&self, x: usize, y: usize) -> bool {
        let at = y * self.width + x;
        x < self.width && y < self.height && self.bits[at / 64] >> (at % 64) & 1 == 1
    }

    /// True if one of the four cells below a coarse cell has its bit.
    fn any_below(&self, x: usize, y: usize) -> bool {
        let (x, y) = (2 * x, 2 * y);
        self.at(x, y) || self.at(x + 1, y) || self.at(x, y + 1) || self.at(x + 1, y + 1)
    }
}
