//! All that first water needs, and most of what follows: `use thalweg::prelude::*;`.

#[doc(no_inline)]
pub use crate::probe::Window;
#[doc(no_inline)]
pub use crate::world::{
    Action, AdaptiveOptions, Barrier, CellPlace, Culvert, CycleReport, Deck, Drain, Earthworks,
    EdgeKind, FixedStep, Link, MapKinds, Order, Pump, SaveFile, Solver, StreamOptions,
    TunnelSection, Voids, VoxelFrame, VoxelGrid, World, WorldBuilder,
};
#[doc(no_inline)]
pub use thalweg_engine::terrain::{Edit, Shape, Terrain};
#[doc(no_inline)]
pub use thalweg_engine::units::SimTime;
