//! New ground under the water: beds change at run time, depths stay.
//!
//! Water on top is lifted or lowered with its bed. If a face becomes less open its velocity stays,
//! if it becomes more open its discharge stays, so no velocity rises; the leaves there wake.
//!
//! Guarantees: not a unit of volume moves; velocities never grow.
//! Limits:     momentum is not conserved if beds change.

use crate::grid::cells::{CellPlace, column_row};
use crate::grid::{LeafId, TileKey};
use crate::sim::boundary::{BoundaryFace, share_cells};
use crate::sim::params::Params;
use crate::sim::regrid::LeafSource;
use crate::sim::state::SimulationState;
use crate::sim::table::{LeafTable, pick};
use crate::sim::touched::TouchedFaces;
use crate::tile::columns::build::CellBlock;
use rayon::prelude::*;

/// Number of leaves that a thread processes at once: few are quicker on the caller's own.
const LEAVES_AT_ONCE: usize = 4;

/// Reads new ground for these leaves, in ascending order, whose beds changed below some cells of
/// their level, in them or beside them.
pub(super) fn replace_beds(
    state: &mut SimulationState,
    changed: &[(LeafId, CellBlock)],
    source: &dyn LeafSource,
    unit_m: f64,
) {
    let SimulationState { leaves: table, solids, activity, .. } = &mut *state;
    solids.forget();
    let leaves: Vec<LeafId> = changed.iter().map(|(leaf, _)| *leaf).collect();
    if table.near(&leaves).iter().any(|&leaf| table.own[leaf].stack.is_some()) {
        table.shapes += 1;
    }
    let keys: Vec<TileKey> = leaves.iter().map(|&leaf| table.forest.leaves()[leaf]).collect();
    let cells = changed
        .iter()
        .zip(&keys)
        .flat_map(|(&(leaf, block), &key)| block.cells_in(key).map(move |cell| (leaf, cell)));
    let faces = TouchedFaces::of(&table.forest, cells);
    table.change_gently(&leaves, &faces, unit_m, |table| {
        let grounds = pick(&mut table.grounds, &leaves);
        let all = changed.par_iter().zip(keys).zip(grounds).with_min_len(LEAVES_AT_ONCE);
        all.for_each(|((&(_, block), key), ground)| source.renew_ground(key, block, ground));
    });
    activity.woken.extend(leaves);
}

/// Returns the leaves with faces to the outside, of those that are near.
pub(super) fn leaves_at_edges(
    table: &LeafTable,
    is_near: impl Fn(TileKey) -> bool,
) -> Vec<(LeafId, TileKey)> {
    let leaves = table.forest.iter();
    leaves.filter(|&(leaf, key)| !table.own[leaf].boundary.is_empty() && is_near(key)).collect()
}

/// Updates the falls and seas of the leaves' faces to the outside from the present ground; leaves
/// whose faces change wake.
pub(super) fn renew_falls(
    state: &mut SimulationState,
    params: &Params,
    leaves: Vec<(LeafId, TileKey)>,
    source: &dyn LeafSource,
) {
    let SimulationState { leaves: table, activity, .. } = state;
    let mut others = Vec::new();
    for (leaf, key) in leaves {
        let corner = key.corner();
        let mut is_other = false;
        for face in &mut table.own[leaf].boundary {
            if params.laws[face.law as usize].needs_fall() {
                let (column, row) = column_row(usize::from(face.cell));
                let place = CellPlace { x: corner.x + column, y: corner.y + row };
                let of = |face: &BoundaryFace| (face.slope.to_bits(), face.rise, face.sea);
                let before = of(face);
                source.renew_face(key.level, place, face);
                is_other |= before != of(face);
            }
        }
        share_cells(&mut table.own[leaf].boundary);
        others.extend(is_other.then_some(leaf));
    }
    activity.wake(table, &others);
    table.mark(others);
}
