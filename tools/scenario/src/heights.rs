//! The heights of a map, counted one after the other, and values among them that mean NoData.
//!
//! A file may mark its gaps by a number and not say so: -9999 is then a pit of ten kilometres. Such
//! a number is known by its distance from all other heights.
//!
//! Guarantees: counted heights are finite; a map whose real heights reach near -9999 or 9999
//!             passes.

use std::path::Path;

use kit::error::UserError;
use rasters::Grid;

/// Numbers that files write where they have nothing.
const VOIDS: [f64; 3] = [-9999.0, 9999.0, -999.0];

/// Units that heights are converted from, m.
const UNITS_M: [f64; 3] = [1.0, 0.3048, 1200.0 / 3937.0];

/// Nearest distance of such a number to another height, m: no cell is so far from all others.
const APART_M: f64 = 500.0;

/// Heights so far.
#[derive(Debug)]
pub(crate) struct Heights<'a> {
    /// The file that they are of, and its grid.
    file: (&'a Path, &'a Grid),
    /// Where the rows lie that are counted: a part of the file, or cells of another size.
    rows: Grid,
    low_m: f64,
    high_m: f64,
    valid: usize,
    voids: Vec<Void>,
}

/// A number that may mean NoData.
#[derive(Debug)]
struct Void {
    stored: f64,
    height_m: f64,
    count: usize,
    first: (usize, usize),
}

impl<'a> Heights<'a> {
    /// None yet, of the rows of a grid.
    pub fn new(file: (&'a Path, &'a Grid), rows: Grid) -> Self {
        let of_unit = |unit_m: f64| {
            VOIDS.map(|stored| Void { stored, height_m: stored * unit_m, count: 0, first: (0, 0) })
        };
        let voids = UNITS_M.into_iter().flat_map(of_unit).collect();
        Self { file, rows, low_m: f64::INFINITY, high_m: f64::NEG_INFINITY, valid: 0, voids }
    }

    /// Counts a row from the north; NaN is NoData.
    ///
    /// # Errors
    ///
    /// If a height is infinite.
    pub fn count(&mut self, row: usize, heights: &[f64]) -> Result<(), UserError> {
        for (column, &height) in heights.iter().enumerate().filter(|(_, height)| !height.is_nan()) {
            if height.is_infinite() {
                let place = self.place((row, column));
                return Err(UserError::new(
                    format!("{}: {place} is infinite", self.file.0.display()),
                    "correct it, or mark it as NoData",
                ));
            }
            self.valid += 1;
            if !(-300.0..3000.0).contains(&height) && self.is_void(height, (row, column)) {
                continue;
            }
            self.low_m = self.low_m.min(height);
            self.high_m = self.high_m.max(height);
        }
        Ok(())
    }

    /// The cell of the file in which a cell of the rows lies, in words.
    fn place(&self, (row, column): (usize, usize)) -> String {
        let (x, y) = (self.rows.easting(column), self.rows.northing(row));
        match self.file.1.cell_at(x, y) {
            Some((column, row)) => format!("row {row}, column {column}"),
            None => format!("the cell at {x},{y}"),
        }
    }

    fn is_void(&mut self, height: f64, place: (usize, usize)) -> bool {
        let found = self.voids.iter_mut().find(|void| (void.height_m - height).abs() < 1.0e-3);
        found.is_some_and(|void| {
            void.first = if void.count == 0 { place } else { void.first };
            void.count += 1;
            true
        })
    }

    /// Lowest and highest height, m, and how many cells have one.
    ///
    /// # Errors
    ///
    /// If there is none, or if numbers among them mean NoData.
    pub fn finish(mut self) -> Result<(f64, f64, usize), UserError> {
        if self.valid == 0 {
            return Err(nothing_but_nodata(self.file.0));
        }
        for void in self.voids.iter().filter(|void| void.count > 0) {
            let (low, high) = (self.low_m - APART_M, self.high_m + APART_M);
            if low <= high && !(low..=high).contains(&void.height_m) {
                let Void { stored, count, .. } = void;
                let place = self.place(void.first);
                return Err(UserError::new(
                    format!(
                        "{}: {count} cells are {stored}, the first in {place}, and all other \
                         heights lie from {} to {} m",
                        self.file.0.display(),
                        self.low_m,
                        self.high_m
                    ),
                    format!("they mean NoData: add --nodata {stored}, or correct them"),
                ));
            }
        }
        for void in self.voids.iter().filter(|void| void.count > 0) {
            self.low_m = self.low_m.min(void.height_m);
            self.high_m = self.high_m.max(void.height_m);
        }
        Ok((self.low_m, self.high_m, self.valid))
    }
}

fn nothing_but_nodata(path: &Path) -> UserError {
    UserError::new(
        format!("{} holds nothing but NoData", path.display()),
        "choose another map or --area, or say with --nodata which value means NoData",
    )
}

#[cfg(test)]
mod tests {
    use rasters::HorizontalUnit;

    use super::*;

    fn grid(west: f64, north: f64, step: f64) -> Grid {
        let (width, height, unit) = (9, 9, HorizontalUnit::Metre);
        let cell_m = Some((step, step));
        Grid { width, height, west, north, step_x: step, step_y: step, cell_m, unit, crs: None }
    }

    fn heights_of(rows: Grid, row: &[f64]) -> Result<(f64, f64, usize), String> {
        let file = grid(0.0, 90.0, 10.0);
        let mut heights = Heights::new((Path::new("a.tif"), &file), rows);
        heights.count(3, row).map_err(|error| error.to_string())?;
        heights.finish().map_err(|error| error.to_string())
    }

    fn heights(row: &[f64]) -> Result<(f64, f64, usize), String> {
        heights_of(grid(0.0, 90.0, 10.0), row)
    }

    /// Goal: a cell is named by its place in the file, and not in what was cut out of it.
    #[test]
    fn cells_count_from_the_corner_of_the_file() {
        for (row, rows, place) in [
            (&[12.0, -9999.0][..], grid(20.0, 70.0, 10.0), "row 5, column 3"),
            (&[12.0, f64::INFINITY], grid(20.0, 70.0, 10.0), "row 5, column 3"),
            (&[12.0, f64::INFINITY], grid(0.0, 90.0, 20.0), "row 7, column 3"),
            (&[12.0, f64::INFINITY], grid(0.0, 90.0, 30.0), "the cell at 45,-15"),
        ] {
            let wrong = heights_of(rows, row).expect_err(place);
            assert!(wrong.contains(place), "{place}: {wrong}");
        }
    }

    #[test]
    fn numbers_that_mean_nodata_are_found_by_their_distance() {
        for (row, hint) in [
            (
                &[12.0, -9999.0, 30.0, -9999.0][..],
                "2 cells are -9999, the first in row 3, column 1",
            ),
            (&[12.0, -9999.0], "--nodata -9999"),
            (&[9999.0, 12.0], "--nodata 9999"),
            (&[-999.0, 12.0], "--nodata -999"),
            (&[12.0, -9999.0 * 0.3048], "--nodata -9999"),
            (&[f64::INFINITY], "row 3, column 0 is infinite"),
            (&[f64::NAN], "nothing but NoData"),
        ] {
            let wrong = heights(row).expect_err(hint);
            assert!(wrong.contains(hint), "{wrong}");
        }
    }

    #[test]
    fn real_heights_pass() {
        for (row, expected) in [
            (&[-9998.0, -9999.0, -9700.0][..], (-9999.0, -9700.0, 3)),
            (&[-999.0, -600.0, f64::NAN], (-999.0, -600.0, 2)),
            (&[8849.0, 3048.0], (3048.0, 8849.0, 2)),
            (&[-9999.0], (-9999.0, -9999.0, 1)),
        ] {
            assert_eq!(heights(row), Ok(expected));
        }
    }
}
