//! Numbers as the tools write them: short, with their units.

pub use thalweg::units::plain::short;

/// Millimetres an hour in a metre a second.
pub const M_S_TO_MM_H: f64 = 3.6e6;

/// Formats a number without dozens of digits.
#[must_use]
pub fn brief(value: f64) -> String {
    if value.abs() < 1.0e9 { short(value) } else { format!("{value:.3e}") }
}

/// Formats a number with `decimals` decimals, or with as many as show its first two digits: a flow
/// in a laboratory is not 0.00.
#[must_use]
pub fn at_least(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let first = -value.abs().log10().floor();
    if value == 0.0 || !first.is_finite() || first < 1.0 {
        return text;
    }
    // From 10⁻⁹ on: less is noise.
    let shown = (1_usize..=8).find(|&place| place as f64 >= first);
    shown.map_or(text, |place| format!("{value:.0$}", decimals.max(place + 1)))
}

/// Formats a span of time in hours, minutes and seconds.
#[must_use]
pub fn time(seconds: f64) -> String {
    let hours = (seconds / 3600.0).floor();
    let minutes = ((seconds - hours * 3600.0) / 60.0).floor();
    let rest = seconds - hours * 3600.0 - minutes * 60.0;
    let parts = [(hours, "h"), (minutes, "min"), (rest, "s")];
    let words: Vec<String> = parts
        .iter()
        .filter(|(count, _)| *count > 0.0)
        .map(|(count, unit)| format!("{} {unit}", short(*count)))
        .collect();
    if words.is_empty() { "0 s".to_owned() } else { words.join(" ") }
}

/// Formats an area in m², ha or km², to about three digits.
#[must_use]
pub fn area(square_metres: f64) -> String {
    match square_metres {
        a if a < 100.0 => format!("{a:.2} m²"),
        a if a < 1.0e4 => format!("{a:.0} m²"),
        a if a < 1.0e6 => format!("{:.2} ha", a / 1.0e4),
        a => format!("{:.2} km²", a / 1.0e6),
    }
}

/// Formats a rate of rain in millimetres an hour.
#[must_use]
pub fn mm_per_hour(rate_m_s: f64) -> String {
    format!("{} mm/h", short(rate_m_s * M_S_TO_MM_H))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_numbers_keep_two_digits() {
        for (value, decimals, expected) in [
            (0.0, 2, "0.00"),
            (12.345, 2, "12.35"),
            (0.0004, 2, "0.00040"),
            (-0.0123, 2, "-0.012"),
            (0.0123, 0, "0.012"),
            (0.5, 0, "0.50"),
            (3.4, 0, "3"),
            (1.0e-12, 2, "0.00"),
        ] {
            assert_eq!(at_least(value, decimals), expected);
        }
    }

    #[test]
    fn times_and_numbers_are_short() {
        for (seconds, expected) in [
            (0.0, "0 s"),
            (59.5, "59.5 s"),
            (3600.0, "1 h"),
            (5400.0, "1 h 30 min"),
            (108_000.0, "30 h"),
        ] {
            assert_eq!(time(seconds), expected);
        }
        assert_eq!(mm_per_hour(40.0e-3 / 3600.0), "40 mm/h");
        assert_eq!(short(-1.25), "-1.25");
        assert_eq!(short(100.0), "100");
    }
}
