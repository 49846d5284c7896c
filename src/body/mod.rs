//! Bodies: what they are, which part of the grid they take, what the water does to them.
//!
//! ```text
//! solid      a shape in its own coordinates: convex pieces, or closed meshes
//! pose       where it is, how it lies, how it moves
//! ```
//!
//! Positions are metres: east and north of the world's south-west corner, and the elevation.
//!
//! Guarantees: by + − × ÷ √ and comparisons alone: the same bits on every machine.
//! Limits:     volumes change in `sim`.

pub mod pose;
pub mod solid;

pub use pose::Motion;
pub use pose::Pose;
pub use solid::Piece;
pub use solid::Solid;
pub use solid::SolidError;

/// A place or a vector: eastward, northward, up.
pub type Point = [f64; 3];
