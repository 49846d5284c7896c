//! The faces of a leaf to the leaves beyond its sides, of all levels.
//!
//! ```text
//!          beyond          A side of 64 cells has 64 faces to a leaf of the same or of a coarser
//!   ┌───────────────┐      level, and 64 to each of two finer ones: those of the finer side. Face
//!   │       │       │      i lies at cell i of the finer leaf, and at cell first + i / 2 of the
//!   ├───┬───┼───┬───┤      coarser one, where first is 0 or 32.
//!   │   │   │   │   │
//!   └───┴───┴───┴───┘
//!          the leaf
//! ```

use crate::forest::{Forest, Neighbour};
use crate::grid::{LeafId, Side, TILE_WIDTH};
use std::cmp::Ordering;
use std::ops::Range;

/// The faces between a leaf and one of the leaves beyond a side of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Faces {
    /// Side of the leaf.
    pub side: Side,
    /// Leaf beyond the side.
    pub beyond: LeafId,
    /// Level of the leaf beyond compared to the leaf's: greater if coarser.
    pub coarseness: Ordering,
    /// First cell, along the side, of the coarser of the two; 0 if both have one level.
    pub first: usize,
}

impl Faces {
    /// True if the leaf beyond is coarser.
    #[must_use]
    pub fn is_coarser(&self) -> bool {
        self.coarseness == Ordering::Greater
    }

    /// True if the leaf beyond is finer.
    #[must_use]
    pub fn is_finer(&self) -> bool {
        self.coarseness == Ordering::Less
    }

    /// Returns the leaf's cell at face `i`.
    #[must_use]
    pub fn own(&self, i: usize) -> usize {
        self.side.cell_along(if self.is_finer() { self.first + i / 2 } else { i })
    }

    /// Returns the cell of the leaf beyond at face `i`.
    #[must_use]
    pub fn there(&self, i: usize) -> usize {
        self.side.opposite().cell_along(self.place_beyond(i))
    }

    /// Returns the place, along its side, of the cell of the leaf beyond at face `i`.
    #[must_use]
    pub fn place_beyond(&self, i: usize) -> usize {
        if self.is_coarser() { self.first + i / 2 } else { i }
    }

    /// Returns the cells of the leaf beyond, along its side, that have faces to the leaf.
    #[must_use]
    pub fn cells_beyond(&self) -> Range<usize> {
        let count = if self.is_coarser() { TILE_WIDTH / 2 } else { TILE_WIDTH };
        self.first_beyond()..self.first_beyond() + count
    }

    fn first_beyond(&self) -> usize {
        if self.is_coarser() { self.first } else { 0 }
    }
}

impl Neighbour {
    /// True for a leaf of the next coarser level.
    #[must_use]
    pub fn is_coarser(self) -> bool {
        matches!(self, Self::Coarser(_))
    }

    /// True for leaves of the next finer level.
    #[must_use]
    pub fn is_finer(self) -> bool {
        matches!(self, Self::Finer(_))
    }

    /// True for leaves of a different level.
    #[must_use]
    pub fn is_other_level(self) -> bool {
        self.is_coarser() || self.is_finer()
    }

    /// Returns the leaves there, each with the half of the side that it covers if they are finer.
    fn leaves(self) -> impl Iterator<Item = (usize, LeafId)> {
        let pair = match self {
            Self::Nothing => [LeafId::NONE; 2],
            Self::Same(leaf) | Self::Coarser(leaf) => [leaf, LeafId::NONE],
            Self::Finer(pair) => pair,
        };
        pair.into_iter().enumerate().filter(|(_, leaf)| *leaf != LeafId::NONE)
    }
}

impl Forest {
    /// Returns the neighbourhood of a leaf across one of its sides.
    #[must_use]
    pub fn across(&self, leaf: LeafId, side: Side) -> Neighbour {
        self.beside(leaf)[side.place()]
    }

    /// Returns the faces along a side of a leaf, for each of the leaves beyond: zero, one or two.
    pub fn faces(&self, leaf: LeafId, side: Side) -> impl Iterator<Item = Faces> + use<> {
        let beside = self.across(leaf, side);
        let key = self.leaves()[leaf];
        let along = if matches!(side, Side::West | Side::East) { key.y } else { key.x };
        let half_of_coarser = usize::from(along & 1 == 1);
        beside.leaves().map(move |(half, beyond)| {
            let (coarseness, half) = match beside {
                Neighbour::Finer(_) => (Ordering::Less, half),
                Neighbour::Coarser(_) => (Ordering::Greater, half_of_coarser),
                Neighbour::Nothing | Neighbour::Same(_) => (Ordering::Equal, 0),
            };
            Faces { side, beyond, coarseness, first: TILE_WIDTH / 2 * half }
        })
    }

    /// Returns the faces to the leaf beyond a side of a leaf, if that leaf is coarser.
    #[must_use]
    pub fn coarser(&self, leaf: LeafId, side: Side) -> Option<Faces> {
        self.faces(leaf, side).find(Faces::is_coarser)
    }

    /// Returns a leaf and all leaves that touch it.
    pub fn near(&self, leaf: LeafId) -> impl Iterator<Item = LeafId> {
        self.beside(leaf).iter().flat_map(|beside| beside.leaves()).map(|(_, leaf)| leaf)
    }
}
