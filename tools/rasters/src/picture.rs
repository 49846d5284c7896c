//! PNG as a heightmap: grey samples spread over a range of heights, or colours that encode them.
//!
//! Limits:     grey of 8 and 16 bits, colours of 8; interlaced pictures are decoded whole (at most
//!             256 MiB).

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use png::{BitDepth, ColorType, Decoder, Info, Reader, Transformations};

use crate::beside::CrsFiles;
use crate::encoding::Encoding;
use crate::error::RasterError;
use crate::hints::Hints;
use crate::locating::{self, OwnPlacement};
use crate::samples::Spread;
use crate::screen::StoredRows;
use crate::size::checked_size;
use crate::source::RowSource;
use crate::{sidecar, single};

/// Largest interlaced picture that is kept in memory, bytes.
const INTERLACED_MAX: u64 = 256 << 20;
/// Deflate stores at most this many bytes in one.
const DEFLATE_RATIO_MAX: u64 = 1032;

/// Kind of a picture's cells.
#[derive(Debug, Clone, Copy)]
enum PngCellKind {
    /// One sample of 8 bits.
    Narrow,
    /// One sample of 16 bits.
    Wide,
    /// Colours of 8 bits each.
    Coloured(Encoding),
}

/// Opens a PNG.
pub(crate) fn open(
    path: &Path,
    file: File,
    hints: &Hints,
) -> Result<Box<dyn RowSource>, RasterError> {
    let length = file.metadata().map_err(|e| RasterError::io("read", path, e))?.len();
    let mut decoder = Decoder::new(BufReader::with_capacity(1 << 16, file));
    let header = decoder.read_header_info().map_err(|e| broken(path, "its header", e))?;
    let (width, height) = (u64::from(header.width), u64::from(header.height));
    let size = checked_size(path, width, height)?;
    let hints = sidecar::merge(path, hints)?;
    let cell = cell(path, header, hints.encoding)?;
    // At most 2^40.
    let bytes = width * height * header.bits_per_pixel() as u64 / 8;
    if bytes / DEFLATE_RATIO_MAX > length {
        return Err(RasterError::damaged(
            path,
            format!("claims {width} x {height} samples, more than {length} bytes can hold"),
        ));
    }
    // Palettes become colours of up to four bytes.
    if header.interlaced && bytes.max(width * height * 4) > INTERLACED_MAX {
        return Err(RasterError::unsupported(
            path,
            "is interlaced and too large to be held in memory: save it without interlacing",
        ));
    }
    let interlaced = header.interlaced;
    if [hints.size, hints.of_sidecar(|keys| keys.size)].iter().flatten().any(|said| *said != size) {
        return Err(RasterError::hint(
            path,
            format!("has {width} x {height} samples: leave --map-size (width, height) out"),
        ));
    }
    let beside = CrsFiles::read(path)?;
    let located = locating::locate(path, size, OwnPlacement::default(), (&hints, &beside))?;
    let needs_range = !matches!(cell, PngCellKind::Coloured(_));
    let (located, measures) =
        sidecar::place(path, (size, located), (&hints, &beside), needs_range)?;
    let spread = match (cell, measures.height_range) {
        (PngCellKind::Narrow, Some(range_m)) => Some(Spread { stored_max: 255.0, range_m }),
        (PngCellKind::Wide, Some(range_m)) => Some(Spread { stored_max: 65_535.0, range_m }),
        _ => None,
    };
    let settled = single::settle(path, (&hints, Some(&located)), None, spread)?;

    if matches!(cell, PngCellKind::Coloured(_)) {
        decoder.set_transformations(Transformations::EXPAND);
    }
    let mut reader = decoder.read_info().map_err(|e| broken(path, "its header", e))?;
    let cell_bytes = match cell {
        PngCellKind::Narrow => 1,
        PngCellKind::Wide => 2,
        PngCellKind::Coloured(_) => reader.output_color_type().0.samples(),
    };
    let whole = if interlaced {
        let mut whole = vec![0; size.0 * size.1 * cell_bytes];
        reader.next_frame(&mut whole).map_err(|e| broken(path, "its samples", e))?;
        Some(whole)
    } else {
        None
    };
    let rows = PngRows { reader, whole, cell, cell_bytes, path: path.into() };
    single::screened(path, (size, located), rows, settled, &hints)
}

/// Returns the kind of the cells, or the reason why they are no heights.
fn cell(
    path: &Path,
    header: &Info,
    encoding: Option<Encoding>,
) -> Result<PngCellKind, RasterError> {
    let (kind, depth) = (header.color_type, header.bit_depth);
    let is_narrow = depth != BitDepth::Sixteen;
    match (kind, depth, encoding) {
        (ColorType::Grayscale, BitDepth::Eight, None) => Ok(PngCellKind::Narrow),
        (ColorType::Grayscale, BitDepth::Sixteen, None) => Ok(PngCellKind::Wide),
        (ColorType::Rgb | ColorType::Rgba | ColorType::Indexed, _, Some(encoding)) if is_narrow => {
            Ok(PngCellKind::Coloured(encoding))
        }
        (ColorType::Rgb | ColorType::Rgba | ColorType::Indexed, _, None) if is_narrow => {
            Err(RasterError::hint(
                path,
                format!(
                    "is a colour picture ({kind:?}, {} bits): if its colours stand for heights, \
                     as in map tiles of the web, say {} (or put encoding into {}); otherwise \
                     export it as greyscale with 16 bits",
                    depth as u8,
                    Encoding::OPTIONS,
                    path.with_extension("toml").display()
                ),
            ))
        }
        (_, _, Some(encoding)) => Err(RasterError::hint(
            path,
            format!(
                "is a PNG of kind {kind:?} with {} bits a sample, and heights after {encoding} \
                 are colours of 8 bits: leave --encoding out, or fetch the picture in colour",
                depth as u8
            ),
        )),
        _ => Err(RasterError::unsupported(
            path,
            format!(
                "is a PNG of kind {kind:?} with {} bits a sample; heightmaps are greyscale with 8 \
                 or 16 bits: export it again without colour and transparency",
                depth as u8
            ),
        )),
    }
}

fn broken(path: &Path, place: &str, error: png::DecodingError) -> RasterError {
    match error {
        png::DecodingError::IoError(e) => RasterError::reading(path, place, e),
        other => RasterError::damaged(
            path,
            format!("{place} cannot be decoded ({other}): export or fetch the file again"),
        ),
    }
}

struct PngRows {
    reader: Reader<BufReader<File>>,
    /// Every sample, big-endian, of an interlaced picture.
    whole: Option<Vec<u8>>,
    cell: PngCellKind,
    cell_bytes: usize,
    path: PathBuf,
}

impl StoredRows for PngRows {
    fn read_row(&mut self, index: usize, row: &mut [f64]) -> Result<(), RasterError> {
        let row_bytes = row.len() * self.cell_bytes;
        let place = format!("row {index}");
        let bytes = if let Some(whole) = &self.whole {
            &whole[index * row_bytes..][..row_bytes]
        } else {
            let decoded = self.reader.next_row().map_err(|e| broken(&self.path, &place, e))?;
            match decoded {
                Some(decoded) if decoded.data().len() == row_bytes => decoded.data(),
                _ => return Err(RasterError::damaged(&self.path, format!("ends at {place}"))),
            }
        };
        match self.cell {
            PngCellKind::Narrow => {
                for (value, &sample) in row.iter_mut().zip(bytes) {
                    *value = f64::from(sample);
                }
            }
            PngCellKind::Wide => {
                let (samples, _) = bytes.as_chunks();
                for (value, sample) in row.iter_mut().zip(samples) {
                    *value = f64::from(u16::from_be_bytes(*sample));
                }
            }
            PngCellKind::Coloured(encoding) => {
                for (value, colours) in row.iter_mut().zip(bytes.chunks_exact(self.cell_bytes)) {
                    *value = encoding.height(colours);
                }
            }
        }
        Ok(())
    }
}
