//! Rasters that are askew on the map, turned or sheared, brought onto cells along its axes.
//!
//! ```text
//! (x, y) = origin + column · c + row · r        c, r: columns and rows from the first corner  (1)
//! ```
//!
//! The new cells have the area of the old ones and the width of the sides that run most nearly west
//! to east. A new cell gets the mean of the four old centres around its own centre, weighted by
//! nearness (bilinear), without those that are NoData; it is NoData if its centre is outside, or in
//! an old cell that is NoData. Classes and rates have no mean: a new cell gets the nearest value.
//!
//! Guarantees: quarter turns move heights as they are; between centres nothing is higher than the
//!             highest, or lower than the lowest of the four.
//! Limits:     the raster is in memory in single precision, so larger ones than 512 MiB are
//!             refused. Narrow crests lose height as in every interpolation.

use std::path::{Path, PathBuf};

use crate::error::RasterError;
use crate::facts::Fact;
use crate::grid::Grid;
use crate::hints::RasterValues;
use crate::shell::from_to;
use crate::size::checked_size;
use crate::source::{RowSource, end_of_skip, expect_width, past_the_end};

/// Most cells in memory.
const CELLS_MAX: usize = 1 << 27;
/// Displacement of the last cell by a turn, in cells, up to which a raster counts as upright.
const OFF_MAX: f64 = 0.01;
/// Weights below this come from rounding.
const NEAR: f64 = 1.0e-6;

/// Affine map from columns and rows to the corners of cells, eq. (1).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Affine {
    /// The first row's and column's outer corner.
    pub(crate) origin: [f64; 2],
    /// Step from a column to the next.
    pub(crate) column: [f64; 2],
    /// Step from a row to the next.
    pub(crate) row: [f64; 2],
}

impl Affine {
    /// Returns a copy with its origin moved by some columns and rows.
    pub(crate) fn moved(self, columns: f64, rows: f64) -> Self {
        Self { origin: self.at(columns, rows), ..self }
    }

    /// Returns a place on the map by equation (1).
    fn at(&self, columns: f64, rows: f64) -> [f64; 2] {
        [0, 1].map(|axis| self.origin[axis] + self.column[axis] * columns + self.row[axis] * rows)
    }

    /// Returns whether rows run along the map's axes, to a hundredth of a cell.
    pub(crate) fn is_upright(&self, (width, height): (usize, usize)) -> bool {
        let off =
            |turn: f64, step: f64, count: usize| turn.abs() * count as f64 <= OFF_MAX * step.abs();
        off(self.row[0], self.column[0], height) && off(self.column[1], self.row[1], width)
    }

    /// Returns the area of a cell, negative if columns and rows turn against the map's axes.
    fn area(&self) -> f64 {
        self.column[0] * self.row[1] - self.column[1] * self.row[0]
    }

    /// Columns and rows from the first corner to a place: the inverse of equation (1).
    pub(crate) fn cell_of(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let (x, y, area) = (x - self.origin[0], y - self.origin[1], self.area());
        [
            (self.row[1] * x - self.row[0] * y) / area,
            (self.column[0] * y - self.column[1] * x) / area,
        ]
    }

    /// Returns the grid along the map's axes around a raster; its remaining fields are those of
    /// `like`.
    ///
    /// # Errors
    ///
    /// If the cells have no area, or far too many are needed.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positive; `as` saturates, and the size is checked after"
    )]
    pub(crate) fn surround(&self, path: &Path, like: Grid) -> Result<Grid, RasterError> {
        let (width, height) = (like.width as f64, like.height as f64);
        let corners = [(0.0, 0.0), (width, 0.0), (0.0, height), (width, height)];
        let corners = corners.map(|(columns, rows)| self.at(columns, rows));
        let least = |axis: usize| corners.iter().map(|at| at[axis]).fold(f64::MAX, f64::min);
        let most = |axis: usize| corners.iter().map(|at| at[axis]).fold(f64::MIN, f64::max);
        let (column, row) = (self.column, self.row);
        let runs_east = column[0].abs() >= column[1].abs();
        let side = if runs_east { column } else { row };
        let step_x = side[0].hypot(side[1]);
        let step_y = self.area().abs() / step_x;
        if !(step_x.is_normal() && step_y.is_normal()) {
            return Err(RasterError::damaged(
                path,
                format!(
                    "has cells without an area (steps {column:?} and {row:?} in tag 34264): fetch \
                     or export it again"
                ),
            ));
        }
        let count = |axis: usize, step: f64| {
            (((most(axis) - least(axis)) / step - OFF_MAX).ceil().max(1.0)) as u64
        };
        let (width, height) = checked_size(path, count(0, step_x), count(1, step_y))?;
        Ok(Grid { width, height, west: least(0), north: most(1), step_x, step_y, ..like })
    }
}

/// Rows along the map's axes of a raster that is askew.
pub(crate) struct Askew {
    grid: Grid,
    affine: Affine,
    path: PathBuf,
    /// The raster as it is stored, until its cells are in memory.
    source: Option<Box<dyn RowSource>>,
    size: (usize, usize),
    /// True if a new cell has the value of the nearest old cell.
    is_nearest: bool,
    rows: Vec<Box<[f32]>>,
    next: usize,
    remarks: Vec<String>,
    facts: Vec<Fact>,
    scale: Option<(f64, f64)>,
}

impl Askew {
    /// Makes the rows of `grid` from a raster with the place `affine`.
    pub(crate) fn try_new(
        path: &Path,
        grid: Grid,
        affine: Affine,
        (source, values): (Box<dyn RowSource>, RasterValues),
    ) -> Result<Self, RasterError> {
        let size = (source.grid().width, source.grid().height);
        if size.0 * size.1 > CELLS_MAX {
            let (from, to) = from_to(path, "upright.tif");
            return Err(RasterError::unsupported(
                path,
                format!(
                    "stands askew on the map and is too large to be turned in memory ({} x {} \
                     cells): bring it onto the map's axes with gdalwarp -r bilinear {from} {to}",
                    size.0, size.1,
                ),
            ));
        }
        let (mut remarks, facts) = (source.remarks(), source.facts());
        let scale = source.scale();
        let is_nearest = values == RasterValues::Others;
        // Rows and columns in another order keep their values.
        if !affine.is_upright(size) {
            let (path, step_x, step_y) = (path.display(), grid.step_x, grid.step_y);
            let cells = format!("cells of {step_x:.6} x {step_y:.6} along the map's axes");
            remarks.push(match is_nearest {
                true => format!("{path} is askew on the map: {cells} have the nearest value"),
                false => format!(
                    "{path} stands askew on the map: its heights are interpolated (bilinear) onto \
                     {cells}, which lowers narrow crests"
                ),
            });
        }
        let source = Some(source);
        let (path, rows) = (path.into(), Vec::new());
        Ok(Self {
            grid,
            affine,
            path,
            source,
            size,
            is_nearest,
            rows,
            next: 0,
            remarks,
            facts,
            scale,
        })
    }

    #[expect(clippy::cast_possible_truncation, reason = "single precision is what is held")]
    fn hold(&mut self) -> Result<(), RasterError> {
        let Some(mut source) = self.source.take() else { return Ok(()) };
        let mut row = vec![f64::NAN; self.size.0];
        for _ in 0..self.size.1 {
            source.next_row(&mut row)?;
            self.rows.push(row.iter().map(|&height| height as f32).collect());
        }
        // Some doubts need all rows.
        let late = source.remarks().into_iter().filter(|remark| !self.remarks.contains(remark));
        let late: Vec<String> = late.collect();
        self.remarks.extend(late);
        Ok(())
    }

    /// Returns the height at a place on the map; NaN is NoData.
    fn height(&self, x: f64, y: f64) -> f64 {
        let [column, row] = self.affine.cell_of([x, y]);
        let (Some(columns), Some(rows)) = (pair(column, self.size.0), pair(row, self.size.1))
        else {
            return f64::NAN;
        };
        let (mut sum, mut weights, mut nearest) = (0.0, 0.0, (0.0, f64::NAN));
        for (row, down) in rows {
            for (column, across) in columns {
                let height = f64::from(self.rows[row][column]);
                let weight = down * across;
                if weight > nearest.0 {
                    nearest = (weight, height);
                }
                if !height.is_nan() && weight > 0.0 {
                    sum += weight * height;
                    weights += weight;
                }
            }
        }
        if nearest.1.is_nan() || self.is_nearest { nearest.1 } else { sum / weights }
    }
}

/// Returns the two cells whose centres are around `position`, and their weights; `None` outside.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "bounded to 0..count before it is converted"
)]
fn pair(position: f64, count: usize) -> Option<[(usize, f64); 2]> {
    if !(position >= 0.0 && position <= count as f64) {
        return None;
    }
    let centre = (position - 0.5).clamp(0.0, (count - 1) as f64);
    let low = centre.floor();
    let beyond = match centre - low {
        beyond if beyond < NEAR => 0.0,
        beyond if beyond > 1.0 - NEAR => 1.0,
        beyond => beyond,
    };
    let low = low as usize;
    Some([(low, 1.0 - beyond), ((low + 1).min(count - 1), beyond)])
}

impl RowSource for Askew {
    fn grid(&self) -> &Grid {
        &self.grid
    }

    fn next_row(&mut self, row: &mut [f64]) -> Result<(), RasterError> {
        expect_width(&self.grid, row);
        if self.next == self.grid.height {
            return Err(past_the_end(&self.grid));
        }
        self.hold()?;
        if self.rows.len() != self.size.1 {
            return Err(RasterError::damaged(
                &self.path,
                "could not be read before: open it again",
            ));
        }
        let y = self.grid.northing(self.next);
        for (column, height) in row.iter_mut().enumerate() {
            *height = self.height(self.grid.easting(column), y);
        }
        self.next += 1;
        Ok(())
    }

    fn skip_rows(&mut self, count: usize) -> Result<(), RasterError> {
        self.next = end_of_skip(&self.grid, self.next, count)?;
        Ok(())
    }

    fn remarks(&self) -> Vec<String> {
        self.remarks.clone()
    }

    fn facts(&self) -> Vec<Fact> {
        self.facts.clone()
    }

    fn scale(&self) -> Option<(f64, f64)> {
        self.scale
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centres_and_rims() {
        for (position, expected) in [
            (0.0, [(0, 1.0), (1, 0.0)]),
            (0.5, [(0, 1.0), (1, 0.0)]),
            (1.25, [(0, 0.25), (1, 0.75)]),
            (1.5 - 1.0e-9, [(0, 0.0), (1, 1.0)]),
            (3.0, [(2, 1.0), (2, 0.0)]),
        ] {
            assert_eq!(pair(position, 3), Some(expected), "{position}");
        }
        for outside in [-0.1, 3.1, f64::NAN] {
            assert_eq!(pair(outside, 3), None, "{outside}");
        }
    }
}
