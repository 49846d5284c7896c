//! Eight processes follow a writer over loopback for five minutes, and are killed and cut off.
//!
//! The writer commits without pause to a file; a thread for each connection sends the parts that
//! are followed. Each second one reader is killed and started again, and connections are cut in the
//! middle of a frame. The readers keep mirrors in files: at the end each is compared with the
//! writer's commit, every key and every byte.

use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use std::io::{BufReader, ErrorKind, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use thalweg_engine::grid::TileKey;
use thalweg_engine::store::follow::{Applied, Area, Ask, Feed, Follow, FollowError, Mirror};
use thalweg_engine::store::{Key, Layer, Reader, Store};
use thalweg_engine::units::hash::scramble;

/// Number of readers that end equal to the writer.
pub const BENCH: Bench = Bench {
    ids: &[
        "store.follow.equal",
        "store.follow.commits",
        "store.follow.frames",
        "store.follow.mbs",
        "store.follow.resyncs",
    ],
    what: "8 processes that follow a writer over loopback for 5 minutes, killed and cut off on the \
           way: how many end equal to its commit; commits, frames, speed, connections made again",
    is_long: true,
    measure,
};

const READERS: u64 = 8;
const RUN: Duration = Duration::from_secs(300);
/// Pause of the writer after a commit.
const PAUSE: Duration = Duration::from_millis(5);
/// Tiles a side of the world.
const TILES: u64 = 40;
/// Largest number of tiles that a commit changes, and the number for each fiftieth commit.
const CHANGES: u64 = 30;
const LARGE: u64 = 600;

/// Returns the part that a reader follows: the whole world, or a quarter of it.
fn follow_of(path: &Path) -> Follow {
    let is_part = path.to_string_lossy().ends_with("part");
    let quarter = Area { columns: 640..1920, rows: 640..1920 };
    Follow { area: is_part.then_some(quarter), ..Follow::default() }
}

/// Counts of the server.
#[derive(Debug, Default)]
struct ServerCounts {
    is_done: AtomicBool,
    connections: AtomicU64,
    frames: AtomicU64,
    bytes: AtomicU64,
    unpacked: AtomicU64,
    cuts: AtomicU64,
}

/// Follows the server at an address in a file, until the server ends.
///
/// # Errors
///
/// Errors of the store; a server that sends anything else.
pub fn follow(address: &str, path: &Path) -> Result<(), BenchError> {
    let store = if path.exists() { Store::open(path)? } else { Store::create(path)? };
    let mut mirror = Mirror::new(store, follow_of(path))?;
    loop {
        let mut stream = TcpStream::connect(address)?;
        mirror.ask().write_to(&mut stream)?;
        let mut stream = BufReader::new(stream);
        loop {
            match mirror.read_next(&mut stream) {
                Ok(Applied::End) => return Ok(()),
                Ok(_) => {}
                Err(FollowError::Missed { .. } | FollowError::Io { .. }) => break,
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// Writes one commit.
fn write(store: &mut Store) -> Result<(), BenchError> {
    let commit = store.generation() + 1;
    let word = |salt: u64| scramble(commit << 16 | salt);
    let changes = if commit.is_multiple_of(50) { LARGE } else { 1 + word(0) % CHANGES };
    for change in 1..=changes {
        let word = word(change);
        let place = u32::try_from(word % (TILES * TILES))?;
        let side = u32::try_from(TILES)?;
        let tile = TileKey { level: 0, x: place % side, y: place / side };
        let key = Key::of_tile(Layer::Water, tile);
        if (word >> 32).is_multiple_of(7) {
            store.remove(key)?;
            continue;
        }
        // Noise, then bytes that lz4 makes small.
        let noise = (0..word >> 40 & 0x3ff).map(|i| scramble(word ^ i));
        let bytes: Vec<u8> = noise.flat_map(u64::to_le_bytes).collect();
        store.put(key, &[bytes, vec![7; 4096]].concat())?;
    }
    store.put(Key::head(0), &commit.to_le_bytes())?;
    store.commit()?;
    Ok(())
}

/// Sends to one reader, until all is sent or half of a frame.
fn send(mut stream: TcpStream, reader: Reader, number: u64, counts: &ServerCounts) {
    let Ok(ask) = Ask::read_from(&mut stream) else { return };
    let mut feed = Feed::new(reader, &ask);
    let last_frame = 200 + scramble(number) % 5000;
    loop {
        let is_last = counts.is_done.load(Ordering::Acquire);
        let mut frame = Vec::new();
        match feed.write_next(&mut frame) {
            Ok(true) => {}
            Ok(false) if is_last => break,
            Ok(false) => {
                std::thread::sleep(Duration::from_millis(1));
                continue;
            }
            Err(_) => break,
        }
        let is_cut = feed.frames() == last_frame;
        let part = if is_cut { frame.len() / 2 } else { frame.len() };
        if stream.write_all(&frame[..part]).is_err() {
            break;
        }
        if is_cut {
            counts.cuts.fetch_add(1, Ordering::Relaxed);
            break;
        }
    }
    let (bytes, unpacked) = feed.bytes();
    counts.frames.fetch_add(feed.frames(), Ordering::Relaxed);
    counts.bytes.fetch_add(bytes, Ordering::Relaxed);
    counts.unpacked.fetch_add(unpacked, Ordering::Relaxed);
}

/// Accepts connections until the run is over.
fn serve(listener: &TcpListener, reader: &Reader, counts: &ServerCounts, is_over: &AtomicBool) {
    std::thread::scope(|scope| {
        while !is_over.load(Ordering::Acquire) {
            match listener.accept() {
                Ok((stream, _)) if stream.set_nonblocking(false).is_ok() => {
                    let number = counts.connections.fetch_add(1, Ordering::Relaxed);
                    let reader = reader.clone();
                    scope.spawn(move || send(stream, reader, number, counts));
                }
                Err(error) if error.kind() != ErrorKind::WouldBlock => return,
                _ => std::thread::sleep(Duration::from_millis(1)),
            }
        }
    });
}

/// Starts a reader's process.
fn start(address: &str, path: &Path) -> Result<Child, BenchError> {
    let mut command = Command::new(std::env::current_exe()?);
    Ok(command.arg("--follow").arg(address).arg(path).spawn()?)
}

/// Writes for a while, and kills readers on the way; returns the number of kills.
fn write_on(
    store: &mut Store,
    readers: &mut [(PathBuf, Child)],
    address: &str,
) -> Result<u64, BenchError> {
    let (begun, mut kills) = (Instant::now(), 0);
    while begun.elapsed() < RUN {
        write(store)?;
        std::thread::sleep(PAUSE);
        if begun.elapsed().as_secs() > kills {
            let at = usize::try_from(scramble(kills) % READERS)?;
            let (path, child) = &mut readers[at];
            child.kill()?;
            child.wait()?;
            *child = start(address, path)?;
            kills += 1;
        }
    }
    Ok(kills)
}

/// Returns whether a mirror is the writer's commit, in the part that it follows.
fn is_equal(path: &Path, writer: &Reader) -> Result<bool, BenchError> {
    let (mirror, follow) = (Store::read(path)?, follow_of(path));
    let keys: Vec<Key> = writer.keys()?.into_iter().filter(|key| follow.has(*key)).collect();
    if mirror.generation() != writer.generation() || mirror.keys()? != keys {
        return Ok(false);
    }
    let (mut expected, mut found) = (Vec::new(), Vec::new());
    for key in keys {
        let is_there = writer.get(key, &mut expected)? && mirror.get(key, &mut found)?;
        if !is_there || expected != found {
            return Ok(false);
        }
    }
    Ok(true)
}

fn measure(_: &Context) -> BenchResult {
    let folder = tempfile::tempdir()?;
    let mut store = Store::create(&folder.path().join("writer"))?;
    let (reader, counts) = (store.reader(), ServerCounts::default());
    let listener = TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?.to_string();
    let is_over = AtomicBool::new(false);
    let begun = Instant::now();
    let (kills, readers) = std::thread::scope(|scope| {
        scope.spawn(|| serve(&listener, &reader, &counts, &is_over));
        let mut run = || -> Result<_, BenchError> {
            let mut readers = Vec::new();
            for number in 0..READERS {
                let part = if number % 2 == 0 { "whole" } else { "part" };
                let path = folder.path().join(format!("{number}-{part}"));
                let child = start(&address, &path)?;
                readers.push((path, child));
            }
            let kills = write_on(&mut store, &mut readers, &address);
            counts.is_done.store(true, Ordering::Release);
            for (_, child) in &mut readers {
                child.wait()?;
            }
            Ok((kills?, readers))
        };
        let done = run();
        counts.is_done.store(true, Ordering::Release);
        is_over.store(true, Ordering::Release);
        done
    })?;
    let seconds = begun.elapsed().as_secs_f64();
    let mut equal = 0_u32;
    for (path, _) in &readers {
        equal += u32::from(is_equal(path, &store.reader())?);
    }
    let number = |count: &AtomicU64| count.load(Ordering::Relaxed) as f64;
    let note = format!(
        "{seconds:.0} s, {kills} kills, {} cuts in a frame; {} extents at the end; lz4 leaves \
         {:.2}",
        number(&counts.cuts),
        store.extents(),
        number(&counts.bytes) / number(&counts.unpacked)
    );
    let resyncs = number(&counts.connections) - READERS as f64;
    Ok(vec![
        Measurement::new("store.follow.equal", f64::from(equal), "").target("8").note(note),
        Measurement::new("store.follow.commits", store.generation() as f64, ""),
        Measurement::new("store.follow.frames", number(&counts.frames), ""),
        Measurement::new("store.follow.mbs", number(&counts.bytes) / seconds / 1.0e6, "MB/s"),
        Measurement::new("store.follow.resyncs", resyncs, ""),
    ])
}
