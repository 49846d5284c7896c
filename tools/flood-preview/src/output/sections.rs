//! Water that passed sections and edges: `sections.csv`, `edges.csv`, their figures, and their part
//! of the page's record.
//!
//! ```text
//! time_s,name,discharge_m3_s,stage_m,volume_m3
//! 60,weir,1.25,9.31,40.5
//! ```
//!
//! A discharge is the mean since the reading before: times the time between them it adds up to the
//! volumes, which are the exact sums. Edges have no stage.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::observed;
use super::passages::rounded;
use crate::outcome::{Outlet, SectionRecord};

/// Approximate number of readings of all sections, or of all edges, that the page draws.
const READINGS: usize = 60_000;

/// Writes all readings of sections.
///
/// # Errors
///
/// Errors of writing to `target`.
pub fn write_sections(sections: &[SectionRecord], target: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(target);
    table.write_record(["time_s", "name", "discharge_m3_s", "stage_m", "volume_m3"])?;
    for section in sections {
        for (index, time) in section.time_s.iter().enumerate() {
            let stage = section.stage_m[index];
            table.write_record([
                &time.to_string(),
                &section.name,
                &rounded(section.discharge_m3_s[index]).to_string(),
                &if stage.is_finite() { rounded(stage).to_string() } else { String::new() },
                &rounded(section.volume_m3[index]).to_string(),
            ])?;
        }
    }
    table.flush()
}

/// Writes all readings of edges.
///
/// # Errors
///
/// Errors of writing to `target`.
pub fn write_edges(edges: &[SectionRecord], target: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(target);
    table.write_record(["time_s", "name", "discharge_m3_s", "volume_m3"])?;
    for edge in edges {
        for (index, time) in edge.time_s.iter().enumerate() {
            table.write_record([
                &time.to_string(),
                &edge.name,
                &rounded(edge.discharge_m3_s[index]).to_string(),
                &rounded(edge.volume_m3[index]).to_string(),
            ])?;
        }
    }
    table.flush()
}

/// Returns the figures of a section.
#[must_use]
pub fn section(section: &SectionRecord) -> Value {
    let [right, left] = section.ways_m3;
    json!({
        "name": section.name,
        "line": section.path,
        "peak_discharge": peak(section),
        "max_stage": section.highest().map(|(time_s, stage)| {
            json!({"stage_m": rounded(stage), "time_s": time_s})
        }),
        "to_the_right_m3": right,
        "to_the_left_m3": left,
        "observed": observed::figures(section.observed.as_ref(), section.fit().as_ref()),
    })
}

/// Returns the figures of an edge.
#[must_use]
pub fn edge(edge: &SectionRecord) -> Value {
    let [out, into] = edge.ways_m3;
    json!({
        "name": edge.name,
        "peak_discharge": peak(edge),
        "out_m3": out,
        "in_m3": into,
    })
}

/// Returns the figures of an outlet.
#[must_use]
pub fn outlet(outlet: &Outlet) -> Value {
    let [from, to] = outlet.ends;
    json!({
        "edge": outlet.edge,
        "from": from,
        "to": to,
        "out_m3": outlet.volume_m3,
        "share": rounded(outlet.share),
        "inflow": outlet.inflow.as_ref().map(|(name, away_m)| {
            json!({"name": name, "away_m": rounded(*away_m)})
        }),
    })
}

fn peak(section: &SectionRecord) -> Value {
    section.peak().map_or(
        Value::Null,
        |(time_s, discharge)| json!({"discharge_m3_s": rounded(discharge), "time_s": time_s}),
    )
}

/// Returns the sections or edges as the page draws them.
#[must_use]
pub fn record<'a>(sections: impl Iterator<Item = &'a SectionRecord>) -> Value {
    let sections: Vec<&SectionRecord> = sections.collect();
    let drawn = |section: &&SectionRecord| {
        let most = (READINGS / sections.len().max(1)).max(1);
        let stride = section.time_s.len().div_ceil(most).max(1);
        let peak_s = section.peak().map_or(0.0, |(time_s, _)| time_s);
        let is_kept = |&index: &usize| {
            index.is_multiple_of(stride) || section.time_s[index].total_cmp(&peak_s).is_eq()
        };
        let kept: Vec<usize> = (0..section.time_s.len()).filter(is_kept).collect();
        let end_s = section.time_s.last().copied().unwrap_or(0.0);
        let times: Vec<f64> = kept.iter().map(|&index| section.time_s[index]).collect();
        let discharges = kept.iter().map(|&index| rounded(section.discharge_m3_s[index]));
        json!({
            "name": section.name,
            "path": section.path,
            "time_s": times,
            "discharge_m3_s": discharges.collect::<Vec<f64>>(),
            "observed": observed::record(section.observed.as_ref(), end_s),
        })
    };
    sections.iter().map(drawn).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dry_section_has_no_stage_and_an_edge_no_column_of_it() {
        let mut weir = SectionRecord { name: "old weir, west".into(), ..SectionRecord::default() };
        weir.note(0.0, 0.0, None);
        weir.note(4.0, 5.0, Some(1.25));
        let text = |write: fn(&[SectionRecord], &mut dyn Write) -> io::Result<()>| {
            let mut file = Vec::new();
            write(std::slice::from_ref(&weir), &mut file).expect("memory");
            String::from_utf8(file).expect("text")
        };
        let sections = "time_s,name,discharge_m3_s,stage_m,volume_m3\n\
                        0,\"old weir, west\",0,,0\n4,\"old weir, west\",1.25,1.25,5\n";
        assert_eq!(text(write_sections), sections);
        let edges = "time_s,name,discharge_m3_s,volume_m3\n\
                     0,\"old weir, west\",0,0\n4,\"old weir, west\",1.25,5\n";
        assert_eq!(text(write_edges), edges);
    }
}
