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

use crate::GRAVITY;
use crate::PlaneFlow;

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
    /// The case of SWASHES, in a square of 4 m.
    #[must_use]
    pub fn swashes() -> Self {
        Self { depth_m: 0.1, radius_m: 1.0, start_m: 0.8 }
    }

    /// Time of a rise and fall, s.
    #[must_use]
    pub fn period_s(&self) -> f64 {
        std::f64::consts::TAU / self.turn_per_s()
    }

    /// Bed, m.
    #[must_use]
    pub fn bed_m(&self, [x, y]: [f64; 2]) -> f64 {
        self.depth_m * ((x * x + y * y) / (self.radius_m * self.radius_m) - 1.0)
    }

    /// Distance of a place from the shoreline, m: negative on land.
    #[must_use]
    pub fn inside_m(&self, [x, y]: [f64; 2], time_s: f64) -> f64 {
        let (swing, narrowing) = (self.swing(), self.narrowing(time_s));
        let shore = (narrowing / (1.0 - swing * swing).sqrt()).sqrt();
        self.radius_m * shore - x.hypot(y)
    }

    /// Water at a place after `time_s`.
    #[must_use]
    pub fn at(&self, [x, y]: [f64; 2], time_s: f64) -> PlaneFlow {
        let (swing, narrowing) = (self.swing(), self.narrowing(time_s));
        let rest = (1.0 - swing * swing).sqrt() / narrowing;
        let r2 = (x * x + y * y) / (self.radius_m * self.radius_m);
        let depth_m = self.depth_m * (rest - r2 * rest * rest);
        let turn = self.turn_per_s();
        let spread = 0.5 * turn * swing * (turn * time_s).sin() / narrowing;
        PlaneFlow::new(depth_m, [spread * x, spread * y])
    }

    /// A.
    fn swing(&self) -> f64 {
        let (a2, r2) = (self.radius_m * self.radius_m, self.start_m * self.start_m);
        (a2 - r2) / (a2 + r2)
    }

    /// f.
    fn narrowing(&self, time_s: f64) -> f64 {
        1.0 - self.swing() * (self.turn_per_s() * time_s).cos()
    }

    /// ω, 1/s.
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
    fn the_shore_is_where_the_depth_ends() {
        let bowl = ThackerRadial::swashes();
        let shore_m = 0.8_f64.sqrt();
        assert!(bowl.inside_m([0.0, shore_m], 0.0).abs() < 1.0e-12);
        assert!(bowl.at([0.0, shore_m - 1.0e-3], 0.0).depth_m > 0.0);
        assert!(bowl.at([0.0, shore_m + 1.0e-3], 0.0).depth_m <= 0.0);
    }
}
