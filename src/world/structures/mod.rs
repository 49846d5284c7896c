//! Requested structures: barriers (levees, weirs, sluice gates, bridge decks, breaches), links.
//!
//! ```
//! use thalweg::world::CellPlace;
//! use thalweg::terrain::{TerrainBuilder, TerrainOptions};
//! use thalweg::units::{SimTime, VerticalScale};
//! use thalweg::world::{Barrier, Gap, Opening, WorldBuilder};
//!
//! // A basin of 12 × 6 cells of 1 m with 2 m of water in its western half.
//! let scale = VerticalScale::choose(0.0, 4.0, 20.0)?;
//! let options =
//!     TerrainOptions { width: 12, height: 6, cell_width_m: 1.0, scale, bed_exponent: 10 };
//! let mut terrain = TerrainBuilder::try_new(options)?;
//! (0..6).try_for_each(|_| terrain.push_row(&[0.0; 12]))?;
//! let wall = Barrier::wall("weir", vec![[6.0, 0.0], [6.0, 6.0]], 3.0);
//! let mut world = WorldBuilder::new(terrain.finish()?)
//!     .initial_depth(|place| if place.x < 6 { 2.0 } else { 0.0 })
//!     .barrier(wall.clone())
//!     .build()?;
//! world.run_until(SimTime::from_seconds(60.0));
//! assert_eq!(world.water().depth_m(CellPlace { x: 6, y: 3 }), Some(0.0));
//!
//! // A gate in its place, half a metre open.
//! let gap = Gap { sill_m: None, opening: Opening::Fixed(0.5) };
//! let before = world.structures_mut().put_barrier(Barrier { gap: Some(gap), ..wall.clone() })?;
//! assert_eq!(before, Some(wall));
//! world.run_until(SimTime::from_seconds(62.0));
//! let flow = world.structures().barrier_flow("weir").expect("it stands");
//! assert!(flow.discharge_m3_s > 5.0 && flow.power_w() > 1.0e4, "{flow:?}");
//! assert_eq!(world.water().stored(), world.water().ledger().expected());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod build;
mod detail;
mod frame;
mod links;
mod run;
mod view;

pub(super) use build::{barriers, check_lines, put_links};
pub(super) use detail::own_criteria;
pub use links::LinkFlow;
pub use run::BarrierFlow;
pub(super) use run::PlacedBarrier;
pub use view::{Structures, StructuresMut};
