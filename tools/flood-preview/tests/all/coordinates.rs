//! Maps whose coordinates are not metres, through the real program.

use std::fs;

use rasters::{Hints, open};
use serde_json::Value;
use testkit::{Program, folder, grid};

const FLOOD: Program = Program(env!("CARGO_BIN_EXE_flood-preview"));

const SURVEY_FEET: &str = "PROJCS[\"Own_Feet\",GEOGCS[\"GCS_North_American_1983\",\
     UNIT[\"Degree\",0.0174532925199433]],UNIT[\"Foot_US\",0.3048006096012192]]";

/// Goal: rain falls on the area in square metres, while places keep the coordinates of the file.
/// Method: 40 × 40 cells of 32.8083333 US survey feet are 400 × 400 m, on which 10 mm are 1,600 m³.
#[test]
fn maps_in_feet_have_areas_in_metres() {
    let dem = grid((40, 40), 32.808_333_3, |column, row| 10.0 + (column + row) as f64 / 10.0);
    let folder = folder(&[("dem.asc", dem), ("dem.prj", SURVEY_FEET.to_owned())]);
    let out = folder.path().join("flood-preview-out");
    let source = open(&folder.path().join("dem.asc"), &Hints::default()).expect("sound");
    let map = source.grid().clone();
    let [x, y] = [map.easting(30), map.northing(10)];
    for (option, cells_m2, note) in [
        ("", 100.0, "--map-cell"),
        ("--map-cell 20", 400.0, "20 m (--map-cell), and not 10 m (.prj)"),
    ] {
        let line = format!(
            "dem.asc --rain 60mm/h --rain-for 10min --for 10min --edges wall --gauge mill={x},{y} \
             {option}"
        );
        let said = FLOOD.said(folder.path(), &line);
        let ledger = fs::read_to_string(out.join("ledger.json")).expect("a ledger");
        let ledger: Value = serde_json::from_str(&ledger).expect("sound JSON");
        let units: f64 = ledger["in"]["rain"].as_str().expect("units").parse().expect("a number");
        let rain_m3 = units * ledger["unit_m3"].as_f64().expect("a number");
        let expected_m3 = 1600.0 * cells_m2 * 0.01;
        assert!((rain_m3 - expected_m3).abs() < 1.0e-3 * expected_m3, "{rain_m3} m³");
        assert_eq!(said.contains(note), !option.is_empty(), "{said}");
        let written = open(&out.join("max_depth.tif"), &Hints::default()).expect("a map");
        let written = written.grid();
        assert!((written.west - map.west).abs() < 1.0e-6 && written.width == 40, "{written:?}");
        assert!((written.step_x - map.step_x).abs() < 1.0e-3, "{written:?}");
        assert_eq!(written.unit.to_string(), "US survey feet");
    }
}
