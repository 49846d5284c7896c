//! Inflows that come and go while the world runs.

use crate::sim::Simulation;
use crate::sim::forcing::Inflow;
use crate::sim::ledger::AccountIndex;

impl Simulation {
    /// Puts other inflows in the place of those there are. Between two cycles.
    ///
    /// # Panics
    ///
    /// If one has a cell outside the world.
    pub fn set_inflows(&mut self, inflows: Vec<Inflow>) {
        self.state.forcing.inflows = inflows;
        self.relocate_inflows();
        self.params.setup_hash = self.hash_of_setup();
        self.state.leaves.bump_revision();
    }

    /// Gives the water that an account brings a concentration, 2⁻²⁴, of each tracer.
    pub fn bring(&mut self, account: AccountIndex, concentrations: &[i64]) {
        for (tracer, &concentration) in concentrations.iter().enumerate() {
            self.state.tracers.bring(tracer, account, concentration);
        }
    }
}
