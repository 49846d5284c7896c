//! Dam break onto water: a fan runs back, a bore runs ahead, still depths between them.
//!
//! ```text
//!  h_l ────╲
//!           ╲ fan
//!            ╲________ h_m
//!                     |  bore
//!                     |________ h_r
//! ```
//!
//! Source: Stoker (1957), Water Waves, §10.8; the bore's depth by bisection of the velocity at the
//!         end of the fan against that behind the bore.

use crate::bisect::root;
use crate::{Bore, ExactFlow, GRAVITY};

/// A dam at `x = 0` that is removed at `t = 0`, water at rest on both sides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stoker {
    behind_m: f64,
    bore: Bore,
}

impl Stoker {
    /// Creates a dam break with depths behind the dam (to the west) and ahead of it, m.
    ///
    /// # Panics
    ///
    /// Unless `behind_m > ahead_m > 0`.
    #[must_use]
    pub fn new(behind_m: f64, ahead_m: f64) -> Self {
        assert!(behind_m > ahead_m && ahead_m > 0.0, "{behind_m} m onto {ahead_m} m");
        let bore_of = |middle_m| Bore::new(middle_m, ahead_m);
        let fan_m_s = |middle_m: f64| 2.0 * (wave(behind_m) - wave(middle_m));
        let excess = |middle_m| bore_of(middle_m).velocity_m_s() - fan_m_s(middle_m);
        Self { behind_m, bore: bore_of(root(ahead_m, behind_m, excess)) }
    }

    /// Returns the bore.
    #[must_use]
    pub fn bore(&self) -> Bore {
        self.bore
    }

    /// Returns the water at `x_m` after `time_s`.
    #[must_use]
    pub fn at(&self, x_m: f64, time_s: f64) -> ExactFlow {
        let middle_m = self.bore.behind_m();
        let (behind, velocity) = (wave(self.behind_m), self.bore.velocity_m_s());
        if x_m < -behind * time_s {
            ExactFlow { depth_m: self.behind_m, velocity_m_s: 0.0 }
        } else if x_m < (velocity - wave(middle_m)) * time_s {
            let along = x_m / time_s;
            let celerity = (2.0 * behind - along) / 3.0;
            let depth_m = celerity * celerity / GRAVITY;
            ExactFlow { depth_m, velocity_m_s: (behind + along) * 2.0 / 3.0 }
        } else if x_m < self.bore.speed_m_s() * time_s {
            ExactFlow { depth_m: middle_m, velocity_m_s: velocity }
        } else {
            ExactFlow { depth_m: self.bore.ahead_m(), velocity_m_s: 0.0 }
        }
    }
}

fn wave(depth_m: f64) -> f64 {
    (GRAVITY * depth_m).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table;

    /// SWASHES finds the middle depth by an iteration that ends 3·10⁻⁶ away from the root.
    #[test]
    fn agrees_with_swashes() {
        let dam = Stoker::new(0.005, 0.001);
        for [x, h, u, _, q] in table::rows("dam_stoker.csv").unwrap_or_default() {
            let flow = dam.at(x - 5.0, 6.0);
            table::check("depth", &[x], flow.depth_m, h, 1.0e-8);
            table::check("velocity", &[x], flow.velocity_m_s, u, 1.0e-6);
            table::check("discharge", &[x], flow.depth_m * flow.velocity_m_s, q, 2.0e-9);
        }
    }

    /// The volume that passes the dam equals the volume that is ahead of it.
    #[test]
    fn volume_is_kept() {
        let (dam, time_s) = (Stoker::new(0.5, 0.005), 1.5);
        let x = |i: i32| (f64::from(i) + 0.5) * 1.0e-4;
        let before = |x| if x < 0.0 { 0.5 } else { 0.005 };
        let gain: f64 =
            (-60_000..60_000).map(|i| dam.at(x(i), time_s).depth_m - before(x(i))).sum();
        assert!((gain * 1.0e-4).abs() < 1.0e-4, "{gain}");
    }
}
