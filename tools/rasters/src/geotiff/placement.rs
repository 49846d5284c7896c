//! Place of a GeoTIFF: tie point and scale (or transformation), and the geo-keys.
//!
//! Limits:     no ground control points.
//! Source:     OGC GeoTIFF 1.1 (19-008r4), sections 7.1 to 7.4; signs of scales as in GDAL, which
//!             ignores that of the second.

use std::path::Path;

use super::directory::TiffDirectory;
use super::tag;
use crate::askew::Affine;
use crate::crs::Crs;
use crate::error::RasterError;
use crate::locating::OwnPlacement;

/// Returns the place and reference system that the tags state.
pub(super) fn own(path: &Path, directory: &TiffDirectory) -> Result<OwnPlacement, RasterError> {
    let crs = match directory.unsigneds(tag::GEO_KEYS, 4096, 4096)? {
        Some(keys) => {
            let doubles = directory.floats(tag::GEO_DOUBLES)?.unwrap_or_default();
            let ascii = directory.text(tag::GEO_TEXTS)?.unwrap_or_default();
            Some(Crs::from_keys(&keys, doubles, ascii).ok_or_else(|| {
                RasterError::damaged(path, "its geo-keys (tag 34735) contradict themselves")
            })?)
        }
        None => None,
    };
    let mut place = read_affine(path, directory)?;
    if crs.as_ref().is_some_and(Crs::is_point) {
        place = place.map(|(tag, affine)| (tag, affine.moved(-0.5, -0.5)));
    }
    Ok(OwnPlacement { place, crs })
}

fn read_affine(
    path: &Path,
    directory: &TiffDirectory,
) -> Result<Option<(&'static str, Affine)>, RasterError> {
    let scale = directory.floats(tag::PIXEL_SCALE)?;
    let ties = directory.floats(tag::TIE_POINT)?;
    if let (Some([x, y, ..]), Some([i, j, _, tie_x, tie_y, _])) =
        (scale.as_deref(), ties.as_deref())
    {
        let affine = Affine { origin: [*tie_x, *tie_y], column: [*x, 0.0], row: [0.0, -y.abs()] };
        return Ok(Some(("tag 33922", affine.moved(-i, -j))));
    }
    let Some(matrix) = directory.floats(tag::TRANSFORMATION)? else {
        return Ok(None);
    };
    let [a, b, _, west, c, d, _, north, ..] = matrix[..] else {
        return Err(RasterError::damaged(
            path,
            format!("its transformation (tag 34264) has {} numbers, not 16", matrix.len()),
        ));
    };
    let affine = Affine { origin: [west, north], column: [a, c], row: [b, d] };
    Ok(Some(("tag 34264", affine)))
}

/// Refuses a raster that control points alone place: no file beside it states the place.
pub(super) fn check_control_points(
    path: &Path,
    directory: &TiffDirectory,
) -> Result<(), RasterError> {
    if directory.floats(tag::TIE_POINT)?.is_none_or(|ties| ties.len() <= 6) {
        return Ok(());
    }
    Err(RasterError::unsupported(
        path,
        "lies on the ground by control points only: rectify it with gdalwarp in.tif out.tif",
    ))
}
