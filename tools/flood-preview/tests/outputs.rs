//! What `write_all` leaves in the folder, read back by other means than it was written.

mod synthetic;

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use flood_preview::outcome::{Ledger, Outcome};
use flood_preview::output::{NODATA, write_all};
use serde_json::Value;
use synthetic::Size;

const SIZE: Size = Size { width: 90, height: 60, frames: 5 };

const NAMES: [&str; 17] = [
    "arrival.png",
    "arrival.tif",
    "barriers.csv",
    "barriers.json",
    "duration.tif",
    "final_depth.tif",
    "gauges.csv",
    "hazard.png",
    "hazard.tif",
    "ledger.json",
    "links.csv",
    "links.json",
    "max_depth.png",
    "max_depth.tif",
    "max_speed.png",
    "max_speed.tif",
    "report.html",
];

fn write(outcome: &Outcome) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("temporary folder");
    let mut written = write_all(outcome, folder.path()).expect("writable");
    written.sort();
    let expected = NAMES.map(|name| folder.path().join(name));
    assert_eq!(written, expected);
    assert_eq!(names_in(folder.path()), NAMES);
    folder
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("readable");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("entry").file_name().display().to_string()).collect();
    names.sort();
    names
}

/// Width, height and RGB pixels.
fn read_png(path: &Path) -> (usize, usize, Vec<[u8; 3]>) {
    let file = std::io::BufReader::new(fs::File::open(path).expect("there"));
    let mut reader = png::Decoder::new(file).read_info().expect("a PNG");
    let mut bytes = vec![0; reader.output_buffer_size().expect("small")];
    let frame = reader.next_frame(&mut bytes).expect("whole");
    let pixels = bytes.as_chunks::<3>().0.to_vec();
    (frame.width as usize, frame.height as usize, pixels)
}

/// The record inside a report.
fn read_record(folder: &Path) -> Value {
    let page = fs::read_to_string(folder.join("report.html")).expect("text");
    let (_, rest) =
        page.split_once("<script id=\"record\" type=\"application/json\">").expect("a record");
    let (json, _) = rest.split_once("</script>").expect("an end");
    serde_json::from_str(json).expect("JSON")
}

#[test]
fn geotiffs_carry_the_values_on_the_input_grid() {
    let outcome = synthetic::run(SIZE);
    let folder = write(&outcome);
    for (name, plane) in [
        ("max_depth.tif", &outcome.max_depth_m),
        ("max_speed.tif", &outcome.max_speed_m_s),
        ("hazard.tif", &outcome.hazard_m2_s),
        ("arrival.tif", &outcome.arrival_s),
        ("duration.tif", &outcome.duration_s),
        ("final_depth.tif", &outcome.final_depth_m),
    ] {
        let hints = rasters::Hints::default();
        let mut source = rasters::open(&folder.path().join(name), &hints).expect("a GeoTIFF");
        let (grid, values) = rasters::read_all(source.as_mut()).expect("whole");
        assert_eq!(grid, outcome.output_grid, "{name}");
        for (index, value) in values.iter().enumerate() {
            let (column, row) = (index % grid.width, index / grid.width);
            let expected = plane[row / 2 * SIZE.width + column / 2];
            assert!(
                value.to_bits() == expected.to_bits() || (value.is_nan() && expected.is_nan()),
                "{name} at {column}, {row}: {value}, not {expected} (NoData {NODATA})"
            );
        }
    }
}

#[test]
fn maps_show_the_classes_where_they_belong() {
    let outcome = synthetic::run(SIZE);
    let folder = write(&outcome);
    let blue = |pixel: [u8; 3]| i32::from(pixel[2]) - i32::from(pixel[0]) > 40;
    for name in ["max_depth.png", "max_speed.png", "hazard.png", "arrival.png"] {
        let (width, height, pixels) = read_png(&folder.path().join(name));
        assert!((900..2000).contains(&width) && height >= 480, "{name}");
        if name != "max_depth.png" {
            continue;
        }
        // The map is 8 times enlarged; find its frame, then look at the middle of each cell.
        let rim = [148, 156, 167];
        let corner = pixels.iter().position(|pixel| *pixel == rim).expect("a frame");
        let (left, top) = (corner % width + 1, corner / width + 1);
        let mut wrong = 0;
        for (index, depth) in outcome.max_depth_m.iter().enumerate() {
            let (column, row) = (index % SIZE.width, index / SIZE.width);
            let pixel = pixels[(top + row * 8 + 4) * width + left + column * 8 + 4];
            wrong += usize::from(blue(pixel) != (*depth >= 0.1));
        }
        assert!(wrong < 120, "{wrong} cells (the names of two gauges cover some)");
    }
}

#[test]
fn ledger_is_exact() {
    let outcome = synthetic::run(SIZE);
    assert!(outcome.ledger.balance());
    let folder = write(&outcome);
    let text = fs::read(folder.path().join("ledger.json")).expect("there");
    let ledger: Value = serde_json::from_slice(&text).expect("JSON");
    let number = |value: &Value| -> i128 {
        let text = value.as_str().expect("an integer as a string");
        text.parse().expect("an integer")
    };
    let total = |side: &Value| -> i128 {
        let entries = side.as_object().expect("by name");
        entries.values().map(number).sum()
    };
    assert_eq!(
        number(&ledger["initial"]) + total(&ledger["in"]) - total(&ledger["out"]),
        number(&ledger["stored"])
    );
    assert_eq!(ledger["in"]["rain"], "123456789012400000");
    assert_eq!(ledger["unit_m3"], outcome.ledger.unit_m3);
}

#[test]
fn gauges_hold_every_sample() {
    let outcome = synthetic::run(SIZE);
    let folder = write(&outcome);
    let mut table = csv::Reader::from_path(folder.path().join("gauges.csv")).expect("a table");
    let mut counts: HashMap<String, usize> = HashMap::new();
    for row in table.records() {
        let row = row.expect("a row");
        let gauge = outcome.gauges.iter().find(|gauge| gauge.name == row[1]);
        let gauge = gauge.expect("a known name");
        let index = counts.entry(row[1].into()).or_default();
        assert_eq!(row[0], gauge.time_s[*index].to_string());
        assert_eq!(row[3], gauge.depth_m[*index].to_string());
        *index += 1;
    }
    assert!(counts.len() == 2 && counts.values().all(|&count| count == 241));
}

/// Names, titles and settings are shown, never run.
#[test]
fn text_cannot_break_out_of_the_report() {
    let nasty = "</script><script>alert(\"1\")</script><!-- {{script}} & 'x' \\u003c \u{2028}";
    let outcome = Outcome {
        title: nasty.into(),
        command: nasty.into(),
        settings: vec![(nasty.into(), nasty.into())],
        notes: vec![nasty.into()],
        ledger: Ledger { into: vec![(nasty.into(), 0)], ..Ledger::default() },
        ..synthetic::run(SIZE)
    };
    let folder = write(&outcome);
    let page = fs::read_to_string(folder.path().join("report.html")).expect("text");
    assert_eq!(page.matches("<script").count(), 2, "the record and the script");
    assert_eq!(page.matches("</script").count(), 2);
    assert!(!page.contains("<!--"));
    assert!(!page.contains("http://") || page.matches("http://").count() == 1, "only the SVG name");
    assert!(!page.contains("https://"));

    let record = read_record(folder.path());
    for value in [
        &record["title"],
        &record["command"],
        &record["settings"][0][1],
        &record["notes"][0],
        &record["ledger"]["into"][0][0],
    ] {
        assert_eq!(value, nasty);
    }
    assert_eq!(record["gauges"][1]["name"], outcome.gauges[1].name);
}

#[test]
fn every_kind_of_little_gives_all_files() {
    let whole = || synthetic::run(SIZE);
    let dry = |size: Size| {
        let mut outcome = synthetic::run(size);
        for plane in
            [&mut outcome.max_depth_m, &mut outcome.max_speed_m_s, &mut outcome.hazard_m2_s]
        {
            plane.fill(0.0);
        }
        outcome.arrival_s.fill(f32::NAN);
        for frame in &mut outcome.frames {
            frame.depth_m.fill(0.0);
        }
        outcome
    };
    let sized = |width, height, frames| Size { width, height, frames };
    let outside = |mut outcome: Outcome| {
        outcome.bed_m.fill(f32::NAN);
        outcome.max_depth_m.fill(f32::NAN);
        outcome
    };
    for (name, outcome) in [
        ("no gauges", Outcome { gauges: Vec::new(), ..whole() }),
        ("no barriers", Outcome { barriers: Vec::new(), ..whole() }),
        ("no links", Outcome { links: Vec::new(), ..whole() }),
        ("no frames", synthetic::run(sized(20, 10, 0))),
        ("one frame", synthetic::run(sized(20, 10, 1))),
        ("all dry", dry(SIZE)),
        ("one cell, dry", dry(sized(1, 1, 2))),
        ("tiny", synthetic::run(sized(3, 2, 3))),
        ("wide", synthetic::run(sized(1700, 3, 2))),
        ("tall", synthetic::run(sized(2, 900, 2))),
        ("all outside", outside(whole())),
        ("interrupted, untitled", Outcome { interrupted: true, title: String::new(), ..whole() }),
        ("no cell size", {
            let mut outcome = whole();
            outcome.grid.cell_m = None;
            outcome.grid.crs = None;
            outcome
        }),
    ] {
        let folder = write(&outcome);
        let record = read_record(folder.path());
        let frames = record["frames"]["packed"].as_array().map(Vec::len);
        assert_eq!(frames, Some(outcome.frames.len()), "{name}");
        assert_eq!(record["interrupted"], outcome.interrupted, "{name}");
        let (width, height, _) = read_png(&folder.path().join("max_depth.png"));
        assert!(width >= 700 && height <= 1900, "{name}: {width} × {height}");
    }
}

#[test]
fn an_unusable_folder_is_named_and_left_alone() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join("taken");
    fs::write(&path, "a file").expect("written");
    let error = write_all(&synthetic::run(SIZE), &path).expect_err("not a folder");
    let text = error.to_string();
    assert!(text.contains("taken") && text.contains("--out"), "{text}");
    assert_eq!(fs::read_to_string(&path).expect("still there"), "a file");
}

/// A folder stands where a file should: nothing else is left of the attempt.
#[test]
fn a_file_that_cannot_be_written_leaves_no_halves() {
    let folder = tempfile::tempdir().expect("temporary folder");
    fs::create_dir(folder.path().join(".gauges.csv.part")).expect("made");
    let error = write_all(&synthetic::run(SIZE), folder.path()).expect_err("in the way");
    assert!(error.to_string().contains("gauges.csv"), "{error}");
    assert_eq!(names_in(folder.path()), [".gauges.csv.part"]);
}
