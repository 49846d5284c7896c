//! Commits and opens of a large world.
//!
//! The world has half a million extents; its file is made 10 GB long, with a hole at its end.

use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use std::path::Path;
use std::process::Command;
use std::time::Instant;
use thalweg_engine::grid::TileKey;
use thalweg_engine::store::{Key, Layer, Store};
use thalweg_engine::units::hash::scramble;

/// Time and memory of an open, time of a commit.
pub const BENCH: Bench = Bench {
    ids: &["store.open_ms", "store.open_mib", "store.list_ms", "store.commit", "store.commit_ms"],
    what: "a world of 500,000 extents in a file of 10 GB: time and memory to open it and read one; \
           time to open it and list its leaves; bytes that a commit of 1 % of its tiles writes \
           over bytes of those, and its time",
    is_long: false,
    measure,
};

const EXTENTS: u32 = 512_000;
/// Leaves of its water.
const LEAVES: u32 = 4000;
/// Tiles in a row.
const SIDE: u32 = 800;
const FILE_BYTES: u64 = 10_000_000_000;
/// Bytes of an extent: a tile's at rest.
const BYTES: usize = 200;
/// Bytes of an extent that has changed.
const WET_BYTES: usize = 8000;

fn key(number: u32) -> Key {
    let tile = TileKey { level: 0, x: number % SIDE, y: number / SIDE };
    Key::of_tile(Layer::Bed, tile)
}

/// Opens a world, reads one extent, and prints the time, ms, and the process's peak memory, MiB.
///
/// # Errors
///
/// Errors of the store; a system that does not report the memory.
pub fn open_once(path: &Path) -> Result<String, BenchError> {
    let clock = Instant::now();
    let store = Store::read(path)?;
    let mut bytes = Vec::new();
    if !store.get(key(EXTENTS / 3), &mut bytes)? {
        return Err("an extent is missing".into());
    }
    let ms = 1.0e3 * clock.elapsed().as_secs_f64();
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib: f64 = line
        .and_then(|line| line.trim().strip_suffix(" kB"))
        .and_then(|kib| kib.trim().parse().ok())
        .ok_or("the system does not report how much memory a process has had")?;
    Ok(format!("{ms} {}", kib / 1024.0))
}

fn measure(context: &Context) -> BenchResult {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("large.thalweg");
    let mut store = Store::create(&path)?;
    for number in 0..EXTENTS {
        store.put(key(number), &[3; BYTES])?;
    }
    for number in 0..LEAVES {
        store.put(Key { layer: Layer::Water, ..key(number) }, &[4; BYTES])?;
    }
    store.commit()?;
    std::fs::OpenOptions::new().write(true).open(&path)?.set_len(FILE_BYTES)?;
    drop(store);
    let child = Command::new(std::env::current_exe()?).arg("--open-once").arg(&path).output()?;
    let text = String::from_utf8_lossy(&child.stdout);
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [open_ms, open_mib] = numbers[..] else {
        return Err("the child printed no numbers".into());
    };

    let clock = Instant::now();
    let leaves = Store::read(&path)?.keys_of(Layer::Water)?.len();
    let list_ms = 1.0e3 * clock.elapsed().as_secs_f64();
    let clock = Instant::now();
    let all = Store::read(&path)?.keys()?.len();
    let list_all_ms = 1.0e3 * clock.elapsed().as_secs_f64();
    let listed = format!("{leaves} leaves; all {all} extents take {list_all_ms:.1} ms");

    let mut store = Store::open(&path)?;
    // One tile in a hundred, in a patch, as with water: the most scattered pattern has ten times as
    // many pages.
    let south = u32::try_from(scramble(1) % 500)?;
    let patch = |i: u32| (south + i / 72) * SIDE + 100 + i % 72;
    let dirty: Vec<u32> = (0..EXTENTS / 100).map(patch).collect();
    let clock = Instant::now();
    store.put(key(0), &[1; BYTES])?;
    let first_ms = 1.0e3 * clock.elapsed().as_secs_f64();
    store.commit()?;
    let before = written_bytes();
    let clock = Instant::now();
    for &number in &dirty {
        store.put(key(number), &vec![7; WET_BYTES])?;
    }
    store.commit()?;
    let commit_ms = 1.0e3 * clock.elapsed().as_secs_f64();
    let dirty_bytes = (dirty.len() * WET_BYTES) as f64;
    let note = format!(
        "{EXTENTS} extents; the first write after an open looks for free space, {first_ms:.0} ms; \
         then {} tiles of {WET_BYTES} bytes; triad {:.1} GB/s",
        dirty.len(),
        context.triad_bytes_per_s() / 1.0e9
    );
    let mut measurements = vec![
        Measurement::new("store.open_ms", open_ms, "ms").target("<= 50").note(note),
        Measurement::new("store.open_mib", open_mib, "MiB").target("<= 50"),
        Measurement::new("store.list_ms", list_ms, "ms").note(listed),
        Measurement::new("store.commit_ms", commit_ms, "ms"),
    ];
    if let (Some(before), Some(after)) = (before, written_bytes()) {
        let over = (after - before) / dirty_bytes;
        measurements.push(Measurement::new("store.commit", over, "x"));
    }
    Ok(measurements)
}

/// Returns the bytes that this process has written, if the system reports them.
fn written_bytes() -> Option<f64> {
    let io = std::fs::read_to_string("/proc/self/io").ok()?;
    io.lines().find_map(|line| line.strip_prefix("wchar: "))?.parse().ok()
}
