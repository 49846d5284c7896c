//! Observed series of gauges and sections beside the simulated ones: `observed.csv`, their figures,
//! and their part of the page's record.
//!
//! ```text
//! time_s,name,quantity,observed,simulated,difference
//! 3600,mill,depth_m,1.31,1.2046,-0.1054
//! ```
//!
//! A row is a reading, so that a spreadsheet plots one series against the other; cells are empty if
//! the run has no value of that moment.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::passages::rounded;
use crate::outcome::{Fit, FloodOutcome, Observed};

/// Approximate number of readings of a series that the page draws.
const READINGS: usize = 1600;

/// Name of the file.
pub const FILE: &str = "observed.csv";

/// A place with an observed series: its name, the series, and the agreement with it.
type ObservedPlace<'a> = (&'a str, &'a Observed, Option<Fit>);

fn places(outcome: &FloodOutcome) -> Vec<ObservedPlace<'_>> {
    let gauges = outcome.gauges.iter().map(|gauge| (&*gauge.name, &gauge.observed, gauge.fit()));
    let sections = outcome.sections.iter();
    let sections = sections.map(|section| (&*section.name, &section.observed, section.fit()));
    let all = gauges.chain(sections);
    all.filter_map(|(name, observed, fit)| Some((name, observed.as_ref()?, fit))).collect()
}

/// True if a gauge or a section has an observed series.
#[must_use]
pub fn is_any(outcome: &FloodOutcome) -> bool {
    !places(outcome).is_empty()
}

/// Writes all readings.
///
/// # Errors
///
/// Errors of writing to `target`.
pub fn write(outcome: &FloodOutcome, target: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(target);
    table.write_record(["time_s", "name", "quantity", "observed", "simulated", "difference"])?;
    for (name, observed, fit) in places(outcome) {
        let mut pairs = fit.iter().flat_map(|fit| &fit.pairs).peekable();
        for (time_s, value) in &observed.points {
            let pair = pairs.next_if(|pair| pair.time_s.total_cmp(time_s).is_eq());
            let cell = |value: Option<f64>| value.map_or(String::new(), |v| rounded(v).to_string());
            table.write_record([
                &time_s.to_string(),
                name,
                observed.measured.key(),
                &cell(Some(*value)),
                &cell(pair.map(|pair| pair.simulated)),
                &cell(pair.map(|pair| pair.simulated - pair.observed)),
            ])?;
        }
    }
    table.flush()
}

/// Returns the figures of an observed series; `null` if it is missing.
#[must_use]
pub fn figures(observed: Option<&Observed>, fit: Option<&Fit>) -> Value {
    let Some(observed) = observed else { return Value::Null };
    let key = observed.measured.key();
    let peak = |(time_s, value): (f64, f64)| json!({key: rounded(value), "time_s": time_s});
    json!({
        "quantity": key,
        "file": observed.path.to_string_lossy(),
        "readings": fit.map_or(0, |fit| fit.pairs.len()),
        "peak": fit.map(|fit| peak(fit.observed_peak)),
        "simulated_peak": fit.map(|fit| peak(fit.simulated_peak)),
        "difference": fit.map(|fit| json!({key: rounded(fit.difference())})),
        "nash_sutcliffe": fit.and_then(|fit| fit.efficiency),
    })
}

/// Returns an observed series as the page draws it up to the end of the run; `null` if it is
/// missing.
#[must_use]
pub fn record(observed: Option<&Observed>, end_s: f64) -> Value {
    let Some(observed) = observed else { return Value::Null };
    let points = observed.points.iter().filter(|(time_s, _)| *time_s <= end_s);
    let points = thinned(&points.copied().collect::<Vec<_>>());
    json!({
        "key": observed.measured.key(),
        "time_s": points.iter().map(|(time_s, _)| *time_s).collect::<Vec<_>>(),
        "values": points.iter().map(|(_, value)| rounded(*value)).collect::<Vec<_>>(),
    })
}

/// Returns the first, lowest, highest and last reading of each stretch, if the points are too many.
fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let length = points.len().div_ceil(READINGS / 4).max(1);
    if length <= 4 {
        return points.to_vec();
    }
    let mut kept = Vec::new();
    for stretch in points.chunks(length) {
        let by_value = |a: &usize, b: &usize| stretch[*a].1.total_cmp(&stretch[*b].1);
        let least = (0..stretch.len()).min_by(by_value).unwrap_or(0);
        let most = (0..stretch.len()).max_by(by_value).unwrap_or(0);
        let mut places = vec![0, least, most, stretch.len() - 1];
        places.sort_unstable();
        places.dedup();
        kept.extend(places.into_iter().map(|place| stretch[place]));
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::{GaugeRecord, ObservedQuantity, sample};

    fn with_readings(points: Vec<(f64, f64)>) -> FloodOutcome {
        let observed = Observed { measured: ObservedQuantity::Depth, path: "m.csv".into(), points };
        let gauge = GaugeRecord {
            name: "mill, old".into(),
            time_s: vec![0.0, 10.0, 20.0],
            depth_m: vec![0.0, 1.0, 0.5],
            observed: Some(observed),
            ..GaugeRecord::default()
        };
        FloodOutcome { gauges: vec![gauge], ..sample::outcome() }
    }

    #[test]
    fn a_row_has_both_values_or_the_reading_alone() {
        let outcome = with_readings(vec![(5.0, 0.75), (10.0, 1.25), (25.0, 0.5)]);
        let mut file = Vec::new();
        write(&outcome, &mut file).expect("memory");
        assert_eq!(
            String::from_utf8(file).expect("text"),
            "time_s,name,quantity,observed,simulated,difference\n\
             5,\"mill, old\",depth_m,0.75,0.5,-0.25\n\
             10,\"mill, old\",depth_m,1.25,1,-0.25\n\
             25,\"mill, old\",depth_m,0.5,,\n"
        );
        assert!(is_any(&outcome) && !is_any(&sample::outcome()));
        let gauge = &outcome.gauges[0];
        let figures = figures(gauge.observed.as_ref(), gauge.fit().as_ref());
        assert_eq!(figures["peak"], json!({"depth_m": 1.25, "time_s": 10.0}));
        assert_eq!(figures["difference"], json!({"depth_m": -0.25}));
        // Σ(o − s)² = 2 · 0.25², Σ(o − 1)² = 2 · 0.25².
        assert_eq!((&figures["nash_sutcliffe"], &figures["readings"]), (&json!(0.0), &json!(2)));
    }

    #[test]
    fn a_long_record_keeps_its_extremes_and_ends() {
        let mut points: Vec<(f64, f64)> = (0..50_000).map(|at| (f64::from(at), 1.0)).collect();
        (points[31_234].1, points[777].1) = (9.0, 0.1);
        let kept = thinned(&points);
        assert!(kept.len() <= READINGS && kept.is_sorted_by(|a, b| a.0 < b.0), "{}", kept.len());
        for point in [points[0], points[777], points[31_234], points[49_999]] {
            assert!(kept.contains(&point), "{point:?}");
        }
        let outcome = with_readings(points);
        let drawn = record(outcome.gauges[0].observed.as_ref(), 20.0);
        assert_eq!(drawn["time_s"].as_array().map(Vec::len), Some(21));
    }
}
