//! Count of the heights of a map, row by row, and values among them that mean NoData.
//!
//! Guarantees: counted heights are finite; a map whose real heights reach near -9999 or 9999
//!             passes.

use std::path::Path;

use kit::error::UserError;
use rasters::Grid;

use crate::plausible::extremes::{self, Extreme, HeightScale, HeightsEnd};
use crate::plausible::relief::MapRelief;

/// Heights so far.
#[derive(Debug)]
pub(crate) struct HeightTally<'a> {
    /// File of the heights, and its grid.
    file: (&'a Path, &'a Grid),
    /// Grid of the rows that are counted: a part of the file, or cells of a different size.
    rows: Grid,
    /// Scale of the heights in the file.
    scale: HeightScale,
    low: HeightsEnd,
    high: HeightsEnd,
    relief: MapRelief,
    valid: usize,
    /// Cells so far, with a height or without one.
    counted: usize,
}

/// Heights of a whole map.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MapHeights {
    /// Lowest height, m.
    pub low_m: f64,
    /// Highest height, m.
    pub high_m: f64,
    /// Number of cells with a height.
    pub valid: usize,
    /// Notes on unlikely heights: one sentence each.
    pub notes: Vec<String>,
}

impl<'a> HeightTally<'a> {
    /// Creates an empty count of the rows of a grid.
    pub fn new(file: (&'a Path, &'a Grid), rows: Grid) -> Self {
        let (low, high, relief) =
            (HeightsEnd::lowest(), HeightsEnd::highest(), MapRelief::default());
        Self { file, rows, scale: None, low, high, relief, valid: 0, counted: 0 }
    }

    /// Adds the factor and the offset from stored values to heights, m.
    #[must_use]
    pub fn scaled(mut self, scale: Option<(f64, f64)>) -> Self {
        self.scale = scale;
        self
    }

    /// Counts a row from the north; NaN is NoData.
    ///
    /// # Errors
    ///
    /// If a height is infinite.
    pub fn count(&mut self, row: usize, heights: &[f64]) -> Result<(), UserError> {
        self.relief.count(heights);
        self.counted += heights.len();
        for (column, &height) in heights.iter().enumerate().filter(|(_, height)| !height.is_nan()) {
            if height.is_infinite() {
                let place = self.place((row, column));
                return Err(UserError::new(
                    format!("{}: {place} is infinite", self.file.0.display()),
                    "correct it, or mark it as NoData",
                ));
            }
            self.valid += 1;
            self.low.count(height, (row, column));
            self.high.count(height, (row, column));
        }
        Ok(())
    }

    /// Returns the cell of the file that contains a cell of the rows, in words.
    fn place(&self, (row, column): (usize, usize)) -> String {
        let (x, y) = (self.rows.easting(column), self.rows.northing(row));
        match self.file.1.cell_at(x, y) {
            Some((column, row)) => format!("row {row}, column {column}"),
            None => format!("the cell at {x},{y}"),
        }
    }

    /// Returns the lowest and the highest height, the number of cells that have one, and notes on
    /// unlikely heights.
    ///
    /// # Errors
    ///
    /// If no cell has a height, or if numbers among the heights mean NoData.
    pub fn finish(self) -> Result<MapHeights, UserError> {
        let (Some(low), Some(high)) = (self.low.first(), self.high.first()) else {
            return Err(nothing_but_nodata(self.file.0));
        };
        let path = self.file.0.display();
        let (mut notes, mut likely_m) = (Vec::new(), [low.height_m, high.height_m]);
        let scale = self.scale;
        let likely = [&self.low, &self.high].map(|end| end.first_likely(scale));
        if let [Some(low), Some(high)] = likely {
            let rest_m = [low.height_m, high.height_m];
            let quartiles_m = self.relief.quartiles_m();
            for end in [&self.low, &self.high] {
                let Some((extreme, rest_m)) = end.apart(rest_m, quartiles_m, scale) else {
                    continue;
                };
                let place = format!("the first in {}", self.place(extreme.first));
                let [what, mend] = extremes::words((&extreme, scale), &place, rest_m);
                if extreme.stored(scale).1 {
                    return Err(UserError::new(format!("{path}: {what}"), mend));
                }
                notes.push(format!("{what}: {mend}"));
                likely_m = rest_m;
            }
        }
        let (ends, rows) = ([&self.low, &self.high], (self.file.0, &self.rows));
        if let Some((rim, rest_m)) = self.relief.rim().apart(ends).filter(|_| notes.is_empty()) {
            let [what, mend] = extremes::words((&rim, scale), "the whole rim of the map", rest_m);
            notes.push(format!("{what}: {mend}"));
            likely_m = rest_m;
        }
        if let Some((zero, rest_m)) = self.zeros().filter(|_| notes.is_empty()) {
            let place = format!("the first in {}", self.place(zero.first));
            let [what, mend] = extremes::words((&zero, scale), &place, rest_m);
            notes.push(format!("{what}: {mend}"));
            likely_m = rest_m;
        }
        notes.extend(self.relief.notes(likely_m, ends, rows));
        notes.iter_mut().for_each(|note| *note = format!("{path}: {note}"));
        let (low_m, high_m) = (low.height_m, high.height_m);
        Ok(MapHeights { low_m, high_m, valid: self.valid, notes })
    }
}

impl HeightTally<'_> {
    /// Returns zeros far from the rest of the heights, on a map without NoData: a file that
    /// declares a value fills its gaps with it.
    fn zeros(&self) -> Option<(Extreme, [f64; 2])> {
        let (low, high) = (self.low.first()?, self.high.first()?);
        let ends = [(&self.low, high), (&self.high, low)];
        let mut zeros =
            ends.iter().filter_map(|(end, other)| end.zeros(other.height_m, self.scale));
        zeros.next().filter(|_| self.valid == self.counted)
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

    fn counted(rows: Grid, row: &[f64]) -> Result<MapHeights, String> {
        let file = grid(0.0, 90.0, 10.0);
        let mut heights = HeightTally::new((Path::new("a.tif"), &file), rows);
        heights.count(3, row).map_err(|error| error.to_string())?;
        heights.finish().map_err(|error| error.to_string())
    }

    fn heights_of(rows: Grid, row: &[f64]) -> Result<(f64, f64, usize), String> {
        counted(rows, row).map(|MapHeights { low_m, high_m, valid, .. }| (low_m, high_m, valid))
    }

    fn heights(row: &[f64]) -> Result<(f64, f64, usize), String> {
        heights_of(grid(0.0, 90.0, 10.0), row)
    }

    /// Goal: a cell is named by its place in the file, not in the part cut out of it.
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

    /// Goal: the number in the advice is the stored one, which NoData is compared with.
    #[test]
    fn numbers_that_mean_nodata_are_those_of_the_file() {
        let file = grid(0.0, 90.0, 10.0);
        for (row, scale, number) in [
            ([-12.0, 9999.0], (-1.0, 0.0), "-9999"),
            ([12.0, -999.9], (0.1, 0.0), "-9999"),
            ([12.0, -99.99], (0.01, 0.0), "-9999"),
            ([12.0, -9899.0], (1.0, 100.0), "-9999"),
        ] {
            let heights = HeightTally::new((Path::new("a.tif"), &file), file.clone());
            let mut heights = heights.scaled(Some(scale));
            heights.count(3, &row).expect("finite");
            let wrong = heights.finish().expect_err(number).to_string();
            assert!(wrong.contains(&format!("add --nodata {number},")), "{scale:?}: {wrong}");
        }
    }

    /// Goal: a rim of one height around a map is noted once as possible NoData, on low ground too;
    /// a coast that leads up to its rim is not, nor a rim that is broken.
    #[test]
    fn a_rim_of_one_height_is_noted() {
        let inside = |x: usize, y: usize| 10.0 + x as f64 * 0.3 + y as f64 * 0.2;
        let coast = |x: usize, y: usize| {
            let inland = x.min(40 - x).min(y).min(40 - y) as f64;
            0.1 * inland * inland
        };
        type Ground<'a> = &'a dyn Fn(usize, usize) -> f64;
        let cases: [(f64, Ground<'_>, Option<&str>); 6] = [
            (
                0.0,
                &inside,
                Some("160 cells are 0, the whole rim of the map, and all other heights"),
            ),
            (99.0, &inside, Some("if they mean NoData, add --nodata 99")),
            (2000.0, &inside, Some("if they mean NoData, add --nodata 2000")),
            (0.0, &coast, None),
            (10.5, &inside, None),
            (f64::NAN, &inside, None),
        ];
        for (rim_m, ground, expected) in cases {
            for is_broken in [false, true] {
                let grid = Grid::metric((41, 41), (0.0, 410.0), 10.0);
                let mut heights = HeightTally::new((Path::new("a.asc"), &grid), grid.clone());
                let is_rim = |at: usize| at == 0 || at == 40;
                for y in 0..41 {
                    let cell = |x| match is_rim(x) || is_rim(y) {
                        true if is_broken && (x, y) == (40, 7) => 20.0,
                        true => rim_m,
                        false => ground(x, y),
                    };
                    heights.count(y, &(0..41).map(cell).collect::<Vec<f64>>()).expect("finite");
                }
                let notes = heights.finish().expect("heights").notes;
                let found: Vec<_> = notes.iter().filter(|note| note.contains("--nodata")).collect();
                // So far from all ground, a broken rim is in doubt too, and so are zeros.
                let is_apart = rim_m > 1000.0 || rim_m == 0.0;
                let expected = expected.filter(|_| !is_broken || is_apart);
                assert_eq!(found.len(), usize::from(expected.is_some()), "{rim_m}: {notes:?}");
                let words = match rim_m == 0.0 && is_broken {
                    true => expected.map(|_| "159 cells are 0, the first in"),
                    false => expected,
                };
                let is_right = words.is_none_or(|words| found[0].contains(words));
                assert!(is_right, "{rim_m}: {notes:?}");
            }
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

    /// Goal: zeros below or above the rest of the heights are noted, since they may mean NoData; a
    /// sea, a quay, a few zeros, a different number and zeros of a map with NoData are not.
    #[test]
    fn zeros_apart_from_all_ground_are_noted() {
        type Ground<'a> = &'a dyn Fn(f64) -> f64;
        let cases: [(&str, Ground<'_>, f64, u16, bool); 9] = [
            ("terrain of 50 to 80 m", &|part| 50.0 + 30.0 * part, 0.0, 900, true),
            ("low ground", &|part| 4.0 + 9.0 * part, 0.0, 900, true),
            ("ground below the sea", &|part| -40.0 + 20.0 * part, 0.0, 900, true),
            ("another number", &|part| 50.0 + 30.0 * part, 3.0, 900, false),
            ("few zeros", &|part| 50.0 + 30.0 * part, 0.0, 99, false),
            ("a coast", &|part| 80.0 * part * part, 0.0, 900, false),
            ("a coast in whole metres", &|part| 1.0 + (80.0 * part).floor(), 0.0, 900, false),
            ("a quay of 2 m", &|part| 2.0 + 8.0 * part, 0.0, 900, false),
            ("zeros among heights", &|part| -20.0 + 60.0 * part, 0.0, 900, false),
        ];
        for (name, ground, number, count, is_noted) in cases {
            for has_nodata in [false, true] {
                let heights = (0..2000).map(|index| ground(f64::from(index * 7 % 2000) / 2000.0));
                let numbers = std::iter::repeat_n(number, usize::from(count));
                let nodata = std::iter::repeat_n(f64::NAN, usize::from(has_nodata));
                let row: Vec<f64> = heights.chain(numbers).chain(nodata).collect();
                let rows = Grid::metric((row.len(), 1), (0.0, 60.0), 10.0);
                let notes = counted(rows, &row).expect("a map").notes.join("; ");
                let found = notes.contains(&format!("{count} cells are 0, the first in"))
                    && notes.contains("if they mean NoData, add --nodata 0");
                assert_eq!(found, is_noted && !has_nodata, "{name}: {notes}");
                assert_eq!(notes.contains("--nodata"), found, "{name}: {notes}");
            }
        }
    }

    /// Goal: a number far from the rest is named with the option, and steep ground is not.
    #[test]
    fn equal_numbers_far_from_all_others_are_noted() {
        let hills = || (0..200).map(|index| 10.0 + f64::from(index % 36));
        for (numbers, expected) in [
            (&[-500.0; 3][..], "3 cells are -500, the first in "),
            (&[-500.0; 3], "all other heights lie from 10 to 45 m"),
            (&[-500.0; 3], "add --nodata -500"),
            (&[-3000.0; 9], "add --nodata -3000"),
            (&[-3000.0 * 0.3048; 3], "add --nodata -3000"),
            (&[1000.0; 3], "add --nodata 1000"),
            (&[-500.0; 2], ""),
            (&[-80.0; 9], ""),
            (&[], ""),
        ] {
            let row: Vec<f64> = hills().chain(numbers.iter().copied()).collect();
            let rows = Grid::metric((row.len(), 1), (0.0, 60.0), 10.0);
            let notes = counted(rows, &row).expect("a map").notes.join("; ");
            assert_eq!(notes.is_empty(), expected.is_empty(), "{numbers:?}: {notes}");
            assert!(notes.contains(expected), "{numbers:?}: {notes}");
        }
    }
}
