//! Files of shapes, read: closed meshes of triangles as solids.
//!
//! ```text
//! house.obj, house.stl ─ corners and triangles ─ closed ─ Mesh ─ Solid
//! ```
//!
//! [`Mesh`] gives a `thalweg::body::Solid`, for `Earthworks::raise` and `hollow` and for bodies.
//!
//! Guarantees: whatever the bytes of a file, an error of one line and no panic; what a file claims
//!             and does not hold takes no memory.
//! Limits:     256 MiB a file, 2²⁰ triangles a mesh. Colours, materials and normals do not count.

mod bytes;
mod mesh;
mod obj;
mod stl;
mod surface;

pub use mesh::Mesh;
