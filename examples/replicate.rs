//! A server whose world two clients follow over loopback, one of them through a cut connection.
//! Look first at the last lines: each mirror is equal to the writer's commit.
//!
//! The server runs a dam break and saves it in the background; each client is a process of its own
//! that keeps a mirror in a file. Nothing in the library knows of sockets: a feed writes into any
//! stream, and a mirror reads from one.

use std::error::Error;
use std::io::BufReader;
use std::net::TcpListener;
use std::net::TcpStream;
use std::path::Path;
use std::path::PathBuf;
use std::process::Child;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::time::Duration;
use thalweg::store::Reader;
use thalweg::store::Store;
use thalweg::store::backend::memory::Memory;
use thalweg::store::follow::Applied;
use thalweg::store::follow::Area;
use thalweg::store::follow::Ask;
use thalweg::store::follow::Feed;
use thalweg::store::follow::Follow;
use thalweg::store::follow::FollowError;
use thalweg::store::follow::Mirror;
use thalweg::terrain::TerrainBuilder;
use thalweg::terrain::TerrainOptions;
use thalweg::units::SimTime;
use thalweg::units::VerticalScale;
use thalweg::world::SaveFile;
use thalweg::world::World;
use thalweg::world::WorldBuilder;

/// Cells of 5 m a side of the world.
const CELLS: usize = 512;
/// Seconds of the world that pass, and after how many it is saved.
const SPAN_S: f64 = 60.0;
const SAVE_S: f64 = 3.0;
/// Frames after which the rectangle's first connection is cut, in the middle of the next.
const CUT_AFTER: u64 = 4;

/// What the clients follow, by name.
fn follow(name: &str) -> Follow {
    let east = Area { columns: 256..512, rows: 128..384 };
    match name {
        "rectangle" => Follow { area: Some(east), ..Follow::default() },
        _ => Follow::default(),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match &words[..] {
        [name, address, path] => client(name, address, Path::new(path)),
        _ => server(),
    }
}

/// Follows until the server has nothing more to send.
fn client(name: &str, address: &str, path: &Path) -> Result<(), Box<dyn Error>> {
    let mut mirror = Mirror::new(Store::create(path)?, follow(name))?;
    loop {
        let mut stream = TcpStream::connect(address)?;
        mirror.ask().write_to(&mut stream)?;
        let mut stream = BufReader::new(stream);
        loop {
            match mirror.read_next(&mut stream) {
                Ok(Applied::End) => {
                    println!("  {name}: the server has no more than {}", mirror.generation());
                    return Ok(());
                }
                Ok(_) => {}
                Err(error @ (FollowError::Missed { .. } | FollowError::Io { .. })) => {
                    println!("  {name}, at commit {}: {error}", mirror.generation());
                    break;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
}

fn server() -> Result<(), Box<dyn Error>> {
    let folder = std::env::temp_dir().join(format!("thalweg-replicate-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let done = run(&folder);
    std::fs::remove_dir_all(&folder)?;
    done
}

fn run(folder: &Path) -> Result<(), Box<dyn Error>> {
    let mut world = valley()?;
    let file = SaveFile::create_on(Box::new(Memory::default()), &world)?;
    let reader = file.store().reader();
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?.to_string();
    let start = |name: &'static str| -> Result<(&'static str, PathBuf, Child), Box<dyn Error>> {
        let path = folder.join(name);
        let mut command = Command::new(std::env::current_exe()?);
        let child = command.arg(name).arg(&address).arg(&path).spawn()?;
        Ok((name, path, child))
    };
    let clients = [start("whole")?, start("rectangle")?];
    let is_over = AtomicBool::new(false);
    let file = std::thread::scope(|scope| -> Result<SaveFile, Box<dyn Error>> {
        let (reader, is_over) = (&reader, &is_over);
        // One connection of the whole world, and two of the rectangle.
        scope.spawn(move || {
            let mut is_cut = false;
            for stream in listener.incoming().take(3).flatten() {
                let mut cut = || !std::mem::replace(&mut is_cut, true);
                let Ok(ask) = Ask::read_from(&mut &stream) else { continue };
                let cut_after = (ask.follow.area.is_some() && cut()).then_some(CUT_AFTER);
                let feed = Feed::new(reader.clone(), &ask);
                scope.spawn(move || send(&stream, feed, cut_after, is_over));
            }
        });
        let mut saver = file.in_background()?.every(SimTime::from_seconds(SAVE_S));
        let end = SimTime::from_seconds(SPAN_S);
        while world.time() < end {
            world.run_cycle(end);
            saver.keep(&world).transpose()?;
        }
        let mut file = saver.finish()?;
        file.save(&world)?;
        is_over.store(true, Ordering::Release);
        Ok(file)
    })?;
    for (name, path, mut child) in clients {
        if !child.wait()?.success() {
            return Err(format!("the client of the {name} failed").into());
        }
        compare(name, &Store::read(&path)?, &file.store().reader())?;
    }
    let mut copy = SaveFile::read(&folder.join("whole"))?;
    let is_same = copy.load(Vec::new())?.state_hash() == world.state_hash();
    println!("the whole mirror opens as the same world: {is_same}");
    Ok(())
}

/// Sends commits until the world is over; where the connection is to be cut, half a frame at last.
fn send(mut stream: &TcpStream, mut feed: Feed, cut_after: Option<u64>, is_over: &AtomicBool) {
    let is_cut = |feed: &Feed| cut_after.is_some_and(|frames| feed.frames() >= frames);
    loop {
        let is_last = is_over.load(Ordering::Acquire);
        let mut frame = Vec::new();
        let is_new = match feed.write_next(&mut frame) {
            Ok(is_new) => is_new,
            Err(error) => {
                eprintln!("a client is given up: {error}");
                return;
            }
        };
        let part = if is_cut(&feed) { frame.len() / 2 } else { frame.len() };
        let is_sent = std::io::Write::write_all(&mut stream, &frame[..part]).is_ok();
        if is_cut(&feed) || !is_sent || (is_last && !is_new) {
            let ((bytes, unpacked), frames) = (feed.bytes(), feed.frames());
            let last = feed.generation();
            println!("  server: {frames} frames up to commit {last}: {bytes} of {unpacked} bytes");
            return;
        }
        if !is_new {
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// Compares a mirror with the writer's commit.
fn compare(name: &str, mirror: &Store, writer: &Reader) -> Result<(), Box<dyn Error>> {
    let follow = follow(name);
    let expected: Vec<_> = writer.keys()?.into_iter().filter(|key| follow.has(*key)).collect();
    let (mut theirs, mut ours) = (Vec::new(), Vec::new());
    let mut is_equal = mirror.generation() == writer.generation() && mirror.keys()? == expected;
    for key in &expected {
        writer.get(*key, &mut theirs)?;
        is_equal &= mirror.get(*key, &mut ours)? && ours == theirs;
    }
    let (commit, extents) = (mirror.generation(), expected.len());
    println!("{name}: commit {commit}, {extents} extents, equal to the writer's: {is_equal}");
    if is_equal { Ok(()) } else { Err(format!("the mirror of the {name} is not equal").into()) }
}

/// A lake behind a dam that is gone.
fn valley() -> Result<World, Box<dyn Error>> {
    let scale = VerticalScale::choose(0.0, 40.0, 100.0)?;
    let options =
        TerrainOptions { width: CELLS, height: CELLS, cell_width_m: 5.0, scale, bed_exponent: 10 };
    let mut terrain = TerrainBuilder::try_new(options)?;
    for row in 0..CELLS {
        let bed_m = |x: usize| {
            let (x, y) = (x as f64 * 0.03, row as f64 * 0.02);
            12.0 - 0.25 * x + 3.0 * (x.sin() * y.cos())
        };
        terrain.push_row(&(0..CELLS).map(bed_m).collect::<Vec<_>>())?;
    }
    let lake =
        Box::new(|place: thalweg::grid::cells::CellPlace| if place.x < 200 { 20.0 } else { 0.0 });
    Ok(WorldBuilder::new(terrain.finish()?).initial_stage(lake).build()?)
}
