//! GeoTIFF: read block by block, written tile by tile.
//!
//! Read: striped and tiled, classic and BigTIFF, both byte orders, integers of 8 to 64 bits and
//! floats of 16 to 64, uncompressed, LZW, Deflate, PackBits, Zstandard, LERC (alone, in Deflate or
//! Zstandard), lossless WebP and grey JPEG, predictors 1 to 3, blocks left out (sparse files),
//! palettes (their indices: land cover), GDAL's NoData value, scale and offset; a height and its
//! opacity, and colours that stand for heights ([`crate::Encoding`]), interleaved or each in blocks
//! of its own; rasters that begin in the south or east, and askew ones.
//!
//! The directory and the blocks are decoded here and not by the `tiff` crate (0.11), because that
//! holds whole strips, refuses palettes, inverts files that say white is zero, and panics on wild
//! sizes; nor does it write directories before the data. It reads our files in the tests.
//!
//! Limits:     the first image of a file; masks that are images of their own are refused.

mod channels;
mod directory;
mod entries;
mod layout;
mod placement;
mod pyramid;
mod rows;
mod sample;
mod tag;
mod unit;
mod unpack;
mod whole;
mod write;

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

pub use write::{Band, NODATA, write_geotiff};

use self::channels::Channels;
use self::directory::Directory;
use self::layout::Layout;
use self::rows::Rows;
use self::sample::Sample;
use self::unit::Unit;
use crate::crs::Crs;
use crate::error::RasterError;
use crate::hints::{Hints, Values};
use crate::locating::{self, Located};
use crate::screen::{Meaning, Precision};
use crate::shell::from_to;
use crate::sidecar;
use crate::source::RowSource;

/// Opens a GeoTIFF or BigTIFF.
pub(crate) fn open(
    path: &Path,
    file: File,
    hints: &Hints,
) -> Result<Box<dyn RowSource>, RasterError> {
    let file = Arc::new(file);
    let directory = Directory::read(path, Arc::clone(&file))?;
    let size = layout::size(path, &directory)?;
    let (own, given) = (placement::own(path, &directory)?, locating::source_of_cell(hints));
    let hints = match own.place {
        Some(_) => hints.clone(),
        None => sidecar::merge(path, hints)?,
    };
    let located = locating::locate(path, size, own, (&hints, given))?;
    match located.as_ref().map(|located| located.grid.crs.as_ref()) {
        None => placement::check_control_points(path, &directory)?,
        Some(crs) => crs.map_or(Ok(()), |crs| placement::check_height_unit(path, crs))?,
    }
    let layout = Layout::read(path, &directory, hints.encoding)?;
    let own_nodata = match layout.channels {
        // It is a colour's, not a height's.
        Channels::Colours(..) => None,
        Channels::Height | Channels::HeightAndOpacity => nodata(path, &directory)?,
    };
    if layout.channels == Channels::Height
        && own_nodata.is_none()
        && hints.nodata.is_none()
        && directory.has_mask()
    {
        return Err(masked(path));
    }
    let mut meaning = Meaning {
        nodata: own_nodata.into_iter().chain(hints.nodata).collect(),
        precision: match layout.sample {
            Sample::Float(2) => Precision::Half,
            Sample::Float(4) => Precision::Single,
            _ => Precision::Double,
        },
        scale: scale(&directory)?,
    };
    let unit = unit(path, &directory, located.as_ref(), &hints)?;
    if let Some(unit) = unit {
        meaning.stretch(unit.metres());
    }
    let located = match located {
        Some(located) => located,
        None => {
            let measures = sidecar::require(path, &hints, false)?;
            match (measures.height_range, layout.sample) {
                (Some(range), Sample::Unsigned(1)) => meaning.spread(255.0, range),
                (Some(range), Sample::Unsigned(2)) => meaning.spread(65_535.0, range),
                _ => {}
            }
            Located::nowhere(size, measures.cell_m, given)
        }
    };
    let blank = match layout.channels {
        Channels::Height => own_nodata.unwrap_or(0.0),
        Channels::HeightAndOpacity | Channels::Colours(..) => f64::NAN,
    };
    let mut located = in_metres(path, located, unit);
    let facing = std::mem::take(&mut located.facing);
    let rows = Rows::new(path, file, layout, directory.order(), facing)?;
    located.screen(path, size, rows.with_blank(blank), meaning)
}

/// The unit that values are converted from, if they are.
fn unit(
    path: &Path,
    directory: &Directory,
    located: Option<&Located>,
    hints: &Hints,
) -> Result<Option<Unit>, RasterError> {
    // A range of heights that is said for a picture is one in metres.
    let is_spread = located.is_none() && hints.height_range.is_some();
    if is_spread || hints.values == Values::Others {
        return Ok(None);
    }
    let crs = located.and_then(|located| located.grid.crs.as_ref());
    unit::of(path, directory, crs)
}

/// The place of heights that are converted from `unit`, with a remark.
fn in_metres(path: &Path, mut located: Located, unit: Option<Unit>) -> Located {
    if let Some(unit) = unit.filter(|unit| *unit != Unit::Metre) {
        located.grid.crs = located.grid.crs.map(Crs::without_heights);
        let shown = path.display();
        let remark = format!("{shown} has its heights in {unit}: they are converted to metres");
        located.remarks.push(remark);
    }
    located
}

/// Cells that only a mask calls void would be taken for ground.
fn masked(path: &Path) -> RasterError {
    let (from, to) = from_to(path, "masked.tif");
    RasterError::unsupported(
        path,
        format!(
            "marks its NoData in a mask, an image of its own, which is not read: write it into the \
             heights with gdalwarp -dstnodata -9999 {from} {to}; or say --nodata with the value \
             that such cells hold"
        ),
    )
}

fn nodata(path: &Path, directory: &Directory) -> Result<Option<f64>, RasterError> {
    let Some(text) = directory.text(tag::GDAL_NODATA)? else {
        return Ok(None);
    };
    match text.trim() {
        "" => Ok(None),
        number => number.parse().map(Some).map_err(|_| {
            RasterError::damaged(
                path,
                format!("its NoData value (tag 42113) is '{number}', which is not a number"),
            )
        }),
    }
}

/// Factor and offset from stored values to heights, as GDAL writes them into its metadata.
fn scale(directory: &Directory) -> Result<Option<(f64, f64)>, RasterError> {
    let Some(text) = directory.text(tag::GDAL_METADATA)? else {
        return Ok(None);
    };
    let number = |role: &str| -> Option<f64> {
        let number: f64 = item(&text, role)?.parse().ok()?;
        number.is_finite().then_some(number)
    };
    let (factor, offset) = (number("scale"), number("offset"));
    let is_said = factor.is_some() || offset.is_some();
    Ok(is_said.then(|| (factor.unwrap_or(1.0), offset.unwrap_or(0.0))))
}

/// Content of the item with a role in GDAL's metadata, of the first band that has one.
fn item<'a>(metadata: &'a str, role: &str) -> Option<&'a str> {
    let (_, rest) = metadata.split_once(&format!("role=\"{role}\""))?;
    let (_, content) = rest.split_once('>')?;
    Some(content.split('<').next()?.trim())
}
