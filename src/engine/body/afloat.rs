//! A body afloat: its state, and the load of the water on it.

use crate::body::{Motion, Pose};
use glam::DVec3;

/// Properties of the water and coefficients of its load.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoadParams {
    /// Density of the water, kg/m³.
    pub density_kg_m3: f64,
    /// Gravity, m/s².
    pub gravity_m_s2: f64,
    /// Form drag coefficient of panels that face the flow.
    pub drag_front: f64,
    /// Form drag coefficient of panels in the wake.
    pub drag_back: f64,
    /// Friction coefficient along panels.
    pub friction: f64,
    /// Damping coefficient of the waves that a heaving body sends out.
    pub wave_damping: f64,
    /// Added mass of a silhouette, in ρ·A^{3/2}.
    pub added_mass: f64,
    /// Distance outward from a side at which the side's water is read, in widths of a cell.
    pub beside_cells: f64,
}

impl Default for LoadParams {
    /// Returns fresh water, and the drag coefficients of a cube.
    fn default() -> Self {
        Self {
            density_kg_m3: 1000.0,
            gravity_m_s2: 9.81,
            // If a box moves along a normal, water drags at its front and at its back: together
            // 1.1, the coefficient of a cube.
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
    /// True if all numbers are finite and not below 0, and the water has weight.
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

/// Mass and time step, which bound the drag on a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inertia {
    /// Mass of the body, kg.
    pub mass_kg: f64,
    /// Time step of the engine that moves the body, s.
    pub dt_s: f64,
}

/// State of a body for the computation of its load.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Afloat {
    /// Position and orientation of the body.
    pub pose: Pose,
    /// Velocity of the body.
    pub motion: Motion,
    /// Bounds of drag; `None` if the body is fixed, so that no load moves it.
    pub inertia: Option<Inertia>,
}

/// Load of the water on a body.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Load {
    /// Force, N.
    pub force: DVec3,
    /// Torque about [`Load::about`], N·m.
    pub torque: DVec3,
    /// The point about which the torque acts: the body's position, m.
    pub about: DVec3,
    /// The part of the force that is drag, N; the rest is pressure.
    pub drag: DVec3,
    /// Volume of water whose weight is the lift, m³: the displaced volume if the water is level.
    pub submerged_m3: f64,
    /// Area of the surface along which water flows, m².
    pub wet_m2: f64,
    /// Mass of the water that accelerates with the body, along each axis, kg.
    pub added_mass_kg: DVec3,
}

impl Load {
    /// Returns the force, and the torque about the centre of mass, with which an engine without
    /// added mass moves the body as its mass and added mass together would move, N and N·m.
    ///
    /// The force is `F·m/(m + a)` along each axis, plus `m·g·a/(m + a)` upward, because the
    /// engine's gravity acts on `m` alone; the torque is scaled like the force that has the same
    /// effect. A body that rests on something presses on it with correspondingly less force.
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

/// Returns the resistance to turns about each axis, from the resistance along each: a turn about a
/// level axis moves points up and down, one about the upright axis moves them along both level
/// axes.
pub(super) fn about_axes(along: DVec3) -> DVec3 {
    DVec3::new(along.z, along.z, 0.5 * (along.x + along.y))
}
