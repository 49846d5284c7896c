//! Water on large heightfields: exact volumes, the same bits everywhere.
//!
//! **Thalweg** steps water over a heightmap. A **terrain** contains the heights as integers of a
//! *vertical unit*, 2⁻ᵏ m; a **forest** of 64 × 64-cell **tiles** covers it; a **simulation** moves
//! whole units of water between cells in **steps**, eight to a **cycle**; a **ledger** records the
//! source and the destination of every unit. A **world** joins all of these in one type.
//!
//! First water, in a bowl of 64 × 64 cells of 5 m, an hour after ten minutes of rain began:
//!
//! ```
//! use thalweg::prelude::*;
//! let bowl = |x: usize, y: usize| ((x as f64 - 32.0).powi(2) + (y as f64 - 32.0).powi(2)) / 100.0;
//! let terrain = Terrain::from_heights([64, 64], 5.0, bowl)?;
//! let rain = &[(0.0, 1.0e-5), (600.0, 0.0)]; // s, m/s
//! let mut world = WorldBuilder::new(terrain).rain("cloudburst", rain)?.build()?;
//! world.run_until(SimTime::from_seconds(3600.0));
//! let depth_m = world.water().depth_m(CellPlace { x: 32, y: 32 });
//! assert!(depth_m.is_some_and(|depth_m| depth_m > 0.1));
//! # Ok::<(), thalweg::Error>(())
//! ```
//!
//! Here is a valley of nine by five cells, with a pond in it after a minute of rain. Signs show the
//! depth of water in a cell, `~` for a few centimetres and `≈` for more than ten:
//!
//! ```
//! use thalweg::prelude::*;
//!
//! // Heights in metres, the south row first.
//! let valley: [[f32; 9]; 5] = [
//!     [4.0, 3.0, 2.0, 2.0, 2.0, 2.0, 2.0, 3.0, 4.0],
//!     [4.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 4.0],
//!     [4.0, 2.0, 1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 4.0],
//!     [4.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 4.0],
//!     [4.0, 3.0, 2.0, 2.0, 2.0, 2.0, 2.0, 3.0, 4.0],
//! ];
//! let terrain = Terrain::from_slice([9, 5], 1.0, valley.as_flattened())?;
//!
//! // A cloudburst of 60 mm in a minute, between walls.
//! let mut world = WorldBuilder::new(terrain)
//!     .rain("cloudburst", &[(0.0, 0.001), (60.0, 0.0)])?
//!     .build()?;
//! world.run_until(SimTime::from_seconds(600.0));
//!
//! let mut picture = String::new();
//! for y in (0..5).rev() {
//!     for x in 0..9 {
//!         let depth_m = world.water().depth_m(CellPlace { x, y }).unwrap_or(0.0);
//!         picture.push(if depth_m > 0.1 { '≈' } else if depth_m > 0.02 { '~' } else { '.' });
//!     }
//!     picture.push('\n');
//! }
//! assert_eq!(
//!     picture,
//!     ".........\n\
//!      .........\n\
//!      ...≈≈≈...\n\
//!      .........\n\
//!      .........\n"
//! );
//! // Not a unit is missing.
//! assert_eq!(world.water().stored(), world.water().ledger().expected());
//! # Ok::<(), thalweg::Error>(())
//! ```
//!
//! Further reading: [`prelude`] for the names that most programs use, [`world`] for everything that
//! a game or a tool does with a world, [`guide`] for the physics and the numerics.
//!
//! Points, poses and normals are passed as `impl Into<[f64; N]>` and returned as arrays, or as
//! vectors of [`glam`] that convert into arrays: `f64` vectors of any version of `glam`, and of
//! different mathematics libraries, can be passed as they are. With the feature `mint`, the types
//! of the crate `mint` convert into the types of `glam`, and back. With the feature `schema`, the
//! types that a game and a world exchange as JSON ([`world::Command`], [`world::Watch`],
//! [`world::Event`]) implement `schemars::JsonSchema`.
//!
//! ```
//! use thalweg::glam::{DVec2, DVec3};
//! use thalweg::prelude::*;
//! let terrain = Terrain::from_heights([64, 64], 5.0, |x, _| 0.1 * x as f64)?;
//! let world = WorldBuilder::new(terrain).initial_stage(|_| 3.0).build()?;
//! let camera = DVec2::new(52.0, 101.0);
//! assert_eq!(world.place_at(camera), Some(CellPlace { x: 10, y: 20 }));
//! let sample = world.query().at(camera)?.expect("in the world");
//! let up = DVec3::from(sample.normal);
//! assert!((up - DVec3::Z).length() < 1.0e-9, "still water lies level");
//! # Ok::<(), thalweg::Error>(())
//! ```
//!
//! The engine below is the packages `thalweg-engine` and `thalweg-tiles`, which change without
//! notice; the modules here re-export the parts of them that a program needs.

pub mod body;
pub mod check;
mod error;
pub mod file;
pub mod follow;
pub mod guide;
pub mod looks;
pub mod prelude;
pub mod probe;
pub mod structure;
pub mod terrain;
pub mod units;
pub mod world;

pub use error::Error;
pub use glam;
#[cfg(feature = "mint")]
pub use mint;
#[doc(inline)]
pub use thalweg_engine::forest::criteria;
