//! Measurements, and their printed form.

use serde::Serialize;
use std::io::{IsTerminal, Write};

/// One number with its meaning.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Measurement {
    /// Dotted name; its first part is the suite.
    pub id: &'static str,
    /// Value in `unit`, or a plain fraction.
    pub value: f64,
    /// SI unit, or the counted thing; "1" for a fraction.
    pub unit: &'static str,
    /// Target of the value, like `<= 0.002`; `None` if nothing is promised.
    pub target: Option<&'static str>,
    /// Threads that computed it.
    pub threads: usize,
    /// Cells of the world, 0 without a world.
    pub cells: usize,
    /// Set-up and side results, in words.
    pub note: String,
}

impl Measurement {
    /// Makes a value without target and note, of the current pool's threads.
    #[must_use]
    pub fn new(id: &'static str, value: f64, unit: &'static str) -> Self {
        let threads = rayon::current_num_threads();
        Self { id, value, unit, target: None, threads, cells: 0, note: String::new() }
    }

    /// Returns the measurement with a target.
    #[must_use]
    pub fn target(self, target: &'static str) -> Self {
        Self { target: Some(target), ..self }
    }

    /// Returns the measurement with a count of cells.
    #[must_use]
    pub fn cells(self, cells: usize) -> Self {
        Self { cells, ..self }
    }

    /// Returns the measurement with a note.
    #[must_use]
    pub fn note(self, note: impl Into<String>) -> Self {
        Self { note: note.into(), ..self }
    }

    /// Returns whether the value meets its target; `None` without a target.
    #[must_use]
    pub fn is_met(&self) -> Option<bool> {
        let (sense, number) = self.target?.split_once(' ')?;
        let number: f64 = number.parse().ok()?;
        match sense {
            "<=" => Some(self.value <= number),
            ">=" => Some(self.value >= number),
            _ => None,
        }
    }
}

/// Form of printed results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableLayout {
    /// Columns for people.
    Columns,
    /// One JSON object a line.
    Json,
}

impl TableLayout {
    /// Prints the head of the results.
    ///
    /// # Errors
    ///
    /// If the output is closed.
    pub fn print_head(self, out: &mut impl Write) -> std::io::Result<()> {
        if self == Self::Json {
            return Ok(());
        }
        writeln!(
            out,
            "{:<29} {:>11} {:<10} {:<10} {:<6} {:>7} {:>10}",
            "id", "value", "unit", "target", "", "threads", "cells"
        )
    }

    /// Prints one result.
    ///
    /// # Errors
    ///
    /// If the output is closed.
    pub fn print(self, out: &mut impl Write, result: &Measurement) -> std::io::Result<()> {
        if self == Self::Json {
            serde_json::to_writer(&mut *out, result)?;
            return writeln!(out);
        }
        let verdict = match result.is_met() {
            Some(true) => "met",
            Some(false) => "MISSED",
            None => "",
        };
        let Measurement { id, value, unit, threads, cells, note, .. } = result;
        let (value, target) = (number(*value), result.target.unwrap_or(""));
        writeln!(
            out,
            "{id:<29} {value:>11} {unit:<10} {target:<10} {verdict:<6} {threads:>7} {cells:>10}"
        )?;
        note.lines().try_for_each(|line| writeln!(out, "    {line}"))
    }

    /// Prints a plain remark: to the table's reader, never into JSON.
    ///
    /// # Errors
    ///
    /// If the output is closed.
    pub fn remark(self, out: &mut impl Write, remark: &str) -> std::io::Result<()> {
        match self {
            Self::Columns => writeln!(out, "{remark}"),
            Self::Json => writeln!(std::io::stderr(), "{remark}"),
        }
    }
}

/// Prints the name of the running measurement, if a person is waiting at a terminal.
pub fn announce(what: &str) {
    let mut out = std::io::stderr();
    if out.is_terminal() {
        // A terminal that went away does not matter to the measurement.
        let _ = writeln!(out, "measuring {what} …");
    }
}

/// Formats four significant digits, without an exponent if that is readable.
#[must_use]
pub fn number(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 || !value.is_finite() {
        format!("{value}")
    } else if (1.0e-3..1.0).contains(&size) {
        format!("{value:.5}")
    } else if (1.0..1000.0).contains(&size) {
        format!("{value:.3}")
    } else if (1000.0..1.0e6).contains(&size) {
        format!("{value:.0}")
    } else {
        format!("{value:.3e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measurement(value: f64, target: Option<&'static str>) -> Measurement {
        Measurement { target, ..Measurement::new("physics.depth", value, "1").note("two\nlines") }
    }

    #[test]
    fn targets_are_met_or_missed() {
        for (value, target, met) in [
            (0.002, Some("<= 0.002"), Some(true)),
            (0.0021, Some("<= 0.002"), Some(false)),
            (0.9, Some(">= 0.9"), Some(true)),
            (f64::NAN, Some(">= 0.9"), Some(false)),
            (1.0, None, None),
        ] {
            assert_eq!(measurement(value, target).is_met(), met, "{value} {target:?}");
        }
    }

    #[test]
    fn json_is_one_object_a_line() {
        let mut out = Vec::new();
        TableLayout::Json.print(&mut out, &measurement(0.5, Some("<= 1"))).expect("memory");
        let text = String::from_utf8(out).expect("text");
        assert_eq!(text.lines().count(), 1);
        let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let keys: Vec<&String> = value.as_object().expect("an object").keys().collect();
        assert_eq!(keys.len(), 7, "{keys:?}");
        assert_eq!(value["value"], 0.5);
        assert_eq!(value["target"], "<= 1");
    }

    #[test]
    fn numbers_are_readable() {
        for (value, text) in
            [(0.0, "0"), (0.25, "0.25000"), (310.5, "310.500"), (2.5e-5, "2.500e-5")]
        {
            assert_eq!(number(value), text);
        }
    }
}
