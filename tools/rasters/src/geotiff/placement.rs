//! Where a GeoTIFF lies: tie point and scale (or transformation), and the geo-keys.
//!
//! Limits:     no ground control points; a projected system that names neither unit nor its size
//!             counts as metres.
//! Source:     OGC GeoTIFF 1.1 (19-008r4), sections 7.1 to 7.4; signs of scales as in GDAL, which
//!             ignores that of the second.

use std::path::Path;

use super::directory::Directory;
use super::tag;
use crate::askew::Affine;
use crate::crs::{Crs, FOOT, SURVEY_FOOT, key};
use crate::error::RasterError;
use crate::grid::{Grid, HorizontalUnit};
use crate::hints::Hints;

const METRE: u16 = 9001;
const DEGREES: [u16; 2] = [9102, 9122];
const USER_DEFINED: u16 = 32_767;

/// Where a raster begins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Facing {
    /// The first row is the southernmost.
    pub(super) is_from_south: bool,
    /// The first column is the easternmost.
    pub(super) is_from_east: bool,
}

/// Where a raster lies.
pub(super) struct Placement {
    /// The grid of the raster, or the one that surrounds it where it stands askew.
    pub(super) grid: Grid,
    pub(super) facing: Facing,
    /// Where its rows do not run west to east.
    pub(super) askew: Option<Affine>,
}

/// Where the raster lies; `None` if the file does not say.
pub(super) fn read(
    path: &Path,
    directory: &Directory,
    size: (usize, usize),
    hints: &Hints,
) -> Result<Option<Placement>, RasterError> {
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
    let Some(mut affine) = read_affine(path, directory)? else {
        return Ok(None);
    };
    if crs.as_ref().is_some_and(Crs::is_point) {
        affine = affine.moved(-0.5, -0.5);
    }
    let unit = match &crs {
        Some(crs) => unit(path, crs, hints)?,
        None => HorizontalUnit::Unknown,
    };
    let (columns, rows) = (affine.column, affine.row);
    let facing = Facing { is_from_south: rows[1] > 0.0, is_from_east: columns[0] < 0.0 };
    let is_askew = !affine.is_upright(size);
    let mut grid = Grid {
        width: size.0,
        height: size.1,
        west: affine.origin[0],
        north: affine.origin[1],
        step_x: columns[0].abs(),
        step_y: rows[1].abs(),
        cell_m: None,
        unit,
        crs: crs.map(Crs::with_area),
    };
    if is_askew {
        grid = affine.surround(path, grid)?;
        return Ok(Some(Placement { grid, facing: Facing::default(), askew: Some(affine) }));
    }
    if facing.is_from_east {
        grid.west -= grid.step_x * size.0 as f64;
    }
    if facing.is_from_south {
        grid.north += grid.step_y * size.1 as f64;
    }
    Ok(Some(Placement { grid, facing, askew: None }))
}

fn read_affine(path: &Path, directory: &Directory) -> Result<Option<Affine>, RasterError> {
    let scale = directory.floats(tag::PIXEL_SCALE)?;
    let ties = directory.floats(tag::TIE_POINT)?;
    if let (Some([x, y, ..]), Some([i, j, _, tie_x, tie_y, _])) =
        (scale.as_deref(), ties.as_deref())
    {
        let affine = Affine { origin: [*tie_x, *tie_y], column: [*x, 0.0], row: [0.0, -y.abs()] };
        return Ok(Some(affine.moved(-i, -j)));
    }
    let Some(matrix) = directory.floats(tag::TRANSFORMATION)? else {
        if ties.is_some_and(|ties| ties.len() > 6) {
            return Err(RasterError::unsupported(
                path,
                "lies on the ground by control points only: rectify it with gdalwarp in.tif \
                 out.tif",
            ));
        }
        return Ok(None);
    };
    let [a, b, _, west, c, d, _, north, ..] = matrix[..] else {
        return Err(RasterError::damaged(
            path,
            format!("its transformation (tag 34264) has {} numbers, not 16", matrix.len()),
        ));
    };
    Ok(Some(Affine { origin: [west, north], column: [a, c], row: [b, d] }))
}

/// Unit of the coordinates; refuses those that are neither metres nor degrees.
fn unit(path: &Path, crs: &Crs, hints: &Hints) -> Result<HorizontalUnit, RasterError> {
    let is_geographic = match crs.short(key::MODEL_TYPE) {
        Some(1) => false,
        Some(2) => true,
        Some(3) => {
            return Err(RasterError::unsupported(
                path,
                "is in geocentric coordinates, which have no map: reproject it with gdalwarp",
            ));
        }
        _ if crs.short(key::PROJECTED).is_some() => false,
        _ if crs.short(key::GEOGRAPHIC).is_some() => true,
        _ => return foreign_unit(path, crs, hints).map(|_| HorizontalUnit::Unknown),
    };
    if !is_geographic {
        return foreign_unit(path, crs, hints);
    }
    match crs.short(key::ANGULAR_UNIT) {
        Some(unit) if !DEGREES.contains(&unit) && hints.cell_m.is_none() => {
            Err(RasterError::unsupported(
                path,
                format!(
                    "has coordinates in angles of unit {unit}: reproject it to metres (gdalwarp \
                     -t_srs EPSG:326xx in.tif out.tif, xx being its UTM zone, 327xx in the south)"
                ),
            ))
        }
        _ => Ok(HorizontalUnit::Degree),
    }
}

/// The unit of projected coordinates: metres, or what `--map-cell` overrules, or an error.
fn foreign_unit(path: &Path, crs: &Crs, hints: &Hints) -> Result<HorizontalUnit, RasterError> {
    let is_metre = match crs.short(key::LINEAR_UNIT) {
        None | Some(0 | METRE) => true,
        Some(USER_DEFINED) => {
            let metres = crs.double(key::LINEAR_UNIT_SIZE).unwrap_or(1.0);
            (metres - 1.0).abs() < 1.0e-9
        }
        Some(_) => false,
    };
    if is_metre {
        return Ok(HorizontalUnit::Metre);
    }
    if hints.cell_m.is_some() {
        return Ok(HorizontalUnit::Unknown);
    }
    let unit = crs.short(key::LINEAR_UNIT).unwrap_or(USER_DEFINED);
    Err(RasterError::unsupported(
        path,
        format!(
            "has coordinates in {}: reproject it to metres (gdalwarp -t_srs EPSG:326xx in.tif \
             out.tif, xx being its UTM zone, 327xx in the south) and check that its heights are \
             metres; or say how many metres a cell has, for example --map-cell 5",
            unit_name(unit)
        ),
    ))
}

fn unit_name(code: u16) -> String {
    match code {
        FOOT => "feet".into(),
        SURVEY_FOOT => "US survey feet".into(),
        9036 => "kilometres".into(),
        _ => format!("units of code {code}"),
    }
}
