//! A value over time: hydrographs, hyetographs and tides, read from a table of two columns.
//!
//! ```text
//! # comments and empty lines do not count
//! time [h], discharge [m3/s]        the heading names the units: also `time_h`, `discharge (m3/s)`
//! 0,        0
//! 1.5,      120
//! 90min,    12m3/s                  a value may carry its own unit
//! ```
//!
//! Rain and inflow are 0 before the first row and after the last; a stage keeps the value of the
//! nearest row. A single row is valid at all times. Rain may be a depth, `rain [mm]`, which falls
//! from its row until the next. Tables with dates share one start, the earliest of their first
//! dates. A row without a value is bridged by a straight line between its neighbours; for rain it
//! counts as 0.
//!
//! Guarantees: times are finite, at least 0 and rising; values are finite and have a unit; a table
//!             has at least one row. A table that breaks this is an error with file and line; each
//!             assumption is a note.

use std::path::{Path, PathBuf};

use kit::error::UserError;
use kit::words::time;

use super::moment::Moment;
use super::text_table::{self, Gaps, TableName, TableRows};
use crate::quantity::Quantity;

/// Course of a series between two rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeriesShape {
    /// Each value is valid until the next row; the last row only ends the table: rain.
    Steps,
    /// Values are joined by straight lines: discharges, stages.
    Lines,
}

/// A table with dates, and its first date.
pub type Begin = (PathBuf, Moment);

/// A value over time, in SI units.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Time since the start in s, and value; times rise.
    pub points: Vec<(f64, f64)>,
    /// Course between the points.
    pub shape: SeriesShape,
    /// File and first date of the table, if it has dates.
    pub begin: Option<Begin>,
    /// Assumptions made when the file was read.
    pub notes: Vec<String>,
}

/// A series with facts about its table.
#[derive(Debug)]
pub(crate) struct WrittenSeries {
    pub series: Series,
    /// Heading of the values, if the table has one.
    pub heading: Option<String>,
    /// Line of the file of each row that has a value.
    pub lines: Vec<usize>,
}

impl Series {
    /// Returns a series of one value at all times.
    #[must_use]
    pub fn constant(value: f64, shape: SeriesShape) -> Self {
        Self { points: vec![(0.0, value)], shape, begin: None, notes: Vec::new() }
    }

    /// Returns a series of `value` from `start` for `duration`, and 0 before and after; seconds.
    #[must_use]
    pub fn block(value: f64, start: f64, duration: Option<f64>) -> Self {
        let mut points = vec![(start, value)];
        points.extend(duration.map(|duration| (start + duration, 0.0)));
        Self { points, shape: SeriesShape::Steps, begin: None, notes: Vec::new() }
    }

    /// Returns the time of the last point, s.
    #[must_use]
    pub fn end_s(&self) -> f64 {
        self.points.last().map_or(0.0, |(time, _)| *time)
    }

    /// Returns the largest value.
    #[must_use]
    pub fn max(&self) -> f64 {
        let values = self.points.iter().map(|(_, value)| *value);
        values.fold(f64::NEG_INFINITY, f64::max)
    }

    /// True if the value never changes from the start on.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        match self.points.as_slice() {
            [(time, _)] => *time <= 0.0 || self.shape == SeriesShape::Lines,
            _ => false,
        }
    }

    /// Reads a table of values of `Q`; errors call the table `kind`. The name of the file may have
    /// facts after `#`.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or its rows do not meet the guarantees of this module.
    pub fn read<Q: Quantity>(
        typed: &Path,
        kind: &str,
        shape: SeriesShape,
    ) -> Result<Self, UserError> {
        let gaps = match shape {
            SeriesShape::Steps => Gaps::Zero,
            SeriesShape::Lines => Gaps::Joined,
        };
        Self::read_written::<Q>(typed, kind, (shape, gaps)).map(|written| written.series)
    }

    /// Reads a table as [`Series::read`] does, and treats its gaps as `gaps` requires.
    ///
    /// # Errors
    ///
    /// The errors of [`Series::read`].
    pub(crate) fn read_written<Q: Quantity>(
        typed: &Path,
        kind: &str,
        (shape, gaps): (SeriesShape, Gaps),
    ) -> Result<WrittenSeries, UserError> {
        let wrong = |place: String, what: String| {
            UserError::new(format!("{kind} {}{place}", typed.display()), what)
        };
        let name = TableName::try_new(typed).map_err(|what| wrong(String::new(), what))?;
        let mut notes = Vec::new();
        let text = text_table::text_of(&name.path, kind, &mut notes)?;
        let rows = text_table::parse::<Q>(&text, &name, gaps);
        let TableRows { points, lines, begin, value_name: heading, notes: assumed } = rows
            .map_err(|(line, what)| {
                wrong(line.map_or(String::new(), |line| format!(" line {line}")), what)
            })?;
        notes.extend(assumed);
        let notes = notes.into_iter().map(|note| format!("{}: {note}", name.path.display()));
        let notes = notes.collect();
        let begin = begin.map(|begin| (name.path, begin));
        Ok(WrittenSeries { series: Self { points, shape, begin, notes }, heading, lines })
    }
}

/// Shifts the times of a table with dates to the start that all tables share, and notes the shift;
/// times may become negative.
pub(crate) fn count_from(series: &mut Series, (first, start): &Begin, notes: &mut Vec<String>) {
    let Some((path, begin)) = &mut series.begin else { return };
    let (shown, first) = (path.display(), first.display());
    let unzoned = match (start.offset_s, begin.offset_s) {
        (Some(_), None) => Some(&shown),
        (None, Some(_)) => Some(&first),
        _ => None,
    };
    notes
        .extend(unzoned.map(|unzoned| {
            format!("{unzoned}: no time zone beside tables with one, taken as UTC")
        }));
    let by_s = begin.seconds - start.seconds;
    if by_s != 0.0 {
        let way = if by_s > 0.0 { "later" } else { "earlier" };
        let by = time(by_s.abs());
        notes.push(format!("{shown} begins {by} {way} than {first}, where times count from"));
    }
    series.points.iter_mut().for_each(|(at, _)| *at += by_s);
    *begin = *start;
}

/// Shifts the times of tables with dates so that they count from the earliest of their first dates,
/// and notes the shifts. Adds the notes of all tables. Returns the table that begins first, if any
/// has dates.
pub fn share_start(series: &mut [&mut Series], notes: &mut Vec<String>) -> Option<Begin> {
    for note in series.iter_mut().flat_map(|series| std::mem::take(&mut series.notes)) {
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    let begins = series.iter().filter_map(|series| series.begin.clone());
    let earlier = |a: &(_, Moment), b: &(_, Moment)| a.1.seconds.total_cmp(&b.1.seconds);
    let (first, start) = begins.min_by(earlier)?;
    let (mut later, mut unzoned) = (Vec::new(), Vec::new());
    let is_zoned = series
        .iter()
        .any(|series| series.begin.as_ref().is_some_and(|(_, begin)| begin.offset_s.is_some()));
    for series in series {
        let Some((path, begin)) = &series.begin else { continue };
        if is_zoned && begin.offset_s.is_none() {
            unzoned.push(path.display().to_string());
        }
        let by_s = begin.seconds - start.seconds;
        if by_s > 0.0 {
            let words = format!("{} {} later", path.display(), time(by_s));
            later.extend((!later.contains(&words)).then_some(words));
            series.points.iter_mut().for_each(|(time, _)| *time += by_s);
            series.begin = Some((path.clone(), start));
        }
    }
    if !unzoned.is_empty() {
        let unzoned = unzoned.join(", ");
        notes.push(format!("{unzoned}: no time zone beside tables with one, taken as UTC"));
    }
    if !later.is_empty() {
        let later = later.join(", ");
        notes.push(format!("times count from {start}, where {} begins; {later}", first.display()));
    }
    Some((first, start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantity::{Discharge, Rate};

    /// Goal: rain from 12:00 and a hydrograph from 14:00 are two hours apart; before, both began at
    /// the start.
    #[test]
    fn tables_with_dates_share_their_start() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).expect("writable");
            path
        };
        let rain = path("r.csv", "2004-08-16 12:00,36mm/h\n2004-08-16 13:00,0\n");
        let flow = path("q.csv", "2004-08-16 14:00,0\n2004-08-16 15:00,3m3/s\n");
        let undated = path("u.csv", "0,0\n1h,3m3/s\n");
        let mut rain =
            Series::read::<Rate>(&rain, "hyetograph", SeriesShape::Steps).expect("sound");
        let mut flow =
            Series::read::<Discharge>(&flow, "hydrograph", SeriesShape::Lines).expect("sound");
        let mut undated =
            Series::read::<Discharge>(&undated, "hydrograph", SeriesShape::Lines).expect("");
        let mut notes = Vec::new();
        share_start(&mut [&mut flow, &mut rain, &mut undated], &mut notes);
        let times = |series: &Series| series.points.iter().map(|point| point.0).collect::<Vec<_>>();
        assert_eq!(times(&rain), [0.0, 3600.0]);
        assert_eq!(times(&flow), [7200.0, 10_800.0]);
        assert_eq!(times(&undated), [0.0, 3600.0]);
        let note = notes.join("; ");
        for words in ["from 2004-08-16 12:00:00, where ", "r.csv begins; ", "q.csv 2 h later"] {
            assert!(note.contains(words), "{note}");
        }
        notes.clear();
        share_start(&mut [&mut flow, &mut rain], &mut notes);
        assert_eq!((times(&flow), notes), (vec![7200.0, 10_800.0], vec![]));
    }
}
