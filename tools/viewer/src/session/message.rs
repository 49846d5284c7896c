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

/// Command of a person or a script to the world. The world carries commands out between two cycles,
/// in their order.
#[derive(Debug, Clone)]
pub enum ViewerCommand {
    /// Shows a different part, or the same one at a different level.
    Look(WindowLook),
    /// Steps the water on a device from now on.
    Device(DeviceName),
    /// Lets time pass, or stops it.
    Run(bool),
    /// Sets the simulated seconds for each second on the wall.
    Speed(f64),
    /// Advances by a span at full speed, and reports the state: for single steps and scripts.
    Advance(SimTime),
    /// Carries out [`thalweg::world::Edits::act`], and keeps the way back.
    Act {
        /// The action.
        action: Box<Action>,
        /// Number of the stroke: consecutive actions with one number are taken back together.
        stroke: u64,
    },
    /// Drops a crate of this width above everything at a place.
    DropCrate {
        /// Place of the crate.
        at_m: [f64; 2],
        /// Width of the crate, m.
        width_m: f64,
        /// Number of the stroke, as in [`ViewerCommand::Act`].
        stroke: u64,
    },
    /// Removes a crate.
    TakeCrate {
        /// Identity of the crate: [`BodyShape::id`].
        id: u64,
        /// Number of the stroke, as in [`ViewerCommand::Act`].
        stroke: u64,
    },
    /// Takes the last stroke back.
    Undo,
    /// Repeats the stroke that was taken back last.
    Redo,
    /// Records depth, stage and speed at a place from now on.
    PutGauge {
        /// Place of the gauge.
        at_m: [f64; 2],
    },
    /// Inspects a place in each state, or no place any more.
    Inspect(Option<[f64; 2]>),
    /// Cuts the world away above a height, m, or ends the cut.
    Cut(Option<f64>),
    /// Saves the world: into its own file, or into a different one.
    Save(Option<PathBuf>),
    /// Returns to a kept moment: an index of [`ViewerState::moments_s`].
    GoTo(usize),
}

/// Part of the world that is shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WindowLook {
    /// Cells to be sent, whole tiles of 64.
    pub window: Window,
    /// Middle of the view: leaves that may change are fine here.
    pub centre_m: [f64; 2],
    /// Half the width of the view, m.
    pub radius_m: f64,
}

/// World at one moment, with everything that a picture of it needs.
#[derive(Debug, Clone)]
pub struct ViewerState {
    /// Number of the state, counting up from 1.
    pub number: u64,
    /// Number of the [sent](crate::session::ViewerSession::sent) commands that the state includes.
    pub answered: u64,
    /// Simulated time.
    pub time: SimTime,
    /// Window that the patches belong to.
    pub window: Window,
    /// True if the patches cover the whole window; else they are the changes since the state
    /// before.
    pub is_whole: bool,
    /// Cells that changed.
    pub patches: Vec<WindowPatch>,
    /// Falls, spray and wet ground of the window.
    pub looks: Looks,
    /// All leaves of the world.
    pub leaves: Arc<Vec<LeafMark>>,
    /// Values in numbers.
    pub figures: Figures,
    /// Barriers and links, to be drawn.
    pub lines: Arc<Vec<StructureLine>>,
    /// Inflows and gauges, to be drawn.
    pub places: Arc<Vec<NamedPlace>>,
    /// Bodies, to be drawn.
    pub bodies: Vec<BodyShape>,
    /// Series of the gauges.
    pub gauges: Vec<Arc<GaugeSeries>>,
    /// Values at the requested place.
    pub inspected: Option<Inspected>,
    /// Times of the moments to which a person can return, s.
    pub moments_s: Arc<Vec<f64>>,
    /// Results and failures of the last commands: a sentence each.
    pub notices: Vec<String>,
    /// Sentences about the device that steps the water; they are no part of a film.
    pub of_device: Vec<String>,
    /// Reason why the world has stopped, if it has: reported once, in its last state.
    pub broken: Option<String>,
}

/// Cells of a window, at most 64 × 64, rows from south to north, in a graphics card's format.
#[derive(Debug, Clone)]
pub struct WindowPatch {
    /// Window of the cells.
    pub cells: Window,
    /// Elevation of the bed and of the surface seen from above, m.
    pub heights: Vec<[f32; 2]>,
    /// Signed depth, m (below 0: dry, minus the height above the water beside), velocity east and
    /// north, m/s, foam 0 to 1, or a mark below 0 if a cut shows the inside of the ground
    /// (`cut.rs`): half-precision numbers.
    pub water: Vec<[u16; 4]>,
    /// East and north parts of the unit normals of the bed and of the visible surface, × 127.
    pub normals: Vec<[i8; 4]>,
    /// Concentration of the world's first tracer, × 255; empty if the world does not contain it.
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
    /// Window of the cells.
    pub cells: Window,
    /// Wetness × 255.
    pub wetness: Vec<u8>,
}

/// Leaf of the world.
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
    /// Whether the leaf's terrain is in memory (always true of worlds that are not streamed).
    pub is_resident: bool,
}

/// Values of a state in numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Figures {
    /// Water in the world, m³.
    pub stored_m3: f64,
    /// Whether inflow minus outflow is the change of the stored water, to the unit.
    pub is_balanced: bool,
    /// Number of leaves.
    pub leaves: usize,
    /// Number of leaves whose water moves.
    pub awake: usize,
    /// Cycles of this world that ran on a graphics card.
    pub cycles_on_card: u64,
    /// Number of cells of all leaves.
    pub cells: usize,
    /// Time of the simulation for the last state, ms of wall time.
    pub simulation_ms: f64,
    /// Time of the surface for the last state, ms.
    pub surface_ms: f64,
    /// Simulated seconds that pass in a second on the wall.
    pub reached_speed: f64,
    /// Requested speed.
    pub speed: f64,
    /// Whether time passes.
    pub is_running: bool,
    /// Number of actions that can be taken back.
    pub undos: usize,
    /// Number of actions that can be repeated.
    pub redos: usize,
    /// Whether the world has changes that no file contains.
    pub is_unsaved: bool,
    /// Bytes of pages of a streamed world.
    pub resident_bytes: u64,
}

/// Structure as a line.
#[derive(Debug, Clone, PartialEq)]
pub struct StructureLine {
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
    /// Culvert, pump or drain, named by its kind.
    Link(&'static str),
}

/// Place with a name.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedPlace {
    /// Name of the place.
    pub name: String,
    /// Kind of the place.
    pub kind: PlaceKind,
    /// Place on the ground.
    pub at_m: [f64; 2],
}

/// Kinds of places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceKind {
    /// Inflow of water.
    Inflow,
    /// Gauge, with a recorded series.
    Gauge,
}

/// Box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyShape {
    /// Identity of the body, the same in all states.
    pub id: u64,
    /// Middle of the body, m; elevations above the datum as those of patches.
    pub centre_m: [f64; 3],
    /// Rows of the rotation from the body to the world.
    pub turn: [[f32; 3]; 3],
    /// Half the lengths of the body, m.
    pub half_m: [f32; 3],
}

/// Series of a gauge.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GaugeSeries {
    /// Name of the gauge.
    pub name: String,
    /// Place of the gauge, m.
    pub at_m: [f64; 2],
    /// Times of the readings, s.
    pub times_s: Vec<f32>,
    /// Depth, m.
    pub depth_m: Vec<f32>,
    /// Speed, m/s.
    pub speed_m_s: Vec<f32>,
}

/// Values at a place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inspected {
    /// Inspected place, m.
    pub at_m: [f64; 2],
    /// Bed, m.
    pub bed_m: f64,
    /// Depth, m.
    pub depth_m: f64,
    /// Stage, m; `None` if the place is dry.
    pub stage_m: Option<f64>,
    /// Velocity eastward and northward, m/s.
    pub velocity_m_s: [f64; 2],
    /// Level of the leaf.
    pub level: u8,
    /// Column and row of its tile.
    pub tile: [u32; 2],
    /// Whether the leaf is asleep.
    pub is_asleep: bool,
}
