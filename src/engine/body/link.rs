//! Link between a physics engine and the water: two calls around a step.
//!
//! ```text
//! solids out of the engine   Bodies::solids   before the water steps
//! loads into the engine      Bodies::loads    after it
//! ```
//!
//! Guarantees: loads are in the order of the bodies' numbers: the same bits every time.
//! Limits:     the engine makes its own step, after the loads.
//! Source:     the shape of salva's coupling manager.

use crate::body::{Load, Motion, Pose, Solid};

/// Identity of a body. The engine chooses it; it stays the same as long as the body exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId(pub u64);

/// State of a body at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// Identity of the body.
    pub id: BodyId,
    /// Shape of the body; a clone of the same solid each time, so that results computed for it are
    /// reused.
    pub solid: Solid,
    /// Position and orientation of the body.
    pub pose: Pose,
    /// Velocity of the body.
    pub motion: Motion,
    /// Mass of the body, kg. `None` if the body is fixed, or if something else moves it; the body
    /// still acts on the water, and still gets its load.
    pub mass_kg: Option<f64>,
}

/// Owner of bodies: a physics engine, a list, or `()` for no bodies.
///
/// # Examples
///
/// A crate on a rope that moves up and down only:
///
/// ```
/// use thalweg::body::{Bodies, Body, BodyId, Load, Motion, Pose, Solid};
/// use thalweg::glam::DVec3;
///
/// struct Hanging {
///     solid: Solid,
///     up_m: f64,
///     pull_n: f64,
/// }
///
/// impl Bodies for Hanging {
///     fn solids(&mut self, put: &mut dyn FnMut(Body)) {
///         put(Body {
///             id: BodyId(1),
///             solid: self.solid.clone(),
///             pose: Pose::at([5.0, 5.0, self.up_m]),
///             motion: Motion::default(),
///             mass_kg: None,
///         });
///     }
///     fn loads(&mut self, loads: &[(BodyId, Load)]) {
///         for (_, load) in loads {
///             self.pull_n = 800.0 * 9.81 - load.force.z;
///         }
///     }
/// }
///
/// let mut crate_of_one = Hanging { solid: Solid::cuboid([1.0; 3])?, up_m: 3.0, pull_n: 0.0 };
/// let mut count = 0;
/// crate_of_one.solids(&mut |body| count += body.solid.pieces().len());
/// crate_of_one.loads(&[(BodyId(1), Load { force: 4905.0 * DVec3::Z, ..Load::default() })]);
/// assert_eq!(count, 1);
/// assert!((crate_of_one.pull_n - 2943.0).abs() < 1.0e-9);
/// # Ok::<(), thalweg::body::SolidError>(())
/// ```
pub trait Bodies {
    /// Calls `put` with every body that the water meets, each once, in an order that is the same in
    /// every run. A body that is left out no longer exists.
    fn solids(&mut self, put: &mut dyn FnMut(Body));

    /// Receives the loads of these bodies, in the order of their numbers. They apply until the next
    /// call.
    fn loads(&mut self, loads: &[(BodyId, Load)]);
}

/// No bodies.
impl Bodies for () {
    fn solids(&mut self, _: &mut dyn FnMut(Body)) {}
    fn loads(&mut self, _: &[(BodyId, Load)]) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_has_no_bodies() {
        let mut count = 0;
        ().solids(&mut |_| count += 1);
        ().loads(&[]);
        assert_eq!(count, 0);
    }
}
