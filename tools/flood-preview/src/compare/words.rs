//! Values and differences of figures in words.

use kit::words::at_least;

use super::figures::Kind;
use crate::output::page::markup::grouped;
use crate::output::wording;

/// Text for a missing value.
const UNKNOWN: &str = "–";

/// Returns a value with its unit, rounded for reading.
#[must_use]
pub fn value(kind: Kind, value: Option<f64>) -> String {
    let Some(value) = value.filter(|value| value.is_finite()) else { return UNKNOWN.into() };
    match kind {
        Kind::Area => wording::area(value),
        Kind::Length => format!("{} m", grouped(&at_least(value, 2))),
        Kind::Volume => format!("{} m³", grouped(&at_least(value, 0))),
        Kind::Discharge => format!("{} m³/s", grouped(&at_least(value, 2))),
        Kind::Time => wording::clock(value),
        // Values that differ never get 100 %.
        Kind::Part => format!("{:.1} %", (1000.0 * value).floor() / 10.0),
    }
}

/// Returns a difference with its sign and unit, rounded for reading; `0` for equal values, for
/// times that are less than 0.05 s apart, and for lengths that are less than 0.05 mm apart: two
/// runs of one event differ by that if the lengths of their steps differ.
#[must_use]
pub fn difference(kind: Kind, difference: Option<f64>) -> String {
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
        Kind::Area if size < 0.05 => format!("{} m²", at_least(size, 1)),
        Kind::Time if size < 0.05 => return "0".into(),
        Kind::Length if size < 5.0e-5 => return "0".into(),
        Kind::Length => format!("{} m", grouped(&at_least(size, 3))),
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
            (Kind::Area, 42_000.0, "4.2 ha", "−4.2 ha"),
            (Kind::Length, 1.234_56, "1.23 m", "−1.235 m"),
            (Kind::Length, 0.000_4, "0.00040 m", "−0.00040 m"),
            (Kind::Volume, 12_345.6, "12\u{202f}346 m³", "−12\u{202f}346 m³"),
            (Kind::Volume, 0.25, "0.25 m³", "−0.25 m³"),
            (Kind::Discharge, 1.5, "1.50 m³/s", "−1.50 m³/s"),
            (Kind::Time, 5400.0, "1 h 30 min", "−1 h 30 min"),
            (Kind::Part, 0.999_99, "99.9 %", "−99.9 %"),
        ] {
            assert_eq!(value(kind, Some(number)), expected);
            assert_eq!(difference(kind, Some(-number)), less);
            assert_eq!(difference(kind, Some(0.0)), "0");
            assert_eq!(value(kind, None) + &difference(kind, Some(f64::NAN)), "––");
        }
        assert_eq!(difference(Kind::Area, Some(0.001)), "+0.0010 m²");
        let times = [0.04, 0.06].map(|time_s| difference(Kind::Time, Some(time_s)));
        assert_eq!(times, ["0", "+0.1 s"]);
        let lengths = [4.0e-5, 6.0e-5].map(|length| difference(Kind::Length, Some(-length)));
        assert_eq!(lengths, ["0", "−0.000060 m"]);
    }
}
