//! Results of a case: rows for the table, a sentence and plots for the guide's page.

use crate::table::{Measurement, number};

/// A comparison with one exact solution or one experiment.
#[derive(Debug, Clone)]
pub struct Case {
    /// Heading of the case on the page.
    pub title: &'static str,
    /// Description and source of the case, in Markdown.
    pub about: &'static str,
    /// Numbers of the case.
    pub rows: Vec<CaseRow>,
    /// Pictures of the case.
    pub plots: Vec<Plot>,
}

impl Case {
    /// Returns the numbers alone.
    #[must_use]
    pub fn measurements(&self) -> Vec<Measurement> {
        self.rows.iter().map(|row| row.measurement.clone()).collect()
    }
}

/// One number, and how it falls with the cell width, if that was measured.
#[derive(Debug, Clone)]
pub struct CaseRow {
    /// The number, at the resolution that is promised.
    pub measurement: Measurement,
    /// Errors at several resolutions.
    pub refinement: Option<Refinement>,
}

impl From<Measurement> for CaseRow {
    fn from(measurement: Measurement) -> Self {
        Self { measurement, refinement: None }
    }
}

impl CaseRow {
    /// Makes a row of a relative error at several resolutions; its value is the error on `side`
    /// cells.
    ///
    /// # Panics
    ///
    /// If the refinement lacks that resolution.
    #[must_use]
    pub fn refined(id: &'static str, side: usize, refinement: Refinement) -> Self {
        let error = refinement.at(side).expect("a resolution that ran");
        let measurement = Measurement::new(id, error, "1")
            .cells(side.pow(refinement.dimensions))
            .note(refinement.to_string());
        Self { measurement, refinement: Some(refinement) }
    }

    /// Returns the row with a target.
    #[must_use]
    pub fn target(mut self, target: &'static str) -> Self {
        self.measurement.target = Some(target);
        self
    }

    /// Returns the row with one more line in the note.
    #[must_use]
    pub fn remark(mut self, line: &str) -> Self {
        let note = &mut self.measurement.note;
        if !note.is_empty() {
            note.push('\n');
        }
        note.push_str(line);
        self
    }
}

/// An error on finer and finer cells.
#[derive(Debug, Clone, PartialEq)]
pub struct Refinement {
    /// Directions in which cells are counted, 1 or 2.
    pub dimensions: u32,
    /// Cells along a side and the error, coarsest first.
    pub points: Vec<(usize, f64)>,
}

impl Refinement {
    /// Returns the error on `side` cells.
    #[must_use]
    pub fn at(&self, side: usize) -> Option<f64> {
        self.points.iter().find(|point| point.0 == side).map(|point| point.1)
    }

    /// Returns the power of the cell width with which the error falls, from the coarsest to the
    /// finest.
    #[must_use]
    pub fn order(&self) -> f64 {
        match (self.points.first(), self.points.last()) {
            (Some(&(coarse, _)), Some(&(fine, _))) => self.order_between(coarse, fine),
            _ => f64::NAN,
        }
    }

    /// Returns the observed order between two resolutions; NaN if one did not run.
    #[must_use]
    pub fn order_between(&self, coarse: usize, fine: usize) -> f64 {
        let error = |side| self.at(side).unwrap_or(f64::NAN);
        (error(coarse) / error(fine)).ln() / (fine as f64 / coarse as f64).ln()
    }

    /// Returns the cells of one resolution, as people write them.
    #[must_use]
    pub fn cells(&self, side: usize) -> String {
        if self.dimensions == 2 { format!("{side}²") } else { side.to_string() }
    }
}

impl std::fmt::Display for Refinement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for &(side, error) in &self.points {
            write!(f, "{}: {}, ", self.cells(side), percent(error))?;
        }
        write!(f, "order {:.2}", self.order())
    }
}

/// Returns a fraction in per cent with three significant digits.
#[must_use]
pub fn percent(fraction: f64) -> String {
    let value = 100.0 * fraction;
    let digits = match value.abs() {
        size if size >= 10.0 => 1,
        size if size >= 1.0 => 2,
        size if size >= 0.1 => 3,
        _ => 4,
    };
    format!("{value:.digits$} %")
}

/// Returns a value with its unit, fractions in per cent.
#[must_use]
pub fn with_unit(value: f64, unit: &str) -> String {
    if unit == "1" { percent(value) } else { format!("{} {unit}", number(value)) }
}

/// A picture of curves.
#[derive(Debug, Clone)]
pub struct Plot {
    /// File name, without folder.
    pub file: &'static str,
    /// Caption of the plot.
    pub caption: &'static str,
    /// Quantities along the axes, with units.
    pub axes: [&'static str; 2],
    /// Division of the axes.
    pub division: Division,
    /// The curves, drawn in this order.
    pub curves: Vec<Curve>,
}

/// Division of axes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Division {
    /// Evenly.
    Linear,
    /// By powers of ten.
    Logarithmic,
}

/// A line or a row of dots.
#[derive(Debug, Clone)]
pub struct Curve {
    /// Name of the curve in the legend.
    pub name: String,
    /// Style of drawing.
    pub ink: Ink,
    /// Points of the curve.
    pub points: Vec<(f64, f64)>,
}

impl Curve {
    /// Makes a curve of a name.
    #[must_use]
    pub fn new(name: &str, ink: Ink, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        Self { name: name.to_owned(), ink, points: points.into_iter().collect() }
    }
}

/// Style of a curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ink {
    /// A thin black line, for exact or measured values.
    Reference,
    /// A thick grey line, for beds.
    Ground,
    /// A line of its own colour, for further computations.
    Line,
    /// Dots of their own colour, for computed values.
    Dots,
    /// Dots joined by a line.
    LineDots,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn halving() -> Refinement {
        Refinement { dimensions: 1, points: vec![(100, 0.04), (200, 0.02), (400, 0.005)] }
    }

    #[test]
    fn order_is_the_slope_between_resolutions() {
        assert!((halving().order() - 1.5).abs() < 1.0e-12);
        assert!((halving().order_between(200, 400) - 2.0).abs() < 1.0e-12);
        assert!(halving().order_between(200, 800).is_nan());
    }

    #[test]
    fn a_refined_row_shows_the_promised_resolution() {
        let row = CaseRow::refined("accuracy.x", 200, halving()).target("<= 0.03").remark("more");
        assert_eq!(row.measurement.is_met(), Some(true));
        assert_eq!(
            row.measurement.note,
            "100: 4.00 %, 200: 2.00 %, 400: 0.500 %, order 1.50\nmore"
        );
    }
}
