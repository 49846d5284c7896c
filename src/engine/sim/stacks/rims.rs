//! Rims: the sides of open cells over which water leaves intervals or enters them.
//!
//! The kernels see such a side as a wall, or with the flow over the ground above alone. The flow
//! below carries momentum all the same: it counts as over a boundary of the world
//! (`src/engine/sim/boundary_momentum.rs`), with the velocity of its mean over the open water's
//! depth.

use crate::forest::{Forest, Neighbour};
use crate::grid::cells::{TILE_WIDTH_U32, column_row};
use crate::grid::{Axis, LeafId, Side};
use crate::sim::stacks::grown::Grown;
use crate::sim::stacks::net::StackNet;
use crate::tile::padded::Padded;
use crate::tile::{Ground, Water};
use std::collections::BTreeMap;

/// A side of an open cell, and the water that crossed it in the step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::sim) struct StackRim {
    /// The cell.
    pub cell: u16,
    /// Side of it.
    pub side: Side,
    /// Outward unit discharge, m²/s.
    pub q: f32,
    /// Units that flowed out.
    pub moved: i32,
}

/// The rims of a step by leaf.
#[derive(Debug, Clone, Default)]
pub struct Rims {
    sides: BTreeMap<LeafId, Vec<StackRim>>,
    grown: BTreeMap<LeafId, Vec<Grown>>,
}

impl Rims {
    /// Returns the rims of a leaf, and the rims of the cells just west and south of it, with the
    /// column and row of their cells.
    pub(in crate::sim) fn near(
        &self,
        leaf: LeafId,
        forest: &Forest,
    ) -> Vec<((i32, i32), StackRim)> {
        let mut near = Vec::new();
        if self.sides.is_empty() {
            return near;
        }
        let beyond = |side| match forest.across(leaf, side) {
            Neighbour::Same(beyond) => Some(beyond),
            _ => None,
        };
        let width = TILE_WIDTH_U32.cast_signed();
        let [west, south] = [beyond(Side::West), beyond(Side::South)];
        for (of, [east, north]) in [(Some(leaf), [0; 2]), (west, [-width, 0]), (south, [0, -width])]
        {
            let rims = of.and_then(|of| self.sides.get(&of)).into_iter().flatten();
            let placed = rims.map(|rim| {
                let (column, row) = column_row(usize::from(rim.cell));
                ((column.cast_signed() + east, row.cast_signed() + north), *rim)
            });
            near.extend(placed.filter(|((column, row), _)| *column >= -1 && *row >= -1));
        }
        near
    }

    /// Subtracts the growth from discharges of the pipe, in the new water of a leaf.
    pub(in crate::sim) fn ease(
        &self,
        leaf: LeafId,
        (ground, padded): (&Ground, &Padded),
        new: &mut Water,
    ) {
        let grown = self.grown.get(&leaf).into_iter().flatten();
        grown.for_each(|face| face.ease(ground, padded, new));
    }
}

impl StackNet {
    /// Finds the sides of open cells over which something flows, after the net's part of a step.
    #[expect(clippy::cast_possible_truncation, reason = "a discharge")]
    pub(in crate::sim) fn rims(&self) -> Rims {
        let mut rims = Rims::default();
        for &(leaf, grown) in &self.now.grown {
            rims.grown.entry(leaf).or_default().push(grown);
        }
        for &node in &self.now.open {
            let own = &self.nodes[node];
            if self.mouth_of(node, &self.now).place() != own.place() {
                continue;
            }
            for &at in self.passages_of(node) {
                let passage = &self.passages[at as usize];
                let (q, moved) = (self.now.q[at as usize], self.now.moved[at as usize]);
                if q == 0.0 && moved == 0 {
                    continue;
                }
                let is_behind = passage.ends[1] as usize == node;
                let side = match (passage.axis, is_behind) {
                    (Axis::X, true) => Side::West,
                    (Axis::X, false) => Side::East,
                    (Axis::Y, true) => Side::South,
                    (Axis::Y, false) => Side::North,
                };
                let sign = if is_behind { -1 } else { 1 };
                let list = rims.sides.entry(own.leaf).or_default();
                let q = (f64::from(sign) * q) as f32;
                match list.iter_mut().find(|rim| rim.cell == own.cell && rim.side == side) {
                    Some(rim) => (rim.q, rim.moved) = (rim.q + q, rim.moved + sign * moved),
                    None => list.push(StackRim { cell: own.cell, side, q, moved: sign * moved }),
                }
            }
        }
        rims
    }
}
