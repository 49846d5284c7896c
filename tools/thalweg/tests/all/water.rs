//! Worlds with water, from a map to a run that goes on: the real program in a fresh folder.
//!
//! Goal: `flood-preview` saves the world that it ran; it runs on, in parts as at once; its layers
//!       are the maps of the run; damage of its water is seen.
//! Method: small valleys and a basin, simulated by `flood-preview` itself.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;
use testkit::{Program, grid, holds, interrupt, number, put, raster, wait_until};
use thalweg::file::{Key, Layer, Store};
use thalweg::terrain::Terrain;
use thalweg::units::SimTime;
use thalweg::world::{MapKinds, SaveFile, WorldBuilder};

const THALWEG: Program = Program(env!("CARGO_BIN_EXE_thalweg"));

/// A valley of 5 m cells that falls to the south, with a hollow that fills.
fn valley(x: usize, y: usize) -> String {
    let (x, y) = (x as f64, y as f64);
    let hollow = if (x - 40.0).hypot(y - 60.0) < 12.0 { 3.0 } else { 0.0 };
    format!("{:.2}", 50.0 + (x - 45.0).abs() * 0.3 - y * 0.05 - hollow)
}

/// A basin with a shore all round.
fn basin(x: usize, y: usize) -> String {
    let away = (x as f64 - 160.0).hypot(y as f64 - 160.0);
    format!("{:.2}", (away * 0.07).powi(2) * 0.1)
}

fn dem(folder: &Path, (width, height): (usize, usize), bed: impl Fn(usize, usize) -> String) {
    put(folder, &[("dem.asc", grid((width, height), 5.0, bed))]);
}

/// Lets `flood-preview` run over `dem.asc` and save `flood.thalweg`; its maps go to `maps`.
fn preview(folder: &Path, line: &str) {
    let at = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let outputs = ["--world", &at("flood.thalweg"), "--out", &at("maps"), "--frames", "1"];
    let words = ["flood-preview", &at("dem.asc"), "--quiet"].map(str::to_owned).into_iter();
    let words = words.chain(line.split_whitespace().map(str::to_owned));
    let words = words.chain(outputs.map(str::to_owned)).map(Into::into);
    flood_preview::run::run(words.collect()).expect("a sound run");
}

/// A fresh folder with the valley's world after two minutes of rain.
fn flooded_valley() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    dem(folder.path(), (100, 90), valley);
    preview(folder.path(), "--rain 90mm/h --for 2min --manning 0.03 --wet-depth 2mm");
    folder
}

fn map(folder: &Path, name: &str) -> Vec<f32> {
    raster(&folder.join(name)).1
}

/// Compares what `export` writes with the maps of the run.
#[track_caller]
fn check_layers(at: &Path, most: f32) {
    for (layer, name) in [
        ("depth", "final_depth"),
        ("max-depth", "max_depth"),
        ("max-stage", "max_stage"),
        ("max-speed", "max_speed"),
        ("hazard", "hazard"),
        ("arrival", "arrival"),
        ("duration", "duration"),
    ] {
        THALWEG.done(at, &format!("export flood.thalweg {layer}.tif --layer {layer} --force"));
        let (found, expected) =
            (map(at, &format!("{layer}.tif")), map(at, &format!("maps/{name}.tif")));
        assert_eq!(found.len(), expected.len(), "{layer}");
        let largest = expected.iter().copied().filter(|cell| !cell.is_nan()).fold(0.0, f32::max);
        assert!(largest > 0.0, "{layer}: the run has some");
        // The run's map adds bed and depth, each rounded to single precision.
        let most = if layer == "max-stage" { most.max(1.0e-5) } else { most };
        for (cell, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let is_same = (found - expected).abs() <= most || found.is_nan() && expected.is_nan();
            assert!(is_same, "{layer}, cell {cell}: {found}, the run has {expected}");
        }
    }
}

#[test]
fn a_preview_becomes_a_world_that_runs_on() {
    let folder = flooded_valley();
    let at = folder.path();
    let books: Value =
        serde_json::from_slice(&fs::read(at.join("maps/ledger.json")).expect("there"))
            .expect("JSON");
    let unit_m3 = number(&books, "unit_m3");
    let units: f64 = books["stored"].as_str().expect("units").parse().expect("a number");
    let text = THALWEG.done(at, "info flood.thalweg --png flood.png");
    holds(&text, &["2 min by swe, cells of 5 m", "4 of level 0 (5 m)", "rain"]);
    let water = &THALWEG.json(at, "info flood.thalweg")["water"];
    assert_eq!(water["time_s"], 120.0);
    assert_eq!(water["volume_m3"], units * unit_m3);
    let wet = map(at, "maps/final_depth.tif").iter().filter(|&&depth| depth >= 0.002).count();
    assert_eq!(water["wet_cells"], wet);
    assert_eq!(water["state_hash"], Value::Null);
    check_layers(at, 0.0);
    let stages = THALWEG.json(at, "export flood.thalweg stage.tif --layer stage --level 1");
    assert_eq!((&stages["width"], &stages["unit"]), (&50.into(), &"m".into()));
    let made = THALWEG.json(at, "export flood.thalweg speed.png --layer speed");
    let sidecar = fs::read_to_string(at.join("speed.toml")).expect("there");
    assert!(sidecar.contains("unit = \"m/s\"") && made["unit"] == "m/s", "{sidecar}");
    assert!(THALWEG.done(at, "verify flood.thalweg").contains("whole"));

    let ran = THALWEG.json(at, "run flood.thalweg --for 1min --save-every 20s");
    assert_eq!((number(&ran, "from_s"), number(&ran, "time_s")), (120.0, 180.0));
    assert_eq!((&ran["balanced"], &ran["interrupted"]), (&true.into(), &false.into()));
    assert!(number(&ran, "saves") >= 2.0, "{ran}");
    let water = &THALWEG.json(at, "info flood.thalweg --hash")["water"];
    assert_eq!((number(water, "time_s"), &water["state_hash"]), (180.0, &ran["state_hash"]));
    assert!(THALWEG.done(at, "verify flood.thalweg").contains("whole"));
    // The maps of the run go on too.
    THALWEG.done(at, "export flood.thalweg later.tif --layer max-depth");
    let (before, later) = (map(at, "max-depth.tif"), map(at, "later.tif"));
    let unseen = |depth: &f32| if depth.is_nan() { 0.0 } else { *depth };
    let both = || before.iter().map(unseen).zip(later.iter().map(unseen));
    let grown = both().filter(|(before, later)| later > before).count();
    assert!(grown > 1000 && both().all(|(before, later)| later >= before));
}

/// Runs copies of a world in halves and at once.
#[track_caller]
fn check_halves(at: &Path, [half, end]: [&str; 2]) {
    for name in ["halves", "once"] {
        fs::copy(at.join("flood.thalweg"), at.join(format!("{name}.thalweg"))).expect("writable");
    }
    let first = THALWEG.json(at, &format!("run halves.thalweg --until {half}"));
    let halves = THALWEG.json(at, &format!("run halves.thalweg --until {end}"));
    let once = THALWEG.json(at, &format!("run once.thalweg --until {end} --save-every 30s"));
    assert_eq!(first["time_s"], halves["from_s"]);
    assert_ne!(first["state_hash"], halves["state_hash"]);
    assert_eq!(halves["state_hash"], once["state_hash"]);
    for layer in ["max-depth", "arrival", "duration", "speed"] {
        for name in ["halves", "once"] {
            THALWEG.done(at, &format!("export {name}.thalweg {name}-{layer}.tif --layer {layer}"));
        }
        let read = |name| fs::read(at.join(format!("{name}-{layer}.tif"))).expect("there");
        assert!(read("halves") == read("once"), "{layer}");
    }
    assert!(THALWEG.done(at, "verify halves.thalweg").contains("whole"));
    // Nothing is left to do, which it says; what is past is not run to.
    let said = THALWEG.done(at, &format!("run halves.thalweg --until {end}"));
    assert!(said.contains("already: nothing was left to run"), "{said}");
    let words = ["halves.thalweg is at", "already, and --until 1 s is past", "choose a later"];
    let before = fs::read(at.join("halves.thalweg")).expect("there");
    THALWEG.mistaken(at, "run halves.thalweg --until 1s", &words);
    assert!(fs::read(at.join("halves.thalweg")).expect("there") == before);
    let again = THALWEG.json(at, &format!("run halves.thalweg --until {end}"));
    assert_eq!((&again["cycles"], &again["state_hash"]), (&0.into(), &once["state_hash"]));
}

#[test]
fn a_run_in_two_halves_is_one_run() {
    let folder = flooded_valley();
    check_halves(folder.path(), ["3min", "5min"]);
}

/// Goal: a run goes on from a moment that was kept as it did then; what came later stays where it
/// is kept, too.
#[test]
fn a_run_is_scrubbed_back() {
    let folder = flooded_valley();
    let at = folder.path();
    let ran = THALWEG.json(at, "run flood.thalweg --until 5min --keep-every 1min");
    assert_eq!(ran["kept"].as_u64(), Some(3), "{ran}");
    let info = THALWEG.json(at, "info flood.thalweg");
    assert_eq!(info["kept_s"], serde_json::json!([180.0, 240.0, 300.0]), "{info}");
    let again = THALWEG.json(at, "run flood.thalweg --from 3.5min --until 5min");
    assert_eq!((number(&again, "from_s"), &again["state_hash"]), (180.0, &ran["state_hash"]));
    let info = THALWEG.json(at, "info flood.thalweg");
    assert_eq!(info["kept_s"], serde_json::json!([180.0, 240.0, 300.0]), "once each: {info}");
    THALWEG.mistaken(at, "run flood.thalweg --from 5min --until 4min", &["not before the end"]);
    let words = ["no moment up to", "--from"];
    THALWEG.mistaken(at, "run flood.thalweg --from 1min --until 5min", &words);
    assert!(THALWEG.done(at, "verify flood.thalweg").contains("whole"));
}

/// Goal: the same where leaves change; coarse leaves do not all become fine, or the other way.
#[test]
fn leaves_that_change_run_on() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = folder.path();
    dem(at, (320, 320), basin);
    preview(
        at,
        "--stage 14 --inflow 1050,2050=40m3/s --edges wall --for 1min --adaptive --solver pipe",
    );
    let info = THALWEG.json(at, "info flood.thalweg");
    let levels = info["water"]["leaves"].as_array().expect("levels").len();
    assert!(levels > 1 && info["water"]["adaptive"] == true, "{info}");
    check_halves(at, ["2min", "3min"]);
    let later = THALWEG.json(at, "info halves.thalweg");
    assert!(later["water"]["leaves"].as_array().expect("levels").len() > 1, "{later}");
}

/// Goal: worlds of coarse cells over sub-grid columns; their layers on the finest cells are the
/// maps of the run.
#[test]
fn coarse_cells_are_shown_on_the_finest() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = folder.path();
    dem(at, (600, 600), |x, y| valley(x / 6, y / 6));
    preview(at, "--rain 90mm/h --for 1min --quality draft --solver pipe --wet-depth 1mm");
    let water = &THALWEG.json(at, "info flood.thalweg")["water"];
    assert_eq!((number(water, "cell_m"), &water["sub_grid"]), (10.0, &true.into()));
    check_layers(at, 1.0e-6);
    let coarse = THALWEG.json(at, "export flood.thalweg coarse.tif --layer duration --level 3");
    assert_eq!((&coarse["width"], &coarse["cell_m"]), (&75.into(), &40.0.into()));
}

/// Goal: leaves that sleep were flooded all the while, though nobody looked.
#[test]
fn a_lake_that_sleeps_counts_its_duration() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = folder.path();
    dem(at, (128, 128), |x, y| basin(x + 96, y + 96));
    preview(at, "--stage 14 --edges wall --for 10min");
    THALWEG.done(at, "export flood.thalweg duration.tif --layer duration");
    let (found, expected) = (map(at, "duration.tif"), map(at, "maps/duration.tif"));
    let is_same = |(a, b): (&f32, &f32)| a.to_bits() == b.to_bits();
    assert!(expected.contains(&600.0) && found.iter().zip(&expected).all(is_same));
}

#[test]
fn damaged_water_is_seen() {
    let folder = flooded_valley();
    let at = folder.path();
    let mut store = Store::open(&at.join("flood.thalweg")).expect("a world");
    let key = Key { layer: Layer::Run, ..Key::head(0) };
    let mut bytes = Vec::new();
    assert!(store.get(key, &mut bytes).expect("whole"));
    let text = String::from_utf8(bytes).expect("JSON");
    let text = text.replacen("\"initial\":\"0\"", "\"initial\":\"1\"", 1);
    store.put(key, text.as_bytes()).expect("writable");
    store.commit().expect("writable");
    drop(store);
    let output = THALWEG.run(at, "verify flood.thalweg");
    let report = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{report}");
    assert!(report.contains("ledger") && report.contains("bring back a copy"), "{report}");
    THALWEG.mistaken(at, "run flood.thalweg --for 1min", &["flood.thalweg", "ledger"]);
}

#[test]
fn bad_runs_are_refused() {
    let folder = flooded_valley();
    let at = folder.path();
    THALWEG.done(at, "import dem.asc dry.thalweg");
    let cases: &[(&str, &[&str])] = &[
        ("run dry.thalweg --for 1h", &["dry.thalweg", "no water", "flood-preview", "--world"]),
        ("export dry.thalweg a.tif --layer depth", &["no water"]),
        ("bench dry.thalweg", &["no water"]),
        ("run flood.thalweg", &["--until 2h"]),
        ("run flood.thalweg --for 0s", &["--for is 0 s"]),
        ("run flood.thalweg --for 1h --save-every 0s", &["--save-every"]),
        ("run flood.thalweg --until 1h --for 1h", &["--for"]),
        ("run missing.thalweg --for 1h", &["missing.thalweg", "check the name"]),
    ];
    for (line, words) in cases {
        THALWEG.mistaken(at, line, words);
    }
    assert_eq!(THALWEG.json(at, "info dry.thalweg")["water"], Value::Null);
    let _held = Store::open(&at.join("flood.thalweg")).expect("a world");
    THALWEG.mistaken(at, "run flood.thalweg --for 1h", &["flood.thalweg"]);
}

#[test]
fn bench_leaves_the_world_as_it_is() {
    let folder = flooded_valley();
    let at = folder.path();
    let before = fs::read(at.join("flood.thalweg")).expect("there");
    let files = || fs::read_dir(at).expect("readable").count();
    let count = files();
    let text = THALWEG.done(at, "bench flood.thalweg");
    holds(&text, &["open", "load", "what 10 cycles changed: 4 of 4", "nothing is damaged"]);
    assert!(number(&THALWEG.json(at, "bench flood.thalweg"), "cell_steps_per_s") > 0.0);
    assert!(fs::read(at.join("flood.thalweg")).expect("there") == before && files() == count);
}

/// Goal: Ctrl-C saves what there is, and costs no bit of what comes.
#[test]
#[cfg(unix)]
fn an_interrupted_run_goes_on() {
    let folder = flooded_valley();
    let at = folder.path();
    fs::copy(at.join("flood.thalweg"), at.join("once.thalweg")).expect("writable");
    let child = THALWEG.spawn(at, "run flood.thalweg --until 1000h --save-every 1s --json");
    // Once it has saved on the way it listens.
    let generation = |name: &str| Store::read(&at.join(name)).map(|store| store.generation()).ok();
    let before = generation("once.thalweg");
    wait_until("save", || generation("flood.thalweg").is_some_and(|found| Some(found) > before));
    interrupt(&child);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    let report: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!((&report["interrupted"], &report["balanced"]), (&true.into(), &true.into()));
    let stopped_s = number(&report, "time_s");
    assert!(stopped_s > 120.0, "{report}");
    let until = (stopped_s / 60.0).ceil() * 60.0;
    let hash = |name: &str| {
        THALWEG.json(at, &format!("run {name}.thalweg --until {until}s"))["state_hash"].clone()
    };
    assert_eq!(hash("flood"), hash("once"));
}

/// Goal: a world in place never grows by being compacted, and it is said when nothing is to gain.
#[test]
fn compact_leaves_what_would_not_become_smaller() {
    let folder = flooded_valley();
    let at = folder.path();
    let size = || fs::metadata(at.join("flood.thalweg")).expect("there").len();
    let before = size();
    THALWEG.done(at, "compact flood.thalweg");
    assert!(size() <= before);
    let bytes = fs::read(at.join("flood.thalweg")).expect("there");
    let text = THALWEG.done(at, "compact flood.thalweg");
    assert!(text.contains("flood.thalweg stays as it is: it takes"), "{text}");
    let again = THALWEG.json(at, "compact flood.thalweg");
    assert_eq!(again["bytes_after"], again["bytes_before"]);
    assert!(again["bytes_refused"].as_u64() >= again["bytes_before"].as_u64(), "{again}");
    assert!(fs::read(at.join("flood.thalweg")).expect("there") == bytes);
}

/// Goal: a world that keeps some flood maps says which, exports those, and names the one that it
/// does not keep, before it is loaded. Method: a world of the library that keeps two kinds.
#[test]
fn a_map_that_is_not_kept_is_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = folder.path();
    let bowl = |x: usize, y: usize| 0.1 * (x as f64 - 32.0).hypot(y as f64 - 32.0);
    let terrain = Terrain::from_heights([64, 64], 5.0, bowl).expect("good heights");
    let builder = WorldBuilder::new(terrain).initial_depth(|_| 0.2);
    let mut world = builder.maps(MapKinds::DEPTH | MapKinds::ARRIVAL).build().expect("good");
    world.run_until(SimTime::from_seconds(20.0));
    SaveFile::create(&at.join("some.thalweg"), &world).expect("a new file");
    let info = THALWEG.done(at, "info some.thalweg");
    assert!(info.contains("maps     depth, arrival; others are not kept"), "{info}");
    let kinds = &THALWEG.json(at, "info some.thalweg")["water"]["maps"];
    assert_eq!(kinds, &serde_json::json!(["depth", "arrival"]));
    for layer in ["depth", "stage", "max-depth", "max-stage", "arrival"] {
        THALWEG.done(at, &format!("export some.thalweg {layer}.tif --layer {layer}"));
        assert!(map(at, &format!("{layer}.tif")).iter().any(|value| *value >= 0.0), "{layer}");
    }
    let missing = [("speed", "velocity"), ("max-speed", "speed"), ("duration", "duration")];
    for (layer, kind) in missing.into_iter().chain([("hazard", "hazard")]) {
        let line = format!("export some.thalweg {layer}.tif --layer {layer}");
        let what = format!("keeps no flood map of {kind}");
        THALWEG.mistaken(at, &line, &[&what, "flood-preview --world"]);
        assert!(!at.join(format!("{layer}.tif")).exists(), "{layer}");
    }
    THALWEG.done(at, "verify some.thalweg");
}

/// Goal: a run on a card is the run on the processor. Method: the driver of this machine, in
/// software where there is no card; without one the processor steps both, which is said, or fails
/// this if the variable `THALWEG_VULKAN` demands a driver.
#[test]
fn a_run_on_any_device_is_one_run() {
    let folder = flooded_valley();
    let [cpu, gpu] = ["cpu", "gpu"].map(|device| {
        let (from, to) = (folder.path().join("flood.thalweg"), format!("{device}.thalweg"));
        fs::copy(from, folder.path().join(&to)).expect("room");
        let output =
            THALWEG.run(folder.path(), &format!("run {to} --for 1min --device {device} --json"));
        let said = String::from_utf8_lossy(&output.stderr);
        let demanded = std::env::var_os("THALWEG_VULKAN").is_some();
        assert!(output.status.success() && (said.is_empty() || !demanded), "{said}");
        let told: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
        ["state_hash", "cycles", "cell_steps", "saves"].map(|key| told[key].clone())
    });
    assert!(cpu[1].as_u64() > Some(0), "{cpu:?}");
    assert_eq!(cpu, gpu);
}
