//! The lengths of steps and cycles.
//!
//! ```text
//! automatic   a cycle is 2^K steps of Δt = C Δ / (speed), grown by at most a quarter a cycle
//! fixed       cycle c ends at tick round(c·T); it has the fewest 2^m ≤ 2^K steps that are no
//!             longer than that, and is clamped beyond
//! ```
//!
//! C is the solver's Courant number ([`limits::COURANT_SWE`], [`limits::COURANT_SWE_ENDS`],
//! [`limits::COURANT_PIPE`]).
//!
//! Guarantees: integers of ticks decide; the same state gives the same steps on every machine.
//! Source:     own.

use crate::units::time::TICKS_PER_S;
use crate::units::{SimTime, limits};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Division of a cycle into steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CyclePlan {
    /// Ticks of the cycle.
    pub ticks: u64,
    /// Number of steps.
    pub steps: u32,
}

impl CyclePlan {
    /// Returns the ticks from the cycle's start to the start of step `step`: as even as floor
    /// allows.
    #[must_use]
    pub fn start_of(&self, step: u32) -> u64 {
        // The product fits: a cycle has at most 2⁶ steps, each of at most 10¹⁵ ticks.
        self.ticks * u64::from(step) / u64::from(self.steps)
    }
}

/// Report of one cycle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CycleReport {
    /// Time at the end of the cycle.
    pub time: SimTime,
    /// Length of the cycle, ticks.
    pub ticks: u64,
    /// Number of steps.
    pub steps: u32,
    /// Largest Courant number of the last step, as the solver counts it: with shallow water, cells
    /// beside edges and at the ends of links count 1.4 times. With steps by leaf the Courant number
    /// of the shortest step and the fastest leaf.
    pub courant: f64,
    /// Leaves that were awake.
    pub awake: usize,
    /// Cells of leaves that were awake, each times the steps of its leaf: the work that was done.
    pub cell_steps: u64,
    /// Cell-steps of blocks of 16 cells of a row that water may reach: steps leave out all further
    /// blocks. A card steps all cells.
    pub wet_cell_steps: u64,
    /// Cell-steps of those blocks if each leaf took the longest steps that its own water allowed in
    /// the last one.
    pub least_cell_steps: f64,
    /// Faces whose speed or pressure force was clamped in the last step of their leaf.
    pub clamped: u64,
    /// Cells whose outflow was limited, over all steps.
    pub limited: u64,
    /// Cells that bodies touch without blocking anything: `BodyReport::unblocked` lists them.
    pub unblocked_cells: usize,
    /// Bodies that block nothing at all, because all of their cells are such, or because they are
    /// beyond the map: `Structures::unblocked_bodies` names them.
    pub unblocked_bodies: usize,
    /// Number of criteria that the world had when it was saved, and that were not given when it was
    /// loaded: its leaves no longer follow them. 0 from the first `World::criteria_mut` on, and in
    /// worlds of files without that count.
    pub missing_criteria: usize,
}

/// Longest fixed cycle, s.
const LONGEST_S: f64 = 3600.0;

/// Error: a length that no fixed cycle can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FixedStepError {
    numerator: u32,
    denominator: u32,
}

impl fmt::Display for FixedStepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { numerator, denominator } = self;
        write!(
            f,
            "a fixed step of {numerator}/{denominator} s cannot be: choose one above 0 and up to \
             {LONGEST_S} s; games take 1/60 s or 25/1000 s"
        )
    }
}

impl std::error::Error for FixedStepError {}

/// Length of a cycle for fixed-step runs, in seconds: a fraction, so that 1/60 s is exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "Fraction")]
pub struct FixedStep {
    numerator: u32,
    denominator: u32,
}

/// A fraction that is not checked yet.
#[derive(Debug, Clone, Copy, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct Fraction {
    numerator: u32,
    denominator: u32,
}

impl TryFrom<Fraction> for FixedStep {
    type Error = FixedStepError;

    fn try_from(Fraction { numerator, denominator }: Fraction) -> Result<Self, FixedStepError> {
        Self::try_new(numerator, denominator)
    }
}

impl FixedStep {
    /// Returns a length of `numerator/denominator` s.
    ///
    /// # Errors
    ///
    /// [`FixedStepError`] if either is 0, or the step longer than an hour.
    ///
    /// # Examples
    ///
    /// ```
    /// use thalweg::world::FixedStep;
    /// let frame = FixedStep::try_new(1, 60)?;
    /// assert_eq!(frame.end_of(60).seconds(), 1.0);
    /// # Ok::<(), thalweg::world::FixedStepError>(())
    /// ```
    pub fn try_new(numerator: u32, denominator: u32) -> Result<Self, FixedStepError> {
        let seconds = f64::from(numerator) / f64::from(denominator);
        // 0/0 is NaN and fails the first comparison, 1/0 is infinite and fails the second.
        let is_good = seconds > 0.0 && seconds <= LONGEST_S;
        let step = Self { numerator, denominator };
        if is_good { Ok(step) } else { Err(FixedStepError { numerator, denominator }) }
    }

    /// Returns numerator and denominator, s.
    #[must_use]
    pub fn fraction(self) -> [u32; 2] {
        [self.numerator, self.denominator]
    }

    /// Returns the ticks from the start of the run to the end of cycle `cycle`, counted from 1.
    #[must_use]
    pub fn end_of(self, cycle: u64) -> SimTime {
        // From the start of the run, not from the end of the cycle before: roundings do not add up.
        // The product has up to 64 + 32 + 24 bits.
        let ticks = u128::from(cycle) * u128::from(self.numerator) * u128::from(TICKS_PER_S);
        let half = u128::from(self.denominator / 2);
        let rounded = (ticks + half) / u128::from(self.denominator);
        SimTime::from_ticks(u64::try_from(rounded).unwrap_or(SimTime::MAX.ticks()))
    }
}

/// End of a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CycleEnd {
    /// As late as the water allows, at this time at the latest.
    Until(SimTime),
    /// After a fixed length, in up to 2^K steps. Motion too fast for them runs slower in time,
    /// counted as `clamped`; an inflow still brings all of its water at once, up to the ceiling.
    Fixed(FixedStep),
}

impl From<SimTime> for CycleEnd {
    fn from(until: SimTime) -> Self {
        Self::Until(until)
    }
}

impl From<FixedStep> for CycleEnd {
    fn from(step: FixedStep) -> Self {
        Self::Fixed(step)
    }
}

/// A run of fixed cycles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct FixedRun {
    /// Time at which the run began.
    pub start: SimTime,
    /// Cycles since then.
    pub cycle: u64,
    /// Length of a cycle.
    pub step: FixedStep,
}

/// Returns the longest step, ticks, on cells of this width if a metre of them needs at most
/// `s_per_m`.
#[must_use]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded here")]
pub fn longest_step(cell_width_m: f64, s_per_m: f64) -> u64 {
    // Still water has a pace of 0, so `s_per_m` may be infinite.
    let seconds = cell_width_m * s_per_m.min(limits::STEP_MOST_S_PER_M);
    // One tick at least, because plans divide by a step. 10¹⁵ ticks are two years: an f64 has them
    // exactly, and 64 such steps fit a u64.
    ((seconds * TICKS_PER_S as f64).clamp(1.0, 1.0e15)) as u64
}

/// Plans an automatic cycle of steps no longer than `longest`, with at most `left` ticks left.
/// `previous` is the length of the last step, 0 at the beginning. Returns the length of a step,
/// too.
#[must_use]
pub fn automatic(longest: u64, previous: u64, substeps_log2: u8, left: u64) -> (CyclePlan, u64) {
    // Without the 1, steps below 4 ticks would never grow.
    let grown = if previous == 0 { u64::MAX } else { previous + previous / 4 + 1 };
    let step = longest.min(grown);
    let steps = left.div_ceil(step).clamp(1, 1 << substeps_log2);
    let ticks = left.min(step * steps);
    // A step has a tick at least, so there are more steps than ticks only if no ticks are left:
    // such a cycle has no steps.
    let steps = u32::try_from(steps).expect("64 at most");
    (CyclePlan { ticks, steps: steps.min(u32::try_from(ticks).unwrap_or(steps)) }, step)
}

/// Plans a fixed cycle of `ticks` of steps no longer than `longest`, if 2^K of them are enough.
#[must_use]
pub fn fixed(longest: u64, substeps_log2: u8, ticks: u64) -> CyclePlan {
    let most = 1_u32 << substeps_log2;
    let steps = (0..=substeps_log2)
        .map(|m| 1_u32 << m)
        .find(|&steps| ticks <= longest.saturating_mul(u64::from(steps)))
        .unwrap_or(most);
    CyclePlan { ticks, steps: steps.min(u32::try_from(ticks).unwrap_or(steps)).max(1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_cycles_end_at_the_nearest_tick_for_ever() {
        let frame = FixedStep::try_new(1, 60).expect("a fraction");
        for cycle in [1, 2, 59, 60, 1_000_003] {
            let exact = cycle as f64 / 60.0;
            assert!((frame.end_of(cycle).seconds() - exact).abs() < 0.6 / 16_777_216.0);
        }
    }

    #[test]
    fn endless_and_empty_steps_are_refused_with_the_limit() {
        for (numerator, denominator) in [(0, 60), (1, 0), (0, 0), (3601, 1), (u32::MAX, 7)] {
            let error = FixedStep::try_new(numerator, denominator).expect_err("no such step");
            let line = error.to_string();
            assert!(line.contains("3600 s"), "{line}");
            assert!(line.contains(&format!("{numerator}/{denominator} s")), "{line}");
        }
    }

    #[test]
    fn the_fewest_steps_within_the_courant_number_are_taken() {
        // Δ = 1 m at 10 m/s and a Courant number of ½: 50 ms a step.
        let longest = longest_step(1.0, 0.5 / 10.0);
        for (seconds, steps) in [(0.04, 1), (0.06, 2), (0.19, 4), (0.39, 8), (4.0, 8)] {
            let ticks = SimTime::from_seconds(seconds).ticks();
            assert_eq!(fixed(longest, 3, ticks).steps, steps, "{seconds} s");
        }
    }

    #[test]
    fn steps_of_a_cycle_fill_it() {
        let plan = CyclePlan { ticks: 1003, steps: 8 };
        assert_eq!((plan.start_of(0), plan.start_of(8)), (0, 1003));
        let lengths: Vec<u64> = (0..8).map(|s| plan.start_of(s + 1) - plan.start_of(s)).collect();
        assert!(lengths.iter().all(|l| (125..=126).contains(l)), "{lengths:?}");
    }

    #[test]
    fn an_automatic_cycle_stops_where_it_is_told() {
        let longest = longest_step(10.0, 0.05);
        let (plan, step) = automatic(longest, 0, 3, 1_000);
        assert_eq!((plan.ticks, plan.steps, step), (1_000, 1, longest));
        let (plan, _) = automatic(longest, 0, 3, step * 100);
        assert_eq!((plan.ticks, plan.steps), (step * 8, 8));
        let (_, slow) = automatic(longest, 1_000, 3, step * 100);
        assert_eq!(slow, 1_251);
    }

    #[test]
    fn still_and_thin_water_has_no_endless_steps() {
        let half_a_second = SimTime::from_seconds(0.5).ticks();
        for s_per_m in [0.5, 0.7, 1.0e9, f64::INFINITY] {
            assert_eq!(longest_step(1.0, s_per_m), half_a_second, "{s_per_m} s/m");
        }
    }
}
