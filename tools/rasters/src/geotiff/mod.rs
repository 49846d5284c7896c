//! GeoTIFF: read block by block, written strip by strip.
//!
//! Read: striped and tiled, classic and BigTIFF, both byte orders, integers of 8 to 64 bits and
//! floats of 32 and 64, uncompressed, LZW, Deflate and PackBits, predictors 1 to 3, blocks left
//! out (sparse files), palettes (their indices: land cover), GDAL's NoData value, scale and offset.
//!
//! The directory and the blocks are decoded here and not by the `tiff` crate (0.11), because that
//! holds whole strips, refuses palettes, inverts files that say white is zero, and panics on wild
//! sizes. It writes our files, and reads them in the tests.
//!
//! Limits:     the first image of a file; one value a cell; no JPEG, Zstandard or LERC.

mod directory;
mod layout;
mod placement;
mod rows;
mod sample;
mod tag;
mod unpack;
mod write;

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

pub use write::write_geotiff;

use self::directory::Directory;
use self::layout::Layout;
use self::rows::Rows;
use self::sample::Sample;
use crate::error::RasterError;
use crate::ground;
use crate::hints::Hints;
use crate::screen::{Meaning, Screened};
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
    let layout = Layout::read(path, &directory)?;
    let size = (layout.width, layout.height);
    let own_nodata = nodata(path, &directory)?;
    let mut meaning = Meaning {
        nodata: own_nodata.into_iter().collect(),
        single: layout.sample == Sample::Float(4),
        scale: scale(&directory)?,
    };
    let (grid, nodata) = match placement::read(path, &directory, size, hints)? {
        Some(grid) => (ground::settle(path, grid, hints)?, hints.nodata),
        None => {
            let hints = sidecar::merge(path, hints)?;
            let measures = sidecar::require(path, &hints, false)?;
            match (measures.height_range, layout.sample) {
                (Some(range), Sample::Unsigned(1)) => meaning.spread(255.0, range),
                (Some(range), Sample::Unsigned(2)) => meaning.spread(65_535.0, range),
                _ => {}
            }
            (ground::unplaced(size, measures.cell_m), hints.nodata)
        }
    };
    meaning.nodata.extend(nodata);
    let blank = own_nodata.unwrap_or(0.0);
    let rows = Rows::new(path, file, layout, directory.order(), blank)?;
    Ok(Box::new(Screened::new(path, grid, rows, meaning)))
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
    let role = |role: &str| -> Option<f64> {
        let (_, rest) = text.split_once(&format!("role=\"{role}\""))?;
        let (_, content) = rest.split_once('>')?;
        let number: f64 = content.split('<').next()?.trim().parse().ok()?;
        number.is_finite().then_some(number)
    };
    let (factor, offset) = (role("scale"), role("offset"));
    let is_said = factor.is_some() || offset.is_some();
    Ok(is_said.then(|| (factor.unwrap_or(1.0), offset.unwrap_or(0.0))))
}
