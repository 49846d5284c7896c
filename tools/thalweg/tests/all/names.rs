//! World files that lose their name, are replaced, or have several: the real program.
//!
//! Goal: no command says that it saved what nobody finds, none replaces a world that somebody
//!       writes, and links lead to the real file.
//! Method: a dam break in a fresh folder; what users do to its file while it is used.

use std::fs;
use std::path::Path;
use std::process::Output;

use tempfile::TempDir;
use testkit::{Program, interrupt, names};
use thalweg::file::{Key, Store};
use thalweg::terrain::{TerrainBuilder, TerrainOptions};
use thalweg::units::{SimTime, VerticalScale};
use thalweg::world::{SaveFile, WorldBuilder};

const THALWEG: Program = Program(env!("CARGO_BIN_EXE_thalweg"));

/// Expects exit code 2, and each of `words` in the last line of standard error.
#[track_caller]
fn refused(output: &Output, words: &[&str]) {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    let last = stderr.trim_end().lines().last().unwrap_or_default();
    words.iter().for_each(|word| assert!(last.contains(word), "no `{word}` in: {stderr}"));
}

/// A folder with `flood.thalweg`: a lake behind a dam that is gone.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let scale = VerticalScale::choose(0.0, 10.0, 100.0).expect("a range");
    let options =
        TerrainOptions { width: 96, height: 64, cell_width_m: 5.0, scale, bed_exponent: 10 };
    let mut terrain = TerrainBuilder::try_new(options).expect("a map");
    (0..64).for_each(|_| terrain.push_row(&[1.0; 96]).expect("a row"));
    let world = WorldBuilder::new(terrain.finish().expect("a map"))
        .initial_depth(|place| if place.x < 30 { 4.0 } else { 0.5 })
        .build()
        .expect("a good world");
    SaveFile::create(&folder.path().join("flood.thalweg"), &world).expect("room");
    folder
}

/// Moments that a world file keeps, as it labels them; none where it cannot be read, or not yet.
#[cfg(unix)]
fn moments(path: &Path) -> Vec<SimTime> {
    let kept = SaveFile::read(path).and_then(|file| file.moments()).unwrap_or_default();
    kept.into_iter().map(|(_, time)| time).collect()
}

/// Lets `flood.thalweg` run without an end and save on its way; once it has, `lose` takes its name
/// away, and once `found` has gone on, or after half a minute, Ctrl-C stops the run. Returns the
/// moments that the file kept before: with `--keep-every` these tell how far a file is, else its
/// commits do.
#[cfg(unix)]
fn run_and_lose(
    at: &Path,
    options: &str,
    lose: impl Fn(&Path),
    found: &Path,
) -> (Output, Vec<SimTime>) {
    use std::time::{Duration, Instant};
    let world = at.join("flood.thalweg");
    let keeps = options.contains("--keep-every");
    let progress = |path: &Path| match keeps {
        true => moments(path).len() as u64,
        false => Store::read(path).map_or(0, |store| store.generation()),
    };
    let wait = |path: &Path, seconds: u64, least: u64| {
        let start = Instant::now();
        while progress(path) < least && start.elapsed() < Duration::from_secs(seconds) {
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    let begun = progress(&world);
    let child = THALWEG.spawn(at, &format!("run flood.thalweg --until 1000h {options}"));
    // Once it has saved on the way it runs, and listens to Ctrl-C.
    wait(&world, 60, begun + 1);
    let kept = moments(&world);
    lose(&world);
    // Both files count commits, and the copy takes some: a few more are of its own run.
    wait(found, 30, if keeps { kept.len() as u64 + 1 } else { begun + 5 });
    interrupt(&child);
    (child.wait_with_output().expect("it ends"), kept)
}

/// Goal: a run whose file is deleted or replaced goes on in a file beside it, and ends with a
/// sentence that names that file.
#[cfg(unix)]
#[test]
fn a_run_that_loses_its_file_is_saved_beside_it() {
    for is_replaced in [false, true] {
        let folder = folder();
        let at = folder.path();
        fs::copy(at.join("flood.thalweg"), at.join("backup")).expect("room");
        let found = at.join("flood-saved-1.thalweg");
        let lose = |world: &Path| match is_replaced {
            true => fs::rename(at.join("backup"), world).expect("there"),
            false => fs::remove_file(world).expect("there"),
        };
        let options = "--save-every 20s --keep-every 1min";
        let (output, kept) = run_and_lose(at, options, lose, &found);
        refused(&output, &["flood.thalweg was deleted", "saved in", "flood-saved-1.thalweg"]);
        let mut file = SaveFile::read(&found).expect("a world");
        let came = moments(&found);
        let goes_on = came.len() > kept.len() && came.starts_with(&kept);
        assert!(!kept.is_empty() && goes_on, "{kept:?}, then {came:?}");
        let world = file.load(Vec::new()).expect("a world");
        assert!(world.time().seconds() > 20.0, "{} s", world.time().seconds());
        assert_eq!(is_replaced, at.join("flood.thalweg").exists());
        assert!(!at.join("flood-saved-2.thalweg").exists());
    }
}

/// Goal: where the whole folder goes, the state is saved in the working folder.
#[cfg(unix)]
#[test]
fn a_run_that_loses_its_folder_is_saved_where_it_runs() {
    let folder = folder();
    let at = folder.path();
    fs::create_dir(at.join("inner")).expect("room");
    fs::rename(at.join("flood.thalweg"), at.join("inner/flood.thalweg")).expect("there");
    std::os::unix::fs::symlink("inner/flood.thalweg", at.join("flood.thalweg")).expect("links");
    let lose = |_: &Path| fs::remove_dir_all(at.join("inner")).expect("there");
    let found = at.join("flood-saved-1.thalweg");
    let (output, _) = run_and_lose(at, "--save-every 20s", lose, &found);
    refused(&output, &["flood-saved-1.thalweg"]);
    SaveFile::read(&found).and_then(|mut file| file.load(Vec::new())).expect("a world");
}

/// Goal: a world that somebody writes is replaced by nothing, and they write on.
#[test]
fn a_world_that_is_written_is_not_replaced() {
    let folder = folder();
    let at = folder.path();
    fs::copy(at.join("flood.thalweg"), at.join("busy.thalweg")).expect("room");
    fs::write(
        at.join("dem.asc"),
        "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 5\n1 2\n3 4",
    )
    .expect("room");
    let mut writer = Store::open(&at.join("busy.thalweg")).expect("free");
    for line in
        ["compact flood.thalweg busy.thalweg --force", "import dem.asc busy.thalweg --force"]
    {
        refused(&THALWEG.run(at, line), &["busy.thalweg", "being written"]);
    }
    writer.put(Key::head(900), b"written on").expect("room");
    writer.commit().expect("it has its name");
    drop(writer);
    let store = Store::read(&at.join("busy.thalweg")).expect("a world");
    assert!(store.get(Key::head(900), &mut Vec::new()).expect("whole"));
    assert_eq!(fs::read_dir(at).expect("readable").count(), 3, "nothing is left");
}

/// Goal: a symbolic link leads to the file that is meant, and stays; a file of two names is not
/// parted.
#[cfg(unix)]
#[test]
fn links_stay_and_lead_to_the_real_file() {
    let folder = folder();
    let at = folder.path();
    fs::create_dir(at.join("inner")).expect("room");
    let real = at.join("inner/real.thalweg");
    fs::rename(at.join("flood.thalweg"), &real).expect("there");
    std::os::unix::fs::symlink("inner/real.thalweg", at.join("link.thalweg")).expect("links");
    let inode =
        |path: &Path| std::os::unix::fs::MetadataExt::ino(&fs::metadata(path).expect("there"));
    let before = inode(&real);
    assert!(THALWEG.run(at, "compact link.thalweg --drop-moments").status.success());
    assert!(at.join("link.thalweg").is_symlink());
    assert_ne!(inode(&real), before, "the real file is the new one");
    assert!(THALWEG.run(at, "compact inner/real.thalweg copy.thalweg").status.success());
    assert!(THALWEG.run(at, "compact copy.thalweg link.thalweg --force").status.success());
    assert!(at.join("link.thalweg").is_symlink());
    assert!(THALWEG.run(at, "diff copy.thalweg inner/real.thalweg").status.success());
    assert_eq!(fs::read_dir(at.join("inner")).expect("readable").count(), 1, "nothing is left");

    fs::hard_link(&real, at.join("same.thalweg")).expect("links");
    for line in ["compact same.thalweg", "compact copy.thalweg same.thalweg --force"] {
        refused(&THALWEG.run(at, line), &["same.thalweg", "2 names"]);
    }
    assert_eq!(inode(&real), inode(&at.join("same.thalweg")));
}

/// Goal: the next `compact` removes what a killed one left. Method: kill it as soon as its hidden
/// folder has a lock, as often as it takes to be quicker than the copy.
#[test]
fn the_next_compact_clears_what_a_killed_one_left() {
    let folder = folder();
    let at = folder.path();
    let mut store = Store::open(&at.join("flood.thalweg")).expect("free");
    let byte = |i: u32| u8::try_from(i.wrapping_mul(i) >> 7 & 0xff).expect("a byte");
    let bytes: Vec<u8> = (0..1 << 19).map(byte).collect();
    (0..64).for_each(|part| store.put(Key::head(1000 + part), &bytes).expect("room"));
    store.commit().expect("room");
    drop(store);
    let hidden = || names(at).iter().filter(|name| name.starts_with(".flood.thalweg.")).count();
    let is_locked = || {
        let mut entries = fs::read_dir(at).expect("readable");
        entries.any(|entry| entry.is_ok_and(|own| own.path().join(".flood.thalweg.lock").exists()))
    };
    let is_left = (0..50).any(|_| {
        let mut child = THALWEG.spawn(at, "compact flood.thalweg");
        while !is_locked() && child.try_wait().expect("a process").is_none() {}
        child.kill().expect("its own process");
        child.wait().expect("it ends");
        hidden() > 0
    });
    assert!(is_left, "it was never killed in between");
    THALWEG.done(at, "compact flood.thalweg");
    assert_eq!(hidden(), 0, "{:?}", names(at));
    assert!(THALWEG.run(at, "verify flood.thalweg").status.success());
}
