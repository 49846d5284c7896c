//! A cycle that runs beside its world, on a copy of the simulation.

use thalweg_engine::sim::cycle::Cycle;
use thalweg_engine::sim::phases::Allowance;
use thalweg_engine::sim::schedule::CycleEnd;
use thalweg_engine::sim::{CycleReport, Simulation};

/// A cycle under way.
#[derive(Debug)]
pub(super) struct UnderWay {
    simulation: Simulation,
    cycle: Cycle,
    /// Whether its steps are done, and only its end is left.
    is_stepped: bool,
}

/// Cost of the copy of a leaf, awake or not, and of its part of the end of a cycle, in cell-steps:
/// by the times of `bench frame.budget`.
const COPY: u64 = 192;

impl UnderWay {
    /// Begins a cycle on a copy of a simulation.
    pub fn begin(simulation: &mut Simulation, end: CycleEnd) -> Self {
        let mut simulation = simulation.fork();
        let cycle = simulation.begin(end);
        Self { simulation, cycle, is_stepped: false }
    }

    /// Takes the cost of beginning the cycle from the budget of the frame that begins it.
    pub fn charge(&self, allowance: &mut Allowance<'_>) {
        allowance.charge(self.leaves(), COPY);
    }

    fn leaves(&self) -> usize {
        self.simulation.forest().leaves().len()
    }

    /// Continues as far as is allowed; returns whether the cycle may end now, and cell-steps done
    /// and left. A frame that begins when only the end of the cycle is left ends it.
    pub fn advance(&mut self, allowance: &mut Allowance<'_>) -> (bool, [u64; 2]) {
        let was_stepped = self.is_stepped;
        self.is_stepped = self.simulation.advance(&mut self.cycle, allowance);
        let may_end = was_stepped || self.is_stepped && allowance.bears(self.leaves(), COPY);
        (may_end, self.cycle.cell_steps(self.simulation.state()))
    }

    /// Ends the cycle, which is done: the copy replaces the simulation.
    pub fn end(self, simulation: &mut Simulation) -> CycleReport {
        let Self { simulation: mut copy, cycle, .. } = self;
        let report = copy.end_cycle(cycle);
        simulation.succeed(copy);
        report
    }
}
