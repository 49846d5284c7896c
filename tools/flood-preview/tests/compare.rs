//! Comparison of finished runs: `flood-preview compare A B …`.
//!
//! Goal: each cell, figure and row is the run less the reference, as the results have them; what
//!       cannot be compared is one clear line; names stay text.
//! Method: a valley with an inflow, with and without a levee in it, run by the real program.

#[expect(dead_code, reason = "keys are pressed in the report alone")]
mod browser;

use std::fs;
use std::path::Path;

use browser::{Browser, Window};
use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::{Program, grid, holds, names, raster};

const FLOOD: Program = Program(env!("CARGO_BIN_EXE_flood-preview"));

/// Measures boxes; gives a sentence for each that is wrong.
const MEASURE: &str = include_str!("layout/measure.js");

const WIDTH: usize = 40;
const HEIGHT: usize = 24;

/// A plain of 5 m cells that falls to the east, its south-west corner at 1000, 2000.
fn plain(size: (usize, usize)) -> String {
    grid(size, 5.0, |col, row| format!("{:.3}", 9.0 - 0.02 * col as f64 + 0.01 * row as f64))
}

const WATER: &str = "[map]\nfile = \"dem.asc\"\n[run]\nfor = \"6min\"\n[output]\nframes = 1\n\
                     [edges]\nall = \"wall\"\n\
                     [[inflow]]\nname = \"river\"\nedge = \"west\"\ndischarge = \"20m3/s\"\n\
                     [[gauge]]\nname = \"town\"\nat = [1150, 2060]\n\
                     [[gauge]]\nname = \"<i>field</i>\"\nat = [1050, 2060]\n\
                     [[section]]\nname = \"weir\"\nline = [[1060, 2118], [1060, 2002]]\n";
const LEVEE: &str =
    "[[barrier]]\nname = \"levee\"\npath = [[1100, 2000], [1100, 2120]]\ncrest = 12\n";

/// Folders `bare` and `levee` with results, and others.
fn folder() -> TempDir {
    let at = testkit::folder(&[
        ("dem.asc", plain((WIDTH, HEIGHT))),
        ("bare.toml", WATER.to_owned()),
        ("levee.toml", format!("{WATER}{LEVEE}")),
    ]);
    for name in ["bare", "levee"] {
        FLOOD.said(at.path(), &format!("{name}.toml --quiet --out {name}"));
    }
    at
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn json_of(folder: &Path, name: &str) -> Value {
    serde_json::from_str(&read(folder, name)).expect("sound JSON")
}

/// A row of the figures of a run: value, of the reference, and difference.
#[track_caller]
fn figure(run: &Value, name: &str, at: &Value) -> [Value; 3] {
    let rows = run["figures"].as_array().expect("figures");
    let is_it = |row: &&Value| row["figure"] == name && row["at"] == *at;
    let found: Vec<&Value> = rows.iter().filter(is_it).collect();
    let [row] = &*found else { panic!("{} rows {name} of {at}", found.len()) };
    ["value", "reference", "difference"].map(|key| row[key].clone())
}

/// Maps of a comparison: file, its source in the results, and what a cell has by its values there.
type Rule = fn(f32, f32) -> f32;
const MAPS: [(&str, &str, Rule); 7] = [
    ("difference_max_depth", "max_depth.tif", dry_is_zero),
    ("difference_duration", "duration.tif", dry_is_zero),
    ("difference_max_stage", "max_stage.tif", |a, b| b - a),
    ("difference_max_speed", "max_speed.tif", |a, b| b - a),
    ("difference_hazard", "hazard.tif", |a, b| b - a),
    ("difference_arrival", "arrival.tif", |a, b| b - a),
    ("difference_flooded", "arrival.tif", |a, b| match (a.is_nan(), b.is_nan()) {
        (true, true) => f32::NAN,
        (true, false) => 1.0,
        (false, true) => -1.0,
        (false, false) => 0.0,
    }),
];

fn dry_is_zero(a: f32, b: f32) -> f32 {
    let known = |value: f32| if value.is_nan() { 0.0 } else { value };
    if a.is_nan() && b.is_nan() { f32::NAN } else { known(b) - known(a) }
}

/// Checks every cell of every map of a comparison with the reference `a` against the results, and
/// returns how many cells have a difference other than 0.
#[track_caller]
fn check_cells(at: &Path, out: &str, [a, b]: [&str; 2], number: &str) -> usize {
    let mut different = 0;
    for (target, source, rule) in MAPS {
        let (grid, found) = raster(&at.join(out).join(format!("{target}{number}.tif")));
        let (own, first) = raster(&at.join(a).join(source));
        let (_, second) = raster(&at.join(b).join(source));
        assert_eq!(grid, own, "{target}");
        for (cell, found) in found.iter().enumerate() {
            let expected = rule(first[cell], second[cell]);
            let is_same = found.to_bits() == expected.to_bits();
            assert!(
                is_same || (found.is_nan() && expected.is_nan()),
                "{target}{number}, cell {cell}: {found}, not {expected}"
            );
            different += usize::from(found.abs() > 0.0);
        }
    }
    different
}

/// Goal: a levee's effect is the difference of the two runs, in each cell, figure and file.
#[test]
fn each_difference_is_the_run_less_the_reference() {
    let folder = folder();
    let at = folder.path();
    let said = FLOOD.done(at, "compare bare levee");
    let out = at.join("flood-preview-compare");
    let maps = ["max_depth", "max_stage", "max_speed", "hazard", "arrival", "duration", "flooded"];
    let mut expected: Vec<String> = maps.map(|map| format!("difference_{map}.tif")).into();
    let others = ["comparison.html", "comparison.json", "comparison.csv"];
    expected.extend(others.map(str::to_owned));
    expected.push("difference_max_depth.png".to_owned());
    expected.sort();
    assert_eq!(names(&out), expected);
    assert!(check_cells(at, "flood-preview-compare", ["bare", "levee"], "") > 100);

    let found = json_of(&out, "comparison.json");
    assert_eq!((&found["reference"]["name"], &found["notes"]), (&json!("bare"), &json!([])));
    let run = &found["runs"][0];
    let summaries = ["levee", "bare"].map(|name| json_of(&at.join(name), "summary.json"));
    let all = &Value::Null;
    for (name, pointer) in [
        ("flooded area", "/flooded_m2"),
        ("danger for most or all", "/dangerous_m2"),
        ("deepest on dry ground", "/flooded/deepest/depth_m"),
        ("water at the end", "/volumes_m3/stored"),
        ("water that came in", "/volumes_m3/in/river"),
    ] {
        let [value, reference, difference] = figure(run, name, all);
        let [own, wanted] =
            summaries.each_ref().map(|summary| summary.pointer(pointer).expect(pointer));
        assert_eq!([&value, &reference], [own, wanted], "{name}");
        let less = own.as_f64().expect("a number") - wanted.as_f64().expect("a number");
        assert_eq!(difference, json!(less), "{name}");
    }
    // Cells of 25 m², each with a time of arrival.
    let [bare, levee] = ["bare", "levee"].map(|name| raster(&at.join(name).join("arrival.tif")).1);
    let count = |is_so: fn(bool, bool) -> bool| {
        let pairs = bare.iter().zip(&levee);
        pairs.filter(|(a, b)| is_so(!a.is_nan(), !b.is_nan())).count() as f64
    };
    let (both, new, gone) = (count(|a, b| a && b), count(|a, b| !a && b), count(|a, b| a && !b));
    assert!(both > 0.0 && gone > 0.0, "{both} {new} {gone}");
    for (name, value) in [
        ("newly flooded", 25.0 * new),
        ("no longer flooded", 25.0 * gone),
        ("index of agreement", both / (both + new + gone)),
    ] {
        assert_eq!(figure(run, name, all), [json!(value), Value::Null, Value::Null], "{name}");
    }
    // Behind the levee the town stays dry; before it the water is deeper.
    let [town, bare, less] = figure(run, "largest depth", &json!("town"));
    assert!(bare.as_f64() > Some(0.1) && town == json!(0.0) && less.as_f64() < Some(-0.1));
    let [time, ..] = figure(run, "time of largest depth", &json!("town"));
    assert!(time.is_null(), "a dry gauge has no time");
    let [.., deeper] = figure(run, "largest depth", &json!("<i>field</i>"));
    assert!(deeper.as_f64() > Some(0.1), "{deeper}");
    let [flow, ..] = figure(run, "largest discharge", &json!("weir"));
    assert_eq!(flow, summaries[0]["sections"][0]["peak_discharge"]["discharge_m3_s"]);

    holds(&said, &["newly flooded", "town: largest depth", "open flood-preview-compare"]);
    let rows = found["runs"][0]["figures"].as_array().map_or(0, Vec::len);
    let table = read(&out, "comparison.csv");
    assert_eq!(table.lines().count(), rows + 1);
    let [value, reference, difference] = figure(run, "flooded area", all);
    let row = |value: &Value| value.as_f64().expect("a number").to_string();
    let [value, reference, difference] = [value, reference, difference].map(|v| row(&v));
    holds(&table, &[&format!("flooded area,,m2,levee,{value},{reference},{difference}\n")]);
}

/// Goal: a run compared with itself differs nowhere.
#[test]
fn a_run_does_not_differ_from_itself() {
    let folder = folder();
    let at = folder.path();
    let said = FLOOD.done(at, "compare levee levee --out same --names one,other");
    assert_eq!(check_cells(at, "same", ["levee", "levee"], ""), 0);
    let found = json_of(&at.join("same"), "comparison.json");
    let figures = found["runs"][0]["figures"].as_array().expect("figures");
    let differences: Vec<f64> =
        figures.iter().filter_map(|figure| figure["difference"].as_f64()).collect();
    assert!(differences.len() > 8 && differences.iter().all(|d| d.abs() <= 0.0), "{differences:?}");
    assert_eq!(figure(&found["runs"][0], "index of agreement", &Value::Null)[0], json!(1.0));
    holds(&said, &["one", "other"]);
    assert!(FLOOD.done(at, "compare levee levee --out same --quiet").is_empty());
}

/// Goal: several runs have numbered files; those of an earlier comparison go.
#[test]
fn several_runs_are_numbered() {
    let folder = folder();
    let at = folder.path();
    FLOOD.done(at, "compare bare levee bare --names bare,levee,again --out out");
    check_cells(at, "out", ["bare", "levee"], "_1");
    assert_eq!(check_cells(at, "out", ["bare", "bare"], "_2"), 0);
    let count =
        |ending: &str| names(&at.join("out")).iter().filter(|n| n.ends_with(ending)).count();
    assert_eq!((count(".tif"), count(".png")), (14, 2));
    let found = json_of(&at.join("out"), "comparison.json");
    assert_eq!(found["runs"][1]["name"], "again");
    let files = found["runs"][1]["files"].to_string();
    holds(&files, &["difference_max_depth_2.tif", "difference_max_depth_2.png"]);

    fs::write(at.join("out/difference_of_opinion.tif"), "the user's own").expect("writable");
    FLOOD.done(at, "compare bare levee --out out");
    assert_eq!((count(".tif"), count(".png")), (8, 1), "{:?}", names(&at.join("out")));
}

/// Goal: what cannot be compared is one line that says what, where and how to mend it; nothing is
/// written.
#[test]
fn what_cannot_be_compared_is_one_clear_line() {
    let folder = folder();
    let at = folder.path();
    let moved = plain((WIDTH, HEIGHT)).replace("yllcorner 2000", "yllcorner 2005");
    let wide = plain((WIDTH, HEIGHT)).replace("cellsize 5", "cellsize 10");
    for (name, map) in [("small", plain((30, HEIGHT))), ("moved", moved), ("wide", wide)] {
        fs::write(at.join(format!("{name}.asc")), map).expect("writable");
        FLOOD.said(at, &format!("{name}.asc --for 10s --frames 0 --quiet --out {name}"));
    }
    for name in ["empty", "torn", "other", "lacking"] {
        fs::create_dir(at.join(name)).expect("writable");
    }
    fs::write(at.join("torn/summary.json"), "{ \"title\": ").expect("writable");
    fs::write(at.join("other/summary.json"), "{ \"title\": \"x\" }").expect("writable");
    for name in ["summary.json", "max_depth.tif"] {
        fs::copy(at.join("bare").join(name), at.join("lacking").join(name)).expect("copied");
    }
    let same_map = "run both on the same map";
    FLOOD.all_mistaken(
        at,
        &[
            (
                "compare bare small",
                &["small does not lie on the grid of bare", "30 × 24 cells, not 40 × 24", same_map],
            ),
            (
                "compare bare levee moved",
                &["moved", "corner is at 1000, 2125, not 1000, 2120", same_map],
            ),
            ("compare bare wide", &["its cells are 10 ", " wide, not 5 ", same_map]),
            (
                "compare bare empty",
                &["empty is no folder of results", "summary.json", "give the folder of a run"],
            ),
            ("compare bare torn", &["torn/summary.json is no summary of a run"]),
            ("compare bare other", &["other/summary.json is no summary of a run"]),
            ("compare bare lacking", &["lacking/max_stage.tif is missing", "run it again"]),
            ("compare bare nowhere", &["there is no folder nowhere", "check its name"]),
            (
                "compare bare levee.toml",
                &["levee.toml is a file", "flood-preview levee.toml --out levee-results"],
            ),
            ("compare bare", &["flood-preview compare --help"]),
            ("compare bare levee --names x", &["--names has 1 names", "2 folders"]),
            ("compare bare levee --out dem.asc", &["dem.asc", "--out"]),
        ],
    );
    // A file of that name is a map all the same.
    fs::copy(at.join("dem.asc"), at.join("compare")).expect("copied");
    FLOOD.said(at, "./compare --for 10s --frames 0 --quiet --out mapped");
    assert!(at.join("mapped/report.html").exists());
}

/// Goal: a run that is not whole, or of other settings, is told on the page and in the shell.
#[test]
fn a_run_that_is_not_whole_is_told() {
    let folder = folder();
    let at = folder.path();
    let path = at.join("levee/summary.json");
    let whole = json_of(&at.join("levee"), "summary.json");
    for (key, value, note) in [
        ("is_going_on", json!(true), "was still going on"),
        ("is_interrupted", json!(true), "was stopped after 6 min of simulated time"),
        ("wet_depth_m", json!(0.2), "counts as flooded from 20 cm on"),
        ("simulated_s", json!(60.0), "`levee` simulates 1 min, `bare` 6 min"),
        ("version", json!("0.0.1"), "is of version 0.0.1"),
    ] {
        let mut summary = whole.clone();
        summary[key] = value;
        fs::write(&path, summary.to_string()).expect("writable");
        let said = FLOOD.done(at, "compare bare levee");
        let out = at.join("flood-preview-compare");
        let page = read(&out, "comparison.html");
        holds(&said, &["note: ", note]);
        holds(&page, &[note]);
        let found = json_of(&out, "comparison.json");
        assert_eq!(found["notes"].as_array().map(Vec::len), Some(1), "{key}");
        let is_whole = !key.starts_with("is_");
        assert_eq!(found["runs"][0]["is_whole"], json!(is_whole), "{key}");
        assert_eq!(page.contains("class=\"grave\""), !is_whole, "{key}");
    }
}

/// Goal: no name becomes markup; the page has no script, loads nothing and asks for nothing.
#[test]
fn names_cannot_break_out_of_the_page() {
    let folder = folder();
    let at = folder.path();
    let hostile = "<script>alert(1)</script>\"&";
    fs::rename(at.join("levee"), at.join("<b>levee")).expect("renamed");
    let mut command = FLOOD.command(at, "compare bare <b>levee --out out --names");
    let output = command.arg(format!("bare,{hostile}")).output().expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let page = read(&at.join("out"), "comparison.html");
    for markup in ["<script", "<b>levee", "<i>field", "<link", "@import", "javascript:"] {
        assert!(!page.contains(markup), "{markup}");
    }
    let outer = page.replace("http-equiv", "").replace("data:image/png", "");
    assert!(!outer.contains("http") && !outer.contains("src=\"/"), "it loads something");
    holds(
        &page,
        &[
            "&lt;script&gt;alert(1)&lt;/script&gt;&quot;&amp;",
            "&lt;b&gt;levee",
            "&lt;i&gt;field&lt;/i&gt;",
            "default-src 'none'",
            "<caption>Figures of the runs",
            "<th scope=\"row\">town: largest depth</th>",
        ],
    );
    // Two gauges and a section, each with the lines of both runs; and the keys of two legends.
    assert_eq!(page.matches("<svg class=\"chart\"").count(), 3);
    assert_eq!(page.matches("<polyline class=\"run run-1\"").count(), 3);
    assert_eq!(page.matches("<figure><img").count(), 1);
    let table = read(&at.join("out"), "comparison.csv");
    holds(&table, &["\"<script>alert(1)</script>\"\"&\""]);
}

/// Goal: nothing of the page lies over anything else or leaves its place, in wide and narrow
/// windows, light and dark, without scripts.
#[test]
fn the_page_fits_its_window() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = folder();
    let at = folder.path();
    let long = "with the levee along the river from the hillside to the railway bridge";
    let mut command = FLOOD.command(at, "compare bare levee bare --out out --names");
    let output = command.arg(format!("bare,{long},again")).output().expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for (width, height) in [(1366, 900), (390, 844)] {
        for is_dark in [false, true] {
            let window = Window { size: (width, height), is_dark, has_scripts: false };
            browser.open(&at.join("out/comparison.html"), "", window);
            assert_eq!(browser.evaluate(MEASURE), json!([]), "{window:?}");
            let drawn = "[...document.images].every((image) => image.naturalWidth > 700)";
            browser.wait_for(drawn);
            let keys = "document.querySelector('.keys').checkVisibility()";
            assert_eq!(browser.evaluate(keys), json!(width < 900), "the legend of a small picture");
        }
    }
}
