//! Terms that shallow water leaves out unless switched on: eddy viscosity, wind and Coriolis.
//!
//! ```text
//! ν   = constant,  or  (C Δ)² √(2 u_x² + 2 v_y² + (u_y + v_x)²)   Smagorinsky
//! u*  = u + Δt/(h̄ Δ²) Σ ±ν h (u_beside − u)         over the four sides of a volume
//! u*  = u* cos a + v sin a,  a = 2 atan(½ f Δt)                     Coriolis
//! u*  = u* + Δt ρ_air C_d |W| W / (ρ h)                             wind, at h ≥ 0.1 m
//! ```
//!
//! Viscosity gives to one control volume the momentum that it takes from the next. The number of a
//! corner is the smallest of its four cells, so a dry one leaves a wall smooth. The rotation keeps
//! the speed of uniform flow: inertial circles neither grow nor shrink; its angle is f Δt within
//! (f Δt)³/12.
//!
//! Limits:     ν h ∇u, not the full stress tensor; ν Δt/Δ² is at most ⅛: beyond, a constant ν is
//!             cut and its faces are counted as clamped. Automatic steps keep its ν Δt/Δ² within
//!             0.175, so they may cut a ν of more than ⅝ of the pace times Δ. Smagorinsky's ν is
//!             cut where velocities jump, and not counted. One wind for the whole world.
//! Source:     Smagorinsky (1963), Mon. Weather Rev. 91; C_d = (0.75 + 0.067 |W|)·10⁻³: Garratt
//!             (1977), Mon. Weather Rev. 105.

use crate::grid::Axis;
use crate::units::maths;
use serde::{Deserialize, Serialize};

/// Mixing of momentum by eddies smaller than a cell.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Viscosity {
    /// No mixing.
    Off,
    /// The same viscosity everywhere, m²/s.
    Constant(f64),
    /// Viscosity of the local strain; the coefficient C is usually 0.1 to 0.3.
    Smagorinsky(f64),
}

/// The terms of a simulation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Terms {
    /// Eddy viscosity.
    pub viscosity: Viscosity,
    /// Wind at 10 m above the water, eastward and northward, m/s.
    pub wind_m_s: [f64; 2],
    /// Coriolis parameter f = 2 Ω sin φ, 1/s; positive on the northern half of the Earth.
    pub coriolis_per_s: f64,
}

impl Terms {
    /// No terms.
    pub const NONE: Self =
        Self { viscosity: Viscosity::Off, wind_m_s: [0.0; 2], coriolis_per_s: 0.0 };

    /// Returns the speed that viscosity adds in the Courant number, m/s: ν Δt/Δ² stays within a
    /// quarter of the Courant number that steps aim at.
    #[must_use]
    pub fn viscous_speed(&self, cell_width_m: f64) -> f64 {
        match self.viscosity {
            Viscosity::Constant(nu) => 4.0 * nu / cell_width_m,
            Viscosity::Off | Viscosity::Smagorinsky(_) => 0.0,
        }
    }
}

/// Largest ν Δt/Δ².
// At ⅛ the four sides of a volume replace at most half of its velocity in a step; beyond ¼ they
// would carry it past the velocities around it.
const NUMBER_MOST: f64 = 0.125;
/// Density of air over that of water.
const AIR: f64 = 1.2e-3;
/// Depth below which wind pushes no harder, m.
// Wind adds speed in proportion to 1/h, which has no bound as a film becomes thinner.
const WIND_DEPTH_MIN: f32 = 0.1;

/// Constants of the terms for one step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TermParams {
    /// Twice the constant ν Δt/Δ².
    pub(super) number: f32,
    /// Twice C² of Smagorinsky.
    pub(super) smagorinsky: f32,
    /// ν Δt/Δ² was cut.
    pub is_cut: bool,
    /// cos a, sin a.
    turn: [f32; 2],
    /// Δt ρ_air C_d |W| W / ρ, m²/s.
    wind: [f32; 2],
}

impl TermParams {
    /// Computes the constants for a step of `dt_s` on cells of `cell_width_m`.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
    pub fn new(terms: &Terms, dt_s: f64, cell_width_m: f64) -> Self {
        let (constant, c2) = match terms.viscosity {
            Viscosity::Off => (0.0, 0.0),
            Viscosity::Constant(nu) => (nu * dt_s / (cell_width_m * cell_width_m), 0.0),
            Viscosity::Smagorinsky(c) => (0.0, c * c),
        };
        // tan(a/2) = ½ f Δt gives sine and cosine of a by + − × ÷ alone.
        let half = 0.5 * terms.coriolis_per_s * dt_s;
        let (square, sum) = (half * half, 1.0 + half * half);
        let [east, north] = terms.wind_m_s;
        let speed = (east * east + north * north).sqrt();
        let drag = dt_s * AIR * (0.75 + 0.067 * speed) * 1.0e-3 * speed;
        Self {
            number: 2.0 * constant.min(NUMBER_MOST) as f32,
            smagorinsky: (2.0 * c2) as f32,
            is_cut: constant > NUMBER_MOST,
            turn: [((1.0 - square) / sum) as f32, (2.0 * half / sum) as f32],
            wind: [(drag * east) as f32, (drag * north) as f32],
        }
    }

    /// Terms of a fluid of a density of `parts` times that of water, which the wind pushes.
    #[must_use]
    pub fn of_density(self, parts: f32) -> Self {
        Self { wind: self.wind.map(|push| push / parts), ..self }
    }

    /// Returns the velocity `u` along `axis` after wind and rotation, with `v` across it, at a flow
    /// depth of `h_f` metres.
    #[inline(always)]
    #[must_use]
    pub fn push(&self, axis: Axis, u: f32, v: f32, h_f: f32) -> f32 {
        let [cos, sin] = self.turn;
        let turned = if axis == Axis::X { cos * u + sin * v } else { cos * u - sin * v };
        turned + self.wind[axis] / maths::max(h_f, WIND_DEPTH_MIN)
    }
}
