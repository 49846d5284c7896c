//! Dam break onto dry ground: one fan, whose tip runs ahead at twice the speed of long waves.
//!
//! ```text
//! h = (2 c − x/t)²/(9 g),   u = 2 (c + x/t)/3,   −c t < x < 2 c t,   c = √(g h₀)
//! ```
//!
//! Source: Ritter (1892), Die Fortpflanzung der Wasserwellen, Z. Ver. Dtsch. Ing. 36.

use crate::{ExactFlow, GRAVITY};

/// A dam at `x = 0` that is removed at `t = 0`, water at rest to the west.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ritter {
    depth_m: f64,
}

impl Ritter {
    /// Creates a dam break with a depth behind the dam, m.
    #[must_use]
    pub fn new(depth_m: f64) -> Self {
        Self { depth_m }
    }

    /// Returns the speed of the tip, the largest speed of the water, m/s.
    #[must_use]
    pub fn tip_m_s(&self) -> f64 {
        2.0 * self.wave()
    }

    /// Returns the water at `x_m` after `time_s`.
    #[must_use]
    pub fn at(&self, x_m: f64, time_s: f64) -> ExactFlow {
        let wave = self.wave();
        if x_m <= -wave * time_s {
            return ExactFlow { depth_m: self.depth_m, velocity_m_s: 0.0 };
        }
        if x_m >= self.tip_m_s() * time_s {
            return ExactFlow::DRY;
        }
        let along = x_m / time_s;
        let celerity = (2.0 * wave - along) / 3.0;
        let depth_m = celerity * celerity / GRAVITY;
        ExactFlow { depth_m, velocity_m_s: (wave + along) * 2.0 / 3.0 }
    }

    fn wave(&self) -> f64 {
        (GRAVITY * self.depth_m).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table;

    #[test]
    fn agrees_with_swashes() {
        let dam = Ritter::new(0.005);
        for [x, h, u, _, q] in table::rows("dam_ritter.csv").unwrap_or_default() {
            let flow = dam.at(x - 5.0, 6.0);
            table::check("depth", &[x], flow.depth_m, h, 1.0e-9);
            table::check("velocity", &[x], flow.velocity_m_s, u, 1.0e-7);
            table::check("discharge", &[x], flow.depth_m * flow.velocity_m_s, q, 1.0e-9);
        }
    }
}
