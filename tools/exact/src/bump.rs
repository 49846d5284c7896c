//! Steady flow over a parabolic bump, without friction.
//!
//! ```text
//! h + z + q²/(2 g h²) = E                                         Bernoulli, piece by piece
//! q²/h₁ + g h₁²/2 = q²/h₂ + g h₂²/2                               across the jump
//! z = max(0, 0.2 − 0.05 (x − 10)²)
//! ```
//!
//! Source: Delestre et al. (2013), SWASHES, §3.1; Goutal & Maurel (1997), Proc. 2nd workshop on
//!         dam-break wave simulation.

use crate::bisect::root;
use crate::{ExactFlow, GRAVITY};

/// Length of the channel, m.
const LENGTH_M: f64 = 25.0;
/// Place of the crest, m.
const CREST_M: f64 = 10.0;
/// Half the length of the bump, m.
const HALF_M: f64 = 2.0;

/// Regime of the flow over the bump.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Regime {
    /// The flow stays slower than waves.
    Subcritical,
    /// The flow passes the speed of waves at the crest and stays faster.
    Transcritical,
    /// The flow passes the speed of waves at the crest and falls back in a jump here, m.
    Jump(f64),
}

/// A steady flow in a channel of 25 m.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bump {
    discharge_m2_s: f64,
    outlet_m: f64,
    regime: Regime,
}

impl Bump {
    /// Returns the flow of 4.42 m²/s under a stage of 2 m.
    #[must_use]
    pub fn subcritical() -> Self {
        Self { discharge_m2_s: 4.42, outlet_m: 2.0, regime: Regime::Subcritical }
    }

    /// Returns the flow of 1.53 m²/s from a stage of 0.66 m.
    #[must_use]
    pub fn transcritical() -> Self {
        Self { discharge_m2_s: 1.53, outlet_m: 0.66, regime: Regime::Transcritical }
    }

    /// Returns the flow of 0.18 m²/s against a stage of 0.33 m.
    #[must_use]
    pub fn with_jump() -> Self {
        let flow = Self { discharge_m2_s: 0.18, outlet_m: 0.33, regime: Regime::Transcritical };
        let force = |h: f64| {
            let q = flow.discharge_m2_s;
            q * q / h + 0.5 * GRAVITY * h * h
        };
        let excess = |x_m: f64| force(flow.fast(x_m)) - force(flow.slow(x_m, flow.outlet_head()));
        let jump_m = root(CREST_M + 1.0e-6, CREST_M + HALF_M, excess);
        Self { regime: Regime::Jump(jump_m), ..flow }
    }

    /// Returns the length of the channel, m.
    #[must_use]
    pub fn length_m(&self) -> f64 {
        LENGTH_M
    }

    /// Returns the discharge per unit width, m²/s.
    #[must_use]
    pub fn discharge_m2_s(&self) -> f64 {
        self.discharge_m2_s
    }

    /// Returns the depth at the outlet if the flow leaves slowly; the initial stage of the channel,
    /// m.
    #[must_use]
    pub fn outlet_m(&self) -> f64 {
        self.outlet_m
    }

    /// Returns the regime of the flow.
    #[must_use]
    pub fn regime(&self) -> Regime {
        self.regime
    }

    /// Returns the bed, m.
    #[must_use]
    pub fn bed_m(x_m: f64) -> f64 {
        let from_crest = x_m - CREST_M;
        (0.2 - 0.05 * from_crest * from_crest).max(0.0)
    }

    /// Returns the water at `x_m`.
    #[must_use]
    pub fn at(&self, x_m: f64) -> ExactFlow {
        let depth_m = match self.regime {
            Regime::Subcritical => self.slow(x_m, self.outlet_head()),
            Regime::Transcritical if x_m < CREST_M => self.slow(x_m, self.crest_head()),
            Regime::Jump(_) if x_m < CREST_M => self.slow(x_m, self.crest_head()),
            Regime::Jump(jump_m) if x_m >= jump_m => self.slow(x_m, self.outlet_head()),
            _ => self.fast(x_m),
        };
        ExactFlow { depth_m, velocity_m_s: self.discharge_m2_s / depth_m }
    }

    /// Returns the water on level ground ahead of the bump if only a share of the discharge flows,
    /// because the rest enters further on and brings no momentum: `q²/h + g h²/2` is the same all
    /// along.
    #[must_use]
    pub fn fed(&self, share: f64) -> ExactFlow {
        let whole = self.at(0.0);
        let force = |q: f64, h: f64| q * q / h + 0.5 * GRAVITY * h * h;
        let (all, q) = (force(self.discharge_m2_s, whole.depth_m), share * self.discharge_m2_s);
        let critical = (q * q / GRAVITY).cbrt();
        let highest = (2.0 * all / GRAVITY).sqrt();
        let depth_m = root(critical, highest + 1.0e-9, |h| force(q, h) - all);
        ExactFlow { depth_m, velocity_m_s: q / depth_m }
    }

    /// Returns the depth at which the flow is as fast as waves, m.
    fn critical(&self) -> f64 {
        (self.discharge_m2_s * self.discharge_m2_s / GRAVITY).cbrt()
    }

    /// Returns the head of a depth over a bed, m.
    fn head(&self, depth_m: f64, bed_m: f64) -> f64 {
        let velocity = self.discharge_m2_s / depth_m;
        depth_m + bed_m + velocity * velocity / (2.0 * GRAVITY)
    }

    fn outlet_head(&self) -> f64 {
        self.head(self.outlet_m, 0.0)
    }

    fn crest_head(&self) -> f64 {
        self.head(self.critical(), Self::bed_m(CREST_M))
    }

    /// Returns the depth of flow slower than waves that has a head, m.
    fn slow(&self, x_m: f64, head_m: f64) -> f64 {
        let bed_m = Self::bed_m(x_m);
        root(self.critical(), head_m - bed_m, |h| self.head(h, bed_m) - head_m)
    }

    /// Returns the depth of flow faster than waves that has the head of the crest, m.
    fn fast(&self, x_m: f64) -> f64 {
        let (bed_m, head_m) = (Self::bed_m(x_m), self.crest_head());
        root(0.01 * self.critical(), self.critical(), |h| self.head(h, bed_m) - head_m)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table;

    #[track_caller]
    fn check(bump: &Bump, name: &str) {
        for [x, h, u, z, q] in table::rows(name).unwrap_or_default() {
            let flow = bump.at(x);
            table::check("bed", &[x], Bump::bed_m(x), z, 1.0e-6);
            // The table repeats the depth before the jump in the cell after it.
            if matches!(bump.regime(), Regime::Jump(jump_m) if (x - jump_m).abs() < 0.0125) {
                continue;
            }
            table::check("depth", &[x], flow.depth_m, h, 2.0e-6);
            table::check("velocity", &[x], flow.velocity_m_s, u, 1.0e-5);
            table::check("discharge", &[x], bump.discharge_m2_s(), q, 1.0e-9);
        }
    }

    #[test]
    fn agrees_with_swashes() {
        check(&Bump::subcritical(), "bump_subcritical.csv");
        check(&Bump::transcritical(), "bump_transcritical_noshock.csv");
        check(&Bump::with_jump(), "bump_transcritical_shock.csv");
    }

    #[test]
    fn feeding_ends_at_the_flow_of_the_channel_and_begins_at_rest() {
        for bump in [Bump::subcritical(), Bump::transcritical(), Bump::with_jump()] {
            let (none, all) = (bump.fed(0.0), bump.fed(1.0));
            assert!((all.depth_m - bump.at(0.0).depth_m).abs() < 1.0e-12, "{bump:?}");
            assert!(none.velocity_m_s.abs() < 1.0e-12 && none.depth_m > all.depth_m, "{bump:?}");
        }
    }

    #[test]
    fn the_jump_stands_behind_the_crest() {
        let Regime::Jump(jump_m) = Bump::with_jump().regime() else { panic!("a jump") };
        assert!((11.0..12.0).contains(&jump_m), "{jump_m}");
    }
}
