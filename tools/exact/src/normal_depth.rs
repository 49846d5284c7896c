//! Uniform flow down a plane: friction balances the slope.
//!
//! ```text
//! q = √S h^(5/3) / n
//! ```
//!
//! Source: Manning's law for a wide channel; Chow (1959), Open-Channel Hydraulics, §6.3.

/// A uniform flow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UniformFlow {
    /// Manning's n, s/m^(1/3).
    pub manning_n: f64,
    /// Fall of the bed, m/m.
    pub slope: f64,
    /// Discharge per unit width, m²/s.
    pub discharge_m2_s: f64,
}

impl UniformFlow {
    /// Returns the normal depth, m.
    #[must_use]
    pub fn depth_m(&self) -> f64 {
        (self.discharge_m2_s * self.manning_n / self.slope.sqrt()).powf(0.6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metre_deep_on_a_slope_of_one_in_a_thousand() {
        let (manning_n, slope) = (0.03, 1.0e-3_f64);
        let flow = UniformFlow { manning_n, slope, discharge_m2_s: slope.sqrt() / manning_n };
        assert!((flow.depth_m() - 1.0).abs() < 1.0e-14);
    }
}
