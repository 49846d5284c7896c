//! The door that every value passes: NoData becomes NaN, samples become metres, nonsense an error.

use std::path::{Path, PathBuf};

use half::f16;

use crate::doubts::Doubts;
use crate::error::RasterError;
use crate::facts::Fact;
use crate::grid::Grid;
use crate::heights::HEIGHT_MAX_M;
use crate::hints::{ByteOrder, RasterValues};
use crate::source::{RowSource, end_of_skip, expect_width, past_the_end};
use crate::swapped::{self, Orders};
use crate::void::StoredValue;

/// Type that floats are stored in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Precision {
    /// 64 bits, or whole numbers.
    #[default]
    Double,
    /// 32 bits.
    Single,
    /// 16 bits.
    Half,
}

impl Precision {
    #[expect(clippy::cast_possible_truncation, reason = "single precision is the question")]
    fn round(self, number: f64) -> f64 {
        match self {
            Self::Double => number,
            Self::Single => f64::from(number as f32),
            Self::Half => f64::from(f16::from_f64(number)),
        }
    }
}

/// Conversion of stored values to heights.
#[derive(Debug, Clone, Default)]
pub(crate) struct SampleMeaning {
    /// Stored values that mean NoData.
    pub(crate) nodata: Vec<f64>,
    /// The one of them that the file or a file beside it declares.
    pub(crate) declared: Option<f64>,
    /// Type that values are stored in; NoData is compared in that type.
    pub(crate) precision: Precision,
    /// Height = stored value × factor + offset; `None` if it is just the stored value.
    pub(crate) scale: Option<(f64, f64)>,
    /// Kind of the values.
    pub(crate) values: RasterValues,
}

impl SampleMeaning {
    /// Converts heights of a different unit, which has so many `metres`.
    pub(crate) fn stretch(&mut self, metres: f64) {
        let (factor, offset) = self.factors();
        self.scale = Some((factor * metres, offset * metres));
    }

    /// Returns factor and offset of heights, m.
    fn factors(&self) -> (f64, f64) {
        self.scale.unwrap_or((1.0, 0.0))
    }

    /// Returns the height of a stored value that has one, m.
    fn height(&self, stored: f64) -> f64 {
        let (factor, offset) = self.factors();
        stored * factor + offset
    }

    #[expect(clippy::float_cmp, reason = "NoData is a stored bit pattern")]
    fn is_nodata(&self, stored: f64) -> bool {
        let means_none = |&nodata: &f64| {
            StoredValue(stored) == StoredValue(nodata)
                || self.precision.round(stored) == self.precision.round(nodata)
        };
        stored.is_nan() || self.nodata.iter().any(means_none)
    }
}

/// A decoder: rows of stored values, read in order and never beyond the last.
pub(crate) trait StoredRows: Send {
    /// Fills `row`, one value a column, with row `index`.
    fn read_row(&mut self, index: usize, row: &mut [f64]) -> Result<(), RasterError>;

    /// Passes over rows `from..to`, for a reader of row `to`; `row` may be overwritten.
    fn skip(&mut self, from: usize, to: usize, row: &mut [f64]) -> Result<(), RasterError> {
        (from..to).try_for_each(|index| self.read_row(index, row))
    }

    /// Returns the row that was read last as it was read, and with the bytes of its samples in the
    /// opposite order, which is named first; `None` if the format has one order.
    fn last_in_both_orders(&mut self) -> Option<(ByteOrder, [Vec<f64>; 2])> {
        None
    }
}

/// Rows of stored values turned into heights; NaN is NoData.
pub(crate) struct Screened<S> {
    grid: Grid,
    stored: S,
    meaning: SampleMeaning,
    path: PathBuf,
    next: usize,
    remarks: Vec<String>,
    facts: Vec<Fact>,
    doubts: Doubts,
}

impl<S: StoredRows> Screened<S> {
    pub(crate) fn new(path: &Path, grid: Grid, stored: S, meaning: SampleMeaning) -> Self {
        let (path, remarks, facts) = (path.into(), Vec::new(), Vec::new());
        let doubts = Doubts::of(meaning.declared.map(|stored| meaning.height(stored)));
        Self { grid, stored, meaning, path, next: 0, remarks, facts, doubts }
    }

    /// Adds remarks for the reader of a result.
    pub(crate) fn remarking(mut self, remarks: Vec<String>) -> Self {
        self.remarks.extend(remarks);
        self
    }

    /// Adds settled facts; a contradiction between their sources becomes a remark.
    pub(crate) fn with_facts(mut self, facts: Vec<Fact>) -> Self {
        let contradictions = facts.iter().filter_map(Fact::contradiction);
        let path = self.path.display();
        self.remarks.extend(contradictions.map(|sentence| format!("{path}: {sentence}")));
        self.facts.extend(facts);
        self
    }

    /// Returns the height that `stored` means.
    fn height(&self, stored: f64) -> Result<f64, String> {
        if self.meaning.is_nodata(stored) {
            return Ok(f64::NAN);
        }
        let height = self.meaning.height(stored);
        // Classes and rates have no limit.
        if height.abs() <= HEIGHT_MAX_M || self.meaning.values == RasterValues::Others {
            return Ok(height);
        }
        let (height, stored) = (StoredValue(height), StoredValue(stored));
        // Options on samples apply to the map only.
        Err(match self.meaning.values {
            RasterValues::Depths => format!(
                "{height} m is no depth (at most {HEIGHT_MAX_M} m): if it means NoData, write that \
                 into the file (gdal_edit.py -a_nodata {stored}); otherwise bring the file to \
                 metres"
            ),
            _ => format!(
                "{height} m is no height (at most ±{HEIGHT_MAX_M} m): if it means NoData, say \
                 --nodata {stored}; otherwise the file is not in metres, say its unit with \
                 --height-unit"
            ),
        })
    }
}

impl<S: StoredRows> Screened<S> {
    /// Returns the error of a value in the row that was read last; if the rows are ground with
    /// their bytes in the opposite order, that is its cause.
    fn refuse(&mut self, column: usize, what: String) -> RasterError {
        let what = self.other_order().map_or(what, |order| {
            let order = order.typed();
            format!(
                "the heights are noise, and ground if the bytes of the samples are in the other \
                 order: say --byte-order {order} (byte_order = \"{order}\")"
            )
        });
        RasterError::Value { path: self.path.clone(), row: self.next, column, what }
    }

    /// Returns the opposite byte order if the row that was read last, and some after it, are ground
    /// in that order alone. The rows it reads are lost: the source has failed.
    fn other_order(&mut self) -> Option<ByteOrder> {
        let (mut orders, mut order) = (Orders::default(), None);
        let mut row = vec![f64::NAN; self.grid.width];
        let end = self.grid.height.min(self.next + swapped::ROWS);
        for index in self.next..end {
            if index > self.next && self.stored.read_row(index, &mut row).is_err() {
                break;
            }
            let (other, both) = self.stored.last_in_both_orders()?;
            order = Some(other);
            let heights = both.map(|stored| -> Vec<f64> {
                let is_nodata = |value: &f64| self.meaning.is_nodata(*value);
                let height = |value: &f64| self.meaning.height(*value);
                let cell = |value| if is_nodata(value) { f64::NAN } else { height(value) };
                stored.iter().map(cell).collect()
            });
            orders.look(&heights);
        }
        order.filter(|_| self.meaning.values == RasterValues::Lengths && orders.is_other())
    }
}

impl<S: StoredRows> RowSource for Screened<S> {
    fn grid(&self) -> &Grid {
        &self.grid
    }

    fn remarks(&self) -> Vec<String> {
        let path = self.path.display();
        let doubts = self.doubts.sentences();
        let doubts = doubts.into_iter().map(|sentence| format!("{path}: {sentence}"));
        self.remarks.iter().cloned().chain(doubts).collect()
    }

    fn facts(&self) -> Vec<Fact> {
        self.facts.clone()
    }

    fn scale(&self) -> Option<(f64, f64)> {
        Some(self.meaning.factors())
    }

    fn next_row(&mut self, row: &mut [f64]) -> Result<(), RasterError> {
        expect_width(&self.grid, row);
        if self.next == self.grid.height {
            return Err(past_the_end(&self.grid));
        }
        self.stored.read_row(self.next, row)?;
        let is_declared: Vec<bool> = match self.meaning.declared.map(StoredValue) {
            Some(nodata) if self.doubts.is_curious() => {
                row.iter().map(|stored| StoredValue(*stored) == nodata).collect()
            }
            _ => Vec::new(),
        };
        for (column, value) in row.iter_mut().enumerate() {
            if value.is_infinite() && !self.meaning.is_nodata(*value) {
                // No ground is infinitely high or deep.
                self.doubts.count_infinite();
                *value = f64::NAN;
            }
            match self.height(*value) {
                Ok(height) => *value = height,
                Err(what) => return Err(self.refuse(column, what)),
            }
        }
        self.doubts.look(&is_declared, row);
        self.next += 1;
        Ok(())
    }

    fn skip_rows(&mut self, count: usize) -> Result<(), RasterError> {
        let end = end_of_skip(&self.grid, self.next, count)?;
        self.stored.skip(self.next, end, &mut vec![f64::NAN; self.grid.width])?;
        if count > 0 {
            self.doubts.jump();
        }
        self.next = end;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct One(f32);

    impl StoredRows for One {
        fn read_row(&mut self, _: usize, row: &mut [f64]) -> Result<(), RasterError> {
            row.fill(f64::from(self.0));
            Ok(())
        }
    }

    #[track_caller]
    fn screened(meaning: SampleMeaning, stored: f32) -> Result<f64, RasterError> {
        let grid = Grid { cell_m: None, ..Grid::metric((1, 1), (0.0, 1.0), 1.0) };
        let mut row = [0.0];
        Screened::new(Path::new("a.tif"), grid, One(stored), meaning).next_row(&mut row)?;
        Ok(row[0])
    }

    #[test]
    fn nodata_in_all_spellings() {
        for (stored, nodata) in [
            (-9999.0, -9999.0),
            (-9999.9, -9999.9),
            (f32::MIN, -3.402_823_466_385_288_6e38),
            (f32::MIN, -3.40282e38),
            (f32::INFINITY, f64::INFINITY),
            (f32::NAN, 0.0),
        ] {
            let meaning = SampleMeaning {
                nodata: vec![7.0, nodata],
                precision: Precision::Single,
                ..SampleMeaning::default()
            };
            let height = screened(meaning, stored).unwrap();
            assert!(height.is_nan(), "{stored} with NoData {nodata}: {height}");
        }
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "a stored value comes as it is")]
    fn infinite_nodata_is_nothing_but_itself() {
        for precision in [Precision::Half, Precision::Single, Precision::Double] {
            for nodata in [f64::INFINITY, f64::NEG_INFINITY] {
                let meaning =
                    SampleMeaning { nodata: vec![nodata], precision, ..SampleMeaning::default() };
                assert_eq!(screened(meaning, 12.5).unwrap(), 12.5, "NoData {nodata}");
            }
        }
    }

    #[test]
    fn wild_values_are_refused_where_they_stand() {
        for (stored, expected) in [(-32_768.0, "--nodata -32768"), (20_001.0, "not in metres")] {
            let error = screened(SampleMeaning::default(), stored).unwrap_err().to_string();
            assert!(error.contains("row 0, column 0"), "{error}");
            assert!(error.contains(expected), "{error}");
        }
    }

    /// Goal: classes have no limit of height, and companions of the map get no option of the map.
    #[test]
    fn other_rasters_than_the_map_have_their_own_limit_and_advice() {
        let read =
            |values| screened(SampleMeaning { values, ..SampleMeaning::default() }, 65_535.0);
        assert!(read(RasterValues::Others).is_ok_and(|class| class > 65_534.0));
        for (values, expected) in [
            (RasterValues::Lengths, "--nodata 65535"),
            (RasterValues::Depths, "gdal_edit.py -a_nodata 65535"),
        ] {
            let error = read(values).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
            assert_eq!(error.contains("--nodata"), values == RasterValues::Lengths, "{error}");
        }
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "powers of two are exact")]
    fn stored_values_have_a_scale() {
        let meaning = SampleMeaning { scale: Some((1.0 / 16.0, 85.0)), ..SampleMeaning::default() };
        assert_eq!(screened(meaning.clone(), 0.0).unwrap(), 85.0);
        assert_eq!(screened(meaning.clone(), 16.0).unwrap(), 86.0);
        assert_eq!(screened(meaning, 65_535.0).unwrap(), 85.0 + 65_535.0 / 16.0);
    }
}
