//! `--world`: the run's last moment as a world file.
//!
//! Goal: the file holds the world that ran, to the unit, and lies where the map lay; it appears
//!       whole or not at all, and replaces nothing that it may not.
//! Method: the real program in a fresh folder; what it saved is opened with the library.

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use testkit::{Program, grid, interrupt, names, wait_until};
use thalweg::file::read_georeference;
use thalweg::world::{SaveFile, World};

const FLOOD: Program = Program(env!("CARGO_BIN_EXE_flood-preview"));

/// A fresh folder with `dem.asc`: 90 × 80 cells of 5 m that fall eastwards to a hollow.
fn folder() -> TempDir {
    let height = |col: usize, row: usize| {
        let height = (90 - col.min(60)) as f64 * 0.1 + row.abs_diff(40) as f64 * 0.05;
        format!("{height:.2}")
    };
    testkit::folder(&[("dem.asc", grid((90, 80), 5.0, height))])
}

/// The world of a file, whose leaves do not change.
#[track_caller]
fn world(path: &Path) -> World {
    SaveFile::read(path).and_then(|mut file| file.load(Vec::new())).expect("a world")
}

#[test]
fn a_run_is_saved_as_it_ended() {
    let folder = folder();
    let at = folder.path();
    let text = FLOOD.done(at, "dem.asc --rain 60mm/h --for 90s --frames 1 --world flood.thalweg");
    assert!(text.contains("thalweg run flood.thalweg"), "{text}");
    assert_eq!(names(at), ["dem.asc", "flood-preview-out", "flood.thalweg"]);
    let path = at.join("flood.thalweg");
    let saved = world(&path);
    assert!((saved.time().seconds() - 90.0).abs() < 1.0e-9);
    let books = fs::read_to_string(at.join("flood-preview-out/ledger.json")).expect("there");
    assert!(books.contains(&format!("\"stored\": \"{}\"", saved.water().stored())), "{books}");
    assert!(
        books.contains(&format!("\"rain\": \"{}\"", saved.water().ledger().accounts()[0].into))
    );
    let report = fs::read_to_string(at.join("flood-preview-out/report.html")).expect("there");
    assert!(report.contains("flood.thalweg"));
    // It lies where the map lay.
    let file = SaveFile::read(&path).expect("a world");
    let place = read_georeference(file.store()).expect("whole").expect("there");
    let grid = rasters::Grid::placed(&place, 90, 80).expect("a place");
    assert_eq!((grid.west, grid.north, grid.step_x), (1000.0, 2400.0, 5.0));

    // Another run does not take its place unless it may.
    let line = "dem.asc --for 5s --frames 1 --world flood.thalweg";
    FLOOD.mistaken(at, line, &["flood.thalweg is there already", "--force"]);
    assert_eq!(world(&path).state_hash(), saved.state_hash());
    FLOOD.done(at, &format!("{line} --force"));
    assert!((world(&path).time().seconds() - 5.0).abs() < 1.0e-9);
}

#[test]
fn a_scenario_can_name_the_world() {
    let folder = folder();
    let at = folder.path();
    let scenario = "[map]\nfile = \"dem.asc\"\n[run]\nfor = \"20s\"\nadaptive = true\n\
                    [initial]\nstage = 6.0\n\
                    [output]\nworld = \"lake.thalweg\"\nframes = 1\n";
    fs::write(at.join("lake.toml"), scenario).expect("writable");
    FLOOD.done(at, "lake.toml --quiet");
    let summary = SaveFile::read(&at.join("lake.thalweg")).and_then(|file| file.summary());
    let summary = summary.expect("whole").expect("water");
    assert!(summary.is_adaptive && !summary.leaves.is_empty());
    assert!((summary.time.seconds() - 20.0).abs() < 1.0e-9);
}

#[test]
fn what_cannot_be_a_world_is_refused_before_the_run() {
    let folder = folder();
    let at = folder.path();
    fs::create_dir(at.join("taken.thalweg")).expect("writable");
    for (name, words) in [
        ("dem.asc", "end it in .thalweg"),
        ("no/flood.thalweg", "make its folder first"),
        ("taken.thalweg", "is a folder"),
    ] {
        let line = format!("dem.asc --for 5s --world {name}");
        FLOOD.mistaken(at, &line, &[words, name]);
    }
}

/// A run that has begun: it listens before it makes the folder of results.
#[cfg(unix)]
fn started(at: &Path, line: &str) -> std::process::Child {
    let child = FLOOD.spawn(at, line);
    wait_until("folder of results", || at.join("flood-preview-out").exists());
    std::thread::sleep(std::time::Duration::from_secs(1));
    child
}

/// Goal: the second Ctrl-C ends a run at once, and the folder that the run made goes, while one
/// that was there stays. Method: a lake so large that a cycle outlasts the time between the two;
/// where the run was quicker and has written its results, another is tried.
#[test]
#[cfg(unix)]
fn a_run_that_is_ended_leaves_no_empty_folder() {
    let folder = testkit::folder(&[("lake.asc", grid((1200, 1200), 5.0, |_, _| 3))]);
    let at = folder.path();
    let out = at.join("flood-preview-out");
    for was_there in [false, true] {
        let is_ended = (0..20).any(|_| {
            if was_there {
                fs::create_dir_all(&out).expect("writable");
            }
            let before = names(at);
            let line = "lake.asc --initial-depth 3m --quality fine --for 1000h --frames 0 --quiet \
                        --only-last --world lake.thalweg";
            let child = started(at, line);
            interrupt(&child);
            std::thread::sleep(std::time::Duration::from_millis(5));
            interrupt(&child);
            let output = child.wait_with_output().expect("it ends");
            assert_eq!(output.status.code(), Some(130));
            if at.join("lake.thalweg").exists() {
                fs::remove_dir_all(&out).expect("results");
                fs::remove_file(at.join("lake.thalweg")).expect("a world");
                return false;
            }
            assert_eq!(names(at), before);
            true
        });
        assert!(is_ended, "each of 20 runs came to its end between two interrupts");
    }
}

/// Goal: Ctrl-C keeps the moment at which the run stopped.
#[test]
#[cfg(unix)]
fn a_run_that_is_stopped_is_saved() {
    let folder = folder();
    let at = folder.path();
    let child = started(at, "dem.asc --for 1000h --frames 1 --world flood.thalweg --quiet");
    interrupt(&child);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    let saved = world(&at.join("flood.thalweg"));
    assert!(saved.time().seconds() > 0.0);
    assert_eq!(saved.water().stored(), saved.water().ledger().expected());
    assert_eq!(names(at), ["dem.asc", "flood-preview-out", "flood.thalweg"]);
}
