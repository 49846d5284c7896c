//! Units of rasters of rain, through the real program.

use std::fs;

use serde_json::Value;
use testkit::{Program, folder, grid};

const FLOOD: Program = Program(env!("CARGO_BIN_EXE_flood-preview"));

/// An `.aux.xml` file with one element for band 1.
fn aux(element: &str) -> String {
    format!("<PAMDataset><PAMRasterBand band=\"1\">{element}</PAMRasterBand></PAMDataset>")
}

/// Goal: a raster of rain rains what its unit says, or asks.
/// Method: 24 of a unit for 10 minutes on 20 × 20 cells of 10 m, by hand.
#[test]
fn rasters_of_rain_have_units() {
    let dem = grid((20, 20), 10.0, |column, row| 10.0 + (column + row) as f64 / 10.0);
    let rain = grid((20, 20), 10.0, |_, _| 24.0);
    let run = "dem.asc --for 10min --edges wall --frames 0 --rain rain.asc";
    for (unit, option, depth_mm) in [
        ("", "", 4.0),
        ("<UnitType>mm/d</UnitType>", "", 1.0 / 6.0),
        ("<UnitType>inch/h</UnitType>", "", 101.6),
        ("<UnitType>mm</UnitType>", "--rain-for 10min", 24.0),
        ("<UnitType>mm</UnitType>", "--rain-step 20min", 12.0),
        ("<UnitType>mm</UnitType>", "--rain-unit mm/h", 4.0),
        ("", "--rain-unit mm/h --rain-for 5min", 2.0),
    ] {
        let files = [("dem.asc", dem.clone()), ("rain.asc", rain.clone())];
        let folder = folder(&files);
        fs::write(folder.path().join("rain.asc.aux.xml"), aux(unit)).expect("writable");
        FLOOD.said(folder.path(), &format!("{run} {option}"));
        let ledger = folder.path().join("flood-preview-out/ledger.json");
        let ledger = fs::read_to_string(ledger).expect("a ledger");
        let ledger: Value = serde_json::from_str(&ledger).expect("sound JSON");
        let units: f64 = ledger["in"]["rain"].as_str().expect("units").parse().expect("a number");
        let rain_m3 = units * ledger["unit_m3"].as_f64().expect("a number");
        let expected_m3 = 40_000.0 * depth_mm * 1.0e-3;
        let off = (rain_m3 - expected_m3).abs();
        assert!(off < 1.0e-3 * expected_m3, "{unit} {option}: {rain_m3} of {expected_m3} m³");
    }
}
