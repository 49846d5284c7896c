//! How open faces are, so that no velocity grows where ground or water changes between two steps.
//!
//! Where a face becomes less open its velocity stays, where it becomes more open its discharge, so
//! nothing shoots up.

use crate::forest::interfaces::coarse::Means;
use crate::forest::interfaces::strip::{SideFlow, openings, strip};
use crate::grid::{Axis, LeafId, Side, TILE_CELLS, TILE_WIDTH};
use crate::sim::table::LeafTable;
use crate::tile::FaceAt;
use crate::units::maths;

/// Flow depths over the faces a leaf owns, vertical units: west and south of each cell, east and
/// north along its sides.
pub struct Openings {
    /// Over the west (0) and south (1) faces of each cell.
    pub planes: [Box<[i32]>; 2],
    /// Over the faces of the east (0) and north (1) side.
    pub far: [[i32; TILE_WIDTH]; 2],
}

impl LeafTable {
    /// Does something to ground or water of these leaves: no velocity grows by it, over their faces
    /// and those of all around, and leaves there are no longer idle.
    pub fn change_gently(&mut self, leaves: &[LeafId], unit_m: f64, act: impl FnOnce(&mut Self)) {
        let near = self.near(leaves);
        let before: Vec<Openings> = near.iter().map(|&leaf| self.openings_of(leaf)).collect();
        act(self);
        for (&leaf, before) in near.iter().zip(&before) {
            self.keep_below(leaf, before, unit_m);
        }
        self.take_means(&self.near(&near));
        for &leaf in leaves {
            self.own[leaf].idle_cycles = 0;
        }
        self.mark(near);
    }

    /// How open the faces of a leaf are now.
    #[must_use]
    pub fn openings_of(&self, leaf: LeafId) -> Openings {
        let leaves = self.view();
        let (ground, water) = (&self.grounds[leaf], &self.water[leaf]);
        let standing = |cell: usize| ground.standing(cell, water.depth[cell]);
        let sides =
            Side::ALL.map(|side| openings(&leaves, leaf, side, &strip(&leaves, leaf, side)));
        let inner = |axis: Axis| -> Box<[i32]> {
            let of_cell = |cell: usize| {
                let (along, across) = (cell % TILE_WIDTH, cell / TILE_WIDTH);
                let (first, i, step) = if axis == Axis::X {
                    (along == 0, across, 1)
                } else {
                    (across == 0, along, TILE_WIDTH)
                };
                if first {
                    sides[Side::of(axis)[0]][i]
                } else {
                    let face = FaceAt::Of { axis, cell };
                    ground.opening(face, standing(cell - step), standing(cell))
                }
            };
            (0..TILE_CELLS).map(of_cell).collect()
        };
        Openings { planes: [inner(Axis::X), inner(Axis::Y)], far: [sides[1], sides[3]] }
    }

    /// Holds the velocities of a leaf's faces at what they were through `before`.
    fn keep_below(&mut self, leaf: LeafId, before: &Openings, unit_m: f64) {
        let now = self.openings_of(leaf);
        let water = &mut *self.water[leaf];
        let mut deepest = 0;
        for (axis, plane) in [&mut water.flow_x, &mut water.flow_y].into_iter().enumerate() {
            let faces = before.planes[axis].as_chunks::<TILE_WIDTH>().0;
            let rows = plane.as_chunks_mut::<TILE_WIDTH>().0.iter_mut().zip(faces);
            let now = now.planes[axis].as_chunks::<TILE_WIDTH>().0;
            for ((q, h_f), now) in rows.zip(now) {
                *q = SideFlow { q: *q, h_f: *h_f }.through(now);
                deepest = now.iter().copied().fold(deepest, i32::max);
            }
        }
        if let Some(interfaces) = &mut self.interfaces[leaf] {
            for (axis, row) in interfaces.beyond.iter_mut().enumerate() {
                if let Some(row) = row {
                    **row = SideFlow { q: **row, h_f: before.far[axis] }.through(&now.far[axis]);
                }
            }
        }
        #[expect(clippy::cast_possible_truncation, reason = "a depth in metres")]
        let deepest_m = (f64::from(deepest) * unit_m) as f32;
        // The next plan reckons with waves on the deepest face.
        let own = &mut self.own[leaf];
        own.flow_depth_max = maths::max(own.flow_depth_max, deepest_m);
    }

    /// Gives coarse leaves among these the mean discharges of the finer ones over their west and
    /// south sides.
    pub fn take_means(&mut self, leaves: &[LeafId]) {
        for &leaf in leaves {
            if self.interfaces[leaf].is_none() {
                continue;
            }
            let means = Means::of(&self.view(), leaf);
            means.put(&mut self.water[leaf]);
        }
    }
}
