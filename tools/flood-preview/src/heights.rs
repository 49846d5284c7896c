//! The heights of a map, counted one after the other, and values among them that mean NoData.
//!
//! A file may mark its gaps by a number and not say so: -9999 is then a pit of ten kilometres. Such
//! a number is known by its distance from all other heights.
//!
//! Guarantees: what is counted is finite; a map whose real heights reach near -9999 or 9999 passes.

use std::path::Path;

use crate::refusal::Refusal;

/// Numbers that files write where they have nothing.
const VOIDS: [f64; 3] = [-9999.0, 9999.0, -999.0];

/// Units that heights are converted from, m.
const UNITS_M: [f64; 3] = [1.0, 0.3048, 1200.0 / 3937.0];

/// Nearest distance of such a number to another height, m: no cell is so far from all others.
const APART_M: f64 = 500.0;

/// Heights so far.
#[derive(Debug)]
pub(crate) struct Heights {
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

impl Heights {
    pub fn new() -> Self {
        let of_unit = |unit_m: f64| {
            VOIDS.map(|stored| Void { stored, height_m: stored * unit_m, count: 0, first: (0, 0) })
        };
        let voids = UNITS_M.into_iter().flat_map(of_unit).collect();
        Self { low_m: f64::INFINITY, high_m: f64::NEG_INFINITY, valid: 0, voids }
    }

    /// Counts a row from the north of the map at `path`; NaN is NoData.
    ///
    /// # Errors
    ///
    /// If a height is infinite.
    pub fn count(&mut self, row: usize, heights: &[f64], path: &Path) -> Result<(), Refusal> {
        for (column, &height) in heights.iter().enumerate().filter(|(_, height)| !height.is_nan()) {
            if height.is_infinite() {
                return Err(Refusal::new(
                    format!("{}: row {row}, column {column} is infinite", path.display()),
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
    pub fn finish(mut self, path: &Path) -> Result<(f64, f64, usize), Refusal> {
        if self.valid == 0 {
            return Err(nothing_but_nodata(path));
        }
        for void in self.voids.iter().filter(|void| void.count > 0) {
            let (low, high) = (self.low_m - APART_M, self.high_m + APART_M);
            if low <= high && !(low..=high).contains(&void.height_m) {
                let Void { stored, count, first: (row, column), .. } = void;
                return Err(Refusal::new(
                    format!(
                        "{}: {count} cells are {stored}, the first in row {row}, column {column}, \
                         and all other heights lie from {} to {} m",
                        path.display(),
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

fn nothing_but_nodata(path: &Path) -> Refusal {
    Refusal::new(
        format!("{} holds nothing but NoData", path.display()),
        "choose another map or --area, or say with --nodata which value means NoData",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heights(row: &[f64]) -> Result<(f64, f64, usize), String> {
        let mut heights = Heights::new();
        let path = Path::new("a.tif");
        heights.count(3, row, path).map_err(|refusal| refusal.to_string())?;
        heights.finish(path).map_err(|refusal| refusal.to_string())
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
