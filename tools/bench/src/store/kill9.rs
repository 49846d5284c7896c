//! A process that saves a world without pause and is killed, two hundred times on one file.
//!
//! The process prints the number of each commit once it is done. The commit found after the kill
//! must be that one, or the one that was under way; each extent contains the number of the commit
//! that wrote it.
//!
//! Limits:     writes of a killed process stay in the system's cache: lost writes are for
//!             `tests/store/crash.rs`.

use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use thalweg_engine::grid::TileKey;
use thalweg_engine::store::{Key, Layer, Opened, Store};
use thalweg_engine::units::hash::scramble;

/// Number of kills that left a commit.
pub const BENCH: Bench = Bench {
    ids: &["store.kill9"],
    what: "kills of a process that saves a world without pause: how many left the last commit that \
           was reported, or the one under way, whole",
    is_long: false,
    measure,
};

const KILLS: u64 = 200;
const KEYS: u64 = 200;
/// Keys that a commit writes.
const CHANGES: u64 = 20;

/// Returns the keys that a commit writes.
fn keys_of(commit: u64) -> impl Iterator<Item = u64> {
    (0..CHANGES).map(move |i| scramble(commit << 8 | i) % KEYS)
}

fn key(number: u64) -> Key {
    let x = u32::try_from(number).expect("few keys");
    Key::of_tile(Layer::Bed, TileKey { level: 0, x, y: 0 })
}

/// Returns the value that a commit writes under a key: up to 8 KiB.
fn value(commit: u64, key: u64) -> Vec<u8> {
    let word = scramble(commit.rotate_left(32) ^ key);
    let words = usize::try_from(word % 1024).expect("few");
    std::iter::once(commit)
        .chain(std::iter::repeat_n(word, words))
        .flat_map(u64::to_le_bytes)
        .collect()
}

/// Saves the world in a file without end, and prints each commit.
///
/// # Errors
///
/// Errors of the store.
pub fn save_without_end(path: &Path) -> Result<(), BenchError> {
    let mut store = if path.exists() { Store::open(path)? } else { Store::create(path)? };
    let mut out = std::io::stdout().lock();
    loop {
        let commit = store.generation() + 1;
        for number in keys_of(commit) {
            store.put(key(number), &value(commit, number))?;
        }
        writeln!(out, "{}", store.commit()?)?;
        out.flush()?;
    }
}

/// Starts the process, kills it after a while, and returns the last commit that it reported.
fn kill_once(path: &Path, after: Duration) -> Result<u64, BenchError> {
    let mut child = Command::new(std::env::current_exe()?)
        .arg("--save-without-end")
        .arg(path)
        .stdout(Stdio::piped())
        .spawn()?;
    let out = BufReader::new(child.stdout.take().expect("piped"));
    let reader = std::thread::spawn(move || {
        out.lines().map_while(Result::ok).filter_map(|line| line.parse().ok()).last()
    });
    std::thread::sleep(after);
    child.kill()?;
    child.wait()?;
    let last = reader.join().map_err(|_| "the reader broke")?;
    Ok(last.unwrap_or(0))
}

/// Returns the reason why the file after a kill is wrong, if it is.
fn fault(path: &Path, reported: u64) -> Result<Option<String>, BenchError> {
    let store = match Store::open(path) {
        Ok(store) => store,
        Err(error) => return Ok(Some(error.to_string())),
    };
    let found = store.generation();
    if found < reported || found > reported + 1 || matches!(store.opened(), Opened::FellBack { .. })
    {
        return Ok(Some(format!("commit {found} where {reported} was reported")));
    }
    if !store.verify(|_, _| {})?.is_clean() {
        return Ok(Some(format!("commit {found} is not whole")));
    }
    let mut bytes = Vec::new();
    for number in 0..KEYS {
        let writer = (2..=found).rev().find(|&commit| keys_of(commit).any(|key| key == number));
        let is_there = store.get(key(number), &mut bytes)?;
        let expected = writer.map(|commit| value(commit, number));
        if is_there.then_some(&bytes) != expected.as_ref() {
            return Ok(Some(format!("commit {found} has something else under key {number}")));
        }
    }
    Ok(None)
}

fn measure(_: &Context) -> BenchResult {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("killed.thalweg");
    drop(Store::create(&path)?);
    let (mut whole, mut reported, mut ahead, mut faults) = (0_u64, 1, 0, Vec::new());
    for kill in 0..KILLS {
        let after = Duration::from_micros(2_000 + scramble(kill) % 40_000);
        let before = reported;
        reported = kill_once(&path, after)?.max(before);
        match fault(&path, reported)? {
            None => whole += 1,
            Some(fault) => faults.push(format!("kill {kill}: {fault}")),
        }
        let found = Store::open(&path).map_or(reported, |store| store.generation());
        ahead += u64::from(found > reported);
        reported = found.max(reported);
    }
    if reported < KILLS {
        return Err(format!("only {reported} commits in {KILLS} runs: nothing was killed").into());
    }
    let size = std::fs::metadata(&path)?.len();
    faults.push(format!(
        "{reported} commits of {CHANGES} extents in all; after {ahead} kills the one under way was \
         there; the file has {:.1} MiB",
        size as f64 / 1_048_576.0
    ));
    Ok(vec![
        Measurement::new("store.kill9", whole as f64, "of 200")
            .target(">= 200")
            .note(faults.join("\n")),
    ])
}
