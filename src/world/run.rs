//! A world that runs: cycles, alone or with bodies.
//!
//! Guarantees: code of a game (criteria, bodies) is called while the world is whole: a panic there
//!             costs a plan, or a cycle's loads, and nothing else.

use crate::world::{BodyError, CycleEnd, FixedStep, World};
use thalweg_engine::body::Bodies;
use thalweg_engine::flow::versions::Version;
use thalweg_engine::sim::card::Card;
use thalweg_engine::sim::{CycleReport, Order, Solver};
use thalweg_engine::units::SimTime;

impl World {
    /// Runs cycles up to `until`; [`World::events`] has the events of all of them then.
    ///
    /// # Panics
    ///
    /// As [`World::run_cycle`].
    pub fn run_until(&mut self, until: SimTime) {
        self.telling(|world| {
            world.finish_cycle();
            while world.time() < until {
                world.cycle(until.into());
            }
        });
    }

    /// Runs cycles of a fixed length; returns the report of the last one, if any.
    pub(super) fn run_cycles(&mut self, step: FixedStep, cycles: u32) -> Option<CycleReport> {
        self.telling(|world| (0..cycles).map(|_| world.cycle(CycleEnd::Fixed(step))).last())
    }

    /// Lets a card step leaves from now on, or none: results are the same. Cycles that go on frame
    /// by frame, in parts ([`World::run_within`]), are stepped on the processor.
    pub fn set_card(&mut self, card: Option<Box<dyn Card>>) {
        self.simulation.set_card(card);
    }

    /// Runs a closure; [`World::events`] then has its events, and those of a cycle under way that
    /// another call ended since the run before.
    pub(super) fn telling<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        self.watches.forget_told();
        let done = run(self);
        self.watches.tell();
        done
    }

    /// Runs one cycle, up to a time at the latest, or of a fixed length, as games do: see
    /// [`CycleEnd`]. A cycle under way ends first.
    ///
    /// # Panics
    ///
    /// If the world is broken ([`World::is_broken`]), or if a criterion panics; the cycle is whole
    /// then, and the next one calls the criteria again.
    pub fn run_cycle(&mut self, end: impl Into<CycleEnd>) -> CycleReport {
        let end = end.into();
        self.telling(|world| world.cycle(end))
    }

    /// Runs one cycle; one under way ends first.
    fn cycle(&mut self, end: CycleEnd) -> CycleReport {
        self.finish_cycle();
        let report = self.change(|world| {
            world.undo_log.forget();
            let report = world.simulation.run(end);
            world.reported(report)
        });
        self.after_cycle();
        report
    }

    /// Adds to the report of a cycle the parts from the world itself: bodies and criteria.
    pub(super) fn reported(&self, report: CycleReport) -> CycleReport {
        let unblocked = self.bodies.unblocked(self.simulation.solids());
        CycleReport {
            unblocked_bodies: unblocked.filter(|body| body.unblocked == body.cells).count(),
            missing_criteria: self.adaptive.as_ref().map_or(0, |own| own.missing_criteria()),
            ..report
        }
    }

    /// Does the work that follows a cycle: plans, the release of planes, pages of a new commit.
    pub(super) fn after_cycle(&mut self) {
        // `adapt` calls criteria outside `change`: if one panics, the world is not broken. Planes
        // are released last, after plans and watches have read them.
        self.adapt();
        self.change(|world| {
            world.look_at_watched();
            world.let_go();
        });
        self.follow_file();
    }

    /// Reads pages of the newest commit, once a save has ended: edited beds are in the file then.
    fn follow_file(&mut self) {
        let saved = self.saved.revision();
        // `follow_file` returns false while pages are being read: the next cycle tries again.
        if saved != self.followed && self.site.relief().follow_file() {
            self.followed = saved;
        }
    }

    /// Runs one cycle with bodies: takes their solids, runs, and returns the load on each for the
    /// length of that cycle.
    ///
    /// # Errors
    ///
    /// [`BodyError`] names the invalid body and the reason. Then nothing has changed.
    ///
    /// # Panics
    ///
    /// As [`World::run_cycle`].
    pub fn run_cycle_with(
        &mut self,
        end: impl Into<CycleEnd>,
        bodies: &mut dyn Bodies,
    ) -> Result<CycleReport, BodyError> {
        self.take_solids(bodies)?;
        let report = self.run_cycle(end);
        self.give_loads(bodies, report);
        Ok(report)
    }

    /// Continues with another solver: both read the same state. The pipe ignores optional terms.
    pub fn set_solver(&mut self, solver: Solver, order: Order) {
        self.finish_cycle();
        self.simulation.set_solver(solver, order);
    }

    /// Uses another version of the kernel; all give the same bits.
    pub fn set_version(&mut self, version: Version) {
        self.finish_cycle();
        self.simulation.set_version(version);
    }
}
