//! Values that are constant over a cycle.

use crate::flow::fluid::{Fluid, FluidParams};
use crate::flow::params::{StepInput, StepParams};
use crate::flow::solver::Solver;
use crate::flow::terms::Terms;
use crate::flow::versions::{Extra, Version};
use crate::grid::TILE_WIDTH;
use crate::sim::boundary::BoundaryLaw;
use crate::sim::forcing::Forcing;
use crate::sim::quiet::{Quiet, QuietInput};
use crate::sim::schedule::longest_step;
use crate::sim::settings::{Settings, StillWaterDamping};
use crate::units::hash::StateHasher;
use crate::units::time::TICKS_PER_S;
use crate::units::{RateSeries, SimTime, limits};

/// Parts in which idle time is counted under a tolerance of sleep, in a second.
// A cycle of a millisecond still counts 65 parts, and a u32 holds 18 hours of them.
const IDLE_PARTS_OF_SECOND: f64 = 65_536.0;
/// Ticks in one of them.
const TICKS_OF_IDLE_PART: u64 = TICKS_PER_S >> 16;

/// Values that no phase of a cycle writes: settings, units, and the laws of the world's boundary.
/// Between two cycles a change of the solver or of its version, of wind and roughness changes the
/// settings, a stage changes its law, and inflows, weather and laws change the hash of the setup;
/// all else stays for a whole run.
#[derive(Debug, Clone)]
pub struct Params {
    /// Settings of the simulation.
    pub settings: Settings,
    /// Version of the kernels; all give the same bits.
    pub version: Version,
    /// Squares of Manning's n by class.
    pub n2: Vec<f32>,
    /// Level of the finest leaves that are possible.
    pub base: u8,
    /// Width of cells of the base level, m.
    pub cell_width_m: f64,
    /// Metres per vertical unit.
    pub unit_m: f64,
    /// Laws of the boundary.
    pub laws: Vec<BoundaryLaw>,
    /// Hash of all values outside the leaves that decide how a run continues.
    pub setup_hash: u64,
}

impl Params {
    /// Returns the width of cells of `level`, m.
    #[must_use]
    pub fn width_of(&self, level: u8) -> f64 {
        self.cell_width_m * f64::from(1_u32 << (level - self.base))
    }

    /// Returns the constants of a step of `level`.
    #[must_use]
    pub fn of_step(&self, level: u8, from: SimTime, to: SimTime) -> StepParams {
        let params = StepParams::new(&StepInput {
            dt_s: SimTime::from_ticks(to.since(from)).seconds(),
            cell_width_m: self.width_of(level),
            unit_m: self.unit_m,
            gravity: self.settings.gravity,
            damping: self.settings.damping == StillWaterDamping::On,
            terms: self.settings.terms,
        });
        let (order, fluid) = (self.settings.order, &self.settings.fluid);
        if fluid.is_water() {
            return StepParams { order, ..params };
        }
        let dt_s = SimTime::from_ticks(to.since(from)).seconds();
        #[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
        let parts = (fluid.density_kg_m3 / Fluid::WATER.density_kg_m3) as f32;
        let (terms, fluid) = (params.terms.of_density(parts), FluidParams::new(fluid, dt_s));
        StepParams { order, terms, fluid, ..params }
    }

    /// Returns the parts of a step beside the equations of water alone.
    #[must_use]
    pub fn extra(&self) -> Extra {
        if self.settings.fluid.resists() {
            Extra::Fluid
        } else if self.settings.terms != Terms::NONE {
            Extra::Terms
        } else {
            Extra::Nothing
        }
    }

    /// Returns the bounds of quiet water in the leaves of `level`; `None` if no tolerance is set.
    #[must_use]
    pub fn quiet(&self, level: u8) -> Option<Quiet> {
        let Settings { sleep_tolerance, gravity, .. } = self.settings;
        let (cell_width_m, unit_m) = (self.width_of(level), self.unit_m);
        let tolerance_m = sleep_tolerance?.stage_m;
        Some(Quiet::new(&QuietInput { tolerance_m, cell_width_m, unit_m, gravity }))
    }

    /// Returns the idle time after which a leaf of `level` with waves on a depth, m, may sleep:
    /// cycles; with a tolerance of sleep parts of 2⁻¹⁶ s.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "saturates at 18 hours"
    )]
    pub fn idle_before_sleep(&self, level: u8, depth_m: f32) -> u32 {
        let Some(tolerance) = self.settings.sleep_tolerance else {
            return self.settings.sleep_after_cycles;
        };
        let (leaf_m, gravity) = (self.width_of(level) * TILE_WIDTH as f64, self.settings.gravity);
        // Water that is too thin to be checked has no waves.
        let depth_m = f64::from(depth_m).max(tolerance.stage_m);
        let time_s = tolerance.time_s.max(Quiet::time_s(leaf_m, depth_m, gravity));
        (time_s * IDLE_PARTS_OF_SECOND).ceil() as u32
    }

    /// Returns the idle time that a cycle of `ticks` counts for a leaf that may sleep after
    /// `before`: a leaf that is idle by the rule without a tolerance sleeps after as many cycles as
    /// with that rule, a leaf that is quiet no earlier.
    #[must_use]
    pub fn idle_in_cycle(&self, ticks: u64, before: u32, is_idle: bool) -> u32 {
        if self.settings.sleep_tolerance.is_none() {
            return 1;
        }
        let most = before.div_ceil(self.settings.sleep_after_cycles);
        match is_idle {
            // At `most` in each cycle, `before` is reached after `sleep_after_cycles` cycles.
            true => most,
            false => u32::try_from(ticks / TICKS_OF_IDLE_PART).unwrap_or(u32::MAX).min(most),
        }
    }

    /// Returns the speed of long waves on water of a depth in two dimensions, m/s.
    #[must_use]
    pub fn wave_speed(&self, depth_m: f64) -> f64 {
        // Courant numbers add up both axes, and along a diagonal the two parts of √(g h) add up to
        // √2 √(g h).
        (2.0 * self.settings.gravity * depth_m).sqrt()
    }

    /// Returns the longest step that water of a pace allows in cells of a level, ticks.
    #[must_use]
    pub fn longest_step(&self, level: u8, pace_m_s: f64) -> u64 {
        let pace = pace_m_s + self.viscous_speed(level);
        longest_step(self.width_of(level), self.courant_target() / pace)
    }

    /// Returns the shortest step of a level that is `above_finest` levels above the finest one
    /// awake, in finest steps of a cycle, as a power of two.
    #[must_use]
    pub fn steps_log2(&self, above_finest: u8) -> u8 {
        above_finest.min(self.settings.substeps_log2)
    }

    /// Returns the Courant number that automatic steps aim at.
    #[must_use]
    pub fn courant_target(&self) -> f64 {
        match self.settings.solver {
            Solver::ShallowWater => limits::COURANT_SWE,
            Solver::Pipe => limits::COURANT_PIPE,
        }
    }

    /// Returns the speed that gives a Courant number of 1, if water of this depth flows at this sum
    /// of speeds along both axes, m/s.
    #[must_use]
    pub fn pace(&self, speed_m_s: f64, depth_m: f64) -> f64 {
        let counts = match self.settings.solver {
            Solver::ShallowWater => 1.0,
            Solver::Pipe => f64::from(limits::PIPE_SPEED_WEIGHT),
        };
        counts * speed_m_s + self.wave_speed(depth_m)
    }

    /// Returns the [`pace`](Self::pace) of water beside an edge of the world or at the end of a
    /// link, where shallow water needs shorter steps than elsewhere; 0 for the pipe. The water that
    /// crosses there may be much deeper than its cell is yet: so speeds count up to a Froude number
    /// of [`limits::FROUDE_AT_END`].
    #[must_use]
    pub fn pace_at_end(&self, speed_m_s: f64, depth_m: f64) -> f64 {
        match self.settings.solver {
            Solver::ShallowWater => {
                // Steps aim at COURANT_SWE. If the pace is larger by this ratio, they aim at
                // COURANT_SWE_ENDS.
                const MORE: f64 = limits::COURANT_SWE / limits::COURANT_SWE_ENDS;
                let fastest = limits::FROUDE_AT_END * (self.settings.gravity * depth_m).sqrt();
                MORE * self.pace(speed_m_s.min(fastest), depth_m)
            }
            Solver::Pipe => 0.0,
        }
    }

    /// Returns the speed that accounts for viscosity in the step of `level`, m/s.
    #[must_use]
    pub fn viscous_speed(&self, level: u8) -> f64 {
        match self.settings.solver {
            Solver::ShallowWater => self.settings.terms.viscous_speed(self.width_of(level)),
            Solver::Pipe => 0.0,
        }
    }

    /// Returns the discharge that a law lets in between two moments, m³/s; 0 if it is not an
    /// inflow.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
    pub fn let_in(&self, law: &BoundaryLaw, from: SimTime, to: SimTime) -> f32 {
        let BoundaryLaw::Inflow(inflow) = law else { return 0.0 };
        self.discharge_m3_s(&inflow.discharge, from, to) as f32
    }

    /// Returns the mean discharge of a series of vertical units × cells of the base level, m³/s.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a discharge")]
    pub fn discharge_m3_s(&self, rate: &RateSeries, from: SimTime, to: SimTime) -> f64 {
        let seconds = SimTime::from_ticks(to.since(from)).seconds();
        let cell_m2 = self.cell_width_m * self.cell_width_m;
        if seconds > 0.0 {
            rate.deposited(from, to) as f64 * self.unit_m * cell_m2 / seconds
        } else {
            0.0
        }
    }

    /// Hashes the constants that decide how a run continues: cells, units, laws and this forcing.
    pub fn hash_setup(&mut self, forcing: &Forcing) {
        let mut hash = StateHasher::new();
        hash.add_fields(&(self.cell_width_m, self.unit_m, &self.laws, forcing));
        self.setup_hash = hash.finish();
    }
}
