//! The world cut open at a height: floors, rock and water of the states that a window gets.

mod caves;
mod plain;

use caves::{HALL_M, LOFT_M, PLATEAU_M, STAGE_M, VALLEY_M};
use half::f16;
use plain::{LOOK, advance, ask, bits, disc, started};
use thalweg::probe::Window;
use thalweg::world::{Action, CellPlace};
use viewer::session::{ViewerCommand, ViewerSession, ViewerState, WindowLook};

const WINDOW: Window =
    Window { level: 0, corner: CellPlace { x: 0, y: 0 }, width: 128, height: 64 };

/// A session in the caves, and its first state.
fn in_caves() -> (ViewerSession, ViewerState) {
    let look = WindowLook { window: WINDOW, centre_m: [64.0, 32.0], radius_m: 70.0 };
    let session = ViewerSession::start(plain::opened(caves::world()), look).expect("a session");
    let first = session.wait_state().expect("a first state");
    (session, first)
}

/// Bed and top, signed depth, and foam or mark of a cell, if a state tells of it.
fn cell(state: &ViewerState, [x, y]: [u32; 2]) -> Option<([f32; 2], f32, f32)> {
    state.patches.iter().rev().find_map(|patch| {
        let Window { corner, width, height, .. } = patch.cells;
        let (x, y) = (x.checked_sub(corner.x)? as usize, y.checked_sub(corner.y)? as usize);
        let index = (x < width && y < height).then_some(y * width + x)?;
        let water = patch.water[index].map(|number| f16::from_bits(number).to_f32());
        Some((patch.heights[index], water[0], water[3]))
    })
}

#[track_caller]
fn check(state: &ViewerState, at: [u32; 2], [bed_m, top_m]: [f64; 2], depth_m: f32, mark: f32) {
    let (heights, depth, foam) = cell(state, at).expect("told of");
    let near = |a: f32, b: f64| (f64::from(a) - b).abs() < 2.0e-3;
    assert!(near(heights[0], bed_m) && near(heights[1], top_m), "{at:?}: {heights:?}");
    assert!((depth - depth_m).abs() < 4.0e-3, "{at:?}: {depth}");
    assert!((foam - mark).abs() < 1.0e-6, "{at:?}: {foam}");
}

const IN_HALL: [u32; 2] = [50, 40];
const IN_LOFT: [u32; 2] = [30, 20];
const IN_ROCK: [u32; 2] = [10, 10];
const IN_VALLEY: [u32; 2] = [120, 30];

#[test]
fn a_cut_shows_the_topmost_floor_below_it_with_its_water_and_else_rock() {
    let (session, first) = in_caves();
    check(&first, IN_HALL, [PLATEAU_M; 2], -30.0, 0.0);
    let (floor, rock) = (-1.0, -2.0);
    // Above the loft's bed: it hides the hall below it.
    let high = ask(&session, ViewerCommand::Cut(Some(8.0)));
    assert!(high.is_whole);
    check(&high, IN_LOFT, [LOFT_M[0]; 2], -1.0, floor);
    check(&high, IN_HALL, [HALL_M[0], STAGE_M], 1.5, floor);
    check(&high, IN_ROCK, [8.0; 2], -1.0, rock);
    check(&high, IN_VALLEY, [VALLEY_M, 6.0], 6.0, 0.0);
    // Below it, and below the stages of hall and lake.
    let low = ask(&session, ViewerCommand::Cut(Some(3.0)));
    check(&low, IN_LOFT, [HALL_M[0], 3.0], 1.0, floor);
    check(&low, IN_HALL, [HALL_M[0], 3.0], 1.0, floor);
    check(&low, IN_VALLEY, [VALLEY_M, 3.0], 3.0, 0.0);
    // Below all caves there is rock alone; above the ground nothing is cut.
    let lowest = ask(&session, ViewerCommand::Cut(Some(1.0)));
    check(&lowest, IN_HALL, [1.0; 2], -1.0, rock);
    let above = ask(&session, ViewerCommand::Cut(Some(PLATEAU_M)));
    assert_eq!(bits(&above), bits(&first));
    let off = ask(&session, ViewerCommand::Cut(None));
    assert!(off.is_whole);
    assert_eq!(bits(&off), bits(&first), "all is as it was");
}

#[test]
fn a_world_without_caves_is_as_it_was_when_nothing_is_cut() {
    let (session, first) = started();
    let cut = ask(&session, ViewerCommand::Cut(Some(8.0)));
    assert_ne!(bits(&cut), bits(&first), "the plain is higher in its west");
    assert_eq!(bits(&ask(&session, ViewerCommand::Cut(None))), bits(&first));
    // What is asked for again changes nothing.
    assert!(ask(&session, ViewerCommand::Cut(None)).patches.is_empty());
    ask(&session, ViewerCommand::Look(LOOK));
}

#[test]
fn what_is_below_the_pointer_is_what_the_cut_shows() {
    let (session, _) = in_caves();
    let found = |at: [u32; 2]| {
        let at_m = at.map(|cell| f64::from(cell) + 0.5);
        let state = ask(&session, ViewerCommand::Inspect(Some(at_m)));
        let found = state.inspected.expect("in the world");
        (found.bed_m, found.depth_m, found.stage_m)
    };
    let ground = (PLATEAU_M, 0.0, None);
    assert_eq!(found(IN_HALL), ground);
    ask(&session, ViewerCommand::Cut(Some(8.0)));
    assert_eq!(found(IN_HALL), (HALL_M[0], 1.5, Some(STAGE_M)));
    assert_eq!(found(IN_LOFT), (LOFT_M[0], 0.0, None));
    assert_eq!(found(IN_ROCK), ground);
    assert_eq!(found(IN_VALLEY), (VALLEY_M, 6.0, Some(6.0)));
}

/// Goal: the water of caves is seen to move, and caves that are dug are seen at once.
#[test]
fn floors_follow_their_water_and_their_walls() {
    let (session, _) = in_caves();
    let in_gallery = [60, 32];
    let before = ask(&session, ViewerCommand::Cut(Some(5.0)));
    check(&before, in_gallery, [3.0; 2], -1.0, -1.0);
    let later = advance(&session, 20.0);
    let (heights, depth, mark) = cell(&later, in_gallery).expect("floors are told of");
    assert!(heights[1] > 3.05 && depth > 0.05 && mark < -0.9, "{heights:?}, {depth}, {mark}");
    let carve = Action::CarveBelow { area: disc(10.5, 10.5), span_m: [1.0, 4.0] };
    let dug = ask(&session, ViewerCommand::Act { action: Box::new(carve), stroke: 1 });
    assert_eq!(dug.notices, [""; 0]);
    check(&dug, IN_ROCK, [1.0; 2], -1.0, -1.0);
    let back = ask(&session, ViewerCommand::Undo);
    check(&back, IN_ROCK, [5.0; 2], -1.0, -2.0);
    assert!(back.figures.is_balanced);
}
