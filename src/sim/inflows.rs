//! Inflows that come and go while the world runs.

use crate::forest::LeafIndex;
use crate::sim::Simulation;
use crate::sim::forcing::{Inflow, Share};
use crate::sim::ledger::AccountIndex;
use crate::sim::table::LeafTable;

impl Simulation {
    /// Puts other inflows in the place of those there are. Between two cycles.
    ///
    /// # Panics
    ///
    /// If one has a cell outside the world.
    pub fn set_inflows(&mut self, inflows: Vec<Inflow>) {
        self.state.forcing.inflows = inflows;
        self.state.leaves.locate_inflows(&mut self.state.forcing.inflows);
        self.params.hash_setup(&self.state.forcing);
        self.state.leaves.bump_revision();
    }

    /// Gives the water that an account brings a concentration, 2⁻²⁴, of each tracer.
    pub fn bring(&mut self, account: AccountIndex, concentrations: &[i64]) {
        for (tracer, &concentration) in concentrations.iter().enumerate() {
            self.state.tracers.bring(tracer, account, concentration);
        }
    }
}

impl LeafTable {
    /// Finds the cells of inflows among the leaves.
    pub(super) fn locate_inflows(&mut self, inflows: &mut [Inflow]) {
        self.scratch.iter_mut().for_each(|leaf| leaf.shares.clear());
        for (inflow, source) in (0..).zip(inflows) {
            for (rank, cell) in (0_u32..).zip(&mut source.cells) {
                let place = source.places[rank as usize];
                let (leaf, at) = self.forest.locate(place).expect("inside before and after");
                let cells_log2 = 2 * (self.forest.leaves()[leaf].level - self.forest.base());
                let at = u16::try_from(at).expect("4096 cells");
                *cell = (LeafIndex::try_from(leaf).expect("2⁴⁰ cells at most"), at);
                self.scratch[leaf].shares.push(Share { inflow, cell: at, rank, cells_log2 });
            }
        }
    }
}
