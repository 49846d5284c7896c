//! Faults of the terrain, from a map to the report.
//!
//! Goal: a dam and a pit that hold much of the event's water are told first, with their places, and
//!       with the culvert that mends the dam; a scenario that has it is left in peace.
//! Method: a valley that falls to the west, with an embankment across and a pit in its side.

use std::fs;
use std::path::Path;

use serde_json::Value;
use testkit::{Program, grid, holds, number};

const FLOOD: Program = Program(env!("CARGO_BIN_EXE_flood-preview"));

const SIZE: (usize, usize) = (120, 60);
const CELL_M: f64 = 10.0;

/// The valley, whose south-west corner is at 1000, 2000.
fn valley(is_faulty: bool) -> String {
    grid(SIZE, CELL_M, |column, row| {
        let (x, y) = (column as f64, row as f64 - 30.0);
        let smooth = 0.15 * x + 0.02 * y * y;
        if !is_faulty {
            return format!("{smooth:.4}");
        }
        let crest = if (59..=61).contains(&column) { 13.0 } else { 0.0 };
        let far = (x - 90.0).hypot(y - 15.0) / 3.0;
        format!("{:.4}", smooth.max(crest) - 4.0 * (1.0 - far * far).max(0.0))
    })
}

const STORM: &str = "[map]\nfile = \"dem.asc\"\n[run]\nfor = \"40min\"\n[output]\nframes = 1\n\
                     [[rain]]\nrate = \"60mm/h\"\nfor = \"20min\"\n";

/// Output of a run, its figures and its page.
#[track_caller]
fn flood(folder: &Path) -> (String, Value, String) {
    let said = FLOOD.said(folder, "s.toml");
    let read = |name: &str| fs::read_to_string(folder.join("flood-preview-out").join(name));
    let figures = serde_json::from_str(&read("summary.json").expect("figures")).expect("JSON");
    (said, figures, read("report.html").expect("a report"))
}

/// Column and row of a place of the figures.
fn cell(place: &Value) -> (f64, f64) {
    let [x, y] = [0, 1].map(|i| place[i].as_f64().expect("a coordinate"));
    ((x - 1000.0) / CELL_M - 0.5, SIZE.1 as f64 - (y - 2000.0) / CELL_M - 0.5)
}

#[track_caller]
fn near(found: (f64, f64), expected: (f64, f64), cells: f64) {
    let far = (found.0 - expected.0).hypot(found.1 - expected.1);
    assert!(far <= cells, "{found:?}, expected {expected:?}");
}

#[test]
fn a_dam_and_a_pit_are_told_with_what_mends_them() {
    let files = [("dem.asc", valley(true)), ("s.toml", STORM.to_owned())];
    let folder = testkit::folder(&files);
    let (said, figures, page) = flood(folder.path());
    let faults = figures["terrain_faults"].as_array().expect("faults");
    let [dam, pit] = faults.as_slice() else { panic!("{faults:?}") };
    assert_eq!((&dam["kind"], &pit["kind"]), (&"blocked culvert".into(), &"pit".into()));
    near(cell(&dam["at"]), (62.0, 30.0), 1.5);
    near(cell(&dam["to"]), (58.0, 30.0), 1.5);
    near(cell(&pit["at"]), (90.0, 45.0), 1.5);
    assert!(pit["to"].is_null());
    // About half of the rain falls upstream of the dam, and stays there.
    let rain_m3 = 0.02 * 7200.0 * CELL_M * CELL_M;
    let part = number(dam, "held_m3") / rain_m3;
    assert!((0.25..0.5).contains(&part) && (part - number(dam, "part")).abs() < 0.01, "{dam}");
    assert!(number(pit, "held_m3") > 14.0 && number(pit, "part") < number(dam, "part"), "{pit}");
    assert_eq!(figures["terrain_faults_found"]["blocked culvert"], 1);
    holds(
        &said,
        &["terrain to check: blocked culvert at 16", "of the water; 1 more in the report"],
    );
    let [from, to] = ["at", "to"].map(|end| format!("[{}, {}]", dam[end][0], dam[end][1]));
    let [from, to] = [from, to].map(|place| place.replace(".0", ""));
    let culvert = format!(
        "[[culvert]]\nname = \"missing culvert 1\"\nfrom = {from}\nto = {to}\ndiameter = \"1m\""
    );
    let typed = culvert.replace('"', "&quot;");
    holds(&page, &["Terrain to check</h2>", ">blocked culvert</th>", ">pit</th>", &typed]);
    let out = folder.path().join("flood-preview-out");
    let table = fs::read_to_string(out.join("terrain_faults.csv")).expect("a table");
    assert!(table.lines().nth(1).is_some_and(|line| line.starts_with("blocked culvert,16")));

    // With the culvert of the page water passes the dam, which is no fault any more.
    let mended = format!("{STORM}{culvert}\n");
    testkit::put(folder.path(), &[("s.toml", mended)]);
    let (said, figures, page) = flood(folder.path());
    holds(&said, &["culvert missing culvert 1: peak ", " m³ to its end"]);
    let faults = figures["terrain_faults"].to_string();
    assert!(!faults.contains("blocked culvert") && faults.contains("\"pit\""), "{faults}");
    assert!(!page.contains("name = &quot;missing culvert"), "the culvert is there");

    // A reservoir that was there before the event is no fault.
    let full = format!("{STORM}[initial]\nstage = 12.9\n");
    testkit::put(folder.path(), &[("s.toml", full)]);
    let (_, figures, _) = flood(folder.path());
    let faults = figures["terrain_faults"].to_string();
    assert!(!faults.contains("blocked culvert") && faults.contains("\"pit\""), "{faults}");
}

#[test]
fn a_valley_that_drains_has_no_faults() {
    let files = [("dem.asc", valley(false)), ("s.toml", STORM.to_owned())];
    let folder = testkit::folder(&files);
    // What an earlier run left goes.
    let old = folder.path().join("flood-preview-out/terrain_faults.csv");
    fs::create_dir(folder.path().join("flood-preview-out")).expect("writable");
    fs::write(&old, "old").expect("writable");
    let (said, figures, page) = flood(folder.path());
    assert_eq!(figures["terrain_faults"], serde_json::json!([]));
    assert!(!said.contains("terrain to check") && !old.exists(), "{said}");
    assert!(page.contains("aria-labelledby=\"faults-name\" hidden"));
}
