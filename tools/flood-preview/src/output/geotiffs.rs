//! The GeoTIFFs: one plane each, in the reference system and on the grid of the input.
//!
//! Guarantees: every cell has the value of the simulation cell that holds its centre: nothing is
//!             interpolated.
//! Limits:     where the simulation's cells are larger, neighbours repeat: the files have the
//!             input's size, not its detail.

use rasters::Grid;

use crate::outcome::Outcome;

use super::delivery::Delivery;
use super::error::OutputError;

/// Stands for NoData: outside the world and, in `arrival.tif`, where the water never came.
pub const NODATA: f32 = -9999.0;

/// Writes all planes.
///
/// # Errors
///
/// [`OutputError::Raster`] naming the first that could not be written.
pub fn write(outcome: &Outcome, delivery: &mut Delivery) -> Result<(), OutputError> {
    let planes = [
        ("max_depth.tif", &outcome.max_depth_m),
        ("max_speed.tif", &outcome.max_speed_m_s),
        ("hazard.tif", &outcome.hazard_m2_s),
        ("arrival.tif", &outcome.arrival_s),
        ("duration.tif", &outcome.duration_s),
        ("final_depth.tif", &outcome.final_depth_m),
    ];
    let (grid, target) = (&outcome.grid, &outcome.output_grid);
    let columns = columns_of(target, grid);
    for (name, plane) in planes {
        let path = delivery.temporary(name);
        let fill = |index: usize, cells: &mut [f32]| {
            let row = row_of(target, index, grid);
            for (cell, column) in cells.iter_mut().zip(&columns) {
                let source = row.zip(*column).map(|(row, column)| row * grid.width + column);
                let inside = source.filter(|&source| !outcome.bed_m[source].is_nan());
                let value = inside.map_or(NODATA, |source| plane[source]);
                *cell = if value.is_nan() { NODATA } else { value };
            }
        };
        rasters::write_geotiff(&path, target, NODATA, fill)
            .map_err(|source| OutputError::Raster { path: delivery.path(name), source })?;
    }
    Ok(())
}

/// For each column of `target` the column of `grid` that holds its centre.
fn columns_of(target: &Grid, grid: &Grid) -> Vec<Option<usize>> {
    let y = grid.northing(0);
    (0..target.width)
        .map(|column| grid.cell_at(target.easting(column), y))
        .map(|cell| cell.map(|(column, _)| column))
        .collect()
}

/// The row of `grid` that holds the centre of row `index` of `target`.
fn row_of(target: &Grid, index: usize, grid: &Grid) -> Option<usize> {
    let cell = grid.cell_at(grid.easting(0), target.northing(index));
    cell.map(|(_, row)| row)
}
