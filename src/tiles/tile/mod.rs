//! Tiles: planes of 64 × 64 cells, and how a padded tile is filled from them.
//!
//! | plane | location | type | bytes a cell | |
//! | --- | --- | --- | --- | --- |
//! | bed | cell | `i32` | 4 | vertical units above the datum, or [`OUTSIDE`] |
//! | depth | cell | `i32` | 8 | vertical units, twice: before and after a step |
//! | flow x, flow y | west, south face | `f32` | 16 | unit discharge, m²/s, twice |
//! | content | cell | `i64` | 16 | 2⁻²⁴ vertical units, twice for each tracer |
//! | roughness | cell | `u8` | 1 | class of Manning's n, only where it differs |
//! | infiltrated | cell | `i32` | 4 | vertical units, only where the ground takes water |
//! | flood maps | cell | | 0 to 44 | where the water has been, by [`MapKinds`] |
//!
//! [`refine`] and [`coarsen`] make a tile finer or coarser, to the unit, with the remainder below
//! whole units in the [`carry`]; [`flows`] computes its discharges after that. Planes are shared
//! with a save until they are written; copies are made in planes of the [`plane_pool`].
//!
//! [`OUTSIDE`]: crate::units::OUTSIDE

pub mod carry;
pub mod coarsen;
pub mod columns;
pub mod cow_plane;
pub mod crest_separation;
pub mod flows;
pub mod halo;
pub mod halo_plane;
pub mod infiltrated;
pub mod interface_faces;
pub mod map_kinds;
pub mod padded;
pub mod plane_pool;
pub mod planes;
pub mod prefetch;
pub mod refine;
pub mod resident;
pub mod water_reach;
pub mod wet_parts;

pub use carry::{Carry, Holding};
pub use cow_plane::CowPlane;
pub use map_kinds::{MapKinds, NotKept};
pub use plane_pool::pooled_bytes;
pub use planes::{CellLevels, FaceAt, Ground, Water};
pub use resident::Resident;
