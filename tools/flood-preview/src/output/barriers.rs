//! What passed the barriers: `barriers.csv`, `barriers.json`, and their part of the page's record.
//!
//! ```text
//! time_s,name,discharge_m3_s,left_stage_m,right_stage_m
//! 60,levee,12.5,9.31,
//! ```
//!
//! ```text
//! [{ "name": "levee", "length_m": 500, "crest_low_m": 9, "crest_high_m": 9.2,
//!    "peak_discharge_m3_s": 12.5, "peak_s": 60, "overtopped_s": 55, "breached_s": null,
//!    "to_right_m3": 700, "to_left_m3": 0, "largest_head_m": 2.1, "path": [[0, 0], [0, 500]] }]
//! ```
//!
//! A discharge is positive to the right of the line as it is drawn. A stage that no cell along the
//! line had, because it was dry, is an empty cell. Without barriers the table has its header only
//! and the list is empty.
//!
//! Limits: peaks and volumes are those of the readings, about a thousand a run.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::outcome::{Barrier, Outcome};

/// Readings of all barriers together that the page draws, about.
const READINGS: usize = 60_000;

/// Writes all readings.
///
/// # Errors
///
/// What writing to `target` reports.
pub fn write_series(barriers: &[Barrier], target: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(target);
    table.write_record(["time_s", "name", "discharge_m3_s", "left_stage_m", "right_stage_m"])?;
    for barrier in barriers {
        for (index, time) in barrier.time_s.iter().enumerate() {
            table.write_record([
                &time.to_string(),
                &barrier.name,
                &number(barrier.discharge_m3_s[index]),
                &number(barrier.left_m[index]),
                &number(barrier.right_m[index]),
            ])?;
        }
    }
    table.flush()
}

fn number(value: f64) -> String {
    if value.is_finite() { rounded(value).to_string() } else { String::new() }
}

fn rounded(value: f64) -> f64 {
    (value * 1.0e4).round() / 1.0e4
}

/// Writes the list of barriers.
///
/// # Errors
///
/// What writing to `target` reports.
pub fn write_list(barriers: &[Barrier], target: &mut dyn Write) -> io::Result<()> {
    let list: Vec<Value> = barriers.iter().map(summary).collect();
    serde_json::to_writer_pretty(&mut *target, &list)?;
    writeln!(target)
}

/// What a barrier passed, in numbers.
fn summary(barrier: &Barrier) -> Value {
    let (peak_s, peak) = barrier.peak().unzip();
    let [right, left] = barrier.volumes_m3();
    let [low, high] = barrier.crest_m;
    json!({
        "name": barrier.name,
        "path": barrier.path,
        "length_m": rounded(barrier.length_m),
        "crest_low_m": low,
        "crest_high_m": high,
        "peak_discharge_m3_s": peak.map(rounded),
        "peak_s": peak_s,
        "largest_head_m": barrier.largest_head_m().map(rounded),
        "overtopped_s": barrier.overtopped_s,
        "breached_s": barrier.breached_s,
        "to_right_m3": rounded(right),
        "to_left_m3": rounded(left),
    })
}

/// The barriers of `outcome` as the page draws them.
#[must_use]
pub fn record(outcome: &Outcome) -> Value {
    let most = READINGS / outcome.barriers.len().max(1);
    outcome.barriers.iter().map(|barrier| drawn(barrier, most)).collect()
}

fn drawn(barrier: &Barrier, most: usize) -> Value {
    let mut value = summary(barrier);
    let stride = barrier.time_s.len().div_ceil(most.max(1)).max(1);
    let peak_s = barrier.peak().map_or(0.0, |(time, _)| time);
    let is_kept = |index: &usize| {
        index.is_multiple_of(stride) || barrier.time_s[*index].total_cmp(&peak_s).is_eq()
    };
    let kept: Vec<usize> = (0..barrier.time_s.len()).filter(is_kept).collect();
    let series = |values: &[f64]| -> Vec<f64> { kept.iter().map(|&at| values[at]).collect() };
    value["time_s"] = json!(series(&barrier.time_s));
    let discharge = series(&barrier.discharge_m3_s);
    value["discharge_m3_s"] = json!(discharge.into_iter().map(rounded).collect::<Vec<_>>());
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn barrier() -> Barrier {
        Barrier {
            name: "sluice, \"old\"".into(),
            path: vec![[0.0, 0.0], [3.0, 4.0]],
            length_m: 5.0,
            crest_m: [2.0, 2.0],
            time_s: (0..100).map(f64::from).collect(),
            discharge_m3_s: (0..100).map(|k| if k == 37 { -9.0 } else { 1.0 }).collect(),
            left_m: (0..100).map(|k| f64::from(k) / 100.0).collect(),
            right_m: vec![f64::NAN; 100],
            overtopped_s: Some(12.0),
            breached_s: None,
        }
    }

    #[test]
    fn names_are_quoted_and_dry_sides_are_empty() {
        let mut file = Vec::new();
        write_series(&[barrier()], &mut file).expect("memory");
        let text = String::from_utf8(file).expect("text");
        assert_eq!(text.lines().count(), 101);
        assert!(text.contains("\n2,\"sluice, \"\"old\"\"\",1,0.02,\n"), "{text}");
    }

    #[test]
    fn the_list_holds_what_passed() {
        let mut file = Vec::new();
        write_list(&[barrier()], &mut file).expect("memory");
        let list: Value = serde_json::from_slice(&file).expect("JSON");
        assert_eq!(list[0]["peak_discharge_m3_s"], -9.0);
        assert_eq!(list[0]["peak_s"], 37.0);
        assert_eq!(list[0]["overtopped_s"], 12.0);
        assert!(list[0]["breached_s"].is_null() && list[0]["largest_head_m"].is_null());
    }

    #[test]
    fn a_thinned_series_keeps_its_peak() {
        let value = drawn(&barrier(), 10);
        let flows = value["discharge_m3_s"].as_array().expect("a list");
        assert!(flows.len() == 11 && flows.contains(&json!(-9.0)), "{flows:?}");
    }
}
