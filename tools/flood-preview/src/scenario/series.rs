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
//! Columns are separated by commas, semicolons, tabs or spaces. Rain and inflow are 0 before the
//! first row and after the last; a stage stays at the nearest row's. A single row holds for ever.
//! Rain may be a depth, `rain [mm]`: what falls from its row until the next.
//!
//! Guarantees: times are finite, at least 0 and rising; values are finite and have a unit; there is
//!             at least one row. What breaks this is an error with file and line.
//! Limits:     further columns are ignored.

use std::io::ErrorKind;
use std::path::Path;

use super::table;

use crate::quantity::Quantity;
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
                match error.kind() {
                    ErrorKind::InvalidData => "it is no text: save it as CSV".to_owned(),
                    _ => format!("{error}; check the name"),
                },
            )
        })?;
        let points = table::parse::<Q>(&text).map_err(|(line, what)| {
            let place = line.map_or(String::new(), |line| format!(" line {line}"));
            Refusal::new(format!("{kind} {}{place}", path.display()), what)
        })?;
        Ok(Self { points, shape })
    }
}
