//! Greyscale PNG as a heightmap: sample values spread over a range of heights.
//!
//! Limits:     8 and 16 bits; interlaced pictures are held whole (at most 256 MiB).

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use png::{BitDepth, ColorType, Decoder, Reader};

use crate::error::RasterError;
use crate::ground;
use crate::hints::Hints;
use crate::screen::{Meaning, Screened, StoredRows};
use crate::sidecar;
use crate::source::RowSource;

/// Largest interlaced picture that is held in memory, bytes.
const INTERLACED_MAX: u64 = 256 << 20;
/// Deflate stores at most this many bytes in one.
const DEFLATE_RATIO_MAX: u64 = 1032;

/// Opens an 8 or 16-bit greyscale PNG.
pub(crate) fn open(
    path: &Path,
    file: File,
    hints: &Hints,
) -> Result<Box<dyn RowSource>, RasterError> {
    let length = file.metadata().map_err(|e| RasterError::io("read", path, e))?.len();
    let mut decoder = Decoder::new(BufReader::with_capacity(1 << 16, file));
    let damaged = |e| broken(path, "its header", e);
    let header = decoder.read_header_info().map_err(damaged)?;
    let (width, height) = (u64::from(header.width), u64::from(header.height));
    let (kind, depth, interlaced) = (header.color_type, header.bit_depth, header.interlaced);
    let size = ground::checked_size(path, width, height)?;
    let wide = match (kind, depth) {
        (ColorType::Grayscale, BitDepth::Eight) => false,
        (ColorType::Grayscale, BitDepth::Sixteen) => true,
        _ => {
            return Err(RasterError::unsupported(
                path,
                format!(
                    "is a PNG of kind {kind:?} with {} bits a sample; heightmaps are greyscale \
                     with 8 or 16 bits: export it again without colour and transparency",
                    depth as u8
                ),
            ));
        }
    };
    // At most 2^37.
    let bytes = width * height * if wide { 2 } else { 1 };
    if bytes / DEFLATE_RATIO_MAX > length {
        return Err(RasterError::damaged(
            path,
            format!("claims {width} x {height} samples, more than {length} bytes can hold"),
        ));
    }
    if interlaced && bytes > INTERLACED_MAX {
        return Err(RasterError::unsupported(
            path,
            "is interlaced and too large to be held in memory: save it without interlacing",
        ));
    }

    let hints = sidecar::merge(path, hints)?;
    if hints.size.is_some_and(|said| said != size) {
        return Err(RasterError::hint(
            path,
            format!("has {width} x {height} samples: leave --map-size (width, height) out"),
        ));
    }
    let measures = sidecar::require(path, &hints, true)?;
    let grid = ground::unplaced(size, measures.cell_m);
    let mut meaning = Meaning { nodata: hints.nodata.into_iter().collect(), ..Meaning::default() };
    if let Some(range) = measures.height_range {
        meaning.spread(if wide { 65_535.0 } else { 255.0 }, range);
    }

    let mut reader = decoder.read_info().map_err(|e| broken(path, "its header", e))?;
    let whole = if interlaced {
        let mut whole = vec![0; size.0 * size.1 * if wide { 2 } else { 1 }];
        reader.next_frame(&mut whole).map_err(|e| broken(path, "its samples", e))?;
        Some(whole)
    } else {
        None
    };
    let rows = Rows { reader, whole, wide, path: path.into() };
    Ok(Box::new(Screened::new(path, grid, rows, meaning)))
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

struct Rows {
    reader: Reader<BufReader<File>>,
    /// Every sample, big-endian, of an interlaced picture.
    whole: Option<Vec<u8>>,
    /// Whether samples have 16 bits.
    wide: bool,
    path: PathBuf,
}

impl StoredRows for Rows {
    fn read_row(&mut self, index: usize, row: &mut [f64]) -> Result<(), RasterError> {
        let row_bytes = row.len() * if self.wide { 2 } else { 1 };
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
        if self.wide {
            let (samples, _) = bytes.as_chunks();
            for (value, sample) in row.iter_mut().zip(samples) {
                *value = f64::from(u16::from_be_bytes(*sample));
            }
        } else {
            for (value, &sample) in row.iter_mut().zip(bytes) {
                *value = f64::from(sample);
            }
        }
        Ok(())
    }
}
