//! Sections of a scenario and of the command line, from their line to the report.
//!
//! Goal: the volume across a line from edge to edge is what lies beyond it, in all outputs; a bad
//!       line is refused in one line.
//! Method: a flat basin between walls, with an inflow in the west.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;
use testkit::{Program, grid, raster};

const FLOOD: Program = Program(env!("CARGO_BIN_EXE_flood-preview"));

const WIDTH: usize = 40;

/// A basin of 5 m cells, its south-west corner at 1000, 2000; the rows north of 2100 are `NoData`.
fn folder(sections: &str) -> TempDir {
    let basin = grid((WIDTH, 24), 5.0, |_, row| if row < 4 { "-9999" } else { "5" });
    let scenario = "[map]\nfile = \"dem.asc\"\n[edges]\nall = \"wall\"\nnodata = \"wall\"\n\
                    [[inflow]]\nname = \"river\"\nedge = \"west\"\ndischarge = \"20m3/s\"\n";
    testkit::folder(&[("dem.asc", basin), ("s.toml", format!("{scenario}{sections}"))])
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join("flood-preview-out").join(name)).expect("a file")
}

/// Volume at the end east of x = 1100, m³.
fn east_m3(folder: &Path) -> f64 {
    let (_, depth) = raster(&folder.join("flood-preview-out/final_depth.tif"));
    let east = depth.iter().enumerate().filter(|(at, _)| at % WIDTH >= WIDTH / 2);
    east.filter(|(_, depth)| depth.is_finite()).map(|(_, depth)| f64::from(*depth) * 25.0).sum()
}

#[test]
fn a_section_counts_what_lies_beyond_it() {
    let folder = folder("[[section]]\nname = \"mid\"\nline = [[1100, 2000], [1100, 2120]]\n");
    let options = "s.toml --frames 1 --for 10min --section back=1100,2110,1100,2000";
    let said = FLOOD.said(folder.path(), options);
    assert!(said.contains("section mid: peak "), "{said}");
    let summary: Value = serde_json::from_str(&read(folder.path(), "summary.json")).expect("JSON");
    let beyond = east_m3(folder.path());
    let [mid, back] = [0, 1].map(|index| &summary["sections"][index]);
    let volume = |section: &Value, way: &str| section[way].as_f64().expect("a volume");
    let passed = volume(mid, "to_the_right_m3") - volume(mid, "to_the_left_m3");
    assert!(beyond > 1000.0 && (passed - beyond).abs() < 1.0, "{passed} m³, {beyond} m³ beyond");
    let turned = volume(back, "to_the_left_m3") - volume(back, "to_the_right_m3");
    assert!((turned - passed).abs() < 1.0e-6, "{turned} m³ of {passed} m³");
    assert!(mid["max_stage"]["stage_m"].as_f64().is_some_and(|stage| stage > 5.0), "{mid}");
    let river = &summary["edges"][0];
    assert_eq!(river["name"], "river");
    assert!((volume(river, "in_m3") - 12_000.0).abs() < 1.0, "{river}");
    // Discharges times the time between readings add up to the volume.
    let table = read(folder.path(), "sections.csv");
    let (mut sum, mut before) = (0.0, 0.0);
    for line in table.lines().filter(|line| line.split(',').nth(1) == Some("mid")) {
        let cell = |index| line.split(',').nth(index).and_then(|cell| cell.parse::<f64>().ok());
        let (time_s, discharge) = cell(0).zip(cell(2)).expect("numbers");
        sum += discharge * (time_s - before);
        before = time_s;
    }
    assert!((sum - passed).abs() < 1.0e-3 * passed, "{sum} of {passed} m³");
    let page = read(folder.path(), "report.html");
    assert!(page.contains("To the right") && page.contains("sections-card"), "no table");
}

/// Goal: with `--adaptive` a line at an angle counts what the fine cells beyond it gain, since no
/// cell there becomes coarse, while others do.
#[test]
fn a_section_keeps_its_cells_fine() {
    let lake = grid((256, 128), 5.0, |_, _| "0");
    let scenario = "[map]\nfile = \"dem.asc\"\n[edges]\nall = \"wall\"\n[run]\nadaptive = true\n\
                    [initial]\nstage = 4\n[[inflow]]\nname = \"river\"\nedge = \"west\"\n\
                    discharge = \"20m3/s\"\n[[section]]\nname = \"lake\"\n\
                    line = [[1700, 2000], [1907, 2640]]\n";
    let folder = testkit::folder(&[("dem.asc", lake), ("s.toml", scenario.to_owned())]);
    let said = FLOOD.said(folder.path(), "s.toml --frames 1 --for 6min");
    let summary: Value = serde_json::from_str(&read(folder.path(), "summary.json")).expect("JSON");
    let section = &summary["sections"][0];
    let [right, left] = ["to_the_right_m3", "to_the_left_m3"].map(|way| section[way].as_f64());
    let passed = right.zip(left).map(|(right, left)| right - left).expect("volumes");
    let (_, depth) = raster(&folder.path().join("flood-preview-out/final_depth.tif"));
    let beyond = depth.iter().enumerate().filter(|(at, _)| {
        let [x, y] = [at % 256, 127 - at / 256].map(|cell| (cell as f64 + 0.5) * 5.0);
        207.0 * y - 640.0 * (x - 700.0) < 0.0
    });
    let gained: f64 = beyond.map(|(_, depth)| (f64::from(*depth) - 4.0) * 25.0).sum();
    assert!(gained > 1000.0 && (gained - passed).abs() < 1.0, "{gained} m³, {passed} m³: {said}");
}

/// Goal: the page and the figures tell where the water left, and a note where it left beside the
/// inflow. Method: a brook 10 m wide that falls to the east between banks, and a level plain, each
/// with an inflow close to the west edge.
#[test]
fn outlets_are_told_and_those_beside_an_inflow_are_noted() {
    let brook = |column: usize, row: usize| {
        let bank = if (10..12).contains(&row) { 0.0 } else { 1.5 };
        format!("{}", 9.0 - 0.01 * column as f64 + bank)
    };
    let map = |bed: &dyn Fn(usize, usize) -> String| {
        testkit::folder(&[("dem.asc", grid((WIDTH, 24), 5.0, bed))])
    };
    let options = "dem.asc --frames 1 --for 30min --edge north=wall --edge south=wall --edge \
                   nodata=wall --inflow 1010,2065=3m3/s";
    let run = |folder: &TempDir| {
        let said = FLOOD.said(folder.path(), options);
        let text = read(folder.path(), "summary.json");
        (said, serde_json::from_str::<Value>(&text).expect("JSON"))
    };
    let folder = map(&brook);
    let (said, summary) = run(&folder);
    let [outlet] = &**summary["outlets"].as_array().expect("a list") else { panic!("{summary}") };
    assert_eq!((&outlet["edge"], &outlet["inflow"]), (&"east edge".into(), &Value::Null));
    assert_eq!(outlet["from"], serde_json::json!([1200.0, 2060.0]));
    assert_eq!(outlet["to"], serde_json::json!([1200.0, 2070.0]));
    let edges = summary["edges"].as_array().expect("a list");
    let [west, east] = ["west", "east"].map(|side| {
        let edge = edges.iter().find(|edge| edge["name"] == format!("{side} edge"));
        edge.and_then(|edge| edge["out_m3"].as_f64()).expect("an edge")
    });
    let volume = outlet["out_m3"].as_f64().expect("a volume");
    assert!(volume > 4000.0 && (volume / east - 1.0).abs() < 1.0e-6, "{volume} of {east} m³");
    assert!(west.abs() < 1.0e-9 && !said.contains("comes in: if"), "{west} m³: {said}");
    assert!(read(folder.path(), "report.html").contains("1200, 2060"), "no row");
    let wall = "`west edge` is open but a wall from 1000, 2060 to 1000, 2070, so that the water of";
    assert!(said.contains(wall), "{said}");

    let (said, summary) = run(&map(&|_, _| "5".to_owned()));
    assert!(!said.contains("is open but a wall"), "{said}");
    assert!(said.contains("m from where `inflow` comes in: if it should not leave"), "{said}");
    assert_eq!(summary["outlets"][0]["inflow"]["name"], "inflow");
}

/// Goal: a sea that drains over open sides beside the edge with its stage is noted, and not where
/// they are walls, or where it goes on beyond them. Method: a floor that falls away from the edge
/// to six times its depth, and one that rises, an hour.
#[test]
fn a_sea_that_leaves_over_open_sides_is_noted() {
    let falling = |column: usize, _| format!("{}", -2.0 - 0.25 * column as f64);
    let falling = testkit::folder(&[("dem.asc", grid((WIDTH, 24), 5.0, falling))]);
    let rising = |column: usize, _| format!("{}", -2.0 + 0.02 * column as f64);
    let rising = testkit::folder(&[("dem.asc", grid((WIDTH, 24), 5.0, rising))]);
    let words = "which is open: if the sea goes on there";
    let run = |folder: &TempDir, options: &str| {
        let options = format!("dem.asc --frames 1 --for 1h --stage 0 {options}");
        FLOOD.said(folder.path(), &options)
    };
    let open = run(&falling, "--edge west=stage:0.2");
    assert!(open.contains(words) && open.contains("`west edge`, held at a stage"), "{open}");
    let walled = run(&falling, "--edges wall --edge west=stage:0.2");
    assert!(!walled.contains(words), "{walled}");
    let beyond = run(&rising, "--edge west=stage:0.2");
    assert!(!beyond.contains(words), "{beyond}");
}

#[test]
fn a_bad_section_is_refused_in_one_line() {
    for (line, words) in [
        ("[[1100, 2000], [1300, 2000]]", "1300,2000 lies outside the map"),
        ("[[1100, 2000]]", "has 1 point: "),
        ("[[1100, 2000], [1100, 2000]]", "has the point 1100,2000 twice in a row"),
        ("[[1000, 2000], [1090, 2090], [1090, 2000], [1000, 2090]]", "crosses or touches itself"),
    ] {
        let folder = folder(&format!("[[section]]\nname = \"a\"\nline = {line}\n"));
        FLOOD.mistaken(folder.path(), "s.toml --frames 1 --for 1min", &[words, "section `a`"]);
    }
    let twice = "[[section]]\nname = \"a\"\nline = [[1000, 2000], [1050, 2050]]\n".repeat(2);
    FLOOD.mistaken(folder(&twice).path(), "s.toml --for 1min", &["two sections are called `a`"]);
    let typed = "s.toml --for 1min --section a=1000,2000,1050,2050 --section a=1000,2000,1050,2000";
    FLOOD.mistaken(folder("").path(), typed, &["two sections are called `a`"]);
}

/// Faults that depend on the ground are known when the world is built, after the plan was shown.
#[test]
fn a_section_off_the_ground_is_refused_in_one_line() {
    for (line, why) in [
        ("[[1010, 2110], [1090, 2110]]", " with ground: it lies on NoData: move"),
        ("[[1011, 2011], [1011.5, 2011.5]]", ": it is too short for cells of 5 m: lengthen"),
        ("[[1000, 2010], [1000, 2090]]", ": it runs along the edge of the map: move"),
        ("[[1001, 2010], [1002, 2090]]", ": it runs along the edge of the map: move"),
        ("[[1017.6, 2017.6], [1022.4, 2017.6]]", ": it is too short for cells of 5 m: lengthen"),
    ] {
        let folder = folder(&format!("[[section]]\nname = \"a\"\nline = {line}\n"));
        let output = FLOOD.run(folder.path(), "s.toml --frames 1 --for 1min --quiet");
        let error = String::from_utf8_lossy(&output.stderr);
        let words = &format!("section `a` separates no two cells{why}");
        assert!(error.contains(words) && error.trim_end().lines().count() == 1, "{line}: {error}");
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert!(!folder.path().join("flood-preview-out/report.html").exists(), "{line}");
        FLOOD.mistaken(folder.path(), "s.toml --for 1min --check", &[words]);
    }
}

/// Goal: a section that is shorter than a cell says that it counts the whole face, and a longer one
/// does not.
#[test]
fn a_section_shorter_than_a_cell_is_noted() {
    for (north, is_short) in [(2054.0, true), (2070.0, false)] {
        let line = format!("[[1100, 2051], [1100, {north}]]");
        let folder = folder(&format!("[[section]]\nname = \"a\"\nline = {line}\n"));
        let said = FLOOD.said(folder.path(), "s.toml --for 1min --check");
        let words = "section `a` is 3 m long and counts whole faces of cells, which are 5 m wide";
        assert_eq!(said.contains(words), is_short, "{said}");
    }
}
