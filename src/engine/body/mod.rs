//! Bodies: their shapes, their footprints on the grid, and the load of the water on them.
//!
//! ```text
//! solid      a shape in its own coordinates: convex pieces, or closed meshes
//! pose       where it is, how it lies, how it moves
//! footprint  the cells that one body covers, the faces that it shadows
//! merge      what all bodies together take of cells and faces, in integers
//! link       the two calls that join a physics engine
//! load       what the water around it does to its panels
//! ```
//!
//! Positions are metres: east and north of the world's south-west corner, and the elevation.
//! Vectors and rotations are those of [`glam`], with x eastward, y northward and z up.
//!
//! Guarantees: bodies use + − × ÷ √ and comparisons alone: the same bits on every machine. Types of
//!             [`glam`] comply with that except for trigonometry, powers and `mul_add`.
//! Limits:     volumes change in `sim`.

mod afloat;
mod cover;
pub mod footprint;
mod gather;
mod lines;
pub mod link;
pub mod load;
pub mod merge;
mod outline;
pub mod panels;
mod pile;
pub mod pose;
mod reach;
mod shadow;
mod silhouette;
pub mod solid;
pub mod surroundings;
#[cfg(test)]
mod tests;
mod wet;

pub use afloat::{Afloat, Inertia, Load, LoadParams};
pub use footprint::{Footprint, Shade, SolidCell};
pub use link::{Bodies, Body, BodyId};
pub use load::load;
pub use merge::{Blocked, Covered, Solids};
pub use panels::Panels;
pub use pose::{Motion, Pose};
pub use shadow::ShadeKind;
pub use solid::{Piece, Solid, SolidError};
pub use surroundings::{Nearby, Surroundings};
