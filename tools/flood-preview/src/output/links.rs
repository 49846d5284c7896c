//! Passages of culverts, pumps and drains: `links.csv`, `links.json`, and their part of the page's
//! record.
//!
//! ```text
//! time_s,name,discharge_m3_s,from_stage_m,to_stage_m
//! 60,mill race,1.25,9.31,8.7
//! ```
//!
//! ```text
//! [{ "kind": "culvert", "name": "mill race", "path": [[0, 0], [30, 0]],
//!    "peak_discharge_m3_s": 1.25, "peak_s": 60, "largest_head_m": 0.6, "began_s": 5,
//!    "full_s": 40, "forwards_m3": 700, "backwards_m3": 0 }]
//! ```
//!
//! A discharge is positive from the beginning to the end. The stage of a dry place is its bed;
//! outside the world the stage is missing, and the path has one place only.
//!
//! Limits: peaks, volumes and moments are from the readings, about a thousand a run.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::passages;
use crate::outcome::{FloodOutcome, LinkPassage};

const HEADER: [&str; 5] = ["time_s", "name", "discharge_m3_s", "from_stage_m", "to_stage_m"];

/// Writes all readings.
///
/// # Errors
///
/// Errors of writing to `target`.
pub fn write_series(links: &[LinkPassage], target: &mut dyn Write) -> io::Result<()> {
    let readings = links.iter().map(|link| (&*link.name, &link.passage));
    passages::write_series(HEADER, readings, target)
}

/// Writes the list of links.
///
/// # Errors
///
/// Errors of writing to `target`.
pub fn write_list(links: &[LinkPassage], target: &mut dyn Write) -> io::Result<()> {
    let list: Vec<Value> = links.iter().map(summary).collect();
    passages::write_list(&list, target)
}

/// Returns the passage of a link, in numbers.
fn summary(link: &LinkPassage) -> Value {
    let mut value = json!({
        "kind": link.kind,
        "name": link.name,
        "path": link.path,
        "began_s": link.began_s,
        "full_s": link.full_s,
    });
    passages::add_sums(&mut value, &link.passage, ["forwards_m3", "backwards_m3"]);
    value
}

/// Returns the links of `outcome` as the page draws them.
#[must_use]
pub fn record(outcome: &FloodOutcome) -> Value {
    let drawn = |link: &LinkPassage| {
        let mut value = summary(link);
        passages::add_series(&mut value, &link.passage, outcome.links.len());
        value
    };
    outcome.links.iter().map(drawn).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::PassageReadings;

    #[test]
    fn a_drain_has_one_stage_and_one_place() {
        let drain = LinkPassage {
            kind: "drain",
            name: "yard".into(),
            path: vec![[3.0, 4.0]],
            passage: PassageReadings {
                time_s: vec![0.0, 10.0],
                discharge_m3_s: vec![0.0, 0.5],
                stages_m: [vec![1.0, 1.25], vec![f64::NAN; 2]],
            },
            began_s: Some(10.0),
            full_s: None,
        };
        let mut file = Vec::new();
        write_series(std::slice::from_ref(&drain), &mut file).expect("memory");
        let text = String::from_utf8(file).expect("text");
        assert!(text.ends_with("from_stage_m,to_stage_m\n0,yard,0,1,\n10,yard,0.5,1.25,\n"));
        let mut file = Vec::new();
        write_list(&[drain], &mut file).expect("memory");
        let list: Value = serde_json::from_slice(&file).expect("JSON");
        assert_eq!(list[0]["forwards_m3"], 2.5);
        assert_eq!(list[0]["path"], json!([[3.0, 4.0]]));
        assert!(list[0]["full_s"].is_null() && list[0]["largest_head_m"].is_null());
    }
}
