//! Bodies in the water: solids, their poses, and the water's load on them.
//!
//! [`Bodies`] joins a physics engine; [`Solid`] is a shape, [`Pose`] and [`Motion`] say where it is
//! and how it moves. `src/guide/bodies.md` has the whole.

pub use thalweg_engine::body::{
    Afloat, Blocked, Bodies, Body, BodyId, Covered, Footprint, Inertia, Load, LoadParams, Motion,
    Nearby, Panels, Piece, Pose, Shade, ShadeKind, Solid, SolidCell, SolidError, Solids,
    Surroundings, load,
};
