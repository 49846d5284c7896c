//! A plane surface that turns in a paraboloid, with a moving shoreline.
//!
//! ```text
//! z = h₀ (r²/a² − 1),   h = h₀ (1 − |x − c|²/a²),   c = s (cos ωt, sin ωt),   ω = √(2 g h₀)/a
//! u = dc/dt everywhere
//! ```
//!
//! Source: Thacker (1981), J. Fluid Mech. 107:499-508; Delestre et al. (2013), SWASHES, §4.2.2,
//!         with `h₀ = 0.1 m`, `a = 1 m`, `s = 0.5 m`.

use crate::{GRAVITY, PlaneFlow};

/// The turning water; the origin is the lowest place of the bed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThackerPlanar {
    /// Depth in the middle at rest h₀, m.
    pub depth_m: f64,
    /// Radius of the shore a, m.
    pub radius_m: f64,
    /// Distance s of the middle of the water from the origin, around which it turns, m.
    pub swing_m: f64,
}

impl ThackerPlanar {
    /// Returns the case of SWASHES, in a square of 4 m.
    #[must_use]
    pub fn swashes() -> Self {
        Self { depth_m: 0.1, radius_m: 1.0, swing_m: 0.5 }
    }

    /// Returns the time of a turn, s.
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
        let (sin, cos) = (self.turn_per_s() * time_s).sin_cos();
        let radius_m = self.radius_m * (1.0 - depth_m / self.depth_m).sqrt();
        radius_m - (x - self.swing_m * cos).hypot(y - self.swing_m * sin)
    }

    /// Returns the water at a place after `time_s`.
    #[must_use]
    pub fn at(&self, place: [f64; 2], time_s: f64) -> PlaneFlow {
        let turn = self.turn_per_s();
        let (sin, cos) = (turn * time_s).sin_cos();
        let from_middle = 1.0 - self.inside_m(place, time_s, 0.0) / self.radius_m;
        let depth_m = self.depth_m * (1.0 - from_middle * from_middle);
        let speed = self.swing_m * turn;
        PlaneFlow::new(depth_m, [-speed * sin, speed * cos])
    }

    /// Returns ω, 1/s.
    fn turn_per_s(&self) -> f64 {
        (2.0 * GRAVITY * self.depth_m).sqrt() / self.radius_m
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table;

    #[test]
    fn agrees_with_swashes() {
        let bowl = ThackerPlanar::swashes();
        for [x, y, h, u, v, z] in table::rows("thacker_planar_2d.csv").unwrap_or_default() {
            let place = [x - 2.0, y - 2.0];
            let flow = bowl.at(place, 13.4571);
            table::check("bed", &[x, y], bowl.bed_m(place), z, 1.0e-6);
            table::check("depth", &[x, y], flow.depth_m, h, 2.0e-6);
            if flow.depth_m > 1.0e-5 {
                table::check("velocity x", &[x, y], flow.velocity_m_s[0], u, 5.0e-5);
                table::check("velocity y", &[x, y], flow.velocity_m_s[1], v, 5.0e-5);
            }
        }
    }
}
