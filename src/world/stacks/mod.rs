//! Stacked columns of a world: caves, tunnels, storeys, and rivers below decks.
//!
//! The terrain of a world is the surface under the open sky: ground, roofs, decks. Below it a cell
//! may have intervals from a bed to a ceiling, one above the next, each with its own water.
//! [`Voids`] lists them when a world is built; [`World::stacks`] reads them. They are made from
//! [`VoxelGrid`]s, from solids and along lines; [`Earthworks`] add houses and bridges to a ground.
//!
//! A tunnel through a hill joins two ponds:
//!
//! ```
//! use thalweg::prelude::*;
//! // A hill of 10 m between two basins.
//! let ground = |x: usize| if (20..44).contains(&x) { 10.0 } else { 0.0 };
//! let terrain = Terrain::from_heights([64, 8], 1.0, |x, _| ground(x))?;
//! let mut voids = Voids::new();
//! let (low, high) = (CellPlace { x: 20, y: 4 }, CellPlace { x: 44, y: 5 });
//! voids.carve(low, high, [0.0, 1.0]);
//! let world = WorldBuilder::new(terrain).voids(voids);
//! let mut world = world.initial_stage(|place| if place.x < 20 { 4.0 } else { 0.0 }).build()?;
//! world.run_until(SimTime::from_seconds(600.0));
//! let stage = |x| world.water().stage_m(CellPlace { x, y: 2 }).expect("wet");
//! assert!((stage(2) - stage(60)).abs() < 0.05, "they communicate");
//! let middle = world.stacks().intervals_at(CellPlace { x: 30, y: 4 });
//! assert!(middle[0].is_full && middle[0].head_m > 1.5);
//! assert_eq!(world.water().stored(), world.water().ledger().expected());
//! # Ok::<(), thalweg::Error>(())
//! ```
//!
//! Guarantees: volumes are exact; intervals are saved, hashed, undone and mirrored as all water.
//! Limits:     intervals are in cells of the simulated level; leaves around them stay on it. Their
//!             further limits are in `src/guide/stacks.md`.

mod blocks;
mod deck;
mod edit;
mod error;
mod lay;
mod line;
mod rock;
mod shell;
mod steps;
mod tunnel;
mod view;
mod voids;
mod voxels;
mod works;

pub use blocks::VoxelView;
pub use deck::Deck;
pub(super) use edit::{RockWork, StackRecord};
pub use error::StackError;
pub(super) use lay::{INTERVALS_MOST, lay_voids};
pub use rock::RockError;
pub use tunnel::TunnelSection;
pub use view::{IntervalView, StacksView};
pub use voids::Voids;
pub(super) use voids::{StageBelow, check_voids, pinned_tiles};
pub use voxels::{VoxelFrame, VoxelGrid};
pub use works::Earthworks;

use crate::world::World;
use thalweg_engine::grid::TileKey;

impl World {
    /// Pins the leaves that contain intervals, and the leaves around them; returns true if this
    /// changes the pinned leaves.
    pub(super) fn pin_stacks(&mut self) -> bool {
        let leaves = self.simulation.leaves();
        let has = |own: &thalweg_engine::sim::table::LeafOwn| {
            own.stack.as_ref().is_some_and(|stack| !stack.intervals.is_empty())
        };
        let keys = leaves.forest.leaves().iter().zip(&leaves.own);
        let keys: Vec<TileKey> = keys.filter(|(_, own)| has(own)).map(|(key, _)| *key).collect();
        let is_other = self.site.pin(keys.into_iter());
        if let Some(adaptive) = self.adaptive.as_mut().filter(|_| is_other) {
            adaptive.take_cover(&self.site);
        }
        is_other
    }
}
