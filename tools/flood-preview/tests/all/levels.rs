//! Levels of a run: coarse cells first, then finer ones.
//!
//! Goal: the last level is the run that was asked for, to the bit; what was done stays if a run is
//!       stopped; levels end where they were told to.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;
use testkit::{Program, grid, interrupt, number, raster, wait_until};
use thalweg::world::{SaveFile, World};

const FLOOD: Program = Program(env!("CARGO_BIN_EXE_flood-preview"));

/// 200 × 160 cells of 5 m: a valley that falls to the east, with spurs on both sides.
fn valley(col: usize, row: usize) -> f64 {
    let (x, y) = (col as f64, row as f64);
    let axis = 80.0 + 25.0 * (x / 30.0).sin();
    let spurs = 1.5 * (x / 7.0).sin() * (y / 9.0).cos();
    60.0 - 0.1 * x + 0.15 * (y - axis).abs() + spurs
}

fn folder() -> TempDir {
    testkit::folder(&[("valley.asc", grid((200, 160), 5.0, valley))])
}

fn summary(at: &Path) -> Value {
    let text = fs::read_to_string(at.join("flood-preview-out/summary.json"));
    serde_json::from_str(&text.expect("a summary")).expect("sound JSON")
}

/// Widths of the cells of the levels that were done, m.
fn widths(summary: &Value) -> Vec<f64> {
    let levels = summary["levels"].as_array().expect("levels");
    levels.iter().map(|level| number(level, "cell_m")).collect()
}

/// Goal: coarse levels before it change nothing of the last; all are told, and how far they agree.
/// Method: the same run with all levels and with the last alone; files byte by byte.
#[test]
fn levels_change_no_bit_of_the_last() {
    let files = ["max_depth.tif", "arrival.tif", "max_speed.tif", "ledger.json", "gauges.csv"];
    let line = "valley.asc --rain 60mm/h --for 10min --gauge out=1950,2400 --frames 3";
    let folder = folder();
    let results = || files.map(|name| fs::read(folder.path().join("flood-preview-out").join(name)));
    let said = FLOOD.said(folder.path(), line);
    let of_all = results().map(|file| file.expect("a result"));
    let told = ["cells of 40 m, ", "cells of 20 m, ", "how sure: cells of 20 m and of 5 m"];
    testkit::holds(&said, &told);
    let found = summary(folder.path());
    assert_eq!(widths(&found), [40.0, 20.0, 5.0]);
    assert_eq!(found["is_going_on"], false);
    let shared = number(&found["levels"][2], "shared");
    assert!(shared > 0.3 && shared < 1.0, "{shared}");
    let said = FLOOD.said(folder.path(), &format!("{line} --only-last"));
    assert!(!said.contains("cells of 40 m") && !said.contains("how sure"), "{said}");
    assert!(of_all == results().map(|file| file.expect("a result")), "the last level differs");
    assert_eq!(widths(&summary(folder.path())), [5.0]);
}

/// Goal: two levels say how sure they are, and a run of one level leaves nothing of that behind.
/// Method: the classes by hand from the depths of the levels, each run alone.
#[test]
fn two_levels_say_how_sure_they_are() {
    let line = "valley.asc --rain 60mm/h --for 10min --gauge out=1950,2400 --frames 0";
    let folder = folder();
    let out = folder.path().join("flood-preview-out");
    let plane = |name: &str| raster(&out.join(name)).1;
    let alone = |cell: &str| {
        FLOOD.said(folder.path(), &format!("{line} --only-last --cell-size {cell}"));
        plane("max_depth.tif")
    };
    let [coarse, fine] = ["20", "5"].map(alone);
    assert!(summary(folder.path())["ranges"].is_null());
    let names = ["certainty.tif", "certainty.png"];
    assert!(names.iter().all(|name| !out.join(name).exists()));
    let said = FLOOD.said(folder.path(), line);
    testkit::holds(&said, &["likely: ", " flooded, "]);
    assert!(names.iter().all(|name| out.join(name).exists()));
    let (wet, believed) = (0.05, 3.0 * 0.05_f32);
    let (mut counts, classes) = ([0; 3], plane("certainty.tif"));
    for ((class, coarse), fine) in classes.iter().zip(&coarse).zip(&fine) {
        // Dry cells have no depth.
        let both = |depth: f32| *coarse >= depth && *fine >= depth;
        let either = *coarse >= wet || *fine >= wet;
        let expected = if both(believed) { 2 } else { usize::from(either) };
        assert!((f64::from(*class) - expected as f64).abs() < 0.5, "{class}: {coarse}, {fine} m");
        counts[expected] += 1;
    }
    assert!(counts.iter().all(|count| *count > 100), "{counts:?}");
    let found = summary(folder.path());
    let ranges = &found["ranges"];
    for (range, value) in [
        (&ranges["flooded_m2"], &found["flooded_m2"]),
        (&ranges["deepest_m"], &found["flooded"]["deepest"]["depth_m"]),
        (&ranges["fast_m_s"], &found["flooded"]["fast"]["speed_m_s"]),
        (&ranges["stored_m3"], &found["volumes_m3"]["stored"]),
        (&ranges["gauges"][0]["depth_m"], &found["gauges"][0]["max_depth"]["depth_m"]),
    ] {
        let [low, value, high] = [&range[0], value, &range[1]].map(|v| v.as_f64().expect("known"));
        assert!(low <= value && value <= high && low < high, "{low} {value} {high}");
    }
    assert_eq!((&found["dangerous_m2"], &ranges["dangerous_m2"]), (&0.0.into(), &Value::Null));
    FLOOD.said(folder.path(), &format!("{line} --only-last"));
    assert!(names.iter().all(|name| !out.join(name).exists()), "of an earlier run");
    // A gauge that stays dry has no range, and its row as many cells as there are headings.
    let inflow = "--inflow river:1005,2400=5m3/s --gauge wet=1020,2400 --gauge dry=1600,2780";
    FLOOD.said(folder.path(), &format!("valley.asc --for 2min --frames 0 {inflow}"));
    let page = fs::read_to_string(out.join("report.html")).expect("a page");
    let (_, table) = page.split_once("Table: Highest values of the gauges").expect("a table");
    let (table, _) = table.split_once("</table>").expect("a table");
    let cells = |row: &str| row.matches("<td").count() + row.matches("<th ").count();
    let rows: Vec<usize> = table.split("<tr>").skip(1).map(cells).collect();
    assert_eq!(rows, [8, 8, 8], "{table}");
    assert!(table.contains(">Likely<") && table.contains(">–<"), "{table}");
}

/// Goal: drafts add the effect of roughness and water to ranges, and change nothing else.
/// Method: the drafts by hand, each as a run of its own; files of the last level byte by byte.
#[test]
fn drafts_say_what_roughness_and_water_do() {
    let folder = folder();
    let out = folder.path().join("flood-preview-out");
    let line = "valley.asc --rain-for 10min --frames 0";
    let deepest = |options: &str| {
        FLOOD.said(folder.path(), &format!("{line} --now {options}"));
        number(&summary(folder.path())["flooded"]["deepest"], "depth_m")
    };
    let by_hand = ["30mm/h", "60mm/h", "90mm/h"].map(|rate| deepest(&format!("--rain {rate}")));
    let usual = "--rain 60mm/h";
    FLOOD.said(folder.path(), &format!("{line} --now {usual} --vary=water=50%"));
    let found = summary(folder.path());
    let [low, high] = [0, 1].map(|end| found["ranges"]["deepest_m"][end].as_f64().expect("known"));
    for (end, expected) in [(low, by_hand[0]), (high, by_hand[2])] {
        assert!((end - expected).abs() < 1.0e-6 * expected, "{low} to {high}, not {by_hand:?}");
    }
    assert_eq!((&found["varied"]["is_alone"], &found["varied"]["runs"]), (&true.into(), &2.into()));
    let page = fs::read_to_string(out.join("report.html")).expect("a page");
    testkit::holds(
        &page,
        &["Varied ", "2 drafts in cells of 40 m that vary rain and inflows by ±50 %"],
    );
    assert!(!page.contains("Likely") && !page.contains("http-equiv=\"refresh\""), "{page}");

    let depths = || fs::read(out.join("max_depth.tif")).expect("a map");
    FLOOD.said(folder.path(), &format!("{line} {usual}"));
    let (alone, plain) = (summary(folder.path()), depths());
    let said = FLOOD.said(folder.path(), &format!("{line} {usual} --vary"));
    testkit::holds(&said, &["4 drafts in cells of 40 m that vary roughness by ±30 %", "likely: "]);
    let varied = summary(folder.path());
    assert!(plain == depths(), "drafts change the last level");
    assert_eq!(varied["flooded_m2"], alone["flooded_m2"]);
    for figure in ["flooded_m2", "deepest_m", "fast_m_s", "stored_m3", "left_m3"] {
        let ends = [&varied, &alone]
            .map(|found| [0, 1].map(|end| found["ranges"][figure][end].as_f64().expect("known")));
        let [[low, high], [own_low, own_high]] = ends;
        assert!(low < own_low && high > own_high, "{figure}: {ends:?}");
    }
    let dry = "valley.asc --initial-depth 0.1m --manning 0 --for 1min --frames 0 --now --vary";
    FLOOD.said(folder.path(), dry);
    let notes = summary(folder.path())["notes"].to_string();
    testkit::holds(&notes, &["--vary changes nothing: there is neither friction nor rain"]);
}

/// Goal: the first level alone, and no more levels than agree; a small map has one level. A run
/// whose levels end early has the moments of its slider.
#[test]
fn levels_end_where_they_are_told_to() {
    let folder = folder();
    let line = "valley.asc --rain 60mm/h --for 10min --frames 3";
    for (way, expected) in [
        ("--now", vec![40.0]),
        ("--until 1%", vec![40.0, 20.0]),
        ("--until 100%", vec![40.0, 20.0, 5.0]),
        ("--cell-size 20", vec![20.0]),
    ] {
        FLOOD.said(folder.path(), &format!("{line} {way}"));
        let found = summary(folder.path());
        assert_eq!(widths(&found), expected, "{way}");
        assert_eq!(found["is_cut_short"], false, "{way}: that was asked for");
        let page = fs::read_to_string(folder.path().join("flood-preview-out/report.html"));
        let page = page.expect("a report");
        assert!(!page.contains("http-equiv=\"refresh\""), "{way}");
        assert_eq!(page.contains("How sure: "), expected.len() > 1, "{way}");
        assert_eq!(page.contains("was not measured"), expected.len() == 1, "{way}");
        assert!(page.contains("\"packed\":[\""), "{way}: no moments");
    }
}

/// Goal: a run that is stopped in its last level keeps the whole event in coarser cells.
#[test]
#[cfg(unix)]
fn a_run_that_is_stopped_keeps_the_level_before() {
    let folder = folder();
    let at = folder.path();
    let child =
        FLOOD.spawn(at, "valley.asc --rain 60mm/h --for 20h --frames 0 --world flood.thalweg");
    let is_second = || {
        let text = fs::read_to_string(at.join("flood-preview-out/summary.json")).ok();
        let found: Option<Value> = text.and_then(|text| serde_json::from_str(&text).ok());
        found.is_some_and(|found| widths(&found) == [40.0, 20.0])
    };
    wait_until("second level", is_second);
    let page = fs::read_to_string(at.join("flood-preview-out/report.html")).expect("a report");
    testkit::holds(&page, &["http-equiv=\"refresh\"", "in cells of 20 m: a better one follows"]);
    // The last level is read and built by then, and runs for longer.
    std::thread::sleep(std::time::Duration::from_secs(2));
    interrupt(&child);
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(130), "{said}");
    testkit::holds(&said, &["stopped: the results are those of the whole event in cells of 20 m"]);
    let found = summary(at);
    assert_eq!((widths(&found), number(&found, "simulated_s")), (vec![40.0, 20.0], 72_000.0));
    assert_eq!((&found["is_going_on"], &found["is_cut_short"]), (&false.into(), &true.into()));
    let page = fs::read_to_string(at.join("flood-preview-out/report.html")).expect("a report");
    assert!(!page.contains("http-equiv=\"refresh\"") && !page.contains("a better one follows"));
    testkit::holds(
        &page,
        &["before it came to finer cells: maps and figures are those of the whole event"],
    );
    let saved = world(&at.join("flood.thalweg"));
    assert!(saved.time().seconds() < 72_000.0 && said.contains("in cells of 5 m"), "{said}");
    assert_eq!(saved.water().stored(), saved.water().ledger().expected());
}

/// Goal: a first look that is stopped in its drafts is whole, and says that nothing was varied.
#[test]
#[cfg(unix)]
fn a_first_look_that_is_stopped_in_its_drafts_is_whole() {
    let folder = folder();
    let at = folder.path();
    let line = "valley.asc --rain 60mm/h --rain-for 200h --for 200h --frames 0 --now --vary";
    let child = FLOOD.spawn(at, line);
    wait_until("first level", || is_going_on(at));
    let page = fs::read_to_string(at.join("flood-preview-out/report.html")).expect("a report");
    testkit::holds(
        &page,
        &["in cells of 40 m: drafts that vary roughness by ±30 %, rain and inflows by"],
    );
    interrupt(&child);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stdout));
    let found = summary(at);
    let [is_going_on, is_cut_short] = ["is_going_on", "is_cut_short"].map(|key| &found[key]);
    assert_eq!(
        (widths(&found), is_going_on, is_cut_short),
        (vec![40.0], &false.into(), is_going_on)
    );
    let why = "ot varied, as the run was stopped, or failed, before that: roughness by ±30 %, rain";
    testkit::holds(&found["notes"].to_string(), &[why]);
    let page = fs::read_to_string(at.join("flood-preview-out/report.html")).expect("a report");
    testkit::holds(&page, &[why]);
    assert!(
        !page.contains("http-equiv=\"refresh\"") && !page.contains("came to finer cells:"),
        "{page}"
    );
}

/// Goal: levels of two heightmaps are never mixed. Method: a map that is replaced after the first
/// level, by one of other heights or of another size.
#[test]
fn a_map_that_is_replaced_between_levels_ends_the_run() {
    for size in [(200, 160), (150, 160)] {
        let folder = folder();
        let at = folder.path();
        let child = FLOOD.spawn(at, "valley.asc --rain 60mm/h --for 20h --frames 0");
        wait_until("first level", || is_going_on(at));
        let other = grid(size, 5.0, |col, row| valley(row, col));
        fs::write(at.join("other.asc"), other).expect("writable");
        fs::rename(at.join("other.asc"), at.join("valley.asc")).expect("replaced");
        let output = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        testkit::holds(&said, &["valley.asc: the file was changed or replaced after this run"]);
        let found = summary(at);
        assert!(widths(&found).len() < 3, "{found}");
        assert_eq!((&found["is_going_on"], &found["is_cut_short"]), (&false.into(), &true.into()));
        let page = fs::read_to_string(at.join("flood-preview-out/report.html")).expect("a report");
        testkit::holds(
            &page,
            &["The run was stopped, or failed, before it came to finer cells: maps"],
        );
    }
}

/// Goal: results and a world beside the tiles of a map are no change of it; another tile is.
#[test]
fn results_in_a_folder_of_tiles_are_no_change_of_the_map() {
    let tile = |west: usize| {
        grid((100, 160), 5.0, |col, row| valley(col + west, row))
            .replace("xllcorner 1000", &format!("xllcorner {}", 1000 + 5 * west))
    };
    let folder = testkit::folder(&[("west.asc", tile(0)), ("east.asc", tile(100))]);
    let at = folder.path();
    let line = ". --rain 60mm/h --for 5min --frames 1 --world flood.thalweg";
    FLOOD.said(at, line);
    assert_eq!(widths(&summary(at)), [40.0, 20.0, 5.0]);
    assert!(at.join("flood.thalweg").exists());
    let child = FLOOD.spawn(at, ". --rain 60mm/h --for 20h --frames 0");
    wait_until("first level", || is_going_on(at));
    fs::write(at.join("east.asc"), tile(99)).expect("writable");
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr);
    testkit::holds(&said, &["east.asc: the file was changed or replaced after this run"]);
}

/// True while the last level that was written is followed by another one or by drafts.
fn is_going_on(at: &Path) -> bool {
    let text = fs::read_to_string(at.join("flood-preview-out/summary.json")).ok();
    let found: Option<Value> = text.and_then(|text| serde_json::from_str(&text).ok());
    found.is_some_and(|found| found["is_going_on"] == true)
}

/// The world of a file.
fn world(path: &Path) -> World {
    SaveFile::read(path).and_then(|mut file| file.load(Vec::new())).expect("a world")
}

/// Goal: the world that is saved is that of the level with which a run ends, though finer ones
/// could follow.
#[test]
fn the_world_is_that_of_the_last_level() {
    let folder = folder();
    let at = folder.path();
    for (way, cell_m) in [("--now", 40.0), ("--until 1%", 20.0), ("--until 100%", 5.0)] {
        let line = "valley.asc --rain 60mm/h --for 5min --frames 1 --world flood.thalweg --force";
        let said = FLOOD.said(at, &format!("{line} {way}"));
        testkit::holds(&said, &["go on with thalweg run flood.thalweg"]);
        let saved = world(&at.join("flood.thalweg"));
        let found_m = saved.cell_width_m();
        assert!((found_m - cell_m).abs() < 1.0e-9, "{way}: {found_m} m");
        assert!((saved.time().seconds() - 300.0).abs() < 1.0e-9, "{way}");
    }
}

/// Goal: a level that cannot be built is left out, and the report of the last says so. Method: a
/// culvert whose ends lie in one column of 40 m and in two of 20 m.
#[test]
fn a_level_that_cannot_be_built_is_left_out() {
    let scenario = "[map]\nfile = \"valley.asc\"\n[run]\nfor = \"5min\"\n[output]\nframes = 1\n\
                    [[rain]]\nrate = \"60mm/h\"\n\
                    [[culvert]]\nname = \"pipe\"\nfrom = [1445, 2405]\nto = [1475, 2405]\n\
                    diameter = \"1m\"\n";
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("pipe.toml"), scenario).expect("writable");
    for (way, expected) in [("", vec![20.0, 5.0]), ("--now", vec![20.0])] {
        FLOOD.said(at, &format!("pipe.toml {way}"));
        let found = summary(at);
        assert_eq!(widths(&found), expected, "{way}");
        let notes = found["notes"].to_string();
        testkit::holds(&notes, &["a level in cells of 40 m: ", "pipe"]);
    }
}

/// Goal: `--now` says why it changes nothing.
#[test]
fn a_small_map_has_one_level() {
    let folder = testkit::folder(&[("small.asc", grid((60, 50), 5.0, valley))]);
    FLOOD.said(folder.path(), "small.asc --for 1min --frames 1 --now");
    let found = summary(folder.path());
    assert_eq!(widths(&found), [5.0]);
    let words = "--now changes nothing: there are no coarser levels of a map of 3000 cells";
    testkit::holds(&found["notes"].to_string(), &[words]);
}

/// Goal: results that cannot be written leave no empty page.
/// Method: a folder stands where a map is to be; the files before it are in place by then.
#[test]
fn results_that_cannot_be_written_leave_a_whole_page() {
    for (name, size) in [("small.asc", (60, 50)), ("valley.asc", (200, 160))] {
        let folder = testkit::folder(&[(name, grid(size, 5.0, valley))]);
        let at = folder.path().join("flood-preview-out");
        fs::create_dir_all(at.join("max_depth.tif/taken")).expect("writable");
        let line = format!("{name} --for 1min --frames 1 --quiet");
        FLOOD.mistaken(folder.path(), &line, &["max_depth.tif"]);
        let page = fs::read_to_string(at.join("report.html")).unwrap_or_default();
        assert!(page.is_empty() != at.join("report.html").exists(), "{name}: an empty page");
    }
}
