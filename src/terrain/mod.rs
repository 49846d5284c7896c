//! Terrain: a heightmap as exact integers, at every level.
//!
//! Rows come in from the north, as rasters store them; inside, row 0 is the southernmost, as the
//! engine counts. A coarse bed is the rounded mean of its four children, and no fine cell is ever
//! altered for it. [`edit`] changes beds at run time, and the coarse ones follow.

pub mod edit;
pub mod heightmap;
pub mod pyramid;

pub use edit::Bottom;
pub use edit::Changed;
pub use edit::Edit;
pub use edit::EditError;
pub use edit::EditPlan;
pub use edit::Shape;
pub use edit::Span;
pub use heightmap::HeightmapError;
pub use heightmap::TerrainBuilder;
pub use heightmap::TerrainOptions;
pub use pyramid::BedLevel;
pub use pyramid::Terrain;
