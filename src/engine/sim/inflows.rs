//! Inflows in the present leaves.

use crate::sim::forcing::{InflowCell, LaidInflow};
use crate::sim::table::LeafTable;

impl LeafTable {
    /// Finds the cells of inflows among the leaves.
    pub(super) fn locate_inflows(&mut self, inflows: &mut [LaidInflow]) {
        self.scratch.iter_mut().for_each(|leaf| leaf.shares.clear());
        for (inflow, source) in (0..).zip(inflows) {
            for (rank, cell) in (0_u32..).zip(&mut source.cells) {
                let place = source.places[rank as usize];
                let (leaf, at) = self.forest.locate(place).expect("inside before and after");
                let cells_log2 = 2 * (self.forest.leaves()[leaf].level - self.forest.base());
                let at = u16::try_from(at).expect("4096 cells");
                *cell = (leaf, at);
                self.scratch[leaf].shares.push(InflowCell { inflow, cell: at, rank, cells_log2 });
            }
        }
    }
}
