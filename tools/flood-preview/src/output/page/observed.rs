//! Observed series in the tables of gauges and sections.

use super::super::wording;
use super::markup::grouped;
use crate::outcome::{Fit, Measured, Observed};

/// Headings of the columns.
pub const HEADINGS: [&str; 3] = ["Observed peak", "Simulated less observed", "Nash–Sutcliffe"];

/// Remark below a table with these columns.
pub const REMARK: &str = "<p class=\"faint\">Observed peaks are those of readings within the run; \
                          the difference is that of the peaks from the first reading to the last. \
                          The Nash–Sutcliffe efficiency is 1 if all simulated values are those \
                          observed, 0 if they are as far off as the mean of the readings, and has \
                          no value if all readings are equal. Each reading is in \
                          <code>observed.csv</code>.</p>";

/// The cells of a place in these columns.
#[must_use]
pub fn cells(observed: Option<&Observed>, fit: Option<&Fit>) -> [String; 3] {
    let dash = || "–".to_owned();
    let (Some(observed), Some(fit)) = (observed, fit) else { return [(); 3].map(|()| dash()) };
    let measured = observed.measured;
    let word = match measured {
        Measured::Discharge => String::new(),
        Measured::Depth | Measured::Stage => format!("{} ", measured.word()),
    };
    let (time_s, value) = fit.observed_peak;
    let value = grouped(&format!("{value:.2}"));
    let (unit, at) = (measured.unit(), wording::clock(time_s));
    [
        format!("{word}{value} {unit} at {at}"),
        format!("{} {unit}", grouped(&signed(fit.difference()))),
        fit.efficiency.map_or_else(dash, |efficiency| grouped(&format!("{efficiency:.3}"))),
    ]
}

/// A difference with its sign; 0 has none.
fn signed(difference: f64) -> String {
    let text = format!("{difference:+.2}");
    match text.trim_start_matches(['+', '-', '0', '.']) {
        "" => "0.00".to_owned(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_have_their_sign() {
        for (difference, text) in [
            (0.123, "+0.12"),
            (-0.126, "-0.13"),
            (0.004, "0.00"),
            (-0.001, "0.00"),
            (10.0, "+10.00"),
        ] {
            assert_eq!(signed(difference), text);
        }
        assert_eq!(cells(None, None), ["–", "–", "–"]);
    }
}
