//! Water that runs into NoData inside a map, through the real program.

use std::fs;
use std::process::Command;

use serde_json::Value;

/// 12 × 10 cells of 5 m: a bowl that drains into a hole of NoData in its middle.
fn bowl() -> String {
    let mut text = "ncols 12\nnrows 10\nxllcorner 1000\nyllcorner 2000\ncellsize 5\n\
                    NODATA_value -9999\n"
        .to_owned();
    for row in 0..10 {
        for column in 0..12 {
            let away = (f64::from(column) - 5.5).abs().max((f64::from(row) - 4.5).abs());
            text += &format!("{} ", if away < 1.0 { -9999.0 } else { 5.0 + away });
        }
        text.push('\n');
    }
    text
}

/// Goal: the first page says what NoData took, and what it names helps.
#[test]
fn nodata_that_swallows_water_is_said_on_the_first_page() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("bowl.asc"), bowl()).expect("writable");
    let out = folder.path().join("flood-preview-out");
    for (edge, is_open) in [("open", true), ("wall", false)] {
        let line =
            format!("bowl.asc --rain 60mm/h --rain-for 5min --for 10min --edge nodata={edge}");
        let mut program = Command::new(env!("CARGO_BIN_EXE_flood-preview"));
        let run = program.args(line.split_whitespace()).current_dir(folder.path()).output();
        let run = run.expect("it starts");
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        let said = String::from_utf8_lossy(&run.stdout).into_owned();
        let page = fs::read_to_string(out.join("report.html")).expect("a report");
        let (first, _) = page.split_once("id=\"layers\"").expect("figures, then maps");
        let ledger = fs::read_to_string(out.join("ledger.json")).expect("a ledger");
        let ledger: Value = serde_json::from_str(&ledger).expect("sound JSON");
        let units = ledger["out"]["nodata edge"]
            .as_str()
            .map_or(0.0, |text| text.parse::<f64>().expect("an integer"));
        let lost = units * ledger["unit_m3"].as_f64().expect("a number");
        assert_eq!(lost > 1.0, is_open, "{lost} m³");
        for text in [said.as_str(), first] {
            let is_told = text.contains("--edge nodata=wall (") && text.contains("of the water (");
            assert_eq!(is_told, is_open, "{text}");
            assert!(!is_open || text.contains(&format!("({lost:.0} m³)")), "{lost} m³: {text}");
        }
    }
}
