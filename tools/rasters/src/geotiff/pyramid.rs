//! A raster and its overviews as compressed tiles, from rows that are passed once, north first.
//!
//! ```text
//! overview cell = mean of the cells below it that have a value,
//!                 where at least half of the raster's cells below it have one
//! ```
//!
//! So an overview shows the same amount of water: with the largest value, or if any wet cell made
//! it wet, a map with a film in its ditches would be flooded all over when seen from afar.
//!
//! Guarantees: sums and counts are passed on, not means of means: each level is the mean of the
//!             raster's own cells (`overviews_are_means_of_what_has_a_value`).
//! Limits:     two rows of tiles of the raster are in memory, the compressed tiles in temporary
//!             files.

use std::io::{self, Seek, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use rayon::prelude::*;
use tempfile::{SpooledTempFile, spooled_tempfile_in};

use super::sample::predict_floats;
use super::write::NODATA;

/// Longest side of a tile, cells: a multiple of 16.
const SIDE_MAX: usize = 256;
/// Deflate level: on 5 million cells of terrain, level 6 takes six times as long for 4 % less.
const LEVEL: u32 = 1;
/// Compressed bytes of a level that are kept in memory.
const SPOOLED_BYTES: usize = 1 << 18;
/// Bytes before and after each tile: its length, and its last four bytes once more.
pub(super) const MARGIN_BYTES: u64 = 4;

/// Part of an overview's cell: the cells of the raster below it together.
#[derive(Debug, Clone, Copy, Default)]
struct OverviewPart {
    sum: f64,
    count: u64,
}

/// A raster and its overviews, the finest first.
#[derive(Debug)]
pub(super) struct Pyramid {
    pub levels: Vec<PyramidLevel>,
}

impl Pyramid {
    /// Levels for a raster of some size until one fits a tile; tiles wait in files in `folder`.
    pub fn new((width, height): (usize, usize), folder: &Path) -> Self {
        let side = width.max(height).next_multiple_of(16).min(SIDE_MAX);
        let mut levels = vec![PyramidLevel::new((width, height), 1, side, folder)];
        let mut cell = 1;
        while width.max(height).div_ceil(cell) > side {
            cell *= 2;
            levels.push(PyramidLevel::new((width, height), cell, side, folder));
        }
        Self { levels }
    }

    /// Adds the next row of the raster; NaN has no value.
    pub fn push(&mut self, row: &[f32]) -> io::Result<()> {
        let part = |&value: &f32| match value.is_nan() {
            true => OverviewPart::default(),
            false => OverviewPart { sum: value.into(), count: 1 },
        };
        let mut parts: Vec<OverviewPart> = row.iter().map(part).collect();
        for level in &mut self.levels {
            match level.take(&parts)? {
                Some(row) => parts = row,
                None => break,
            }
        }
        Ok(())
    }
}

/// The raster, or an overview.
#[derive(Debug)]
pub(super) struct PyramidLevel {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Columns and rows of a tile.
    pub side: usize,
    /// Bytes of each tile, row by row.
    pub lengths: Vec<u32>,
    /// Columns and rows of the raster.
    raster: (usize, usize),
    /// Cells of the raster along a cell.
    cell: usize,
    /// The row that is being gathered, and how many rows of the level below it has.
    gathered: Vec<OverviewPart>,
    taken: usize,
    /// Rows of the tiles that are being filled.
    band: Vec<f32>,
    /// Rows done.
    done: usize,
    tiles: SpooledTempFile,
}

impl PyramidLevel {
    fn new(raster: (usize, usize), cell: usize, side: usize, folder: &Path) -> Self {
        let (width, height) = (raster.0.div_ceil(cell), raster.1.div_ceil(cell));
        Self {
            width,
            height,
            side,
            lengths: Vec::new(),
            raster,
            cell,
            gathered: vec![OverviewPart::default(); width],
            taken: 0,
            band: Vec::with_capacity(side * width),
            done: 0,
            tiles: spooled_tempfile_in(SPOOLED_BYTES, folder),
        }
    }

    /// Columns and rows of tiles.
    pub fn tiled(&self) -> usize {
        self.width.div_ceil(self.side) * self.height.div_ceil(self.side)
    }

    /// Bytes of all tiles with their margins.
    pub fn bytes(&self) -> u64 {
        self.lengths.iter().map(|&length| u64::from(length) + 2 * MARGIN_BYTES).sum()
    }

    /// Copies all tiles with their margins.
    pub fn copy(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.tiles.rewind()?;
        io::copy(&mut self.tiles, out).map(|_| ())
    }

    /// Adds a row of the level below; returns a row of its own when that is whole.
    fn take(&mut self, below: &[OverviewPart]) -> io::Result<Option<Vec<OverviewPart>>> {
        let step = self.cell.min(2);
        for (x, part) in below.iter().enumerate() {
            let own = &mut self.gathered[x / step];
            own.sum += part.sum;
            own.count += part.count;
        }
        self.taken += 1;
        let below_height = self.raster.1.div_ceil((self.cell / 2).max(1));
        let is_last = self.done + 1 == self.height;
        let taken = self.done * step + self.taken;
        if self.taken < step && !(is_last && taken == below_height) {
            return Ok(None);
        }
        let row = std::mem::replace(&mut self.gathered, vec![OverviewPart::default(); self.width]);
        self.taken = 0;
        self.lay(&row)?;
        Ok(Some(row))
    }

    /// Lays a row into the tiles.
    fn lay(&mut self, row: &[OverviewPart]) -> io::Result<()> {
        let (width, height) = self.raster;
        let extent = |at: usize, end: usize| self.cell.min(end - at * self.cell) as u64;
        let rows = extent(self.done, height);
        let value = |(x, part): (usize, &OverviewPart)| {
            let is_known = part.count > 0 && 2 * part.count >= rows * extent(x, width);
            if is_known { mean(*part) } else { NODATA }
        };
        self.band.extend(row.iter().enumerate().map(value));
        self.done += 1;
        if self.done.is_multiple_of(self.side) || self.done == self.height {
            self.pack()?;
        }
        Ok(())
    }

    /// Compresses a row of tiles.
    fn pack(&mut self) -> io::Result<()> {
        let columns = 0..self.width.div_ceil(self.side);
        let packed: io::Result<Vec<Vec<u8>>> =
            columns.into_par_iter().map(|column| self.packed(column)).collect();
        for tile in packed? {
            let length = u32::try_from(tile.len()).map_err(io::Error::other)?;
            self.tiles.write_all(&length.to_le_bytes())?;
            self.tiles.write_all(&tile)?;
            self.tiles.write_all(&tile[tile.len() - 4..])?;
            self.lengths.push(length);
        }
        self.band.clear();
        Ok(())
    }

    /// Returns one compressed tile, filled up with NoData beyond the border.
    fn packed(&self, column: usize) -> io::Result<Vec<u8>> {
        let (first, side) = (column * self.side, self.side);
        let end = (first + side).min(self.width);
        let mut rows = self.band.chunks(self.width);
        let mut cells = vec![NODATA; side];
        let mut predicted = Vec::new();
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::new(LEVEL));
        for _ in 0..side {
            match rows.next() {
                Some(row) => cells[..end - first].copy_from_slice(&row[first..end]),
                None => cells.fill(NODATA),
            }
            predict_floats(&cells, &mut predicted);
            packed.write_all(&predicted)?;
        }
        packed.finish()
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "the nearest f32; counts of cells are far below 2^53"
)]
fn mean(part: OverviewPart) -> f32 {
    (part.sum / part.count as f64) as f32
}
