//! Passages of the barriers: `barriers.csv`, `barriers.json`, and their part of the page's record.
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
//! line had, because it was dry, is an empty cell. If a run has no barriers the table has its
//! header only and the list is empty.
//!
//! Limits: peaks and volumes are from the readings, about a thousand a run.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::passages::{self, rounded};
use crate::outcome::{BarrierPassage, FloodOutcome};

const HEADER: [&str; 5] = ["time_s", "name", "discharge_m3_s", "left_stage_m", "right_stage_m"];

/// Writes all readings.
///
/// # Errors
///
/// Errors of writing to `target`.
pub fn write_series(barriers: &[BarrierPassage], target: &mut dyn Write) -> io::Result<()> {
    let readings = barriers.iter().map(|barrier| (&*barrier.name, &barrier.passage));
    passages::write_series(HEADER, readings, target)
}

/// Writes the list of barriers.
///
/// # Errors
///
/// Errors of writing to `target`.
pub fn write_list(barriers: &[BarrierPassage], target: &mut dyn Write) -> io::Result<()> {
    let list: Vec<Value> = barriers.iter().map(summary).collect();
    passages::write_list(&list, target)
}

/// Returns the passage of a barrier, in numbers.
fn summary(barrier: &BarrierPassage) -> Value {
    let [low, high] = barrier.crest_m;
    let mut value = json!({
        "name": barrier.name,
        "path": barrier.path,
        "length_m": rounded(barrier.length_m),
        "crest_low_m": low,
        "crest_high_m": high,
        "overtopped_s": barrier.overtopped_s,
        "breached_s": barrier.breached_s,
    });
    passages::add_sums(&mut value, &barrier.passage, ["to_right_m3", "to_left_m3"]);
    value
}

/// Returns the barriers of `outcome` as the page draws them.
#[must_use]
pub fn record(outcome: &FloodOutcome) -> Value {
    let drawn = |barrier: &BarrierPassage| {
        let mut value = summary(barrier);
        passages::add_series(&mut value, &barrier.passage, outcome.barriers.len());
        value
    };
    outcome.barriers.iter().map(drawn).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::PassageReadings;

    fn barrier() -> BarrierPassage {
        BarrierPassage {
            name: "sluice, \"old\"".into(),
            path: vec![[0.0, 0.0], [3.0, 4.0]],
            length_m: 5.0,
            crest_m: [2.0, 2.0],
            passage: PassageReadings {
                time_s: (0..100).map(f64::from).collect(),
                discharge_m3_s: (0..100).map(|k| if k == 37 { -9.0 } else { 1.0 }).collect(),
                stages_m: [(0..100).map(|k| f64::from(k) / 100.0).collect(), vec![f64::NAN; 100]],
            },
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
}
