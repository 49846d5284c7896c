//! Terrain: a heightmap as exact integers, at every level.
//!
//! Rows are imported from the north, as rasters store them; in memory, row 0 is the southernmost,
//! as the engine counts. A coarse bed is the rounded mean of its four children, and no fine cell is
//! ever altered for it. An [`Edit`] changes beds at run time, and the coarse ones follow.

pub mod edit;
pub mod heightmap;
pub mod pyramid;

pub use edit::{Bottom, Changed, Edit, EditError, EditPlan, Shape, Span};
pub use heightmap::{HeightmapError, TerrainBuilder, TerrainOptions};
pub use pyramid::{BedLevel, Terrain};
