//! The hash of all state.

use crate::grid::{LeafId, TILE_CELLS};
use crate::sim::params::Params;
use crate::sim::run_state::RunState;
use crate::sim::state::State;
use crate::sim::table::LeafTable;
use crate::state::{Sink, State as _};
use crate::units::hash::StateHasher;
use rayon::prelude::*;

/// Hash of time, leaf keys, ground, classes, all state of leaves, the ledger, tracers, forcing,
/// structures, solids, settings and seed: equal where a run would go on in the same way, to the
/// bit.
pub(super) fn state_hash(state: &State, params: &Params) -> u64 {
    let of_leaf = |leaf| leaf_hash(&state.leaves, leaf);
    let leaves: Vec<u64> = state.leaves.forest.par_ids().map(of_leaf).collect();
    let mut hash = StateHasher::new();
    hash.add_fields(&RunState::of(state));
    hash.add_fields(&params.settings);
    hash.add_fields(state.tracers.all());
    hash.add_fields(state.barriers.all());
    hash.add_fields(state.links.all());
    hash.add(params.setup_hash);
    leaves.into_iter().for_each(|leaf| hash.add(leaf));
    hash.finish()
}

/// Hash of the state of a leaf, of the ground below and of what acts on it.
fn leaf_hash(leaves: &LeafTable, leaf: LeafId) -> u64 {
    let mut hash = StateHasher::new();
    hash.add_fields(&leaves.forest.leaves()[leaf]);
    for classes in leaves.classes[leaf].iter().flatten() {
        (0..TILE_CELLS).for_each(|cell| hash.add(u64::from(classes.at(cell))));
    }
    leaves.grounds[leaf].look_at_planes(|ground| {
        hash.ints(&ground.bed);
        let roughness = ground.roughness.iter().flat_map(|plane| plane.iter());
        roughness.for_each(|class| hash.add(u64::from(*class)));
    });
    for face in &leaves.own[leaf].boundary {
        hash.add(u64::from(face.law) << 32 | u64::from(face.account));
    }
    leaves.state(leaf).put(&mut hash);
    hash.finish()
}
