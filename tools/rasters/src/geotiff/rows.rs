//! The rows of a TIFF, block by block.
//!
//! A row of tiles, or strips of a few MiB together, is decompressed on all cores and held as the
//! bytes of its samples. Longer strips are decompressed row by row, so a file that is one single
//! strip costs one row of memory.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use super::directory::Order;
use super::layout::{Blocks, Layout};
use super::unpack::unpack;
use crate::error::RasterError;
use crate::screen::StoredRows;

/// Most memory that one row of tiles may take, bytes.
const BAND_MAX: u64 = 1 << 30;

/// Longest strip that is held as a whole, bytes.
const STRIP_MAX: usize = 1 << 20;

/// Strips that are decompressed together take so many bytes.
const STRIPS_BYTES: usize = 1 << 23;

/// The samples of a block, little-endian and row by row; `None` where it is left out of the file.
type Samples = Option<Vec<u8>>;

/// The blocks of a file, for several readers at once.
struct Packed {
    path: PathBuf,
    file: Arc<File>,
    layout: Layout,
    order: Order,
}

/// Rows of stored values.
pub(super) struct Rows {
    packed: Packed,
    /// The value of cells whose block is left out of the file.
    blank: f64,
    /// The present strip, where it is too long to be held; `None` where it is left out.
    strip: Option<Box<dyn Read + Send>>,
    /// One row of that strip.
    samples: Vec<u8>,
    scratch: Vec<u8>,
    /// Blocks that are held, and the number of the first.
    held: Vec<Result<Samples, RasterError>>,
    first: usize,
}

impl Packed {
    /// Block `index` as a stream; `None` where it is left out.
    fn open_block(&self, index: usize) -> Option<Box<dyn Read + Send>> {
        let (offset, count) = self.layout.places[index];
        (count > 0).then(|| unpack(&self.file, offset, count, self.layout.compression))
    }

    /// Appends the next row of block `index` to some samples.
    fn append_row(
        &self,
        (index, block): (usize, &mut dyn Read),
        samples: &mut Vec<u8>,
        scratch: &mut Vec<u8>,
    ) -> Result<(), RasterError> {
        let start = samples.len();
        samples.resize(start + self.layout.row_bytes(), 0);
        let row = &mut samples[start..];
        block
            .read_exact(row)
            .map_err(|e| RasterError::reading(&self.path, &format!("block {index}"), e))?;
        let size = self.layout.sample.bytes();
        self.layout.predictor.undo(row, size, self.order, scratch);
        Ok(())
    }

    /// A whole block, but rows beyond the end of the raster.
    fn block(&self, index: usize) -> Result<Samples, RasterError> {
        let Some(mut block) = self.open_block(index) else { return Ok(None) };
        let top = index / self.layout.blocks_across() * self.layout.block_height;
        let rows = self.layout.block_height.min(self.layout.height - top);
        let (mut samples, mut scratch) = (Vec::new(), Vec::new());
        for _ in 0..rows {
            self.append_row((index, &mut block), &mut samples, &mut scratch)?;
        }
        Ok(Some(samples))
    }

    /// Blocks that are decompressed together; 1 where it is row by row.
    fn together(&self) -> usize {
        let strip = self.layout.row_bytes().saturating_mul(self.layout.block_height);
        match self.layout.blocks {
            Blocks::Tiles => self.layout.blocks_across(),
            Blocks::Strips if strip > STRIP_MAX => 1,
            Blocks::Strips => (STRIPS_BYTES / strip.max(1)).max(2),
        }
    }
}

impl Rows {
    pub(super) fn new(
        path: &Path,
        file: Arc<File>,
        layout: Layout,
        order: Order,
        blank: f64,
    ) -> Result<Self, RasterError> {
        let tile = layout.row_bytes() as u64 * layout.block_height as u64;
        let band = tile.saturating_mul(layout.blocks_across() as u64);
        if layout.blocks == Blocks::Tiles && band > BAND_MAX {
            return Err(RasterError::unsupported(
                path,
                format!(
                    "has tiles of {} x {} cells, of which a row takes {band} bytes of memory: \
                     rewrite it with gdal_translate -co TILED=YES in.tif out.tif",
                    layout.block_width, layout.block_height
                ),
            ));
        }
        Ok(Self {
            packed: Packed { path: path.into(), file, layout, order },
            blank,
            strip: None,
            samples: Vec::new(),
            scratch: Vec::new(),
            held: Vec::new(),
            first: 0,
        })
    }

    fn read_strip_row(&mut self, index: usize, row: &mut [f64]) -> Result<(), RasterError> {
        let block = index / self.packed.layout.block_height;
        if index.is_multiple_of(self.packed.layout.block_height) {
            self.strip = self.packed.open_block(block);
        }
        let Some(mut strip) = self.strip.take() else {
            row.fill(self.blank);
            return Ok(());
        };
        let mut samples = std::mem::take(&mut self.samples);
        let mut scratch = std::mem::take(&mut self.scratch);
        samples.clear();
        self.packed.append_row((block, &mut strip), &mut samples, &mut scratch)?;
        self.packed.layout.sample.values(&samples, row);
        (self.strip, self.samples, self.scratch) = (Some(strip), samples, scratch);
        Ok(())
    }

    /// Reads a row of the blocks from number `first` on, side by side.
    fn read_held_row(&mut self, index: usize, row: &mut [f64]) -> Result<(), RasterError> {
        let across = self.packed.layout.blocks_across();
        let first = index / self.packed.layout.block_height * across;
        if !(self.first..self.first + self.held.len()).contains(&first) {
            let end = (first + self.packed.together()).min(self.packed.layout.places.len());
            self.held.clear();
            let packed = &self.packed;
            self.held = (first..end).into_par_iter().map(|block| packed.block(block)).collect();
            self.first = first;
        }
        let bytes = self.packed.layout.row_bytes();
        let start = index % self.packed.layout.block_height * bytes;
        let blocks = &mut self.held[first - self.first..][..across];
        for (block, cells) in blocks.iter_mut().zip(row.chunks_mut(self.packed.layout.block_width))
        {
            match block {
                Ok(Some(samples)) => {
                    self.packed.layout.sample.values(&samples[start..][..bytes], cells);
                }
                Ok(None) => cells.fill(self.blank),
                // The source is of no further use.
                Err(_) => std::mem::replace(block, Ok(None)).map(drop)?,
            }
        }
        Ok(())
    }
}

impl StoredRows for Rows {
    fn read_row(&mut self, index: usize, row: &mut [f64]) -> Result<(), RasterError> {
        match (self.packed.layout.blocks, self.packed.together()) {
            (Blocks::Strips, 1) => self.read_strip_row(index, row),
            _ => self.read_held_row(index, row),
        }
    }
    /// Blocks that end before row `to` are not read.
    fn skip(&mut self, from: usize, to: usize, row: &mut [f64]) -> Result<(), RasterError> {
        let block = to - to % self.packed.layout.block_height;
        (from.max(block)..to).try_for_each(|index| self.read_row(index, row))
    }
}
