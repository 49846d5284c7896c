//! The water around a body, as a load reads it: at places, not in cells.
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
//! Guarantees: none; whoever holds the water answers.
//! Limits:     one velocity over the depth.

use glam::DVec2;

/// Water at a place.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Nearby {
    /// Stage of the water there, m above datum; under a body that holds it down, the head.
    pub stage_m: f64,
    /// How the stage rises eastward and northward, m/m: 0 where it is not known.
    pub slope: DVec2,
    /// The bed below it, m above datum. No pressure grows further below.
    pub bed_m: f64,
    /// Velocity of the water eastward and northward, m/s.
    pub velocity_m_s: DVec2,
}

impl Nearby {
    /// Still, level water.
    #[must_use]
    pub fn still(stage_m: f64, bed_m: f64) -> Self {
        Self { stage_m, bed_m, ..Self::default() }
    }
}

/// Source of the water around a body. Places are metres east and north of the south-west corner.
///
/// Each answers `None` where it is dry, and beyond the world.
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
    /// Width of the cell that holds a place, m.
    fn cell_m(&self, at: DVec2) -> f64;

    /// Water of the cell that holds the place: what stands beside a body's side.
    ///
    /// The stage is the one at the place, and the slope must not reach across a wall: water beside
    /// a side is read at some distance from the side, and the stage is carried along the slope to
    /// the side.
    fn near(&self, at: DVec2) -> Option<Nearby>;

    /// Water under a body, between the centres of cells: a surface with its slope. Where a body
    /// lies on the bed it is the water around that seeps below it.
    fn between(&self, at: DVec2) -> Option<Nearby> {
        self.near(at)
    }

    /// Water over a body; where the body does not cover the cell, that of the cell.
    fn above(&self, at: DVec2) -> Option<Nearby> {
        self.between(at)
    }
}
