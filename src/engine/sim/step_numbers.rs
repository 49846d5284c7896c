//! Numbers of a step of confined water: between and under solids, and in intervals.
//!
//! Confined water settles and rests by the same numbers in both.

use crate::flow::fluid::FluidNumbers;
use crate::sim::params::Params;
use crate::units::SimTime;

/// Difference of head that does not move still water, units.
pub(super) const STILL_UNITS: f64 = 2.5;

/// Speed below which flow settles, as a part of that of long waves: forty times that of the
/// kernels, for here no transport of momentum wears eddies out. It costs no more head than sleep
/// tolerates, 128 units.
pub(super) const DAMPING_SPEED: f64 = 8.0e-3;

/// Time in which it settles, s.
pub(super) const DAMPING_S: f64 = 30.0;

/// Smallest part of a slow flow that a step takes.
pub(super) const DAMPING_LEAST: f64 = 0.005;

/// Part of the speed below which water is damped up to which all is idle: half of that of the
/// kernels.
pub(super) const IDLE_PART: f64 = 0.0125; // makes 10⁻⁴ √(g h), as in the kernels

/// Units a step that a passage moves at least, to be busy.
pub(super) const BUSY_UNITS: f64 = 0.25;

/// Numbers of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepNumbers {
    /// Length of the step, s.
    pub dt_s: f64,
    /// Width of cells, m.
    pub cell_width_m: f64,
    /// Metres in a vertical unit.
    pub unit_m: f64,
    /// Gravitational acceleration, m/s².
    pub gravity: f64,
    /// Numbers of the fluid.
    pub fluid: FluidNumbers,
}

impl StepNumbers {
    /// Numbers of a step of the base level between two moments.
    #[must_use]
    pub fn of(params: &Params, from: SimTime, to: SimTime) -> Self {
        let dt_s = SimTime::from_ticks(to.since(from)).seconds();
        Self {
            dt_s,
            cell_width_m: params.width_of(params.base),
            unit_m: params.unit_m,
            gravity: params.settings.gravity,
            fluid: FluidNumbers::new(&params.settings.fluid, dt_s),
        }
    }

    /// Returns Δt/Δ, s/m.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.dt_s / self.cell_width_m
    }
}

#[cfg(test)]
impl StepNumbers {
    /// Numbers for tests of laws: water on cells of 1 m.
    pub const SAMPLE: Self = Self {
        dt_s: 0.05,
        cell_width_m: 1.0,
        unit_m: 1.0e-6,
        gravity: 9.81,
        fluid: FluidNumbers { stop: 0.0, laminar: 0.0 },
    };
}
