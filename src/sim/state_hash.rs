//! The hash of all state.

use crate::sim::Simulation;
use crate::state::{Sink, State as _};
use crate::units::hash::StateHasher;
use rayon::prelude::*;

impl Simulation {
    /// Hash of time, leaf keys, ground, classes, all state of leaves, the ledger, tracers, forcing,
    /// structures, solids, settings and seed: equal where a run would go on in the same way,
    /// to the bit.
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        let leaves: Vec<u64> = (0..self.state.leaves.count())
            .into_par_iter()
            .map(|index| self.leaf_hash(index))
            .collect();
        let mut hash = StateHasher::new();
        hash.add_fields(&self.run_state());
        hash.add_fields(&self.params.settings);
        hash.add_fields(self.state.tracers.all());
        hash.add_fields(self.state.barriers.all());
        hash.add_fields(self.state.links.all());
        hash.add(self.params.setup_hash);
        leaves.into_iter().for_each(|leaf| hash.add(leaf));
        hash.finish()
    }

    /// Hash of the state of a leaf, of the ground below and of what acts on it.
    fn leaf_hash(&self, index: usize) -> u64 {
        let (key, ground) =
            (self.state.leaves.forest.leaves()[index], &self.state.leaves.grounds[index]);
        let mut hash = StateHasher::new();
        hash.add_fields(&key);
        for classes in self.state.leaves.classes[index].iter().flatten() {
            classes.iter().for_each(|class| hash.add(u64::from(*class)));
        }
        hash.ints(&ground.bed);
        let roughness = ground.roughness.iter().flat_map(|plane| plane.iter());
        roughness.for_each(|class| hash.add(u64::from(*class)));
        for face in &self.state.leaves.own[index].rim {
            hash.add(u64::from(face.law) << 32 | u64::from(face.account));
        }
        self.leaf_state(index).put(&mut hash);
        hash.finish()
    }
}
