//! How the samples of a TIFF are laid out: kinds, compression, blocks.

use std::path::Path;

use super::directory::Directory;
use super::sample::{Predictor, Sample};
use super::tag;
use super::unpack::Compression;
use crate::error::RasterError;
use crate::ground;

/// Whether blocks are strips over the whole width or tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Blocks {
    /// As wide as the raster.
    Strips,
    /// Rectangles, those at the east and south rim padded to full size.
    Tiles,
}

/// How the samples of the first image are laid out.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) sample: Sample,
    pub(super) compression: Compression,
    pub(super) predictor: Predictor,
    pub(super) blocks: Blocks,
    /// Columns of a block.
    pub(super) block_width: usize,
    /// Rows of a block.
    pub(super) block_height: usize,
    /// Offset and length of every block in the file, row by row; zeros where it is left out.
    pub(super) places: Vec<(u64, u64)>,
}

impl Layout {
    /// Understands the tags, or says which of them this crate does not read.
    pub(super) fn read(path: &Path, directory: &Directory) -> Result<Self, RasterError> {
        let unsigned = |tag: u16, default: u64| -> Result<u64, RasterError> {
            Ok(directory.unsigned(tag)?.unwrap_or(default))
        };
        let (width, height) = (unsigned(tag::WIDTH, 0)?, unsigned(tag::HEIGHT, 0)?);
        let size = ground::checked_size(path, width, height)?;
        let samples = unsigned(tag::SAMPLES_PER_PIXEL, 1)?;
        if samples != 1 {
            return Err(RasterError::unsupported(
                path,
                format!(
                    "holds {samples} values a cell (a colour picture?), heightmaps hold one: \
                     extract it with gdal_translate -b 1 in.tif out.tif"
                ),
            ));
        }
        let (format, bits) = (unsigned(tag::SAMPLE_FORMAT, 1)?, unsigned(tag::BITS, 1)?);
        let sample = Sample::new(format, bits).ok_or_else(|| {
            RasterError::unsupported(
                path,
                format!(
                    "holds samples of {bits} bits in format {format}; 8 to 64-bit integers and \
                     32 or 64-bit floats are read: convert it with gdal_translate -ot Float32"
                ),
            )
        })?;
        if unsigned(tag::FILL_ORDER, 1)? != 1 {
            return Err(RasterError::unsupported(
                path,
                "stores its bits in reverse (FillOrder 2): rewrite it with gdal_translate",
            ));
        }
        let blocks =
            if directory.count(tag::TILE_OFFSETS) > 0 { Blocks::Tiles } else { Blocks::Strips };
        let (block_width, block_height) = match blocks {
            Blocks::Strips => (width, unsigned(tag::ROWS_PER_STRIP, height)?.min(height)),
            Blocks::Tiles => (unsigned(tag::TILE_WIDTH, 0)?, unsigned(tag::TILE_HEIGHT, 0)?),
        };
        let block = ground::checked_size(path, block_width, block_height)?;
        let compression = compression(path, unsigned(tag::COMPRESSION, 1)?)?;
        // As libtiff has it: the tag means nothing to the other two.
        let predictor = match compression {
            Compression::Lzw | Compression::Deflate => {
                predictor(path, unsigned(tag::PREDICTOR, 1)?, sample)?
            }
            Compression::None | Compression::PackBits => Predictor::None,
        };
        let mut layout = Self {
            width: size.0,
            height: size.1,
            sample,
            compression,
            predictor,
            blocks,
            block_width: block.0,
            block_height: block.1,
            places: Vec::new(),
        };
        layout.places = layout.read_places(path, directory)?;
        layout.check_places(path, directory.length())?;
        Ok(layout)
    }

    /// Blocks from west to east.
    pub(super) fn blocks_across(&self) -> usize {
        self.width.div_ceil(self.block_width)
    }

    /// Bytes of one row of a block.
    pub(super) fn row_bytes(&self) -> usize {
        self.block_width * self.sample.bytes()
    }

    fn read_places(
        &self,
        path: &Path,
        directory: &Directory,
    ) -> Result<Vec<(u64, u64)>, RasterError> {
        let (name, offsets_tag, counts_tag) = match self.blocks {
            Blocks::Strips => ("strips", tag::STRIP_OFFSETS, tag::STRIP_BYTES),
            Blocks::Tiles => ("tiles", tag::TILE_OFFSETS, tag::TILE_BYTES),
        };
        let count = (self.blocks_across() * self.height.div_ceil(self.block_height)) as u64;
        let wrong = |found: u64| {
            RasterError::damaged(
                path,
                format!(
                    "lists {found} {name} where {} x {} cells take {count}: fetch the file again",
                    self.width, self.height
                ),
            )
        };
        for tag in [offsets_tag, counts_tag] {
            if directory.count(tag) != count {
                return Err(wrong(directory.count(tag)));
            }
        }
        let numbers = |tag| directory.unsigneds(tag, count, count);
        let offsets = numbers(offsets_tag)?.unwrap_or_default();
        let lengths = numbers(counts_tag)?.unwrap_or_default();
        Ok(offsets.into_iter().zip(lengths).collect())
    }

    /// Every block lies in the file, and none claims more than its bytes can stand for.
    fn check_places(&self, path: &Path, length: u64) -> Result<(), RasterError> {
        let bytes = self.row_bytes() as u64 * self.block_height as u64;
        let rows_last = self.height - (self.height - 1) / self.block_height * self.block_height;
        let bytes_last = match self.blocks {
            Blocks::Strips => self.row_bytes() as u64 * rows_last as u64,
            Blocks::Tiles => bytes,
        };
        for (index, &(offset, count)) in self.places.iter().enumerate() {
            if count == 0 {
                continue;
            }
            if offset.checked_add(count).is_none_or(|end| end > length) {
                return Err(RasterError::damaged(
                    path,
                    format!(
                        "block {index} ({count} bytes from byte {offset}) lies beyond the end at \
                         byte {length}: the file is truncated, fetch it again"
                    ),
                ));
            }
            let is_last = index + 1 == self.places.len();
            let needed = if is_last { bytes_last } else { bytes };
            if count.saturating_mul(self.compression.ratio_max()) < needed {
                return Err(RasterError::damaged(
                    path,
                    format!(
                        "block {index} has {count} bytes, which cannot hold the {needed} it \
                         stands for: fetch the file again"
                    ),
                ));
            }
        }
        Ok(())
    }
}

fn compression(path: &Path, number: u64) -> Result<Compression, RasterError> {
    let name = match number {
        1 => return Ok(Compression::None),
        5 => return Ok(Compression::Lzw),
        8 | 32_946 => return Ok(Compression::Deflate),
        32_773 => return Ok(Compression::PackBits),
        2..=4 => "fax",
        6 | 7 => "JPEG",
        34_887 => "LERC",
        34_925 => "LZMA",
        50_000 => "Zstandard",
        50_001 => "WebP",
        50_002 => "JPEG XL",
        _ => "unknown",
    };
    Err(RasterError::unsupported(
        path,
        format!(
            "has {name} compression ({number}), which is not read: rewrite it with \
             gdal_translate -co COMPRESS=DEFLATE in.tif out.tif"
        ),
    ))
}

fn predictor(path: &Path, number: u64, sample: Sample) -> Result<Predictor, RasterError> {
    match (number, sample) {
        (1, _) => Ok(Predictor::None),
        (2, _) => Ok(Predictor::Horizontal),
        (3, Sample::Float(_)) => Ok(Predictor::Float),
        _ => Err(RasterError::damaged(
            path,
            format!("has predictor {number} on samples that cannot have it: rewrite the file"),
        )),
    }
}
