//! Readings of the water that passed structures: as rows of a table, and thinned for the page.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::outcome::PassageReadings;

/// Approximate number of readings of all structures of one kind that the page draws.
const READINGS: usize = 60_000;

/// Writes all readings of structures by their names, under `header`.
pub fn write_series<'a>(
    header: [&str; 5],
    structures: impl Iterator<Item = (&'a str, &'a PassageReadings)>,
    target: &mut dyn Write,
) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(target);
    table.write_record(header)?;
    for (name, passage) in structures {
        let [one, other] = &passage.stages_m;
        for (index, time) in passage.time_s.iter().enumerate() {
            table.write_record([
                &time.to_string(),
                name,
                &number(passage.discharge_m3_s[index]),
                &number(one[index]),
                &number(other[index]),
            ])?;
        }
    }
    table.flush()
}

/// Writes a list of structures.
pub fn write_list(list: &[Value], target: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *target, list)?;
    writeln!(target)
}

/// Adds all that passed to the record of a structure: forwards and backwards under two names.
pub fn add_sums(value: &mut Value, passage: &PassageReadings, ways: [&str; 2]) {
    let (peak_s, peak) = passage.peak().unzip();
    value["peak_discharge_m3_s"] = json!(peak.map(rounded));
    value["peak_s"] = json!(peak_s);
    value["largest_head_m"] = json!(passage.largest_head_m().map(rounded));
    for (way, volume) in ways.into_iter().zip(passage.volumes_m3()) {
        value[way] = json!(rounded(volume));
    }
}

/// Adds the discharge over time as the page draws it for one of `count` structures.
pub fn add_series(value: &mut Value, passage: &PassageReadings, count: usize) {
    let kept = kept(passage, READINGS / count.max(1));
    let series = |values: &[f64]| -> Vec<f64> { kept.iter().map(|&at| values[at]).collect() };
    value["time_s"] = json!(series(&passage.time_s));
    let discharge = series(&passage.discharge_m3_s);
    value["discharge_m3_s"] = json!(discharge.into_iter().map(rounded).collect::<Vec<_>>());
}

/// Returns the readings to keep if there may be about `most`: at equal intervals, and the peak.
fn kept(passage: &PassageReadings, most: usize) -> Vec<usize> {
    let stride = passage.time_s.len().div_ceil(most.max(1)).max(1);
    let peak_s = passage.peak().map_or(0.0, |(time, _)| time);
    let is_kept = |index: &usize| {
        index.is_multiple_of(stride) || passage.time_s[*index].total_cmp(&peak_s).is_eq()
    };
    (0..passage.time_s.len()).filter(is_kept).collect()
}

fn number(value: f64) -> String {
    if value.is_finite() { rounded(value).to_string() } else { String::new() }
}

/// Rounds to four decimals.
pub fn rounded(value: f64) -> f64 {
    (value * 1.0e4).round() / 1.0e4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thinned_series_keeps_its_peak() {
        let passage = PassageReadings {
            time_s: (0..100).map(f64::from).collect(),
            discharge_m3_s: (0..100).map(|k| if k == 37 { -9.0 } else { 1.0 }).collect(),
            stages_m: [vec![0.0; 100], vec![0.0; 100]],
        };
        let kept = kept(&passage, 10);
        assert!(kept.len() == 11 && kept.contains(&37), "{kept:?}");
        let mut value = json!({});
        add_series(&mut value, &passage, READINGS / 10);
        assert_eq!(value["discharge_m3_s"].as_array().map(Vec::len), Some(11));
    }
}
