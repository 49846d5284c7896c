//! State that changes while a simulation runs, in named parts.

use crate::sim::activity::Activity;
use crate::sim::barriers::Barriers;
use crate::sim::forcing::Forcing;
use crate::sim::ledger::Ledger;
use crate::sim::links::{LinkSight, Links};
use crate::sim::params::Params;
use crate::sim::schedule::FixedRun;
use crate::sim::sections::Sections;
use crate::sim::solids::SolidField;
use crate::sim::stacks::StackNet;
use crate::sim::table::LeafTable;
use crate::sim::tracers::Tracers;
use crate::units::SimTime;

/// All that changes while a simulation runs, from cycle to cycle or by an action between two: a
/// phase takes the parts that it reads and writes, and [`Params`] beside them.
#[derive(Debug, Clone)]
pub struct State {
    /// Ground, state and scratch of all leaves.
    pub leaves: LeafTable,
    /// Where every unit of water came from and went.
    pub ledger: Ledger,
    /// Ledger of each tracer, and its contents in the sources.
    pub tracers: Tracers,
    /// Barriers, and their faces in the leaves.
    pub barriers: Barriers,
    /// Sections and what has passed them: no state that a step reads.
    pub sections: Sections,
    /// Links between two places, by number.
    pub links: Links,
    /// Solids, and the water that they touch.
    pub solids: SolidField,
    /// Stacked columns: the net of all intervals.
    pub stacks: StackNet,
    /// Sources and sinks: actions change the inflows, a change of the leaves their cells.
    pub forcing: Forcing,
    /// Which leaves are stepped, and how fast their water moves.
    pub activity: Activity,
    /// When it is, and how long steps were.
    pub clock: Clock,
}

/// When the state is, and what the next plan knows of the last steps.
#[derive(Debug, Clone, Default)]
pub struct Clock {
    /// The moment that the state belongs to.
    pub time: SimTime,
    /// Length of the last automatic step, ticks.
    pub previous_step: u64,
    /// The run of fixed cycles that is under way.
    pub fixed_run: Option<FixedRun>,
}

impl State {
    /// A copy in the middle of a cycle.
    #[must_use]
    pub fn copy_within(&self) -> Self {
        Self { stacks: self.stacks.copy_within(), ..self.clone() }
    }

    /// The water at the ends of links, as their laws take it.
    #[must_use]
    pub fn link_sight<'a>(&'a self, params: &'a Params) -> LinkSight<'a> {
        LinkSight { leaves: &self.leaves, region: &self.solids.region, params }
    }
}
