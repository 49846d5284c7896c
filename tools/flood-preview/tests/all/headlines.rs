//! Headlines of whole runs: what the event flooded, apart from the water that was there before.
//!
//! Goal: the terminal, the page and `summary.json` have the figures that the GeoTIFFs give by hand,
//!       and the sea, a lake and a river in its bed count as no flood.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;
use testkit::{Program, grid, holds, raster};

const FLOOD: Program = Program(env!("CARGO_BIN_EXE_flood-preview"));

const SIZE: (usize, usize) = (30, 12);
const CELL_M2: f64 = 25.0;

/// A sea of 144 cells at 0 m, a beach, and land with a pit of one cell.
fn bed(col: usize, row: usize) -> f64 {
    match (col, row) {
        (20, 6) => -4.0,
        (0..12, _) => 0.0,
        _ => 0.1 * (col - 11) as f64,
    }
}

fn folder() -> TempDir {
    testkit::folder(&[
        ("coast.asc", grid(SIZE, 5.0, bed)),
        ("surge.csv", "time [s], stage [m]\n0,0.15\n60,1.5\n120,1.5\n".to_owned()),
        ("river.asc", grid(SIZE, 5.0, |_, row| if row == 2 { 7.0 } else { 1.0 })),
    ])
}

fn summary(folder: &Path) -> Value {
    let text = fs::read(folder.join("flood-preview-out/summary.json")).expect("a summary");
    serde_json::from_slice(&text).expect("JSON")
}

/// The largest depths, m; 0 where there was no water.
fn depths(folder: &Path) -> Vec<f32> {
    let (_, depths) = raster(&folder.join("flood-preview-out/max_depth.tif"));
    depths.into_iter().map(|depth| if depth.is_nan() { 0.0 } else { depth }).collect()
}

/// Goal: each kind of water before is left out, wherever the figures appear.
/// Method: the cells that count, by their column and row, against all three places.
#[test]
fn the_sea_a_lake_and_a_river_are_no_flood() {
    let surge = "coast.asc --edge west=stage:surge.csv --edge nodata=wall";
    type Counts = fn(usize, usize) -> bool;
    let cases: [(String, Counts, &str, &str); 7] = [
        // The first stage, 15 cm, less the wet depth is the bed of the first column of the beach.
        (surge.to_owned(), |col, _| col > 12, "sea_m2", "the tide begins, 0.15 m (west)"),
        (format!("{surge} --sea none"), |_, _| true, "sea_m2", "flooded"),
        (format!("{surge} --sea 0.35"), |col, _| col > 14, "sea_m2", "at or below 0.35 m"),
        // The engine rounds the bed at 0.2 m up, to 205/1024 m.
        (format!("{surge} --sea 0.2"), |col, _| col > 13, "sea_m2", "at or below 0.2 m"),
        ("coast.asc --rain 9000mm/h".to_owned(), |col, _| col > 11, "sea_m2", "flat ground at 0 m"),
        (format!("{surge} --stage 0.52"), |col, _| col > 15, "at_start_m2", "flooded"),
        (
            format!("{surge} --sea none --permanent-water river.asc --water-classes 7"),
            |_, row| row != 2,
            "permanent_m2",
            "of rivers and lakes in the raster of permanent water",
        ),
    ];
    for (line, counts, kind, note) in cases {
        let folder = folder();
        let at = folder.path();
        let said = FLOOD.said(at, &format!("{line} --for 2min --frames 1"));
        let (summary, depths) = (summary(at), depths(at));
        let is_flooded = |cell: usize| {
            let (col, row) = (cell % SIZE.0, cell / SIZE.0);
            let was_wet = line.contains("--stage") && (col, row) == (20, 6);
            depths[cell] >= 0.05 && counts(col, row) && !was_wet
        };
        let cells: Vec<usize> = (0..depths.len()).filter(|cell| is_flooded(*cell)).collect();
        let area = CELL_M2 * cells.len() as f64;
        assert_eq!(summary["flooded_m2"], area, "{line}: {said}");
        let before = &summary["under_water_before"];
        assert_eq!(before["m2"], before[kind], "{line}: {before}");
        let is_before = before["m2"] != 0.0;
        assert_eq!(is_before, !line.ends_with("--sea none"), "{line}: {before}");
        assert_eq!(said.contains("not counted: "), is_before, "{said}");
        let has_sea = before["sea_m2"] != 0.0;
        assert_eq!(said.contains("count as the sea"), has_sea, "{line}: {said}");
        // A tide runs into a dry sea, which water at the start would fill.
        let is_filled = has_sea && line.contains("stage:");
        let words = "are dry at the start: the wave that fills them counts as part of the event; \
                     `--stage 0.15m` fills them first";
        assert_eq!(said.contains(words), is_filled, "{line}: {said}");
        let deepest = cells.iter().filter(|cell| **cell != 6 * SIZE.0 + 20);
        let deepest = deepest.map(|cell| depths[*cell]).fold(0.0, f32::max);
        let found = summary["flooded"]["deepest"]["depth_m"].as_f64().expect("a depth");
        assert!((found - f64::from(deepest)).abs() < 1.0e-6, "{line}: {found}, not {deepest}");
        let words = format!("flooded {area:.0} m² (dry at the start, 5 cm deep or more later)");
        holds(&said, &[note, &words]);
        let page = fs::read_to_string(at.join("flood-preview-out/report.html")).expect("a page");
        let fact = format!("<dt>Flooded area</dt><dd><b>{area:.0} m²</b>");
        holds(&page, &[&fact, &format!("The event flooded {area:.0} m²")]);
    }
}

/// Goal: each edge fills the sea up to its own first stage: ground that one of two tides leaves dry
/// is noted though the lower one covers all of its own, and no single stage is advised then.
/// Method: two basins with a ridge between, a tide at either edge; the lower one is full.
#[test]
fn each_tide_has_its_own_sea() {
    let bed = |col: usize, _: usize| match col {
        0..12 => 0.5,
        12..18 => 3.0,
        _ => -1.0,
    };
    let tide = |first: f64| format!("time [min],stage [m]\n0,{first}\n2,{}\n", first + 0.3);
    let files = [
        ("two.asc", grid(SIZE, 5.0, bed)),
        ("west.csv", tide(1.0)),
        ("east.csv", tide(0.2)),
        ("dry.csv", tide(0.5)),
    ];
    let folder = testkit::folder(&files);
    for (west, words) in [
        ("west.csv", Some("a raster of the stages beside each edge (--initial-stage) fills them")),
        ("dry.csv", None),
    ] {
        let edges = format!("--edges wall --edge west=stage:{west} --edge east=stage:east.csv");
        let line = format!("two.asc {edges} --stage 0.2m --for 2min --frames 1");
        let said = FLOOD.said(folder.path(), &line);
        assert_eq!(said.contains("are dry at the start"), words.is_some(), "{west}: {said}");
        assert!(words.is_none_or(|words| said.contains(words)), "{west}: {said}");
        assert!(!said.contains("`--stage "), "{west}: {said}");
    }
}

/// Goal: flat ground is no sea if the heights of the map are spread over a range, whose lowest is
/// just the lowest ground; a note names the option.
/// Method: the coast in steps of 1 mm from −5 m on, the range by the option and beside the file.
#[test]
fn flat_ground_of_spread_heights_is_no_sea() {
    let sample = |cell: usize| match (cell % SIZE.0, cell / SIZE.0) {
        (20, 6) => 1000,
        (0..12, _) => 5000,
        (col, _) => 5000 + 100 * u16::try_from(col - 11).expect("few columns"),
    };
    let samples: Vec<u8> = (0..SIZE.0 * SIZE.1).flat_map(|at| sample(at).to_le_bytes()).collect();
    let beside = b"height_min_m = -5\nheight_max_m = 60.535\n".to_vec();
    let folder = testkit::folder(&[
        ("option.r16", samples.clone()),
        ("beside.r16", samples),
        ("beside.toml", beside),
    ]);
    for (line, is_sea) in [
        ("option.r16 --height-range=-5..60.535", false),
        ("beside.r16", false),
        ("beside.r16 --sea 0m", true),
    ] {
        let options = "--map-size 30x12 --map-cell 5 --rain 9000mm/h --for 2min --frames 1";
        let said = FLOOD.said(folder.path(), &format!("{line} {options}"));
        let sea_m2 = &summary(folder.path())["under_water_before"]["sea_m2"];
        assert_eq!(*sea_m2, if is_sea { 144.0 * CELL_M2 } else { 0.0 }, "{line}: {said}");
        assert_eq!(said.contains("if that is the sea, add --sea 0m"), !is_sea, "{line}: {said}");
    }
}

/// Goal: a gauge has a speed in any water, and an empty field where it is dry.
/// Method: rain on a slope, a film below the wet depth; a gauge on a hill without rain.
#[test]
fn gauges_have_a_speed_in_a_film_and_none_where_it_is_dry() {
    let slope = |col: usize, _: usize| 0.2 * col as f64;
    let folder = testkit::folder(&[("slope.asc", grid(SIZE, 5.0, slope))]);
    let at = folder.path();
    let line = "slope.asc --rain 60mm/h --rain-for 5min --for 6min --gauge film=1022,2032 \
                --edges open";
    FLOOD.said(at, line);
    let read = |folder: &Path| {
        let table = csv::Reader::from_path(folder.join("flood-preview-out/gauges.csv"));
        let rows = table.expect("a table").into_records().map(|row| row.expect("a row"));
        let numbers = |row: csv::StringRecord| [3, 4].map(|at: usize| row[at].parse::<f64>().ok());
        rows.map(numbers).collect::<Vec<_>>()
    };
    let rows = read(at);
    for [depth, speed] in &rows {
        let depth = depth.expect("a depth");
        assert!(depth < 0.05, "{depth} m is no film");
        assert_eq!(speed.is_some(), depth > 0.0, "{depth} m, {speed:?}");
    }
    let fast = rows.iter().filter(|[_, speed]| speed.is_some_and(|speed| speed > 0.02)).count();
    assert!(2 * fast > rows.len(), "{fast} of {} readings move", rows.len());
    // Manning's formula: v = h^(2/3) · √S / n, on a slope of 4 %.
    let [depth, speed] = rows[rows.len() / 2].map(|value| value.expect("known"));
    let expected = depth.powf(2.0 / 3.0) * 0.2 / 0.035;
    assert!((speed / expected - 1.0).abs() < 0.15, "{speed} m/s, not {expected}");

    FLOOD.said(at, "slope.asc --inflow 1002,2002=0.01m3/s --for 2min --gauge hill=1122,2052");
    assert!(read(at).iter().all(|row| *row == [Some(0.0), None]), "a dry gauge has no speed");
}

#[test]
fn water_before_is_refused_with_its_mend() {
    let folder = folder();
    for (line, words) in [
        ("coast.asc --sea high", "write auto, none or metres"),
        ("coast.asc --water-classes 7", "name the raster with --permanent-water"),
        ("coast.asc --permanent-water river.asc --water-classes river", "whole numbers, like 40"),
        ("coast.asc --permanent-water gone.asc", "gone.asc"),
    ] {
        let said = FLOOD.plain(folder.path(), line, 2);
        assert!(said.contains(words), "{said}");
    }
}
