//! Size of a cell on the ground, in metres.
//!
//! Projected coordinates are metres, or are converted by the metres of their unit. For degrees the
//! lengths of one degree at latitude φ on the WGS 84 ellipsoid (semi-major axis a, eccentricity e)
//! are
//!
//! ```text
//! north:  π/180 · a (1 − e²) / (1 − e² sin² φ)^(3/2)        (1)
//! east:   π/180 · a cos φ / √(1 − e² sin² φ)                (2)
//! ```
//!
//! A metre of Mercator's projection is one at the equator alone. At y it is the latitude of
//! sin φ = tanh(y/a), where a metre of the map has the lengths (1)·cos φ and (2), each over
//! π/180·a, on the ground. They differ by at most 0.7 %: the cells count as squares of their mean.
//!
//! A file that names no reference system (ESRI ASCII, bare TIFF) counts as metres, because
//! laboratory tanks have cells of millimetres too. It counts as degrees if all of this is true:
//! cells below 0.01 (1.1 km; coarser maps make no flood), coordinates that a globe has, and no
//! corner or side within 4 units of the origin in both directions. Tanks start at their origin, and
//! within 4° of 0° N 0° E the globe has no land. If the user states the length of a degree, the
//! file counts as degrees if a globe has such coordinates.
//!
//! Limits:     one cell size for the whole raster, taken at its central latitude: for previews.
//! Source:     (1), (2) radii of curvature in the meridian and the prime vertical, Snyder (1987),
//!             Map Projections: A Working Manual, section 4; ellipsoid: NIMA TR8350.2.

use std::path::Path;

use crate::crs::Crs;
use crate::error::RasterError;
use crate::globe;
use crate::grid::{Grid, HorizontalUnit};
use crate::hints::{Hints, MetresPerDegree};
use crate::shell::from_to;

const SEMI_MAJOR_M: f64 = 6_378_137.0;
const FLATTENING: f64 = 1.0 / 298.257_223_563;

/// Metres for one degree of longitude and of latitude at `latitude` (degrees), eq. (2) and (1).
pub(crate) fn metres_per_degree(latitude: f64) -> (f64, f64) {
    let e2 = FLATTENING * (2.0 - FLATTENING);
    let phi = latitude.to_radians();
    let w2 = 1.0 - e2 * phi.sin().powi(2);
    let per_radian =
        (SEMI_MAJOR_M * phi.cos() / w2.sqrt(), SEMI_MAJOR_M * (1.0 - e2) / (w2 * w2.sqrt()));
    (per_radian.0.to_radians(), per_radian.1.to_radians())
}

/// Returns the grid of a raster without a place: metres from its own south-west corner.
pub(crate) fn unplaced((width, height): (usize, usize), (step_x, step_y): (f64, f64)) -> Grid {
    Grid {
        width,
        height,
        west: 0.0,
        north: height as f64 * step_y,
        step_x,
        step_y,
        cell_m: Some((step_x, step_y)),
        unit: HorizontalUnit::Metre,
        crs: None,
    }
}

/// Fills `cell_m`, or returns the reason why it cannot.
///
/// # Errors
///
/// If the raster is in degrees that the hints refuse, or that no globe has.
pub(crate) fn settle(path: &Path, mut grid: Grid, hints: &Hints) -> Result<Grid, RasterError> {
    let finite =
        [grid.west, grid.north, grid.step_x, grid.step_y].iter().all(|value| value.is_finite());
    if !finite || grid.step_x <= 0.0 || grid.step_y <= 0.0 {
        return Err(RasterError::damaged(
            path,
            format!(
                "has cells of {} x {} at ({}, {}): sizes are positive and all four finite",
                grid.step_x, grid.step_y, grid.west, grid.north
            ),
        ));
    }
    // A length of a degree means that the units are degrees, unless no globe has them.
    let has_degrees =
        hints.metres_per_degree != MetresPerDegree::Refuse && globe::check(path, &grid).is_ok();
    if grid.unit == HorizontalUnit::Unknown
        && hints.cell_m.is_none()
        && (has_degrees || looks_like_degrees(&grid))
    {
        grid.unit = HorizontalUnit::Degree;
    }
    if grid.unit == HorizontalUnit::Degree && hints.cell_m.is_none() {
        globe::check(path, &grid)?;
    }
    let own = match (hints.cell_m, grid.unit) {
        (Some(said), _) => said,
        (None, HorizontalUnit::Degree) => degrees_to_metres(path, &grid, hints.metres_per_degree)?,
        (None, _) => plane_cell(&grid),
    };
    grid.cell_m = Some(own);
    Ok(grid)
}

/// Returns the size of a cell by its step and the unit, independent of `--map-cell`; `None` if the
/// unit is a guess that the option overrules, or a degree has no length.
pub(crate) fn own_cell(grid: &Grid, hints: &Hints) -> Option<(f64, f64)> {
    let latitude = grid.north - 0.5 * grid.height as f64 * grid.step_y;
    match (grid.unit, hints.cell_m) {
        (_, None) => grid.cell_m,
        (HorizontalUnit::Unknown, Some(_)) => None,
        (HorizontalUnit::Degree, Some(_)) if latitude.abs() < 89.0 => {
            let (x, y) = metres_per_degree(latitude);
            Some((x * grid.step_x, y * grid.step_y))
        }
        (HorizontalUnit::Degree, Some(_)) => None,
        (HorizontalUnit::Metre | HorizontalUnit::Length(_), Some(_)) => Some(plane_cell(grid)),
    }
}

/// Returns the size in metres of a cell on a plane.
fn plane_cell(grid: &Grid) -> (f64, f64) {
    let factor = mercator_factor(grid).unwrap_or(1.0) * grid.unit.metres().unwrap_or(1.0);
    (factor * grid.step_x, factor * grid.step_y)
}

/// Metres on the ground for a metre of a map in Mercator's projection, at its central latitude.
fn mercator_factor(grid: &Grid) -> Option<f64> {
    // Degrees and unknown units have no metres.
    grid.unit.metres().filter(|_| grid.crs.as_ref().is_some_and(Crs::is_mercator))?;
    let latitude = mercator_latitude(grid);
    let (east, north) = metres_per_degree(latitude);
    let equator = SEMI_MAJOR_M.to_radians();
    Some((east * north * latitude.to_radians().cos()).sqrt() / equator)
}

/// Returns the latitude of Mercator's projection at the raster's centre, degrees.
fn mercator_latitude(grid: &Grid) -> f64 {
    let y = grid.north - 0.5 * grid.height as f64 * grid.step_y;
    let y = y * grid.unit.metres().unwrap_or(1.0);
    (y / SEMI_MAJOR_M).tanh().asin().to_degrees()
}

/// Returns a remark for the reader of a result on the size of the cells of `grid`, all or a part of
/// the raster at `path`: one sentence, if they differ from the statement of the file.
#[must_use]
pub fn remark_on_cells(path: &Path, grid: &Grid) -> Option<String> {
    let factor = mercator_factor(grid)?;
    let (x, _) = grid.cell_m?;
    let stretch = 1.0 / factor;
    let step_m = grid.step_x * grid.unit.metres()?;
    let corrected =
        if (x / step_m - factor).abs() < 1.0e-6 { "are taken as" } else { "would be of" };
    Some(format!(
        "{} is in a Mercator projection, which stretches lengths {stretch:.3} times at its central \
         latitude of {:.2} degrees: its cells of {:.2} m {corrected} {:.2} m on the ground \
         (reproject it for more than a preview)",
        path.display(),
        mercator_latitude(grid),
        step_m,
        step_m * factor
    ))
}

/// Returns the grid of the raster cut to another place: cells that depend on the latitude have
/// their size there.
pub(crate) fn moved(grid: Grid, hints: &Hints) -> Grid {
    if hints.cell_m.is_some() {
        return grid;
    }
    let is_auto = hints.metres_per_degree == MetresPerDegree::Auto;
    let latitude = grid.north - 0.5 * grid.height as f64 * grid.step_y;
    let factors = match (grid.unit, mercator_factor(&grid)) {
        (unit, Some(factor)) => unit.metres().map(|metres| (factor * metres, factor * metres)),
        (HorizontalUnit::Degree, None) if is_auto => Some(metres_per_degree(latitude)),
        _ => None,
    };
    let cell_m = factors.map(|(x, y)| (x * grid.step_x, y * grid.step_y));
    Grid { cell_m: cell_m.or(grid.cell_m), ..grid }
}

/// Returns whether the rule of the module page takes the coordinates for degrees.
fn looks_like_degrees(grid: &Grid) -> bool {
    let east = grid.west + grid.width as f64 * grid.step_x;
    let south = grid.north - grid.height as f64 * grid.step_y;
    let on_a_globe = grid.west >= -180.0 && east <= 360.0 && south >= -90.0 && grid.north <= 90.0;
    let off_origin = |low: f64, high: f64| low > 4.0 || high < -4.0;
    let away = off_origin(grid.west, east) || off_origin(south, grid.north);
    grid.step_x < 0.01 && grid.step_y < 0.01 && on_a_globe && away
}

fn degrees_to_metres(
    path: &Path,
    grid: &Grid,
    rule: MetresPerDegree,
) -> Result<(f64, f64), RasterError> {
    let latitude = grid.north - 0.5 * grid.height as f64 * grid.step_y;
    let longitude = grid.west + 0.5 * grid.width as f64 * grid.step_x;
    let (per_x, per_y) = match rule {
        MetresPerDegree::Fixed(metres) => (metres, metres),
        MetresPerDegree::Auto if latitude.abs() < 89.0 => metres_per_degree(latitude),
        MetresPerDegree::Auto => {
            return Err(RasterError::unsupported(
                path,
                format!(
                    "has its centre at latitude {latitude:.3}, where degrees of longitude have \
                     no length: reproject it (for example gdalwarp -t_srs EPSG:{} in.tif out.tif)",
                    if latitude > 0.0 { 3995 } else { 3031 }
                ),
            ));
        }
        MetresPerDegree::Refuse => {
            let sure = grid.crs.is_some();
            let (from, to) = from_to(path, "utm.tif");
            return Err(RasterError::unsupported(
                path,
                format!(
                    "{} in degrees (cells of {:.6} x {:.6} at longitude {longitude:.3}, latitude \
                     {latitude:.3}): reproject it (for example gdalwarp -t_srs EPSG:{} {from} \
                     {to}), or take its cells as metres with --metres-per-degree auto{}",
                    if sure { "is" } else { "names no reference system and seems to be" },
                    grid.step_x,
                    grid.step_y,
                    globe::utm_epsg(longitude, latitude),
                    if sure { "" } else { "; if these are metres, say --map-cell" },
                ),
            ));
        }
    };
    Ok((grid.step_x * per_x, grid.step_y * per_y))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::length::LengthUnit;

    /// Published lengths of a degree on WGS 84, to the metre: (latitude, longitude's, latitude's).
    #[test]
    fn degrees_have_their_published_lengths() {
        for (latitude, east, north) in [
            (0.0, 111_320.0, 110_574.0),
            (15.0, 107_551.0, 110_649.0),
            (30.0, 96_486.0, 110_852.0),
            (45.0, 78_847.0, 111_132.0),
            (-60.0, 55_800.0, 111_412.0),
            (75.0, 28_902.0, 111_618.0),
        ] {
            let (x, y) = metres_per_degree(latitude);
            assert!((x - east).abs() < 0.6, "latitude {latitude}: east {x}");
            assert!((y - north).abs() < 0.6, "latitude {latitude}: north {y}");
        }
    }

    /// Scale of EPSG:3857 on the ellipsoid; at 60° the sphere's is 0.5.
    #[test]
    fn mercator_shrinks_towards_the_poles() {
        for (y, factor, latitude) in [
            (0.0, 0.9966, 0.0),
            (6_274_861.394, 0.6569, 49.0),
            (8_399_737.890, 0.5013, 60.0),
            (-8_399_737.890, 0.5013, -60.0),
        ] {
            let crs = Some(Crs::projected(3857));
            let half = 150.0 * 10.0;
            let grid = Grid { crs, unit: HorizontalUnit::Metre, ..grid(0.0, y + half, 10.0) };
            assert!((mercator_latitude(&grid) - latitude).abs() < 1.0e-4, "{y}");
            let settled = settle(Path::new("a.tif"), grid, &Hints::default()).unwrap();
            let (x, y) = settled.cell_m.unwrap();
            assert!((x - 10.0 * factor).abs() < 0.02 && (x - y).abs() < 1.0e-9, "{latitude}: {x}");
            assert!(remark_on_cells(Path::new("a.tif"), &settled).unwrap().contains("Mercator"));
        }
    }

    fn grid(west: f64, north: f64, step: f64) -> Grid {
        Grid {
            width: 400,
            height: 300,
            west,
            north,
            step_x: step,
            step_y: step,
            cell_m: None,
            unit: HorizontalUnit::Unknown,
            crs: None,
        }
    }

    /// Units taken for a file without a reference system.
    #[test]
    fn tanks_are_metres_and_maps_are_degrees() {
        for (what, west, north, step, degrees) in [
            ("tank at Monai", 0.0, 3.416, 0.014, false),
            ("tank with 5 mm cells", -0.0025, 1.5, 0.005, false),
            ("tank with x from -2", -2.0, 0.5, 0.001, false),
            ("Exmoor, 1 arc second", -3.9, 51.2, 1.0 / 3600.0, true),
            ("London, across the meridian", -0.05, 51.5, 1.0 / 3600.0, true),
            ("Quito, across the equator", -78.5, 0.1, 1.0 / 1200.0, true),
            ("Ghana's southern cape", -2.1, 4.9, 1.0 / 3600.0, true),
            ("British grid, 10 m", 209_000.0, 92_000.0, 10.0, false),
            ("a town at 1 cm", 500.0, 400.0, 0.009, false),
        ] {
            let path = Path::new("a.asc");
            let found = settle(path, grid(west, north, step), &Hints::default()).is_err();
            assert_eq!(found, degrees, "{what}");
        }
    }

    #[test]
    fn an_option_overrules_the_file() {
        let said = Hints { cell_m: Some((30.0, 30.0)), ..Hints::default() };
        let path = Path::new("a.tif");
        let feet = HorizontalUnit::of_length(LengthUnit::of_code(9002).expect("known"));
        for unit in [HorizontalUnit::Metre, HorizontalUnit::Unknown, feet] {
            let projected = Grid { unit, ..grid(5.0e5, 4.0e6, 10.0) };
            let settled = settle(path, projected.clone(), &said).unwrap();
            assert_eq!(settled.cell_m, Some((30.0, 30.0)), "{unit}");
            let own = settle(path, projected, &Hints::default()).unwrap().cell_m;
            let metres = 10.0 * unit.metres().unwrap_or(1.0);
            assert_eq!(own, Some((metres, metres)), "{unit}");
        }
        let degrees = Grid { unit: HorizontalUnit::Degree, ..grid(9.0, 48.0, 0.001) };
        let settled = settle(path, degrees.clone(), &said).unwrap();
        assert_eq!(settled.cell_m, Some((30.0, 30.0)));

        let fixed =
            Hints { metres_per_degree: MetresPerDegree::Fixed(100_000.0), ..Hints::default() };
        assert_eq!(settle(path, degrees, &fixed).unwrap().cell_m, Some((100.0, 100.0)));
        // Cells that are too large to be taken for degrees without the option.
        let unknown = Grid { unit: HorizontalUnit::Unknown, ..grid(9.0, 48.0, 0.05) };
        assert_eq!(settle(path, unknown.clone(), &Hints::default()).unwrap().unit, unknown.unit);
        let settled = settle(path, unknown, &fixed).unwrap();
        assert_eq!(
            (settled.unit, settled.cell_m),
            (HorizontalUnit::Degree, Some((5000.0, 5000.0)))
        );
    }

    /// Goal: metres that a wrong system labels as degrees are refused, not scaled.
    #[test]
    fn degrees_off_the_globe_are_refused() {
        let wrong = Grid { unit: HorizontalUnit::Degree, ..grid(-11_781_539.0, 5.2e6, 10.0) };
        let auto = Hints { metres_per_degree: MetresPerDegree::Auto, ..Hints::default() };
        let error = settle(Path::new("a.tif"), wrong, &auto).unwrap_err().to_string();
        assert!(error.contains("begins at longitude -11781539"), "{error}");
    }
}
