//! Extents read from a map of the file against reads at their places.

use crate::suite::{Bench, BenchError, Context, Outcome};
use crate::table::Measurement;
use std::fs::File;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;
use thalweg::grid::TileKey;
use thalweg::store::{Extents, Key, Layer, Reading, Store};
use thalweg::units::hash::scramble;

/// Time an extent takes.
pub const BENCH: Bench = Bench {
    ids: &["store.read_us", "store.read_us.lone"],
    what: "time to read and check an extent of 4, 16 and 64 KiB, cold and warm, from a map of the \
           file over reads at its place: the largest ratio, of eight that lie side by side, as a \
           pager reads them, and of one alone",
    is_long: false,
    measure,
};

const FILE_BYTES: usize = 256 << 20;
/// Bytes read in each pass over a part of the file.
const PASS_BYTES: usize = 64 << 20;
/// Extents read at once.
const TOGETHER: u32 = 8;
const SIDE: u32 = 256;
const PASSES: usize = 5;

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
fn forget(path: &Path) -> Result<(), BenchError> {
    let file = File::open(path)?;
    file.sync_all()?;
    rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed)?;
    Ok(())
}

/// Seconds that one extent took, of runs of `together` neighbours at places all over the file.
fn pass(
    path: &Path,
    reading: Reading,
    (count, bytes, together): (u32, usize, u32),
    seed: u64,
) -> Result<f64, BenchError> {
    let store = Store::open_with(path, reading)?;
    let reader = store.reader();
    let runs = (PASS_BYTES / bytes) as u64 / u64::from(together);
    let mut first = Vec::new();
    reader.get(key(0), &mut first)?;
    let (mut seen, begun) = (0_usize, Instant::now());
    for run in 0..runs {
        let places = u64::from(count / together);
        let start = u32::try_from(scramble(seed << 32 | run) % places)? * together;
        let keys: Vec<Key> = (start..start + together).map(key).collect();
        Extents::show(&reader, &keys, &mut |_, extent| {
            seen += black_box(extent.ok().flatten()).map_or(0, <[u8]>::len);
        });
    }
    let seconds = begun.elapsed().as_secs_f64() / (runs * u64::from(together)) as f64;
    if seen as u64 == runs * u64::from(together) * bytes as u64 {
        Ok(seconds)
    } else {
        Err("an extent could not be read".into())
    }
}

/// The middle of some times, µs.
fn middle(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    1.0e6 * times[times.len() / 2]
}

fn measure(context: &Context) -> Outcome {
    let folder = tempfile::tempdir()?;
    let (mut worst, mut notes) = ([0.0_f64; 2], [String::new(), String::new()]);
    for kib in [4, 16, 64] {
        let (path, bytes) = (folder.path().join(format!("{kib}.thalweg")), kib << 10);
        let count = make(&path, bytes)?;
        for (which, together) in [TOGETHER, 1].into_iter().enumerate() {
            for is_cold in [true, false] {
                let mut times = [Vec::new(), Vec::new()];
                for round in 0..PASSES as u64 {
                    for (reading, times) in
                        [Reading::Positioned, Reading::Mapped].into_iter().zip(&mut times)
                    {
                        if is_cold {
                            forget(&path)?;
                        }
                        times.push(pass(&path, reading, (count, bytes, together), round)?);
                    }
                }
                let [positioned, mapped] = times.map(middle);
                worst[which] = worst[which].max(mapped / positioned);
                let state = if is_cold { "cold" } else { "warm" };
                notes[which] += &format!("{kib} KiB {state} {mapped:.2}/{positioned:.2} µs, ");
            }
        }
        std::fs::remove_file(&path)?;
    }
    let triad = format!("triad {:.1} GB/s", context.triad_bytes_per_s() / 1.0e9);
    let [together, lone] = notes.map(|note| note + &triad);
    Ok(vec![
        Measurement::new("store.read_us", worst[0], "1").target("<= 1").note(together),
        Measurement::new("store.read_us.lone", worst[1], "1").note(lone),
    ])
}
