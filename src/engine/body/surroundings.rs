//! The water around a body, by places instead of cells.
//!
//! ```text
//!              above
//!            ─────────         stage
//!   ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
//!   near  ▐  the body  ▌  near         each side sees its own water,
//!         ▐▄▄▄▄▄▄▄▄▄▄▄▄▌               the underside the water below it
//!            between
//!   ─────────────────────────────────  bed
//! ```
//!
//! Guarantees: none; the results are those of the implementation.
//! Limits:     one velocity over the depth.

use glam::DVec2;

/// Water at a place.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Nearby {
    /// Stage of the water there, m above datum; under a body that presses the water down, the head.
    pub stage_m: f64,
    /// Slope of the stage eastward and northward, m/m: 0 if it is not available.
    pub slope: DVec2,
    /// The bed below the water, m above datum. The pressure does not increase further below.
    pub bed_m: f64,
    /// Velocity of the water eastward and northward, m/s.
    pub velocity_m_s: DVec2,
}

impl Nearby {
    /// Creates still, level water.
    #[must_use]
    pub fn still(stage_m: f64, bed_m: f64) -> Self {
        Self { stage_m, bed_m, ..Self::default() }
    }
}

/// Source of the water around a body. Places are metres east and north of the south-west corner.
///
/// Each method returns `None` at dry places, and beyond the world.
///
/// # Examples
///
/// A lake, 3 m deep, east of a wall:
///
/// ```
/// use thalweg::body::{Nearby, Surroundings};
/// use thalweg::glam::DVec2;
///
/// struct Lake;
/// impl Surroundings for Lake {
///     fn cell_m(&self, _: DVec2) -> f64 {
///         1.0
///     }
///     fn near(&self, at: DVec2) -> Option<Nearby> {
///         (at.x > 10.0).then(|| Nearby::still(3.0, 0.0))
///     }
/// }
/// assert!(Lake.above(DVec2::new(5.0, 5.0)).is_none());
/// assert_eq!(Lake.between(DVec2::new(15.0, 5.0)).map(|water| water.stage_m), Some(3.0));
/// ```
pub trait Surroundings {
    /// Returns the width of the cell that contains a place, m.
    fn cell_m(&self, at: DVec2) -> f64;

    /// Returns the water of the cell that contains the place, for the sides of a body.
    ///
    /// The stage is that at the place, and the slope must not reach across a wall: water beside a
    /// side is read at some distance from the side, and the stage is extrapolated along the slope
    /// to the side.
    fn near(&self, at: DVec2) -> Option<Nearby>;

    /// Returns the water under a body, between the centres of cells: a surface with its slope.
    /// Under a body on the bed it is the surrounding water, which seeps below it.
    fn between(&self, at: DVec2) -> Option<Nearby> {
        self.near(at)
    }

    /// Returns the water over a body; if the body does not cover the cell, the water of the cell.
    fn above(&self, at: DVec2) -> Option<Nearby> {
        self.between(at)
    }
}
