//! The engine's world as a plan describes it.
//!
//! `scale` chooses the vertical unit, `setting` builds the world, `initial` fills it. The engine
//! counts rows from the south, rasters from the north: the turn happens in `ground` and `initial`.

mod adaptive;
mod classes;
mod ground;
mod initial;
mod link;
mod scale;
mod setting;

pub use adaptive::CYCLES_BETWEEN_LOOKS;
pub use ground::index_of;
pub use scale::scale;
pub use setting::{GaugePlace, Setting, build, terrain, terrain_options};
