//! Values and differences of figures in words.

use kit::words::at_least;

use super::figures::FigureKind;
use crate::output::page::markup::grouped;
use crate::output::wording;

/// Text for a missing value.
const UNKNOWN: &str = "–";

/// Returns a value with its unit, rounded for reading.
#[must_use]
pub fn value(kind: FigureKind, value: Option<f64>) -> String {
    let Some(value) = value.filter(|value| value.is_finite()) else { return UNKNOWN.into() };
    match kind {
        FigureKind::Area => wording::area(value),
        FigureKind::Length => format!("{} m", grouped(&at_least(value, 2))),
        FigureKind::Volume => format!("{} m³", grouped(&at_least(value, 0))),
        FigureKind::Discharge => format!("{} m³/s", grouped(&at_least(value, 2))),
        FigureKind::Time => wording::clock(value),
        // Values that differ never get 100 %.
        FigureKind::Part => format!("{:.1} %", (1000.0 * value).floor() / 10.0),
    }
}

/// Returns a difference with its sign and unit, rounded for reading; `0` for equal values, for
/// times that are less than 0.05 s apart, and for lengths that are less than 0.05 mm apart: two
/// runs of one event differ by that if the lengths of their steps differ.
#[must_use]
pub fn difference(kind: FigureKind, difference: Option<f64>) -> String {
    let Some(difference) = difference.filter(|value| value.is_finite()) else {
        return UNKNOWN.into();
    };
    let sign = match difference {
        d if d > 0.0 => "+",
        d if d < 0.0 => "−",
        _ => return "0".into(),
    };
    let size = difference.abs();
    let words = match kind {
        FigureKind::Area if size < 0.05 => format!("{} m²", at_least(size, 1)),
        FigureKind::Time if size < 0.05 => return "0".into(),
        FigureKind::Length if size < 5.0e-5 => return "0".into(),
        FigureKind::Length => format!("{} m", grouped(&at_least(size, 3))),
        kind => value(kind, Some(size)),
    };
    format!("{sign}{words}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_differences_read_well() {
        for (kind, number, expected, less) in [
            (FigureKind::Area, 42_000.0, "4.2 ha", "−4.2 ha"),
            (FigureKind::Length, 1.234_56, "1.23 m", "−1.235 m"),
            (FigureKind::Length, 0.000_4, "0.00040 m", "−0.00040 m"),
            (FigureKind::Volume, 12_345.6, "12\u{202f}346 m³", "−12\u{202f}346 m³"),
            (FigureKind::Volume, 0.25, "0.25 m³", "−0.25 m³"),
            (FigureKind::Discharge, 1.5, "1.50 m³/s", "−1.50 m³/s"),
            (FigureKind::Time, 5400.0, "1 h 30 min", "−1 h 30 min"),
            (FigureKind::Part, 0.999_99, "99.9 %", "−99.9 %"),
        ] {
            assert_eq!(value(kind, Some(number)), expected);
            assert_eq!(difference(kind, Some(-number)), less);
            assert_eq!(difference(kind, Some(0.0)), "0");
            assert_eq!(value(kind, None) + &difference(kind, Some(f64::NAN)), "––");
        }
        assert_eq!(difference(FigureKind::Area, Some(0.001)), "+0.0010 m²");
        let times = [0.04, 0.06].map(|time_s| difference(FigureKind::Time, Some(time_s)));
        assert_eq!(times, ["0", "+0.1 s"]);
        let lengths = [4.0e-5, 6.0e-5].map(|length| difference(FigureKind::Length, Some(-length)));
        assert_eq!(lengths, ["0", "−0.000060 m"]);
    }
}
