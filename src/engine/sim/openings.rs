//! Openings of faces, so that no velocity grows if ground or water changes between two steps.
//!
//! If a face becomes less open its velocity stays, if it becomes more open its discharge stays, so
//! no velocity rises.

use crate::forest::interfaces::coarse::Means;
use crate::forest::interfaces::strip::{kept, openings, strip};
use crate::grid::{Axis, LeafId, Side, TILE_WIDTH};
use crate::sim::table::LeafTable;
use crate::sim::touched::{LeafFaces, TouchedFaces};
use crate::tile::FaceAt;
use crate::units::maths;

impl LeafTable {
    /// Changes ground or water of the cells between these faces, in `leaves`, by `act`: no velocity
    /// grows by it, and the leaves are no longer idle.
    pub fn change_gently(
        &mut self,
        leaves: &[LeafId],
        touched: &TouchedFaces,
        unit_m: f64,
        act: impl FnOnce(&mut Self),
    ) {
        let openings = |(leaf, faces): (LeafId, &LeafFaces)| self.openings_of(leaf, faces);
        let before: Vec<Vec<i32>> = touched.by_leaf().map(openings).collect();
        act(self);
        for ((leaf, faces), before) in touched.by_leaf().zip(&before) {
            self.keep_below(leaf, faces, before, unit_m);
        }
        self.take_means(&touched.with_means(&self.forest));
        for &leaf in leaves {
            self.stir(leaf);
        }
        self.mark(touched.leaves().chain(leaves.iter().copied()));
    }

    /// Returns how open some faces of a leaf are now, vertical units, in their order.
    #[must_use]
    pub fn openings_of(&self, leaf: LeafId, faces: &LeafFaces) -> Vec<i32> {
        let leaves = self.view();
        let along = |side| {
            let is_touched = faces.touch(side);
            is_touched.then(|| openings(&leaves, leaf, side, &strip(&leaves, leaf, side)))
        };
        let sides = Side::ALL.map(along);
        let (ground, depth) = (&*self.grounds[leaf], &*self.water[leaf].depth);
        let standing = |cell: usize| ground.standing(cell, depth[cell]);
        let mut open = Vec::with_capacity(faces.count());
        faces.each(|face| {
            open.push(match (face.side(), face) {
                (Some((side, i)), _) => sides[side].as_ref().map_or(0, |openings| openings[i]),
                (None, FaceAt::Of { axis, cell }) => {
                    let step = if axis == Axis::X { 1 } else { TILE_WIDTH };
                    ground.opening(face, standing(cell - step), standing(cell))
                }
                (None, FaceAt::Far { .. }) => unreachable!("a far face lies along a side"),
            });
        });
        open
    }

    /// Changes the discharges over some faces of a leaf, m²/s: of the first, second, …
    pub fn change_flows(
        &mut self,
        leaf: LeafId,
        faces: &LeafFaces,
        mut change: impl FnMut(usize, FaceAt, &mut f32),
    ) {
        let water = &mut *self.water[leaf];
        let mut planes = [&mut *water.flow_x, &mut *water.flow_y];
        let mut far = self.interfaces[leaf].as_mut().map(|interfaces| &mut interfaces.beyond);
        let mut count = 0..;
        faces.each(|face| {
            let Some(at) = count.next() else { return };
            match face {
                FaceAt::Of { axis, cell } => change(at, face, &mut planes[axis][cell]),
                FaceAt::Far { axis, i } => {
                    if let Some(row) = far.as_mut().and_then(|far| far[axis].as_mut()) {
                        change(at, face, &mut row[i]);
                    }
                }
            }
        });
    }

    /// Limits the discharges over a leaf's faces so that no velocity grows from its value with the
    /// openings `before`.
    fn keep_below(&mut self, leaf: LeafId, faces: &LeafFaces, before: &[i32], unit_m: f64) {
        let now = self.openings_of(leaf, faces);
        self.change_flows(leaf, faces, |at, _, q| *q = kept(*q, before[at], now[at]));
        let deepest = now.iter().copied().max().unwrap_or(0);
        #[expect(clippy::cast_possible_truncation, reason = "a depth in metres")]
        let deepest_m = (f64::from(deepest) * unit_m) as f32;
        // The next plan takes waves on the deepest face into account.
        let own = &mut self.own[leaf];
        own.flow_depth_max = maths::max(own.flow_depth_max, deepest_m);
    }

    /// Sets the discharges of coarse leaves among these to the means of the finer ones over their
    /// west and south sides; water that has them already is not written.
    pub fn take_means(&mut self, leaves: &[LeafId]) {
        for &leaf in leaves {
            if self.interfaces[leaf].is_none() {
                continue;
            }
            let means = Means::of(&self.view(), leaf);
            if !means.are_in(&self.water[leaf]) {
                means.put(&mut self.water[leaf]);
            }
        }
    }
}
