//! Terms that shallow water leaves out unless asked: eddy viscosity, wind and Coriolis.
//!
//! ```text
//! ν   = constant,  or  (C Δ)² √(2 u_x² + 2 v_y² + (u_y + v_x)²)   Smagorinsky
//! u*  = u + Δt/(h̄ Δ²) Σ ±ν h (u_beside − u)         over the four sides of a volume
//! u*  = u* cos a + v sin a,  a = 2 atan(½ f Δt)                     Coriolis
//! u*  = u* + Δt ρ_air C_d |W| W / (ρ h)                             wind, at h ≥ 0.1 m
//! ```
//!
//! Viscosity gives to the next control volume what it takes from one. The number of a corner is the
//! smallest of its four cells, so a dry one leaves a wall smooth. The rotation keeps the speed of
//! uniform flow: inertial circles neither grow nor shrink; its angle is f Δt within (f Δt)³/12.
//!
//! Limits:     ν h ∇u, not the full stress tensor; ν Δt/Δ² is at most ⅛: automatic steps keep a
//!             constant ν within, fixed ones are cut and counted, Smagorinsky's is cut where
//!             velocities jump; one wind for the whole world.
//! Source:     Smagorinsky (1963), Mon. Weather Rev. 91; C_d = (0.75 + 0.067 |W|)·10⁻³: Garratt
//!             (1977), Mon. Weather Rev. 105.

use crate::flow::params::StepParams;
use crate::flow::shallow::{ALL, FIRST, part};
use crate::tile::padded::Padded;
use crate::units::maths;
use serde::{Deserialize, Serialize};

/// How eddies smaller than a cell mix momentum.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Viscosity {
    /// They do not.
    Off,
    /// With the same viscosity everywhere, m²/s.
    Constant(f64),
    /// With that of the local strain; the coefficient C is usually 0.1 to 0.3.
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
    /// None of them.
    pub const NONE: Self =
        Self { viscosity: Viscosity::Off, wind_m_s: [0.0; 2], coriolis_per_s: 0.0 };

    /// Speed that viscosity adds in the Courant number, so that ν Δt/Δ² stays within ⅛, m/s.
    #[must_use]
    pub fn viscous_speed(&self, cell_width_m: f64) -> f64 {
        match self.viscosity {
            Viscosity::Constant(nu) => 4.0 * nu / cell_width_m,
            Viscosity::Off | Viscosity::Smagorinsky(_) => 0.0,
        }
    }
}

/// Largest ν Δt/Δ².
const NUMBER_MOST: f64 = 0.125;
/// Twice that.
const DOUBLED_MOST: f32 = 0.25;
/// Density of air over that of water.
const AIR: f64 = 1.2e-3;
/// Depth below which wind pushes no harder, m.
const WIND_DEPTH_MIN: f32 = 0.1;

/// Constants of the terms for one step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TermParams {
    /// Twice the constant ν Δt/Δ².
    number: f32,
    /// Twice C² of Smagorinsky.
    smagorinsky: f32,
    /// ν Δt/Δ² was cut.
    pub is_cut: bool,
    /// cos a, sin a.
    turn: [f32; 2],
    /// Δt ρ_air C_d |W| W / ρ, m²/s.
    wind: [f32; 2],
}

impl TermParams {
    /// Works them out for a step of `dt_s` on cells of `cell_width_m`.
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

    /// Velocity `u` along `axis` (0 eastward, 1 northward) after wind and rotation, with `v` across
    /// it, at a flow depth of `h_f` metres.
    #[inline(always)]
    #[must_use]
    pub fn push(&self, axis: usize, u: f32, v: f32, h_f: f32) -> f32 {
        let [cos, sin] = self.turn;
        let turned = if axis == 0 { cos * u + sin * v } else { cos * u - sin * v };
        turned + self.wind[axis] / maths::max(h_f, WIND_DEPTH_MIN)
    }
}

/// Twice ν Δt/Δ² times the depth of the cells of three rows: south of a row, the row, north of it.
#[derive(Debug)]
pub struct Eddies {
    rows: [[f32; ALL]; 3],
}

impl Default for Eddies {
    fn default() -> Self {
        Self { rows: [[0.0; ALL]; 3] }
    }
}

impl Eddies {
    /// Goes on to `row`, with the velocities of the rows to its north.
    #[inline(always)]
    #[expect(clippy::cast_precision_loss, reason = "a viscosity is a float")]
    pub fn advance(&mut self, tile: &Padded, row: i32, params: &StepParams) {
        let (terms, cells_per_m_s) = (&params.terms, params.cells_per_m_s);
        let north = row + 1;
        let depth: &[i32; ALL] = part(&tile.depth, FIRST, north);
        let west: &[f32; ALL] = part(&tile.flow_x, FIRST, north);
        let east: &[f32; ALL] = part(&tile.flow_x, FIRST + 1, north);
        let below: &[f32; ALL] = part(&tile.flow_y, FIRST, north);
        let above: &[f32; ALL] = part(&tile.flow_y, FIRST, north + 1);
        // Twice the velocities beside the cell, for the shear.
        let [u_n, u_ne] = [FIRST, FIRST + 1].map(|c| part::<_, ALL>(&tile.flow_x, c, north + 1));
        let [u_s, u_se] = [FIRST, FIRST + 1].map(|c| part::<_, ALL>(&tile.flow_x, c, north - 1));
        let [v_e, v_ne] = [north, north + 1].map(|r| part::<_, ALL>(&tile.flow_y, FIRST + 1, r));
        let [v_w, v_nw] = [north, north + 1].map(|r| part::<_, ALL>(&tile.flow_y, FIRST - 1, r));
        self.rows[0] = self.rows[1];
        self.rows[1] = self.rows[2];
        for i in 0..ALL {
            let (along, across) = (east[i] - west[i], above[i] - below[i]);
            let shear_u = (u_n[i] + u_ne[i]) - (u_s[i] + u_se[i]);
            let shear_v = (v_e[i] + v_ne[i]) - (v_w[i] + v_nw[i]);
            let shear = 0.25 * (shear_u + shear_v);
            let strain = (2.0 * (along * along + across * across) + shear * shear).sqrt();
            let number = terms.number + terms.smagorinsky * cells_per_m_s * strain;
            let number = maths::min(number, DOUBLED_MOST);
            self.rows[2][i] = number * depth[i] as f32;
        }
    }

    /// Gain of a west face in place `i` of the row, units times m/s: `own` velocity and those of
    /// the faces to its west, east, south and north.
    #[inline(always)]
    #[must_use]
    pub fn gained_x(&self, i: usize, own: f32, beside: [f32; 4]) -> f32 {
        let [south, here, north] = &self.rows;
        let weights = [here[i - 1], here[i], corner(south, here, i), corner(here, north, i)];
        spread(weights, own, beside)
    }

    /// Gain of a south face, in the same units.
    #[inline(always)]
    #[must_use]
    pub fn gained_y(&self, i: usize, own: f32, beside: [f32; 4]) -> f32 {
        let [south, here, _] = &self.rows;
        let corners = (corner(south, here, i), corner(south, here, i + 1));
        spread([corners.0, corners.1, south[i], here[i]], own, beside)
    }
}

/// The smallest of the four cells around the corner at the west end of column `i`.
#[inline(always)]
fn corner(south: &[f32; ALL], north: &[f32; ALL], i: usize) -> f32 {
    maths::min(maths::min(south[i - 1], south[i]), maths::min(north[i - 1], north[i]))
}

#[inline(always)]
fn spread(weights: [f32; 4], own: f32, beside: [f32; 4]) -> f32 {
    let [a, b, c, d] = weights;
    let [west, east, south, north] = beside;
    (a * (west - own) + b * (east - own)) + (c * (south - own) + d * (north - own))
}
