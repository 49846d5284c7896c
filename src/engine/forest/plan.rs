//! Planning: the next leaves of a forest.
//!
//! Every plan first computes a target forest, independent of the present one: tiles that must be
//! split are split; then, in the order of priority, tiles that a criterion keeps or requests, with
//! all tiles that their balance needs, until the budget is spent. Then each leaf changes by one
//! step towards the target. So if cells are scarce the least urgent are the first to give way, and
//! the same facts lead to the same forest.
//!
//! Why one step is always possible: the target's tiles below the leaves are those of leaves with
//! requests, and the tiles that balance them are at most one level below another leaf, because the
//! forest is balanced already. Merging waits until finer neighbours have merged.
//!
//! Guarantees: a plan is a partition of the ground, balanced, changes a leaf by one level at most,
//!             and does not depend on threads; it has no more leaves than the budget allows, or, if
//!             the forest had more before, as few as one step can reach.
//! Limits:     facts of a level exist only once the leaf has that level: a request for five levels
//!             needs five plans.

use crate::forest::balance::{NO_TILE, SplitTiles, Splits, TileNumber};
use crate::forest::change::{Change, Origin};
use crate::forest::demand::{Demand, SplitDemand};
use crate::forest::facts::LeafFacts;
use crate::forest::{Coverage, Forest, Planner};
use crate::grid::{LeafId, TILE_CELLS, TileKey};

impl Planner {
    /// Plans the next forest; `facts` are those of the leaves in their order.
    ///
    /// The criteria, which are called once for each leaf, need nearly all of the time. Once a plan
    /// is empty and no leaf is younger than [`Planner::min_age_cycles`], plans stay empty until a
    /// criterion, the budget or a fact that is not an age changes, and need not be made.
    ///
    /// # Panics
    ///
    /// If the number of facts is not that of leaves, if `cover` contradicts itself, or if a leaf is
    /// finer than the base level.
    #[must_use]
    pub fn plan(
        &self,
        forest: &Forest,
        facts: &[LeafFacts],
        cover: &dyn Fn(TileKey) -> Coverage,
    ) -> Change {
        assert_eq!(facts.len(), forest.leaves().len(), "facts of every leaf");
        let most = self.budget_cells() / TILE_CELLS as u64;
        let coarsest = forest.leaves().iter().map(|key| key.level).max().unwrap_or(0);
        let (mut tiles, parents) =
            SplitTiles::of(forest, coarsest.max(self.scale().coarsest()), cover);
        let Some(demand) = Demand::of(self, &mut tiles, &parents, facts, most) else {
            let kept = |index| Origin::Kept(LeafId::new(index));
            let leaves = forest.leaves().iter().zip(0..).map(|(&key, index)| (key, kept(index)));
            return Change { leaves: leaves.collect() };
        };
        let next = next_splits(&mut tiles, demand, most);
        change(forest, &tiles, &parents, &next)
    }
}

/// Returns the split tiles of the next forest.
fn next_splits(tiles: &mut SplitTiles<'_>, demand: Demand, most: u64) -> Splits {
    let standing = tiles.standing();
    let mut wanted = Splits::none(tiles);
    demand.forced.iter().for_each(|&tile| wanted.split(tiles, tile, u64::MAX));
    let mut items = demand.held;
    items.extend(&demand.requested);
    let wanted = serve(wanted, tiles, items, most);

    // A split tile that cannot be merged yet: it is in the target, or has split quarters.
    let mut next = Splits::none(tiles);
    for number in 0..standing {
        let tile = &tiles.as_slice()[number];
        if tile.leaves < tile.quarters || wanted.has(number) {
            next.split(tiles, number, u64::MAX);
        }
    }
    let mut requested = demand.requested;
    requested.retain(|item| wanted.has(item.tile));
    serve(next, tiles, requested, most)
}

/// Splits the requested tiles, in their order, up to `most` leaves.
fn serve(
    mut splits: Splits,
    tiles: &mut SplitTiles<'_>,
    mut items: Vec<SplitDemand>,
    most: u64,
) -> Splits {
    let mut all = splits.clone();
    items.iter().for_each(|item| all.split(tiles, item.tile, u64::MAX));
    // Sets that are closed join to the same set in any order, so nothing is sorted if all fits.
    if all.leaves() <= most {
        return all;
    }
    items.sort_unstable_by(SplitDemand::order);
    items.iter().for_each(|item| splits.split(tiles, item.tile, most));
    splits
}

/// Returns the change from a forest to the next.
fn change(
    forest: &Forest,
    tiles: &SplitTiles<'_>,
    parents: &[TileNumber],
    next: &Splits,
) -> Change {
    let keys = forest.leaves();
    let mut is_refined = vec![false; keys.len()];
    for (number, tile) in (0..).zip(tiles.as_slice()).skip(tiles.standing()) {
        if let Some(leaf) = forest.find(tile.key).filter(|_| next.has(number)) {
            is_refined[leaf] = true;
        }
    }
    let mut leaves = Vec::with_capacity(keys.len());
    let mut index = 0;
    while let Some(&key) = keys.get(index) {
        let parent = parents[index];
        if parent != NO_TILE && !next.has(parent) {
            let parent = &tiles.as_slice()[parent];
            let mut of = [LeafId::NONE; 4];
            // All its quarters are leaves, one after another: a tile with a split quarter stays
            // split.
            for _ in 0..parent.leaves {
                of[keys[index].quadrant()] = LeafId::new(index);
                index += 1;
            }
            leaves.push((parent.key, Origin::Merged(of)));
            continue;
        }
        if is_refined[index] {
            let of = LeafId::new(index);
            let has_ground = |&q: &usize| tiles.cover(key.child(q)) != Coverage::Outside;
            let child = |quadrant| (key.child(quadrant), Origin::Child { of, quadrant });
            leaves.extend((0..4).filter(has_ground).map(child));
        } else {
            leaves.push((key, Origin::Kept(LeafId::new(index))));
        }
        index += 1;
    }
    Change { leaves }
}
