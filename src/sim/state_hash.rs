//! The hash of all state.

use crate::sim::Settling;
use crate::sim::Simulation;
use crate::units::hash::StateHasher;
use rayon::prelude::*;

impl Simulation {
    /// Hash of time, leaf keys, all planes of inside cells, rim discharges, sleep counters, ledger,
    /// settings and seed: equal where a run would go on in the same way, to the bit.
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        let leaves: Vec<u64> =
            (0..self.leaves.len()).into_par_iter().map(|index| self.leaf_hash(index)).collect();
        let mut hash = StateHasher::new();
        hash.add(self.time.ticks());
        hash.add(self.previous_step);
        hash.add(self.speed.to_bits());
        if let Some((start, cycle, _)) = self.fixed_run {
            hash.add(start.ticks());
            hash.add(cycle);
        }
        let settings = &self.settings;
        hash.add(settings.seed);
        hash.add(settings.gravity.to_bits());
        hash.add(u64::from(settings.settling == Settling::On));
        hash.add(u64::from(settings.quiet_cycles));
        hash.add(u64::from(settings.substeps_log2));
        settings.manning_n.iter().for_each(|n| hash.add(n.to_bits()));
        hash.add_wide(self.ledger.initial());
        for account in self.ledger.accounts() {
            hash.add_wide(account.into);
            hash.add_wide(account.out);
        }
        leaves.into_iter().for_each(|leaf| hash.add(leaf));
        hash.finish()
    }

    fn leaf_hash(&self, index: usize) -> u64 {
        let (key, leaf) = (self.forest.leaves()[index], &self.leaves[index]);
        let (ground, water) = (&self.grounds[index], &self.water[index]);
        let mut hash = StateHasher::new();
        hash.add(u64::from(key.level));
        hash.add(u64::from(key.x) << 32 | u64::from(key.y));
        hash.add(u64::from(leaf.quiet));
        for cell in (0..water.depth.len()).filter(|&cell| ground.is_inside(cell)) {
            let bed = u64::from(ground.bed[cell].cast_unsigned());
            hash.add(bed << 32 | u64::from(water.depth[cell].cast_unsigned()));
            let flow_x = u64::from(water.flow_x[cell].to_bits());
            hash.add(flow_x << 32 | u64::from(water.flow_y[cell].to_bits()));
            hash.add(ground.roughness.as_ref().map_or(0, |plane| u64::from(plane[cell])));
            let soaked = leaf.infiltrated.as_ref().map_or(0, |plane| plane[cell]);
            hash.add(u64::from(soaked.cast_unsigned()));
        }
        for face in &leaf.rim {
            hash.add(u64::from(face.arrived.to_bits()));
            hash.add(u64::from(face.cell) << 32 | u64::from(face.q.to_bits()));
        }
        hash.finish()
    }
}
