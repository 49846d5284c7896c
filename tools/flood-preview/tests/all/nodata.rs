//! Water that runs into NoData inside a map, through the real program.

use std::fs;

use serde_json::Value;
use testkit::{Program, grid};

const FLOOD: Program = Program(env!("CARGO_BIN_EXE_flood-preview"));

/// 12 × 10 cells of 5 m: a bowl that drains into a hole of NoData in its middle.
fn bowl() -> String {
    grid((12, 10), 5.0, |column, row| {
        let away = (column as f64 - 5.5).abs().max((row as f64 - 4.5).abs());
        if away < 1.0 { -9999.0 } else { 5.0 + away }
    })
}

/// Goal: holes of NoData are walls unless they are opened; the first page says so, and what an open
/// one took.
#[test]
fn holes_that_swallow_water_are_said_on_the_first_page() {
    let folder = testkit::folder(&[("bowl.asc", bowl())]);
    let out = folder.path().join("flood-preview-out");
    for (edge, is_open) in [("--edge holes=open", true), ("", false), ("--edges open", false)] {
        let line = format!("bowl.asc --rain 60mm/h --rain-for 5min --for 10min {edge}");
        let said = FLOOD.said(folder.path(), &line);
        let page = fs::read_to_string(out.join("report.html")).expect("a report");
        let (screen, rest) = page.split_once("id=\"layers\"").expect("an answer, then maps");
        let (first, _) = rest.split_once("id=\"gauges-card\"").expect("limits, then gauges");
        let ledger = fs::read_to_string(out.join("ledger.json")).expect("a ledger");
        let ledger: Value = serde_json::from_str(&ledger).expect("sound JSON");
        let units = ledger["out"]["holes edge"]
            .as_str()
            .map_or(0.0, |text| text.parse::<f64>().expect("an integer"));
        let lost = units * ledger["unit_m3"].as_f64().expect("a number");
        assert_eq!(lost > 1.0, is_open, "{lost} m³");
        assert_eq!(screen.contains(&format!("of the water ({lost:.0} m³)")), is_open, "{screen}");
        for text in [said.as_str(), first] {
            let is_told = text.contains("leave --edge holes=") && text.contains("of the water (");
            assert_eq!(is_told, is_open, "{text}");
            let wall = "hole of NoData in the ground (100 m²) is a wall, as houses are";
            assert_eq!(text.contains(wall), !is_open, "{text}");
            assert!(!is_open || text.contains(&format!("({lost:.0} m³)")), "{lost} m³: {text}");
        }
    }
}
