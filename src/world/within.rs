//! A cycle in parts, so that no frame of a game exceeds its time.
//!
//! ```
//! use thalweg::prelude::*;
//! use thalweg::world::{Budget, Progress};
//! let bowl = |x: usize, y: usize| ((x as f64 - 99.0).powi(2) + (y as f64 - 99.0).powi(2)) / 400.0;
//! let terrain = Terrain::from_heights([200, 200], 1.0, bowl)?;
//! let build = || WorldBuilder::new(terrain.clone()).initial_depth(|_| 0.5).build();
//! let (mut world, mut other) = (build()?, build()?);
//! let frame = FixedStep::try_new(1, 30)?;
//!
//! // 16 leaves of 64 × 64 cells; four of them a frame, one less in the first.
//! let mut frames = 1;
//! while let Progress::Paused(paused) = world.run_within(frame, Budget::CellSteps(4 * 4096))? {
//!     // What is drawn meanwhile is the water before the cycle.
//!     assert_eq!((world.time(), paused.done), (SimTime::ZERO, (4 * frames - 1) * 4096));
//!     frames += 1;
//! }
//! other.run_cycle(frame);
//! assert_eq!((world.state_hash(), world.time()), (other.state_hash(), other.time()));
//! assert!(frames >= 4);
//! # Ok::<(), thalweg::Error>(())
//! ```
//!
//! A paused cycle runs beside the world, on copies of the planes that it writes. So a reader, a
//! view or a save of the world sees it whole, as it was before that cycle, until the cycle has
//! ended.
//!
//! Guarantees: a world is the same, to the bit, whether its cycles run in one go or in any parts.
//!             Every change of the water ends the cycle first: acts, edits, structures, bodies, the
//!             choice of a solver.
//! Limits:     the work of a cycle before its first step and after its last one is done at once, as
//!             are steps of bodies; the first two are taken from the budget, as 192 cell-steps for
//!             each leaf of the world. If that is more than the budget, a cycle needs three frames
//!             at least. Criteria and budgets of cells that change while a cycle is paused count at
//!             its end: a game that compares worlds by their hashes changes them between cycles. If
//!             a cycle is ended by another call than [`World::run_within_with`], bodies get no
//!             loads for it: let cycles with bodies end before you act.

use crate::world::under_way::UnderWay;
use crate::world::{BodyError, CycleEnd, World};
use std::fmt;
use thalweg_engine::body::Bodies;
use thalweg_engine::sim::CycleReport;
use thalweg_engine::sim::phases::{Allowance, CELLS_OF_LEAF};
use thalweg_engine::units::SimTime;

/// The part of a cycle that may be done now.
pub enum Budget<'a> {
    /// Number of cell-steps at most, and at least 4,096: each is one cell of a leaf that is awake
    /// in one step, wet or not. The frame that begins a cycle pays for the beginning, and may have
    /// none left. The same budget pauses at the same place on every machine.
    CellSteps(u64),
    /// Steps of leaves as long as this function returns true, two leaves of each thread at least,
    /// except in the frame that begins a cycle: for a game that reads its clock. The cycle may
    /// pause anywhere, and the world is the same in the end.
    While(&'a mut dyn FnMut() -> bool),
}

impl fmt::Debug for Budget<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CellSteps(most) => f.debug_tuple("CellSteps").field(most).finish(),
            Self::While(_) => f.write_str("While"),
        }
    }
}

/// A budget that lets nothing be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BudgetError {
    asked: u64,
}

impl fmt::Display for BudgetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let asked = self.asked;
        write!(
            f,
            "a budget of {asked} cell-steps lets no leaf take a step: choose {CELLS_OF_LEAF} or \
             more; a frame of a game takes 100,000 to 1,000,000"
        )
    }
}

impl std::error::Error for BudgetError {}

/// Why a part of a cycle with bodies was not run.
#[derive(Debug, Clone, PartialEq)]
pub enum PartError {
    /// A body is invalid.
    Body(BodyError),
    /// The budget lets nothing be done.
    Budget(BudgetError),
}

impl From<BodyError> for PartError {
    fn from(error: BodyError) -> Self {
        Self::Body(error)
    }
}

impl From<BudgetError> for PartError {
    fn from(error: BudgetError) -> Self {
        Self::Budget(error)
    }
}

impl fmt::Display for PartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Body(error) => error.fmt(f),
            Self::Budget(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for PartError {}

/// Progress of a cycle within a budget.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Progress {
    /// The cycle has ended.
    Done(CycleReport),
    /// The cycle is paused, and the next call continues it.
    Paused(PausedCycle),
}

/// A cycle that rests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PausedCycle {
    /// Cell-steps that were done so far.
    pub done: u64,
    /// Cell-steps left; 0 if only the end of the cycle is left.
    pub left: u64,
}

impl World {
    /// Continues the cycle under way, or begins one that ends as `end` requires, and does as much
    /// of it as the budget allows. A cycle under way ends as it began, for any `end`.
    ///
    /// # Errors
    ///
    /// [`BudgetError`] if the budget is below 4,096 cell-steps. Then nothing was done.
    ///
    /// # Panics
    ///
    /// As [`World::run_cycle`].
    pub fn run_within(
        &mut self,
        end: impl Into<CycleEnd>,
        budget: Budget<'_>,
    ) -> Result<Progress, BudgetError> {
        let mut allowance = match budget {
            Budget::CellSteps(asked) if asked < CELLS_OF_LEAF => return Err(BudgetError { asked }),
            Budget::CellSteps(most) => Allowance::CellSteps(most),
            Budget::While(is_time_left) => Allowance::while_so(is_time_left),
        };
        let end = end.into();
        Ok(self.telling(|world| {
            if world.under_way.is_none() {
                world.change(|world| {
                    world.undo_log.forget();
                    let under_way = UnderWay::begin(&mut world.simulation, end);
                    under_way.charge(&mut allowance);
                    world.under_way = Some(Box::new(under_way));
                });
            }
            match world.go_on(&mut allowance) {
                Some(paused) => Progress::Paused(paused),
                None => Progress::Done(world.end_under_way().expect("it is under way")),
            }
        }))
    }

    /// Runs [`World::run_within`] with bodies: takes their solids when a cycle begins, and returns
    /// the load on each when it ends.
    ///
    /// # Errors
    ///
    /// [`PartError`] if a body or the budget is invalid. Then nothing has changed.
    ///
    /// # Panics
    ///
    /// As [`World::run_cycle`].
    pub fn run_within_with(
        &mut self,
        end: impl Into<CycleEnd>,
        budget: Budget<'_>,
        bodies: &mut dyn Bodies,
    ) -> Result<Progress, PartError> {
        // `run_within` would refuse this, too, but only after the world had taken the bodies'
        // solids.
        if let Budget::CellSteps(asked @ 0..CELLS_OF_LEAF) = budget {
            return Err(BudgetError { asked }.into());
        }
        if !self.is_paused() {
            self.take_solids(bodies)?;
        }
        let progress = self.run_within(end, budget)?;
        if let Progress::Done(report) = progress {
            self.give_loads(bodies, report);
        }
        Ok(progress)
    }

    /// True while a cycle is under way that [`World::run_within`] continues.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.under_way.is_some()
    }

    /// Ends the cycle under way, if any; returns its report.
    ///
    /// # Panics
    ///
    /// As [`World::run_cycle`].
    pub fn finish_cycle(&mut self) -> Option<CycleReport> {
        if self.is_paused() {
            self.go_on(&mut Allowance::Whole);
        }
        self.end_under_way()
    }

    /// Runs the allowed steps of the cycle under way; returns its progress if it has to pause.
    fn go_on(&mut self, allowance: &mut Allowance<'_>) -> Option<PausedCycle> {
        // A game's clock that panics costs the copy: the world is as before the cycle.
        let mut under_way = self.under_way.take()?;
        let (is_done, [done, left]) = under_way.advance(allowance);
        self.under_way = Some(under_way);
        (!is_done).then_some(PausedCycle { done, left })
    }

    /// Sets the world to the end of the cycle under way, whose steps are done.
    fn end_under_way(&mut self) -> Option<CycleReport> {
        self.under_way.as_ref()?;
        let report = self.change(|world| {
            let under_way = world.under_way.take()?;
            let report = under_way.end(&mut world.simulation);
            Some(world.reported(report))
        });
        self.after_cycle();
        report
    }

    /// Takes the solids of bodies.
    pub(super) fn take_solids(&mut self, bodies: &mut dyn Bodies) -> Result<(), BodyError> {
        let mut asked = Vec::new();
        bodies.solids(&mut |body| asked.push(body));
        self.structures_mut().put_bodies(asked)
    }

    /// Gives bodies their loads for the length of a cycle that has ended.
    pub(super) fn give_loads(&mut self, bodies: &mut dyn Bodies, report: CycleReport) {
        // Leaves may have changed at the end of the cycle.
        self.change(|world| world.simulation.lay_solids());
        bodies.loads(&self.structures().loads(SimTime::from_ticks(report.ticks).seconds()));
    }
}
