//! Load of the water on a body: pressure, drag and added mass.
//!
//! ```text
//! pressure    −∫ p·n dA       lift, righting moment, the push of a dam's two sides
//! form drag   ½·ρ·C·A·|w·n|·(w·n)·n     w: water's velocity less the panel's
//! friction    ½·ρ·C_f·A·|w_t|·w_t
//! waves       −ρ·C_w·√(g·ℓ)·A·|n_z|·v_z  what a heaving, rolling body radiates
//! entry       −(added mass wetted in the last step)/Δt·w
//! ```
//!
//! The water that acts on a panel depends on the panel's direction: an underside reads
//! [`Surroundings::between`]; a side reads [`Surroundings::near`] some way outward, so that a wall
//! thinner than a cell reads the water on its own side; a deck reads [`Surroundings::above`];
//! slanting panels read two of these in parts.
//!
//! *Added mass*: water that accelerates with the body, estimated from its wet silhouettes along
//! each axis, `½·ρ·A^{3/2}`. Without it a light body jitters; [`Load::for_engine`] includes it.
//!
//! Guarantees: in still, level water Archimedes' lift through the centre of buoyancy, to rounding;
//!             with [`Inertia`] drag never reverses a relative motion within a step.
//! Limits:     no lift from circulation; waves only as damping.
//! Source:     coefficients of bluff bodies: Hoerner (1965); added mass: Brennen (1982), within a
//!             third for cubes, spheres and flat boxes; the bound on drag: own.
//!
//! [`Inertia`]: crate::body::Inertia

use crate::body::gather::{BodyFrame, PanelSum, Turned};
use crate::body::{Afloat, Load, LoadParams, Nearby, Panels, Surroundings};
use glam::DVec2;

/// Largest vertical part of the normal of a panel that is only a side.
const SIDE_TO: f64 = 0.35;

/// Least vertical part of the normal of a panel that is only an underside or a deck.
const FLAT_FROM: f64 = 0.7;

/// Returns the load of the water on a body.
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
    let frame = BodyFrame::of(panels, afloat);
    let mut sum = PanelSum::default();
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

/// Returns the part of a panel that counts as a side: slanting panels are both, so that the load is
/// continuous as they turn.
fn side_part(rise: f64) -> f64 {
    ((FLAT_FROM - rise.abs()) / (FLAT_FROM - SIDE_TO)).clamp(0.0, 1.0)
}

/// Returns the water that acts on a side, and its place. Between two pieces of one solid, both
/// sides get the same.
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
    // No division by 0: the normal of a side has a rise below `FLAT_FROM`, so it is not upright.
    let there = at + params.beside_cells * around.cell_m(at) / outward.length() * outward;
    around.near(there).map(|water| (water, there))
}

#[cfg(test)]
mod tests;
