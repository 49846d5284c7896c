//! A level of a world as rows of metres from the north.

use thalweg::file::StoredBeds;
use thalweg::units::OUTSIDE;
use thalweg::world::{StoreError, TILE_CELLS, TILE_WIDTH, TileKey};

/// Source that can be written row by row.
pub trait ExportRows {
    /// Returns the numbers of columns and rows.
    fn size(&self) -> (usize, usize);

    /// Fills in row `index` from the north; NaN in cells outside.
    ///
    /// # Errors
    ///
    /// Returns [`StoreError::Damaged`], which names the tile whose content is not as written.
    fn fill(&mut self, index: usize, cells: &mut [f64]) -> Result<(), StoreError>;
}

/// The rows of a level; a row of tiles is in memory at a time.
#[derive(Debug)]
pub struct LevelRows<'a> {
    stored: &'a StoredBeds<'a>,
    level: u8,
    width: usize,
    height: usize,
    /// Beds of a row of tiles, rows from the south.
    band: Vec<i32>,
    /// Index of that row of tiles.
    held: Option<usize>,
}

impl<'a> LevelRows<'a> {
    /// Returns the rows of a level that the world has.
    #[must_use]
    pub fn new(stored: &'a StoredBeds<'a>, level: u8) -> Self {
        let (width, height) = stored.head().size(level);
        let band = vec![OUTSIDE; width * TILE_WIDTH];
        Self { stored, level, width, height, band, held: None }
    }

    /// Returns the number of columns.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height
    }

    /// Returns the beds of row `index` from the north, m; NaN in cells without ground. Exact if the
    /// bed's step and the datum allow it.
    ///
    /// # Errors
    ///
    /// Returns [`StoreError::Damaged`], which names the tile whose content is not as written.
    pub fn row(&mut self, index: usize) -> Result<impl Iterator<Item = f64> + '_, StoreError> {
        let from_south = self.height - 1 - index;
        let (band, row) = (from_south / TILE_WIDTH, from_south % TILE_WIDTH);
        if self.held != Some(band) {
            self.held = None;
            self.fill(band)?;
            self.held = Some(band);
        }
        let scale = self.stored.head().scale;
        let beds = &self.band[row * self.width..][..self.width];
        Ok(beds.iter().map(move |&bed| if bed == OUTSIDE { f64::NAN } else { scale.metres(bed) }))
    }

    fn fill(&mut self, band: usize) -> Result<(), StoreError> {
        let index = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let mut plane = [OUTSIDE; TILE_CELLS];
        for west in (0..self.width).step_by(TILE_WIDTH) {
            let tile = TileKey { level: self.level, x: index(west / TILE_WIDTH), y: index(band) };
            self.stored.read(tile, &mut plane)?;
            let columns = TILE_WIDTH.min(self.width - west);
            for (row, beds) in plane.chunks_exact(TILE_WIDTH).enumerate() {
                self.band[row * self.width + west..][..columns].copy_from_slice(&beds[..columns]);
            }
        }
        Ok(())
    }

    /// Returns all rows of the level, north row first.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`LevelRows::row`].
    pub fn plane(&mut self) -> Result<Vec<f32>, StoreError> {
        let mut plane = Vec::with_capacity(self.width * self.height);
        for index in 0..self.height {
            plane.extend(self.row(index)?.map(narrow));
        }
        Ok(plane)
    }
}

impl ExportRows for LevelRows<'_> {
    fn size(&self) -> (usize, usize) {
        (self.width, self.height)
    }

    fn fill(&mut self, index: usize, cells: &mut [f64]) -> Result<(), StoreError> {
        let row = self.row(index)?;
        cells.iter_mut().zip(row).for_each(|(cell, bed)| *cell = bed);
        Ok(())
    }
}

/// Returns the nearest `f32`.
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "what a map holds")]
pub fn narrow(metres: f64) -> f32 {
    metres as f32
}
