//! The rows of one level whose tiles are not complete yet: at most 64.
//!
//! Rows arrive from the north. Two of them, an even one and the one north of it, give a row of the
//! next level; the southernmost of 64 completes a row of tiles.

use crate::grid::{TILE_CELLS, TILE_WIDTH, TileKey};
use crate::store::codec::{decode_ints, encode_ints};
use crate::store::terrain::head::Head;
use crate::store::terrain::tiles;
use crate::store::{Key, Layer, Store, StoreError};
use crate::units::OUTSIDE;
use rayon::prelude::*;

/// A cell of any level, with the number and the sum of the finest beds in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct BandCell {
    /// Mean bed of its ground.
    bed: i32,
    /// Finest cells in it that have ground.
    count: u32,
    /// Sum of the beds of these finest cells.
    sum: i64,
}

impl BandCell {
    /// No ground.
    const NONE: Self = Self { bed: OUTSIDE, count: 0, sum: 0 };

    fn finest(bed: i32) -> Self {
        if bed == OUTSIDE { Self::NONE } else { Self { bed, count: 1, sum: i64::from(bed) } }
    }

    /// Returns a cell of `level` over four finer ones.
    fn over(level: u8, four: [Self; 4]) -> Self {
        let count: u32 = four.iter().map(|cell| cell.count).sum();
        let sum: i64 = four.iter().map(|cell| cell.sum).sum();
        let mean = if count == 0 {
            i64::from(OUTSIDE)
        } else if count == 1 << (2 * level) {
            let beds: i64 = four.iter().map(|cell| i64::from(cell.bed)).sum();
            // `div_euclid` rounds down, so a half is rounded up below 0, too.
            (beds + 2).div_euclid(4)
        } else {
            let count = i64::from(count);
            // floor(sum / count + 1/2). At level 8, 2 · sum is below 2 · 2¹⁶ · 2³⁰: far from 2⁶³.
            (2 * sum + count).div_euclid(2 * count)
        };
        Self { bed: i32::try_from(mean).expect("a mean of i32"), count, sum }
    }

    /// Whether some of it, but not all, is outside the world.
    fn is_part(self, level: u8) -> bool {
        self.count > 0 && self.count < 1 << (2 * level)
    }
}

/// A row of cells.
pub(super) type BandRow = Vec<BandCell>;

/// Returns a row of `level` over two finer ones, each given as cells by column; cells beyond them
/// have no ground.
fn over(
    level: u8,
    width: usize,
    south: impl Fn(usize) -> BandCell,
    north: impl Fn(usize) -> BandCell,
) -> BandRow {
    let at = |x: usize| {
        let (west, east) = (2 * x, 2 * x + 1);
        if east == width {
            return BandCell::over(
                level,
                [south(west), BandCell::NONE, north(west), BandCell::NONE],
            );
        }
        BandCell::over(level, [south(west), south(east), north(west), north(east)])
    };
    (0..width.div_ceil(2)).map(at).collect()
}

/// The rows of one level whose tiles are not complete yet.
#[derive(Debug)]
pub(super) struct LevelBand {
    level: u8,
    is_coarsest: bool,
    width: usize,
    height: usize,
    /// Rows from this one on have arrived.
    next: usize,
    /// Beds of the row of tiles under way: 64 rows from the south, outside for rows that have not
    /// arrived.
    bed: Vec<i32>,
    /// Which of their cells are partly outside: 64 cells in a word, word by word along each row.
    parts: Vec<u64>,
    /// A row that waits for the one south of it.
    north: Option<BandRow>,
}

impl LevelBand {
    /// Creates a band of a level without rows.
    pub fn new(head: &Head, level: u8) -> Self {
        let (width, height) = head.size(level);
        let bed = vec![OUTSIDE; TILE_WIDTH * width];
        let parts = vec![0; TILE_WIDTH * width.div_ceil(TILE_WIDTH)];
        let is_coarsest = level == head.coarsest;
        Self { level, is_coarsest, width, height, next: height, bed, parts, north: None }
    }

    /// Returns the number of rows that have not arrived.
    pub fn next(&self) -> usize {
        self.next
    }

    /// Returns the number of rows until a row of tiles is complete.
    pub fn room(&self) -> usize {
        match self.next % TILE_WIDTH {
            0 => self.next.min(TILE_WIDTH),
            rows => rows,
        }
    }

    /// Whether the last row completed a row of tiles.
    pub fn is_complete(&self) -> bool {
        self.next.is_multiple_of(TILE_WIDTH)
    }

    /// Whether a row waits for the one south of it.
    pub fn is_uneven(&self) -> bool {
        self.north.is_some()
    }

    /// Takes the next rows of finest beds, at most [`LevelBand::room`]; `fill` writes each of them,
    /// by its index among them.
    ///
    /// # Errors
    ///
    /// First error of `fill`; the band is then of no further use.
    pub fn fill<E: Send>(
        &mut self,
        rows: usize,
        fill: impl Fn(usize, &mut [i32]) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        let south = (self.next - rows) % TILE_WIDTH;
        let beds = &mut self.bed[south * self.width..(south + rows) * self.width];
        let from_north = beds.par_chunks_exact_mut(self.width).rev().enumerate();
        // All results are collected before the first error is taken: it is that of the northernmost
        // row, whichever thread was first.
        let filled: Vec<_> = from_north.map(|(row, beds)| fill(row, beds)).collect();
        self.next -= rows;
        filled.into_iter().collect()
    }

    /// Returns the beds of a row that has arrived and whose tiles have not been written yet.
    pub fn row(&self, y: usize) -> &[i32] {
        &self.bed[(y % TILE_WIDTH) * self.width..][..self.width]
    }

    /// Returns the rows of level 1, from the north, that were completed by the finest rows south of
    /// row `before`, which arrived last.
    pub fn coarser(&self, before: usize) -> Vec<BandRow> {
        // Row y is complete once finest row 2 y has come. Row 2 y + 1 may have come earlier; it is
        // still in the band, since a band of 64 rows ends between two pairs.
        let pairs = self.next.div_ceil(2)..before.div_ceil(2);
        let row = |y: usize| {
            let (south, north) = (self.row(2 * y), 2 * y + 1);
            let south = |x: usize| BandCell::finest(south[x]);
            if north == self.height {
                return over(1, self.width, south, |_| BandCell::NONE);
            }
            let north = self.row(north);
            over(1, self.width, south, |x| BandCell::finest(north[x]))
        };
        pairs.into_par_iter().rev().map(row).collect()
    }

    /// Takes the next row; returns the row of the next level that it completes.
    pub fn push(&mut self, row: BandRow) -> Option<BandRow> {
        self.next -= 1;
        let (y, words) = (self.next, self.width.div_ceil(TILE_WIDTH));
        let at = y % TILE_WIDTH;
        let beds = &mut self.bed[at * self.width..][..self.width];
        let parts = &mut self.parts[at * words..][..words];
        for (x, (bed, cell)) in beds.iter_mut().zip(&row).enumerate() {
            *bed = cell.bed;
            parts[x / 64] |= u64::from(cell.is_part(self.level)) << (x % 64);
        }
        if self.is_coarsest {
            return None;
        }
        if !y.is_multiple_of(2) {
            self.north = Some(row);
            return None;
        }
        let level = self.level + 1;
        Some(match self.north.take() {
            Some(north) => over(level, self.width, |x| row[x], |x| north[x]),
            None => over(level, self.width, |x| row[x], |_| BandCell::NONE),
        })
    }

    /// Returns the extents of the row of tiles under way, with the rows that have arrived.
    pub fn extents(&self) -> Vec<(Key, Vec<u8>)> {
        let y = u32::try_from(self.next / TILE_WIDTH).expect("2^14 rows of tiles");
        let columns = u32::try_from(self.width.div_ceil(TILE_WIDTH)).expect("2^14 tiles");
        let tile = |x| self.tile(TileKey { level: self.level, x, y });
        (0..columns).into_par_iter().flat_map_iter(tile).collect()
    }

    fn tile(&self, tile: TileKey) -> Vec<(Key, Vec<u8>)> {
        let west = tile.x as usize * TILE_WIDTH;
        let count = TILE_WIDTH.min(self.width - west);
        let mut plane = [OUTSIDE; TILE_CELLS];
        for (cells, beds) in plane.chunks_exact_mut(TILE_WIDTH).zip(self.bed.chunks(self.width)) {
            cells[..count].copy_from_slice(&beds[west..][..count]);
        }
        let mut extents = Vec::new();
        if plane.iter().any(|&bed| bed != OUTSIDE) {
            let mut bytes = Vec::new();
            encode_ints(&plane, &mut bytes);
            extents.push((Key::of_tile(Layer::Bed, tile), bytes));
        }
        let words = self.parts.chunks(self.width.div_ceil(TILE_WIDTH));
        let parts: Vec<u8> = words.flat_map(|row| row[tile.x as usize].to_le_bytes()).collect();
        if parts.iter().any(|&byte| byte != 0) {
            extents.push((Key::of_tile(Layer::Parts, tile), parts));
        }
        extents
    }

    /// Empties the band for the next row of tiles.
    pub fn clear(&mut self) {
        self.bed.fill(OUTSIDE);
        self.parts.fill(0);
    }

    /// Restores the state in which rows from `next` on had arrived, from the extents of
    /// [`LevelBand::extents`].
    ///
    /// # Errors
    ///
    /// Errors of reading the store.
    pub fn resume(&mut self, next: usize, store: &Store) -> Result<(), StoreError> {
        self.next = next;
        if self.is_complete() {
            return Ok(());
        }
        let y = u32::try_from(next / TILE_WIDTH).expect("2^14 rows of tiles");
        let words = self.width.div_ceil(TILE_WIDTH);
        let (mut bytes, mut plane) = (Vec::new(), [OUTSIDE; TILE_CELLS]);
        for x in 0..words {
            let tile = TileKey { level: self.level, x: u32::try_from(x).expect("2^14 tiles"), y };
            let west = x * TILE_WIDTH;
            let count = TILE_WIDTH.min(self.width - west);
            let key = Key::of_tile(Layer::Bed, tile);
            if store.get(key, &mut bytes)? {
                let damaged =
                    |_| StoreError::Damaged { key: Some(key), what: "it does not decode" };
                decode_ints(&bytes, &mut plane).map_err(damaged)?;
                let rows = self.bed.chunks_mut(self.width).zip(plane.chunks_exact(TILE_WIDTH));
                rows.for_each(|(beds, cells)| {
                    beds[west..][..count].copy_from_slice(&cells[..count]);
                });
            }
            let key = Key::of_tile(Layer::Parts, tile);
            if store.get(key, &mut bytes)? {
                let damaged = |what| StoreError::Damaged { key: Some(key), what };
                let bits = tiles::decode_parts(&bytes).map_err(damaged)?;
                let rows = self.parts.chunks_mut(words).zip(bits.as_chunks().0);
                rows.for_each(|(row, eight)| row[x] = u64::from_le_bytes(*eight));
            }
        }
        Ok(())
    }
}
