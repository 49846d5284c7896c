//! Checks of rain, rivers, stages and roughness: values that no weather and no river has, and water
//! that arrives after the end.

use std::fmt::Display;

use kit::words::{brief, mm_per_hour, short, time};
use rasters::HorizontalUnit;

use crate::series::{Series, SeriesShape};

/// Heaviest rain that is likely, m/s: 500 mm/h; records of minutes are higher, of hours lower.
const RAIN_LIKELY_M_S: f64 = 0.5 / 3600.0;
/// Largest discharge that is likely, m³/s: few rivers on Earth carry more.
const DISCHARGE_LIKELY_M3_S: f64 = 1.0e5;
/// Ratio of a row to the rows beside it from which it is a mistake.
const SPIKE_TIMES: f64 = 100.0;
/// Fewest rows of a table in which one row is a spike.
const SPIKE_ROWS: usize = 5;
/// Stage at or below which a number means a missing value, m.
const STAGE_MISSING_M: f64 = -900.0;
/// Depth below all ground from which a single stage is a number for a missing value, m.
const STAGE_BELOW_BED_M: f64 = 50.0;
/// Least difference of a stage from both neighbours that may be a mistake, m.
const STAGE_SPIKE_M: f64 = 2.0;
/// Ratio of such a difference to the usual step between rows.
const STAGE_SPIKE_TIMES: f64 = 10.0;

/// Quantity of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForcingKind {
    /// Rain, m/s.
    Rain,
    /// A discharge, m³/s.
    Discharge,
    /// A stage at an edge, m.
    Stage,
}

impl ForcingKind {
    /// Returns a value with its unit.
    fn words(self, value: f64) -> String {
        match self {
            Self::Rain => mm_per_hour(value),
            Self::Discharge => format!("{} m3/s", brief(value)),
            Self::Stage => format!("{} m", short(value)),
        }
    }
}

/// A series of a scenario.
#[derive(Debug, Clone, Copy)]
pub struct ForcingSeries<'a> {
    /// Quantity of the series.
    pub kind: ForcingKind,
    /// Name in the ledger.
    pub name: &'a str,
    /// Course over time.
    pub series: &'a Series,
}

/// Returns notes on a series, for a run of a duration in s over beds between a lowest and a highest
/// height in m, if available.
#[must_use]
pub fn notes(forcing: ForcingSeries<'_>, duration_s: f64, beds_m: Option<[f64; 2]>) -> Vec<String> {
    let ForcingSeries { kind, name, series } = forcing;
    let about = |what: String| format!("`{name}` {what}");
    let mut notes: Vec<String> = Vec::new();
    notes.extend(spike(kind, series).map(about));
    let most = series.max();
    match kind {
        ForcingKind::Rain if most > RAIN_LIKELY_M_S => notes.push(about(format!(
            "rains up to {}, which is more than any hour on record: check the unit of its values",
            kind.words(most)
        ))),
        ForcingKind::Discharge if most > DISCHARGE_LIKELY_M3_S => notes.push(about(format!(
            "has a discharge of {}, which few rivers on Earth have: check the unit of its values",
            kind.words(most)
        ))),
        ForcingKind::Stage => {
            let [low, high] = [0, 1].map(|end| beds_m.map(|beds_m| beds_m[end]));
            let too_low = stage(series, low);
            // A number for a missing value is a spike as well.
            let spike = if too_low.is_none() { stage_spike(series) } else { None };
            notes.extend(
                [too_low, spike, above_ground(series, high)].into_iter().flatten().map(about),
            );
        }
        ForcingKind::Rain | ForcingKind::Discharge => {}
    }
    notes.extend(too_late(forcing, duration_s).map(about));
    notes
}

/// Returns a note on a row of rain or discharge far above the two beside it.
fn spike(kind: ForcingKind, series: &Series) -> Option<String> {
    let points = &series.points;
    if kind == ForcingKind::Stage || points.len() < SPIKE_ROWS {
        return None;
    }
    let positive = || points.iter().map(|point| point.1).filter(|value| *value > 0.0);
    let mean_of_others = |value: f64| {
        let count = positive().count();
        (count > 2).then(|| (positive().sum::<f64>() - value) / share(count - 1))
    };
    let (index, beside) = (1..points.len() - 1).find_map(|index| {
        let value = points[index].1;
        let beside = points[index - 1].1.max(points[index + 1].1);
        let beside = if beside > 0.0 { beside } else { mean_of_others(value)? };
        (value > SPIKE_TIMES * beside).then_some((index, beside))
    })?;
    let (at_s, value) = points[index];
    Some(format!(
        "is {} at {}, more than {SPIKE_TIMES} times as much as around it ({}): correct that row if \
         it is a mistake",
        kind.words(value),
        time(at_s),
        kind.words(beside)
    ))
}

#[expect(clippy::cast_precision_loss, reason = "a mean of rows")]
fn share(count: usize) -> f64 {
    count as f64
}

/// Returns a note on a stage that means a missing value, or that is below all ground.
fn stage(series: &Series, lowest_bed_m: Option<f64>) -> Option<String> {
    let (at_s, low) = *series.points.iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let is_outlier = |bed_m: f64| low < bed_m - STAGE_BELOW_BED_M && series.max() >= bed_m;
    let missing = low <= STAGE_MISSING_M && lowest_bed_m.is_none_or(|bed_m| low < bed_m);
    if missing || lowest_bed_m.is_some_and(is_outlier) {
        return Some(format!(
            "is held at {} m at {}, which looks like a missing value: leave such rows out",
            short(low),
            time(at_s)
        ));
    }
    let bed_m = lowest_bed_m.filter(|bed_m| series.max() < *bed_m)?;
    Some(format!(
        "is held below the lowest ground of the map ({} m) at all times: water only leaves there; \
         check the datum of its stages",
        short((bed_m * 1000.0).round() / 1000.0)
    ))
}

/// Returns a note on a stage far above or far below both neighbours, which differ less from theirs.
fn stage_spike(series: &Series) -> Option<String> {
    let points = &series.points;
    if points.len() < SPIKE_ROWS {
        return None;
    }
    let mut steps: Vec<f64> = points.windows(2).map(|pair| (pair[1].1 - pair[0].1).abs()).collect();
    steps.sort_by(f64::total_cmp);
    // A spike has two steps of its own among at least four.
    let usual = steps[(steps.len() - 1) / 2];
    let least = STAGE_SPIKE_M.max(STAGE_SPIKE_TIMES * usual);
    let spike = points.windows(3).find(|three| {
        let (before, after) = (three[1].1 - three[0].1, three[1].1 - three[2].1);
        before * after > 0.0 && before.abs().min(after.abs()) > least
    })?;
    let (at_s, stage) = spike[1];
    Some(format!(
        "is held at {} m at {}, between {} and {} m: correct that row if it is a mistake",
        short(stage),
        time(at_s),
        short(spike[0].1),
        short(spike[2].1)
    ))
}

/// Returns a note on a stage above the highest ground.
fn above_ground(series: &Series, highest_bed_m: Option<f64>) -> Option<String> {
    let highest = series.points.iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.total_cmp(&a.0)));
    let (at_s, stage) = *highest?;
    let bed_m = highest_bed_m.filter(|bed_m| stage > *bed_m)?;
    let at = if series.is_constant() { String::new() } else { format!(" at {}", time(at_s)) };
    Some(format!(
        "is held at {} m{at}, above the highest ground of the map ({} m): check the unit and the \
         datum of its stages if the map has land",
        short(stage),
        short((bed_m * 1000.0).round() / 1000.0)
    ))
}

/// Returns a note on water that arrives after the end of the run.
fn too_late(
    ForcingSeries { kind, series, .. }: ForcingSeries<'_>,
    duration_s: f64,
) -> Option<String> {
    let points = &series.points;
    let is_table = points.len() > 2 || series.shape == SeriesShape::Lines;
    if !is_table || series.is_constant() || series.end_s() <= duration_s {
        return None;
    }
    let later = |words: &dyn Display| {
        let (end, duration) = (time(series.end_s().round()), time(duration_s.round()));
        format!("{words}, and the run ends at {duration}: choose --for {} for all", typed(&end))
    };
    let (peak_s, peak) =
        *points.iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.total_cmp(&a.0)))?;
    if peak_s > duration_s {
        let at = time(peak_s.round());
        return Some(later(&format!("has its peak of {} at {at}", kind.words(peak))));
    }
    let rest = points.iter().filter(|point| point.0 > duration_s);
    let has_water = kind == ForcingKind::Stage || rest.clone().any(|point| point.1 > 0.0);
    has_water.then(|| later(&format!("goes on until {}", time(series.end_s().round()))))
}

/// Returns a note on bands of a raster of rain that end, s, after the run does.
#[must_use]
pub fn late_bands(ends_s: &[f64], duration_s: f64) -> Option<String> {
    let late = ends_s.iter().filter(|end_s| **end_s > duration_s).count();
    let last = ends_s.iter().copied().fold(0.0, f64::max);
    (ends_s.len() > 1 && late > 0).then(|| {
        let (last, duration) = (time(last.round()), time(duration_s.round()));
        format!(
            "{late} of {} bands of rain go on after the end of the run at {duration}: choose \
             --for {} for all",
            ends_s.len(),
            typed(&last)
        )
    })
}

/// Returns a time as it is written in an option.
fn typed(time: &str) -> String {
    time.split(' ').collect()
}

/// Returns a note on ground without friction: `where_it_is` names the option, or the raster.
#[must_use]
pub fn frictionless(where_it_is: impl Display) -> String {
    format!(
        "Manning's n is 0 {where_it_is}: water runs there without friction; natural ground has \
         0.01 to 0.2 (--manning)"
    )
}

/// Returns a note on a map without a reference system, for the check of a scenario.
#[must_use]
pub fn unplaced(map: impl Display, unit: HorizontalUnit) -> String {
    let unit = if unit == HorizontalUnit::Degree { "degrees" } else { "metres" };
    format!(
        "{map} names no reference system: its coordinates count as {unit}, and results name no \
         system either; gdal_translate -a_srs EPSG:CODE adds one"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kind: ForcingKind, points: &[(f64, f64)]) -> String {
        let shape = if kind == ForcingKind::Rain { SeriesShape::Steps } else { SeriesShape::Lines };
        let series = Series { points: points.to_vec(), shape, begin: None, notes: Vec::new() };
        notes(ForcingSeries { kind, name: "a", series: &series }, 3600.0, Some([5.0, 40.0]))
            .join("; ")
    }

    #[test]
    fn bands_after_the_end_are_noted() {
        let note = late_bands(&[3600.0, 7200.0, 10_800.0], 5400.0).expect("two are late");
        assert!(note.starts_with("2 of 3 bands of rain") && note.contains("--for 3h "), "{note}");
        assert_eq!(late_bands(&[3600.0, 7200.0], 7200.0), None);
        assert_eq!(late_bands(&[3600.0], 600.0), None);
    }

    /// Goal: values that no weather and no river has are noted with the value, and real tables
    /// pass.
    #[test]
    fn unlikely_tables_are_noted() {
        const MM_H: f64 = 1.0e-3 / 3600.0;
        let wave = [(0.0, 0.0), (600.0, 30.0), (1200.0, 80.0), (2400.0, 20.0), (3600.0, 0.0)];
        let spike = [(0.0, 2.0), (600.0, 3.0), (1200.0, 3000.0), (2400.0, 2.0), (3600.0, 2.0)];
        let flash = [(0.0, 0.0), (600.0, 0.0), (1200.0, 80.0), (2400.0, 0.0), (3600.0, 0.0)];
        let surge = [(0.0, 5.5), (1800.0, 8.0), (3600.0, 5.2)];
        let missing = [(0.0, 5.5), (1800.0, -999.0), (3600.0, 5.2)];
        let outlier = [(0.0, 12.3), (1800.0, -99.99), (3600.0, 12.4)];
        let dry = [(0.0, 12.3), (1800.0, -5.0), (3600.0, 12.4)];
        let late = [(0.0, 1.0), (3000.0, 2.0), (7200.0, 50.0), (9000.0, 0.0)];
        let long = [(0.0, 1.0), (3000.0, 20.0), (7200.0, 5.0), (9000.0, 0.0)];
        let over = [(0.0, 1.0), (3000.0, 20.0), (7200.0, 0.0), (9000.0, 0.0)];
        for (kind, points, expected) in [
            (ForcingKind::Discharge, &wave[..], ""),
            (ForcingKind::Discharge, &flash, ""),
            (ForcingKind::Discharge, &over, ""),
            (ForcingKind::Discharge, &spike, "is 3000 m3/s at 20 min"),
            (ForcingKind::Discharge, &[(0.0, 2.0e5)], "200000 m3/s, which few rivers"),
            (ForcingKind::Discharge, &late, "peak of 50 m3/s at 2 h, and the run ends at 1 h"),
            (ForcingKind::Discharge, &late, "choose --for 2h30min"),
            (ForcingKind::Discharge, &long, "goes on until 2 h 30 min, and the run ends at 1 h"),
            (ForcingKind::Rain, &[(0.0, 60.0 * MM_H), (7200.0, 0.0)], ""),
            (ForcingKind::Rain, &[(0.0, 9999.0 * MM_H), (600.0, 0.0)], "rains up to 9999 mm/h"),
            (ForcingKind::Stage, &surge, ""),
            (ForcingKind::Stage, &missing, "is held at -999 m at 30 min"),
            (ForcingKind::Stage, &outlier, "is held at -99.99 m at 30 min"),
            (ForcingKind::Stage, &dry, ""),
            (
                ForcingKind::Stage,
                &[(0.0, 1.0), (3600.0, 2.0)],
                "below the lowest ground of the map (5 m)",
            ),
        ] {
            let notes = of(kind, points);
            assert_eq!(notes.is_empty(), expected.is_empty(), "{points:?}: {notes}");
            assert!(notes.contains(expected), "{points:?}: {notes}");
        }
    }

    /// Goal: a slip of the decimal sign in a stage is noted in both directions; waves, tides and
    /// surges are not.
    #[test]
    fn spikes_of_stages_are_noted() {
        for (stages, expected) in [
            ([31.21, 31.22, 312.3, 31.24, 31.26], "is held at 312.3 m at 20 min, between 31.22"),
            ([31.21, 31.22, 3.123, 31.24, 31.26], "is held at 3.123 m at 20 min, between 31.22"),
            ([31.21, 31.22, 99.99, 99.99, 31.26], "99.99 m at 20 min, above the highest ground"),
            ([6.0, 6.0, 7.5, 6.0, 6.0], ""),
            ([6.0, 9.5, 5.8, 9.9, 6.1], ""),
            ([6.0, 6.5, 8.9, 7.2, 6.1], ""),
        ] {
            let times = [0.0, 600.0, 1200.0, 1800.0, 2400.0];
            let points: Vec<(f64, f64)> = times.into_iter().zip(stages).collect();
            let notes = of(ForcingKind::Stage, &points);
            assert_eq!(notes.is_empty(), expected.is_empty(), "{stages:?}: {notes}");
            assert!(notes.contains(expected), "{stages:?}: {notes}");
        }
        let level = of(ForcingKind::Stage, &[(0.0, 45.5)]);
        assert!(level.contains("45.5 m, above the highest ground of the map (40 m)"), "{level}");
    }
}
