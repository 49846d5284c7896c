//! A value over time: hydrographs, hyetographs and tides, read from a table of two columns.
//!
//! ```text
//! # comments and empty lines do not count
//! time [h], discharge [m3/s]        a heading may name the units; without one they are the
//! 0,        0                       column's own: s, and m3/s, mm/h or m
//! 1.5,      120
//! 90min,    12m3/s                  a value may carry its own unit
//! ```
//!
//! Columns are separated by commas, semicolons, tabs or spaces. Rain and inflow are 0 before the
//! first row and after the last; a stage stays at the nearest row's. A single row holds for ever.
//!
//! Guarantees: times are finite, at least 0 and rising; values are finite; there is at least one
//!             row. What breaks this is an error with file and line.
//! Limits:     further columns are ignored.

use std::path::Path;

use crate::quantity::{Quantity, Seconds};
use crate::refusal::Refusal;

/// What happens between two rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A value holds until the next row; the last row only ends the table: rain.
    Steps,
    /// Values are joined by straight lines: discharges, stages.
    Lines,
}

/// A value over time, in SI units.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Time since the start in s, and value; times rise.
    pub points: Vec<(f64, f64)>,
    /// What happens between the points.
    pub shape: Shape,
}

impl Series {
    /// The same value at all times.
    #[must_use]
    pub fn constant(value: f64, shape: Shape) -> Self {
        Self { points: vec![(0.0, value)], shape }
    }

    /// `value` from `start` for `duration`, 0 before and after; seconds.
    #[must_use]
    pub fn block(value: f64, start: f64, duration: Option<f64>) -> Self {
        let mut points = vec![(start, value)];
        points.extend(duration.map(|duration| (start + duration, 0.0)));
        Self { points, shape: Shape::Steps }
    }

    /// Time of the last point, s.
    #[must_use]
    pub fn end_s(&self) -> f64 {
        self.points.last().map_or(0.0, |(time, _)| *time)
    }

    /// Largest value.
    #[must_use]
    pub fn max(&self) -> f64 {
        let values = self.points.iter().map(|(_, value)| *value);
        values.fold(f64::NEG_INFINITY, f64::max)
    }

    /// True if the value never changes from the start on.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        match self.points.as_slice() {
            [(time, _)] => *time <= 0.0 || self.shape == Shape::Lines,
            _ => false,
        }
    }

    /// Reads a table; `Q` is what its second column holds, `kind` what an error calls the table.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or breaks a promise of this module.
    pub fn read<Q: Quantity>(path: &Path, kind: &str, shape: Shape) -> Result<Self, Refusal> {
        let text = std::fs::read_to_string(path).map_err(|error| {
            Refusal::new(
                format!("cannot read the {kind} {}", path.display()),
                format!("{error}; check the name"),
            )
        })?;
        let points = parse::<Q>(&text).map_err(|(line, what)| {
            let place = line.map_or(String::new(), |line| format!(" line {line}"));
            Refusal::new(format!("{kind} {}{place}", path.display()), what)
        })?;
        Ok(Self { points, shape })
    }
}

/// What is wrong with a table, and in which line, if it is not the whole.
type Mistake = (Option<usize>, String);

/// Rows of the table in SI units.
fn parse<Q: Quantity>(text: &str) -> Result<Vec<(f64, f64)>, Mistake> {
    let mut units = (Seconds::COLUMN_UNIT.to_owned(), Q::COLUMN_UNIT.to_owned());
    let mut points: Vec<(f64, f64)> = Vec::new();
    let mut is_first = true;
    for (index, line) in text.lines().enumerate() {
        let wrong = |what: String| (Some(index + 1), what);
        let line = line.trim_start_matches('\u{feff}').trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let is_heading = std::mem::take(&mut is_first)
            && line.starts_with(|c: char| c.is_alphabetic() || c == '"');
        let (time, value) = split(line)
            .ok_or_else(|| wrong("one column: write a time and a value in each line".into()))?;
        if is_heading {
            units = (
                unit_of(time).unwrap_or(&units.0).to_owned(),
                unit_of(value).unwrap_or(&units.1).to_owned(),
            );
            check_units::<Q>(&units).map_err(wrong)?;
            continue;
        }
        let time = read_cell::<Seconds>(time, &units.0).map_err(wrong)?;
        let value = read_cell::<Q>(value, &units.1).map_err(wrong)?;
        if time < 0.0 {
            return Err(wrong(format!(
                "the time {time} s lies before the start: times count from the start, at 0"
            )));
        }
        if let Some((before, _)) = points.last().filter(|(before, _)| *before >= time) {
            return Err(wrong(format!(
                "the time {time} s does not come after {before} s: sort the rows by time"
            )));
        }
        points.push((time, value));
    }
    if points.is_empty() {
        return Err((None, "holds no rows: write a time and a value in each line".into()));
    }
    Ok(points)
}

/// First two columns of a line.
fn split(line: &str) -> Option<(&str, &str)> {
    let separator = [';', ',', '\t'].into_iter().find(|&c| line.contains(c));
    let mut columns: Box<dyn Iterator<Item = &str>> = match separator {
        Some(separator) => Box::new(line.split(separator).map(str::trim)),
        None => Box::new(line.split_whitespace()),
    };
    Some((columns.next()?, columns.next()?))
}

/// The unit in a heading like `time [h]` or `time(s)`.
fn unit_of(heading: &str) -> Option<&str> {
    let (_, rest) = heading.split_once(['[', '('])?;
    let (unit, _) = rest.split_once([']', ')'])?;
    Some(unit.trim())
}

fn check_units<Q: Quantity>(units: &(String, String)) -> Result<(), String> {
    let is_known = Seconds::in_unit(1.0, &units.0).is_some() && Q::in_unit(1.0, &units.1).is_some();
    if is_known {
        return Ok(());
    }
    let (time, value) = units;
    Err(format!(
        "the heading's units [{time}] and [{value}] are not known: write for example [h] and [{}]",
        Q::COLUMN_UNIT
    ))
}

/// A number in the column's unit, or a quantity with its own.
fn read_cell<Q: Quantity>(text: &str, unit: &str) -> Result<f64, String> {
    let text = text.trim_matches('"').trim();
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => {
            let value = Q::in_unit(number, unit).map(Q::si);
            value.ok_or_else(|| format!("the unit [{unit}] is not known"))
        }
        Ok(_) => Err(format!("`{text}` is not finite: write a number")),
        Err(_) => text.parse::<Q>().map(Q::si),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantity::{Discharge, Metres, Rate};

    #[track_caller]
    fn check<Q: Quantity>(text: &str, expected: &[(f64, f64)]) {
        let got = parse::<Q>(text).expect("sound");
        let is_close = got.len() == expected.len()
            && got
                .iter()
                .zip(expected)
                .all(|(a, b)| (a.0 - b.0).abs() < 1e-9 && (a.1 - b.1).abs() <= 1e-12 * b.1.abs());
        assert!(is_close, "{text}: {got:?}");
    }

    #[test]
    fn tables_read_in_their_units() {
        check::<Discharge>("0,0\n600,300\n", &[(0.0, 0.0), (600.0, 300.0)]);
        check::<Discharge>("time [h], q [l/s]\n0, 0\n1, 500", &[(0.0, 0.0), (3600.0, 0.5)]);
        check::<Rate>("# storm\n0\t36\n\n45\t0", &[(0.0, 1e-5), (45.0, 0.0)]);
        check::<Metres>("time(s)\twater surface(m)\r\n0\t-1e-5\r\n", &[(0.0, -1e-5)]);
        check::<Metres>("0 1.5\n60 2.5", &[(0.0, 1.5), (60.0, 2.5)]);
        check::<Rate>("0min; 36mm/h\n30min; 0", &[(0.0, 1e-5), (1800.0, 0.0)]);
        check::<Metres>("0,1,further,columns\n", &[(0.0, 1.0)]);
    }

    #[test]
    fn broken_tables_are_refused_with_the_line() {
        let cases = [
            ("0,0\n600,300\n300,0", Some(3), "sort the rows"),
            ("0,0\n0,1", Some(2), "sort the rows"),
            ("-5,0", Some(1), "before the start"),
            ("0,nan", Some(1), "not finite"),
            ("0,1e999", Some(1), "not finite"),
            ("0,a", Some(1), "is not a discharge"),
            ("0", Some(1), "one column"),
            ("time [weeks], q", Some(1), "not known"),
            ("time, q\n# nothing\n", None, "no rows"),
            ("", None, "no rows"),
        ];
        for (text, line, what) in cases {
            let (got_line, got) = parse::<Discharge>(text).expect_err(text);
            assert_eq!(got_line, line, "{text}: {got}");
            assert!(got.contains(what), "{text}: {got}");
        }
    }
}
