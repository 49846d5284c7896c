//! The forest to start with.

use crate::forest::cover::minimum_cover;
use crate::forest::facts::LeafFacts;
use crate::forest::{Coverage, Forest, Planner};
use crate::grid::TileKey;

/// Returns the forest to start with: the minimum cover, refined until `planner` requests no more.
/// `facts` returns the facts of a tile before any leaf exists; [`LeafFacts::dry`] is enough for
/// criteria that depend on places only.
///
/// # Panics
///
/// If `cover` contradicts itself, as in [`minimum_cover`].
#[must_use]
pub fn first_leaves(
    planner: &Planner,
    cover: &dyn Fn(TileKey) -> Coverage,
    facts: &dyn Fn(TileKey) -> LeafFacts,
) -> Forest {
    let scale = planner.scale();
    let mut forest = Forest::of_leaves(scale.base(), minimum_cover(scale, cover));
    // A plan for each level, and some more in case the budget makes one level give way to another.
    for _ in 0..4 * (scale.coarsest() - scale.base()) {
        let known: Vec<LeafFacts> = forest.leaves().iter().map(|&key| facts(key)).collect();
        let change = planner.plan(&forest, &known, cover);
        if change.is_empty() {
            break;
        }
        let leaves = change.leaves.into_iter().map(|(key, _)| key).collect();
        forest = Forest::of_leaves(scale.base(), leaves);
    }
    forest
}
