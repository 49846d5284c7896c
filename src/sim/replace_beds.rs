//! New ground under the water: beds change at run time, depths stay.
//!
//! Water on top is lifted or lowered with its bed. Where a face becomes less open its velocity
//! stays, where it becomes more open its discharge, so nothing shoots up; what lies there wakes.
//!
//! Guarantees: not a unit of volume moves; velocities never grow.
//! Limits:     momentum is not conserved where beds change.

use crate::grid::LeafId;
use crate::sim::regrid::LeafSource;
use crate::sim::state::State;
use crate::tile::{Ground, Resident};
use rayon::prelude::*;

/// Takes new ground for these leaves.
pub(super) fn replace_beds(
    state: &mut State,
    leaves: &[LeafId],
    source: &dyn LeafSource,
    unit_m: f64,
) {
    let State { leaves: table, solids, .. } = state;
    solids.forget();
    table.change_gently(leaves, unit_m, |table| {
        let ground = |&leaf: &LeafId| source.ground(table.forest.leaves()[leaf]).into();
        let grounds: Vec<Resident<Ground>> = leaves.par_iter().map(ground).collect();
        for (&leaf, ground) in leaves.iter().zip(grounds) {
            table.grounds[leaf] = ground;
        }
    });
    renew_falls(state, leaves, source);
}

/// Takes the falls of the ground anew at the edges of these leaves, which wake.
pub(super) fn renew_falls(state: &mut State, leaves: &[LeafId], source: &dyn LeafSource) {
    let State { leaves: table, ledger, activity, .. } = state;
    for &leaf in leaves {
        let key = table.forest.leaves()[leaf];
        let fresh = source.boundary_faces(key, &table.grounds[leaf], ledger);
        for (face, fresh) in table.own[leaf].boundary.iter_mut().zip(fresh) {
            debug_assert_eq!((face.cell, face.side), (fresh.cell, fresh.side));
            face.slope = fresh.slope;
        }
    }
    activity.woken.extend(leaves);
}
