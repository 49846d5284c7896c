//! All that first water needs, and most of what follows: `use thalweg::prelude::*;`.

pub use crate::grid::cells::CellPlace;
pub use crate::probe::Window;
pub use crate::sim::schedule::FixedStep;
pub use crate::sim::{CycleReport, Order, Solver};
pub use crate::terrain::{Edit, Shape, Terrain};
pub use crate::units::SimTime;
pub use crate::world::{
    Action, AdaptiveOptions, Barrier, Culvert, Drain, EdgeKind, Link, Pump, SaveFile,
    StreamOptions, World, WorldBuilder,
};
