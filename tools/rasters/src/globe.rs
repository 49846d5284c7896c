//! Longitudes and latitudes: whether a globe has them, and the zone of UTM that they are in.

use std::path::Path;

use crate::error::RasterError;
use crate::grid::Grid;

/// Refuses degrees that no globe has.
pub(crate) fn check(path: &Path, grid: &Grid) -> Result<(), RasterError> {
    let east = grid.west + grid.width as f64 * grid.step_x;
    let south = grid.north - grid.height as f64 * grid.step_y;
    if grid.west >= -541.0 && east <= 721.0 && south >= -91.0 && grid.north <= 91.0 {
        return Ok(());
    }
    Err(RasterError::damaged(
        path,
        format!(
            "is in degrees by its reference system, but begins at longitude {:.3}, latitude {:.3}: \
             mend the system (for example gdal_edit.py -a_srs EPSG:326xx), or give the size of a \
             cell in metres with --map-cell",
            grid.west, grid.north
        ),
    ))
}

/// Returns the EPSG code of the UTM zone (WGS 84) of a place, without the exceptions of Norway and
/// Svalbard.
pub(crate) fn utm_epsg(longitude: f64, latitude: f64) -> u16 {
    let turned = (longitude + 180.0).rem_euclid(360.0);
    let zone = (1..60).find(|&zone| turned < f64::from(zone) * 6.0).unwrap_or(60);
    if latitude >= 0.0 { 32_600 + zone } else { 32_700 + zone }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones() {
        for (longitude, latitude, epsg) in [
            (-118.15, 34.3, 32_611),
            (9.0, 48.5, 32_632),
            (179.99, -10.0, 32_760),
            (-180.0, 10.0, 32_601),
            (-72.0, -0.1, 32_719),
        ] {
            assert_eq!(utm_epsg(longitude, latitude), epsg, "({longitude}, {latitude})");
        }
    }
}
