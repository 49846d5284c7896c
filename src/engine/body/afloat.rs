//! A body afloat: its state, and the load of the water on it.

use crate::body::{Motion, Pose};
use glam::DVec3;

/// Water and its coefficients.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoadParams {
    /// Density of the water, kg/m³.
    pub density_kg_m3: f64,
    /// Gravity, m/s².
    pub gravity_m_s2: f64,
    /// Form drag of panels that meet the water.
    pub drag_front: f64,
    /// Form drag of panels in the wake.
    pub drag_back: f64,
    /// Friction along panels.
    pub friction: f64,
    /// Damping by waves that a heaving body sends out.
    pub wave_damping: f64,
    /// Added mass of a silhouette, in ρ·A^{3/2}.
    pub added_mass: f64,
    /// How far outward a side looks for its water, in widths of a cell.
    pub beside_cells: f64,
}

impl Default for LoadParams {
    /// Fresh water; a cube has the drag of a cube.
    fn default() -> Self {
        Self {
            density_kg_m3: 1000.0,
            gravity_m_s2: 9.81,
            drag_front: 0.7,
            drag_back: 0.4,
            friction: 0.004,
            wave_damping: 0.25,
            added_mass: 0.5,
            beside_cells: 0.75,
        }
    }
}

impl LoadParams {
    /// True where all numbers are finite and none is below 0, with water that has weight.
    #[must_use]
    pub fn is_good(&self) -> bool {
        let rest = [self.drag_front, self.drag_back, self.friction, self.wave_damping];
        let more = [self.added_mass, self.beside_cells];
        let weight = self.density_kg_m3 * self.gravity_m_s2;
        let all = rest.iter().chain(&more);
        self.density_kg_m3 > 0.0
            && weight > 0.0
            && weight < 1.0e9
            && all.copied().all(|part| (0.0..1.0e3).contains(&part))
    }
}

/// Bounds of drag: how heavy a body is, and for how long it feels the load.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inertia {
    /// Mass of the body, kg.
    pub mass_kg: f64,
    /// The step of whatever moves it, s.
    pub dt_s: f64,
}

/// A body as a load sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Afloat {
    /// Where it is.
    pub pose: Pose,
    /// How it moves.
    pub motion: Motion,
    /// `None`: it is held, and no load moves it.
    pub inertia: Option<Inertia>,
}

/// Load of the water on a body.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Load {
    /// Force, N.
    pub force: DVec3,
    /// Torque about [`Load::about`], N·m.
    pub torque: DVec3,
    /// The place that the torque is about: the body's position, m.
    pub about: DVec3,
    /// The part of the force that is drag, N; the rest is pressure.
    pub drag: DVec3,
    /// Water whose weight is the lift, m³: the displaced volume where the water is level.
    pub submerged_m3: f64,
    /// Surface that water flows along, m².
    pub wet_m2: f64,
    /// Water that speeds up with the body, along each axis, kg.
    pub added_mass_kg: DVec3,
}

impl Load {
    /// Force, and torque about the centre of mass, that make an engine of plain masses move the
    /// body as its mass and the added mass would move, N and N·m.
    ///
    /// Along each axis `F·m/(m + a)`, and upward `m·g·a/(m + a)` more, because the engine's gravity
    /// pulls at `m` alone; torque is scaled like the force that does the same. A body that rests
    /// on something presses on it with as much less.
    #[must_use]
    pub fn for_engine(
        &self,
        mass_kg: f64,
        gravity_m_s2: f64,
        centre: impl Into<[f64; 3]>,
    ) -> (DVec3, DVec3) {
        let centre = DVec3::from_array(centre.into());
        let part = mass_kg / (mass_kg + self.added_mass_kg);
        let mut force = self.force * part;
        force.z += mass_kg * gravity_m_s2 * (1.0 - part.z);
        let arm = (self.about - centre).cross(self.force);
        (force, (self.torque + arm) * about_axes(part))
    }
}

/// Resistance to turns about each axis, from the resistance along each: a turn about a level axis
/// moves up and down, one about the upright axis moves along both level ones.
pub(super) fn about_axes(along: DVec3) -> DVec3 {
    DVec3::new(along.z, along.z, 0.5 * (along.x + along.y))
}
