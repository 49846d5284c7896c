//! A plane surface that swings in a parabola, with moving shores.
//!
//! ```text
//! z = h₀ (x²/a² − 1),   h = h₀ (1 − (x + s cos ωt)²/a²),   u = s ω sin ωt,   ω = √(2 g h₀)/a
//! ```
//!
//! Source: Thacker (1981), J. Fluid Mech. 107:499-508; Delestre et al. (2013), SWASHES, §4.2.1,
//!         with `h₀ = 0.5 m`, `a = 1 m`, `s = 0.5 m`.

use crate::{ExactFlow, GRAVITY};

/// The swinging water; `x = 0` is the lowest place of the bed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThackerLine {
    /// Depth in the middle at rest h₀, m.
    pub depth_m: f64,
    /// Half the width at rest a, m.
    pub half_m: f64,
    /// Distance that the water swings to each side s, m.
    pub swing_m: f64,
}

impl ThackerLine {
    /// Returns the case of SWASHES, in a channel of 4 m.
    #[must_use]
    pub fn swashes() -> Self {
        Self { depth_m: 0.5, half_m: 1.0, swing_m: 0.5 }
    }

    /// Returns the time of a swing there and back, s.
    #[must_use]
    pub fn period_s(&self) -> f64 {
        std::f64::consts::TAU / self.turn_per_s()
    }

    /// Returns the bed, m.
    #[must_use]
    pub fn bed_m(&self, x_m: f64) -> f64 {
        self.depth_m * ((x_m / self.half_m).powi(2) - 1.0)
    }

    /// Returns the distance inside the nearer place where the water is `depth_m` deep, m: negative
    /// beyond it. A depth of 0 is the shore.
    #[must_use]
    pub fn inside_m(&self, x_m: f64, time_s: f64, depth_m: f64) -> f64 {
        let middle = -self.swing_m * (self.turn_per_s() * time_s).cos();
        self.half_m * (1.0 - depth_m / self.depth_m).sqrt() - (x_m - middle).abs()
    }

    /// Returns the water at `x_m` after `time_s`.
    #[must_use]
    pub fn at(&self, x_m: f64, time_s: f64) -> ExactFlow {
        let turn = self.turn_per_s();
        let (sin, cos) = (turn * time_s).sin_cos();
        let from_middle = (x_m + self.swing_m * cos) / self.half_m;
        let depth_m = self.depth_m * (1.0 - from_middle * from_middle);
        if depth_m > 0.0 {
            ExactFlow { depth_m, velocity_m_s: self.swing_m * turn * sin }
        } else {
            ExactFlow::DRY
        }
    }

    /// Returns ω, 1/s.
    fn turn_per_s(&self) -> f64 {
        (2.0 * GRAVITY * self.depth_m).sqrt() / self.half_m
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table;

    #[test]
    fn agrees_with_swashes() {
        let bowl = ThackerLine::swashes();
        for [x, h, u, z, _] in table::rows("thacker_planar_1d.csv").unwrap_or_default() {
            let flow = bowl.at(x - 2.0, 10.0303);
            table::check("bed", &[x], bowl.bed_m(x - 2.0), z, 1.0e-6);
            table::check("depth", &[x], flow.depth_m, h, 1.0e-6);
            // Printed after a time of six digits, in which the water turns by 10⁻⁴.
            table::check("velocity", &[x], flow.velocity_m_s, u, 2.0e-4);
        }
    }

    #[test]
    fn contours_are_where_the_water_is_that_deep() {
        let bowl = ThackerLine::swashes();
        for (x, time_s) in [(0.0, 0.0), (0.2, 0.3), (-0.4, 1.0)] {
            let depth_m = bowl.at(x, time_s).depth_m;
            assert!(bowl.inside_m(x, time_s, depth_m).abs() < 1.0e-12, "{x} m, {time_s} s");
            assert!(bowl.inside_m(x, time_s, 0.0) > 0.0, "{x} m, {time_s} s");
        }
    }
}
