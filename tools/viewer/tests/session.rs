//! The world's thread, without a window: states, strokes, moments and crates.

mod plain;

use kit::device::DeviceName;
use plain::{LOOK, WINDOW, advance, ask, bits, disc, opened, started};
use thalweg::probe::Window;
use thalweg::terrain::{Edit, Terrain};
use thalweg::units::SimTime;
use thalweg::world::{Action, Amount, SaveFile, World, WorldBuilder};
use viewer::session::{ViewerCommand, ViewerSession, ViewerState, WindowLook, WindowPatch};

fn pour(x: f64, y: f64, stroke: u64) -> ViewerCommand {
    let action = Action::AddWater { area: disc(x, y), amount: Amount::DepthM(1.0) };
    ViewerCommand::Act { action: Box::new(action), stroke }
}

/// All that one sees, as numbers to compare: how commands fell into states does not matter.
fn whole(session: &ViewerSession) -> Vec<u64> {
    // Another window and back: all of it is sent.
    let other = WindowLook { window: Window { width: 64, ..WINDOW }, ..LOOK };
    ask(session, ViewerCommand::Look(other));
    let state = ask(session, ViewerCommand::Look(LOOK));
    assert!(state.is_whole);
    bits(&state)
}

/// Cells of all patches.
fn cells(state: &ViewerState) -> usize {
    state.patches.iter().map(|patch| patch.cells.width * patch.cells.height).sum()
}

#[test]
fn the_first_state_is_whole_and_the_next_tells_what_has_changed() {
    let (session, first) = started();
    assert!(first.is_whole && first.number == 1 && cells(&first) == 192 * 128);
    assert_eq!((first.leaves.len(), first.gauges.len()), (6, 1));
    let pool = &first.patches[0];
    assert!((pool.heights[0][1] - pool.heights[0][0] - 2.0).abs() < 0.01);
    // Water on the far side: the tiles of the middle are what they were.
    let second = ask(&session, pour(170.0, 20.0, 1));
    assert!(!second.is_whole && second.number == 2);
    let is_there = |patch: &WindowPatch| patch.cells.corner.x >= 128 - 4;
    assert!(!second.patches.is_empty() && second.patches.iter().all(is_there), "{second:?}");
    assert_eq!((second.figures.undos, second.figures.is_unsaved), (1, true));
    let third = ask(&session, ViewerCommand::Run(false));
    assert!(third.patches.is_empty());
}

#[test]
fn a_stroke_is_taken_back_and_done_again() {
    let (session, first) = started();
    let water = |state: &ViewerState| state.figures.stored_m3;
    ask(&session, pour(60.0, 30.0, 1));
    ask(&session, pour(70.0, 30.0, 1));
    let raise = Action::EditTerrain(Edit::Raise { shape: disc(100.0, 100.0), by_m: 2.0 });
    let done = ask(&session, ViewerCommand::Act { action: Box::new(raise), stroke: 2 });
    assert_eq!((done.figures.undos, done.figures.redos), (2, 0));
    let after = whole(&session);
    ask(&session, ViewerCommand::Undo);
    let back = ask(&session, ViewerCommand::Undo);
    assert_eq!((back.figures.undos, back.figures.redos), (0, 2));
    assert!((water(&back) - water(&first)).abs() < 1.0e-9);
    assert_eq!(whole(&session), bits(&first));
    ask(&session, ViewerCommand::Redo);
    let again = ask(&session, ViewerCommand::Redo);
    assert!((water(&again) - water(&done)).abs() < 1.0e-9);
    assert_eq!(whole(&session), after);
    let none = ask(&session, ViewerCommand::Redo);
    assert_eq!(none.notices, ["there is nothing to do again"]);
}

#[test]
fn the_same_script_is_the_same_world() {
    let run = || {
        let (session, _) = started();
        advance(&session, 3.0);
        session.send(pour(60.0, 30.0, 1));
        advance(&session, 2.5);
        session.send(ViewerCommand::Undo);
        let last = advance(&session, 4.0);
        assert_eq!(last.time, SimTime::from_seconds(9.5));
        assert!(last.figures.is_balanced);
        (whole(&session), last.gauges[0].depth_m.clone(), last.figures.stored_m3.to_bits())
    };
    assert_eq!(run(), run());
}

#[test]
fn time_passes_while_it_is_let_to() {
    let (session, _) = started();
    ask(&session, ViewerCommand::Speed(50.0));
    session.send(ViewerCommand::Run(true));
    let mut state = session.wait_state().expect("a state");
    while state.time < SimTime::from_seconds(15.0) {
        state = session.wait_state().expect("a state");
    }
    assert!(state.figures.is_running && state.figures.is_unsaved);
    // Who looks around all the time does not hold it up.
    let end = SimTime::from_seconds(30.0);
    let mut looks = 0;
    while state.time < end {
        looks += 1;
        let centre_m = [96.0 + f64::from(looks % 7), 64.0];
        session.send(ViewerCommand::Look(WindowLook { centre_m, ..LOOK }));
        state = session.try_state().unwrap_or(state);
        std::thread::sleep(std::time::Duration::from_millis(2));
        assert!(looks < 10_000, "time stands still at {:?}", state.time);
    }
    let stopped = ask(&session, ViewerCommand::Run(false));
    assert!(!stopped.figures.is_running);
    let still = ask(&session, ViewerCommand::Inspect(Some([5.0, 5.0])));
    assert_eq!(still.time, stopped.time);
    let inspected = still.inspected.expect("in the world");
    assert!(inspected.depth_m > 0.0 && inspected.tile == [0, 0]);
    let outside = ask(&session, ViewerCommand::Inspect(Some([-5.0, 5.0])));
    assert_eq!(outside.inspected, None);
}

#[test]
fn what_cannot_be_done_is_said() {
    let (session, _) = started();
    let act = |action| ViewerCommand::Act { action: Box::new(action), stroke: 1 };
    let dry = Action::RemoveWater { area: disc(150.0, 60.0), amount: Amount::DepthM(1.0) };
    let state = ask(&session, act(dry));
    assert_eq!(state.notices, ["there is no water here"]);
    let outside = Action::AddWater { area: disc(900.0, 60.0), amount: Amount::DepthM(1.0) };
    let state = ask(&session, act(outside));
    assert_eq!((state.notices.len(), state.figures.undos), (1, 0), "{:?}", state.notices);
    let state = ask(&session, ViewerCommand::PutGauge { at_m: [-3.0, 0.0] });
    assert_eq!(state.notices, ["there is no ground here for a gauge"]);
    let state = ask(&session, ViewerCommand::PutGauge { at_m: [150.0, 60.0] });
    assert_eq!((state.notices.len(), state.gauges.len(), state.places.len()), (0, 2, 2));
    let state = ask(&session, ViewerCommand::Save(None));
    assert!(state.notices[0].starts_with("not saved: "), "{:?}", state.notices);
}

#[test]
fn one_goes_back_to_a_moment_and_on_from_there() {
    let (session, first) = started();
    assert!(first.moments_s.is_empty());
    let late = advance(&session, 100.0);
    let moments_s = late.moments_s.clone();
    let is_due = |(due_s, at_s): (f64, &f64)| (due_s..due_s + 10.0).contains(at_s);
    let mut dues = [0.0, 30.0, 60.0, 90.0].into_iter().zip(moments_s.iter());
    assert!(moments_s.len() == 4 && dues.all(is_due), "{moments_s:?}");
    ask(&session, pour(60.0, 30.0, 1));
    let back = ask(&session, ViewerCommand::GoTo(2));
    assert_eq!((back.time.seconds(), back.is_whole), (moments_s[2], true));
    assert_eq!((back.figures.undos, &back.moments_s), (0, &moments_s));
    let rest = late.time.since(back.time);
    let again = ask(&session, ViewerCommand::Advance(SimTime::from_ticks(rest)));
    assert_eq!((again.time, &again.moments_s), (late.time, &moments_s));
    assert_eq!(again.figures.stored_m3.to_bits(), late.figures.stored_m3.to_bits());
    let depth_m = |state: &ViewerState| state.gauges[0].depth_m.last().map(|depth| depth.to_bits());
    assert_eq!(depth_m(&again), depth_m(&late));
    let none = ask(&session, ViewerCommand::GoTo(99));
    assert!(none.notices[0].starts_with("there is no moment 99"), "{:?}", none.notices);
}

#[test]
fn a_crate_falls_floats_and_is_swept_along() {
    let (session, _) = started();
    let place = |state: &ViewerState| state.bodies[0].centre_m;
    let state =
        ask(&session, ViewerCommand::DropCrate { at_m: [8.3, 64.2], width_m: 2.0, stroke: 1 });
    assert_eq!((state.bodies.len(), state.notices.len()), (1, 0), "{:?}", state.notices);
    assert!(place(&state)[2] > 13.0);
    let floating = advance(&session, 6.0);
    assert!(place(&floating)[2] < 13.0 && place(&floating)[0] > 9.0, "{:?}", floating.bodies);
    let dry =
        ask(&session, ViewerCommand::DropCrate { at_m: [150.0, 20.0], width_m: 2.0, stroke: 2 });
    assert_eq!(dry.bodies.len(), 2);
    let lying = advance(&session, 3.0);
    // It lies on the ground: half of it is over the bed.
    let [x, _, z] = lying.bodies[1].centre_m;
    assert!((z - (10.0 - 0.02 * x) - 1.0).abs() < 0.5, "{:?}", lying.bodies[1]);
    let turn = lying.bodies[1].turn;
    let length: f32 = turn[0].iter().map(|part| part * part).sum();
    assert!((length - 1.0).abs() < 1.0e-4 && lying.figures.is_balanced);
    let wide =
        ask(&session, ViewerCommand::DropCrate { at_m: [10.0, 10.0], width_m: 500.0, stroke: 3 });
    assert_eq!((wide.bodies.len(), wide.notices.len()), (2, 1));
}

/// Goal: a crate is taken back, put again where it was, and taken away. Method: two crates afloat;
/// the world without any is the world that never had one.
#[test]
fn crates_are_taken_back_and_put_again_as_they_were() {
    let (session, first) = started();
    let drop = |x, stroke| ViewerCommand::DropCrate { at_m: [x, 64.2], width_m: 2.0, stroke };
    ask(&session, drop(8.3, 1));
    let two = ask(&session, drop(14.0, 2));
    assert_eq!((two.bodies.len(), two.figures.undos), (2, 2));
    let afloat = advance(&session, 4.0);
    let one = ask(&session, ViewerCommand::Undo);
    assert_eq!((one.bodies.len(), one.figures.redos), (1, 1), "{:?}", one.notices);
    assert_eq!(one.bodies[0], afloat.bodies[0]);
    let again = ask(&session, ViewerCommand::Redo);
    let (was, is) = (afloat.bodies[1], again.bodies[1]);
    assert_eq!((was.turn, was.half_m), (is.turn, is.half_m));
    let near = |(a, b): (&f64, &f64)| (a - b).abs() < 1.0e-4;
    assert!(was.centre_m.iter().zip(&is.centre_m).all(near), "{was:?} {is:?}");
    let later = advance(&session, 1.0);
    assert_eq!(later.bodies.len(), 2);
    let taken = ask(&session, ViewerCommand::TakeCrate { id: later.bodies[0].id, stroke: 3 });
    assert_eq!((taken.bodies.len(), taken.figures.undos), (1, 3), "{:?}", taken.notices);
    let none = ask(&session, ViewerCommand::TakeCrate { id: 77 << 32, stroke: 4 });
    assert!(none.notices[0].starts_with("the crate is gone"), "{:?}", none.notices);
    let back = ask(&session, ViewerCommand::Undo);
    assert_eq!((back.bodies.len(), back.notices.len()), (2, 0), "{:?}", back.notices);
    ask(&session, ViewerCommand::Undo);
    let empty = ask(&session, ViewerCommand::Undo);
    assert_eq!((empty.bodies.len(), empty.figures.undos), (0, 0), "{:?}", empty.notices);
    assert_eq!(empty.figures.stored_m3.to_bits(), first.figures.stored_m3.to_bits());
    assert!(advance(&session, 1.0).figures.is_balanced);
}

/// A plain with a pool, without dye, which no card carries.
fn undyed() -> World {
    let terrain = Terrain::from_heights([192, 128], 1.0, |x, _| 10.0 - 0.02 * x as f64);
    WorldBuilder::new(terrain.expect("a map"))
        .initial_depth(|place| if place.x < 20 { 2.0 } else { 0.0 })
        .build()
        .expect("a good world")
}

/// Runs, digs, goes back to a moment and on, and saves: the last states, and the hash of the file.
fn play(device: DeviceName) -> (Vec<ViewerState>, u64) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plain.thalweg");
    let session = ViewerSession::start(opened(undyed()), LOOK).expect("a session");
    let first = session.wait_state().expect("a first state");
    session.send(ViewerCommand::Device(device));
    let mut states = vec![first, advance(&session, 35.0)];
    let dig = Action::EditTerrain(Edit::Raise { shape: disc(40.0, 60.0), by_m: -1.0 });
    ask(&session, ViewerCommand::Act { action: Box::new(dig), stroke: 1 });
    states.push(advance(&session, 5.0));
    states.push(ask(&session, ViewerCommand::GoTo(1)));
    states.push(advance(&session, 4.0));
    states.push(ask(&session, ViewerCommand::Save(Some(path.clone()))));
    drop(session);
    let mut file = SaveFile::open(&path).expect("a file");
    (states, file.load(Vec::new()).expect("a world").state_hash())
}

/// Goal: a card steps what one looks at, with the same result, in the world of a moment as well.
/// Method: the driver of this machine, in software where there is no card; where there is none this
/// says so and passes, or fails if the variable `THALWEG_VULKAN` demands one.
#[test]
fn a_card_steps_what_one_looks_at() {
    if testkit::graphics(gpu::Device::open()).is_none() {
        return;
    }
    let [(cpu, cpu_hash), (gpu, gpu_hash)] = [DeviceName::Cpu, DeviceName::Gpu].map(play);
    let cycles =
        |states: &[ViewerState]| Vec::from_iter(states.iter().map(|s| s.figures.cycles_on_card));
    assert_eq!(cycles(&cpu), [0; 6]);
    let on_card = cycles(&gpu);
    assert!(on_card[1] > 0 && on_card[2] > on_card[1], "{on_card:?}");
    // Another world has a card of its own.
    assert!(on_card[3] == 0 && on_card[4] > 0, "{on_card:?}");
    for (cpu, gpu) in cpu.iter().zip(&gpu) {
        assert_eq!((cpu.time, &gpu.of_device), (gpu.time, &Vec::new()));
        assert_eq!(cpu.figures.stored_m3.to_bits(), gpu.figures.stored_m3.to_bits());
    }
    assert_eq!(cpu_hash, gpu_hash);
}
