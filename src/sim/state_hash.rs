//! The hash of all state.

use crate::sim::forcing::Inflow;
use crate::sim::{Settling, Simulation};
use crate::tile::Carry;
use crate::units::hash::StateHasher;
use rayon::prelude::*;

impl Simulation {
    /// Hash of time, leaf keys, all planes of inside cells, the rim, sleep and its counters, the
    /// ledger, tracers, forcing, settings and seed: equal where a run would go on in the same way,
    /// to the bit.
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        let leaves: Vec<u64> =
            (0..self.leaves.len()).into_par_iter().map(|index| self.leaf_hash(index)).collect();
        let mut hash = StateHasher::new();
        hash.add(self.time.ticks());
        hash.add(self.previous_step);
        let base = usize::from(self.forest.base());
        self.speeds.iter().skip(base).for_each(|speed| hash.add(speed.to_bits()));
        if let Some((start, cycle, step)) = self.fixed_run {
            hash.add(start.ticks());
            hash.add(cycle);
            hash.add(step.end_of(1 << 32).ticks());
        }
        for &leaf in &self.roused {
            hash.add(u64::from(leaf));
        }
        hash.add(self.setup_hash);
        let settings = &self.settings;
        hash.add(settings.solver as u64);
        hash.add(settings.order as u64);
        hash.add_text(&format!("{:?}", settings.terms));
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
        self.tracers.add_to(&mut hash);
        for standing in self.barriers.all() {
            hash.add_text(&format!("{standing:?}"));
        }
        self.links.iter().for_each(|link| link.add_to(&mut hash));
        self.add_solids_to(&mut hash);
        leaves.into_iter().for_each(|leaf| hash.add(leaf));
        hash.finish()
    }

    /// Hash of what never changes and decides how a run goes on: cells, units, forcing, laws.
    pub(super) fn hash_of_setup(&self) -> u64 {
        let mut hash = StateHasher::new();
        hash.add(self.cell_width_m.to_bits());
        hash.add(self.unit_m.to_bits());
        for law in &self.laws {
            hash.add_text(&format!("{law:?}"));
        }
        for layer in &self.forcing.layers {
            hash.add_text(&format!("{:?} {:?} {}", layer.direction, layer.rates, layer.account));
        }
        hash.add_text(&format!("{:?}", self.forcing.green_ampt));
        for inflow in &self.forcing.inflows {
            let Inflow { account, rate, places, .. } = inflow;
            hash.add_text(&format!("{account} {rate:?} {places:?}"));
        }
        hash.finish()
    }

    fn leaf_hash(&self, index: usize) -> u64 {
        let (key, leaf) = (self.forest.leaves()[index], &self.leaves[index]);
        let (ground, water) = (&self.grounds[index], &self.water[index]);
        let mut hash = StateHasher::new();
        hash.add(u64::from(key.level));
        hash.add(u64::from(key.x) << 32 | u64::from(key.y));
        hash.add(u64::from(leaf.quiet) << 1 | u64::from(self.asleep[index]));
        let is_wet = water.depth.iter().any(|&depth| depth != 0);
        if leaf.is_wet != is_wet {
            hash.add(u64::from(is_wet));
        }
        for classes in self.forcing.layers.iter().filter_map(|layer| layer.classes.as_ref()) {
            classes[index].iter().for_each(|class| hash.add(u64::from(*class)));
        }
        hash.add(u64::from(leaf.flow_depth_max.to_bits()));
        for cell in (0..water.depth.len()).filter(|&cell| ground.is_inside(cell)) {
            let bed = u64::from(ground.bed[cell].cast_unsigned());
            hash.add(bed << 32 | u64::from(water.depth[cell].cast_unsigned()));
            let flow_x = u64::from(water.flow_x[cell].to_bits());
            hash.add(flow_x << 32 | u64::from(water.flow_y[cell].to_bits()));
            hash.add(ground.roughness.as_ref().map_or(0, |plane| u64::from(plane[cell])));
            let soaked = leaf.infiltrated.as_ref().map_or(0, |plane| plane[cell]);
            hash.add(u64::from(soaked.cast_unsigned()));
            water.contents.iter().for_each(|plane| hash.add(plane[cell].cast_unsigned()));
        }
        if leaf.carry != Carry::none(self.tracers.len()) {
            hash.add(leaf.carry.water.cast_unsigned());
            hash.add(leaf.carry.infiltrated.cast_unsigned());
            leaf.carry.contents.iter().for_each(|&content| hash.add_wide(content));
        }
        if let Some(edges) = &self.edges[index] {
            edges.beyond.iter().flatten().flat_map(|row| row.iter()).for_each(|q| {
                hash.add(u64::from(q.to_bits()));
            });
            edges.registers.iter().flatten().flat_map(|r| r.gained).for_each(|gained| {
                hash.add(gained.cast_unsigned());
            });
            let contents = edges.registers.iter().flatten().flat_map(|r| &r.contents);
            contents.flatten().for_each(|content| hash.add(content.cast_unsigned()));
        }
        for face in &leaf.rim {
            hash.add(u64::from(face.expected.to_bits()));
            let left = u64::from(face.left.cast_unsigned());
            hash.add(left << 32 | u64::from(face.units_per_flow.to_bits()));
            hash.add(face.credit.cast_unsigned());
            hash.add(u64::from(face.law) << 32 | u64::from(face.account));
            hash.add(u64::from(face.slope.to_bits()) << 8 | face.side as u64);
            hash.add(u64::from(face.cell) << 32 | u64::from(face.q.to_bits()));
        }
        hash.finish()
    }
}
