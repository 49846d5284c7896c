//! Reading without disturbing: flood maps, and queries of a state of several levels.
//!
//! | query | answer |
//! | --- | --- |
//! | [`Query::at`], [`Query::at_all`], [`Query::along`] | the state at places |
//! | `World::stacks().at(point)` | the state at a point of some height, below the ground too |
//! | [`Query::over`] | volume, wet area, depths over a polygon |
//! | [`Query::surface`], [`Query::flow`] | rasters of a rectangle at any level |
//! | [`Query::water_edge`] | the contour of the water's edge |
//! | [`Query::mesh`], [`Query::meshes`] | vertices and triangles for drawing, without cracks |
//! | [`SurfaceMesh`] | the same with normals, flow and foam, built anew only where tiles change |
//! | [`Surface`] | planes of a rectangle, kept up to date only where tiles change |
//!
//! Guarantees: a run with probes has the same state, to the bit, as one without.

pub mod area;
mod below;
pub mod contour;
mod cursor;
mod downscale;
pub mod error;
mod faces;
pub(crate) mod kept;
#[cfg(test)]
pub(crate) mod made;
pub mod mesh;
pub mod query;
pub mod raster;
pub mod sample;
mod sum;
pub mod surface;
#[cfg(test)]
mod tests;

pub use area::AreaSummary;
pub use contour::Polyline;
pub use error::QueryError;
pub use mesh::{LeafMesh, Skin};
pub use query::Query;
pub(crate) use query::QueryLeaves;
pub use raster::{FlowRaster, SurfaceRaster, Window};
pub use sample::Sample;
pub use surface::mesh::{MeshChange, Skirt, SurfaceLeaf, SurfaceMesh};
pub use surface::{Surface, SurfacePatch};
pub use thalweg_engine::sim::maps::{BelowMaps, HighestWater, LeafMaps, MapPlanes, MapScale};
