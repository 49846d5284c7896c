//! Changes of the leaves in a regrid: planned first, then done by the simulation, in parts if they
//! are large.
//!
//! Guarantees: a leaf changes by one level at most; between two parts of a change leaves are
//!             balanced, and no more than before it or after it (`check_parts` of the trials).

use crate::forest::Forest;
use crate::grid::{LeafId, TileKey};
use std::cmp::Reverse;

/// Origin of a new leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// An unchanged leaf.
    Kept(LeafId),
    /// A quarter of a leaf that was refined.
    Child {
        /// The leaf that was refined.
        of: LeafId,
        /// Number of the quarter: 0 south-west, 1 south-east, 2 north-west, 3 north-east.
        quadrant: usize,
    },
    /// Four leaves in one; [`LeafId::NONE`] for a quarter without ground.
    Merged([LeafId; 4]),
}

impl Origin {
    /// Returns the leaves from which the leaf was made.
    #[must_use]
    pub const fn before(self) -> [LeafId; 4] {
        match self {
            Self::Kept(leaf) => [leaf; 4],
            Self::Child { of, .. } => [of; 4],
            Self::Merged(quarters) => quarters,
        }
    }
}

/// A new set of leaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The new leaves, in their order.
    pub leaves: Vec<(TileKey, Origin)>,
}

impl Change {
    /// Returns the change from the leaves of a forest to new ones, in their order; `None` if a new
    /// leaf is more than a level away from its origin.
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

    /// Returns the leaves after the first part of the change, in their order: up to `most` of them
    /// are new, but at least the new ones of one tile. `None` if the first part is the whole
    /// change.
    #[must_use]
    pub fn first_part(&self, forest: &Forest, most: u32) -> Option<Vec<TileKey>> {
        // A step for each new leaf.
        let mut steps: Vec<TileChange> = self.leaves.iter().filter_map(TileChange::to).collect();
        steps.sort_unstable();
        let [first, .., last] = steps[..] else { return None };
        let end = *steps.get(most as usize)?;
        // A tile whose new leaves straddle `most` waits as a whole. The first tile never waits, so
        // each part makes progress.
        let is_done = |step: TileChange| step < end || step == first;
        if is_done(last) {
            return None;
        }
        let mut leaves = Vec::with_capacity(self.leaves.len());
        for leaf in &self.leaves {
            if TileChange::to(leaf).is_none_or(is_done) {
                leaves.push(leaf.0);
            } else {
                let before = leaf.1.before().into_iter().filter_map(LeafId::known);
                leaves.extend(before.map(|leaf| forest.leaves()[leaf]));
            }
        }
        // If a tile is not split yet, all its new quarters refer to its one leaf.
        leaves.dedup();
        Some(leaves)
    }

    /// Returns the ids, after the change, of the new leaves.
    #[must_use]
    pub fn new_leaves(&self) -> Vec<LeafId> {
        let all = LeafId::all(self.leaves.len()).zip(&self.leaves);
        let new = all.filter(|(_, (_, origin))| !matches!(origin, Origin::Kept(_)));
        new.map(|(leaf, _)| leaf).collect()
    }

    /// Returns the new leaves, in their order.
    pub fn made(&self) -> impl Iterator<Item = &(TileKey, Origin)> {
        self.leaves.iter().filter(|(_, origin)| !matches!(origin, Origin::Kept(_)))
    }

    /// Returns, for each of the `count` leaves before the change, whether the change removes it.
    #[must_use]
    pub fn goes(&self, count: usize) -> Vec<bool> {
        let mut goes = vec![true; count];
        for (_, origin) in &self.leaves {
            if let Origin::Kept(old) = origin {
                goes[*old] = false;
            }
        }
        goes
    }

    /// True if no leaf changes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.leaves.iter().all(|(_, origin)| matches!(origin, Origin::Kept(_)))
    }
}

/// The change of one tile. The order of steps keeps leaves balanced: a tile that is merged to a
/// level is beside no leaf two levels finer, since those were merged before; a tile that is split
/// is beside no coarser leaf, since those were split before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum TileChange {
    // Merges come before splits: meanwhile the leaves are never more than the larger of their
    // numbers before and after the whole change.
    Merge { level: u8, tile: TileKey },
    Split { level: Reverse<u8>, tile: TileKey },
}

impl TileChange {
    /// Returns the step that makes a leaf, if it is new.
    fn to(&(key, origin): &(TileKey, Origin)) -> Option<Self> {
        match origin {
            Origin::Kept(_) => None,
            Origin::Child { .. } => {
                let tile = key.parent();
                Some(Self::Split { level: Reverse(tile.level), tile })
            }
            Origin::Merged(_) => Some(Self::Merge { level: key.level, tile: key }),
        }
    }
}
