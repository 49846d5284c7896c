//! Numbers as people read them: times, lengths, areas.

use crate::outcome::{Drafts, Figure, FigureRange, FloodOutcome, Headline};

/// Part of the flooded ground that two levels share at least if nothing narrower than the coarser
/// cells decides. Of the six events of the ranges, a marsh and a wide valley have 0.9 or more,
/// steep land with brooks 0.37 to 0.45.
const AGREE_LEAST: f64 = 0.5;

/// Part of the flooded area that is reached in the last tenth of a run, from which on the flood is
/// reported to spread still: steady growth has 0.1.
const LATE_LEAST: f64 = 0.05;

/// Units of time that legends use: seconds each, and name.
const TIME_UNITS: [(f32, &str); 4] = [(1.0, "s"), (60.0, "min"), (3600.0, "h"), (86400.0, "d")];

/// Returns `from – to` in the largest unit that suits both: `10 – 20 min`, `60 – 70 min`,
/// `2 – 4 h`.
#[must_use]
pub fn time_span(from: f32, to: f32) -> String {
    let fits = |unit: f32| to >= unit && to <= 240.0 * unit;
    let whole = |unit: f32| (from / unit).fract() <= 0.0 && (to / unit).fract() <= 0.0;
    let suited = TIME_UNITS.iter().rev().find(|(unit, _)| fits(*unit) && whole(*unit));
    match suited {
        Some((unit, name)) => format!("{} – {} {name}", from / unit, to / unit),
        None => format!("{} – {}", clock(from.into()), clock(to.into())),
    }
}

/// Returns a length of time: `45 s`, `12 min`, `1 h 30 min`, `3 d 4 h`. The smaller part is left
/// out if it is nought.
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

/// Returns an area: `350 m²`, `4.2 ha`, `12.3 km²`.
#[must_use]
pub fn area(square_metres: f64) -> String {
    if square_metres < 0.05 {
        return "none".into();
    }
    let (per, unit, digits) = area_unit(square_metres);
    format!("{:.digits$} {unit}", square_metres / per)
}

/// Returns the area of some cells of the maps: `4.2 ha`, or their number if their size is missing.
#[must_use]
pub fn covered(outcome: &FloodOutcome, cells: usize) -> String {
    outcome.area_m2(cells).map_or_else(|| format!("{cells} cells"), area)
}

/// Returns the part of the ground that some cells of the maps cover: `12.3 % of the map`.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "cells are far below 2^53")]
pub fn share(headline: &Headline, cells: usize) -> String {
    format!("{:.1} % of the map", 100.0 * cells as f64 / headline.ground.max(1) as f64)
}

/// Describes the ground under water before the event: `5.0 ha were under water before (3.0 ha at
/// the start, 2.0 ha of sea)`; `None` if all of the ground was dry.
#[must_use]
pub fn before(outcome: &FloodOutcome, headline: &Headline) -> Option<String> {
    let [start, sea, permanent] = headline.before;
    let kinds = [
        (start, "at the start"),
        (sea, "of sea"),
        (permanent, "of rivers and lakes in the raster of permanent water"),
    ];
    let kinds = kinds.iter().filter(|(cells, _)| *cells > 0);
    let words: Vec<String> =
        kinds.map(|(cells, kind)| format!("{} {kind}", covered(outcome, *cells))).collect();
    let all = covered(outcome, headline.before());
    (!words.is_empty()).then(|| format!("{all} were under water before ({})", words.join(", ")))
}

/// Returns the agreement of the last two levels of a run: `cells of 40 m and of 10 m agree on 84 %
/// of the ground that either flooded (1.20 km² and 1.31 km²)`; `None` for a run of one level.
#[must_use]
pub fn sure(outcome: &FloodOutcome) -> Option<String> {
    let (before, last, shared) = outcome.agreement()?;
    let [coarse, fine] = [before, last].map(|level| length(level.cell_m));
    let [one, other] = [before, last].map(|level| covered(outcome, level.flooded));
    // Values that differ never get 100 %.
    let percent = (100.0 * shared).floor();
    let little = match shared < AGREE_LEAST {
        true => format!(
            ": unsure, as thin water on slopes, or something narrower than {coarse} like a levee \
             or a stream, decides"
        ),
        false => String::new(),
    };
    Some(format!(
        "cells of {coarse} and of {fine} agree on {percent:.0} % of the ground that either flooded \
         ({one} and {other}){little}"
    ))
}

/// Returns the growth of the flood at the end of a run: `the flood was still spreading at the end:
/// 12 % of its area was reached in the last tenth of the time`; `None` if it has settled.
#[must_use]
pub fn spreading(outcome: &FloodOutcome) -> Option<String> {
    let late = outcome.late_part();
    (late >= LATE_LEAST && !outcome.interrupted).then(|| {
        format!(
            "the flood was still spreading at the end: {:.0} % of its area was reached in the \
             last tenth of the time",
            100.0 * late
        )
    })
}

/// Returns the likely range of a figure: `0.67 to 1.34 km²`; `None` if it has none.
#[must_use]
pub fn likely(outcome: &FloodOutcome, figure: Figure) -> Option<String> {
    let FigureRange { low, high } = outcome.sure.as_ref()?.range(figure)?;
    let cells = || {
        let headline = outcome.headline();
        if figure == Figure::Flooded { headline.flooded } else { headline.dangerous() }
    };
    let (per, unit, digits) = match figure {
        // The range has the unit of the figure itself, which is beside it.
        Figure::Flooded | Figure::Dangerous => match outcome.area_m2(1) {
            Some(cell_m2) => {
                let (m2, unit, digits) = area_unit(outcome.area_m2(cells()).unwrap_or(high));
                (m2 / cell_m2, unit, digits)
            }
            None => (1.0, "cells", 0),
        },
        Figure::Deepest | Figure::Gauge(_) if high < 0.095 => (0.01, "cm", 1),
        Figure::Deepest | Figure::Gauge(_) if high < 0.995 => (0.01, "cm", 0),
        Figure::Deepest | Figure::Gauge(_) => (1.0, "m", 2),
        Figure::Fast => (1.0, "m/s", 1),
        Figure::Stored | Figure::Left => (1.0, "m³", 0),
    };
    Some(format!("{:.digits$} to {:.digits$} {unit}", low / per, high / per))
}

/// Returns square metres of the unit that suits an area, its name, and the digits after the point.
fn area_unit(square_metres: f64) -> (f64, &'static str, usize) {
    match square_metres {
        a if a < 10.0 => (1.0, "m²", 1),
        a if a < 10_000.0 => (1.0, "m²", 0),
        a if a < 1.0e6 => (1.0e4, "ha", 1),
        a if a < 1.0e8 => (1.0e6, "km²", 2),
        _ => (1.0e6, "km²", 0),
    }
}

/// Returns the name of the ranges of a run: `likely`, or `varied` if no two levels were compared
/// and the ranges do not contain the effect of the cells, which may be far larger.
#[must_use]
pub fn range_name(outcome: &FloodOutcome) -> &'static str {
    match &outcome.sure {
        Some(sure) if !sure.is_of_levels => "varied",
        _ => "likely",
    }
}

/// Returns the drafts that vary roughness and water, for the reader of the report:
/// `4 drafts in cells of 80 m that vary roughness by ±30 %`; `None` if the run had no drafts.
#[must_use]
pub fn drafts(outcome: &FloodOutcome) -> Option<String> {
    let Drafts { vary, cell_m, runs } = outcome.sure.as_ref()?.varied?;
    Some(format!("{runs} drafts in cells of {} that vary {vary}", length(cell_m)))
}

/// Returns the meaning of the ranges of a run, for the reader of the report; `None` if it has none.
#[must_use]
pub fn ranges(outcome: &FloodOutcome) -> Option<String> {
    let sure = outcome.sure.as_ref()?;
    sure.range(Figure::Flooded)?;
    let of_levels = match &*outcome.levels {
        [.., before, last] if sure.is_of_levels => Some(before.cell_m / last.cell_m),
        _ => None,
    };
    let of_cells = of_levels.map(|times| {
        let of_what = match times >= crate::outcome::FAR {
            true => "in cells half as wide",
            false => "in the cells that were asked for",
        };
        format!(
            "as far as the same figure {of_what} lay from a run like this one in nine of ten \
             cases, on six maps of 2 to 75 m: that of areas and of the greatest depth is a fixed \
             part of the figure"
        )
    });
    let of_drafts = drafts(outcome).map(|drafts| format!("as far as the figure moved in {drafts}"));
    let name = range_name(outcome);
    let (reaches, rest) = match (of_cells, of_drafts) {
        (Some(cells), None) => (cells, "; roughness and rain are taken as given"),
        (Some(cells), Some(drafts)) => {
            (format!("{cells}; and {drafts}"), ": both are joined as independent errors are")
        }
        (None, Some(drafts)) => (drafts, "; the effect of the cells is not in it"),
        (None, None) => return None,
    };
    Some(format!("A range that is called {name} reaches {reaches}{rest}"))
}

/// Returns a length: `2 mm`, `25 cm`, `40 m`, `1.5 km`.
#[must_use]
pub fn length(metres: f64) -> String {
    match metres {
        m if m < 0.01 => format!("{} mm", rounded(m * 1000.0)),
        m if m < 1.0 => format!("{} cm", rounded(m * 100.0)),
        m if m < 1000.0 => format!("{} m", rounded(m)),
        m => format!("{} km", rounded(m / 1000.0)),
    }
}

/// Returns `from – to` of depths in the unit that reads best: `2 – 5 mm`, `10 – 30 cm`,
/// `0.5 – 1 m`; without an end `> 5 m`.
#[must_use]
pub fn depth_span(from_m: f32, to_m: Option<f32>) -> String {
    let (from, to) = (f64::from(from_m), f64::from(to_m.unwrap_or(from_m)));
    let (unit, factor) = match (from, to) {
        _ if to > 0.999 => ("m", 1.0),
        (from, _) if from < 0.00999 => ("mm", 1000.0),
        _ => ("cm", 100.0),
    };
    let number = |value: f64| rounded(value * factor);
    match to_m {
        Some(_) => format!("{} – {} {unit}", number(from), number(to)),
        None => format!("> {} {unit}", number(from)),
    }
}

/// Returns a depth: `2 mm`, `35 cm`, `1.23 m`.
#[must_use]
pub fn depth(metres: f64) -> String {
    match metres {
        m if m <= 0.0 => "0 m".into(),
        m if m < 0.00995 => format!("{} mm", (m * 10_000.0).round() / 10.0),
        m if m < 0.995 => format!("{} cm", (m * 1000.0).round() / 10.0),
        m => format!("{m:.2} m"),
    }
}

/// Rounds to at most three decimals, and none if they would be noughts.
fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

/// Returns the largest of 1, 2, 5 · 10ⁿ that is at most `limit` (positive).
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
    fn depths_read_well() {
        for (from, to, expected) in [
            (0.05, Some(0.1), "5 – 10 cm"),
            (0.001, Some(0.05), "1 – 50 mm"),
            (0.002, Some(0.005), "2 – 5 mm"),
            (0.3, Some(0.5), "30 – 50 cm"),
            (0.5, Some(1.0), "0.5 – 1 m"),
            (5.0, None, "> 5 m"),
            (0.1, None, "> 10 cm"),
            (0.004, None, "> 4 mm"),
        ] {
            assert_eq!(depth_span(from, to), expected);
        }
        assert_eq!([depth(0.0), depth(0.002), depth(0.354)], ["0 m", "2 mm", "35.4 cm"]);
        assert_eq!([depth(0.994), depth(1.0), depth(12.345)], ["99.4 cm", "1.00 m", "12.35 m"]);
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
