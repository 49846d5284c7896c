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

/// All parts that change while a simulation runs, from cycle to cycle or by an action between two:
/// a phase receives the parts that it reads and writes, and [`Params`] beside them.
#[derive(Debug, Clone)]
pub struct SimulationState {
    /// Ground, state and scratch of all leaves.
    pub leaves: LeafTable,
    /// Source and sink of every unit of water.
    pub ledger: Ledger,
    /// Ledger of each tracer, and its contents in the sources.
    pub tracers: Tracers,
    /// Barriers, and their faces in the leaves.
    pub barriers: Barriers,
    /// Sections and the volume that has passed them: not state, as no step reads it.
    pub sections: Sections,
    /// Links between two places, by number.
    pub links: Links,
    /// Solids, and the water that they touch.
    pub solids: SolidField,
    /// Stacked columns: the net of all intervals.
    pub stacks: StackNet,
    /// Sources and sinks: actions change the inflows, a change of the leaves their cells.
    pub forcing: Forcing,
    /// Leaves that are stepped, and the speeds of their water.
    pub activity: Activity,
    /// Time, and lengths of steps.
    pub clock: SimulationClock,
}

/// Time of the state, and the values of the last steps that the next plan needs.
#[derive(Debug, Clone, Default)]
pub struct SimulationClock {
    /// Time of the state.
    pub time: SimTime,
    /// Length of the last automatic step, ticks.
    pub previous_step: u64,
    /// The present run of fixed cycles.
    pub fixed_run: Option<FixedRun>,
}

impl SimulationState {
    /// Returns a copy in the middle of a cycle.
    #[must_use]
    pub fn copy_within(&self) -> Self {
        Self { stacks: self.stacks.copy_within(), ..self.clone() }
    }

    /// Returns the water at the ends of links, as their laws need it.
    #[must_use]
    pub fn link_sight<'a>(&'a self, params: &'a Params) -> LinkSight<'a> {
        LinkSight { leaves: &self.leaves, region: &self.solids.region, params }
    }
}
