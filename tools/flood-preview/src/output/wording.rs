//! Numbers as people read them: times, lengths, areas.

/// Units of time that legends use: seconds each, name, and steps that divide them well.
const TIME_UNITS: [(f32, &str, &[f32]); 4] = [
    (1.0, "s", &[1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0]),
    (60.0, "min", &[1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0]),
    (3600.0, "h", &[1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0]),
    (86400.0, "d", &[1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0]),
];

/// The smallest round step of time that is at least `seconds`.
#[must_use]
pub fn round_time(seconds: f32) -> f32 {
    let steps =
        TIME_UNITS.iter().flat_map(|(unit, _, steps)| steps.iter().map(move |step| unit * step));
    let mut largest = 1.0;
    for step in steps {
        if step >= seconds {
            return step;
        }
        largest = step;
    }
    largest.max(seconds)
}

/// `from – to` in the largest unit that suits both: `10 – 20 min`, `60 – 70 min`, `2 – 4 h`.
#[must_use]
pub fn time_span(from: f32, to: f32) -> String {
    let fits = |unit: f32| to >= unit && to <= 240.0 * unit;
    let whole = |unit: f32| (from / unit).fract() <= 0.0 && (to / unit).fract() <= 0.0;
    let suited = TIME_UNITS.iter().rev().find(|(unit, ..)| fits(*unit) && whole(*unit));
    match suited {
        Some((unit, name, _)) => format!("{} – {} {name}", from / unit, to / unit),
        None => format!("{} – {}", clock(from.into()), clock(to.into())),
    }
}

/// A length of time: `45 s`, `12 min`, `1 h 30 min`, `3 d 4 h`. The smaller part is left out
/// where it is nought.
#[must_use]
pub fn clock(seconds: f64) -> String {
    if !seconds.is_finite() {
        return "?".into();
    }
    if seconds < 10.0 && seconds.fract() != 0.0 {
        return format!("{seconds:.1} s");
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a conversion saturates"
    )]
    let total = seconds.max(0.0).round() as u64;
    let (unit, name, part, part_name) = match total {
        0..60 => return format!("{total} s"),
        60..3600 => (60, "min", 1, "s"),
        3600..172_800 => (3600, "h", 60, "min"),
        _ => (86400, "d", 3600, "h"),
    };
    match total % unit / part {
        0 => format!("{} {name}", total / unit),
        rest => format!("{} {name} {rest} {part_name}", total / unit),
    }
}

/// An area: `350 m²`, `4.2 ha`, `12.3 km²`.
#[must_use]
pub fn area(square_metres: f64) -> String {
    match square_metres {
        a if a < 0.05 => "none".into(),
        a if a < 10.0 => format!("{a:.1} m²"),
        a if a < 10_000.0 => format!("{a:.0} m²"),
        a if a < 1.0e6 => format!("{:.1} ha", a / 1.0e4),
        a if a < 1.0e8 => format!("{:.2} km²", a / 1.0e6),
        a => format!("{:.0} km²", a / 1.0e6),
    }
}

/// A length: `25 cm`, `40 m`, `1.5 km`.
#[must_use]
pub fn length(metres: f64) -> String {
    match metres {
        m if m < 1.0 => format!("{} cm", rounded(m * 100.0)),
        m if m < 1000.0 => format!("{} m", rounded(m)),
        m => format!("{} km", rounded(m / 1000.0)),
    }
}

/// At most three decimals, and none where they would be noughts.
fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

/// The largest of 1, 2, 5 · 10ⁿ that is at most `limit` (positive).
#[must_use]
pub fn round_below(limit: f64) -> f64 {
    let power = 10.0_f64.powf(limit.log10().floor());
    let steps = [5.0, 2.0, 1.0];
    let fits = steps.iter().find(|&&step| step * power <= limit);
    fits.unwrap_or(&1.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_well() {
        for (seconds, expected) in [
            (0.0, "0 s"),
            (0.25, "0.2 s"),
            (59.0, "59 s"),
            (60.0, "1 min"),
            (90.0, "1 min 30 s"),
            (5400.0, "1 h 30 min"),
            (86400.0, "24 h"),
            (270_000.0, "3 d 3 h"),
            (f64::NAN, "?"),
        ] {
            assert_eq!(clock(seconds), expected, "{seconds}");
        }
    }

    #[test]
    fn spans_read_well() {
        for (from, to, expected) in [
            (0.0, 10.0, "0 – 10 s"),
            (600.0, 1200.0, "10 – 20 min"),
            (3600.0, 4200.0, "60 – 70 min"),
            (1800.0, 3600.0, "30 – 60 min"),
            (7200.0, 14400.0, "2 – 4 h"),
        ] {
            assert_eq!(time_span(from, to), expected);
        }
    }

    #[test]
    fn sizes_read_well() {
        assert_eq!([area(0.0), area(350.0), area(42_000.0)], ["none", "350 m²", "4.2 ha"]);
        assert_eq!([length(0.05), length(250.0), length(1500.0)], ["5 cm", "250 m", "1.5 km"]);
        for (limit, expected) in [(1.0, 1.0), (99.0, 50.0), (0.31, 0.2), (4999.0, 2000.0)] {
            assert!((round_below(limit) / expected - 1.0).abs() < 1.0e-9, "{limit}");
        }
    }
}
