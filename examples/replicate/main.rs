//! A server whose world two clients follow over loopback, one of which disconnects in between,
//! while two more connections send nothing. Look first at the last lines: each mirror is equal to
//! the writer's commit.
//!
//! The server runs a dam break and saves it in the background; each client is a process of its own
//! that keeps a mirror in a file, and draws it without building a world. The library has no
//! sockets: a feed writes into any stream, and a mirror reads from one. `serve` listens; the page
//! `src/guide/following.md` explains which side trusts which.

mod serve;

use crate::serve::{ServeOptions, Served, ServerState, serve};
use std::error::Error;
use std::fmt;
use std::io::BufReader;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::atomic::Ordering;
use std::time::Duration;
use thalweg::follow::{Applied, Area, Follow, FollowError, Memory, Mirror, Reader, Store};
use thalweg::probe::{Surface, Window};
use thalweg::terrain::{TerrainBuilder, TerrainOptions};
use thalweg::units::{SimTime, VerticalScale};
use thalweg::world::{CellPlace, Limits, SaveFile, SurfaceSource, World, WorldBuilder};

/// Cells of 5 m a side of the world.
const CELLS: usize = 512;
/// Seconds of the world that pass, and after how many it is saved.
const SPAN_S: f64 = 60.0;
const SAVE_S: f64 = 3.0;
/// Frames after which the client of the rectangle disconnects, once.
const FRAMES: u64 = 4;
/// Largest number of bytes of a commit that a client takes.
const COMMIT_BYTES: u64 = 256 << 20;

/// Time that a client waits for a server that sends nothing, and its pause before a new request.
const SILENCE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(200);

/// Returns the part of the world that a client follows, by its name.
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
    let mirror = Mirror::new(Store::create(path)?, follow(name))?;
    let mut mirror = mirror.limits(Limits::default().bytes(COMMIT_BYTES));
    let (mut frames, mut picture) = (0, MirrorPicture::try_new(name)?);
    loop {
        let mut stream = TcpStream::connect(address)?;
        // A server that sends nothing for this time gets another request.
        stream.set_read_timeout(Some(SILENCE))?;
        mirror.ask().write_to(&mut stream)?;
        let mut stream = BufReader::new(stream);
        loop {
            match mirror.read_next(&mut stream) {
                Ok(Applied::End) => {
                    println!("  {name}: the server has no more than {}", mirror.generation());
                    println!("  {name}: {picture}");
                    return Ok(());
                }
                Ok(Applied::Commit(_)) => {
                    frames += 1;
                    picture.draw(&mirror)?;
                }
                Ok(Applied::Part) => frames += 1,
                Err(error @ (FollowError::Missed { .. } | FollowError::Io { .. })) => {
                    println!("  {name}, at commit {}: {error}", mirror.generation());
                    std::thread::sleep(PAUSE);
                    break;
                }
                Err(error) => return Err(error.into()),
            }
            if name == "rectangle" && frames == FRAMES {
                println!("  {name}, at commit {}: it hangs up", mirror.generation());
                frames += 1;
                break;
            }
        }
    }
}

/// Picture that a client draws of its mirror.
struct MirrorPicture {
    surface: Surface,
    source: Option<SurfaceSource>,
    /// Commits that were drawn, and rectangles that a renderer would have uploaded.
    commits: usize,
    rectangles: usize,
}

impl MirrorPicture {
    fn try_new(name: &str) -> Result<Self, Box<dyn Error>> {
        let whole = Area { columns: 0..512, rows: 0..512 };
        let Area { columns, rows } = follow(name).area.unwrap_or(whole);
        let corner = CellPlace { x: columns.start, y: rows.start };
        let [width, height] = [columns.len(), rows.len()];
        let surface = Surface::try_new(Window { level: 0, corner, width, height })?;
        Ok(Self { surface, source: None, commits: 0, rectangles: 0 })
    }

    /// Draws the mirror's last commit.
    fn draw(&mut self, mirror: &Mirror) -> Result<(), Box<dyn Error>> {
        let source = match &mut self.source {
            None => {
                let limits = Limits::default().bytes(COMMIT_BYTES);
                self.source.insert(SurfaceSource::try_new(mirror.store().reader(), limits)?)
            }
            Some(source) => {
                source.refresh()?;
                source
            }
        };
        self.rectangles += self.surface.update_from(source)?.len();
        self.commits += 1;
        Ok(())
    }
}

impl fmt::Display for MirrorPicture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { surface, commits, rectangles, .. } = self;
        let wet = surface.depth_m().iter().filter(|&&depth_m| depth_m > 0.0).count();
        write!(f, "{commits} commits drawn, {rectangles} rectangles written, {wet} cells are wet")
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
    let mut clients = [start("whole")?, start("rectangle")?];
    let course = ServerState::default();
    // They send nothing until the end, and delay nobody.
    let silent = [TcpStream::connect(&address)?, TcpStream::connect(&address)?];
    let file = std::thread::scope(|scope| -> Result<SaveFile, Box<dyn Error>> {
        let (reader, course) = (&reader, ServerGuard(&course));
        let server = scope.spawn({
            let course = course.0;
            move || serve(&listener, reader, ServeOptions::default(), course, &note)
        });
        let mut saver = file.in_background()?.every(SimTime::from_seconds(SAVE_S));
        let end = SimTime::from_seconds(SPAN_S);
        while world.time() < end {
            world.run_cycle(end);
            saver.keep(&world).transpose()?;
        }
        let mut file = saver.finish()?;
        file.save(&world)?;
        course.0.is_last.store(true, Ordering::Release);
        for (name, _, child) in &mut clients {
            if !child.wait()?.success() {
                return Err(format!("the client of the {name} failed").into());
            }
        }
        drop((silent, course));
        server.join().map_err(|_| "the server panicked")??;
        Ok(file)
    })?;
    for (name, path, _) in clients {
        compare(name, &Store::read(&path)?, &file.store().reader())?;
    }
    let mut copy = SaveFile::read(&folder.join("whole"))?;
    let is_same = copy.load(Vec::new())?.state_hash() == world.state_hash();
    println!("the whole mirror opens as the same world: {is_same}");
    Ok(())
}

/// Ends the server in every case.
struct ServerGuard<'a>(&'a ServerState);

impl Drop for ServerGuard<'_> {
    fn drop(&mut self) {
        self.0.is_last.store(true, Ordering::Release);
        self.0.is_over.store(true, Ordering::Release);
    }
}

/// Prints the outcome of a connection.
fn note(served: Served) {
    let Served { frames, bytes: (bytes, unpacked), generation, error } = served;
    match error {
        None => println!(
            "  server: {frames} frames up to commit {generation}: {bytes} of {unpacked} bytes"
        ),
        Some(error) => println!("  server: a client is given up after {frames} frames: {error}"),
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

/// Returns a lake behind a dam that is gone.
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
    let builder = WorldBuilder::new(terrain.finish()?);
    Ok(builder.initial_stage(|place| if place.x < 200 { 20.0 } else { 0.0 }).build()?)
}
