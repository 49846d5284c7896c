//! Layout of the samples of a TIFF: kinds, compression, blocks.

use std::path::Path;

use super::channels::Channels;
use super::directory::TiffDirectory;
use super::sample::{Predictor, TiffSample};
use super::tag;
use super::unpack::Compression;
use super::whole::Wrapping;
use crate::error::RasterError;
use crate::hints::Hints;
use crate::size::checked_size;

/// Bytes of headers and masks that a packed block may have besides twice the bytes of its samples.
const HEADERS_MAX: u64 = 1 << 16;

/// Most memory that one row of tiles may take, bytes.
const BAND_MAX: u64 = 1 << 30;
/// Largest strip that is decoded as a whole, bytes.
const WHOLE_MAX: u64 = 1 << 28;

/// PhotometricInterpretation of a mask.
const MASK: u64 = 4;

/// Form of blocks: strips over the whole width, or tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockForm {
    /// Strips as wide as the raster.
    Strips,
    /// Rectangles; at the east and south side they are padded to full size.
    Tiles,
}

/// Layout of the samples of the first image.
#[derive(Debug)]
pub(super) struct TiffLayout {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) sample: TiffSample,
    pub(super) channels: Channels,
    /// Blocks of one place: as many as channels if each has blocks of its own, else one.
    pub(super) planes: usize,
    pub(super) compression: Compression,
    pub(super) predictor: Predictor,
    pub(super) blocks: BlockForm,
    /// Columns of a block.
    pub(super) block_width: usize,
    /// Rows of a block.
    pub(super) block_height: usize,
    /// JPEG tables that all blocks share; empty if the file has no tables.
    pub(super) tables: Vec<u8>,
    /// Offset and length of every block in the file, row by row, plane after plane; zeros if it is
    /// left out.
    pub(super) places: Vec<(u64, u64)>,
}

impl TiffLayout {
    /// Parses the tags, or names the one that this crate does not read.
    pub(super) fn read(
        path: &Path,
        directory: &TiffDirectory,
        hints: &Hints,
    ) -> Result<Self, RasterError> {
        let unsigned = |tag: u16, default: u64| -> Result<u64, RasterError> {
            Ok(directory.unsigned(tag)?.unwrap_or(default))
        };
        let size = size(path, directory)?;
        let (width, height) = (size.0 as u64, size.1 as u64);
        let sample = sample(path, directory)?;
        let channels = Channels::read(path, directory, sample, hints)?;
        let planes = if unsigned(tag::PLANAR, 1)? == 2 { channels.count() } else { 1 };
        if unsigned(tag::FILL_ORDER, 1)? != 1 {
            return Err(RasterError::unsupported(
                path,
                "stores its bits in reverse (FillOrder 2): rewrite it with gdal_translate",
            ));
        }
        let blocks = if directory.count(tag::TILE_OFFSETS) > 0 {
            BlockForm::Tiles
        } else {
            BlockForm::Strips
        };
        let (block_width, block_height) = match blocks {
            BlockForm::Strips => (width, unsigned(tag::ROWS_PER_STRIP, height)?.min(height)),
            BlockForm::Tiles => (unsigned(tag::TILE_WIDTH, 0)?, unsigned(tag::TILE_HEIGHT, 0)?),
        };
        let block = checked_size(path, block_width, block_height)?;
        let compression = compression(path, directory)?;
        // As in libtiff: for all remaining compressions the tag means nothing.
        let predictor = match compression {
            Compression::Lzw | Compression::Deflate | Compression::Zstandard => {
                predictor(path, unsigned(tag::PREDICTOR, 1)?, sample)?
            }
            _ => Predictor::None,
        };
        let mut layout = Self {
            width: size.0,
            height: size.1,
            sample,
            channels,
            planes,
            compression,
            predictor,
            blocks,
            block_width: block.0,
            block_height: block.1,
            tables: directory.opaque(tag::JPEG_TABLES)?.unwrap_or_default(),
            places: Vec::new(),
        };
        layout.places = layout.read_places(path, directory)?;
        if let (Channels::Band { index, .. }, true) = (channels, planes > 1) {
            // The blocks of the remaining bands are not read.
            let blocks = layout.blocks();
            layout.places = layout.places[index * blocks..][..blocks].to_vec();
            (layout.channels, layout.planes) = (Channels::Height, 1);
        }
        layout.check_places(path, directory.length())?;
        layout.check_memory(path)?;
        Ok(layout)
    }

    /// Blocks from west to east.
    pub(super) fn blocks_across(&self) -> usize {
        self.width.div_ceil(self.block_width)
    }

    /// Places of blocks in the whole raster.
    pub(super) fn blocks(&self) -> usize {
        self.blocks_across() * self.height.div_ceil(self.block_height)
    }

    /// Returns the number of values of a cell that are side by side in a block.
    pub(super) fn channels_in_block(&self) -> usize {
        if self.planes == 1 { self.channels.count() } else { 1 }
    }

    /// Bytes of one row of a block.
    pub(super) fn stored_row_bytes(&self) -> usize {
        self.sample.row_bytes(self.block_width * self.channels_in_block())
    }

    /// Bytes of one row of the blocks of one place.
    pub(super) fn row_bytes(&self) -> usize {
        self.stored_row_bytes() * self.planes
    }

    /// Refuses blocks that have to be in memory and are too large for it.
    fn check_memory(&self, path: &Path) -> Result<(), RasterError> {
        let block = self.row_bytes() as u64 * self.block_height as u64;
        let band = block.saturating_mul(self.blocks_across() as u64);
        let (held, most) = match self.blocks {
            BlockForm::Tiles => (band, BAND_MAX),
            BlockForm::Strips if self.compression.is_whole() => (block, WHOLE_MAX),
            BlockForm::Strips => return Ok(()),
        };
        if held <= most {
            return Ok(());
        }
        let name = if self.blocks == BlockForm::Tiles { "tiles" } else { "strips" };
        Err(RasterError::unsupported(
            path,
            format!(
                "has {name} of {} x {} cells, of which a row takes {held} bytes of memory: \
                 rewrite it with gdal_translate -co TILED=YES in.tif out.tif",
                self.block_width, self.block_height
            ),
        ))
    }

    /// Fills `cells` from the samples of a row.
    pub(super) fn values(&self, samples: &[u8], cells: &mut [f64]) {
        self.channels.values(self.sample, samples, cells);
    }

    fn read_places(
        &self,
        path: &Path,
        directory: &TiffDirectory,
    ) -> Result<Vec<(u64, u64)>, RasterError> {
        let (name, offsets_tag, counts_tag) = match self.blocks {
            BlockForm::Strips => ("strips", tag::STRIP_OFFSETS, tag::STRIP_BYTES),
            BlockForm::Tiles => ("tiles", tag::TILE_OFFSETS, tag::TILE_BYTES),
        };
        let count = (self.blocks() * self.planes) as u64;
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

    /// Checks that every block is within the file, that none claims more than its bytes can
    /// represent, and that none that is kept packed has more bytes than its samples need.
    fn check_places(&self, path: &Path, length: u64) -> Result<(), RasterError> {
        let bytes = self.stored_row_bytes() as u64 * self.block_height as u64;
        let rows_last = self.height - (self.height - 1) / self.block_height * self.block_height;
        let bytes_last = match self.blocks {
            BlockForm::Strips => self.stored_row_bytes() as u64 * rows_last as u64,
            BlockForm::Tiles => bytes,
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
            let is_last = (index + 1).is_multiple_of(self.blocks());
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
            if self.compression.is_whole() && count > needed.saturating_mul(2) + HEADERS_MAX {
                return Err(RasterError::damaged(
                    path,
                    format!(
                        "block {index} has {count} bytes for {needed} of samples, more than any \
                         packing takes: fetch the file again"
                    ),
                ));
            }
        }
        Ok(())
    }
}

/// Columns and rows.
pub(super) fn size(path: &Path, directory: &TiffDirectory) -> Result<(usize, usize), RasterError> {
    let side = |tag: u16| directory.unsigned(tag).map(Option::unwrap_or_default);
    checked_size(path, side(tag::WIDTH)?, side(tag::HEIGHT)?)
}

/// Returns the kind of all samples.
fn sample(path: &Path, directory: &TiffDirectory) -> Result<TiffSample, RasterError> {
    let all = |tag: u16| -> Result<Vec<u64>, RasterError> {
        Ok(directory.unsigneds(tag, 1 << 16, 4)?.unwrap_or_default())
    };
    let (formats, depths) = (all(tag::SAMPLE_FORMAT)?, all(tag::BITS)?);
    let (format, bits) =
        (formats.first().copied().unwrap_or(1), depths.first().copied().unwrap_or(1));
    let are_alike =
        formats.iter().all(|&other| other == format) && depths.iter().all(|&other| other == bits);
    if bits == 1 && are_alike && directory.unsigned(tag::PHOTOMETRIC)? == Some(MASK) {
        return Ok(TiffSample::Bit);
    }
    TiffSample::new(format, bits).filter(|_| are_alike).ok_or_else(|| {
        RasterError::unsupported(
            path,
            format!(
                "holds samples of {bits} bits in format {format}{}; 8 to 64-bit integers and 16 \
                 to 64-bit floats are read: convert it with gdal_translate -ot Float32 in.tif \
                 out.tif",
                if are_alike { "" } else { " and others" }
            ),
        )
    })
}

fn compression(path: &Path, directory: &TiffDirectory) -> Result<Compression, RasterError> {
    let number = directory.unsigned(tag::COMPRESSION)?.unwrap_or(1);
    let name = match number {
        1 => return Ok(Compression::None),
        5 => return Ok(Compression::Lzw),
        7 => return Ok(Compression::Jpeg),
        8 | 32_946 => return Ok(Compression::Deflate),
        32_773 => return Ok(Compression::PackBits),
        34_887 => return lerc(path, directory).map(Compression::Lerc),
        50_000 => return Ok(Compression::Zstandard),
        50_001 => return Ok(Compression::WebP),
        2..=4 => "fax",
        6 => "old JPEG",
        34_925 => "LZMA",
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

/// Returns the second packing of LERC blocks: the second of the two parameters.
fn lerc(path: &Path, directory: &TiffDirectory) -> Result<Wrapping, RasterError> {
    let parameters = directory.unsigneds(tag::LERC_PARAMETERS, 16, 2)?.unwrap_or_default();
    match parameters.get(1) {
        None | Some(0) => Ok(Wrapping::None),
        Some(1) => Ok(Wrapping::Deflate),
        Some(2) => Ok(Wrapping::Zstandard),
        Some(other) => Err(RasterError::unsupported(
            path,
            format!(
                "has LERC compression packed in an unknown way ({other}): rewrite it with \
                 gdal_translate -co COMPRESS=DEFLATE in.tif out.tif"
            ),
        )),
    }
}

fn predictor(path: &Path, number: u64, sample: TiffSample) -> Result<Predictor, RasterError> {
    match (number, sample) {
        (1, _) => Ok(Predictor::None),
        (2, _) => Ok(Predictor::Horizontal),
        (3, TiffSample::Float(_)) => Ok(Predictor::Float),
        _ => Err(RasterError::damaged(
            path,
            format!("has predictor {number} on samples that cannot have it: rewrite the file"),
        )),
    }
}
