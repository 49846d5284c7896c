//! GeoTIFF: read block by block, written tile by tile.
//!
//! The reader accepts: striped and tiled, classic and BigTIFF, both byte orders, integers of 8 to
//! 64 bits and floats of 16 to 64, uncompressed, LZW, Deflate, PackBits, Zstandard, LERC (alone, in
//! Deflate or Zstandard), lossless WebP and grey JPEG, predictors 1 to 3, blocks left out (sparse
//! files), palettes (their indices: land cover), GDAL's NoData value, scale, offset and unit, masks
//! in the file or beside it; a height and its opacity, one band of several, and colours that encode
//! heights ([`crate::Encoding`]), interleaved or each in blocks of its own; rasters that begin in
//! the south or east, and askew ones.
//!
//! The directory and the blocks are decoded here and not by the `tiff` crate, because that crate
//! (0.11.3) has no LERC, and Zstandard only by C code; it reads whole strips, short uncompressed
//! blocks beyond their end, and for an uncompressed block left out the file's header; it refuses
//! palettes, inverts files whose white is zero, and panics on wild sizes; nor does it write
//! directories before the data. It reads our files in the tests.
//!
//! Limits:     the first image of a file, and its mask.

mod bands;
mod channels;
mod directory;
mod entries;
mod layout;
mod mask;
mod metadata;
mod placement;
mod pyramid;
mod rows;
mod sample;
mod samples;
mod tag;
mod unpack;
mod whole;
mod write;

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

pub use bands::BandStated;
pub(crate) use bands::one_of;
pub(crate) use mask::beside as mask_beside;
pub use write::{NODATA, RasterBand, write_geotiff};

use self::channels::Channels;
use self::directory::TiffDirectory;
use self::layout::TiffLayout;
use self::rows::TiffRows;
use self::sample::TiffSample;
use self::samples::BandSamples;
use crate::beside::CrsFiles;
use crate::crs::Crs;
use crate::error::RasterError;
use crate::hints::Hints;
use crate::locating::{self, Located};
use crate::masked::Masked;
use crate::samples::{SettledSamples, Spread};
use crate::screen::Precision;
use crate::sidecar;
use crate::source::RowSource;

/// PhotometricInterpretation of numbers of colours.
const PALETTE: u64 = 3;

/// Returns the statements of a GeoTIFF on the values of each band.
pub(crate) fn bands(path: &Path, file: File) -> Result<Vec<BandStated>, RasterError> {
    bands::stated(path, &TiffDirectory::read(path, Arc::new(file))?)
}

/// Returns true for a GeoTIFF whose samples are numbers of colours.
pub(crate) fn has_palette(path: &Path, file: Arc<File>) -> Result<bool, RasterError> {
    let directory = TiffDirectory::read(path, file)?;
    Ok(directory.unsigned(tag::PHOTOMETRIC)? == Some(PALETTE))
}

/// Returns the heights over which samples spread, if a range of them is given.
fn spread(
    path: &Path,
    hints: &Hints,
    sample: TiffSample,
    is_placed: bool,
) -> Result<Option<Spread>, RasterError> {
    let Some(range_m) = hints.height_range else { return Ok(None) };
    match sample {
        TiffSample::Unsigned(1) if !is_placed => Ok(Some(Spread { stored_max: 255.0, range_m })),
        TiffSample::Unsigned(2) if !is_placed => Ok(Some(Spread { stored_max: 65_535.0, range_m })),
        _ => Err(RasterError::hint(
            path,
            "has samples that are heights: leave --height-range (height_min_m, height_max_m) out, \
             it is for pictures without a place; if they are normalised, write their scale into \
             the file (gdal_edit.py -scale FACTOR -offset METRES)",
        )),
    }
}

/// Opens a GeoTIFF or BigTIFF.
pub(crate) fn open(
    path: &Path,
    file: File,
    hints: &Hints,
) -> Result<Box<dyn RowSource>, RasterError> {
    let file = Arc::new(file);
    let directory = TiffDirectory::read(path, Arc::clone(&file))?;
    let size = layout::size(path, &directory)?;
    let (own, beside) = (placement::own(path, &directory)?, CrsFiles::read(path)?);
    let hints = match own.place {
        Some(_) => hints.clone(),
        None => sidecar::merge(path, hints)?,
    };
    let own_crs = own.crs.clone();
    let located = locating::locate(path, size, own, (&hints, &beside))?;
    if located.is_none() {
        placement::check_control_points(path, &directory)?;
    }
    let layout = TiffLayout::read(path, &directory, &hints)?;
    let spread = spread(path, &hints, layout.sample, located.is_some())?;
    // Heights have their unit and direction at any place of the raster.
    let mut located = match located {
        Some(located) => located,
        None => {
            let measures = sidecar::require(path, &hints, false)?;
            Located::nowhere(path, (size, own_crs), measures.cell_m, (&hints, &beside))
        }
    };
    let band = BandSamples {
        path,
        directory: &directory,
        located: Some(&located),
        channels: layout.channels,
        number: hints.band.unwrap_or(1),
        spread,
    };
    let own_nodata = band.nodata()?;
    let SettledSamples { mut meaning, is_converted, mut facts, mut remarks } =
        band.settle(&hints)?;
    bands::remark(path, &directory, &hints, layout.channels, (&mut facts, &mut remarks))?;
    meaning.precision = match layout.sample {
        TiffSample::Float(2) => Precision::Half,
        TiffSample::Float(4) => Precision::Single,
        _ => Precision::Double,
    };
    let blank = match layout.channels {
        Channels::Height | Channels::Band { .. } => own_nodata.unwrap_or(0.0),
        Channels::HeightAndOpacity | Channels::Colours(..) => f64::NAN,
    };
    if is_converted {
        located.grid.crs = located.grid.crs.map(Crs::without_heights);
    }
    let facing = std::mem::take(&mut located.facing);
    let (mask, fact) = mask::of(path, (&directory, &file), size, facing, &hints)?;
    facts.extend(fact);
    located.add(path, facts, remarks);
    let rows = TiffRows::new(path, file, layout, directory.order(), facing)?;
    located.screen(path, size, Masked::new(rows.with_blank(blank), mask), meaning)
}
