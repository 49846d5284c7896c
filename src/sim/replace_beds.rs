//! New ground under the water: beds change at run time, depths stay.
//!
//! Water on top is lifted or lowered with its bed. Where a face becomes less open its velocity
//! stays, where it becomes more open its discharge, so nothing shoots up; what lies there wakes.
//!
//! Guarantees: not a unit of volume moves; velocities never grow.
//! Limits:     momentum is not conserved where beds change.

use crate::grid::cells::{CellPlace, column_row};
use crate::grid::{LeafId, TileKey};
use crate::sim::params::Params;
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
    let State { leaves: table, solids, .. } = &mut *state;
    solids.forget();
    table.change_gently(leaves, unit_m, |table| {
        let ground = |&leaf: &LeafId| source.ground(table.forest.leaves()[leaf]).into();
        let grounds: Vec<Resident<Ground>> = leaves.par_iter().map(ground).collect();
        for (&leaf, ground) in leaves.iter().zip(grounds) {
            table.grounds[leaf] = ground;
        }
    });
    state.activity.woken.extend(leaves);
}

/// Takes the falls of the ground anew at the edges of leaves; those that have others wake.
pub(super) fn renew_falls(
    state: &mut State,
    params: &Params,
    is_near: impl Fn(TileKey) -> bool,
    source: &dyn LeafSource,
) {
    let State { leaves: table, activity, .. } = state;
    let mut others = Vec::new();
    for (leaf, key) in table.forest.iter().filter(|(_, key)| is_near(*key)) {
        let corner = key.corner();
        let mut is_other = false;
        for face in &mut table.own[leaf].boundary {
            if params.laws[face.law as usize].needs_fall() {
                let (column, row) = column_row(usize::from(face.cell));
                let place = CellPlace { x: corner.x + column, y: corner.y + row };
                let fall = source.fall(key.level, place, face.side);
                is_other |= face.slope.to_bits() != fall.to_bits();
                face.slope = fall;
            }
        }
        others.extend(is_other.then_some(leaf));
    }
    activity.wake(table, &others);
    table.mark(others);
}
