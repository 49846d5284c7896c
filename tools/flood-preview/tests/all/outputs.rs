//! Files that `write_all` leaves in the folder, read back by other means than wrote them.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use flood_preview::outcome::{
    CellBefore, Coarse, DepthFrame, FloodLedger, FloodOutcome, RunLevels, WaterBelow,
};
use flood_preview::output::stand::RunProgress;
use flood_preview::output::{write_all, write_on_the_way};
use kit::picture::colours::DEPTHS_M;
use serde_json::Value;

use crate::synthetic::{self, Size};

const SIZE: Size = Size { width: 90, height: 60, frames: 5 };

const NAMES: [&str; 14] = [
    "arrival.png",
    "arrival.tif",
    "duration.tif",
    "final_depth.tif",
    "hazard.png",
    "hazard.tif",
    "ledger.json",
    "max_depth.png",
    "max_depth.tif",
    "max_speed.png",
    "max_speed.tif",
    "max_stage.tif",
    "report.html",
    "summary.json",
];

/// The files of a run: no empty tables among them.
fn names_of(outcome: &FloodOutcome) -> Vec<&'static str> {
    let is_dry = |before: &CellBefore| *before == CellBefore::Dry;
    let tables: [(bool, &[&str]); 8] = [
        (outcome.gauges.is_empty(), &["gauges.csv"]),
        (outcome.sections.is_empty(), &["sections.csv"]),
        (outcome.edges.is_empty(), &["edges.csv"]),
        (outcome.barriers.is_empty(), &["barriers.csv", "barriers.json"]),
        (outcome.links.is_empty(), &["links.csv", "links.json"]),
        (outcome.faults.is_empty(), &["terrain_faults.csv"]),
        (outcome.before.iter().all(is_dry), &["before.tif"]),
        (outcome.below.is_none(), &["max_depth_below.tif", "max_stage_below.tif"]),
    ];
    let tables = tables.iter().filter(|(is_empty, _)| !is_empty);
    let mut names: Vec<&str> = tables.flat_map(|(_, names)| *names).copied().collect();
    names.extend(NAMES);
    names.sort_unstable();
    names
}

fn write(outcome: &FloodOutcome) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("temporary folder");
    // What an earlier run left goes where this one has none.
    for name in ["gauges.csv", "barriers.csv", "links.json", "before.tif", "max_stage_below.tif"] {
        fs::write(folder.path().join(name), "old").expect("writable");
    }
    let mut written = write_all(outcome, folder.path()).expect("writable").paths;
    written.sort();
    let names = names_of(outcome);
    let expected: Vec<_> = names.iter().map(|name| folder.path().join(name)).collect();
    assert_eq!(written, expected);
    assert_eq!(names_in(folder.path()), names);
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
    let (bed, deepest) = (&outcome.bed_m, &outcome.max_depth_m);
    let stage: Vec<f32> = bed.iter().zip(deepest).map(|(bed, depth)| bed + depth).collect();
    for (name, unit, plane) in [
        ("max_depth.tif", "m", deepest),
        ("max_stage.tif", "m", &stage),
        ("max_speed.tif", "m/s", &outcome.max_speed_m_s),
        ("hazard.tif", "m2/s", &outcome.hazard_m2_s),
        ("arrival.tif", "s", &outcome.arrival_s),
        ("duration.tif", "s", &outcome.duration_s),
        ("final_depth.tif", "m", &outcome.final_depth_m),
    ] {
        let values = rasters::RasterValues::Others;
        let hints = rasters::Hints { values, ..rasters::Hints::default() };
        let path = folder.path().join(name);
        let mut source = rasters::open(&path, &hints).expect("a GeoTIFF");
        let (grid, values) = rasters::read_all(source.as_mut()).expect("whole");
        assert_eq!(grid, outcome.output_grid, "{name}");
        let bytes = fs::read(&path).expect("there");
        let said = format!("role=\"unittype\">{unit}<");
        let is_said = bytes.windows(said.len()).any(|words| words == said.as_bytes());
        assert!(is_said, "{name} does not say {unit}");
        for (index, value) in values.iter().enumerate() {
            let (column, row) = (index % grid.width, index / grid.width);
            let cell = row / 2 * SIZE.width + column / 2;
            // Depths are whole; the others are those of flooded cells.
            let is_dry = match name.contains("depth") {
                true => plane[cell] <= 0.0,
                false => outcome.arrival_s[cell].is_nan(),
            };
            let expected = if is_dry { f32::NAN } else { plane[cell] };
            assert!(
                value.to_bits() == expected.to_bits() || (value.is_nan() && expected.is_nan()),
                "{name} at {column}, {row}: {value}, not {expected}"
            );
        }
    }
}

/// Where the map begins on a sheet: inside its frame.
fn corner(width: usize, pixels: &[[u8; 3]]) -> (usize, usize) {
    let corner = pixels.iter().position(|pixel| *pixel == [148, 156, 167]).expect("a frame");
    (corner % width + 1, corner / width + 1)
}

/// A flat world of `side` cells with water of some depth where `is_wet` holds.
fn flat(side: usize, depth: f32, is_wet: impl Fn(usize, usize) -> bool) -> FloodOutcome {
    let whole = synthetic::run(Size { width: side, height: side, frames: 1 });
    let cells = (0..side * side).map(|cell| (cell % side, cell / side));
    let max_depth_m: Vec<f32> =
        cells.map(|(x, y)| if is_wet(x, y) { depth } else { 0.0 }).collect();
    let frames = vec![DepthFrame::reduced(0.0, (side, side), &max_depth_m, &DEPTHS_M)];
    let (gauges, barriers, links) = (Vec::new(), Vec::new(), Vec::new());
    let bed_m = vec![100.0; side * side];
    let output_grid = synthetic::grid(2, 2, 5.0);
    FloodOutcome { max_depth_m, frames, bed_m, gauges, barriers, links, output_grid, ..whole }
}

/// The pixels of the map of largest depths, without the sheet around it.
fn depth_map(outcome: &FloodOutcome, side: usize) -> Vec<[u8; 3]> {
    map_in(write(outcome).path(), "max_depth.png", side)
}

/// The pixels of a map in a folder, without the sheet around it.
fn map_in(folder: &Path, name: &str, side: usize) -> Vec<[u8; 3]> {
    let (width, _, pixels) = read_png(&folder.join(name));
    let (left, top) = corner(width, &pixels);
    let rows = (top..top + side).flat_map(|y| pixels[y * width + left..][..side].to_vec());
    rows.collect()
}

/// Goal: a colour means the same depth in every run; a film below the wet depth has none.
/// Method: runs that differ in one number; two of them are each other's tenfold.
#[test]
fn depths_have_the_same_colours_in_every_run() {
    let wet = |x: usize, y: usize| x < 350 && y < 700;
    let [dry, film, rain, flood, deepest] =
        [0.0, 0.002, 0.06, 0.6, 6.0].map(|depth| depth_map(&flat(700, depth, wet), 700)[0]);
    assert_eq!(film, dry, "2 mm are no flood");
    for (one, other) in [(dry, rain), (rain, flood), (flood, deepest)] {
        let apart: i32 =
            one.iter().zip(other).map(|(a, b)| (i32::from(*a) - i32::from(b)).abs()).sum();
        assert!(apart > 40, "{one:?} and {other:?} look alike");
    }
    // The same 60 cm beside 6 m, which once changed its colour.
    let mut both = flat(700, 0.6, wet);
    both.max_depth_m[700 * 700 - 1] = 6.0;
    assert_eq!(depth_map(&both, 700)[0], flood);
}

/// Goal: water below the ground is hatched in the colour of its depth, over land and open water.
#[test]
fn water_below_the_ground_is_hatched() {
    let side = 700;
    let plane = |value: f32| vec![value; side * side];
    let of = |depth: f32, below_m: f32| {
        let below = Some(WaterBelow { max_depth_m: plane(below_m), max_stage_m: plane(99.0) });
        depth_map(&FloodOutcome { below, ..flat(side, depth, |x, _| x < 350) }, side)
    };
    let land = of(0.0, f32::NAN)[0];
    let [deep, film] = [of(1.5, f32::NAN)[0], of(0.06, 0.0)[0]];
    for (map, before) in [(of(0.0, 1.5), land), (of(0.06, 1.5), film)] {
        let part = |colour: [u8; 3]| map.iter().filter(|own| **own == colour).count() as f64;
        let (hatched, bare) = (part(deep) / map.len() as f64, part(before) / map.len() as f64);
        assert!((hatched - 0.5).abs() < 0.01, "{hatched} is hatched");
        assert!(bare > 0.24, "{bare} is as it was");
    }
}

/// Goal: water that was there before the event has one colour on all maps of the run, and its key;
/// what the event flooded has the colour of its class.
/// Method: one depth, speed, hazard and arrival everywhere; the west half was under water before,
/// or nothing was.
#[test]
fn water_before_the_event_has_a_colour_of_its_own() {
    let side = 700;
    let plane = |value: f32| vec![value; side * side];
    let run = |before: Vec<CellBefore>| FloodOutcome {
        before,
        max_speed_m_s: plane(1.5),
        hazard_m2_s: plane(3.0),
        arrival_s: plane(60.0),
        sections: Vec::new(),
        ..flat(side, 1.5, |_, _| true)
    };
    let is_west = |cell: usize| cell % side < side / 2;
    let kinds = [CellBefore::Start, CellBefore::Sea, CellBefore::Permanent];
    let state = |cell: usize| if is_west(cell) { kinds[cell / side % 3] } else { CellBefore::Dry };
    let marked = write(&run((0..side * side).map(state).collect()));
    let plain = write(&run(vec![CellBefore::Dry; side * side]));
    let calm = map_in(marked.path(), "max_depth.png", side)[0];
    for name in ["max_depth.png", "max_speed.png", "hazard.png", "arrival.png"] {
        let class = map_in(plain.path(), name, side)[0];
        assert_ne!(calm, class, "{name}");
        let map = map_in(marked.path(), name, side);
        let expected = |cell: usize| if is_west(cell) { calm } else { class };
        let wrong = (0..map.len()).filter(|&cell| map[cell] != expected(cell)).count();
        assert_eq!(wrong, 0, "{name}");
    }
    let (_, found) = testkit::raster(&marked.path().join("before.tif"));
    for (cell, found) in found.iter().enumerate() {
        let expected = match state(cell) {
            CellBefore::Dry => f32::NAN,
            CellBefore::Start => 1.0,
            CellBefore::Sea => 2.0,
            CellBefore::Permanent => 3.0,
        };
        let is_same = found.to_bits() == expected.to_bits();
        assert!(is_same || (found.is_nan() && expected.is_nan()), "{cell}: {found}");
    }
    for (folder, label) in [(&marked, Value::from("Water before the event")), (&plain, Value::Null)]
    {
        let record = read_record(folder.path());
        for layer in record["layers"].as_array().expect("layers") {
            assert_eq!(layer["before"]["label"], label, "{}", layer["key"]);
        }
    }
}

/// Goal: the blue part of a large map is its wet part.
/// Method: 1,604 cells a side, of which each pixel has 2 × 2; 5 % of them wet, one in twenty.
#[test]
fn a_large_map_is_as_blue_as_it_is_wet() {
    let side = 1604;
    let share = |step: usize| {
        let outcome = flat(side, 0.7, |x, y| (x + 7 * y).is_multiple_of(step));
        let map = depth_map(&outcome, side / 2);
        let blue = |pixel: &[u8; 3]| f64::from(pixel[0]);
        map.iter().map(blue).sum::<f64>() / map.len() as f64
    };
    let (all, twentieth, none) = (share(1), share(20), share(usize::MAX));
    let part = (none - twentieth) / (none - all);
    assert!((part - 0.05).abs() < 0.01, "{part} of the colour for 0.05 of the water");
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
        let (left, top) = corner(width, &pixels);
        let mut wrong = 0;
        for (index, depth) in outcome.max_depth_m.iter().enumerate() {
            let (column, row) = (index % SIZE.width, index / SIZE.width);
            let pixel = pixels[(top + row * 8 + 4) * width + left + column * 8 + 4];
            wrong += usize::from(blue(pixel) != (*depth >= 0.05));
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

/// Goal: a program finds the run in one file, in SI units, with what it ran with.
#[test]
fn the_summary_holds_the_figures_and_the_settings() {
    let outcome = synthetic::run(SIZE);
    let folder = write(&outcome);
    let text = fs::read(folder.path().join("summary.json")).expect("there");
    let summary: Value = serde_json::from_slice(&text).expect("JSON");
    let number = |value: &Value| value.as_f64().expect("a number");
    let flooded = outcome.max_depth_m.iter().filter(|&&depth| depth >= 0.05).count();
    assert!((number(&summary["flooded_m2"]) - 100.0 * flooded as f64).abs() < 1.0e-6);
    let deepest = outcome.max_depth_m.iter().copied().fold(0.0, f32::max);
    let most = &summary["max_depth"];
    assert!((number(&most["depth_m"]) - f64::from(deepest)).abs() < 1.0e-6, "{most}");
    let at = |index: usize| number(&most["at"][index]);
    let (column, row) = outcome.grid.cell_at(at(0), at(1)).expect("on the map");
    let there = outcome.max_depth_m[row * SIZE.width + column];
    assert!((there - deepest).abs() < 1.0e-6, "{there} m at its place");
    let books = &summary["volumes_m3"];
    let ledger = &outcome.ledger;
    let stored = ledger.stored as f64 * ledger.unit_m3;
    assert!((number(&books["stored"]) / stored - 1.0).abs() < 1.0e-12, "{books}");
    assert!(books["in"]["rain"].is_number() && summary["is_balanced"] == true);
    assert_eq!(summary["settings"], outcome.inputs);
    let bridge = &summary["gauges"][0];
    assert_eq!(
        (&bridge["name"], number(&bridge["max_depth"]["time_s"])),
        (&"Bridge".into(), 600.0)
    );
    assert_eq!(
        (number(&summary["simulated_s"]), summary["wet_depth_m"].is_number()),
        (3600.0, true)
    );
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
    let outcome = FloodOutcome {
        title: nasty.into(),
        command: nasty.into(),
        settings: vec![(nasty.into(), nasty.into())],
        notes: vec![nasty.into()],
        ledger: FloodLedger { into: vec![(nasty.into(), 0)], ..FloodLedger::default() },
        ..synthetic::run(SIZE)
    };
    let folder = write(&outcome);
    let page = fs::read_to_string(folder.path().join("report.html")).expect("text");
    assert_eq!(page.matches("<script").count(), 2, "the record and the script");
    assert_eq!(page.matches("</script").count(), 2);
    assert!(!page.contains("<!--"));
    assert!(!page.contains("http://") || page.matches("http://").count() == 1, "only the SVG name");
    assert!(!page.contains("https://"));

    let escaped = nasty.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let escaped = escaped.replace('"', "&quot;");
    // Twice the title, the command, a setting's name and value, an account, the note (trimmed).
    assert_eq!(page.matches(escaped.trim_end()).count(), 7);
    let record = read_record(folder.path());
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
    let outside = |mut outcome: FloodOutcome| {
        outcome.bed_m.fill(f32::NAN);
        outcome.max_depth_m.fill(f32::NAN);
        outcome
    };
    for (name, outcome) in [
        ("no gauges", FloodOutcome { gauges: Vec::new(), ..whole() }),
        ("no barriers", FloodOutcome { barriers: Vec::new(), ..whole() }),
        (
            "no sections",
            FloodOutcome {
                sections: Vec::new(),
                edges: Vec::new(),
                outlets: Vec::new(),
                ..whole()
            },
        ),
        ("no links", FloodOutcome { links: Vec::new(), ..whole() }),
        ("no frames", synthetic::run(sized(20, 10, 0))),
        ("one frame", synthetic::run(sized(20, 10, 1))),
        ("all dry", dry(SIZE)),
        ("one cell, dry", dry(sized(1, 1, 2))),
        ("tiny", synthetic::run(sized(3, 2, 3))),
        ("wide", synthetic::run(sized(1700, 3, 2))),
        ("tall", synthetic::run(sized(2, 900, 2))),
        ("all outside", outside(whole())),
        (
            "interrupted, untitled",
            FloodOutcome { interrupted: true, title: String::new(), ..whole() },
        ),
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
        let page = fs::read_to_string(folder.path().join("report.html")).expect("text");
        assert_eq!(page.contains("The run was stopped after"), outcome.interrupted, "{name}");
        let (width, height, _) = read_png(&folder.path().join("max_depth.png"));
        assert!(width >= 700 && height <= 1900, "{name}: {width} × {height}");
    }
}

/// Goal: the page of a level that others follow says so and renews itself, and neither if none
/// comes; a level alone says that nothing was measured, two say how far they agree.
#[test]
fn a_page_renews_itself_while_finer_levels_follow() {
    let coarse = || {
        let mut outcome = synthetic::run(SIZE);
        outcome.coarse = Some(Coarse { cell_m: 40.0, words: "Simulated in cells of 40 m.".into() });
        outcome
    };
    let (mut levels, [mut first, mut second]) = (RunLevels::default(), [coarse(), coarse()]);
    levels.add(&mut first, (160.0, 40.0));
    second.max_depth_m.iter_mut().take(SIZE.width * SIZE.height / 2).for_each(|depth| *depth = 0.0);
    levels.add(&mut second, (40.0, 40.0));
    let folder = tempfile::tempdir().expect("temporary folder");
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("text");
    let renews = "http-equiv=\"refresh\"";
    for (outcome, cell, words) in
        [(&first, "160 m", "was not measured"), (&second, "40 m", "How sure: cells of 160 m and")]
    {
        let written = write_on_the_way(
            &mut outcome.clone(),
            (folder.path(), RunProgress::Finer(None)),
            |_| {},
        );
        let written = written.expect("writable");
        let going_on = format!("An answer so far, in cells of {cell}: a better one follows");
        testkit::holds(&read("report.html"), &[renews, &going_on]);
        testkit::holds(&read("summary.json"), &["\"is_going_on\": true"]);
        written.settled.write(folder.path()).expect("writable");
        let mut settled = ["report.html", "summary.json"].map(read);
        testkit::holds(&settled[1], &["\"is_cut_short\": true"]);
        settled[1] = settled[1].replace("\"is_cut_short\": true", "\"is_cut_short\": false");
        let warning = format!(
            "The run was stopped, or failed, before it came to finer cells: maps and figures are \
             those of the whole event in cells of {cell}."
        );
        for warning in [
            format!("<p class=\"warning\">{warning}</p>"),
            format!("<li class=\"grave\">{warning}</li>"),
        ] {
            testkit::holds(&settled[0], &[&warning]);
            settled[0] = settled[0].replace(&warning, "");
        }
        // Without the warning it has a limit less.
        let count = |page: &str| -> usize {
            let (_, rest) = page.split_once(">All ").expect("a count of limits");
            rest.split_once(' ').and_then(|(count, _)| count.parse().ok()).expect("a number")
        };
        let limits = count(&settled[0]);
        settled[0] =
            settled[0].replace(&format!(">All {limits} "), &format!(">All {} ", limits - 1));
        write_all(outcome, folder.path()).expect("writable");
        // Pictures of a level that others follow are packed less tightly.
        let whole = ["report.html", "summary.json"].map(read);
        let texts = |files: &[String; 2]| files.each_ref().map(|file| without_pictures(file));
        assert!(texts(&settled) == texts(&whole), "{cell}");
        assert!(settled[0] != whole[0], "{cell}: the pictures");
        testkit::holds(&settled[0], &[words]);
        assert!(!settled[0].contains(renews) && !settled[0].contains("An answer so far"), "{cell}");
        testkit::holds(&settled[1], &["\"is_going_on\": false"]);
    }
    let shared = second.agreement().expect("two levels").2;
    assert!(shared > 0.0 && shared < 1.0, "{shared}");
}

/// A page without the bytes of its pictures.
fn without_pictures(page: &str) -> String {
    let mut parts = page.split("data:image/png;base64,");
    let first = parts.next().unwrap_or_default().to_owned();
    let rest = parts.map(|part| part.trim_start_matches(|c: char| c != '"'));
    first + &rest.collect::<String>()
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
