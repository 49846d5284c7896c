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

use crate::world::cells::Cells;
use crate::world::{Structures, StructuresMut, World};
use thalweg_engine::body::{Body, BodyId, Load, LoadParams};

/// Footprint of the bodies on the grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BodyReport {
    /// Bodies there are.
    pub bodies: usize,
    /// Cells that they touch.
    pub cells: usize,
    /// Of these, where they block nothing: no ground, a coarse leaf or one with sub-grid columns,
    /// beside another level, or at an open edge of the world.
    pub unblocked: usize,
    /// Gaps between bodies one over the other that are taken for closed.
    pub closed_gaps: u32,
}

impl StructuresMut<'_> {
    /// Puts bodies in the place of all there are. Their velocities, across the faces that they
    /// close, count for the next cycle.
    ///
    /// # Errors
    ///
    /// [`BodyError`] says which body is none, and why. Then nothing has changed.
    pub fn put_bodies(&mut self, bodies: Vec<Body>) -> Result<(), BodyError> {
        error::check(&bodies)?;
        self.world.change(|world| {
            let World { simulation, site, bodies: known, .. } = world;
            if let Some(solids) = known.put(bodies, Cells { simulation, site }) {
                world.simulation.set_solids(solids);
                world.simulation.lay_solids();
                world.ask_for_bodies();
            }
        });
        Ok(())
    }

    /// Numbers of the loads on bodies; their gravity is that of the world's settings, and so is
    /// their density, unless the fluid of the world is as dense as water.
    ///
    /// # Errors
    ///
    /// [`BodyError`] where one is no number, or below 0.
    pub fn set_load_params(&mut self, params: LoadParams) -> Result<(), BodyError> {
        if !params.is_good() {
            return Err(BodyError::Params(params));
        }
        self.world.bodies.params = params;
        Ok(())
    }
}

impl Structures<'_> {
    /// Load of the water on each body, by its number, as it is now; `dt_s` is the step that the
    /// load is held for, s.
    #[must_use]
    pub fn loads(self, dt_s: f64) -> Vec<(BodyId, Load)> {
        self.world.bodies.loads(self.world.cells(), dt_s)
    }

    /// The bodies that block nothing in some of their cells or in all, by their numbers, those
    /// beyond the map among them. They feel the water, and the water does not feel them there. A
    /// cycle's report counts those that block nothing at all
    /// ([`CycleReport::unblocked_bodies`](crate::world::CycleReport)). Call it when bodies were put
    /// or got their loads: where leaves or beds have changed since, those beyond the map alone are
    /// known.
    #[must_use]
    pub fn unblocked_bodies(self) -> Vec<UnblockedBody> {
        self.world.bodies.unblocked(self.world.simulation.solids()).collect()
    }

    /// Footprint of the bodies on the grid.
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
