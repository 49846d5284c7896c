//! Opening worlds and saving them, without a window.

mod plain;

use std::path::Path;

use plain::{LOOK, WINDOW, advance, ask, bits, disc, started, world};
use testkit::Program;
use thalweg::file::Store;
use thalweg::probe::Window;
use thalweg::terrain::{Edit, TerrainBuilder, TerrainOptions};
use thalweg::units::{SimTime, VerticalScale};
use thalweg::world::{Action, SaveFile, write_terrain};
use viewer::args::{Args, WorldArgs};
use viewer::memory::SessionMemory;
use viewer::opening;
use viewer::session::{LeafMark, ViewerCommand, ViewerSession, ViewerState, WindowLook};

const VIEWER: Program = Program(env!("CARGO_BIN_EXE_viewer"));

fn args(path: &Path) -> Args {
    Args { file: Some(path.to_owned()), ..Args::default() }
}

fn refused(args: &Args) -> String {
    let error = opening::open(args, &SessionMemory::default()).expect_err("refused").to_string();
    assert!(!error.contains('\n'), "{error}");
    error
}

/// All that is seen of the world but foam, which a surface keeps and no file holds.
fn lasting(mut state: ViewerState) -> Vec<u64> {
    for water in state.patches.iter_mut().flat_map(|patch| &mut patch.water) {
        water[3] = 0;
    }
    bits(&state)
}

#[test]
fn what_is_saved_is_what_is_opened() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plain.thalweg");
    let (session, _) = started();
    let saved = advance(&session, 5.0);
    let state = ask(&session, ViewerCommand::Save(Some(path.clone())));
    assert_eq!(state.notices, [format!("saved in {}", path.display())]);
    assert!(!state.figures.is_unsaved);
    let again = ask(&session, ViewerCommand::Save(Some(path.clone())));
    assert_eq!(again.notices, state.notices);
    let other = folder.path().join("other.thalweg");
    std::fs::write(&other, "somebody's").expect("room");
    let taken = ask(&session, ViewerCommand::Save(Some(other)));
    assert!(taken.notices[0].contains("choose another name"), "{:?}", taken.notices);
    let odd = ask(&session, ViewerCommand::Save(Some(folder.path().join("plain.png"))));
    assert!(odd.notices[0].contains("end it in .thalweg"), "{:?}", odd.notices);
    // It is this session's own file now: nobody else gets it.
    assert!(refused(&args(&path)).contains("another process"), "{}", refused(&args(&path)));
    advance(&session, 1.0);
    ask(&session, ViewerCommand::Save(None));
    let last = ask(
        &session,
        ViewerCommand::Look(WindowLook { window: Window { width: 64, ..WINDOW }, ..LOOK }),
    );
    drop(session);
    let opened = opening::open(&args(&path), &SessionMemory::default()).expect("a world");
    assert_eq!(opened.world.time(), SimTime::from_seconds(6.0));
    assert_eq!(opened.site().file, Some(path.clone()));
    let look = WindowLook { window: last.window, ..LOOK };
    let session = ViewerSession::start(opened, look).expect("a session");
    let first = session.wait_state().expect("a state");
    assert!(first.time > saved.time);
    assert!(lasting(first) == lasting(last), "what is opened looks otherwise");
    drop(session);
    let mut file = SaveFile::read(&path).expect("nobody has it now");
    file.load(Vec::new()).expect("a world");
}

#[test]
fn what_cannot_be_opened_is_refused_in_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("noise.thalweg"), [7; 100]).expect("room");
    std::fs::write(at("notes.docx"), "hello").expect("room");
    std::fs::write(at("bad.toml"), "nonsense = 3").expect("room");
    SaveFile::create(&at("damaged.thalweg"), &world()).expect("room");
    let mut bytes = std::fs::read(at("damaged.thalweg")).expect("there");
    let half = bytes.len() / 2;
    bytes[half..].fill(0x55);
    std::fs::write(at("damaged.thalweg"), bytes).expect("room");
    for (name, what) in [
        ("absent.tif", "check the name"),
        ("", "is a folder"),
        ("noise.thalweg", "world"),
        ("notes.docx", "notes.docx"),
        ("bad.toml", "nonsense"),
        ("damaged.thalweg", "thalweg verify"),
    ] {
        let error = refused(&args(&at(name)));
        assert!(error.contains(what), "{name}: {error}");
    }
    SaveFile::create(&at("good.thalweg"), &world()).expect("room");
    let line = Args {
        world: WorldArgs { quality: Some("draft".parse().expect("one")), ..WorldArgs::default() },
        ..args(&at("good.thalweg"))
    };
    assert!(refused(&line).contains("--quality"), "{}", refused(&line));
    let _open = SaveFile::open(&at("good.thalweg")).expect("free");
    assert!(refused(&args(&at("good.thalweg"))).contains("another"));
}

#[test]
fn moments_of_the_file_are_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("kept.thalweg");
    let mut world = world();
    let mut file = SaveFile::create(&path, &world).expect("room");
    file.keep().expect("room");
    world.run_until(SimTime::from_seconds(20.0));
    file.save(&world).expect("room");
    drop(file);
    let opened = opening::open(&args(&path), &SessionMemory::default()).expect("a world");
    let session = ViewerSession::start(opened, LOOK).expect("a session");
    let first = session.wait_state().expect("a state");
    assert_eq!((first.time, &*first.moments_s), (SimTime::from_seconds(20.0), &vec![0.0]));
    let back = ask(&session, ViewerCommand::GoTo(0));
    assert_eq!(back.time, SimTime::ZERO);
    let on = advance(&session, 31.0);
    assert!(on.figures.is_balanced);
    drop(session);
    let mut file = SaveFile::read(&path).expect("a world");
    let unsaved = file.load(Vec::new()).expect("as it was");
    assert_eq!(unsaved.state_hash(), world.state_hash());
}

/// A file with a terrain of 512 × 512 cells of 2 m and no water.
fn bare(path: &Path) {
    let scale = VerticalScale::choose(0.0, 60.0, 20.0).expect("a range");
    let options =
        TerrainOptions { width: 512, height: 512, cell_width_m: 2.0, scale, bed_exponent: 10 };
    let mut terrain = TerrainBuilder::try_new(options).expect("a map");
    for row in 0..512 {
        let bed = |x: i32| 10.0 + 0.02 * f64::from((x - 256).abs()) + 0.01 * f64::from(512 - row);
        terrain.push_row(&(0..512).map(bed).collect::<Vec<_>>()).expect("a row");
    }
    let mut store = Store::create(path).expect("room");
    write_terrain(&terrain.finish().expect("a map"), &mut store).expect("room");
    store.commit().expect("room");
}

#[test]
fn a_terrain_without_water_is_dry_and_follows_the_view() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("bare.thalweg");
    bare(&path);
    for is_streamed in [false, true] {
        let world = WorldArgs { stream: is_streamed, dye: is_streamed, ..WorldArgs::default() };
        let mut line = Args { world, ..args(&path) };
        line.water.rain = Some("36mm/h".parse().expect("a rate"));
        let opened = opening::open(&line, &SessionMemory::default()).expect("a world");
        let site = opened.site();
        assert_eq!((opened.world.terrain().is_none(), site.base), (is_streamed, 0));
        assert_eq!(site.tracers.len(), usize::from(is_streamed));
        assert!(site.coarsest >= 2 && site.bed_m[1] > 15.0, "{site:?}");
        let window = Window { width: 256, height: 256, ..WINDOW };
        let look = |centre_m| WindowLook { window, centre_m, radius_m: 60.0 };
        let session = ViewerSession::start(opened, look([100.0, 100.0])).expect("a session");
        let first = session.wait_state().expect("a state");
        assert!(first.is_whole && first.figures.stored_m3 <= 0.0);
        let finest = |state: &ViewerState, at: [f32; 2]| {
            let is_there = |leaf: &&LeafMark| {
                (0..2).all(|axis| {
                    let from = leaf.corner_m[axis];
                    (from..from + leaf.width_m).contains(&at[axis])
                })
            };
            state.leaves.iter().find(is_there).expect("inside").level
        };
        let near = advance(&session, 100.0);
        assert_eq!(finest(&near, [100.0, 100.0]), 0);
        assert!((near.figures.stored_m3 - 0.001 * 1024.0 * 1024.0).abs() < 60.0);
        let edit = Action::EditTerrain(Edit::Raise { shape: disc(100.0, 100.0), by_m: 1.0 });
        let edited = ask(&session, ViewerCommand::Act { action: Box::new(edit), stroke: 1 });
        assert!(edited.notices.is_empty(), "{:?}", edited.notices);
        ask(&session, ViewerCommand::Look(look([900.0, 900.0])));
        let far = advance(&session, 100.0);
        assert_eq!(finest(&far, [900.0, 900.0]), 0);
        assert!(far.figures.is_balanced && (far.figures.resident_bytes > 0) == is_streamed);
        // Nothing was saved that nobody asked for.
        drop(session);
        let file = SaveFile::read(&path).expect("a terrain");
        assert!(file.summary().expect("whole").is_none());
    }
}

/// Goal: a file that goes while its world is looked at ends the session with a sentence.
#[cfg(unix)]
#[test]
fn a_world_that_breaks_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("bare.thalweg");
    bare(&path);
    let world = WorldArgs { stream: true, budget: Some(64), ..WorldArgs::default() };
    let small = refused(&Args { world: world.clone(), ..args(&path) });
    assert!(small.contains("--budget 64") && small.contains("or more"), "{small}");
    let world = WorldArgs { budget: None, ..world };
    let opened = opening::open(&Args { world, ..args(&path) }, &SessionMemory::default());
    let opened = opened.expect("a world");
    // Before its thread reads any page ahead.
    let file = std::fs::OpenOptions::new().write(true).open(&path).expect("there");
    file.set_len(4096).expect("shorter");
    let look = |centre_m| WindowLook { window: WINDOW, centre_m, radius_m: 30.0 };
    let session = ViewerSession::start(opened, look([100.0, 100.0])).expect("a session");
    session.send(ViewerCommand::Look(look([900.0, 900.0])));
    session.send(ViewerCommand::Advance(SimTime::from_seconds(200.0)));
    let mut why = None;
    // Pages are read on a thread of their own: failures are reported with the next state.
    for _ in 0..200 {
        session.send(ViewerCommand::Advance(SimTime::from_seconds(10.0)));
        match session.wait_state() {
            Some(state) => why = state.broken.or(why),
            None => break,
        }
    }
    let why = why.expect("the last state says why");
    assert!(why.contains("bare.thalweg") && !why.contains('\n'), "{why}");
}

/// Goal: output of the viewer commands no terminal, and its help in a file has no escape codes.
#[test]
fn hostile_names_and_help_do_not_command_the_terminal() {
    let folder = tempfile::tempdir().expect("a folder");
    let hostile = "p\u{1b}[2J\u{9b}\u{202e}\u{7f}";
    for name in [format!("{hostile}.tif"), format!("{hostile}.thalweg"), format!("--{hostile}")] {
        VIEWER.plain(folder.path(), &name, 2);
    }
    let said = VIEWER.plain(folder.path(), "--help", 0);
    assert!(said.contains("--script"), "{said}");
}

/// Goal: what a shared part of the tools prints in the viewer begins with the viewer's name, here
/// that the newest commit is damaged.
#[test]
fn shared_parts_speak_in_the_viewer_s_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("worn.thalweg");
    let mut world = world();
    let mut file = SaveFile::create(&path, &world).expect("room");
    let length = std::fs::metadata(&path).expect("there").len();
    world.run_until(SimTime::from_seconds(20.0));
    file.save(&world).expect("room");
    drop(file);
    let mut bytes = std::fs::read(&path).expect("there");
    bytes[usize::try_from(length).expect("small")..].fill(0x55);
    std::fs::write(&path, bytes).expect("room");
    let mut viewer = VIEWER.command(folder.path(), "worn.thalweg");
    let output = viewer.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").output();
    let output = output.expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("is damaged, the one before it is read"), "{said}");
    assert!(said.lines().all(|line| line.starts_with("viewer: ")), "{said}");
}
