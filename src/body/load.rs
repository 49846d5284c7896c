//! Load of the water on a body: pressure, drag, and the water it has to move along.
//!
//! ```text
//! pressure    −∫ p·n dA       lift, righting moment, the push of a dam's two sides
//! form drag   ½·ρ·C·A·|w·n|·(w·n)·n     w: water's velocity less the panel's
//! friction    ½·ρ·C_f·A·|w_t|·w_t
//! waves       −ρ·C_w·√(g·ℓ)·A·|n_z|·v_z  what a heaving, rolling body radiates
//! entry       −(added mass wetted in the last step)/Δt·w
//! ```
//!
//! Which water a panel sees depends on where it looks: an underside [`Surroundings::between`], a
//! side [`Surroundings::near`] some way outward, so that a wall thinner than a cell sees its own
//! side, a deck [`Surroundings::above`]; slanting panels see both in parts.
//!
//! *Added mass*: water that speeds up with the body, estimated from its wet silhouettes along each
//! axis, `½·ρ·A^{3/2}`. Without it a light body jitters; [`Load::for_engine`] folds it in.
//!
//! Guarantees: in still, level water Archimedes' lift through the centre of buoyancy, to rounding;
//!             with [`Inertia`] drag never turns a relative motion round within a step.
//! Limits:     no lift from circulation; waves only as damping.
//! Source:     coefficients of bluff bodies: Hoerner (1965); added mass: Brennen (1982), within a
//!             third for cubes, spheres and flat boxes; the bound on drag: own.

use crate::body::gather::{Frame, Sum, Turned, about_axes};
use crate::body::{Motion, Nearby, Panels, Pose, Surroundings};
use glam::{DVec2, DVec3};

/// A panel whose normal rises or falls less than this is a side alone.
const SIDE_TO: f64 = 0.35;

/// From here on it is an underside or a deck alone.
const FLAT_FROM: f64 = 0.7;

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
    pub fn for_engine(&self, mass_kg: f64, gravity_m_s2: f64, centre: DVec3) -> (DVec3, DVec3) {
        let part = mass_kg / (mass_kg + self.added_mass_kg);
        let mut force = self.force * part;
        force.z += mass_kg * gravity_m_s2 * (1.0 - part.z);
        let arm = (self.about - centre).cross(self.force);
        (force, (self.torque + arm) * about_axes(part))
    }
}

/// Load of the water on a body.
///
/// # Examples
///
/// A crate of a cubic metre, half under water:
///
/// ```
/// use thalweg::body::{Afloat, LoadParams, Motion, Panels, Pose, Solid, load};
/// use thalweg::body::{Nearby, Surroundings};
/// use thalweg::glam::DVec2;
///
/// struct Lake;
/// impl Surroundings for Lake {
///     fn cell_m(&self, _: DVec2) -> f64 {
///         1.0
///     }
///     fn near(&self, _: DVec2) -> Option<Nearby> {
///         Some(Nearby::still(3.0, 0.0))
///     }
/// }
///
/// let panels = Panels::of(&Solid::cuboid([1.0; 3])?, 1.0);
/// let pose = Pose::at([5.0, 5.0, 3.0]);
/// let afloat = Afloat { pose, motion: Motion::default(), inertia: None };
/// let load = load(&panels, &afloat, &Lake, &LoadParams::default());
/// assert!((load.force.z - 0.5 * 1000.0 * 9.81).abs() < 1.0e-6);
/// # Ok::<(), thalweg::body::SolidError>(())
/// ```
#[must_use]
pub fn load(
    panels: &Panels,
    afloat: &Afloat,
    around: &(impl Surroundings + ?Sized),
    params: &LoadParams,
) -> Load {
    let frame = Frame::of(panels, afloat);
    let mut sum = Sum::default();
    for panel in panels.iter() {
        let turned = frame.turn(panel);
        let side = side_part(turned.normal.z);
        if side > 0.0 {
            let seen = beside(&turned, panel.is_inside, around, params);
            frame.press(&mut sum, &turned, side, seen, params);
        }
        if side < 1.0 {
            let at = turned.at;
            let is_deck = turned.normal.z > 0.0 && !panel.is_inside;
            let water = if is_deck { around.above(at) } else { around.between(at) };
            let seen = water.map(|water| (water, at));
            frame.press(&mut sum, &turned, 1.0 - side, seen, params);
        }
    }
    frame.load(&sum, panels.volume_m3(), params)
}

/// How much of a panel is a side: slanting ones are both, so that turning them makes no jump.
fn side_part(rise: f64) -> f64 {
    ((FLAT_FROM - rise.abs()) / (FLAT_FROM - SIDE_TO)).clamp(0.0, 1.0)
}

/// The water that a side sees, and where. Between two pieces of one solid, both see the same.
fn beside(
    turned: &Turned,
    is_inside: bool,
    around: &(impl Surroundings + ?Sized),
    params: &LoadParams,
) -> Option<(Nearby, DVec2)> {
    let at = turned.at;
    if is_inside {
        return around.between(at).map(|water| (water, at));
    }
    let outward = turned.normal.truncate();
    let there = at + params.beside_cells * around.cell_m(at) / outward.length() * outward;
    around.near(there).map(|water| (water, there))
}

#[cfg(test)]
mod tests;
