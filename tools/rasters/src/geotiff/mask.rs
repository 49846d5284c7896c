//! Masks of a raster: an image of its own in a GeoTIFF, or the `.msk` file beside a raster.
//!
//! A cell whose mask is 0 has no value.
//!
//! Source:     TIFF revision 6.0 (1992), NewSubfileType; GDAL, RFC 15, "Band masks".

use std::ffi::OsString;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::directory::TiffDirectory;
use super::layout::{self, TiffLayout};
use super::rows::TiffRows;
use super::tag;
use crate::error::RasterError;
use crate::facts::{Claims, Fact, FactSource};
use crate::hints::Hints;
use crate::locating::Facing;
use crate::screen::StoredRows;

/// Rows of a mask.
pub(crate) type MaskRows = Box<dyn StoredRows>;

/// Returns the mask beside the raster at `path`, for a raster of so many columns and rows that is
/// stored from north to south and is no GeoTIFF.
pub(crate) fn beside(
    path: &Path,
    size: (usize, usize),
    hints: &Hints,
) -> Result<(Option<MaskRows>, Option<Fact>), RasterError> {
    chosen((path, None), size, Facing::default(), hints)
}

/// Returns the mask of a GeoTIFF, in the file or beside the file.
pub(super) fn of(
    path: &Path,
    (directory, file): (&TiffDirectory, &Arc<File>),
    size: (usize, usize),
    facing: Facing,
    hints: &Hints,
) -> Result<(Option<MaskRows>, Option<Fact>), RasterError> {
    let own = directory.mask().map(|mask| (mask, Arc::clone(file)));
    chosen((path, own), size, facing, hints)
}

fn chosen(
    (path, own): (&Path, Option<(TiffDirectory, Arc<File>)>),
    size: (usize, usize),
    facing: Facing,
    hints: &Hints,
) -> Result<(Option<MaskRows>, Option<Fact>), RasterError> {
    let beside = path_beside(path);
    let found = match File::open(&beside) {
        Ok(file) => Some(Arc::new(file)),
        Err(e) if e.kind() == ErrorKind::NotFound => None,
        Err(e) => return Err(RasterError::io("open", &beside, e)),
    };
    let claims = Claims::of("mask");
    let claims =
        claims.add(FactSource::File("image in the file"), own.as_ref().map(|_| "in the file"));
    let claims = claims.add(FactSource::MaskFile, found.as_ref().map(|_| "beside the file"));
    let is_undone = hints.nodata.as_ref().is_some_and(|nodata| nodata.is_undone);
    let undone = is_undone.then_some("left out");
    let option = hints.origin(FactSource::Option("--nodata"));
    let claims = claims.add(option, undone.filter(|_| own.is_some() || found.is_some()));
    let Some((_, fact)) = claims.settle() else { return Ok((None, None)) };
    let rows = match (own, found) {
        _ if is_undone => None,
        (Some((mask, file)), _) => Some(rows(path, (&mask, file), size, facing, hints)?),
        (None, Some(file)) => {
            let mask = TiffDirectory::read(&beside, Arc::clone(&file))?;
            Some(rows(&beside, (&mask, file), size, facing, hints)?)
        }
        (None, None) => None,
    };
    Ok((rows, Some(fact)))
}

/// Returns the path of the mask of a raster: `dem.tif.msk` for `dem.tif`.
fn path_beside(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".msk");
    name.into()
}

fn rows(
    path: &Path,
    (directory, file): (&TiffDirectory, Arc<File>),
    size: (usize, usize),
    facing: Facing,
    hints: &Hints,
) -> Result<MaskRows, RasterError> {
    let own = layout::size(path, directory)?;
    if own != size {
        let what = format!(
            "has a mask of {} x {} cells for {} x {}: delete the mask, or write it again",
            own.0, own.1, size.0, size.1
        );
        return Err(RasterError::damaged(path, what));
    }
    // A mask has one band for all, or one for each.
    let count = directory.unsigned(tag::SAMPLES_PER_PIXEL)?.unwrap_or(1);
    let band = (count > 1).then(|| hints.band.unwrap_or(1));
    let layout = TiffLayout::read(path, directory, &Hints { band, ..Hints::default() })?;
    Ok(Box::new(TiffRows::new(path, file, layout, directory.order(), facing)?.with_blank(0.0)))
}
