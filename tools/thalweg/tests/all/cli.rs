//! The real program, driven from a fresh folder.
//!
//! Goal: an imported map comes back cell by cell; a flipped byte is seen; every kind of bad input
//!       ends with exit code 2 and one line, and leaves nothing behind.
//! Method: the sample world of gen-world and small hand-made maps, each in a folder of its own.

use std::fs;
use std::path::Path;

use gen_world::sheet::write_bed;
use gen_world::world::SampleWorld;
use rasters::Grid;
use serde_json::Value;
use tempfile::TempDir;
use testkit::{Program, grid, holds, listing, put, raster};
use thalweg::file::{Key, Layer, Store};
use thalweg::world::TileKey;

const THALWEG: Program = Program(env!("CARGO_BIN_EXE_thalweg"));

/// A plane of 100 × 70 cells of 5 m that falls eastwards, with a round hole of NoData.
fn dem(folder: &Path) {
    let height = |col: usize, row: usize| {
        let is_hole = col.abs_diff(30).pow(2) + row.abs_diff(30).pow(2) < 200;
        if is_hole { "-9999".to_owned() } else { format!("{}.{row:02}", 120 - col) }
    };
    put(folder, &[("dem.asc", grid((100, 70), 5.0, height))]);
}

/// A fresh folder with `dem.asc` and its world `dem.thalweg`.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    dem(folder.path());
    THALWEG.done(folder.path(), "import dem.asc dem.thalweg");
    folder
}

fn map(folder: &Path, name: &str) -> (Grid, Vec<f32>) {
    raster(&folder.join(name))
}

#[test]
fn the_sample_world_comes_back_cell_by_cell() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = folder.path();
    write_bed(&SampleWorld::from_seed(7), &at.join("valley.tif")).expect("writable");
    let made = THALWEG.json(at, "import valley.tif valley.thalweg");
    assert_eq!((&made["width"], &made["height"]), (&768.into(), &512.into()));
    THALWEG.done(at, "export valley.thalweg back.tif");
    let ((grid, heights), (grid_back, back)) = (map(at, "valley.tif"), map(at, "back.tif"));
    assert_eq!(grid_back, grid);
    assert_eq!(back, heights);
    assert!(THALWEG.done(at, "verify valley.thalweg").contains("whole"));

    // A coarse level lies where the fine one lies.
    THALWEG.done(at, "export valley.thalweg coarse.tif --level 3");
    let (coarse, _) = map(at, "coarse.tif");
    assert_eq!((coarse.width, coarse.height, coarse.step_x), (96, 64, 40.0));
    assert_eq!((coarse.west, coarse.north, &coarse.crs), (grid.west, grid.north, &grid.crs));
}

#[test]
fn holes_and_odd_sizes_come_back() {
    let folder = folder();
    let at = folder.path();
    THALWEG.done(at, "export dem.thalweg back.tif");
    let ((_, heights), (grid, back)) = (map(at, "dem.asc"), map(at, "back.tif"));
    for (index, (expected, found)) in heights.iter().zip(&back).enumerate() {
        let is_same = (expected - found).abs() <= 0.5 / 1024.0 + 1.0e-5;
        assert!(is_same || expected.is_nan() && found.is_nan(), "{index}: {expected} {found}");
    }
    // What was exported makes the same world again.
    THALWEG.done(at, "import back.tif again.thalweg");
    THALWEG.done(at, "export again.thalweg again.tif");
    let bits = |plane: Vec<f32>| plane.into_iter().map(f32::to_bits).collect::<Vec<_>>();
    assert_eq!(bits(map(at, "again.tif").1), bits(back));

    // 70 rows are 35 of level 1 and 9 of level 3, which reach 2 rows beyond the north.
    THALWEG.done(at, "export dem.thalweg three.tif --level 3");
    let (three, _) = map(at, "three.tif");
    assert_eq!((three.width, three.height), (13, 9));
    assert_eq!((three.north, grid.north), (grid.north + 10.0, 2350.0));
}

#[test]
fn a_png_comes_back_to_its_step() {
    let folder = folder();
    let at = folder.path();
    let made = THALWEG.json(at, "export dem.thalweg back.png");
    let step = made["step"].as_f64().expect("a step");
    let ((_, heights), (grid, back)) = (map(at, "dem.asc"), map(at, "back.png"));
    assert_eq!(grid.cell_m, Some((5.0, 5.0)));
    for (expected, found) in heights.iter().zip(&back) {
        let error = f64::from((expected - found).abs());
        assert!(error < step + 1.0e-3 || expected.is_nan() && found.is_nan(), "{expected} {found}");
    }
    THALWEG.mistaken(at, "export dem.thalweg back.png", &["back.toml", "--force"]);
}

#[test]
fn info_says_what_a_world_is() {
    let folder = folder();
    let at = folder.path();
    let text = THALWEG.done(at, "info dem.thalweg --png dem.png");
    holds(
        &text,
        &["100 × 70 cells of 5 m", "6379 of 7000", "21 to 120.69 m", "cells of 5 m to 320 m"],
    );
    assert!(fs::read(at.join("dem.png")).expect("there").starts_with(b"\x89PNG"));
    let info = THALWEG.json(at, "info dem.thalweg");
    assert_eq!((&info["inside"], &info["raw_bytes"]), (&6379.into(), &28_000.into()));
    let bytes = fs::metadata(at.join("dem.thalweg")).expect("there").len();
    assert_eq!(info["file_bytes"], bytes);
}

#[test]
fn a_flipped_byte_is_seen() {
    let folder = folder();
    let at = folder.path();
    let whole = fs::read(at.join("dem.thalweg")).expect("there");
    let magic = b"TLWx";
    let extents: Vec<usize> =
        (0..whole.len()).filter(|&place| whole[place..].starts_with(magic)).collect();
    assert!(extents.len() > 10);
    for (index, place) in extents.into_iter().enumerate() {
        let mut bytes = whole.clone();
        bytes[place + 32] ^= 1;
        fs::write(at.join("bad.thalweg"), &bytes).expect("writable");
        let output = THALWEG.run(at, "verify bad.thalweg");
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "extent {index}: {text}");
        // Tables follow from the beds.
        let mend = if text.contains(": tables ") { "make them again" } else { "import" };
        assert!(text.contains("1 of ") && text.contains(mend), "extent {index}: {text}");
        let output = THALWEG.run(at, "verify bad.thalweg --json");
        let report: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
        assert_eq!(report["clean"], false);
        assert_eq!(report["damaged"].as_array().map(Vec::len), Some(1), "{report}");
    }

    // What is damaged is not written as if it were ground.
    let mut bytes = whole.clone();
    let first = (0..whole.len()).find(|&place| whole[place..].starts_with(magic)).expect("some");
    bytes[first + 32] ^= 1;
    fs::write(at.join("bad.thalweg"), &bytes).expect("writable");
    THALWEG.mistaken(at, "export bad.thalweg bad.tif", &["tile 0, 1 of level 0", "thalweg verify"]);
}

#[test]
fn what_is_no_world_is_refused() {
    let folder = folder();
    let at = folder.path();
    let mut newer = fs::read(at.join("dem.thalweg")).expect("there");
    for slot in [0, 4096] {
        newer[slot + 8] = 9;
    }
    fs::write(at.join("newer.thalweg"), newer).expect("writable");
    fs::write(at.join("foreign.thalweg"), "a text").expect("writable");
    fs::write(at.join("empty.thalweg"), "").expect("writable");
    fs::create_dir(at.join("folder.thalweg")).expect("writable");
    let cases: &[(&str, &[&str])] = &[
        ("missing", &["missing.thalweg", "check the name"]),
        ("newer", &["newer.thalweg", "format 9", "newer"]),
        ("foreign", &["foreign.thalweg", "not a world file"]),
        ("empty", &["empty.thalweg", "not a world file"]),
        ("folder", &["folder.thalweg"]),
    ];
    for (name, words) in cases {
        for command in ["info", "verify", "export"] {
            let out = if command == "export" { " out.tif" } else { "" };
            THALWEG.mistaken(at, &format!("{command} {name}.thalweg{out}"), words);
        }
    }
}

#[test]
fn bad_requests_are_refused() {
    let folder = folder();
    let at = folder.path();
    let cases: &[(&str, &[&str])] = &[
        ("import dem.asc dem.thalweg", &["dem.thalweg is there already", "--force"]),
        ("import dem.asc dem.asc --force", &["the map itself"]),
        ("import missing.tif new.thalweg", &["missing.tif", "check the name"]),
        ("import dem.asc no/new.thalweg", &["no/new.thalweg", "folder"]),
        ("import dem.asc dem.asc/new.thalweg", &["dem.asc/new.thalweg", "in the way"]),
        ("import dem.asc new.thalweg --cell-size 2", &["--cell-size", "finer"]),
        ("import dem.asc new.thalweg --headroom 9000", &["--headroom"]),
        ("import dem.thalweg new.thalweg", &["dem.thalweg", "no raster"]),
        ("export dem.thalweg dem.asc", &[".tif or .png"]),
        ("export dem.thalweg out.tif --level 7", &["no level 7", "from 0 to 6"]),
        ("export dem.thalweg no/out.tif", &["no/out.tif", "folder"]),
        ("info dem.thalweg --png dem.thalweg", &["end it in .png"]),
        ("compact dem.thalweg dem.thalweg --force", &["the world itself", "in place"]),
        ("compact dem.thalweg dem.asc", &["dem.asc is there already", "--force"]),
        ("compact missing.thalweg", &["missing.thalweg", "check the name"]),
        ("compact dem.asc", &["dem.asc", "not a world file"]),
        ("diff dem.thalweg missing.thalweg", &["missing.thalweg", "check the name"]),
        ("frobnicate dem.thalweg", &["frobnicate"]),
    ];
    for (line, words) in cases {
        THALWEG.mistaken(at, line, words);
    }
}

#[test]
#[cfg(unix)]
fn a_folder_that_may_not_be_written_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    let at = folder.path();
    let shut = at.join("shut");
    fs::create_dir(&shut).expect("writable");
    fs::set_permissions(&shut, fs::Permissions::from_mode(0o555)).expect("ours");
    // The superuser may write anywhere.
    if fs::write(shut.join("probe"), "").is_err() {
        THALWEG.mistaken(
            at,
            "import dem.asc shut/new.thalweg",
            &["shut/new.thalweg", "may write to"],
        );
        THALWEG.mistaken(at, "export dem.thalweg shut/out.tif", &["shut/out.tif", "may write to"]);
    }
}

#[test]
fn a_world_is_replaced_when_asked() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("dem.thalweg"), "something else").expect("writable");
    let made = THALWEG.json(at, "import dem.asc dem.thalweg --force --cell-size 10");
    assert_eq!((&made["width"], &made["resampled"]), (&50.into(), &true.into()));
    assert!(THALWEG.run(at, "verify dem.thalweg").status.success());
    assert_eq!(listing(at).len(), 2);
}

#[test]
fn a_compacted_world_is_the_same_and_shorter() {
    let folder = folder();
    let at = folder.path();
    let path = at.join("dem.thalweg");
    // Much that is put and taken away again, and a commit that is kept.
    let mut store = Store::open(&path).expect("a world");
    let part = |part: u16| Key::head(100 + part);
    (0..60).for_each(|at| store.put(part(at), &[7; 50_000]).expect("room"));
    store.commit().expect("room");
    (1..60).for_each(|at| assert!(store.remove(part(at)).expect("room")));
    store.commit().expect("room");
    store.keep(77).expect("room");
    store.put(part(0), b"later").expect("room");
    store.commit().expect("room");
    let before = store.file_bytes().expect("there");
    THALWEG.mistaken(at, "compact dem.thalweg", &["dem.thalweg", "close it there"]);
    drop(store);

    let made = THALWEG.json(at, "compact dem.thalweg copy.thalweg");
    assert_eq!((&made["kept"], &made["bytes_before"]), (&1.into(), &before.into()));
    THALWEG.done(at, "diff dem.thalweg copy.thalweg");
    let text = THALWEG.done(at, "compact dem.thalweg");
    assert!(text.contains("1 kept commits") && text.contains("where there were"), "{text}");
    let after = fs::metadata(&path).expect("there").len();
    assert_eq!(made["bytes_after"], after);
    assert!(after + 2_500_000 < before, "{after} bytes of {before}");
    assert!(THALWEG.done(at, "verify dem.thalweg").contains("whole"));
    let report = THALWEG.json(at, "diff copy.thalweg dem.thalweg");
    assert_eq!(report["equal"], true);
    assert_eq!(listing(at).len(), 3, "nothing is left");
    let store = Store::read(&path).expect("a world");
    let kept = store.kept().expect("whole");
    assert_eq!((kept.len(), kept[0].label), (1, 77));
    let mut bytes = Vec::new();
    let reader = store.reader_at(kept[0].generation).expect("kept");
    assert!(reader.get(part(0), &mut bytes).expect("whole"));
    assert_eq!(bytes.len(), 50_000);

    // A list of kept moments that is damaged is left out where that is asked for.
    let mut bytes = fs::read(&path).expect("there");
    let lists: Vec<usize> =
        (0..bytes.len()).filter(|&place| bytes[place..].starts_with(b"TLWk")).collect();
    lists.iter().for_each(|&place| bytes[place + 40] ^= 1);
    fs::write(at.join("unlisted.thalweg"), &bytes).expect("writable");
    THALWEG.mistaken(
        at,
        "compact unlisted.thalweg",
        &["kept moments", "compact --drop-moments unlisted"],
    );
    THALWEG.done(at, "compact unlisted.thalweg --drop-moments");
    THALWEG.done(at, "diff unlisted.thalweg copy.thalweg");
    assert!(THALWEG.done(at, "verify unlisted.thalweg").contains("whole"));

    // What is damaged is not copied, and stays where it is.
    let mut bytes = fs::read(&path).expect("there");
    let first = (0..bytes.len()).find(|&place| bytes[place..].starts_with(b"TLWx"));
    bytes[first.expect("some") + 32] ^= 1;
    fs::write(&path, &bytes).expect("writable");
    THALWEG.mistaken(at, "compact dem.thalweg", &["dem.thalweg", "thalweg verify"]);
    assert_eq!(fs::read(&path).expect("there"), bytes);
}

#[test]
fn worlds_that_differ_are_told_apart() {
    let folder = folder();
    let at = folder.path();
    THALWEG.done(at, "compact dem.thalweg other.thalweg");
    let bed = |level, x| Key::of_tile(Layer::Bed, TileKey { level, x, y: 0 });
    let mut store = Store::open(&at.join("other.thalweg")).expect("a world");
    assert!(store.remove(bed(0, 1)).expect("there"));
    store.put(bed(0, 0), b"changed").expect("room");
    store.put(Key { part: 3, ..bed(1, 0) }, b"more").expect("room");
    store.commit().expect("room");
    drop(store);
    let output = THALWEG.run(at, "diff dem.thalweg other.thalweg --json");
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!(report["equal"], false);
    let line = |layer: &str, level: u8| {
        let lines = report["layers"].as_array().expect("lines");
        let line = lines.iter().find(|line| line["layer"] == layer && line["level"] == level);
        let line = line.expect("listed");
        ["same", "changed", "only_a", "only_b"].map(|name| line[name].as_u64().expect("a count"))
    };
    assert_eq!(line("beds", 0), [2, 1, 1, 0]);
    assert_eq!(line("beds", 1), [1, 0, 0, 1]);
    assert_eq!(line("head", 0)[1..], [0, 0, 0]);
    let output = THALWEG.run(at, "diff other.thalweg dem.thalweg");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("beds of level 0: 1 changed") && text.contains("differ"), "{text}");
    assert!(!text.contains("head"), "{text}");
}

#[test]
fn extents_that_no_map_has_are_named() {
    let folder = folder();
    let at = folder.path();
    let far = u32::MAX;
    for (level, x, y) in [(7, 0, 0), (40, 1, 1), (255, far, far), (0, far, 0), (6, 0, far)] {
        for layer in [Layer::Bed, Layer::Parts, Layer::Water, Layer::Maps] {
            THALWEG.done(at, "compact dem.thalweg odd.thalweg --force");
            let key = Key::of_tile(layer, TileKey { level, x, y });
            let mut store = Store::open(&at.join("odd.thalweg")).expect("a world");
            store.put(key, &[1; 512]).expect("room");
            store.commit().expect("room");
            drop(store);
            THALWEG.done(at, "info odd.thalweg");
            THALWEG.done(at, "export odd.thalweg odd.tif --force");
            let output = THALWEG.run(at, "verify odd.thalweg");
            let text = String::from_utf8_lossy(&output.stdout);
            // A terrain without a run has no water that could be wrong.
            let is_ground = matches!(layer, Layer::Bed | Layer::Parts);
            assert_eq!(output.status.code(), Some(i32::from(is_ground)), "{key}: {text}");
            assert!(
                !is_ground || text.contains(&format!("{key}: the world has no such")),
                "{text}"
            );
        }
    }
}
