//! Changes of the leaves in a regrid: planned first, done by the simulation.
//!
//! Guarantees: a leaf goes up or down by one level at most.

use crate::forest::Forest;
use crate::grid::{LeafId, TileKey};

/// Where a new leaf comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A leaf that stays.
    Kept(LeafId),
    /// A quarter of a leaf that was refined.
    Child {
        /// The leaf that was refined.
        of: LeafId,
        /// Which quarter: 0 south-west, 1 south-east, 2 north-west, 3 north-east.
        quadrant: usize,
    },
    /// Four leaves in one; [`LeafId::NONE`] where a quarter has no ground.
    Merged([LeafId; 4]),
}

/// A new set of leaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The new leaves, in their order.
    pub leaves: Vec<(TileKey, Origin)>,
}

impl Change {
    /// The change from the leaves of one forest to others, in their order; `None` where one of
    /// these is more than a level away from where it comes from.
    #[must_use]
    pub fn between(forest: &Forest, leaves: &[TileKey]) -> Option<Self> {
        let origin = |&key: &TileKey| {
            if let Some(leaf) = forest.find(key) {
                return Some((key, Origin::Kept(leaf)));
            }
            if let Some(of) = forest.find(key.parent()) {
                let quadrant = (0..4).find(|&quadrant| key.parent().child(quadrant) == key)?;
                return Some((key, Origin::Child { of, quadrant }));
            }
            let quarter = |quadrant| forest.find(key.child(quadrant)).unwrap_or(LeafId::NONE);
            let quarters = (key.level > 0).then(|| std::array::from_fn(quarter))?;
            (quarters != [LeafId::NONE; 4]).then_some((key, Origin::Merged(quarters)))
        };
        leaves.iter().map(origin).collect::<Option<_>>().map(|leaves| Self { leaves })
    }

    /// True where no leaf changes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.leaves.iter().all(|(_, origin)| matches!(origin, Origin::Kept(_)))
    }
}
