//! Exact area means onto square cells, row by row.
//!
//! A source cell and a target cell share an area; a target cell's value is the mean of the source
//! cells it touches, weighted by these areas. NoData has no weight. The two grids share their
//! north-west corner. If the old cells end within a new one, at the east and south side, that cell
//! reaches over the raster and has the mean of the part on it.
//!
//! Guarantees: volume (value × area) is kept if every cell is valid and the extents agree; no row
//!             or column of the raster is lost; the memory is a few rows; a raster that already has
//!             such cells passes unchanged.
//! Limits:     onto finer cells this repeats values, it does not interpolate. A strip narrower than
//!             a thousandth of a new cell counts as rounding.

use std::path::Path;

use crate::error::RasterError;
use crate::facts::Fact;
use crate::grid::Grid;
use crate::size::checked_size;
use crate::source::{RowSource, end_of_skip, expect_width, past_the_end};

/// Relative difference of cell sizes up to which they count as the same; as in `is_square`.
const SAME: f64 = 1.0e-3;

/// Takes exact area means onto square cells of `cell_m` metres, streaming; cells with less than
/// half of their area on the raster valid are NaN.
///
/// The grid keeps its reference system and north-west corner; its `step_x` and `step_y` become the
/// size of a new cell in the old units. A raster whose cells have that size (to 0.1 %) passes
/// unchanged.
///
/// # Errors
///
/// If the source's cell size is unknown, or `cell_m` is not positive or gives too many cells.
pub fn resample(
    source: Box<dyn RowSource>,
    cell_m: f64,
) -> Result<Box<dyn RowSource>, RasterError> {
    let from = source.grid();
    let Some((from_x, from_y)) = from.cell_m else {
        return Err(RasterError::Request(
            "cannot resample a raster of unknown cell size: add --map-cell".into(),
        ));
    };
    if !(cell_m.is_finite() && cell_m > 0.0) {
        return Err(RasterError::Request(format!(
            "cannot resample to cells of {cell_m} m: --cell-size is a positive number of metres"
        )));
    }
    let is_same = |size: f64| (size - cell_m).abs() <= SAME * cell_m;
    if is_same(from_x) && is_same(from_y) {
        return Ok(source);
    }
    let (ratio_x, ratio_y) = (cell_m / from_x, cell_m / from_y);
    let width = cells_along(from.width, ratio_x);
    let height = cells_along(from.height, ratio_y);
    if checked_size(Path::new(""), width as u64, height as u64).is_err() {
        return Err(RasterError::Request(format!(
            "cells of {cell_m} m would make {width} x {height} of {} x {}: choose larger ones",
            from.width, from.height
        )));
    }
    let grid = Grid {
        width,
        height,
        step_x: from.step_x * ratio_x,
        step_y: from.step_y * ratio_y,
        cell_m: Some((cell_m, cell_m)),
        ..from.clone()
    };
    Ok(Box::new(Resampled {
        values: vec![f64::NAN; from.width],
        sums: vec![ResamplingSum::default(); width],
        loaded: None,
        source,
        grid,
        ratio_x,
        ratio_y,
        row: 0,
    }))
}

/// Target cells along `count` source cells: the last may reach over them.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "positive; `as` saturates, and the size is checked after"
)]
fn cells_along(count: usize, ratio: f64) -> usize {
    ((count as f64 / ratio - SAME).ceil() as usize).max(1)
}

/// Returns the length of target cell `index` that is on `count` source cells, in widths of these.
fn length_on(index: usize, ratio: f64, count: usize) -> f64 {
    ((index + 1) as f64 * ratio).min(count as f64) - index as f64 * ratio
}

/// Weighted sum of valid values; area in source cells.
#[derive(Debug, Clone, Copy, Default)]
struct ResamplingSum {
    value: f64,
    area: f64,
}

struct Resampled {
    source: Box<dyn RowSource>,
    grid: Grid,
    /// Size of a target cell in source cells, west to east.
    ratio_x: f64,
    /// Size of a target cell in source cells, north to south.
    ratio_y: f64,
    /// The source row in memory.
    values: Vec<f64>,
    /// Which one that is.
    loaded: Option<usize>,
    /// The part of the loaded row in each target column: value and length.
    sums: Vec<ResamplingSum>,
    /// The next target row.
    row: usize,
}

impl Resampled {
    /// Reads on to source row `index` and adds up its parts.
    fn load(&mut self, index: usize) -> Result<(), RasterError> {
        let next = self.loaded.map_or(0, |loaded| loaded + 1);
        if next <= index {
            self.source.skip_rows(index - next)?;
            self.source.next_row(&mut self.values)?;
            self.loaded = Some(index);
        }
        for (col, sum) in self.sums.iter_mut().enumerate() {
            *sum = ResamplingSum::default();
            for (index, length) in overlaps(col, self.ratio_x, self.values.len()) {
                let value = self.values[index];
                if !value.is_nan() {
                    sum.value += length * value;
                    sum.area += length;
                }
            }
        }
        Ok(())
    }
}

/// The source cells that target cell `index` touches, and the length of each in it.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "bounded by 0 and count"
)]
fn overlaps(index: usize, ratio: f64, count: usize) -> impl Iterator<Item = (usize, f64)> {
    let (start, end) = (index as f64 * ratio, (index + 1) as f64 * ratio);
    let first = start.floor().min(count as f64) as usize;
    let last = end.ceil().min(count as f64) as usize;
    (first..last).filter_map(move |cell| {
        let length = end.min((cell + 1) as f64) - start.max(cell as f64);
        (length > 0.0).then_some((cell, length))
    })
}

impl RowSource for Resampled {
    fn grid(&self) -> &Grid {
        &self.grid
    }

    fn remarks(&self) -> Vec<String> {
        self.source.remarks()
    }

    fn facts(&self) -> Vec<Fact> {
        self.source.facts()
    }

    fn scale(&self) -> Option<(f64, f64)> {
        self.source.scale()
    }

    fn next_row(&mut self, row: &mut [f64]) -> Result<(), RasterError> {
        expect_width(&self.grid, row);
        if self.row == self.grid.height {
            return Err(past_the_end(&self.grid));
        }
        let mut totals = vec![ResamplingSum::default(); row.len()];
        let source_height = self.source.grid().height;
        for (index, length) in overlaps(self.row, self.ratio_y, source_height) {
            if self.loaded != Some(index) {
                self.load(index)?;
            }
            for (total, sum) in totals.iter_mut().zip(&self.sums) {
                total.value += length * sum.value;
                total.area += length * sum.area;
            }
        }
        // The slack lets exactly half count in spite of rounding.
        let down = length_on(self.row, self.ratio_y, source_height);
        let half = 0.5 * down * (1.0 - 1.0e-9);
        for (col, (value, total)) in row.iter_mut().zip(&totals).enumerate() {
            let enough = half * length_on(col, self.ratio_x, self.values.len());
            *value = if total.area >= enough { total.value / total.area } else { f64::NAN };
        }
        self.row += 1;
        Ok(())
    }

    fn skip_rows(&mut self, count: usize) -> Result<(), RasterError> {
        self.row = end_of_skip(&self.grid, self.row, count)?;
        Ok(())
    }
}
