//! Size and place of a raster: corner, cells, units and reference system.

use std::fmt;

use crate::crs::Crs;
use crate::length::LengthUnit;

/// Unit of a raster's coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum HorizontalUnit {
    /// Projected coordinates in metres.
    Metre,
    /// Projected coordinates in another unit of length, like feet.
    Length(LengthUnit),
    /// Longitude and latitude in degrees.
    Degree,
    /// The file states no unit.
    Unknown,
}

impl HorizontalUnit {
    /// Returns the unit of projected coordinates.
    #[must_use]
    pub fn of_length(unit: LengthUnit) -> Self {
        if unit == LengthUnit::METRE { Self::Metre } else { Self::Length(unit) }
    }

    /// Returns the metres of a unit of the coordinates; `None` for degrees and if the unit is
    /// unknown.
    #[must_use]
    pub fn metres(self) -> Option<f64> {
        match self {
            Self::Metre => Some(1.0),
            Self::Length(unit) => Some(unit.metres()),
            Self::Degree | Self::Unknown => None,
        }
    }
}

impl fmt::Display for HorizontalUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Metre => f.write_str("metres"),
            Self::Length(unit) => unit.fmt(f),
            Self::Degree => f.write_str("degrees"),
            Self::Unknown => f.write_str("an unknown unit"),
        }
    }
}

/// Size and place of a raster. Row 0 is the northernmost, column 0 the westernmost.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// Number of columns.
    pub width: usize,
    /// Number of rows.
    pub height: usize,
    /// CRS x of the outer north-west corner of the raster.
    pub west: f64,
    /// CRS y of the outer north-west corner of the raster.
    pub north: f64,
    /// Width of a cell (west to east) in CRS units, positive.
    pub step_x: f64,
    /// Height of a cell (north to south) in CRS units, positive.
    pub step_y: f64,
    /// Cell size in metres (x, y); `None` until it is settled: degrees or unknown units.
    pub cell_m: Option<(f64, f64)>,
    /// Unit of `west`, `north`, `step_x` and `step_y`.
    pub unit: HorizontalUnit,
    /// Reference system, to print and to write back.
    pub crs: Option<Crs>,
}

impl Grid {
    /// Columns and rows of square cells in projected metres, from a north-west corner on.
    #[must_use]
    pub fn metric((width, height): (usize, usize), (west, north): (f64, f64), cell_m: f64) -> Self {
        Self {
            width,
            height,
            west,
            north,
            step_x: cell_m,
            step_y: cell_m,
            cell_m: Some((cell_m, cell_m)),
            unit: HorizontalUnit::Metre,
            crs: None,
        }
    }

    /// Returns the CRS x of the centres of column `col`.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "columns are far below 2^53")]
    pub fn easting(&self, col: usize) -> f64 {
        self.west + (col as f64 + 0.5) * self.step_x
    }

    /// Returns the CRS y of the centres of row `row`.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "rows are far below 2^53")]
    pub fn northing(&self, row: usize) -> f64 {
        self.north - (row as f64 + 0.5) * self.step_y
    }

    /// Returns the cell `(column, row)` that contains the point; `None` outside.
    ///
    /// A cell owns its west and north edge.
    #[must_use]
    pub fn cell_at(&self, x: f64, y: f64) -> Option<(usize, usize)> {
        let col = index_below((x - self.west) / self.step_x, self.width)?;
        let row = index_below((self.north - y) / self.step_y, self.height)?;
        Some((col, row))
    }
}

/// Returns `floor(position)` if that is in `0..count`.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "bounded to 0..count before it is converted"
)]
fn index_below(position: f64, count: usize) -> Option<usize> {
    (position >= 0.0 && position < count as f64).then_some(position as usize)
}

/// Returns whether the cells are squares on the ground, to 0.1 %. False while `cell_m` is unknown.
#[must_use]
pub fn is_square(grid: &Grid) -> bool {
    grid.cell_m.is_some_and(|(x, y)| (x - y).abs() <= 1.0e-3 * x.min(y))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Grid {
        Grid {
            width: 3,
            height: 2,
            west: 100.0,
            north: 50.0,
            step_x: 10.0,
            step_y: 5.0,
            cell_m: Some((10.0, 5.0)),
            unit: HorizontalUnit::Metre,
            crs: None,
        }
    }

    #[test]
    fn centres_lie_in_their_cells() {
        let grid = grid();
        for row in 0..2 {
            for col in 0..3 {
                let (x, y) = (grid.easting(col), grid.northing(row));
                assert_eq!(grid.cell_at(x, y), Some((col, row)), "({x}, {y})");
            }
        }
    }

    #[test]
    fn points_on_the_rim_and_beyond() {
        for (x, y, expected) in [
            (100.0, 50.0, Some((0, 0))),
            (129.9, 40.1, Some((2, 1))),
            (130.0, 45.0, None),
            (115.0, 40.0, None),
            (99.9, 45.0, None),
            (f64::NAN, 45.0, None),
            (115.0, f64::NEG_INFINITY, None),
        ] {
            assert_eq!(grid().cell_at(x, y), expected, "({x}, {y})");
        }
    }

    #[test]
    fn square_to_a_thousandth() {
        for (cell_m, expected) in [
            (Some((10.0, 10.0)), true),
            (Some((10.0, 10.009)), true),
            (Some((10.0, 10.02)), false),
            (Some((61.0, 93.0)), false),
            (None, false),
        ] {
            assert_eq!(is_square(&Grid { cell_m, ..grid() }), expected, "{cell_m:?}");
        }
    }
}
