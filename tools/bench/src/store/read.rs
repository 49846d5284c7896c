//! Extents read from a map of the file against reads at their places.

use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;
use thalweg_engine::grid::TileKey;
use thalweg_engine::store::{Extents, Key, Layer, Reading, Store};
use thalweg_engine::units::hash::scramble;

/// Time to read an extent.
pub const BENCH: Bench = Bench {
    ids: &["store.read_us", "store.read_us.ratio"],
    what: "time to read and check one of eight extents of 16 KiB that lie side by side, as a pager \
           reads them, warm, from a map of the file; over that of reads at their places the \
           largest ratio, of extents of 4, 16 and 64 KiB, cold and warm",
    is_long: false,
    measure,
};

const FILE_BYTES: usize = 256 << 20;
/// Bytes read in each pass over a part of the file.
const PASS_BYTES: usize = 64 << 20;
/// Extents read at once.
const TOGETHER: u32 = 8;
const SIDE: u32 = 256;
const PASSES: u64 = 5;

fn key(number: u32) -> Key {
    Key::of_tile(Layer::Bed, TileKey { level: 0, x: number % SIDE, y: number / SIDE })
}

fn make(path: &Path, bytes: usize) -> Result<u32, BenchError> {
    let mut store = Store::create(path)?;
    let count = u32::try_from(FILE_BYTES / bytes)?;
    for number in 0..count {
        let content: Vec<u8> = (0..bytes / 8)
            .flat_map(|word| scramble(u64::from(number) << 32 | word as u64).to_le_bytes())
            .collect();
        store.put(key(number), &content)?;
    }
    store.commit()?;
    Ok(count)
}

/// Drops the file's bytes from the memory of the operating system.
#[cfg(target_os = "linux")]
fn forget(path: &Path) -> Result<(), BenchError> {
    let file = std::fs::File::open(path)?;
    file.sync_all()?;
    rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed)?;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn forget(_: &Path) -> Result<(), BenchError> {
    Err(BenchError::Skipped("files are mapped on Linux only".to_owned()))
}

/// Returns the seconds for one extent, of runs of neighbours at places all over the file.
fn pass(
    path: &Path,
    reading: Reading,
    (count, bytes): (u32, usize),
    seed: u64,
) -> Result<f64, BenchError> {
    let store = Store::open(path)?;
    store.set_reading(reading);
    let reader = store.reader();
    let runs = (PASS_BYTES / bytes) as u64 / u64::from(TOGETHER);
    let mut first = Vec::new();
    reader.get(key(0), &mut first)?;
    let (mut seen, begun) = (0_usize, Instant::now());
    for run in 0..runs {
        let places = u64::from(count / TOGETHER);
        let start = u32::try_from(scramble(seed << 32 | run) % places)? * TOGETHER;
        let keys: Vec<Key> = (start..start + TOGETHER).map(key).collect();
        Extents::show(&reader, &keys, &mut |_, extent| {
            seen += black_box(extent.ok().flatten()).map_or(0, <[u8]>::len);
        });
    }
    let seconds = begun.elapsed().as_secs_f64() / (runs * u64::from(TOGETHER)) as f64;
    if seen as u64 == runs * u64::from(TOGETHER) * bytes as u64 {
        Ok(seconds)
    } else {
        Err("an extent could not be read".into())
    }
}

/// Returns the middle of some times, µs.
fn middle(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    1.0e6 * times[times.len() / 2]
}

fn measure(context: &Context) -> BenchResult {
    let folder = tempfile::tempdir()?;
    let (mut worst, mut warm_us, mut note) = (0.0_f64, 0.0, String::new());
    for kib in [4, 16, 64] {
        let (path, bytes) = (folder.path().join(format!("{kib}.thalweg")), kib << 10);
        let count = make(&path, bytes)?;
        for is_cold in [true, false] {
            let mut times = [Vec::new(), Vec::new()];
            for round in 0..PASSES {
                let both = [Reading::Positioned, Reading::Mapped].into_iter().zip(&mut times);
                for (reading, times) in both {
                    if is_cold {
                        forget(&path)?;
                    }
                    times.push(pass(&path, reading, (count, bytes), round)?);
                }
            }
            let [positioned, mapped] = times.map(middle);
            worst = worst.max(mapped / positioned);
            if (kib, is_cold) == (16, false) {
                warm_us = mapped;
            }
            let state = if is_cold { "cold" } else { "warm" };
            note += &format!("{kib} KiB {state} {mapped:.2}/{positioned:.2} µs, ");
        }
        std::fs::remove_file(&path)?;
    }
    note += &format!("map/positioned; triad {:.1} GB/s", context.triad_bytes_per_s() / 1.0e9);
    Ok(vec![
        Measurement::new("store.read_us", warm_us, "µs"),
        Measurement::new("store.read_us.ratio", worst, "1").target("<= 1").note(note),
    ])
}
