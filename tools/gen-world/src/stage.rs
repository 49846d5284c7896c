//! Maps for films as raster files.

use rasters::{Crs, Grid, RasterBand, RasterError, write_geotiff};
use std::path::Path;

/// Writes a bed of cells of one metre, m above datum, of `bed_m` at places from the south-west
/// corner.
///
/// # Errors
///
/// If the file cannot be written; nothing is then left under its name.
pub fn write_stage(
    path: &Path,
    [width, height]: [usize; 2],
    bed_m: impl Fn(f64, f64) -> f64,
) -> Result<(), RasterError> {
    let grid = Grid {
        crs: Some(Crs::projected(32632)),
        ..Grid::metric((width, height), (400_000.0, 5_200_000.0), 1.0)
    };
    write_geotiff(path, &grid, RasterBand::ELEVATION, |row, cells| {
        let y = (height - 1 - row) as f64 + 0.5;
        for (column, target) in cells.iter_mut().enumerate() {
            // Whole units of 1/64 m, as of the valley.
            let bed = (bed_m(column as f64 + 0.5, y) * 64.0).round() / 64.0;
            #[expect(clippy::cast_possible_truncation, reason = "few enough bits")]
            let rounded = bed as f32;
            *target = rounded;
        }
    })
}
