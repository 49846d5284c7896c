//! Bodies in the water: solids, their poses, and the water's load on them.
//!
//! [`Bodies`] joins a physics engine; [`Solid`] is a shape, [`Pose`] and [`Motion`] are its
//! position and its motion. `src/guide/bodies.md` has the whole.

pub use thalweg_engine::body::{
    Afloat, Blocked, Bodies, Body, BodyId, Covered, Footprint, Inertia, Load, LoadParams, Motion,
    Nearby, Panels, Piece, Pose, Shade, ShadeKind, Solid, SolidCell, SolidError, Solids,
    Surroundings, load,
};
