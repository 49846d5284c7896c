//! A rectangle of cells cut out of a raster.
//!
//! Guarantees: cells keep their values and their places; rows after the last one of the rectangle
//!             are not read.

use crate::error::RasterError;
use crate::facts::Fact;
use crate::grid::Grid;
use crate::ground;
use crate::hints::Hints;
use crate::source::{RowSource, end_of_skip, expect_width, past_the_end};

/// A rectangle of cells of a raster. Row 0 is the northernmost, column 0 the westernmost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cutout {
    /// Columns of the raster west of the rectangle.
    pub west: usize,
    /// Rows of the raster north of the rectangle.
    pub north: usize,
    /// Number of columns.
    pub width: usize,
    /// Number of rows.
    pub height: usize,
}

impl Cutout {
    /// Returns the whole of a raster.
    #[must_use]
    pub fn whole(grid: &Grid) -> Self {
        Self { west: 0, north: 0, width: grid.width, height: grid.height }
    }

    /// Returns the grid of the rectangle, if `grid` is that of the raster. If the size of cells
    /// depends on the latitude, `hints` permitting, it is that of the rectangle.
    #[must_use]
    pub fn of(&self, grid: &Grid, hints: &Hints) -> Grid {
        if *self == Self::whole(grid) {
            return grid.clone();
        }
        let cut = Grid {
            width: self.width,
            height: self.height,
            west: grid.west + self.west as f64 * grid.step_x,
            north: grid.north - self.north as f64 * grid.step_y,
            ..grid.clone()
        };
        ground::moved(cut, hints)
    }

    /// Returns a rectangle of this one, as one of the raster.
    #[must_use]
    pub fn cut(&self, inner: Self) -> Self {
        Self { west: self.west + inner.west, north: self.north + inner.north, ..inner }
    }
}

/// Returns the rows of a rectangle of `source`; the whole passes unchanged.
///
/// # Errors
///
/// If the rectangle is empty or reaches over the raster, or the rows before it cannot be passed
/// over.
pub fn cut(
    mut source: Box<dyn RowSource>,
    cutout: Cutout,
    hints: &Hints,
) -> Result<Box<dyn RowSource>, RasterError> {
    let whole = source.grid();
    if cutout == Cutout::whole(whole) {
        return Ok(source);
    }
    let end = |start: usize, count: usize| start.checked_add(count).filter(|_| count > 0);
    let is_within = end(cutout.west, cutout.width).is_some_and(|end| end <= whole.width)
        && end(cutout.north, cutout.height).is_some_and(|end| end <= whole.height);
    if !is_within {
        return Err(RasterError::Request(format!(
            "cannot cut {} x {} cells at column {} and row {} out of {} x {}: choose some on it",
            cutout.width, cutout.height, cutout.west, cutout.north, whole.width, whole.height
        )));
    }
    let (grid, scratch) = (cutout.of(whole, hints), vec![f64::NAN; whole.width]);
    source.skip_rows(cutout.north)?;
    Ok(Box::new(CutRaster { source, grid, scratch, west: cutout.west, next: 0 }))
}

struct CutRaster {
    source: Box<dyn RowSource>,
    grid: Grid,
    /// A row of the whole.
    scratch: Vec<f64>,
    west: usize,
    next: usize,
}

impl RowSource for CutRaster {
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
        if self.next == self.grid.height {
            return Err(past_the_end(&self.grid));
        }
        self.source.next_row(&mut self.scratch)?;
        row.copy_from_slice(&self.scratch[self.west..][..row.len()]);
        self.next += 1;
        Ok(())
    }

    fn skip_rows(&mut self, count: usize) -> Result<(), RasterError> {
        let end = end_of_skip(&self.grid, self.next, count)?;
        self.source.skip_rows(count)?;
        self.next = end;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::HorizontalUnit;
    use crate::source::{MemorySource, read_all};

    /// Returns 5 × 4 cells whose value is `10 · row + column`.
    fn source() -> Box<dyn RowSource> {
        let grid = Grid {
            width: 5,
            height: 4,
            west: 100.0,
            north: 50.0,
            step_x: 2.0,
            step_y: 3.0,
            cell_m: Some((2.0, 3.0)),
            unit: HorizontalUnit::Metre,
            crs: None,
        };
        let values = (0..20_u8).map(|i| f32::from(10 * (i / 5) + i % 5)).collect();
        Box::new(MemorySource::try_new(grid, values).unwrap())
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "values are copied, places are sums of whole numbers")]
    fn cells_keep_their_values_and_places() {
        let cutout = Cutout { west: 1, north: 2, width: 3, height: 2 };
        let (grid, values) =
            read_all(cut(source(), cutout, &Hints::default()).unwrap().as_mut()).unwrap();
        assert_eq!(values, [21.0, 22.0, 23.0, 31.0, 32.0, 33.0]);
        assert_eq!((grid.west, grid.north, grid.width, grid.height), (102.0, 44.0, 3, 2));
        let inner = cutout.cut(Cutout { west: 1, north: 1, width: 1, height: 1 });
        let (_, values) =
            read_all(cut(source(), inner, &Hints::default()).unwrap().as_mut()).unwrap();
        assert_eq!(values, [32.0]);
        let mut rest = cut(source(), cutout, &Hints::default()).unwrap();
        rest.skip_rows(1).unwrap();
        let mut row = [0.0; 3];
        rest.next_row(&mut row).unwrap();
        assert_eq!(row, [31.0, 32.0, 33.0]);
        assert!(rest.next_row(&mut row).is_err() && rest.skip_rows(1).is_err());
    }

    #[test]
    fn what_reaches_over_the_raster_is_refused() {
        for (west, north, width, height) in
            [(0, 0, 0, 1), (0, 0, 1, 0), (3, 0, 3, 1), (0, 4, 1, 1), (usize::MAX, 0, 2, 1)]
        {
            let cutout = Cutout { west, north, width, height };
            assert!(cut(source(), cutout, &Hints::default()).is_err(), "{cutout:?}");
        }
    }
}
