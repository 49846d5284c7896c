//! What a regrid does to the leaves: planned first, done by the simulation.
//!
//! Guarantees: a leaf goes up or down by one level at most.

use crate::forest::LeafIndex;
use crate::grid::TileKey;

/// Where a new leaf comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The same leaf as before.
    Kept(LeafIndex),
    /// A quarter of a leaf that was refined.
    Child {
        /// The leaf that was refined.
        of: LeafIndex,
        /// Which quarter: 0 south-west, 1 south-east, 2 north-west, 3 north-east.
        quadrant: usize,
    },
    /// Four leaves in one; [`NO_LEAF`](crate::forest::NO_LEAF) where a quarter has no ground.
    Merged([LeafIndex; 4]),
}

/// A new set of leaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The new leaves, in their order.
    pub leaves: Vec<(TileKey, Origin)>,
}

impl Change {
    /// True where no leaf changes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.leaves.iter().all(|(_, origin)| matches!(origin, Origin::Kept(_)))
    }
}
