//! `summary.json`: the run in figures, SI units throughout, with the settings it ran with.
//!
//! ```text
//! { "title": …, "simulated_s": 3600.0, "flooded_m2": 51200.0, "dangerous_m2": 800.0,
//!   "under_water_before": { "m2": 400.0, "at_start_m2": 400.0, "sea_m2": 0.0, … },
//!   "flooded": { "deepest": { "depth_m": 3.1, "at": [380120.0, 3789640.0] }, … },
//!   "max_depth": { "depth_m": 5.1, "at": [380220.0, 3789440.0] }, …,
//!   "levels": [{ "cell_m": 40.0, "wall_s": 2.1, "flooded_m2": 49800.0, "shared": null }, …],
//!   "is_going_on": false, "is_cut_short": false,
//!   "ranges": { "flooded_m2": [35000.0, 60000.0], … },
//!   "volumes_m3": { "initial": 0.0, "in": { "rain": 7680.0 }, … },
//!   "terrain_faults": [{ "kind": "pit", "at": [380120.0, 3789640.0], "held_m3": 420.0, … }, …],
//!   "settings": { … } }
//! ```
//!
//! `flooded_m2`, `dangerous_m2` and the figures below `flooded` are the headline's: they count
//! ground that was not under water before, except `fastest_anywhere`, which counts lakes and the
//! sea as well. `max_depth`, `max_speed` and `max_hazard` are the largest of whole maps. `levels`
//! are the levels done so far; `shared` is the part of the ground flooded in a level or the one
//! before that both flooded. `is_going_on` is true while drafts or finer levels follow,
//! `is_cut_short` if finer levels were requested and not run, because the run was stopped, or
//! failed, after the last of `levels`. `ranges` give, from the last two levels, the values between
//! which figures are likely to be: nine of ten were. With `varied` they also contain the effect of
//! roughness and water (rain and inflows) varied by these parts in drafts, and only this effect if
//! it `is_alone`. `terrain_faults` are the faults that the event wets, beginning with the faults
//! that decide most, and `terrain_faults_found` counts all of each kind. Volumes are rounded to
//! double precision; `ledger.json` has them in exact units.
//!
//! Guarantees: an unavailable figure is `null`, never a number with a special meaning.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::outcome::{
    Drafts, Figure, FloodLedger, FloodOutcome, GaugeRecord, HAZARDS_M2_S, Headline, HeadlineSpot,
    RunLevel, SPEED_PERCENTILE, Sure,
};

use super::stand::RunProgress;
use super::{books, faults, observed, sections};

/// Writes the figures.
///
/// # Errors
///
/// Errors of writing to `target`.
pub fn write(outcome: &FloodOutcome, stand: RunProgress, target: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *target, &figures(outcome, stand))?;
    writeln!(target)
}

fn figures(outcome: &FloodOutcome, stand: RunProgress) -> Value {
    let grid = &outcome.grid;
    let headline = outcome.headline();
    let classes: Vec<f64> = outcome.depth_classes_m.iter().copied().map(decimal).collect();
    let mut figures = json!({
        "title": outcome.title,
        "command": outcome.command,
        "version": env!("CARGO_PKG_VERSION"),
        "is_interrupted": outcome.interrupted,
        "simulated_s": outcome.simulated_s,
        "wall_s": outcome.wall_s,
        "crs": grid.crs.as_ref().map(ToString::to_string),
        "ground_m2": outcome.area_m2(headline.ground),
        "wet_depth_m": decimal(outcome.wet_depth_m),
        "depth_classes_m": classes,
        "flooded_m2": outcome.area_m2(headline.flooded),
        "dangerous_m2": outcome.area_m2(headline.dangerous()),
        "wet_m2": outcome.area_m2(headline.wet),
        "flooded": flooded(outcome, &headline),
        "under_water_before": before(outcome, &headline),
        "max_depth": largest(outcome, "depth_m", &outcome.max_depth_m),
        "max_speed": largest(outcome, "speed_m_s", &outcome.max_speed_m_s),
        "max_hazard": largest(outcome, "hazard_m2_s", &outcome.hazard_m2_s),
        "volumes_m3": volumes(&outcome.ledger),
        "is_balanced": outcome.ledger.balance(),
        "ranges": outcome.sure.as_ref().map(|sure| ranges(outcome, sure)),
        "varied": outcome.sure.as_ref().and_then(varied),
        "gauges": outcome.gauges.iter().map(gauge).collect::<Vec<_>>(),
        "sections": outcome.sections.iter().map(sections::section).collect::<Vec<_>>(),
        "edges": outcome.edges.iter().map(sections::edge).collect::<Vec<_>>(),
        "outlets": outcome.outlets.iter().map(sections::outlet).collect::<Vec<_>>(),
        "settings": outcome.inputs,
        "levels": outcome.levels.iter().map(|level| of_level(outcome, level)).collect::<Vec<_>>(),
        "is_going_on": stand.is_on_the_way(),
        "is_cut_short": stand == RunProgress::CutShort,
        "notes": outcome.notes,
        "terrain_faults": faults::figures(outcome),
        "terrain_faults_found": faults::counts(outcome),
    });
    if let Some(below) = &outcome.below {
        figures["max_depth_below"] = largest(outcome, "depth_m", &below.max_depth_m);
    }
    figures
}

/// Returns ranges of figures, `[low, high]`; ranges at gauges are of the largest depths.
fn ranges(outcome: &FloodOutcome, sure: &Sure) -> Value {
    let range = |figure: Figure, unit: f64| {
        sure.range(figure).map(|range| [range.low * unit, range.high * unit])
    };
    let area = |figure: Figure| outcome.area_m2(1).and_then(|cell_m2| range(figure, cell_m2));
    let gauges = outcome.gauges.iter().enumerate().map(
        |(index, gauge)| json!({"name": gauge.name, "depth_m": range(Figure::Gauge(index), 1.0)}),
    );
    json!({
        "flooded_m2": area(Figure::Flooded),
        "dangerous_m2": area(Figure::Dangerous),
        "deepest_m": range(Figure::Deepest, 1.0),
        "fast_m_s": range(Figure::Fast, 1.0),
        "stored_m3": range(Figure::Stored, 1.0),
        "left_m3": range(Figure::Left, 1.0),
        "gauges": gauges.collect::<Vec<_>>(),
    })
}

/// Returns the drafts that are in the ranges.
fn varied(sure: &Sure) -> Option<Value> {
    let Drafts { vary, cell_m, runs } = sure.varied?;
    let part = |part: f64| (part > 0.0).then_some(part);
    Some(json!({
        "roughness": part(vary.roughness),
        "water": part(vary.water),
        "cell_m": cell_m,
        "runs": runs,
        "is_alone": !sure.is_of_levels,
    }))
}

/// Returns a level of the run; `shared` is the part of the ground flooded in it or the one before
/// that both flooded.
fn of_level(outcome: &FloodOutcome, level: &RunLevel) -> Value {
    json!({
        "cell_m": level.cell_m,
        "wall_s": level.wall_s,
        "flooded_m2": outcome.area_m2(level.flooded),
        "shared": level.shared,
    })
}

/// Returns the headline of the ground that the event flooded.
fn flooded(outcome: &FloodOutcome, headline: &Headline) -> Value {
    let spot = |name: &str, spot: Option<HeadlineSpot>| located(outcome, name, spot);
    let [caution, some, most, all] = headline.hazards.map(|cells| outcome.area_m2(cells));
    json!({
        "m2": outcome.area_m2(headline.flooded),
        "hazard_limits_m2_s": HAZARDS_M2_S,
        "hazard_m2": { "caution": caution, "some": some, "most": most, "all": all },
        "deepest": spot("depth_m", headline.deepest),
        "fast_percentile": SPEED_PERCENTILE,
        "fast": spot("speed_m_s", headline.fast),
        "fastest_anywhere": spot("speed_m_s", headline.fastest),
        "first_arrival": spot("time_s", headline.first),
    })
}

/// Returns the areas under water before the event, and the deepest water there.
fn before(outcome: &FloodOutcome, headline: &Headline) -> Value {
    let [start, sea, permanent] = headline.before.map(|cells| outcome.area_m2(cells));
    json!({
        "m2": outcome.area_m2(headline.before()),
        "at_start_m2": start,
        "sea_m2": sea,
        "permanent_m2": permanent,
        "dangerous_m2": outcome.area_m2(headline.dangerous_before),
        "deepest": located(outcome, "depth_m", headline.deepest_before),
    })
}

/// Returns a value and its place; `null` if the spot is missing.
fn located(outcome: &FloodOutcome, name: &str, spot: Option<HeadlineSpot>) -> Value {
    let Some(HeadlineSpot { value, cell: (column, row) }) = spot else { return Value::Null };
    let grid = &outcome.grid;
    json!({name: decimal(value), "at": [grid.easting(column), grid.northing(row)]})
}

/// Returns the largest value of a plane and its place.
fn largest(outcome: &FloodOutcome, name: &str, plane: &[f32]) -> Value {
    let known = plane.iter().enumerate().filter(|(_, value)| value.is_finite());
    let most = known.max_by(|a, b| a.1.total_cmp(b.1));
    let width = outcome.grid.width;
    let spot = |(cell, value): (usize, &f32)| HeadlineSpot {
        value: *value,
        cell: (cell % width, cell / width),
    };
    located(outcome, name, most.map(spot))
}

fn volumes(ledger: &FloodLedger) -> Value {
    #[expect(clippy::cast_precision_loss, reason = "for reading; ledger.json has the units")]
    let cubic_metres = |units: i128| units as f64 * ledger.unit_m3;
    let entries = |entries: &[(String, i128)]| -> serde_json::Map<String, Value> {
        let named = books::distinct(entries).into_iter();
        named.map(|(name, units)| (name, json!(cubic_metres(units)))).collect()
    };
    json!({
        "initial": cubic_metres(ledger.initial),
        "in": entries(&ledger.into),
        "out": entries(&ledger.out),
        "stored": cubic_metres(ledger.stored),
    })
}

/// Returns the place of a gauge, and its largest depth, stage and speed with their moments.
fn gauge(gauge: &GaugeRecord) -> Value {
    let peak = |name: &str, series: &[f32]| {
        let known = series.iter().zip(&gauge.time_s).filter(|(value, _)| value.is_finite());
        let peak = known.max_by(|a, b| a.0.total_cmp(b.0));
        peak.map(|(value, time_s)| json!({name: decimal(*value), "time_s": time_s}))
    };
    json!({
        "name": gauge.name,
        "at": [gauge.x, gauge.y],
        "bed_m": decimal(gauge.bed_m),
        "max_depth": peak("depth_m", &gauge.depth_m),
        "max_stage": peak("stage_m", &gauge.stage_m),
        "max_speed": peak("speed_m_s", &gauge.speed_m_s),
        "observed": observed::figures(gauge.observed.as_ref(), gauge.fit().as_ref()),
    })
}

/// Returns the shortest decimal number of a single-precision one; NaN becomes `null`.
fn decimal(value: f32) -> f64 {
    value.to_string().parse().unwrap_or(f64::NAN)
}
