//! Bodies in a world: solids in, loads out, around each cycle.
//!
//! ```
//! use thalweg::body::{Bodies, Body, BodyId, Load, Motion, Pose, Solid};
//! use thalweg::glam::DVec3;
//! use thalweg::world::FixedStep;
//! use thalweg::terrain::{TerrainBuilder, TerrainOptions};
//! use thalweg::units::VerticalScale;
//! use thalweg::world::WorldBuilder;
//!
//! /// A crate that falls, floats and drifts: the least a physics engine can be.
//! struct Crate {
//!     solid: Solid,
//!     at: DVec3,
//!     speed: DVec3,
//! }
//!
//! impl Bodies for Crate {
//!     fn solids(&mut self, put: &mut dyn FnMut(Body)) {
//!         let motion = Motion { linear: self.speed, ..Motion::default() };
//!         let (solid, pose) = (self.solid.clone(), Pose::at(self.at));
//!         put(Body { id: BodyId(1), solid, pose, motion, mass_kg: Some(500.0) });
//!     }
//!     fn loads(&mut self, loads: &[(BodyId, Load)]) {
//!         let (force, _) = loads[0].1.for_engine(500.0, 9.81, self.at);
//!         self.speed += (force / 500.0 - 9.81 * DVec3::Z) / 60.0;
//!         self.at += self.speed / 60.0;
//!     }
//! }
//!
//! // A pond of 16 × 16 m, 2 m deep.
//! let scale = VerticalScale::choose(0.0, 4.0, 20.0)?;
//! let options =
//!     TerrainOptions { width: 16, height: 16, cell_width_m: 1.0, scale, bed_exponent: 10 };
//! let mut terrain = TerrainBuilder::try_new(options)?;
//! (0..16).try_for_each(|_| terrain.push_row(&[0.0; 16]))?;
//! let mut world = WorldBuilder::new(terrain.finish()?).initial_stage(|_| 2.0).build()?;
//!
//! let solid = Solid::cuboid([1.0, 1.0, 1.0])?;
//! let mut falling = Crate { solid, at: DVec3::new(8.2, 7.9, 3.0), speed: DVec3::ZERO };
//! for _ in 0..1200 {
//!     world.run_cycle_with(FixedStep::try_new(1, 60)?, &mut falling)?;
//! }
//! // Half as dense as water: half of it is under, rocked by the waves of its fall.
//! assert!((falling.at.z - 2.0).abs() < 0.15, "{}", falling.at);
//! assert_eq!(world.water().stored(), world.water().ledger().expected());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod set;
mod window;

pub use error::BodyError;
pub(super) use set::BodySet;
pub use set::UnblockedBody;

use crate::world::cells::WorldCells;
use crate::world::{Structures, StructuresMut, World};
use thalweg_engine::body::{Body, BodyId, Load, LoadParams};

/// Footprint of the bodies on the grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BodyReport {
    /// Number of bodies.
    pub bodies: usize,
    /// Cells that they touch.
    pub cells: usize,
    /// Number of these cells in which bodies block nothing: without ground, in a coarse leaf or one
    /// with sub-grid columns, beside a different level, or at an open edge of the world.
    pub unblocked: usize,
    /// Gaps between bodies one over the other that count as closed.
    pub closed_gaps: u32,
}

impl StructuresMut<'_> {
    /// Replaces all bodies. Their velocities, across the faces that they close, count for the next
    /// cycle.
    ///
    /// # Errors
    ///
    /// [`BodyError`] names the invalid body and the reason. Then nothing has changed.
    pub fn put_bodies(&mut self, bodies: Vec<Body>) -> Result<(), BodyError> {
        error::check(&bodies)?;
        self.world.change(|world| {
            let World { simulation, site, bodies: known, .. } = world;
            if let Some(solids) = known.put(bodies, WorldCells { simulation, site }) {
                world.simulation.set_solids(solids);
                world.simulation.lay_solids();
                world.ask_for_bodies();
            }
        });
        Ok(())
    }

    /// Sets the numbers of the loads on bodies; their gravity is that of the world's settings, and
    /// so is their density, unless the fluid of the world is as dense as water.
    ///
    /// # Errors
    ///
    /// [`BodyError`] if a value is not a number, or below 0.
    pub fn set_load_params(&mut self, params: LoadParams) -> Result<(), BodyError> {
        if !params.is_good() {
            return Err(BodyError::Params(params));
        }
        self.world.bodies.params = params;
        Ok(())
    }
}

impl Structures<'_> {
    /// Returns the present load of the water on each body, by its number; `dt_s` is the step during
    /// which the load acts, s.
    #[must_use]
    pub fn loads(self, dt_s: f64) -> Vec<(BodyId, Load)> {
        self.world.bodies.loads(self.world.cells(), dt_s)
    }

    /// Returns the bodies that block nothing in some or all of their cells, by their numbers,
    /// bodies beyond the map included. There the water acts on them, and they do not act on the
    /// water. A cycle's report counts those that block nothing at all
    /// ([`CycleReport::unblocked_bodies`](crate::world::CycleReport)). Call it when bodies were put
    /// or got their loads: if leaves or beds have changed since, the list has only bodies beyond
    /// the map.
    #[must_use]
    pub fn unblocked_bodies(self) -> Vec<UnblockedBody> {
        self.world.bodies.unblocked(self.world.simulation.solids()).collect()
    }

    /// Returns the footprint of the bodies on the grid.
    #[must_use]
    pub fn body_report(self) -> BodyReport {
        let field = self.world.simulation.solids();
        BodyReport {
            bodies: self.world.bodies.count(),
            cells: field.solids.cells.len(),
            unblocked: field.region.unblocked,
            closed_gaps: field.solids.closed_gaps,
        }
    }
}
