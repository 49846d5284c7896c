//! Imports of larger maps: in little memory, from many files, killed and gone on with.
//!
//! Goal: however a map is brought in, its world has the same extents, byte for byte.
//! Method: the real program and real maps against the terrain of the same map in memory; a process
//!         killed after each of several commits against one that ran through.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};

use rasters::{Crs, Grid, Hints, RasterBand, open, write_geotiff};
use serde_json::Value;
use testkit::{Program, data, interrupt, names, wait_until};
use thalweg::file::{Key, Store, make_tables, write_georeference};
use thalweg::terrain::{TerrainBuilder, TerrainOptions};
use thalweg::units::VerticalScale;
use thalweg::world::write_terrain;

const THALWEG: Program = Program(env!("CARGO_BIN_EXE_thalweg"));

/// All extents of a world.
fn extents(path: &Path) -> BTreeMap<Key, Vec<u8>> {
    let store = Store::read(path).expect("a world");
    let get = |key| {
        let mut bytes = Vec::new();
        assert!(store.get(key, &mut bytes).expect("whole"));
        (key, bytes)
    };
    store.keys().expect("whole").into_iter().map(get).collect()
}

#[track_caller]
fn assert_same_world(found: &Path, expected: &Path) {
    let (found, expected) = (extents(found), extents(expected));
    let differing = expected.iter().find(|(key, bytes)| found.get(key) != Some(bytes));
    assert!(differing.is_none(), "{:?} differs", differing.map(|(key, _)| key));
    assert_eq!(found.len(), expected.len());
}

/// Goal: notes that need all the heights come with an import as with a preview.
#[test]
fn an_import_notes_unlikely_heights() {
    let map = testkit::grid((30, 30), 10.0, |col, row| match (col, row) {
        (4, 4) => "inf".to_owned(),
        (7..10, 9) => "-500".to_owned(),
        _ => (20.0 + 0.1 * col as f64 + 0.03 * row as f64).to_string(),
    });
    let folder = testkit::folder(&[("a.asc", map)]);
    for name in ["a.asc", "a.asc --cell-size 20"] {
        let imported = THALWEG.json(folder.path(), &format!("import {name} a.thalweg --force"));
        let remarks = imported["remarks"].to_string();
        let is_plain = !name.contains("--cell-size");
        for note in [
            "1 cells are infinite: they are taken as NoData",
            "3 cells are -500, the first in row 9, column 7",
        ] {
            assert!(remarks.contains(note) || (!is_plain && note.contains("-500")), "{remarks}");
        }
    }
}

/// Goal: the world of a real map is that of its terrain in memory, with the datum and the vertical
/// unit that fit its range of heights.
#[test]
fn real_maps_become_the_worlds_of_their_terrains() {
    let Some(maps) = data("heightmaps") else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = folder.path();
    for name in ["bigtujunga.tif", "tidal_marsh_2m.asc", "boscastle_10m.asc"] {
        let map = maps.join(name);
        THALWEG.json(at, &format!("import {} a.thalweg --force --nodata 999", map.display()));
        let hints = Hints { nodata: Some(999.0.into()), ..Hints::default() };
        let mut source = open(&map, &hints).expect("a map");
        let grid = source.grid().clone();
        let mut rows = vec![vec![0.0; grid.width]; grid.height];
        rows.iter_mut().for_each(|row| source.next_row(row).expect("whole"));
        let ground = rows.iter().flatten().filter(|height| !height.is_nan());
        let range = |(low, high): (f64, f64), &z: &f64| (low.min(z), high.max(z));
        let (low, high) = ground.fold((f64::INFINITY, f64::NEG_INFINITY), range);
        let options = TerrainOptions {
            width: grid.width,
            height: grid.height,
            cell_width_m: grid.cell_m.expect("known").0,
            scale: VerticalScale::choose(low, high, 200.0).expect("in range"),
            bed_exponent: 10,
        };
        let mut builder = TerrainBuilder::try_new(options).expect("a map");
        rows.iter().for_each(|row| builder.push_row(row).expect("a row"));
        let expected = at.join("b.thalweg");
        let mut store = Store::create(&expected).expect("new");
        write_terrain(&builder.finish().expect("whole"), &mut store).expect("written");
        let place = grid.placement().expect("a place");
        write_georeference(&place, &mut store).expect("written");
        store.commit().expect("committed");
        make_tables(&mut store, &mut |_| ()).expect("made");
        drop(store);
        assert_same_world(&at.join("a.thalweg"), &expected);
        fs::remove_file(expected).expect("there");
    }
}

/// A map of cells of 5 m whose corner lies so many cells from another's; heights depend on the
/// place alone.
fn write_map(path: &Path, (col, row): (usize, usize), (width, height): (usize, usize), hole: bool) {
    let grid = Grid {
        cell_m: None,
        crs: Some(Crs::projected(32632)),
        ..Grid::metric((width, height), (4.0e5 + 5.0 * col as f64, 5.2e6 - 5.0 * row as f64), 5.0)
    };
    write_geotiff(path, &grid, RasterBand::ELEVATION, |y, cells| {
        for (x, cell) in cells.iter_mut().enumerate() {
            let (x, y) = (col + x, row + y);
            let noise = (((x << 24) | y) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 55;
            *cell = 300.0 + (0.01 * x as f32).sin() + noise as f32 / 256.0 - 0.01 * y as f32;
            if hole && (x / 100 + y / 70).is_multiple_of(9) {
                *cell = f32::NAN;
            }
        }
    })
    .expect("writable");
}

/// Starts an import and kills it once its hidden world has `commits` commits.
fn kill_after(folder: &Path, line: &str, commits: u64) {
    let child = THALWEG.command(folder, line).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let mut child: Child = child.expect("the program starts");
    let hidden = folder.join(".a.thalweg.part/a.thalweg");
    wait_until(&format!("commit {commits}"), || {
        let generation = Store::read(&hidden).map_or(0, |store| store.generation());
        let ended = child.try_wait().expect("ours");
        assert!(ended.is_none(), "it ended before its commit {commits}: {ended:?}");
        // The first is the empty world's.
        generation > commits
    });
    child.kill().expect("it runs");
    child.wait().expect("ours");
}

/// Goal: a killed import goes on, to the same world. Method: killed after its first, second and
/// third commit, and twice in a row.
#[test]
fn a_killed_import_goes_on_from_its_last_commit() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = folder.path();
    write_map(&at.join("map.tif"), (0, 0), (3000, 6000), true);
    let whole = THALWEG.json(at, "import map.tif whole.thalweg");
    assert_eq!(whole["rows_there_before"], 0);
    let line = "import map.tif a.thalweg --force";
    for kills in [&[1_u64][..], &[3], &[1, 2]] {
        for &commits in kills {
            kill_after(at, line, commits);
        }
        let last = kills[kills.len() - 1];
        let made = THALWEG.json(at, line);
        let before = made["rows_there_before"].as_u64().expect("a count");
        // A commit is at least 16 MiB of heights, 1398 of these rows.
        assert!(before >= 1398 * last && before < 6000, "after {kills:?}: {before}");
        assert_same_world(&at.join("a.thalweg"), &at.join("whole.thalweg"));
        assert_eq!(names(at), ["a.thalweg", "map.tif", "whole.thalweg"], "{kills:?}");
    }

    // Another command, or another map, begins anew.
    kill_after(at, line, 1);
    let made = THALWEG.json(at, &format!("{line} --headroom 300"));
    assert_eq!(made["rows_there_before"], 0);
    kill_after(at, line, 1);
    write_map(&at.join("map.tif"), (0, 0), (3000, 6000), false);
    let made = THALWEG.json(at, line);
    assert_eq!((&made["rows_there_before"], &made["inside"]), (&0.into(), &18_000_000.into()));
}

/// Goal: a map in pieces is the same world as in one. Method: quarters and a half that overlaps
/// them, in a folder and in a list.
#[test]
fn a_web_tile_becomes_a_world_with_its_encoding() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut tile = Vec::new();
    let mut encoder = png::Encoder::new(&mut tile, 64, 64);
    encoder.set_color(png::ColorType::Rgb);
    // Terrain-RGB of 0 m, and of 100 m in its last cell.
    let mut colours = [1, 134, 160].repeat(64 * 64 - 1);
    colours.extend([1, 138, 136]);
    encoder.write_header().expect("a header").write_image_data(&colours).expect("colours");
    fs::write(folder.path().join("tile.png"), tile).expect("writable");
    THALWEG.mistaken(
        folder.path(),
        "import tile.png a.thalweg --map-cell 5",
        &["--encoding mapbox"],
    );
    THALWEG.json(folder.path(), "import tile.png a.thalweg --map-cell 5 --encoding mapbox");
    let info = THALWEG.json(folder.path(), "info a.thalweg");
    assert_eq!((&info["low_m"], &info["high_m"]), (&Value::from(0.0), &Value::from(100.0)));
}

#[test]
fn a_mosaic_becomes_the_world_of_the_whole() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = folder.path();
    let parts = at.join("parts");
    fs::create_dir(&parts).expect("writable");
    write_map(&at.join("map.tif"), (0, 0), (700, 500), true);
    for (name, col, row, size) in [
        ("a.tif", 0, 0, (300, 200)),
        ("b.tif", 300, 0, (400, 200)),
        ("c.tif", 0, 200, (500, 300)),
        ("d.tif", 280, 190, (420, 310)),
    ] {
        write_map(&parts.join(name), (col, row), size, true);
    }
    fs::write(at.join("list.txt"), "parts/a.tif\nparts/b.tif\nparts/c.tif\nparts/d.tif\n")
        .expect("writable");
    THALWEG.json(at, "import map.tif whole.thalweg");
    for map in ["parts", "list.txt"] {
        THALWEG.json(at, &format!("import {map} a.thalweg --force"));
        assert_same_world(&at.join("a.thalweg"), &at.join("whole.thalweg"));
    }
    write_map(&parts.join("e.tif"), (0, 500), (10, 10), true);
    let text = fs::read(parts.join("e.tif")).expect("there");
    fs::write(parts.join("f.tif"), text).expect("writable");
    THALWEG.mistaken(at, "import parts b.thalweg", &["f.tif", "e.tif", "leave one of them out"]);
    assert!(!names(at).iter().any(|name| name.contains("b.thalweg")));
}

/// Goal: Ctrl-C leaves what can be gone on with, and says so; before the first commit it leaves
/// nothing. A world that another process makes is left to it.
#[test]
#[cfg(unix)]
fn a_stopped_import_goes_on_and_one_under_way_is_left_alone() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = folder.path();
    write_map(&at.join("map.tif"), (0, 0), (3000, 6000), false);
    let line = "import map.tif a.thalweg";
    let hidden = at.join(".a.thalweg.part/a.thalweg");
    for commits in [0, 2] {
        let child = THALWEG.command(at, line).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
        let child: Child = child.expect("the program starts");
        wait_until("commit", || {
            Store::read(&hidden).map_or(0, |store| store.generation()) >= commits
                && hidden.parent().is_some_and(Path::exists)
        });
        if commits > 0 {
            let words = ["another process", "a.thalweg"];
            assert_eq!(THALWEG.unlike_a_mistake(at, line, &words), None);
        }
        interrupt(&child);
        let output = child.wait_with_output().expect("ours");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{stderr}");
        assert_eq!(stderr.contains("goes on from here"), commits > 0, "{stderr}");
        let expected: &[&str] =
            if commits > 0 { &[".a.thalweg.part", "map.tif"] } else { &["map.tif"] };
        assert_eq!(names(at), expected);
    }
    let made = THALWEG.json(at, line);
    assert!(made["rows_there_before"].as_u64() >= Some(1398), "{made}");
    assert!(THALWEG.run(at, "verify a.thalweg").status.success());
    assert_eq!(names(at), ["a.thalweg", "map.tif"]);
}
