//! The world as raster files.
//!
//! The projected grid is real (EPSG:32632), the place on it is made up.

use crate::valley::CELL_M;
use crate::world::{SampleWorld, UNITS_PER_M};
use rasters::{Crs, Grid, RasterBand, RasterError, write_geotiff};
use std::path::Path;

/// Easting of the map's west edge, m.
pub const WEST_M: f64 = 400_000.0;
/// Northing of the map's north edge, m.
pub const NORTH_M: f64 = 5_202_560.0;

/// Room left in the reservoir at the start, m below its overflow.
pub const LAKE_BELOW_SILL_M: f64 = 1.0;

/// Returns the grid of the files of a world.
#[must_use]
pub fn grid(world: &SampleWorld) -> Grid {
    Grid {
        crs: Some(Crs::projected(32632)),
        ..Grid::metric((world.lattice.width, world.lattice.height), (WEST_M, NORTH_M), CELL_M)
    }
}

/// Returns the bed of a cell, m above datum: exact in `f32`.
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "few enough bits: 1024 m in 1/64 m is 2^16")]
pub fn bed_m(world: &SampleWorld, cell: usize) -> f32 {
    (f64::from(world.heights[cell]) / UNITS_PER_M) as f32
}

/// Writes the bed, m above datum.
///
/// # Errors
///
/// If the file cannot be written; nothing is then left under its name.
pub fn write_bed(world: &SampleWorld, path: &Path) -> Result<(), RasterError> {
    write(world, path, RasterBand::ELEVATION, |cell| bed_m(world, cell))
}

/// Writes the land cover, numbered as in [`crate::world::LandCover`].
///
/// # Errors
///
/// If the file cannot be written; nothing is then left under its name.
pub fn write_cover(world: &SampleWorld, path: &Path) -> Result<(), RasterError> {
    let band = RasterBand { description: "Land cover", unit: "" };
    write(world, path, band, |cell| f32::from(world.cover[cell] as u8))
}

/// Writes the stage of the reservoir, m above datum, [`LAKE_BELOW_SILL_M`] below its overflow;
/// NoData elsewhere.
///
/// # Errors
///
/// If the file cannot be written; nothing is then left under its name.
#[expect(clippy::cast_possible_truncation, reason = "whole metres")]
pub fn write_lake(world: &SampleWorld, path: &Path) -> Result<(), RasterError> {
    let is_lake = world.lake();
    let stage_m = (world.dam.sill_m - LAKE_BELOW_SILL_M) as f32;
    let band = RasterBand { description: "Stage of the reservoir", unit: "m" };
    write(world, path, band, |cell| if is_lake[cell] { stage_m } else { f32::NAN })
}

fn write(
    world: &SampleWorld,
    path: &Path,
    band: RasterBand<'_>,
    value: impl Fn(usize) -> f32,
) -> Result<(), RasterError> {
    let grid = grid(world);
    let width = grid.width;
    write_geotiff(path, &grid, band, |row, cells| {
        for (column, target) in cells.iter_mut().enumerate() {
            *target = value(row * width + column);
        }
    })
}
