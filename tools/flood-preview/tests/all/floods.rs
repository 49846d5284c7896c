//! Whole runs of the real program over small maps, from the command line to the files.
//!
//! Goal: water appears where the map says, the books balance to the unit, and what was asked for
//!       arrives at the engine the right way round.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use rasters::Grid;
use serde_json::Value;
use tempfile::TempDir;
use testkit::{Program, grid, interrupt, put, raster};

const FLOOD: Program = Program(env!("CARGO_BIN_EXE_flood-preview"));

const WIDTH: usize = 12;
const HEIGHT: usize = 10;

/// A bed that is different in every direction: low in the south-west, with a pit in the north-east.
fn bed(col: usize, row: usize) -> f64 {
    let is_pit = (8..=10).contains(&col) && (1..=2).contains(&row);
    if is_pit { 2.0 } else { 5.0 + 0.5 * col as f64 + 0.25 * (HEIGHT - row) as f64 }
}

/// A fresh folder with `dem.asc` and other files.
fn folder(files: &[(&str, String)]) -> TempDir {
    let folder = testkit::folder(&[("dem.asc", grid((WIDTH, HEIGHT), 5.0, bed))]);
    put(folder.path(), files);
    folder
}

fn map(folder: &Path, name: &str) -> (Grid, Vec<f32>) {
    raster(&folder.join("flood-preview-out").join(name))
}

/// Depths of a map: nought where it says that there is no water.
fn depths(folder: &Path, name: &str) -> (Grid, Vec<f32>) {
    let (grid, depth) = map(folder, name);
    assert!(!depth.iter().any(|depth| *depth <= 0.0), "dry cells of {name} are NoData");
    (grid, depth.into_iter().map(|depth| if depth.is_nan() { 0.0 } else { depth }).collect())
}

/// Accounts in and out in m³, after a check that the books balance to the unit.
#[track_caller]
fn books(folder: &Path) -> BTreeMap<String, f64> {
    let text = fs::read_to_string(folder.join("flood-preview-out/ledger.json"));
    let ledger: Value = serde_json::from_str(&text.expect("a ledger")).expect("sound JSON");
    let units = |value: &Value| value.as_str().expect("text").parse::<i128>().expect("an integer");
    let unit_m3 = ledger["unit_m3"].as_f64().expect("a number");
    let mut balance = units(&ledger["initial"]) - units(&ledger["stored"]);
    let mut accounts = BTreeMap::new();
    for (way, sign) in [("in", 1), ("out", -1)] {
        for (name, value) in ledger[way].as_object().expect("accounts") {
            balance += sign * units(value);
            accounts.insert(format!("{way} {name}"), units(value) as f64 * unit_m3);
        }
    }
    assert_eq!(balance, 0, "{ledger}");
    accounts.insert("stored".to_owned(), units(&ledger["stored"]) as f64 * unit_m3);
    accounts
}

#[track_caller]
fn near(got: f64, expected: f64, tolerance: f64) {
    assert!((got - expected).abs() <= tolerance, "{got}, expected {expected}");
}

#[test]
fn still_water_stands_where_the_map_is_low() {
    let folder = folder(&[]);
    FLOOD.said(folder.path(), "dem.asc --stage 6.5 --edges wall --for 1min");
    let (grid, depth) = depths(folder.path(), "final_depth.tif");
    assert_eq!((grid.width, grid.height), (WIDTH, HEIGHT));
    assert_eq!((grid.west, grid.north), (1000.0, 2050.0));
    for row in 0..HEIGHT {
        for col in 0..WIDTH {
            let expected = (6.5 - bed(col, row)).max(0.0);
            near(f64::from(depth[row * WIDTH + col]), expected, 1.0e-6);
        }
    }
    near(books(folder.path())["stored"], 25.0 * depth.iter().sum::<f32>() as f64, 1.0e-3);
}

#[test]
fn rain_inflow_and_losses_are_booked_as_asked() {
    let folder = folder(&[
        ("storm.csv", "time [min], rain [mm/h]\n0,36\n5,72\n10,0\n".to_owned()),
        ("q.csv", "time_s,q_m3_s\n0,0\n100,2\n300,2\n400,0\n".to_owned()),
    ]);
    let line = "dem.asc --rain storm.csv --inflow mill:1001,2001=q.csv --edges wall \
                --infiltration 1mm/h --for 10min --gauge mill=1001,2001 --gauge hill=1050,2020";
    FLOOD.said(folder.path(), line);
    let accounts = books(folder.path());
    let area = 25.0 * (WIDTH * HEIGHT) as f64;
    near(accounts["in rain"], area * 0.009, 3.0e-3); // each row of the table rounds down once
    near(accounts["in mill"], 600.0, 1.0e-3);
    let soaked = accounts["out infiltration"];
    assert!(soaked > 0.0 && soaked <= area * 0.001 / 6.0 + 1.0e-3, "{soaked}");

    let gauges = folder.path().join("flood-preview-out/gauges.csv");
    let gauges = fs::read_to_string(gauges).expect("a table");
    let deepest = |name: &str| {
        let lines = gauges.lines().filter(|line| line.split(',').nth(1) == Some(name));
        let depths = lines.map(|line| line.split(',').nth(3).expect("a depth"));
        depths.map(|depth| depth.parse::<f64>().expect("a number")).fold(0.0, f64::max)
    };
    assert!(deepest("mill") > 0.3 && deepest("hill") < 0.1, "{gauges}");
}

#[test]
fn edges_hold_on_their_own_side_and_part() {
    let scenario = "[map]\nfile = \"dem.asc\"\n[run]\nfor = \"5min\"\n[edges]\nall = \"wall\"\n\
                    [[edge]]\nname = \"mouth\"\nside = \"west\"\nfrom = 2000\nto = 2010\n\
                    condition = \"stage:7\"\n";
    let folder = folder(&[("tide.toml", scenario.to_owned())]);
    FLOOD.said(folder.path(), "tide.toml");
    let accounts = books(folder.path());
    assert!(accounts["in mouth"] > 10.0, "{accounts:?}");
    assert!(!accounts.keys().any(|name| name.ends_with("edge")), "{accounts:?}");
    // Water comes from the south-west corner and has risen there to the stage outside.
    let (_, arrival) = map(folder.path(), "arrival.tif");
    let first = arrival.iter().copied().fold(f32::INFINITY, f32::min);
    let corner = (HEIGHT - 1) * WIDTH;
    assert!((arrival[corner] - first).abs() < 1.0e-6, "{}, {first}", arrival[corner]);
    let (_, depth) = depths(folder.path(), "final_depth.tif");
    near(f64::from(depth[corner]), 7.0 - bed(0, HEIGHT - 1), 0.05);
}

/// Value of a setting in the report.
fn recorded(folder: &Path, name: &str) -> Option<String> {
    let page = fs::read_to_string(folder.join("flood-preview-out/report.html")).expect("a report");
    let (_, rest) = page.split_once(&format!("<th scope=\"row\">{name}</th><td>"))?;
    rest.split_once("</td>").map(|(value, _)| value.to_owned())
}

#[test]
fn the_report_names_the_solver_and_the_water_obeys_it() {
    // A column of water collapses: what rushes on for its momentum gets there with `swe` only.
    let column = grid((WIDTH, HEIGHT), 5.0, |col, _| if col >= 9 { 3.0 } else { 0.0 });
    let flat = grid((WIDTH, HEIGHT), 5.0, |_, _| 0.0);
    let folder = folder(&[("flat.asc", flat), ("column.asc", column)]);
    let mut speeds = Vec::new();
    for solver in ["pipe", "swe"] {
        let line =
            format!("flat.asc --solver {solver} --initial-depth column.asc --edges wall --for 5s");
        FLOOD.said(folder.path(), &line);
        assert_eq!(recorded(folder.path(), "solver").as_deref(), Some(solver));
        books(folder.path());
        let (_, speed) = map(folder.path(), "max_speed.tif");
        speeds.push(speed);
    }
    assert_ne!(speeds[0], speeds[1]);
}

#[test]
fn tiles_that_take_their_own_steps_show_the_same_flood() {
    // Three tiles: a deep pond breaks out over a plain with a film of water.
    let size = (192, 64);
    let plain = grid(size, 5.0, |_, _| 0.0);
    let pond = grid(size, 5.0, |col, _| if col < 30 { 6.0 } else { 0.05 });
    let folder = folder(&[("plain.asc", plain), ("pond.asc", pond)]);
    let mut floods = Vec::new();
    for (steps, said) in [("map", None), ("tile", Some("by tile"))] {
        let line =
            format!("plain.asc --steps {steps} --initial-depth pond.asc --edges wall --for 40s");
        FLOOD.said(folder.path(), &line);
        assert_eq!(recorded(folder.path(), "steps").as_deref(), said);
        books(folder.path());
        floods.push(depths(folder.path(), "final_depth.tif").1);
    }
    let apart = floods[0].iter().zip(&floods[1]).map(|(a, b)| f64::from(a - b).abs());
    let most = apart.fold(0.0, f64::max);
    assert!(most > 0.0 && most < 0.05, "{most} m apart");
}

#[test]
fn wind_piles_water_up_where_it_blows_to() {
    let flat = grid((WIDTH, HEIGHT), 5.0, |_, _| 0.0);
    let scenario = "[map]\nfile = \"flat.asc\"\n[run]\nfor = \"30min\"\n[initial]\ndepth = 1\n\
                    [edges]\nall = \"wall\"\n[ground]\nmanning = 1\n[flow]\n\
                    wind = \"30m/s from 270\"\nviscosity = \"smagorinsky:0.2\"\n\
                    latitude = 54.5\n";
    let folder = folder(&[("flat.asc", flat), ("wind.toml", scenario.to_owned())]);
    FLOOD.said(folder.path(), "wind.toml");
    for (name, value) in [
        ("wind", "30 m/s from 270°"),
        ("eddy viscosity", "Smagorinsky, coefficient 0.2"),
        ("Coriolis force", "at latitude 54.5°"),
    ] {
        assert_eq!(recorded(folder.path(), name).as_deref(), Some(value));
    }
    // The bed is so rough that the basin comes to rest, with g h dη/dx = τ/ρ, where τ/ρ is
    // 0.0012 · (0.75 + 0.067 · 30) · 10⁻³ · 30² m²/s², over 55 m between the centres.
    let (_, depth) = depths(folder.path(), "final_depth.tif");
    let mean = |col: usize| (0..HEIGHT).map(|row| f64::from(depth[row * WIDTH + col])).sum::<f64>();
    let rise = (mean(WIDTH - 1) - mean(0)) / HEIGHT as f64;
    near(rise, 0.0167, 0.0003);
}

#[test]
fn fields_lie_where_their_raster_has_them() {
    // Twice as fine as the map, over its northern half only.
    let fine = |value: fn(usize, usize) -> f64| {
        let text = grid((2 * WIDTH, HEIGHT), 5.0, value);
        text.replace("cellsize 5", "cellsize 2.5").replace("yllcorner 2000", "yllcorner 2025")
    };
    let folder = folder(&[
        ("depth.asc", fine(|col, row| if col < 4 && row < 2 { 1.0 } else { 0.0 })),
        ("radar.asc", fine(|col, _| if col >= 20 { 60.0 } else { 0.0 })),
    ]);
    let line = "dem.asc --initial-depth depth.asc --edges wall --for 1s --frames 0 \
                --rain radar.asc --manning 0.1";
    let said = FLOOD.said(folder.path(), line);
    assert!(said.contains("does not reach over the whole map"), "{said}");
    // One second of 60 mm/h over 2 × 5 cells.
    let accounts = books(folder.path());
    near(accounts["in rain"], 250.0 / 60_000.0, 1.0e-4);
    let (_, depth) = depths(folder.path(), "max_depth.tif");
    assert!(depth[0] > 0.9 && depth[1] > 0.9, "{depth:?}");
    assert!(depth[4] < 0.5 && depth[(HEIGHT - 1) * WIDTH] < 0.01, "{depth:?}");
}

#[test]
fn a_draft_of_a_large_map_covers_it_in_the_map_s_own_grid() {
    let (width, height) = (603, 605);
    let slope = |col: usize, row: usize| 0.01 * (col + 2 * row) as f64;
    let folder = folder(&[("large.asc", grid((width, height), 5.0, slope))]);
    let line = "large.asc --quality draft --rain 600mm/h --for 20s --frames 0 \
                --gauge corner=4014,2001";
    let said = FLOOD.said(folder.path(), line);
    assert!(said.contains("cells of 10 m"), "{said}");
    let (grid, depth) = depths(folder.path(), "max_depth.tif");
    assert_eq!((grid.width, grid.height), (width, height));
    let area = 5.0 * 5.0 * (width * height) as f64;
    near(books(folder.path())["in rain"], area * 0.6 / 180.0, 1.0);
    assert!(depth[0] > 0.001, "{}", depth[0]);
}

/// Goal: coarse cells show what is narrower than they are, at the map's own resolution.
/// Method: a lake in a ditch one cell wide, its banks dry; drafts with and without coarser leaves,
/// from a stage and from rasters of stages and of depths, against every cell.
#[test]
fn a_draft_shows_what_is_narrower_than_its_cells() {
    let (width, height) = (604, 602);
    let is_ditch = |col: usize, row: usize| col == 301 || row == 100;
    let bed = move |col: usize, row: usize| match (is_ditch(col, row), col < 200) {
        (true, _) => 0.25,
        // A lake wide enough for coarser leaves.
        (_, true) => -30.0,
        _ => 5.0 + 0.01 * col as f64,
    };
    let depth = move |col, row| (2.0 - bed(col, row)).max(0.0);
    let folder = folder(&[
        ("ditch.asc", grid((width, height), 5.0, bed)),
        ("stage.asc", grid((width, height), 5.0, move |col, row| bed(col, row).max(2.0))),
        ("depth.asc", grid((width, height), 5.0, depth)),
    ]);
    for way in [
        "--stage 2 --quality fine",
        "--stage 2 --quality draft",
        "--stage 2 --quality draft --adaptive",
        "--stage 2 --cell-size 10",
        "--initial-stage stage.asc --quality draft",
        "--initial-depth depth.asc --quality draft",
    ] {
        let line = format!("ditch.asc {way} --edges wall --for 4s --frames 1 --gauge a=2507,2500");
        let said = FLOOD.said(folder.path(), &line);
        let is_draft = !way.ends_with("fine");
        assert_eq!(said.contains("(level 1:"), is_draft, "{said}");
        let cells = recorded(folder.path(), "simulated cells").expect("said");
        assert_eq!(cells, if is_draft { "10 m, level 1, over beds of 5 m" } else { "5 m" });
        let page = fs::read_to_string(folder.path().join("flood-preview-out/report.html"));
        let is_told =
            page.expect("a report").contains("Simulated in cells of 10 m (level 1: 2 × 2");
        assert_eq!(is_told, is_draft, "at the head of the page");
        // Tables of few knots give volumes to a centimetre.
        let most = if way.contains("depth.asc") { 0.05 } else { 1.0e-4 };
        for name in ["max_depth.tif", "final_depth.tif"] {
            let (_, found) = depths(folder.path(), name);
            let mut worst = 0.0_f64;
            for (at, found) in found.iter().enumerate() {
                let expected = depth(at % width, at / width);
                worst = worst.max((f64::from(*found) - expected).abs());
            }
            assert!(worst < most, "{way}: {name} is off by {worst} m");
        }
        let gauges = fs::read_to_string(folder.path().join("flood-preview-out/gauges.csv"));
        let gauges = gauges.expect("a table");
        let last = gauges.lines().last().expect("a reading").split(',');
        let last: Vec<f64> = last.filter_map(|word| word.parse().ok()).collect();
        assert!(last.iter().any(|v| (v - 1.75).abs() < most), "{way}: {gauges}");
    }
}

#[test]
fn the_same_flood_on_any_number_of_threads() {
    let folder = folder(&[]);
    let files = ["final_depth.tif", "max_speed.tif", "ledger.json", "gauges.csv"];
    let mut results = Vec::new();
    for threads in [1, 2, 7] {
        let line = format!("dem.asc --gauge a=1030,2020 --for 10min --threads {threads}");
        FLOOD.said(folder.path(), &line);
        let out = folder.path().join("flood-preview-out");
        results.push(files.map(|name| fs::read(out.join(name)).expect("a result")));
    }
    assert!(results.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
#[cfg(unix)]
fn ctrl_c_writes_what_there_is() {
    let folder = folder(&[]);
    let child = FLOOD.spawn(folder.path(), "dem.asc --for 30000d --frames 0");
    std::thread::sleep(std::time::Duration::from_millis(700));
    interrupt(&child);
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{said}{stderr}");
    assert!(said.contains("stopped early"), "{said}");
    books(folder.path());
    assert!(folder.path().join("flood-preview-out/report.html").exists());
}

/// A bay of 256 × 256 cells that falls to the west, with a bank in the east.
fn bay(col: usize, row: usize) -> f64 {
    let bank = (col as f64 - 200.0).max(0.0);
    -24.0 + 0.01 * col as f64 + 0.005 * row as f64 + bank
}

/// Goal: open water on coarser cells makes the maps of a run without them, with less work.
/// Method: a stage that rises by a metre at the west edge of a bay; the work is what the log says.
#[test]
fn open_water_on_coarser_cells_shows_the_same_maps() {
    let folder = folder(&[
        ("bay.asc", grid((256, 256), 5.0, bay)),
        ("tide.csv", "time [s], stage [m]\n0,0\n20,1\n40,1\n".to_owned()),
        ("bay.toml", "[map]\nfile = \"bay.asc\"\n[run]\nadaptive = true\n".to_owned()),
    ]);
    let water = "--stage 0 --edges wall --edge west=stage:tide.csv --for 40s --frames 1";
    let mut runs = Vec::new();
    for (map_and_way, is_adaptive) in
        [("bay.asc", false), ("bay.toml", true), ("bay.toml --no-adaptive", false)]
    {
        let said = FLOOD.said(folder.path(), &format!("{map_and_way} {water}"));
        let open_water = recorded(folder.path(), "open water");
        assert_eq!(open_water.is_some(), is_adaptive, "{map_and_way}: {said}");
        let accounts = books(folder.path());
        let planes = ["max_depth.tif", "arrival.tif", "final_depth.tif"];
        let unseen = |value: f32| if value.is_nan() { -1.0 } else { value };
        let plane = |name| map(folder.path(), name).1.into_iter().map(unseen).collect::<Vec<_>>();
        runs.push((accounts["in west edge"], planes.map(plane)));
    }
    let [fine, coarse, again] = runs.as_slice() else { panic!("three runs") };
    assert!(fine == again, "--no-adaptive is stronger than the file");
    assert!(fine != coarse, "nothing was coarse");
    near(coarse.0 / fine.0, 1.0, 0.01);
    for (plane, most) in [(0, 0.05), (2, 0.05)] {
        let pairs = fine.1[plane].iter().zip(&coarse.1[plane]);
        let worst = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(worst < most, "plane {plane}: {worst} m apart");
    }
    let wet = |run: &[Vec<f32>; 3]| run[1].iter().filter(|&&time| time >= 0.0).count();
    near(wet(&coarse.1) as f64 / wet(&fine.1) as f64, 1.0, 0.01);
}
