//! Observed series in the tables of gauges and sections.

use super::super::wording;
use super::markup::grouped;
use crate::outcome::{Fit, Observed, ObservedQuantity};

/// Headings of the columns.
pub const HEADINGS: [&str; 3] = ["Observed peak", "Simulated less observed", "Nash–Sutcliffe"];

/// Remark below a table with these columns.
pub const REMARK: &str = "<p class=\"faint\">Observed peaks are those of readings within the run; \
                          the difference is that of the peaks from the first reading to the last. \
                          The Nash–Sutcliffe efficiency is 1 if all simulated values are those \
                          observed, 0 if they are as far off as the mean of the readings, and has \
                          no value if all readings are equal. Each reading is in \
                          <code>observed.csv</code>.</p>";

/// Returns the cells of a place in these columns.
#[must_use]
pub fn cells(observed: Option<&Observed>, fit: Option<&Fit>) -> [String; 3] {
    let dash = || "–".to_owned();
    let (Some(observed), Some(fit)) = (observed, fit) else { return [(); 3].map(|()| dash()) };
    let measured = observed.measured;
    let word = match measured {
        ObservedQuantity::Discharge => String::new(),
        ObservedQuantity::Depth | ObservedQuantity::Stage => format!("{} ", measured.word()),
    };
    let (time_s, value) = fit.observed_peak;
    let digits = digits(fit);
    let value = grouped(&format!("{value:.digits$}"));
    let (unit, at) = (measured.unit(), wording::clock(time_s));
    [
        format!("{word}{value} {unit} at {at}"),
        format!("{} {unit}", grouped(&signed(fit.difference(), digits))),
        fit.efficiency.map_or_else(dash, |efficiency| grouped(&format!("{efficiency:.3}"))),
    ]
}

/// Digits behind the point in which readings differ: a laboratory's waves are not centimetres high.
fn digits(fit: &Fit) -> usize {
    let values = || fit.pairs.iter().map(|pair| pair.observed);
    let span = values().fold(f64::NEG_INFINITY, f64::max) - values().fold(f64::INFINITY, f64::min);
    match span.max(fit.difference().abs()) {
        span if span >= 1.0 => 2,
        span if span >= 0.1 => 3,
        _ => 4,
    }
}

/// Returns a difference with its sign; 0 has none.
fn signed(difference: f64, digits: usize) -> String {
    let text = format!("{difference:+.digits$}");
    match text.trim_start_matches(['+', '-', '0', '.']) {
        "" => text[1..].to_owned(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_have_their_sign() {
        for (difference, digits, text) in [
            (0.123, 2, "+0.12"),
            (-0.126, 2, "-0.13"),
            (0.004, 2, "0.00"),
            (-0.001, 2, "0.00"),
            (-0.0028, 4, "-0.0028"),
            (10.0, 2, "+10.00"),
        ] {
            assert_eq!(signed(difference, digits), text);
        }
        assert_eq!(cells(None, None), ["–", "–", "–"]);
    }
}
