//! Comparison of runs: `flood-preview compare A B …`.
//!
//! Goal: each cell, figure and row is the run less the reference, as the results have them; what
//!       cannot be compared is one clear line; names stay text.
//! Method: a valley with an inflow, with and without a levee in it, run by the real program.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::{Program, grid, holds, interrupt, names, raster, wait_until};

use crate::browser::{Browser, Window};

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

/// Makes a folder with the results of another one.
fn twin(at: &Path, from: &str, to: &str) {
    fs::create_dir(at.join(to)).expect("writable");
    for name in names(&at.join(from)) {
        let [own, other] = [from, to].map(|folder| at.join(folder).join(&name));
        fs::hard_link(own, other).expect("one file system");
    }
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
    ("difference_flooded", "max_depth.tif", |a, b| match (a >= 0.05, b >= 0.05) {
        (false, false) => f32::NAN,
        (false, true) => 1.0,
        (true, false) => -1.0,
        (true, true) => 0.0,
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

/// Goal: a run compared with its own results differs nowhere.
#[test]
fn a_run_does_not_differ_from_itself() {
    let folder = folder();
    let at = folder.path();
    twin(at, "levee", "twin");
    let said = FLOOD.done(at, "compare levee twin --out same --names one,other");
    assert_eq!(check_cells(at, "same", ["levee", "levee"], ""), 0);
    let found = json_of(&at.join("same"), "comparison.json");
    let figures = found["runs"][0]["figures"].as_array().expect("figures");
    let differences: Vec<f64> =
        figures.iter().filter_map(|figure| figure["difference"].as_f64()).collect();
    assert!(differences.len() > 8 && differences.iter().all(|d| d.abs() <= 0.0), "{differences:?}");
    assert_eq!(figure(&found["runs"][0], "index of agreement", &Value::Null)[0], json!(1.0));
    holds(&said, &["one", "other"]);
    assert!(FLOOD.done(at, "compare levee twin --out same --quiet").is_empty());
}

/// Goal: several runs have numbered files; those of an earlier comparison go.
#[test]
fn several_runs_are_numbered() {
    let folder = folder();
    let at = folder.path();
    twin(at, "bare", "twin");
    FLOOD.done(at, "compare bare levee twin --names bare,levee,again --out out");
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
            ("compare bare wide", &["its cells are 10 wide, not 5, ", same_map]),
            (
                "compare bare empty",
                &["empty is no folder of results", "summary.json", "give the folder of a run"],
            ),
            ("compare bare torn", &["torn/summary.json is no summary of a run"]),
            ("compare bare other", &["other/summary.json is no summary of a run"]),
            ("compare bare lacking", &["lacking/max_stage.tif is missing", "run it again"]),
            ("compare bare nowhere", &["there is no folder nowhere", "check its name"]),
            (
                "compare bare dem.asc",
                &["dem.asc is a file", "flood-preview dem.asc --out dem-results"],
            ),
            ("compare bare levee --now", &["--now is for runs", "leave --now out"]),
            ("compare bare levee --threads 2", &["--threads is for runs", "scenarios (.toml)"]),
            ("compare bare", &["flood-preview compare --help"]),
            ("compare bare levee --names x", &["--names has 1 names", "2 runs"]),
            ("compare bare levee --out dem.asc", &["dem.asc", "--out"]),
        ],
    );
    // A file of that name is a map all the same.
    fs::copy(at.join("dem.asc"), at.join("compare")).expect("copied");
    FLOOD.said(at, "./compare --for 10s --frames 0 --quiet --out mapped");
    assert!(at.join("mapped/report.html").exists());
}

/// Goal: a run is compared with others, and its folder is not written into.
#[test]
fn a_comparison_changes_no_run_and_needs_two() {
    let folder = folder();
    let at = folder.path();
    FLOOD.all_mistaken(
        at,
        &[
            ("compare bare bare", &["bare is given twice", "does not differ from itself"]),
            ("compare bare levee ./bare", &["bare and ./bare are one run"]),
            ("compare bare.toml levee.toml bare.toml", &["bare.toml is given twice"]),
            ("compare bare levee.toml --out bare", &["written into bare, a run of it", "--out"]),
            ("compare bare levee --out levee/../bare", &["written into bare, a run of it"]),
            (
                "compare bare levee.toml --out out --names x,comparison.html",
                &["out/comparison.html, a file that the comparison writes", "--names"],
            ),
            (
                "compare bare levee.toml --out out --names x,Difference_hazard_2.tif",
                &["Difference_hazard_2.tif, a file that the comparison writes"],
            ),
        ],
    );
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("bare", at.join("latest")).expect("writable");
        FLOOD.all_mistaken(
            at,
            &[
                ("compare latest bare", &["latest and bare are one run"]),
                ("compare bare levee.toml --out latest", &["written into bare, a run of it"]),
            ],
        );
    }
    fs::rename(at.join("levee"), at.join("comparison.csv")).expect("renamed");
    let words = ["would write a file where ./comparison.csv is, a run of it", "--out"];
    FLOOD.mistaken(at, "compare bare ./comparison.csv --out .", &words);
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
        ("is_cut_short", json!(true), "before its last level: it shows the whole event in cells"),
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
    twin(at, "bare", "open");
    twin(at, "levee", "shut");
    let long = "with the levee along the river from the hillside to the railway bridge";
    for (out, runs, names) in [
        ("two", "bare levee", format!("bare,{long}")),
        ("four", "bare levee open shut", format!("bare,{long},again,once more")),
    ] {
        let mut command = FLOOD.command(at, &format!("compare {runs} --out {out} --names"));
        let output = command.arg(names).output().expect("the program starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        for (width, height) in [(1920, 1080), (1366, 900), (390, 844)] {
            for is_dark in [false, true] {
                let window = Window { size: (width, height), is_dark, has_scripts: false };
                browser.open(&at.join(out).join("comparison.html"), "", window);
                assert_eq!(browser.evaluate(MEASURE), json!([]), "{out}: {window:?}");
                let drawn = "[...document.images].every((image) => image.naturalWidth > 700)";
                browser.wait_for(drawn);
                let keys = "document.querySelector('.keys').checkVisibility()";
                let is_small = json!(width < 900);
                assert_eq!(browser.evaluate(keys), is_small, "the legend of a small picture");
            }
        }
    }
}

/// A lake on a beach, on columns of 4 × 4 cells, into which more flows.
fn lakes() -> TempDir {
    let scenario = |discharge: u8| {
        format!(
            "[map]\nfile = \"beach.asc\"\n[run]\nfor = \"5min\"\ncell_size = 20\n\
             [output]\nframes = 1\n[initial]\nstage = 1.0\n[edges]\nall = \"wall\"\n\
             [[inflow]]\nname = \"river\"\nedge = \"west\"\ndischarge = \"{discharge}m3/s\"\n"
        )
    };
    let bed = |col, row| format!("{:.3}", 0.1 * col as f64 + 0.003 * row as f64);
    let at = testkit::folder(&[
        ("beach.asc", grid((WIDTH, HEIGHT), 5.0, bed)),
        ("low.toml", scenario(10)),
        ("high.toml", scenario(20)),
    ]);
    FLOOD.said(at.path(), "compare low.toml high.toml --out out --quiet");
    at
}

/// Goal: ground that the event flooded counts though its time of arrival is 0, as it lies over a
/// coarse cell that was wet from the start; a lake does not count. New less gone cells are the
/// difference of the flooded areas of the reports.
#[test]
fn water_before_the_event_is_no_flood() {
    let folder = lakes();
    let out = folder.path().join("out");
    let [low, high] = ["low", "high"].map(|run| {
        let at = out.join(run);
        let plane = |name: &str| raster(&at.join(name)).1;
        let before: Vec<bool> = plane("before.tif").iter().map(|kind| !kind.is_nan()).collect();
        let wet: Vec<bool> = plane("max_depth.tif").iter().map(|depth| *depth >= 0.05).collect();
        let at_once = plane("arrival.tif").iter().map(|time_s| *time_s <= 0.0).collect::<Vec<_>>();
        let found = json_of(&at, "summary.json");
        let flooded = (0..wet.len()).filter(|&cell| wet[cell] && !before[cell]).count();
        let lake = before.iter().filter(|was| **was).count();
        assert_eq!(found["flooded_m2"], json!(25.0 * flooded as f64), "{run}");
        assert_eq!(found["under_water_before"]["m2"], json!(25.0 * lake as f64), "{run}");
        let is_late = |cell: &usize| at_once[*cell] && !before[*cell];
        assert!((0..wet.len()).filter(is_late).count() > 20 && lake > 100, "{run}");
        (wet, before, flooded)
    });
    let (_, states) = raster(&out.join("difference_flooded.tif"));
    for (cell, state) in states.iter().enumerate() {
        let expected = match (low.0[cell], high.0[cell]) {
            (true, true) if !(low.1[cell] && high.1[cell]) => 0.0,
            (false, true) => 1.0,
            (true, false) => -1.0,
            _ => f32::NAN,
        };
        let is_same = state.to_bits() == expected.to_bits();
        assert!(
            is_same || (state.is_nan() && expected.is_nan()),
            "{cell}: {state}, not {expected}"
        );
    }
    let count = |wanted: f32| {
        states.iter().filter(|state| state.to_bits() == wanted.to_bits()).count() as f64
    };
    let (both, new, gone) = (count(0.0), count(1.0), count(-1.0));
    assert!(both > 50.0 && new > 50.0, "{both} {new} {gone}");
    let found = json_of(&out, "comparison.json");
    let [agreement, ..] = figure(&found["runs"][0], "index of agreement", &Value::Null);
    assert_eq!(agreement, json!(both / (both + new + gone)));
    assert!((new - gone - (high.2 as f64 - low.2 as f64)).abs() < 0.5, "{new} {gone}");
    assert_eq!(found["notes"], json!([]));
    // Results of an older version have the times of arrival alone.
    fs::remove_file(out.join("low/before.tif")).expect("it is there");
    let said = FLOOD.done(folder.path(), "compare out/low out/high --out older");
    holds(&said, &["The results of `low` do not tell which ground was under water before"]);
}

/// Goal: scenarios are run, each into a folder of its name, and compared as their folders are; a
/// run of a comparison is the run that its command repeats.
#[test]
fn scenarios_are_run_and_compared() {
    let folder = folder();
    let at = folder.path();
    let said = FLOOD.said(at, "compare bare.toml levee.toml --out both --threads 1 --device cpu");
    holds(&said, &["run 1 of 2: bare.toml\n", "run 2 of 2: levee.toml\n", "newly flooded"]);
    holds(&said, &["open both/bare/report.html", "open both/comparison.html"]);
    FLOOD.said(at, "compare bare levee.toml --out mixed --quiet --quality=fine --until=95%");
    FLOOD.done(at, "compare bare levee --out folders --quiet");
    let same = |one: &str, other: &str| {
        let [one, other] = [one, other].map(|name| fs::read(at.join(name)).expect(name));
        one == other
    };
    for (map, source, _) in MAPS {
        for out in ["both", "mixed"] {
            assert!(
                same(&format!("{out}/{map}.tif"), &format!("folders/{map}.tif")),
                "{out}: {map}"
            );
        }
        assert!(same(&format!("both/levee/{source}"), &format!("levee/{source}")), "{source}");
    }
    assert!(!at.join("mixed/bare").exists(), "a folder is not run again");
    for (out, command) in [
        ("both", "flood-preview levee.toml --out both/levee --threads=1"),
        ("mixed", "flood-preview levee.toml --out mixed/levee --quality=fine --until=95%"),
    ] {
        let summary = json_of(&at.join(out).join("levee"), "summary.json");
        assert_eq!(summary["command"], command);
        let found = json_of(&at.join(out), "comparison.json");
        assert_eq!(found["notes"], json!([]));
        let names = ["bare", "levee"].map(Value::from);
        assert_eq!([&found["reference"]["name"], &found["runs"][0]["name"]], names.each_ref());
        FLOOD.said(at, &command.replacen("flood-preview ", "--quiet ", 1));
    }
    let said = FLOOD.said(at, "compare bare.toml levee.toml --names a/b,dam --out named");
    holds(&said, &["open named/a-b/report.html", "open named/dam/report.html", "  a/b  "]);
}

/// Goal: a mistake in the last scenario ends the command before the first is run.
#[test]
fn a_mistake_in_one_scenario_costs_no_run() {
    let folder = folder();
    let at = folder.path();
    let part = WATER.replace("file = ", "area = [1000, 2000, 1150, 2120]\nfile = ");
    let part = part.replace("at = [1150,", "at = [1100,");
    let world = |water: &str| water.replace("[output]", "[output]\nworld = \"a.thalweg\"");
    testkit::put(
        at,
        &[
            ("typo.toml", format!("{WATER}[rainn]\n")),
            ("off.toml", WATER.replace("at = [1150,", "at = [150,")),
            ("part.toml", part),
            ("one.toml", world(WATER)),
            ("other.toml", world(WATER)),
            ("unmapped.toml", WATER.replace("dem.asc", "none.asc")),
        ],
    );
    fs::create_dir_all(at.join("taken")).expect("writable");
    fs::write(at.join("taken/off"), "the user's own").expect("writable");
    let cases: [(&str, &[&str]); 12] = [
        ("compare bare.toml typo.toml", &["typo.toml line", "`rainn`"]),
        ("compare bare.toml off.toml", &["off.toml: gauge `town` at 150,2060", "outside"]),
        ("compare bare.toml unmapped.toml", &["unmapped.toml: ", "none.asc"]),
        (
            "compare bare.toml part.toml",
            &["part.toml does not lie on the grid of bare.toml", "30 × 24 cells, not 40 × 24"],
        ),
        ("compare bare part.toml", &["part.toml does not lie on the grid of bare"]),
        ("compare bare.toml small", &["there is no folder small"]),
        ("compare bare.toml dem.asc", &["dem.asc is a file", "scenarios (.toml) and folders"]),
        ("compare bare.toml nowhere.toml", &["cannot read the scenario nowhere.toml"]),
        ("compare bare bare.toml --out . --names x,bare", &["would replace ./bare, which is"]),
        ("compare bare.toml levee.toml --names a/b,a:b", &["would go to", "a-b", "--names"]),
        ("compare one.toml other.toml", &["one.toml and other.toml would save", "a.thalweg"]),
        ("compare bare.toml levee.toml --names x,off --out taken", &["levee.toml", "taken/off"]),
    ];
    FLOOD.all_mistaken(at, &cases);
    assert_eq!(names(&at.join("taken")), ["off"]);
}

/// Goal: a run that fails is named; what was written stays, and nothing is compared.
/// Method: a folder stands where a map of the second run is to be.
#[test]
fn a_run_that_fails_ends_the_comparison() {
    let folder = folder();
    let at = folder.path();
    fs::create_dir_all(at.join("out/levee/max_depth.tif/taken")).expect("writable");
    let output = FLOOD.run(at, "compare bare.toml levee.toml --out out --quiet");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    holds(&said, &["levee.toml, run 2 of 2: ", "max_depth.tif", "1 of 2 runs are done, in out"]);
    assert_eq!(said.trim_end().lines().count(), 1, "{said}");
    assert_eq!(names(&at.join("out")), ["bare", "levee"]);
    assert!(at.join("out/bare/report.html").exists());
}

/// Goal: a run that is stopped ends the comparison as it ends a run; its results so far stay, and
/// a comparison of them says that they are not whole.
#[test]
#[cfg(unix)]
fn a_run_that_is_stopped_ends_the_comparison() {
    let folder = folder();
    let at = folder.path();
    testkit::put(at, &[("long.toml", WATER.replace("6min", "3000h"))]);
    let child = FLOOD.spawn(at, "compare bare.toml long.toml levee.toml --out out");
    let is_second = || at.join("out/bare/report.html").exists() && at.join("out/long").exists();
    wait_until("second run", is_second);
    std::thread::sleep(std::time::Duration::from_secs(1));
    interrupt(&child);
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{said}");
    holds(&said, &["long.toml, run 2 of 3 was stopped: its results so far are in out/long"]);
    holds(&said, &["no comparison is written; 1 of 3 runs are done, in out"]);
    assert_eq!(names(&at.join("out")), ["bare", "long"]);
    assert_eq!(json_of(&at.join("out/long"), "summary.json")["is_interrupted"], true);
    let said = FLOOD.done(at, "compare out/bare out/long --out later");
    holds(&said, &["The run `long` was stopped after", "differs: duration  bare: 6 min | long: "]);
}

/// Goal: a comparison that is stopped while it writes leaves no file, and an older one as it was.
#[test]
#[cfg(unix)]
fn a_comparison_that_is_stopped_leaves_nothing() {
    let folder = folder();
    let at = folder.path();
    FLOOD.done(at, "compare bare levee --out older --quiet");
    let before = testkit::listing(&at.join("older"));
    let twins: Vec<String> = (0..800).map(|number| format!("t{number}")).collect();
    for (number, name) in twins.iter().enumerate() {
        twin(at, ["bare", "levee"][number % 2], name);
    }
    for out in ["new", "older"] {
        let many = twins.join(" ");
        let child = FLOOD.spawn(at, &format!("compare {many} --quiet --out {out}"));
        let part = at.join(out).join(".difference_max_depth_2.tif.part");
        wait_until("second map", || part.exists());
        interrupt(&child);
        let output = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{said}");
        holds(&said, &["stopped; nothing was written"]);
        assert!(out == "older" || !at.join(out).exists(), "{:?}", names(&at.join(out)));
    }
    assert_eq!(testkit::listing(&at.join("older")), before);
}

/// Goal: each setting that differs is on the page, in the figures and on the screen, with the value
/// of each run.
#[test]
fn settings_that_differ_are_told() {
    let folder = folder();
    let at = folder.path();
    let rough = format!("{WATER}{LEVEE}[ground]\nmanning = 0.05\n").replace("20m3/s", "25m3/s");
    testkit::put(at, &[("rough.toml", rough)]);
    let said = FLOOD.said(at, "compare bare levee rough.toml --out out");
    let found = json_of(&at.join("out"), "comparison.json");
    let page = read(&at.join("out"), "comparison.html");
    let levee = "120 m long, crest at 12 m";
    for (name, values) in [
        ("barrier levee", ["none", levee, levee]),
        ("Manning's n", ["0.035 s/m^⅓", "0.035 s/m^⅓", "0.05 s/m^⅓"]),
        ("inflow river: discharge", ["20 m³/s", "20 m³/s", "25 m³/s"]),
    ] {
        let settings = found["settings"].as_array().expect("settings");
        let row = settings.iter().find(|row| row["setting"] == name);
        assert_eq!(row.map(|row| &row["values"]), Some(&json!(values)), "{name} in {settings:?}");
        let [bare, levee, rough] = values;
        holds(
            &said,
            &[&format!("differs: {name}  bare: {bare} | levee: {levee} | rough: {rough}")],
        );
        let cells = format!("<td>{bare}</td><td>{levee}</td><td>{rough}</td>");
        holds(&page, &[&format!("<th scope=\"row\">{name}</th>{cells}")]);
    }
    let settings = found["settings"].as_array().map_or(0, Vec::len);
    assert_eq!(settings, 4, "and the command: {}", found["settings"]);
    twin(at, "levee", "twin");
    FLOOD.done(at, "compare levee twin --out same --names a,b");
    assert_eq!(json_of(&at.join("same"), "comparison.json")["settings"], json!([]));
    holds(&read(&at.join("same"), "comparison.html"), &["All settings of the runs are the same."]);
}

/// Goal: planes of two runs are in memory at a time, however many are compared.
/// Method: each of the planes that were kept of a run, depth and state, had 5 bytes a cell.
#[test]
#[cfg(target_os = "linux")]
fn runs_do_not_add_up_in_memory() {
    let side = 1000;
    let bed = |col: usize, row: usize| (col * 7 + row * 13) % 97;
    let at = testkit::folder(&[("wide.asc", grid((side, side), 5.0, bed))]);
    FLOOD.said(at.path(), "wide.asc --for 1s --frames 0 --now --quiet --out a");
    let twins = ["b", "c", "d", "e", "f", "g", "h"];
    twins.iter().for_each(|name| twin(at.path(), "a", name));
    let peak = |runs: usize| {
        let line = format!("compare a {} --quiet --out of-{runs}", twins[..runs - 1].join(" "));
        let mut child = FLOOD.spawn(at.path(), &line);
        let status = format!("/proc/{}/status", child.id());
        let mut peak_kb = 0;
        while child.try_wait().expect("a child").is_none() {
            let text = fs::read_to_string(&status).unwrap_or_default();
            let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let kb = line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse().ok());
            peak_kb = kb.unwrap_or(0).max(peak_kb);
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        assert!(child.wait().expect("it ended").success());
        1024 * peak_kb
    };
    let (few, many): (usize, usize) = (peak(2), peak(8));
    assert!(few > 8 * side * side, "{few} bytes");
    let kept = 6 * 5 * side * side;
    assert!(many < few + kept / 2, "{few} bytes for 2 runs, {many} for 8");
}

/// Goal: runs of the first level alone say in which cells they ran, once, if these are equal.
#[test]
fn first_looks_tell_their_cells() {
    let at = testkit::folder(&[
        ("wide.asc", plain((160, 130))),
        ("low.toml", WATER.replace("dem.asc", "wide.asc").replace("6min", "10s")),
        ("high.toml", WATER.replace("dem.asc", "wide.asc").replace("6min", "11s")),
    ]);
    let at = at.path();
    let said = FLOOD.done(at, "compare low.toml high.toml --now --out looks");
    let note =
        "Both runs are first looks (--now) in cells of 40 m: differences narrower than a cell";
    holds(&said, &[note]);
    FLOOD.said(at, "low.toml --quiet --out whole");
    let said = FLOOD.done(at, "compare whole looks/high --out mixed");
    holds(&said, &["`high` was simulated in cells of 40 m, `whole` in cells of 5 m"]);
    assert!(!said.contains("first looks"), "{said}");
}

/// Goal: gates that open at other times are a setting that differs, though their tables have the
/// same values and the same number of rows.
#[test]
fn gates_that_open_at_other_times_differ() {
    let folder = folder();
    let at = folder.path();
    let gate = |name: &str| format!("{WATER}{LEVEE}[barrier.gap]\nopening = \"{name}.csv\"\n");
    let table = |middle: &str| format!("time [min],opening [m]\n0,0\n{middle},1\n5,0\n");
    testkit::put(
        at,
        &[
            ("early.toml", gate("early")),
            ("late.toml", gate("late")),
            ("early.csv", table("1")),
            ("late.csv", table("3")),
        ],
    );
    FLOOD.done(at, "compare early.toml late.toml --out out");
    let found = json_of(&at.join("out"), "comparison.json");
    let settings = found["settings"].as_array().expect("settings");
    let row = settings.iter().find(|row| row["setting"] == "barrier levee: gap: opening");
    let texts = ["1 min", "3 min"]
        .map(|time| format!("0 m to 1 m until 5 min (3 rows); there differs: 1 m at {time}"));
    assert_eq!(row.map(|row| &row["values"]), Some(&json!(texts)), "{settings:?}");
}
