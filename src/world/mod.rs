//! The facade that a game or a tool uses: a terrain, rain on it, inflows into it, and time.
//!
//! ```
//! use thalweg::terrain::{TerrainBuilder, TerrainOptions};
//! use thalweg::units::{SimTime, VerticalScale};
//! use thalweg::world::{EdgeKind, WorldBuilder};
//!
//! // A valley of 100 × 60 cells of 10 m that falls to the south.
//! let scale = VerticalScale::choose(0.0, 60.0, 200.0)?;
//! let options =
//!     TerrainOptions { width: 100, height: 60, cell_width_m: 10.0, scale, bed_exponent: 10 };
//! let mut terrain = TerrainBuilder::try_new(options)?;
//! for row in 0..60 {
//!     let fall = 0.2 * f64::from(59 - row);
//!     let heights: Vec<f64> = (0..100).map(|x| fall + (f64::from(x) - 50.0).abs()).collect();
//!     terrain.push_row(&heights)?;
//! }
//! let mut world = WorldBuilder::new(terrain.finish()?)
//!     .edges(EdgeKind::Open)
//!     .rain("cloudburst", &[(0.0, 60.0 / 3.6e6)])?
//!     .build()?;
//! world.run_until(SimTime::from_seconds(600.0));
//! assert_eq!(world.water().stored(), world.water().ledger().expected());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | need | door |
//! | --- | --- |
//! | run to a time, as a tool does | [`World::run_until`] |
//! | run one cycle, to a time or of a frame's length, as a game does | [`World::run_cycle`] |
//! | run part of a cycle, as much as a frame has time for | [`World::run_within`] |
//! | run one cycle with bodies of a physics engine | [`World::run_cycle_with`] |
//! | the water now: depths, stages, velocities, tracers, the ledger | [`World::water`] |
//! | the water at places, along lines, over polygons, in rasters | [`World::query`] |
//! | the highest water so far, and what it did to a building | [`World::maps`] |
//! | to be told of what gets wet, floods, breaks | [`World::watch`], [`World::events`] |
//! | which flood maps a world keeps | [`WorldBuilder::maps`], [`MapsView::kinds`] |
//! | barriers, links, inflows and bodies, to read | [`World::structures`] |
//! | barriers, links and bodies, to put and to take away, for good | [`World::structures_mut`] |
//! | actions of a player, each with its way back; edits of terrain; weather | [`World::edits`] |
//! | the same as numbered data: lockstep, logs, players that come later | [`Session`] |
//! | durations of leaves asleep, before maps are read | [`World::bring_maps_up_to_date`] |
//! | what a world whose beds stay in its file reads and writes | [`World::stream`] |
//! | a hash of all state, and where two worlds differ | [`World::state_hash`], [`World::digest`] |
//! | save and load | [`SaveFile`], [`Saver`] |
//!
//! Options and structures ([`Settings`], [`AdaptiveOptions`], [`Culvert`] and others) have defaults
//! and are written as literals that end in `..Default::default()`, so that a field added later
//! changes no program.

mod accounts;
mod actions;
mod adaptive;
mod bodies;
mod build;
mod builder;
mod cells;
mod classes;
pub mod commands;
mod copy;
mod coverage;
mod detail;
mod digest;
mod edges;
mod edit;
mod edited_pages;
mod error;
mod facade;
mod falls;
mod fed;
mod file;
mod fine_maps;
mod footprint;
mod holes;
mod layer;
mod leaf_start;
mod leaves;
mod maps;
mod packed;
mod rebuilt;
mod relief;
mod residency;
mod run;
mod saved;
mod sections;
mod setup;
mod shores;
mod site;
mod site_boundary;
mod spread;
mod stacks;
mod start;
mod streamed;
mod structures;
mod surface;
mod tables;
mod tracers;
mod under_way;
mod watch;
mod water;
mod weather_area;
mod within;

pub use accounts::BY_HAND;
pub use actions::{
    Action, ActionError, Amount, Discharge, Done, Inflow, InflowPlace, Rate, Stage, Undo, Weather,
};
pub use adaptive::AdaptiveOptions;
pub use bodies::{BodyError, BodyReport, UnblockedBody};
pub use builder::WorldBuilder;
pub use commands::{
    Applied, Checkpoint, Command, CommandError, CommandLog, LogError, Outcome, Session,
    WIRE_VERSION,
};
pub use digest::{Difference, StateDigest};
pub use edges::{EdgeKind, EdgePlace, Entry};
pub use edit::Edits;
pub use error::WorldError;
pub use facade::World;
pub use file::{
    FileError, LeafChange, LeafDepths, SaveFile, Saver, StoredWater, SurfaceSource, WorldSummary,
};
pub use fine_maps::{FineMaps, FineTile};
pub use footprint::FootprintWater;
pub use holes::HoleCount;
pub use layer::{Advance, LayerError, MOVES_MOST, VisualLayer};
pub use leaves::{LeafView, LeavesView};
pub use maps::{IntervalMaxima, MapsView};
pub use residency::ResidencyCounters;
pub use sections::{SectionError, SectionFault, SectionLine, SectionReading};
pub use setup::ColumnKind;
pub use stacks::{
    Deck, Earthworks, IntervalView, RockError, StackError, StacksView, TunnelSection, Voids,
    VoxelFrame, VoxelGrid, VoxelView,
};
pub use streamed::{StreamOptions, StreamView};
pub use structures::{BarrierFlow, LinkFlow, Structures, StructuresMut};
pub use watch::{Event, EventKind, Watch, WatchError, WatchId, Watched};
pub use water::{EdgeMeter, WaterView};
pub use within::{Budget, BudgetError, PartError, PausedCycle, Progress};

pub use thalweg_engine::flow::versions::Version;
pub use thalweg_engine::forest::{Coverage, ForestError, PlanError};
pub use thalweg_engine::grid::cells::CellPlace;
pub use thalweg_engine::grid::{Side, TILE_CELLS, TILE_WIDTH, TileKey};
pub use thalweg_engine::sim::ledger::{Account, AccountSide, Ledger};
pub use thalweg_engine::sim::residency::Residency;
pub use thalweg_engine::sim::schedule::{CycleEnd, FixedStep, FixedStepError};
pub use thalweg_engine::sim::settings::SettingsError;
pub use thalweg_engine::sim::state_hash::StatePart;
pub use thalweg_engine::sim::{
    CycleReport, Fluid, Order, Settings, SleepTolerance, Solver, StepsOf, StillWaterDamping, Terms,
    Viscosity,
};
pub use thalweg_engine::store::Reading;
pub use thalweg_engine::store::backend::{Backend, ByteSpan, SpanLook};
#[doc(no_inline)]
pub use thalweg_engine::store::terrain::{WriteError, write_terrain};
#[doc(no_inline)]
pub use thalweg_engine::store::{Limit, Limits, OverLimit, StoreError};
pub use thalweg_engine::stream::StreamCounters;
pub use thalweg_engine::structure::weather::Direction;
#[doc(no_inline)]
pub use thalweg_engine::structure::{
    Barrier, Breach, Culvert, Drain, Fault, Gap, Link, Opening, Pump, StructureError, StructureId,
    StructureKind, Trigger,
};
pub use thalweg_engine::tile::{Ground, MapKinds, NotKept};
