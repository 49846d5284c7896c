//! `gauges.csv`: every sample of every gauge, one per line.
//!
//! ```text
//! time_s,name,stage_m,depth_m,speed_m_s
//! 60,bridge,12.503,0.213,0.88
//! ```
//!
//! Gauges are in the order of the input; names are quoted if they contain commas or quotes (RFC
//! 4180); a value that was not recorded is an empty cell. A run without gauges has no file.

use std::io::{self, Write};

use crate::outcome::GaugeRecord;

/// Writes all series.
///
/// # Errors
///
/// Errors of writing to `target`.
pub fn write(gauges: &[GaugeRecord], target: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(target);
    table.write_record(["time_s", "name", "stage_m", "depth_m", "speed_m_s"])?;
    for gauge in gauges {
        for (index, time) in gauge.time_s.iter().enumerate() {
            table.write_record([
                &time.to_string(),
                &gauge.name,
                &number(gauge.stage_m.get(index)),
                &number(gauge.depth_m.get(index)),
                &number(gauge.speed_m_s.get(index)),
            ])?;
        }
    }
    table.flush()
}

fn number(value: Option<&f32>) -> String {
    match value {
        Some(value) if value.is_finite() => value.to_string(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_and_gaps_are_empty() {
        let gauge = GaugeRecord {
            name: "weir, \"old\"".into(),
            bed_m: 1.0,
            time_s: vec![0.0, 0.5],
            stage_m: vec![1.0, 1.25],
            depth_m: vec![0.0, 0.25],
            speed_m_s: vec![f32::NAN, 0.1],
            ..GaugeRecord::default()
        };
        let mut file = Vec::new();
        write(&[gauge], &mut file).expect("memory");
        assert_eq!(
            String::from_utf8(file).expect("text"),
            "time_s,name,stage_m,depth_m,speed_m_s\n\
             0,\"weir, \"\"old\"\"\",1,0,\n\
             0.5,\"weir, \"\"old\"\"\",1.25,0.25,0.1\n"
        );
    }
}
