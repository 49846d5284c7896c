//! Reach of an act between two cycles: cells, and how much of each.

use crate::grid::{LeafId, TILE_CELLS};
use std::collections::BTreeMap;

/// How much of each cell an act takes, from 0 to 1, leaf by leaf.
#[derive(Debug, Clone, Default)]
pub struct Reach(BTreeMap<LeafId, Box<[f64]>>);

impl Reach {
    /// Adds a part of a cell.
    pub fn add(&mut self, leaf: LeafId, cell: usize, part: f64) {
        let plane = self.0.entry(leaf).or_insert_with(|| vec![0.0; TILE_CELLS].into());
        plane[cell] += part;
    }

    /// How much it takes of a cell.
    #[must_use]
    pub fn of(&self, leaf: LeafId, cell: usize) -> f64 {
        self.0.get(&leaf).map_or(0.0, |plane| plane[cell])
    }

    /// Divides the part of each cell by how much of it there is; 1 at most.
    pub fn over(&mut self, there_is: impl Fn(LeafId, usize) -> f64) {
        for (&leaf, plane) in &mut self.0 {
            for (cell, part) in plane.iter_mut().enumerate().filter(|(_, part)| **part > 0.0) {
                *part = (*part / there_is(leaf, cell)).min(1.0);
            }
        }
    }

    /// Cells of the reach, with the part of each.
    pub fn cells(&self) -> impl Iterator<Item = (LeafId, usize, f64)> {
        self.0.iter().flat_map(|(&leaf, plane)| {
            let parts = plane.iter().copied().enumerate().filter(|(_, part)| *part > 0.0);
            parts.map(move |(cell, part)| (leaf, cell, part))
        })
    }

    /// Leaves of the reach, in their order.
    #[must_use]
    pub fn leaves(&self) -> Vec<LeafId> {
        self.0.keys().copied().collect()
    }

    /// True where it has no cell.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
