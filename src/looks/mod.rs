//! Looks: numbers for the eye that follow from the water, as plain buffers for any renderer.
//!
//! | looks | buffers | follow |
//! | --- | --- | --- |
//! | [`Falls`] | [`FallVertex`], [`Sheet`]: lips and feet of falling water | a surface |
//! | [`Emitters`] | [`Emitter`]: spray at the feet of falls, and where water breaks | a surface |
//! | [`Wetness`] | a plane: ground that was under water, and dries | a surface, and time |
//! | [`WaveSpectrum`] | wave numbers, frequencies, amplitudes; heights, slopes | a wind |
//! | [`Drifters`] | places, states, stages of particles | a query, by spans of time |
//!
//! Falls, emitters and wetness follow a [`Surface`] on its thread, from the parts that
//! [`Surface::update`] returns; their buffers are copied to the thread that draws. They need all
//! parts of all updates; after [`Surface::forget`] begin with new ones.
//!
//! Guarantees: falls and emitters are, after any updates, those made anew
//!             (`updates_come_to_the_same_as_falls_made_anew`); no state of a world and no hash
//!             depends on looks.
//! Limits:     looks are for the eye: they use sines and powers of the platform, and may differ in
//!             their last bits between systems.
//! Source:     each type names its own.
//!
//! Water that falls over a step of 4 m, in a channel of 5 cells of 2 m:
//!
//! ```
//! use thalweg::looks::{EmitterOptions, Emitters, FallOptions, Falls};
//! use thalweg::prelude::*;
//! use thalweg::probe::Surface;
//! let step = |x: usize, _| if x < 20 { 4.0 } else { 0.0 };
//! let terrain = Terrain::from_heights([40, 5], 2.0, step)?;
//! let mut world = WorldBuilder::new(terrain)
//!     .initial_depth(|place| if place.x < 20 { 1.0 } else { 0.0 })
//!     .build()?;
//! let corner = CellPlace { x: 0, y: 0 };
//! let mut surface = Surface::try_new(Window { level: 0, corner, width: 40, height: 5 })?;
//! let finest_m = world.query().cell_width_m(0);
//! let mut falls = Falls::try_new(finest_m, FallOptions::default())?;
//! let mut emitters = Emitters::try_new(finest_m, EmitterOptions::default())?;
//! for _ in 0..4 {
//!     world.run_until(world.time().after(SimTime::from_seconds(0.5).ticks()));
//!     let changed = surface.update(&world);
//!     falls.update(&surface, &changed);
//!     emitters.update(&surface, &falls, &changed);
//! }
//! let [sheet] = falls.sheets() else { panic!("one sheet, not {:?}", falls.sheets()) };
//! assert_eq!(sheet.width_m, 10.0);
//! assert!((3.0..5.0).contains(&sheet.height_m));
//! let lip = falls.vertices()[sheet.vertices.start].lip_m;
//! assert_eq!(lip[0], 40.0);
//! assert_eq!(emitters.falls().len(), 5);
//! # Ok::<(), thalweg::Error>(())
//! ```
//!
//! [`Surface`]: crate::probe::Surface
//! [`Surface::update`]: crate::probe::Surface::update
//! [`Surface::forget`]: crate::probe::Surface::forget

mod cells;
mod drifters;
mod emitters;
mod error;
mod faces;
mod falls;
mod sheets;
mod spectrum;
#[cfg(test)]
mod tests;
mod transform;
mod wetness;
mod wind;

pub use drifters::{DriftState, Drifters};
pub use emitters::{Emitter, EmitterKind, EmitterOptions, Emitters};
pub use error::LooksError;
pub use faces::FallOptions;
pub use falls::Falls;
pub use sheets::{FallVertex, Sheet};
pub use spectrum::{WaveOptions, WaveSpectrum};
pub use wetness::{Wetness, WetnessOptions};
pub use wind::slope_variance;
