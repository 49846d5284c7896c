//! New ground under the water: beds change at run time, depths stay.
//!
//! Water on top is lifted or lowered with its bed. Where a face becomes less open its velocity
//! stays, where it becomes more open its discharge, so nothing shoots up; what lies there wakes.
//!
//! Guarantees: not a unit of volume moves; velocities never grow.
//! Limits:     momentum is not conserved where beds change.

use crate::forest::LeafIndex;
use crate::forest::edges::strip::{RimFlow, openings, strip};
use crate::grid::{Side, TILE_CELLS, TILE_WIDTH};
use crate::sim::Simulation;
use crate::sim::regrid::LeafSource;
use crate::tile::{FaceAt, Ground};
use rayon::prelude::*;
use std::collections::BTreeSet;

/// Flow depths over the faces a leaf owns, vertical units: west and south of each cell, east and
/// north of the rim.
pub(super) struct Openings {
    pub(super) planes: [Box<[i32]>; 2],
    pub(super) far: [[i32; TILE_WIDTH]; 2],
}

impl Simulation {
    /// Takes new ground for these leaves.
    pub fn replace_beds(&mut self, leaves: &[LeafIndex], source: &dyn LeafSource) {
        self.forget_region();
        self.change_gently(leaves, |own| {
            let ground =
                |&leaf: &LeafIndex| source.ground(own.state.leaves.forest.leaves()[leaf as usize]);
            let grounds: Vec<Ground> = leaves.par_iter().map(ground).collect();
            for (&leaf, ground) in leaves.iter().zip(grounds) {
                let (index, key) = (leaf as usize, own.state.leaves.forest.leaves()[leaf as usize]);
                own.state.leaves.grounds[index] = ground;
                let fresh =
                    source.rim_faces(key, &own.state.leaves.grounds[index], &mut own.state.ledger);
                for (face, fresh) in own.state.leaves.own[index].rim.iter_mut().zip(fresh) {
                    debug_assert_eq!((face.cell, face.side), (fresh.cell, fresh.side));
                    face.slope = fresh.slope;
                }
            }
        });
        self.state.activity.roused.extend(leaves);
    }

    /// Does something to ground or water of these leaves: no velocity grows by it, over their faces
    /// and those of all around, and what lies there is no longer quiet.
    pub(super) fn change_gently(&mut self, leaves: &[LeafIndex], act: impl FnOnce(&mut Self)) {
        let near: BTreeSet<LeafIndex> =
            leaves.iter().flat_map(|&leaf| self.and_around(leaf)).collect();
        let before: Vec<Openings> =
            near.iter().map(|&leaf| self.openings_of(leaf as usize)).collect();
        act(self);
        for (&leaf, before) in near.iter().zip(&before) {
            self.keep_below(leaf as usize, before);
        }
        self.take_all_means();
        for &leaf in leaves {
            self.state.leaves.own[leaf as usize].quiet = 0;
        }
        self.mark(near);
    }

    pub(super) fn openings_of(&self, leaf: usize) -> Openings {
        let leaves = self.state.leaves.view();
        let (ground, water) = (&self.state.leaves.grounds[leaf], &self.state.leaves.water[leaf]);
        let standing = |cell: usize| ground.standing(cell, water.depth[cell]);
        let rim = Side::ALL.map(|side| openings(&leaves, leaf, side, &strip(&leaves, leaf, side)));
        let inner = |axis: usize| -> Box<[i32]> {
            let of_cell = |cell: usize| {
                let (along, across) = (cell % TILE_WIDTH, cell / TILE_WIDTH);
                let (first, i, step) = if axis == 0 {
                    (along == 0, across, 1)
                } else {
                    (across == 0, along, TILE_WIDTH)
                };
                if first {
                    rim[2 * axis][i]
                } else {
                    let face = FaceAt::Of { axis, cell };
                    ground.opening(face, standing(cell - step), standing(cell))
                }
            };
            (0..TILE_CELLS).map(of_cell).collect()
        };
        Openings { planes: [inner(0), inner(1)], far: [rim[1], rim[3]] }
    }

    /// Holds the velocities of a leaf's faces at what they were through `before`.
    fn keep_below(&mut self, leaf: usize, before: &Openings) {
        let now = self.openings_of(leaf);
        let water = &mut self.state.leaves.water[leaf];
        let mut deepest = 0;
        for (axis, plane) in [&mut water.flow_x, &mut water.flow_y].into_iter().enumerate() {
            let faces = before.planes[axis].as_chunks::<TILE_WIDTH>().0;
            let rows = plane.as_chunks_mut::<TILE_WIDTH>().0.iter_mut().zip(faces);
            let now = now.planes[axis].as_chunks::<TILE_WIDTH>().0;
            for ((q, h_f), now) in rows.zip(now) {
                *q = RimFlow { q: *q, h_f: *h_f }.through(now);
                deepest = now.iter().copied().fold(deepest, i32::max);
            }
        }
        if let Some(edges) = &mut self.state.leaves.edges[leaf] {
            for (axis, row) in edges.beyond.iter_mut().enumerate() {
                if let Some(row) = row {
                    **row = RimFlow { q: **row, h_f: before.far[axis] }.through(&now.far[axis]);
                }
            }
        }
        #[expect(clippy::cast_possible_truncation, reason = "a depth in metres")]
        let deepest_m = (f64::from(deepest) * self.params.unit_m) as f32;
        // The next plan reckons with waves on the deepest face.
        let own = &mut self.state.leaves.own[leaf];
        own.flow_depth_max = crate::units::maths::max(own.flow_depth_max, deepest_m);
    }
}
