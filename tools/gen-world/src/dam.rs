//! The dam: an earth embankment across the valley with an overflow in its middle.
//!
//! ```text
//!            crest ▁▁▁
//!   upstream ╱ 1:3     ╲ 1:2.5  downstream      overflow: a gap in the crest and a chute
//!  ▁▁▁▁▁▁▁▁╱             ╲▁▁▁▁▁▁▁▁▁              down the face, 3 m deep
//! ```

use crate::course::Watercourse;
use crate::lattice::CellLattice;

/// An embankment and its place.
#[derive(Debug, Clone, Copy)]
pub struct EarthDam {
    /// Local `x` of the middle of the crest, m east.
    pub x: f64,
    /// Local `y` of the middle of the crest, m south.
    pub y: f64,
    /// Unit vector downstream, across the crest.
    pub downstream: (f64, f64),
    /// Level of the crest, m above datum.
    pub crest_m: f64,
    /// Level at which the reservoir runs over, m above datum.
    pub sill_m: f64,
}

/// Crest above the valley floor, m; the crest's level is rounded to whole metres.
const RISE_M: f64 = 15.0;
/// Depth of the overflow below the crest, m.
const OVERFLOW_DEPTH_M: f64 = 3.0;
/// Half the width of the overflow, m.
const OVERFLOW_HALF_WIDTH_M: f64 = 19.0;
/// Half the thickness of the crest, m.
const CREST_HALF_M: f64 = 5.0;
/// Half the length along which the embankment may run, m.
const HALF_LENGTH_M: f64 = 170.0;
const UPSTREAM_SLOPE: f64 = 1.0 / 3.0;
const DOWNSTREAM_SLOPE: f64 = 1.0 / 2.5;

impl EarthDam {
    /// Makes a dam across the course at the point nearest to a place.
    #[must_use]
    pub fn across(course: &Watercourse, x: f64, y: f64) -> Self {
        let index = course.nearest(x, y);
        let point = course.points[index];
        let crest_m = (point.level_m + RISE_M).round();
        Self {
            x: point.x,
            y: point.y,
            downstream: course.direction(index),
            crest_m,
            sill_m: crest_m - OVERFLOW_DEPTH_M,
        }
    }

    /// Metres along the crest (to the right, looking downstream) and downstream of it.
    #[must_use]
    pub fn beside(&self, x: f64, y: f64) -> (f64, f64) {
        let (dx, dy) = (x - self.x, y - self.y);
        let (east, south) = self.downstream;
        (dy * east - dx * south, dx * east + dy * south)
    }

    /// Returns the level of the embankment's surface at a place, m; −∞ outside the embankment.
    #[must_use]
    pub fn surface_m(&self, x: f64, y: f64) -> f64 {
        let (along, down) = self.beside(x, y);
        if along.abs() > HALF_LENGTH_M {
            return f64::NEG_INFINITY;
        }
        let drop = if down < 0.0 {
            (-down - CREST_HALF_M).max(0.0) * UPSTREAM_SLOPE
        } else {
            (down - CREST_HALF_M).max(0.0) * DOWNSTREAM_SLOPE
        };
        let body_m = self.crest_m - drop;
        if along.abs() > OVERFLOW_HALF_WIDTH_M {
            return body_m;
        }
        let fall = (down - CREST_HALF_M).max(0.0) * DOWNSTREAM_SLOPE;
        body_m.min(self.sill_m - fall)
    }

    /// Puts the embankment on the ground and returns which cells it covers.
    pub fn build(&self, lattice: &CellLattice, heights: &mut [f64]) -> Vec<bool> {
        let mut is_dam = vec![false; lattice.count()];
        for cell in lattice.cells_near(self.x, self.y, 2.0 * HALF_LENGTH_M) {
            let (x, y) = lattice.centre(cell);
            let surface_m = self.surface_m(x, y);
            if surface_m > heights[cell] {
                heights[cell] = surface_m;
                is_dam[cell] = true;
            }
        }
        is_dam
    }
}
