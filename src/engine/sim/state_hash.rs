//! The hash of all state.

use crate::grid::{LeafId, TILE_CELLS};
use crate::sim::forcing::CellClasses;
use crate::sim::params::Params;
use crate::sim::run_state::RunState;
use crate::sim::state::SimulationState;
use crate::sim::table::LeafTable;
use crate::state::{StateField as _, StateSink};
use crate::units::hash::StateHasher;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Part of a world's state that is outside its tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum StatePart {
    /// Settings and seed.
    Settings,
    /// Time, lengths of steps, and leaves that wake next.
    Clock,
    /// Rates of weather and inflows, laws of edges.
    Forcing,
    /// Barriers.
    Barriers,
    /// Culverts, pumps and drains.
    Links,
    /// Bodies, and the water among them.
    Bodies,
    /// Sources and sinks of the water.
    Ledger,
    /// Tracers and their ledgers.
    Tracers,
    /// Plans of leaves.
    Plans,
}

/// Returns the hash of time, leaf keys, ground, classes, all state of leaves, the ledger, tracers,
/// forcing, structures, solids, settings and seed: equal if a run would continue in the same way,
/// to the bit.
pub(super) fn state_hash(state: &SimulationState, params: &Params) -> u64 {
    let leaves = leaf_hashes(&state.leaves);
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

/// Returns the hashes of the state outside the leaves, part by part.
pub(super) fn part_hashes(state: &SimulationState, params: &Params) -> Vec<(StatePart, u64)> {
    let of = |part, add: &dyn Fn(&mut StateHasher)| {
        let mut hash = StateHasher::new();
        add(&mut hash);
        (part, hash.finish())
    };
    let run = RunState::of(state);
    let clock = (run.time, run.previous_step, run.fixed_run, &run.speeds, &run.woken);
    vec![
        of(StatePart::Settings, &|hash| hash.add_fields(&params.settings)),
        of(StatePart::Clock, &|hash| hash.add_fields(&clock)),
        of(StatePart::Forcing, &|hash| hash.add(params.setup_hash)),
        of(StatePart::Barriers, &|hash| hash.add_fields(state.barriers.all())),
        of(StatePart::Links, &|hash| hash.add_fields(state.links.all())),
        of(StatePart::Bodies, &|hash| hash.add_fields(&run.solids)),
        of(StatePart::Ledger, &|hash| hash.add_fields(&run.ledger)),
        of(StatePart::Tracers, &|hash| hash.add_fields(state.tracers.all())),
    ]
}

/// Returns the hash of each leaf, in their order; recomputes only those that changed since the last
/// call.
pub(super) fn leaf_hashes(leaves: &LeafTable) -> Vec<u64> {
    let known = |leaf: LeafId| {
        let hash = *leaves.scratch[leaf].hash.get_or_init(|| leaf_hash(leaves, leaf));
        if cfg!(any(test, debug_assertions)) {
            assert_eq!(hash, leaf_hash(leaves, leaf), "a change of leaf {leaf:?} has no number");
        }
        hash
    };
    leaves.forest.par_ids().map(known).collect()
}

/// Computes the missing hashes of these leaves.
pub(super) fn take_hashes(leaves: &LeafTable, some: &[LeafId]) {
    some.par_iter().for_each(|&leaf| {
        leaves.scratch[leaf].hash.get_or_init(|| leaf_hash(leaves, leaf));
    });
}

/// Returns the hash of the state of a leaf, of the ground below and of the forcing on it.
pub(super) fn leaf_hash(leaves: &LeafTable, leaf: LeafId) -> u64 {
    let mut hash = StateHasher::new();
    hash.add_fields(&leaves.forest.leaves()[leaf]);
    for (layer, classes) in (0_u64..).zip(&leaves.classes[leaf]) {
        let Some(classes) = classes else { continue };
        // Classes of an area: leaves outside it have none.
        if matches!(classes, CellClasses::One(_) | CellClasses::Marked(_)) {
            hash.add(layer);
        }
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
