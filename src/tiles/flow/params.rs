//! Constants of one step on one level.

use crate::flow::face::FaceParams;
use crate::flow::fluid::FluidParams;
use crate::flow::terms::{TermParams, Terms};
use crate::units::limits;
use serde::{Deserialize, Serialize};

/// Inputs from which the constants of a step are computed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepInput {
    /// Δt, s.
    pub dt_s: f64,
    /// Δ, m.
    pub cell_width_m: f64,
    /// Metres per vertical unit.
    pub unit_m: f64,
    /// Gravitational acceleration g, m/s².
    pub gravity: f64,
    /// Damping of still water, on or off.
    pub damping: bool,
    /// Optional terms of shallow water.
    pub terms: Terms,
}

/// Reconstruction of water and momentum within a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Constants: smears more, costs less.
    First,
    /// Limited slopes.
    Second,
}

/// Constants of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepParams {
    /// Constants of the faces.
    pub face: FaceParams,
    /// Δt/Δ/unit: vertical units moved per m²/s.
    pub units_per_flow: f32,
    /// Δt/Δ, s/m: cells a step per m/s.
    pub cells_per_m_s: f32,
    /// Depth from which water beside a wall passes on the flow along it, vertical units.
    pub wall_least: i32,
    /// Optional terms of shallow water.
    pub terms: TermParams,
    /// Fluid; water by default.
    pub fluid: FluidParams,
    /// Order of the reconstruction of water and momentum in shallow water; second by default.
    pub order: Order,
    /// Whether the faces are summed up ([`FaceSummary`](crate::flow::face::FaceSummary)): the flow
    /// is the same with and without.
    pub looks: bool,
}

impl StepParams {
    /// Works the constants out, each rounded once from `f64`.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
    pub fn new(input: &StepInput) -> Self {
        let StepInput { dt_s, cell_width_m, unit_m, gravity, damping, ref terms } = *input;
        let tau_s =
            f64::from(limits::DAMPING_TIME_MAX_S).min(f64::from(limits::DAMPING_STEPS) * dt_s);
        let wave = f64::from(limits::DAMPING_WAVE);
        let noise = f64::from(limits::DAMPING_NOISE_UNITS) * unit_m;
        // Courant = Δt √(2 g h)/Δ, so g h Δt/Δ at its largest is ½ Courant² Δ/Δt.
        let cells_per_m_s = dt_s / cell_width_m;
        let courant = f64::from(limits::COURANT_MAX);
        let face = FaceParams {
            unit_m: unit_m as f32,
            gravity_ratio: (gravity * dt_s / cell_width_m) as f32,
            per_gravity_ratio: (cell_width_m / (gravity * dt_s)) as f32,
            gravity: gravity as f32,
            slope_of_unit: (unit_m / cell_width_m) as f32,
            gravity_most: (0.5 * courant * courant * cell_width_m / dt_s) as f32,
            friction: (gravity * dt_s) as f32,
            speed_max: (cell_width_m / dt_s) as f32,
            wave_of_unit: (2.0 * gravity * unit_m * cells_per_m_s * cells_per_m_s) as f32,
            // The implicit form is above 0 for any step, so damping never turns a flow round.
            damping: if damping { (1.0 / (1.0 + dt_s / tau_s)) as f32 } else { 1.0 },
            damping_wave: (wave * wave * gravity) as f32,
            damping_noise: (noise * noise * gravity) as f32,
        };
        let units_per_flow = (dt_s / cell_width_m / unit_m) as f32;
        let terms = TermParams::new(terms, dt_s, cell_width_m);
        let wall_least = (cell_width_m / unit_m * limits::WALL_DEPTH) as i32;
        Self {
            face,
            units_per_flow,
            cells_per_m_s: cells_per_m_s as f32,
            wall_least,
            terms,
            fluid: FluidParams::WATER,
            order: Order::Second,
            looks: true,
        }
    }
}
