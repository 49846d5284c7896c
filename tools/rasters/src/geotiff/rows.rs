//! The rows of a TIFF, block by block.
//!
//! A row of tiles, or strips of a few MiB together, is decompressed on all cores and kept as the
//! bytes of its samples. Longer strips are decompressed row by row, so a file that is one single
//! strip costs one row of memory, unless it begins in the south.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use super::directory::TiffByteOrder;
use super::layout::{BlockForm, TiffLayout};
use super::sample::SampleStorage;
use super::unpack::{PackedBlock, unpack};
use super::whole::BlockShape;
use crate::error::RasterError;
use crate::locating::Facing;
use crate::screen::StoredRows;

/// Longest strip that is kept in memory as a whole, bytes.
const STRIP_MAX: usize = 1 << 20;

/// Longest strip of a raster that begins in the south, bytes.
const SOUTHERN_STRIP_MAX: u64 = 1 << 28;

/// Bytes of the strips that are decompressed together.
const STRIPS_BYTES: usize = 1 << 23;

/// The samples of a block, little-endian and row by row; `None` if it is left out of the file.
type BlockSamples = Option<Vec<u8>>;

/// The uncompressed bytes of a block.
type BlockStream = Box<dyn Read + Send>;

/// The blocks of a file, for several readers at once.
struct TiffBlocks {
    path: PathBuf,
    file: Arc<File>,
    layout: TiffLayout,
    order: TiffByteOrder,
}

/// Rows of stored values.
pub(super) struct TiffRows {
    packed: TiffBlocks,
    facing: Facing,
    /// The value of cells whose block is left out of the file.
    blank: f64,
    /// The present strip, plane by plane, if it is too long for memory; `None` if it is left out.
    strip: Option<Vec<BlockStream>>,
    /// One row of that strip.
    samples: Vec<u8>,
    scratch: Vec<u8>,
    /// Blocks in memory, and the number of the first.
    held: Vec<Result<BlockSamples, RasterError>>,
    first: usize,
}

impl TiffBlocks {
    /// Returns the number of rows of the blocks at a place, without rows beyond the end of the
    /// raster.
    fn rows(&self, place: usize) -> usize {
        let top = place / self.layout.blocks_across() * self.layout.block_height;
        self.layout.block_height.min(self.layout.height - top)
    }

    /// Returns the blocks at a place as streams, plane by plane; `None` if one is left out.
    fn open_block(&self, place: usize) -> Result<Option<Vec<BlockStream>>, RasterError> {
        let layout = &self.layout;
        let shape = BlockShape {
            width: layout.block_width,
            height: match layout.blocks {
                BlockForm::Strips => self.rows(place),
                BlockForm::Tiles => layout.block_height,
            },
            channels: layout.channels_in_block(),
            sample: layout.sample,
            order: self.order,
        };
        let mut planes = Vec::new();
        for plane in 0..layout.planes {
            let (offset, count) = layout.places[plane * layout.blocks() + place];
            if count == 0 {
                return Ok(None);
            }
            let block =
                PackedBlock { file: &self.file, offset, count, shape, tables: &layout.tables };
            let stream = unpack(&block, layout.compression).map_err(|e| self.broken(place, e))?;
            planes.push(stream);
        }
        Ok(Some(planes))
    }

    fn broken(&self, place: usize, error: std::io::Error) -> RasterError {
        RasterError::reading(&self.path, &format!("block {place}"), error)
    }

    /// Appends the next row of the blocks at a place to some samples, cell by cell.
    fn append_row(
        &self,
        (place, planes): (usize, &mut [BlockStream]),
        samples: &mut Vec<u8>,
        scratch: &mut Vec<u8>,
    ) -> Result<(), RasterError> {
        let layout = &self.layout;
        let is_whole = layout.compression.is_whole();
        let stored = SampleStorage {
            size: layout.sample.bytes(),
            channels: layout.channels_in_block(),
            order: if is_whole { TiffByteOrder::Little } else { self.order },
        };
        let start = samples.len();
        let bytes = layout.stored_row_bytes();
        for plane in &mut *planes {
            let start = samples.len();
            samples.resize(start + bytes, 0);
            let row = &mut samples[start..];
            plane.read_exact(row).map_err(|e| self.broken(place, e))?;
            layout.predictor.undo(row, stored, scratch);
        }
        if planes.len() > 1 {
            interleave(&mut samples[start..], planes.len(), stored.size, scratch);
        }
        Ok(())
    }

    /// Returns the blocks at a place, without rows beyond the end of the raster.
    fn block(&self, place: usize) -> Result<BlockSamples, RasterError> {
        let Some(mut planes) = self.open_block(place)? else { return Ok(None) };
        let (mut samples, mut scratch) = (Vec::new(), Vec::new());
        for _ in 0..self.rows(place) {
            self.append_row((place, &mut planes), &mut samples, &mut scratch)?;
        }
        Ok(Some(samples))
    }

    /// Bytes of the samples of a block.
    fn block_bytes(&self) -> usize {
        self.layout.row_bytes().saturating_mul(self.layout.block_height)
    }

    /// Returns the number of places whose blocks are decompressed together.
    fn together(&self) -> usize {
        match self.layout.blocks {
            BlockForm::Tiles => self.layout.blocks_across(),
            BlockForm::Strips if self.block_bytes() > STRIP_MAX => 1,
            BlockForm::Strips => (STRIPS_BYTES / self.block_bytes().max(1)).max(2),
        }
    }
}

/// Rearranges planes, one after the other, to cells.
fn interleave(samples: &mut [u8], planes: usize, size: usize, scratch: &mut Vec<u8>) {
    scratch.clear();
    scratch.extend_from_slice(samples);
    let plane_bytes = samples.len() / planes;
    for (plane, from) in scratch.chunks_exact(plane_bytes).enumerate() {
        let to = samples.chunks_exact_mut(size).skip(plane).step_by(planes);
        to.zip(from.chunks_exact(size)).for_each(|(to, from)| to.copy_from_slice(from));
    }
}

impl TiffRows {
    pub(super) fn new(
        path: &Path,
        file: Arc<File>,
        layout: TiffLayout,
        order: TiffByteOrder,
        facing: Facing,
    ) -> Result<Self, RasterError> {
        let packed = TiffBlocks { path: path.into(), file, layout, order };
        let is_strip = packed.layout.blocks == BlockForm::Strips;
        let bytes = packed.block_bytes() as u64;
        if is_strip && facing.is_from_south && bytes > SOUTHERN_STRIP_MAX {
            return Err(RasterError::unsupported(
                path,
                format!(
                    "begins in the south with strips of {bytes} bytes, too large to be held: \
                     rewrite it with gdal_translate -co TILED=YES in.tif out.tif"
                ),
            ));
        }
        Ok(Self {
            packed,
            facing,
            blank: f64::NAN,
            strip: None,
            samples: Vec::new(),
            scratch: Vec::new(),
            held: Vec::new(),
            first: 0,
        })
    }

    /// Sets the value of cells whose block is left out of the file; without it, NaN.
    pub(super) fn with_blank(mut self, blank: f64) -> Self {
        self.blank = blank;
        self
    }

    /// Returns whether whole blocks are in memory, and may be read in any order.
    fn is_held(&self) -> bool {
        let is_strip = self.packed.layout.blocks == BlockForm::Strips;
        !is_strip || self.facing.is_from_south || self.packed.block_bytes() <= STRIP_MAX
    }

    fn read_strip_row(&mut self, index: usize, row: &mut [f64]) -> Result<(), RasterError> {
        let place = index / self.packed.layout.block_height;
        if index.is_multiple_of(self.packed.layout.block_height) {
            self.strip = self.packed.open_block(place)?;
        }
        let Some(strip) = &mut self.strip else {
            row.fill(self.blank);
            return Ok(());
        };
        self.samples.clear();
        self.packed.append_row((place, strip), &mut self.samples, &mut self.scratch)?;
        self.packed.layout.values(&self.samples, row);
        Ok(())
    }

    /// Reads a row of the blocks that are side by side.
    fn read_held_row(&mut self, index: usize, row: &mut [f64]) -> Result<(), RasterError> {
        let across = self.packed.layout.blocks_across();
        let first = index / self.packed.layout.block_height * across;
        if !(self.first..self.first + self.held.len()).contains(&first) {
            let together = self.packed.together();
            let start = first - first % together;
            let end = (start + together).min(self.packed.layout.blocks());
            self.held.clear();
            let packed = &self.packed;
            self.held = (start..end).into_par_iter().map(|place| packed.block(place)).collect();
            self.first = start;
        }
        let bytes = self.packed.layout.row_bytes();
        let start = index % self.packed.layout.block_height * bytes;
        let blocks = &mut self.held[first - self.first..][..across];
        for (block, cells) in blocks.iter_mut().zip(row.chunks_mut(self.packed.layout.block_width))
        {
            match block {
                Ok(Some(samples)) => {
                    self.packed.layout.values(&samples[start..][..bytes], cells);
                }
                Ok(None) => cells.fill(self.blank),
                // The source is of no further use.
                Err(_) => std::mem::replace(block, Ok(None)).map(drop)?,
            }
        }
        Ok(())
    }
}

impl StoredRows for TiffRows {
    fn read_row(&mut self, index: usize, row: &mut [f64]) -> Result<(), RasterError> {
        let last = self.packed.layout.height - 1;
        let stored = if self.facing.is_from_south { last - index } else { index };
        if self.is_held() {
            self.read_held_row(stored, row)?;
        } else {
            self.read_strip_row(stored, row)?;
        }
        if self.facing.is_from_east {
            row.reverse();
        }
        Ok(())
    }

    /// Blocks that end before row `to` are not read.
    fn skip(&mut self, from: usize, to: usize, row: &mut [f64]) -> Result<(), RasterError> {
        if self.is_held() {
            return Ok(());
        }
        let block = to - to % self.packed.layout.block_height;
        (from.max(block)..to).try_for_each(|index| self.read_row(index, row))
    }
}

#[cfg(test)]
mod tests {
    use super::interleave;

    #[test]
    fn planes_become_cells() {
        let mut samples = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
        interleave(&mut samples, 3, 2, &mut Vec::new());
        assert_eq!(samples, [1, 2, 5, 6, 9, 10, 3, 4, 7, 8, 11, 12]);
    }
}
