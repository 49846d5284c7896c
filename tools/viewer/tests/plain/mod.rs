//! A plain with a pool, and a session on it.

use std::path::PathBuf;

use thalweg::probe::Window;
use thalweg::terrain::{Shape, TerrainBuilder, TerrainOptions};
use thalweg::units::{SimTime, VerticalScale};
use thalweg::world::{CellPlace, World, WorldBuilder};
use viewer::opening::OpenedWorld;
use viewer::session::{ViewerCommand, ViewerSession, ViewerState, WindowLook};

/// All of the plain.
pub const WINDOW: Window =
    Window { level: 0, corner: CellPlace { x: 0, y: 0 }, width: 192, height: 128 };
/// One sees all of it.
pub const LOOK: WindowLook = WindowLook { window: WINDOW, centre_m: [96.0, 64.0], radius_m: 100.0 };

/// A plain of 192 × 128 m that falls to the east, with a pool in its west.
pub fn world() -> World {
    let scale = VerticalScale::choose(0.0, 20.0, 20.0).expect("a range");
    let options =
        TerrainOptions { width: 192, height: 128, cell_width_m: 1.0, scale, bed_exponent: 10 };
    let mut terrain = TerrainBuilder::try_new(options).expect("a map");
    let row: Vec<f64> = (0..192).map(|x| 10.0 - 0.02 * f64::from(x)).collect();
    (0..128).for_each(|_| terrain.push_row(&row).expect("a row"));
    WorldBuilder::new(terrain.finish().expect("a map"))
        .initial_depth(|place| if place.x < 20 { 2.0 } else { 0.0 })
        .tracer("dye", |_| 0.0)
        .build()
        .expect("a good world")
}

/// Opens a world as if it came from a file.
pub fn opened(world: World) -> OpenedWorld {
    OpenedWorld {
        world,
        file: None,
        path: PathBuf::from("plain.tif"),
        title: "plain".to_owned(),
        gauges: vec![("pool".to_owned(), [10.5, 64.5])],
        placement: None,
        map: None,
        notes: Vec::new(),
    }
}

/// A session, and its first state.
pub fn started() -> (ViewerSession, ViewerState) {
    let session = ViewerSession::start(opened(world()), LOOK).expect("a session");
    let first = session.wait_state().expect("a first state");
    (session, first)
}

/// Sends a command and waits until a state includes it.
pub fn ask(session: &ViewerSession, command: ViewerCommand) -> ViewerState {
    session.send(command);
    let number = session.sent();
    let mut state = session.wait_state().expect("the world goes on");
    while state.answered < number {
        state = session.wait_state().expect("the world goes on");
    }
    assert_eq!(state.broken, None);
    state
}

/// Goes on by some seconds.
pub fn advance(session: &ViewerSession, seconds: f64) -> ViewerState {
    ask(session, ViewerCommand::Advance(SimTime::from_seconds(seconds)))
}

/// A disc of 6 m.
pub fn disc(x: f64, y: f64) -> Shape {
    Shape::Disc { centre_m: [x, y], radius_m: 6.0, rim_m: 0.0 }
}

/// All patches of a state as numbers to compare, in their order.
pub fn bits(state: &ViewerState) -> Vec<u64> {
    let mut bits = Vec::new();
    for patch in &state.patches {
        let heights = patch.heights.iter();
        bits.extend(
            heights.map(|[bed, top]| u64::from(bed.to_bits()) << 32 | u64::from(top.to_bits())),
        );
        let water = patch.water.iter();
        bits.extend(water.map(|own| own.iter().fold(0, |all, part| all << 16 | u64::from(*part))));
    }
    bits
}
