//! A drain: an opening in the ground that water falls into.
//!
//! ```text
//! weir along its rim   Q = 1.66 P h^(3/2)
//! orifice              Q = 0.67 A √(2 g h)          the less of the two
//! ```
//!
//! Limits: what is below never fills.
//! Source: FHWA (2009), Urban Drainage Design Manual, HEC-22, eq. (4-26) and (4-27).

use serde::Serialize;

/// Coefficient of the weir, m^(1/2)/s.
const WEIR: f64 = 1.66;

/// Coefficient of the orifice.
const ORIFICE: f64 = 0.67;

/// A drain as its law.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Drain {
    /// Open area, m².
    pub area_m2: f64,
    /// Length of its rim, m.
    pub perimeter_m: f64,
    /// Gravitational acceleration, m/s².
    pub gravity: f64,
}

impl Drain {
    /// What falls in from `head_m` of water over its rim, m³/s.
    #[must_use]
    pub fn discharge(&self, head_m: f64) -> f64 {
        if head_m > 0.0 {
            let weir = WEIR * self.perimeter_m * head_m * head_m.sqrt();
            let orifice = ORIFICE * self.area_m2 * (2.0 * self.gravity * head_m).sqrt();
            if weir < orifice { weir } else { orifice }
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drain_is_a_weir_first_and_an_orifice_then() {
        let drain = Drain { area_m2: 0.36, perimeter_m: 2.4, gravity: 9.81 };
        for (head, expected) in [(-1.0, 0.0), (0.0, 0.0), (0.1, 0.125_98), (1.0, 1.068_4)] {
            let got = drain.discharge(head);
            assert!((got - expected).abs() < 1.0e-3, "{head} m: {got} m³/s, not {expected}");
        }
    }
}
