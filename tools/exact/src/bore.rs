//! A bore: a step of depth that runs into still water.
//!
//! ```text
//! h₁ (u − s) = −h₀ s                     mass
//! s = √(g h₁ (h₁ + h₀) / (2 h₀))         speed of the step
//! u = s (1 − h₀/h₁)                      water behind it
//! ```
//!
//! Source: Rankine–Hugoniot conditions; Stoker (1957), Water Waves, §10.7.

use crate::GRAVITY;

/// A bore that runs east.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bore {
    behind_m: f64,
    ahead_m: f64,
}

impl Bore {
    /// Creates a bore with the depths behind and ahead, m, both above 0.
    #[must_use]
    pub fn new(behind_m: f64, ahead_m: f64) -> Self {
        Self { behind_m, ahead_m }
    }

    /// Returns the depth behind, m.
    #[must_use]
    pub fn behind_m(&self) -> f64 {
        self.behind_m
    }

    /// Returns the depth ahead, m.
    #[must_use]
    pub fn ahead_m(&self) -> f64 {
        self.ahead_m
    }

    /// Returns the speed of the step, m/s.
    #[must_use]
    pub fn speed_m_s(&self) -> f64 {
        let Self { behind_m, ahead_m } = self;
        (0.5 * GRAVITY * behind_m * (behind_m + ahead_m) / ahead_m).sqrt()
    }

    /// Returns the velocity of the water behind, m/s.
    #[must_use]
    pub fn velocity_m_s(&self) -> f64 {
        self.speed_m_s() * (1.0 - self.ahead_m / self.behind_m)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mass and momentum balance across the step, in its own frame.
    #[test]
    fn mass_and_momentum_balance() {
        for (behind, ahead) in [(1.1, 1.0), (2.0, 1.0), (5.0, 0.1)] {
            let bore = Bore::new(behind, ahead);
            let (speed, velocity) = (bore.speed_m_s(), bore.velocity_m_s());
            let mass = behind * (velocity - speed) + ahead * speed;
            assert!(mass.abs() < 1.0e-12 * speed, "{behind} {ahead}: mass {mass}");
            let force = |h: f64, u: f64| h * u * u + 0.5 * GRAVITY * h * h;
            let momentum = force(behind, velocity - speed) - force(ahead, -speed);
            let size = force(behind, velocity - speed);
            assert!(momentum.abs() < 1.0e-12 * size, "{behind} {ahead}: momentum {momentum}");
        }
    }
}
