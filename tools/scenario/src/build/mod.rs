//! The engine's world as a plan describes it.
//!
//! `scale` chooses the vertical unit, `terrain` builds the ground, `setting` builds the world,
//! `initial` fills it. The engine counts rows from the south, rasters from the north: `terrain`,
//! `ground` and `initial` reverse the order.

mod adaptive;
mod classes;
mod ground;
mod initial;
mod link;
mod scale;
mod setting;
mod terrain;

pub use adaptive::CYCLES_BETWEEN_LOOKS;
pub use ground::index_of;
pub use scale::scale;
pub use setting::{GaugePlace, Setting, build};
pub use terrain::{terrain, terrain_options};
