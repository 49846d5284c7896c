//! A terrain that is written while its rows arrive, from the north.
//!
//! ```text
//! rows ── a band of 64 at most ──► tiles of level 0
//!              └─ two by two ── a band of level 1 ──► tiles ─ ... ─ level 8
//! ```
//!
//! A band for each level collects rows, twice 64 rows in all. Every 256 rows of level 0, counted
//! from the south, no level has half a row: there [`TerrainWriter::save`] can write its progress,
//! and [`TerrainWriter::resume`] continues from the commit with that progress.
//!
//! Guarantees: the same beds give the same extents, in any pieces and after a resumption
//!             (`rows_come_in_any_pieces`, `what_was_saved_goes_on`).
//! Limits:     until [`TerrainWriter::finish`] the store has no terrain that can be read.

use crate::store::terrain::band::LevelBand;
use crate::store::terrain::head::{GROUND_TILES, Head, RECORD, UNFINISHED};
use crate::store::terrain::tiles::GroundTiles;
use crate::store::terrain::unfinished::Unfinished;
use crate::store::{Layer, Store, StoreError};
use crate::terrain::{HeightmapError, Terrain, TerrainOptions};
use crate::units::OUTSIDE;
use rayon::prelude::*;
use std::fmt;

/// Rows of level 0 after which no level has half a row.
const EVEN_ROWS: usize = 1 << Terrain::LEVELS;

/// Why rows could not be written as a terrain.
#[derive(Debug)]
#[non_exhaustive]
pub enum WriteError {
    /// The rows are invalid for such a map.
    Heights(HeightmapError),
    /// An error of the store.
    Store(StoreError),
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Heights(error) => error.fmt(f),
            Self::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for WriteError {}

impl From<HeightmapError> for WriteError {
    fn from(error: HeightmapError) -> Self {
        Self::Heights(error)
    }
}

impl From<StoreError> for WriteError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// A writer of a terrain whose rows arrive one after another.
///
/// # Examples
///
/// ```
/// use thalweg_engine::store::{Limits, Store};
/// use thalweg_engine::store::backend::memory::Memory;
/// use thalweg_engine::store::terrain::{TerrainWriter, read_terrain};
/// use thalweg::terrain::TerrainOptions;
/// use thalweg::units::VerticalScale;
///
/// let scale = VerticalScale::choose(0.0, 3.0, 200.0)?;
/// let options =
///     TerrainOptions { width: 3, height: 2, cell_width_m: 1.0, scale, bed_exponent: 10 };
/// let mut store = Store::create_on(Box::new(Memory::default()))?;
/// let mut writer = TerrainWriter::begin(options, &mut store)?;
/// writer.push(&[3.0, f64::NAN, 3.0], &mut store)?;
/// writer.push(&[1.0, 0.0, 1.0], &mut store)?;
/// writer.finish(&mut store)?;
/// store.commit()?;
/// assert_eq!(read_terrain(&store, &Limits::default())?.inside_count(), 5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct TerrainWriter {
    options: TerrainOptions,
    /// Head of the world, from the rows that have arrived.
    head: Head,
    ground: GroundTiles,
    bands: Vec<LevelBand>,
}

impl TerrainWriter {
    /// Begins a terrain in place of the previous one; the caller commits.
    ///
    /// # Errors
    ///
    /// The errors of [`TerrainOptions::check`], and of writing the store.
    pub fn begin(options: TerrainOptions, store: &mut Store) -> Result<Self, WriteError> {
        options.check()?;
        Ok(Self::in_place(options, store)?)
    }

    pub(super) fn in_place(options: TerrainOptions, store: &mut Store) -> Result<Self, StoreError> {
        for key in store.keys()? {
            if key.layer.is_ground() || [RECORD, GROUND_TILES, UNFINISHED].contains(&key) {
                store.remove(key)?;
            }
        }
        Ok(Self::new(options))
    }

    fn new(options: TerrainOptions) -> Self {
        let head = Head::before_rows(&options);
        let bands = (0..=head.coarsest).map(|level| LevelBand::new(&head, level)).collect();
        Self { options, head, ground: GroundTiles::none(&head), bands }
    }

    /// Continues from a commit of [`TerrainWriter::save`], and returns the note that it was given;
    /// `None` if the store has no saved progress.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`] if the saved progress is not whole: begin again; errors of reading.
    pub fn resume(store: &Store) -> Result<Option<(Self, String)>, StoreError> {
        let Some(saved) = Unfinished::read(store)? else { return Ok(None) };
        let mut writer = Self::new(saved.options);
        (writer.head.low, writer.head.high) = (saved.low, saved.high);
        writer.head.inside = saved.inside;
        let missing = writer.head.height - saved.rows;
        if !missing.is_multiple_of(EVEN_ROWS) {
            let what = "it says that half a row has come";
            return Err(StoreError::Damaged { key: Some(UNFINISHED), what });
        }
        for (level, band) in writer.bands.iter_mut().enumerate() {
            // No remainder: a multiple of 256 can be halved 8 times, once for each level.
            band.resume(missing >> level, store)?;
        }
        for key in store.keys()? {
            if key.layer == Layer::Bed && key.tile.level == 0 {
                if !writer.ground.is_within(key.tile) {
                    let what = "it lies beyond the map that is under way";
                    return Err(StoreError::Damaged { key: Some(key), what });
                }
                // Only finest tiles with ground have an extent of beds, so the keys give the whole
                // set.
                writer.ground.add(key.tile);
            }
        }
        Ok(Some((writer, saved.note)))
    }

    /// Returns the options of the terrain.
    #[must_use]
    pub fn options(&self) -> &TerrainOptions {
        &self.options
    }

    /// Returns the number of rows that have arrived.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.head.height - self.bands[0].next()
    }

    /// Returns the number of rows that complete the next row of tiles; 0 if all have arrived. Whole
    /// rows of tiles are encoded best.
    #[must_use]
    pub fn rows_wanted(&self) -> usize {
        self.bands[0].room()
    }

    /// Adds the next rows, from the north: heights in metres, NaN for cells without ground.
    ///
    /// # Errors
    ///
    /// [`HeightmapError`] names the place; errors of writing the store. The writer is then of no
    /// further use, and earlier commits are intact.
    pub fn push(&mut self, heights_m: &[f64], store: &mut Store) -> Result<(), WriteError> {
        let (options, first) = (self.options, self.rows());
        let TerrainOptions { width, height, .. } = options;
        if !heights_m.len().is_multiple_of(width) {
            let row = first + heights_m.len() / width;
            let found = heights_m.len() % width;
            return Err(HeightmapError::RowLength { row, found, expected: width }.into());
        }
        let rows = heights_m.len() / width;
        if first + rows > height {
            let found = first + rows;
            return Err(HeightmapError::RowCount { found, expected: height }.into());
        }
        let row_m = |row: usize| &heights_m[row * width..][..width];
        self.fill(rows, store, |row, beds| options.beds(first + row, row_m(row), beds))
    }

    /// Adds rows of beds; `fill` writes each of them, by its index among them.
    pub(super) fn fill<E: Send, F>(
        &mut self,
        rows: usize,
        store: &mut Store,
        fill: impl Fn(usize, &mut [i32]) -> Result<(), E> + Sync,
    ) -> Result<(), F>
    where
        F: From<E> + From<StoreError>,
    {
        let mut done = 0;
        while done < rows {
            let (before, count) = (self.bands[0].next(), self.bands[0].room().min(rows - done));
            self.bands[0].fill(count, |row, beds| fill(done + row, beds))?;
            self.look_at(before - count..before);
            // Level 1 is made from the rows in band 0, which is cleared below.
            self.coarsen(before, store)?;
            if self.bands[0].is_complete() {
                self.put(0, store)?;
                self.bands[0].clear();
            }
            done += count;
        }
        Ok(())
    }

    /// Updates the head with some rows.
    fn look_at(&mut self, rows: std::ops::Range<usize>) {
        let none = (OUTSIDE, -OUTSIDE, 0_u64);
        let row = |y: usize| {
            let ground = self.bands[0].row(y).iter().filter(|&&bed| bed != OUTSIDE);
            ground.fold(none, |(low, high, count), &bed| (low.min(bed), high.max(bed), count + 1))
        };
        let both = |a: (i32, i32, u64), b: (i32, i32, u64)| (a.0.min(b.0), a.1.max(b.1), a.2 + b.2);
        // Integers, so the head does not depend on how threads divide the rows.
        let (low, high, inside) = rows.into_par_iter().map(row).reduce(|| none, both);
        (self.head.low, self.head.high) = (self.head.low.min(low), self.head.high.max(high));
        self.head.inside += inside;
    }

    /// Adds the finest rows south of row `before` to the coarser levels.
    fn coarsen(&mut self, before: usize, store: &mut Store) -> Result<(), StoreError> {
        if self.bands.len() == 1 {
            return Ok(());
        }
        for row in self.bands[0].coarser(before) {
            let mut row = Some(row);
            for level in 1..self.bands.len() {
                let Some(finer) = row else { break };
                row = self.bands[level].push(finer);
                if self.bands[level].is_complete() {
                    self.put(level, store)?;
                    self.bands[level].clear();
                }
            }
        }
        Ok(())
    }

    /// Writes the row of tiles of a level that is under way.
    fn put(&mut self, level: usize, store: &mut Store) -> Result<(), StoreError> {
        for (key, bytes) in self.bands[level].extents() {
            store.put(key, &bytes)?;
            if key.layer == Layer::Bed && level == 0 {
                self.ground.add(key.tile);
            }
        }
        Ok(())
    }

    /// Whether [`TerrainWriter::save`] is possible now.
    #[must_use]
    pub fn can_save(&self) -> bool {
        let missing = self.bands[0].next();
        let is_under_way = missing > 0 && missing < self.head.height;
        is_under_way && missing.is_multiple_of(EVEN_ROWS)
    }

    /// Writes the progress, so that [`TerrainWriter::resume`] can continue from a commit of it;
    /// `note` is a text that describes the source for the caller.
    ///
    /// # Panics
    ///
    /// If [`TerrainWriter::can_save`] is false.
    ///
    /// # Errors
    ///
    /// Errors of writing the store.
    pub fn save(&mut self, note: &str, store: &mut Store) -> Result<(), StoreError> {
        assert!(self.can_save(), "half a row is under way");
        // Level 0 has no row of tiles under way: 256 rows are 4 whole ones.
        for level in 1..self.bands.len() {
            assert!(!self.bands[level].is_uneven(), "level {level} has half a row");
            if !self.bands[level].is_complete() {
                self.put(level, store)?;
            }
        }
        let (options, rows) = (self.options, self.rows());
        let Head { low, high, inside, .. } = self.head;
        Unfinished { options, rows, low, high, inside, note: note.to_owned() }.write(store)
    }

    /// Completes the terrain and returns its head; the caller commits.
    ///
    /// # Errors
    ///
    /// [`HeightmapError::RowCount`] if rows are missing, [`HeightmapError::AllNoData`] if no cell
    /// has ground; errors of writing the store.
    pub fn finish(self, store: &mut Store) -> Result<Head, WriteError> {
        let (found, expected) = (self.rows(), self.head.height);
        if found < expected {
            return Err(HeightmapError::RowCount { found, expected }.into());
        }
        if self.head.inside == 0 {
            return Err(HeightmapError::AllNoData.into());
        }
        Ok(self.complete(store)?)
    }

    pub(super) fn complete(self, store: &mut Store) -> Result<Head, StoreError> {
        store.remove(UNFINISHED)?;
        store.put(GROUND_TILES, self.ground.bytes())?;
        store.put(RECORD, &self.head.to_bytes())?;
        Ok(self.head)
    }
}

#[cfg(test)]
mod tests;
