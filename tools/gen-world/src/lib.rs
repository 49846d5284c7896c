//! The sample world, made from a seed: a river valley with a dam, a town and a side valley.
//!
//! ```text
//! plan of the valleys → hills that rise and erode → beds → town → dam → rounding, last pits
//! valley, course        erosion, drainage           channel town   dam   world
//! ```
//!
//! Guarantees: the same seed gives the same bits on every machine: whole numbers and `+ − × ÷ √`
//!             of `f64` only, heights rounded to 1/64 m (`seed_7_has_its_digest`). Every cell has a
//!             way down over shared sides to the map's edge, or to the reservoir's deepest cell
//!             (`every_cell_drains`).
//! Limits:     one layout; the seed moves its bends and makes its hills. That the dam closes its
//!             valley is tested for the committed seed only: look at the map of another one.

pub mod channel;
pub mod course;
pub mod dam;
pub mod drainage;
pub mod erosion;
pub mod gorge;
pub mod landmark;
pub mod lattice;
pub mod noise;
pub mod sheet;
pub mod stage;
pub mod streets;
pub mod town;
pub mod valley;
pub mod world;
