//! A round surface that rises and falls in a paraboloid, with a moving shoreline.
//!
//! ```text
//! z = h₀ (r²/a² − 1),   A = (a² − r₀²)/(a² + r₀²),   f = 1 − A cos ωt,   ω = √(8 g h₀)/a
//! h = h₀ (√(1 − A²)/f − r²/a² (1 − A²)/f²),   u = ½ ω A sin ωt / f · (x, y)
//! ```
//!
//! The shore begins at √(a r₀).
//!
//! Source: Thacker (1981), J. Fluid Mech. 107:499-508; Delestre et al. (2013), SWASHES, §4.2.2,
//!         with `h₀ = 0.1 m`, `a = 1 m`, `r₀ = 0.8 m`.

use crate::{GRAVITY, PlaneFlow};

/// The breathing water; the origin is the lowest place of the bed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThackerRadial {
    /// Depth in the middle at rest h₀, m.
    pub depth_m: f64,
    /// Radius of the shore at rest a, m.
    pub radius_m: f64,
    /// The parameter r₀, m.
    pub start_m: f64,
}

impl ThackerRadial {
    /// Returns the case of SWASHES, in a square of 4 m.
    #[must_use]
    pub fn swashes() -> Self {
        Self { depth_m: 0.1, radius_m: 1.0, start_m: 0.8 }
    }

    /// Returns the time of a rise and fall, s.
    #[must_use]
    pub fn period_s(&self) -> f64 {
        std::f64::consts::TAU / self.turn_per_s()
    }

    /// Returns the bed, m.
    #[must_use]
    pub fn bed_m(&self, [x, y]: [f64; 2]) -> f64 {
        self.depth_m * ((x * x + y * y) / (self.radius_m * self.radius_m) - 1.0)
    }

    /// Returns the distance of a place inside the line where the water is `depth_m` deep, m:
    /// negative beyond it. A depth of 0 is the shoreline.
    #[must_use]
    pub fn inside_m(&self, [x, y]: [f64; 2], time_s: f64, depth_m: f64) -> f64 {
        let rest = self.rest(time_s);
        self.radius_m * (rest - depth_m / self.depth_m).sqrt() / rest - x.hypot(y)
    }

    /// Returns the water at a place after `time_s`.
    #[must_use]
    pub fn at(&self, [x, y]: [f64; 2], time_s: f64) -> PlaneFlow {
        let rest = self.rest(time_s);
        let r2 = (x * x + y * y) / (self.radius_m * self.radius_m);
        let depth_m = self.depth_m * (rest - r2 * rest * rest);
        let turn = self.turn_per_s();
        let spread = 0.5 * turn * self.swing() * (turn * time_s).sin() / self.narrowing(time_s);
        PlaneFlow::new(depth_m, [spread * x, spread * y])
    }

    /// Returns A.
    fn swing(&self) -> f64 {
        let (a2, r2) = (self.radius_m * self.radius_m, self.start_m * self.start_m);
        (a2 - r2) / (a2 + r2)
    }

    /// Returns √(1 − A²)/f: depth in the middle over that at rest.
    fn rest(&self, time_s: f64) -> f64 {
        (1.0 - self.swing() * self.swing()).sqrt() / self.narrowing(time_s)
    }

    /// Returns f.
    fn narrowing(&self, time_s: f64) -> f64 {
        1.0 - self.swing() * (self.turn_per_s() * time_s).cos()
    }

    /// Returns ω, 1/s.
    fn turn_per_s(&self) -> f64 {
        (8.0 * GRAVITY * self.depth_m).sqrt() / self.radius_m
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table;

    #[test]
    fn agrees_with_swashes() {
        let bowl = ThackerRadial::swashes();
        for [x, y, h, u, v, z] in table::rows("thacker_radial_2d.csv").unwrap_or_default() {
            let place = [x - 2.0, y - 2.0];
            let flow = bowl.at(place, 6.72855);
            table::check("bed", &[x, y], bowl.bed_m(place), z, 1.0e-6);
            table::check("depth", &[x, y], flow.depth_m, h, 2.0e-6);
            if flow.depth_m > 1.0e-5 {
                table::check("velocity x", &[x, y], flow.velocity_m_s[0], u, 5.0e-5);
                table::check("velocity y", &[x, y], flow.velocity_m_s[1], v, 5.0e-5);
            }
        }
    }

    #[test]
    fn contours_are_where_the_water_is_that_deep() {
        let bowl = ThackerRadial::swashes();
        assert!(bowl.inside_m([0.0, 0.8_f64.sqrt()], 0.0, 0.0).abs() < 1.0e-12);
        for (place, time_s) in [([0.3, 0.4], 0.0), ([0.1, -0.7], 0.3), ([0.0, 0.0], 1.0)] {
            let depth_m = bowl.at(place, time_s).depth_m;
            assert!(bowl.inside_m(place, time_s, depth_m).abs() < 1.0e-12, "{place:?}, {time_s} s");
        }
    }
}
