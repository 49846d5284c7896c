//! The rows of a TIFF, block by block.
//!
//! Strips are decompressed row by row, so a file that is one single strip costs one row of memory.
//! Of tiles, one row of tiles is held, as the bytes of its samples.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::directory::Order;
use super::layout::{Blocks, Layout};
use super::unpack::unpack;
use crate::error::RasterError;
use crate::screen::StoredRows;

/// Most memory that one row of tiles may take, bytes.
const BAND_MAX: u64 = 1 << 30;

/// Rows of stored values.
pub(super) struct Rows {
    path: PathBuf,
    file: Arc<File>,
    layout: Layout,
    order: Order,
    /// The value of cells whose block is left out of the file.
    blank: f64,
    /// The present strip; `None` where it is left out.
    strip: Option<Box<dyn Read + Send>>,
    /// Little-endian samples: one row of a strip, or the present row of tiles, one after another.
    samples: Vec<u8>,
    /// Where each tile of the present row of tiles begins in `samples`; `None` if left out.
    tiles: Vec<Option<usize>>,
    scratch: Vec<u8>,
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
            path: path.into(),
            file,
            layout,
            order,
            blank,
            strip: None,
            samples: Vec::new(),
            tiles: Vec::new(),
            scratch: Vec::new(),
        })
    }

    /// Block `index` as a stream; `None` where it is left out.
    fn open_block(&self, index: usize) -> Option<Box<dyn Read + Send>> {
        let (offset, count) = self.layout.places[index];
        (count > 0).then(|| unpack(&self.file, offset, count, self.layout.compression))
    }

    /// Appends the next row of `block` to the samples.
    fn append_row(&mut self, block: &mut dyn Read, index: usize) -> Result<(), RasterError> {
        let start = self.samples.len();
        self.samples.resize(start + self.layout.row_bytes(), 0);
        let row = &mut self.samples[start..];
        block
            .read_exact(row)
            .map_err(|e| RasterError::reading(&self.path, &format!("block {index}"), e))?;
        let size = self.layout.sample.bytes();
        self.layout.predictor.undo(row, size, self.order, &mut self.scratch);
        Ok(())
    }

    fn read_strip_row(&mut self, index: usize, row: &mut [f64]) -> Result<(), RasterError> {
        let block = index / self.layout.block_height;
        if index.is_multiple_of(self.layout.block_height) {
            self.strip = self.open_block(block);
        }
        let Some(mut strip) = self.strip.take() else {
            row.fill(self.blank);
            return Ok(());
        };
        self.samples.clear();
        self.append_row(&mut strip, block)?;
        self.strip = Some(strip);
        self.layout.sample.values(&self.samples, row);
        Ok(())
    }

    fn read_tile_row(&mut self, index: usize, row: &mut [f64]) -> Result<(), RasterError> {
        let within = index % self.layout.block_height;
        if within == 0 {
            self.load_tiles(index)?;
        }
        let row_bytes = self.layout.row_bytes();
        let cells = row.chunks_mut(self.layout.block_width);
        for (start, cells) in self.tiles.iter().zip(cells) {
            match start {
                Some(start) => {
                    let samples = &self.samples[start + within * row_bytes..][..row_bytes];
                    self.layout.sample.values(samples, cells);
                }
                None => cells.fill(self.blank),
            }
        }
        Ok(())
    }

    /// Decompresses the row of tiles that begins with row `index` of the raster.
    fn load_tiles(&mut self, index: usize) -> Result<(), RasterError> {
        let across = self.layout.blocks_across();
        let first = index / self.layout.block_height * across;
        let rows = self.layout.block_height.min(self.layout.height - index);
        self.samples.clear();
        self.tiles.clear();
        for tile in first..first + across {
            let Some(mut block) = self.open_block(tile) else {
                self.tiles.push(None);
                continue;
            };
            self.tiles.push(Some(self.samples.len()));
            for _ in 0..rows {
                self.append_row(&mut block, tile)?;
            }
        }
        Ok(())
    }
}

impl StoredRows for Rows {
    fn read_row(&mut self, index: usize, row: &mut [f64]) -> Result<(), RasterError> {
        match self.layout.blocks {
            Blocks::Strips => self.read_strip_row(index, row),
            Blocks::Tiles => self.read_tile_row(index, row),
        }
    }
    /// Blocks that end before row `to` are not read.
    fn skip(&mut self, from: usize, to: usize, row: &mut [f64]) -> Result<(), RasterError> {
        let block = to - to % self.layout.block_height;
        (from.max(block)..to).try_for_each(|index| self.read_row(index, row))
    }
}
