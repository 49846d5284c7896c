//! Observed series of a scenario and of the command line, from their table to the report.
//!
//! Goal: figures are those of a calculation by hand, in all outputs; what cannot be is refused in
//!       one line before the run.
//! Method: a flat basin between walls in steady rain, whose depth rises by 36 mm in an hour.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;
use testkit::{Program, grid};

const FLOOD: Program = Program(env!("CARGO_BIN_EXE_flood-preview"));

/// Readings of 12, 30 and 36 mm, where the depth is 12, 24 and 36 mm.
const RECORD: &str = "time [min],depth [mm]\n20,12\n40,30\n60,36\n90,99\n";

/// A basin of 5 m cells at 5 m, its south-west corner at 1000, 2000, with a gauge and a section.
fn folder(keys: &str) -> TempDir {
    let basin = grid((24, 16), 5.0, |_, _| "5");
    let scenario = "[map]\nfile = \"dem.asc\"\n[edges]\nall = \"wall\"\n[[rain]]\n\
                    rate = \"36mm/h\"\n[run]\nfor = \"1h\"\n[output]\nframes = 2\n\
                    [[section]]\nname = \"line\"\nline = [[1060, 2000], [1060, 2080]]\n\
                    [[gauge]]\nname = \"mill\"\nat = [1052, 2042]\n";
    testkit::folder(&[
        ("dem.asc", basin),
        ("s.toml", format!("{scenario}{keys}")),
        ("mill.csv", RECORD.to_owned()),
    ])
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join("flood-preview-out").join(name)).expect("a file")
}

#[test]
fn figures_are_those_of_a_calculation_by_hand() {
    let folder = folder("observed = \"mill.csv\"\n");
    fs::write(folder.path().join("line.csv"), "0,0m3/s\n1h,0m3/s\n").expect("writable");
    FLOOD.said(folder.path(), "s.toml --observed line=line.csv");
    let summary: Value = serde_json::from_str(&read(folder.path(), "summary.json")).expect("JSON");
    let observed = &summary["gauges"][0]["observed"];
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{observed}"));
    assert_eq!((&observed["quantity"], &observed["readings"]), (&"depth_m".into(), &3.into()));
    for (value, expected) in [
        (&observed["peak"]["depth_m"], 0.036),
        (&observed["peak"]["time_s"], 3600.0),
        (&observed["simulated_peak"]["depth_m"], 0.036),
        (&observed["difference"]["depth_m"], 0.0),
        // The mean is 26 mm: 1 − 6² / (14² + 4² + 10²).
        (&observed["nash_sutcliffe"], 1.0 - 36.0 / 312.0),
    ] {
        let off = (number(value) - expected).abs();
        assert!(off < 1.0e-3 * expected.max(1.0), "{value}, not {expected}: {observed}");
    }
    let section = &summary["sections"][0]["observed"];
    // A discharge is the mean since the sample before: none is that of the start.
    assert!(section["nash_sutcliffe"].is_null() && section["readings"] == 1, "{section}");

    let table = read(folder.path(), "observed.csv");
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0].join(","), "time_s,name,quantity,observed,simulated,difference");
    // The reading of the section at the start has a row, without a simulated value.
    assert_eq!(rows.len(), 6, "the reading after the run is left out: {table}");
    assert_eq!(rows[2][..4], ["2400", "mill", "depth_m", "0.03"]);
    let simulated: f64 = rows[2][4].parse().expect("a number");
    assert!((simulated - 0.024).abs() < 2.0e-4, "{table}");

    let page = read(folder.path(), "report.html");
    for words in ["Simulated less observed", "depth 0.0360 m at 1 h", "<td>0.88", "observed.csv"] {
        assert!(page.contains(words), "{words}");
    }
    let record = page.split("<script id=\"record\" type=\"application/json\">").nth(1);
    let record = record.and_then(|rest| rest.split("</script>").next()).expect("a record");
    let record: Value = serde_json::from_str(record).expect("JSON");
    let drawn = &record["gauges"][0]["observed"];
    assert_eq!(drawn["values"], serde_json::json!([0.012, 0.03, 0.036]), "{drawn}");

    // The table of a run without observed series goes.
    FLOOD.said(folder.path(), "dem.asc --rain 36mm/h --for 1min --edges wall --frames 1");
    assert!(!folder.path().join("flood-preview-out/observed.csv").exists());
}

/// Goal: missing values are left out of the figures and said once, also if a table is that of two
/// gauges; so is the date that is taken as the start.
#[test]
fn gaps_and_the_first_date_are_noted_once() {
    let folder = folder("[[gauge]]\nname = \"weir\"\nat = [1012, 2012]\n");
    let record = "time,depth [mm]\n2004-08-16 12:00,0\n2004-08-16 12:20,\n2004-08-16 12:30,nan\n\
                  2004-08-16 12:40,30\n2004-08-16 12:50,-9999\n2004-08-16 13:00,36\n";
    fs::write(folder.path().join("dated.csv"), record).expect("writable");
    FLOOD.said(folder.path(), "s.toml --observed mill=dated.csv --observed weir=dated.csv");
    let summary: Value = serde_json::from_str(&read(folder.path(), "summary.json")).expect("JSON");
    let notes: Vec<&str> =
        summary["notes"].as_array().expect("notes").iter().filter_map(Value::as_str).collect();
    for words in [
        "dated.csv: 3 gaps, the first `an empty cell` in line 3",
        "dated.csv: its first date, 2004-08-16 12:00:00, is taken as the start of the run",
    ] {
        assert_eq!(notes.iter().filter(|note| note.contains(words)).count(), 1, "{notes:?}");
    }
    for gauge in summary["gauges"].as_array().expect("gauges") {
        let observed = &gauge["observed"];
        assert_eq!(observed["readings"], 3, "{observed}");
        let efficiency = observed["nash_sutcliffe"].as_f64();
        assert!(efficiency.is_some_and(|value| value > 0.9), "{observed}");
    }
}

#[test]
fn levels_below_the_bed_are_noted() {
    let folder = folder("");
    fs::write(folder.path().join("w.csv"), "time [h],W [cm]\n0,10\n1,40\n").expect("writable");
    let said = FLOOD.said(folder.path(), "s.toml --observed mill=level:w.csv");
    assert!(said.contains("lie below its bed, 5.00 m, the highest at 0.40 m"), "{said}");
    let page = read(folder.path(), "report.html");
    assert!(page.contains("level 0.40 m at 1 h") && page.contains("+4.64 m"), "no row");
}

#[test]
fn series_that_cannot_be_are_refused_before_the_run() {
    let folder = folder("");
    for (name, text) in [
        ("bare.csv", "0,3m\n1h,4m\n"),
        ("late.csv", "time [h],depth [m]\n2,1\n3,1\n"),
        ("back.csv", "time [h],depth [m]\n0,1\n2,1\n1,1\n"),
        ("wild.csv", "time [h],depth [m]\n0,1e999\n1,1\n"),
        ("under.csv", "time [h],depth [m]\n0,1\n1,-1\n"),
        ("huge.csv", "time [h],level [m]\n0,1e200\n1,5\n"),
        ("unset.csv", "time [h],level [m]\n0,5m\n1,-9999m\n"),
        ("flow.csv", "time [h],discharge [m3/s]\n0,1\n1,-3e6\n"),
    ] {
        fs::write(folder.path().join(name), text).expect("writable");
    }
    for (option, words) in [
        ("mill=bare.csv", "bare.csv does not say whether its values are depths or levels"),
        ("mill=late.csv", "has no reading within the run: it goes from 2 h to 3 h"),
        ("mill=back.csv", "back.csv line 4"),
        ("mill=wild.csv", "wild.csv line 2"),
        ("mill=under.csv", "under.csv line 3: the depth at 1 h is -1 m"),
        ("mill=huge.csv", "huge.csv line 2: the level at 0 s is 1.000e200 m"),
        ("mill=unset.csv", "unset.csv line 3: the level at 1 h is -9999 m"),
        ("line=flow.csv", "flow.csv line 3: the discharge at 1 h is -3000000 m³/s"),
        ("mil=mill.csv", "no gauge or section is called `mil` (did you mean mill?)"),
        ("mill=level:mill.csv", "`level:` contradicts the heading of the column, `depth`"),
        ("mill=none.csv", "cannot read the observed series"),
        ("line=mill.csv", "that of a stage, but a discharge is needed"),
    ] {
        FLOOD.mistaken(folder.path(), &format!("s.toml --observed {option}"), &[words]);
    }
}
