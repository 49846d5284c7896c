//! Messages between the window and the world.
//!
//! Places are metres east and north of the world's south-west corner.

use kit::device::DeviceName;
use std::path::PathBuf;
use std::sync::Arc;
use thalweg::looks::{Emitter, FallVertex, Sheet};
use thalweg::probe::Window;
use thalweg::units::SimTime;
use thalweg::world::Action;

/// A command of a person or a script to the world. The world carries commands out between two
/// cycles, in their order.
#[derive(Debug, Clone)]
pub enum Command {
    /// Shows another part, or the same at another level.
    Look(Look),
    /// Lets a device step the water from now on.
    Device(DeviceName),
    /// Lets time pass, or stops it.
    Run(bool),
    /// So many simulated seconds for each second on the wall.
    Speed(f64),
    /// Goes on by a span, as fast as it can, and reports the state: single steps and scripts.
    Advance(SimTime),
    /// Does what [`thalweg::world::Edits::act`] does, and remembers the way back.
    Act {
        /// The action.
        action: Box<Action>,
        /// Actions with one number, one after another, are taken back together.
        stroke: u64,
    },
    /// Puts a crate of this width into the world, above what stands there.
    DropCrate {
        /// Where.
        at_m: [f64; 2],
        /// Width of the crate, m.
        width_m: f64,
        /// As of [`Command::Act`].
        stroke: u64,
    },
    /// Takes a crate away.
    TakeCrate {
        /// Which: [`BodyShape::id`].
        id: u64,
        /// As of [`Command::Act`].
        stroke: u64,
    },
    /// Takes the last stroke back.
    Undo,
    /// Does again what was taken back last.
    Redo,
    /// Records depth, stage and speed at a place from now on.
    PutGauge {
        /// Where.
        at_m: [f64; 2],
    },
    /// Looks closely at a place in each state, or no longer.
    Inspect(Option<[f64; 2]>),
    /// Cuts away what is above a height, m, or nothing.
    Cut(Option<f64>),
    /// Saves the world: into the file it came from, or into another.
    Save(Option<PathBuf>),
    /// Goes to a kept moment: an index of [`State::moments_s`].
    GoTo(usize),
}

/// Part of the world that is looked at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Look {
    /// Cells to be sent, whole tiles of 64.
    pub window: Window,
    /// The middle of the view: leaves that may change are fine here.
    pub centre_m: [f64; 2],
    /// Half the width of the view, m.
    pub radius_m: f64,
}

/// The world at one moment: what a picture of it needs.
#[derive(Debug, Clone)]
pub struct State {
    /// Counts up from 1.
    pub number: u64,
    /// How many commands it includes, of those that were [sent](crate::session::Session::sent).
    pub answered: u64,
    /// Simulated time.
    pub time: SimTime,
    /// The window that the patches are of.
    pub window: Window,
    /// True where the patches are all of the window; else they are what has changed since the
    /// state before.
    pub is_whole: bool,
    /// Cells that changed.
    pub patches: Vec<Patch>,
    /// Falls, spray and wet ground of the window.
    pub looks: Looks,
    /// All leaves of the world.
    pub leaves: Arc<Vec<LeafMark>>,
    /// Values in numbers.
    pub figures: Figures,
    /// Barriers and links, to be drawn.
    pub lines: Arc<Vec<Line>>,
    /// Inflows and gauges, to be drawn.
    pub places: Arc<Vec<Place>>,
    /// Bodies, to be drawn.
    pub bodies: Vec<BodyShape>,
    /// Series of the gauges.
    pub gauges: Vec<Arc<GaugeSeries>>,
    /// Values at the place that was asked for.
    pub inspected: Option<Inspected>,
    /// Times of the moments that can be gone to, s.
    pub moments_s: Arc<Vec<f64>>,
    /// Results and failures of the last commands: a sentence each.
    pub notices: Vec<String>,
    /// Sentences about the device that steps the water; they are no part of a film.
    pub of_device: Vec<String>,
    /// Why the world goes no further, if it does not: reported once, at last.
    pub broken: Option<String>,
}

/// Cells of a window, at most 64 × 64, rows from south to north, ready for a graphics card.
#[derive(Debug, Clone)]
pub struct Patch {
    /// Which cells.
    pub cells: Window,
    /// Elevation of the bed and of what one sees from above, m.
    pub heights: Vec<[f32; 2]>,
    /// Signed depth, m (below 0: dry, so far above the water beside), velocity east and north, m/s,
    /// foam 0 to 1, or a mark below 0 where a cut shows what is below the ground (`cut.rs`):
    /// half-precision numbers.
    pub water: Vec<[u16; 4]>,
    /// Eastward and northward parts of the unit normals of the bed and of what one sees, × 127.
    pub normals: Vec<[i8; 4]>,
    /// Concentration of the world's first tracer, × 255; empty where there is none in the world.
    pub dye: Vec<u8>,
}

/// Falls, spray and wet ground; places are metres from the window's corner.
#[derive(Debug, Clone, Default)]
pub struct Looks {
    /// All places that throw spray.
    pub emitters: Vec<Emitter>,
    /// Lips and feet of all sheets of falling water.
    pub vertices: Vec<FallVertex>,
    /// All sheets.
    pub sheets: Vec<Sheet>,
    /// Ground whose wetness has changed.
    pub wetness: Vec<WetPatch>,
}

/// Wetness of cells, rows from south to north.
#[derive(Debug, Clone)]
pub struct WetPatch {
    /// Which cells.
    pub cells: Window,
    /// Wetness × 255.
    pub wetness: Vec<u8>,
}

/// A leaf of the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LeafMark {
    /// South-west corner of the leaf, m.
    pub corner_m: [f32; 2],
    /// Width of the leaf, m.
    pub width_m: f32,
    /// Level of the leaf.
    pub level: u8,
    /// Whether the leaf's water is still.
    pub is_asleep: bool,
    /// Whether the leaf's terrain is in memory (of streamed worlds; of others always).
    pub is_resident: bool,
}

/// Values of a state in numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Figures {
    /// Water in the world, m³.
    pub stored_m3: f64,
    /// Whether inflow minus outflow is the change of the stored water, to the unit.
    pub is_balanced: bool,
    /// Leaves, and those that are awake.
    pub leaves: usize,
    /// Leaves whose water moves.
    pub awake: usize,
    /// Cycles of this world that a graphics card did.
    pub cycles_on_card: u64,
    /// Cells of all leaves.
    pub cells: usize,
    /// Time of the simulation for the last state, ms of wall time.
    pub simulation_ms: f64,
    /// Time of the surface for the last state, ms.
    pub surface_ms: f64,
    /// Simulated seconds that pass in a second on the wall.
    pub reached_speed: f64,
    /// Speed that was asked for.
    pub speed: f64,
    /// Time passes.
    pub is_running: bool,
    /// Actions that can be taken back and done again.
    pub undos: usize,
    /// Actions that can be done again.
    pub redos: usize,
    /// There is something that no file holds.
    pub is_unsaved: bool,
    /// Bytes of pages of a streamed world.
    pub resident_bytes: u64,
}

/// A structure as a line.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Name of the structure.
    pub name: String,
    /// Kind of the structure.
    pub kind: LineKind,
    /// Course of the structure, m.
    pub points_m: Vec<[f64; 2]>,
    /// Elevation of its crest, or of its mouths, at each point, m.
    pub elevations_m: Vec<f64>,
    /// Discharge through the structure, m³/s.
    pub discharge_m3_s: f64,
}

/// Kinds of structures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKind {
    /// A levee, dam or weir.
    Barrier,
    /// A culvert, pump or drain, by the word for its kind.
    Link(&'static str),
}

/// A place with a name.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// Name of the place.
    pub name: String,
    /// Kind of the place.
    pub kind: PlaceKind,
    /// Where.
    pub at_m: [f64; 2],
}

/// Kinds of places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceKind {
    /// Water comes in.
    Inflow,
    /// A series is recorded.
    Gauge,
}

/// A box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyShape {
    /// Who it is, in all states.
    pub id: u64,
    /// Middle of the body, m; elevations above the datum as those of patches.
    pub centre_m: [f64; 3],
    /// Rows of the turn from the body to the world.
    pub turn: [[f32; 3]; 3],
    /// Half its lengths, m.
    pub half_m: [f32; 3],
}

/// Series of a gauge.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GaugeSeries {
    /// Name of the gauge.
    pub name: String,
    /// Where, m.
    pub at_m: [f64; 2],
    /// When, s.
    pub times_s: Vec<f32>,
    /// Depth, m.
    pub depth_m: Vec<f32>,
    /// Speed, m/s.
    pub speed_m_s: Vec<f32>,
}

/// Values at a place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inspected {
    /// Where, m.
    pub at_m: [f64; 2],
    /// Bed, m.
    pub bed_m: f64,
    /// Depth, m.
    pub depth_m: f64,
    /// Stage, m; `None` where it is dry.
    pub stage_m: Option<f64>,
    /// Velocity eastward and northward, m/s.
    pub velocity_m_s: [f64; 2],
    /// Level of the leaf.
    pub level: u8,
    /// Column and row of its tile.
    pub tile: [u32; 2],
    /// The leaf is asleep.
    pub is_asleep: bool,
}
