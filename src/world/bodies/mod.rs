//! Bodies in a world: solids in, loads out, around each cycle.
//!
//! ```
//! use thalweg::body::{Bodies, Body, BodyId, Load, Motion, Pose, Solid};
//! use thalweg::glam::DVec3;
//! use thalweg::sim::schedule::FixedStep;
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
mod window;

pub use error::BodyError;

use crate::body::load::load;
use crate::body::{
    Afloat, Body, BodyId, Footprint, Inertia, Load, LoadParams, Motion, Panels, Solids,
};
use crate::grid::cells::CellPlace;
use crate::units::VerticalScale;
use crate::world::cells::Cells;
use crate::world::{Structures, StructuresMut};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Most bodies of a world.
const BODIES_MOST: usize = 1 << 20;

/// Longest edge of a panel, in widths of a cell.
const PANEL_CELLS: f64 = 1.0;

/// A body in the world.
#[derive(Debug)]
pub(super) struct Known {
    body: Body,
    footprint: Footprint,
    panels: Panels,
    /// Whether the body was put in this round.
    is_there: bool,
}

/// All bodies of a world.
#[derive(Debug, Default)]
pub(super) struct BodySet {
    known: BTreeMap<BodyId, Known>,
    params: LoadParams,
    /// Blocks of 16 × 16 cells that bodies touch, where leaves change.
    pub(super) blocks: Vec<CellPlace>,
}

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
            let grid = Grid::of(world.cells());
            let has_solids = !world.simulation.solids().solids.is_empty();
            if let Some(solids) = world.bodies.put(bodies, &grid, has_solids) {
                world.simulation.edit().set_solids(solids);
                world.simulation.edit().lay_solids();
                world.ask_for_bodies();
            }
        });
        Ok(())
    }

    /// Numbers of the loads on bodies; their gravity is that of the world's settings.
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
        let (cells, bodies) = (self.world.cells(), &self.world.bodies);
        let all: Vec<(&BodyId, &Known)> = bodies.known.iter().collect();
        let gravity_m_s2 = self.world.settings().gravity;
        let params = LoadParams { gravity_m_s2, ..bodies.params };
        all.into_par_iter()
            .with_max_len(16)
            .map(|(&id, known)| {
                let Body { pose, motion, mass_kg, .. } = known.body;
                let inertia = mass_kg.map(|mass_kg| Inertia { mass_kg, dt_s });
                let around = cells.window(&known.body);
                let afloat = Afloat { pose, motion, inertia };
                (id, load(&known.panels, &afloat, &around, &params))
            })
            .collect()
    }

    /// Footprint of the bodies on the grid.
    #[must_use]
    pub fn body_report(self) -> BodyReport {
        let field = self.world.simulation.solids();
        BodyReport {
            bodies: self.world.bodies.known.len(),
            cells: field.solids.cells.len(),
            unblocked: field.region.unblocked,
            closed_gaps: field.solids.closed_gaps,
        }
    }
}

/// The cells that bodies stand on.
struct Grid {
    scale: VerticalScale,
    cell_width_m: f64,
    size: (u32, u32),
}

impl Grid {
    fn of(cells: Cells<'_>) -> Self {
        let (width, height) = cells.size();
        let count = |count: usize| u32::try_from(count).expect("2³² cells at most");
        let size = (count(width), count(height));
        Self { scale: cells.scale(), cell_width_m: cells.cell_width_m(), size }
    }
}

impl BodySet {
    /// Puts bodies, which are good, in the place of all there are; returns all solids where they
    /// are others than before. A loaded world `has_solids` that no body here has.
    fn put(&mut self, bodies: Vec<Body>, grid: &Grid, has_solids: bool) -> Option<Solids> {
        let Grid { scale, cell_width_m, size } = *grid;
        let known = &mut self.known;
        known.values_mut().for_each(|known| known.is_there = false);
        let mut moved: Vec<(BodyId, Option<Known>, Body)> = Vec::new();
        let (mut is_driven, still) = (false, Motion::default());
        for body in bodies {
            match known.get_mut(&body.id) {
                Some(own) if own.body.pose == body.pose && own.body.solid.is(&body.solid) => {
                    is_driven |= own.body.motion != still || body.motion != still;
                    own.footprint.move_with(&body.pose, &body.motion, cell_width_m);
                    (own.body, own.is_there) = (body, true);
                }
                _ => moved.push((body.id, known.remove(&body.id), body)),
            }
        }
        let is_new = known.is_empty() && has_solids;
        let is_gone = known.values().any(|known| !known.is_there);
        let is_moved = is_new || is_gone || is_driven || !moved.is_empty();
        known.retain(|_, known| known.is_there);
        let longest_m = PANEL_CELLS * cell_width_m;
        let fresh: Vec<(BodyId, Known)> = moved
            .into_par_iter()
            .with_max_len(16)
            .map(|(id, before, body)| {
                let mut footprint = Footprint::of(&body.solid, &body.pose, cell_width_m, size);
                footprint.move_with(&body.pose, &body.motion, cell_width_m);
                let panels = before
                    .filter(|before| before.body.solid.is(&body.solid))
                    .map_or_else(|| Panels::of(&body.solid, longest_m), |before| before.panels);
                (id, Known { body, footprint, panels, is_there: true })
            })
            .collect();
        known.extend(fresh);
        let footprints = known.values().map(|known| &known.footprint);
        is_moved.then(|| Solids::merge(footprints, &scale, cell_width_m))
    }

    /// Notes which blocks of cells solids touch; true where they are others than before.
    pub(super) fn note_blocks(&mut self, solids: &Solids) -> bool {
        let block = |place: CellPlace| CellPlace { x: place.x / 16, y: place.y / 16 };
        let mut blocks: Vec<CellPlace> =
            solids.cells.iter().map(|cell| block(cell.place)).collect();
        blocks.sort_unstable();
        blocks.dedup();
        let before = std::mem::replace(&mut self.blocks, blocks);
        before != self.blocks
    }
}
