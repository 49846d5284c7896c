//! Rows of a raster, one after the other.

use crate::error::RasterError;
use crate::facts::Fact;
use crate::grid::Grid;

/// Rows from north to south; NaN is NoData.
pub trait RowSource: Send {
    /// Returns the size and place of the raster.
    fn grid(&self) -> &Grid;

    /// Fills `row` (length = `grid().width`) with the next row.
    ///
    /// # Errors
    ///
    /// If the file ends early, is damaged or contains a value that no terrain has; the source is
    /// then of no further use. Also after the last row.
    ///
    /// # Panics
    ///
    /// If `row` has a different length.
    fn next_row(&mut self, row: &mut [f64]) -> Result<(), RasterError>;

    /// Returns one sentence for each change to the values that concerns the reader of a result,
    /// like a conversion from feet. [`crate::remark_on_cells`] has the size of cells.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    /// Facts that the samples do not state (units, place, NoData, ...), each with its source.
    fn facts(&self) -> Vec<Fact> {
        Vec::new()
    }

    /// Returns factor and offset of heights, m: a height is its stored value × factor + offset.
    /// `None` if the rows have no single scale.
    fn scale(&self) -> Option<(f64, f64)> {
        None
    }

    /// Passes over the next `count` rows, without looking at all their values.
    ///
    /// # Errors
    ///
    /// As [`RowSource::next_row`].
    fn skip_rows(&mut self, count: usize) -> Result<(), RasterError> {
        let mut row = vec![f64::NAN; self.grid().width];
        (0..count).try_for_each(|_| self.next_row(&mut row))
    }
}

/// Reads everything: the grid, and the values row-major, north row first; NaN is NoData.
///
/// # Errors
///
/// Errors of [`RowSource::next_row`].
#[expect(clippy::cast_possible_truncation, reason = "f32 is what the caller asked for")]
pub fn read_all(source: &mut dyn RowSource) -> Result<(Grid, Vec<f32>), RasterError> {
    let grid = source.grid().clone();
    let mut row = vec![f64::NAN; grid.width];
    let mut values = Vec::new();
    for _ in 0..grid.height {
        source.next_row(&mut row)?;
        values.extend(row.iter().map(|&value| value as f32));
    }
    Ok((grid, values))
}

/// Rows that are already in memory.
#[derive(Debug, Clone)]
pub struct MemorySource {
    grid: Grid,
    values: Vec<f32>,
    next: usize,
}

impl MemorySource {
    /// Makes a source of `values`: row-major, north row first, NaN is NoData.
    ///
    /// # Errors
    ///
    /// If the grid is empty or does not have as many cells as there are values.
    pub fn try_new(grid: Grid, values: Vec<f32>) -> Result<Self, RasterError> {
        if values.is_empty() || grid.width.checked_mul(grid.height) != Some(values.len()) {
            return Err(RasterError::Request(format!(
                "a raster of {} x {} cells cannot be made of {} values",
                grid.width,
                grid.height,
                values.len()
            )));
        }
        Ok(Self { grid, values, next: 0 })
    }
}

impl RowSource for MemorySource {
    fn grid(&self) -> &Grid {
        &self.grid
    }

    fn next_row(&mut self, row: &mut [f64]) -> Result<(), RasterError> {
        expect_width(&self.grid, row);
        let start = self.next * self.grid.width;
        let Some(values) = self.values.get(start..start + row.len()) else {
            return Err(past_the_end(&self.grid));
        };
        for (cell, &value) in row.iter_mut().zip(values) {
            *cell = f64::from(value);
        }
        self.next += 1;
        Ok(())
    }

    fn skip_rows(&mut self, count: usize) -> Result<(), RasterError> {
        self.next = end_of_skip(&self.grid, self.next, count)?;
        Ok(())
    }
}

/// Returns the row after the next `count`, if the raster has as many.
pub(crate) fn end_of_skip(grid: &Grid, next: usize, count: usize) -> Result<usize, RasterError> {
    let end = next.checked_add(count).filter(|end| *end <= grid.height);
    end.ok_or_else(|| past_the_end(grid))
}

/// Makes the error of every source for a row after the last.
pub(crate) fn past_the_end(grid: &Grid) -> RasterError {
    RasterError::Request(format!("all {} rows of the raster have been read", grid.height))
}

/// Panics if a caller's row does not fit.
pub(crate) fn expect_width(grid: &Grid, row: &[f64]) {
    assert_eq!(row.len(), grid.width, "a row is as long as the grid is wide");
}
