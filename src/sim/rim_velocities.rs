//! Velocities along the boundary stay while water crosses it.
//!
//! Shallow water divides a discharge by the depth of now. Where a transfer over the boundary has
//! just changed that depth the discharges are scaled with it: water that leaves takes its momentum
//! along, and inflow brings its own (see [`rim_momentum`](crate::sim::rim_momentum)).
//!
//! Guarantees: the same for a face within a leaf and between two.

use crate::forest::{LeafIndex, NO_LEAF};
use crate::grid::cells::column_row;
use crate::grid::{Axis, TILE_WIDTH};
use crate::sim::table::LeafTable;
use crate::tile::FaceAt;

/// A cell of the boundary: leaf, cell, and its depth before water crossed the boundary.
type Changed = (usize, usize, i32);

/// A face of the forest: the leaf and cell that own it, and whether it is a west face.
type Face = (usize, usize, bool);

impl LeafTable {
    /// Scales the discharges of all inner faces of cells whose depth the rim of leaves that are
    /// awake changed in this step.
    pub(super) fn keep_velocities(&mut self, awake: &[LeafIndex]) {
        let changed = self.changed_by_rim(awake);
        for &(leaf, cell, before) in &changed {
            for (other, face) in self.inner_faces(leaf, cell) {
                let place = changed.binary_search_by_key(&other, |c| (c.0, c.1));
                let own = (leaf, cell);
                if place.is_ok() && other < own {
                    // The face between two such cells is scaled once.
                    continue;
                }
                let now = self.depth_at(other);
                let other_before = place.map_or(now, |at| changed[at].2);
                let old = self.opening(face, own, before, other, other_before);
                let new = self.opening(face, own, self.depth_at(own), other, now);
                if old > 0.0 {
                    let (owner, at, is_west) = face;
                    let water = &mut self.water[owner];
                    let flow = if is_west { &mut water.flow_x } else { &mut water.flow_y };
                    flow[at] *= new / old;
                }
            }
        }
    }

    /// The cells whose depth the boundary changed, in order of leaf and cell.
    fn changed_by_rim(&self, awake: &[LeafIndex]) -> Vec<Changed> {
        let mut changed: Vec<Changed> = Vec::new();
        for &index in awake {
            let index = index as usize;
            let leaf = &self.own[index];
            let from = changed.len();
            for face in leaf.rim.iter().filter(|face| face.moved != 0) {
                changed.push((index, usize::from(face.cell), face.moved));
            }
            changed[from..].sort_unstable_by_key(|c| c.1);
        }
        // What several faces of one cell moved adds up.
        changed.dedup_by(|next, kept| {
            let same = (next.0, next.1) == (kept.0, kept.1);
            kept.2 += if same { next.2 } else { 0 };
            same
        });
        for cell in &mut changed {
            cell.2 += self.water[cell.0].depth[cell.1];
        }
        changed
    }

    fn depth_at(&self, (leaf, cell): (usize, usize)) -> i32 {
        self.water[leaf].depth[cell]
    }

    /// h_f of a face between two cells of these depths, vertical units.
    #[expect(clippy::cast_precision_loss, reason = "a ratio")]
    fn opening(
        &self,
        (owner, cell, is_west): Face,
        a: (usize, usize),
        depth_a: i32,
        b: (usize, usize),
        depth_b: i32,
    ) -> f32 {
        let standing =
            |(leaf, cell): (usize, usize), depth| self.grounds[leaf].standing(cell, depth);
        let face = FaceAt::Of { axis: if is_west { Axis::X } else { Axis::Y }, cell };
        let (before, behind) = (standing(a, depth_a), standing(b, depth_b));
        self.grounds[owner].opening(face, before, behind) as f32
    }

    /// The cells beside a cell that are inside, each with the face between.
    fn inner_faces(&self, leaf: usize, cell: usize) -> Vec<((usize, usize), Face)> {
        let (column, row) = column_row(cell);
        let (column, row) = (column as usize, row as usize);
        let around = self.forest.around(leaf);
        let last = TILE_WIDTH - 1;
        let beside = |is_own: bool, here: usize, place: usize, there: usize| match around[place] {
            _ if is_own => Some((leaf, here)),
            NO_LEAF => None,
            other => Some((other as usize, there)),
        };
        let west = beside(column > 0, cell.wrapping_sub(1), 3, cell + last);
        let east = beside(column < last, cell + 1, 5, row * TILE_WIDTH);
        let south = beside(row > 0, cell.wrapping_sub(TILE_WIDTH), 1, last * TILE_WIDTH + column);
        let north = beside(row < last, cell + TILE_WIDTH, 7, column);
        let faces = [
            west.map(|other| (other, (leaf, cell, true))),
            east.map(|other| (other, (other.0, other.1, true))),
            south.map(|other| (other, (leaf, cell, false))),
            north.map(|other| (other, (other.0, other.1, false))),
        ];
        let inside =
            |((leaf, cell), _): &((usize, usize), Face)| self.grounds[*leaf].is_inside(*cell);
        faces.into_iter().flatten().filter(inside).collect()
    }
}
