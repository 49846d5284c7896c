//! Readers of files of shapes: closed meshes of triangles as solids, and scenes of voxels.
//!
//! ```text
//! house.obj, house.stl ─ corners and triangles ─ closed ─ Mesh ─ Solid
//! house.vox ─ models, placed by a graph of nodes ─ VoxelScene ─ runs of solid voxels
//! ```
//!
//! [`Mesh`] gives a `thalweg::body::Solid`, for `Earthworks::raise` and `hollow` and for bodies;
//! [`VoxelScene`] gives columns of voxels, for `Earthworks::build` and for `VoxelGrid`.
//!
//! Guarantees: any invalid file is an error of one line and no panic; content that a file claims
//!             but does not contain takes no memory.
//! Limits:     256 MiB a file, 2²⁰ triangles a mesh, 2²⁵ voxels a scene. Colours, materials and
//!             normals do not count.

mod bytes;
mod chunks;
mod graph;
mod mesh;
mod obj;
mod scene;
mod stl;
mod surface;

pub use mesh::Mesh;
pub use scene::VoxelScene;
