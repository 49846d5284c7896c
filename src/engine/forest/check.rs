//! The checker of a forest's invariants.

use crate::forest::criteria::Scale;
use crate::forest::{Coverage, Forest, Neighbour};
use crate::grid::{LeafId, TileKey};

/// Returns the faults of a forest: ground in no leaf or in several, leaves at invalid places,
/// leaves out of order, neighbours more than a level apart, neighbours that do not name each other.
/// The list is empty if the forest is valid.
#[must_use]
pub fn violations(
    forest: &Forest,
    scale: &Scale,
    cover: &dyn Fn(TileKey) -> Coverage,
) -> Vec<String> {
    let mut found = Vec::new();
    let leaves = forest.leaves();
    for pair in leaves.windows(2) {
        if pair[0] >= pair[1] {
            found.push(format!("{:?} stands before {:?}", pair[0], pair[1]));
        }
    }
    for (leaf, &key) in forest.ids().zip(leaves) {
        if key.level < scale.base() || key.level > scale.coarsest() {
            found.push(format!("{key:?} has a level that the world does not have"));
        }
        match cover(key) {
            Coverage::Outside => found.push(format!("{key:?} is a leaf without ground")),
            Coverage::Ragged => found.push(format!("{key:?} is a leaf with cells partly inside")),
            Coverage::Whole => {}
        }
        neighbours(forest, leaf, &mut found);
    }
    let level = scale.coarsest();
    let (columns, rows) = scale.tiles(level);
    let mut seen = 0;
    for y in 0..rows {
        for x in 0..columns {
            seen += covered(forest, scale, cover, TileKey { level, x, y }, &mut found);
        }
    }
    if seen != leaves.len() {
        found.push(format!("{} leaves lie in another, or beyond the world", leaves.len() - seen));
    }
    found
}

/// Counts the leaves that cover a tile, each piece of ground once.
fn covered(
    forest: &Forest,
    scale: &Scale,
    cover: &dyn Fn(TileKey) -> Coverage,
    key: TileKey,
    found: &mut Vec<String>,
) -> usize {
    if forest.find(key).is_some() {
        return 1;
    }
    if cover(key) == Coverage::Outside {
        return 0;
    }
    if key.level == scale.base() {
        found.push(format!("{key:?} has ground and lies in no leaf"));
        return 0;
    }
    (0..4).map(|quadrant| covered(forest, scale, cover, key.child(quadrant), found)).sum()
}

/// Checks the neighbours of a leaf.
fn neighbours(forest: &Forest, own: LeafId, found: &mut Vec<String>) {
    let key = forest.leaves()[own];
    let is_this = |leaf: LeafId| leaf == own;
    for (place, beside) in (0..9).zip(forest.beside(own)) {
        let (columns, rows) = (place % 3 - 1, place / 3 - 1);
        let there = key.beside(columns, rows).and_then(|key| forest.covering(key));
        let other = there.map(|leaf| forest.leaves()[leaf]);
        if let Some(other) = other.filter(|other| other.level > key.level + 1) {
            found.push(format!("{other:?} lies beside {key:?}: not balanced"));
        }
        let back = |leaf: LeafId| forest.beside(leaf);
        let opposite = usize::try_from(8 - place).expect("nine places");
        let is_mutual = match *beside {
            Neighbour::Nothing => there.is_none(),
            Neighbour::Same(leaf) => {
                there == Some(leaf)
                    && matches!(back(leaf)[opposite], Neighbour::Same(back) if is_this(back))
            }
            // A diagonal neighbour that is coarser may be a neighbour of this leaf along a side.
            Neighbour::Coarser(leaf) => {
                let knows = |beside: &Neighbour| match *beside {
                    Neighbour::Finer(pair) => pair.into_iter().any(is_this),
                    _ => false,
                };
                there == Some(leaf) && back(leaf).iter().any(knows)
            }
            Neighbour::Finer(pair) => pair.iter().filter(|&&leaf| leaf != LeafId::NONE).all(
                |&leaf| matches!(back(leaf)[opposite], Neighbour::Coarser(back) if is_this(back)),
            ),
        };
        if !is_mutual {
            found.push(format!(
                "{key:?} and what lies {columns}, {rows} from it differ: {beside:?}"
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::cells::CellPlace;

    #[test]
    fn what_is_wrong_is_found() {
        let scale = Scale::try_new(0, 1, 1.0, CellPlace { x: 200, y: 120 }).expect("good");
        let key = |level, x, y| TileKey { level, x, y };
        // Two coarse tiles: the west one ragged, the east one without ground in its south-east.
        let cover = |tile: TileKey| match (tile.level, tile.x, tile.y) {
            (1, 0, 0) => Coverage::Ragged,
            (0, 3, 0) => Coverage::Outside,
            (1, 1, 0) | (0, 0..4, 0..2) => Coverage::Whole,
            _ => Coverage::Outside,
        };
        let west = [key(0, 0, 0), key(0, 1, 0), key(0, 0, 1), key(0, 1, 1)];
        let found =
            |leaves: &[TileKey]| violations(&Forest::of_leaves(0, leaves.to_vec()), &scale, &cover);
        let with = |leaves: &[TileKey]| [&west[..], leaves].concat();
        assert_eq!(found(&with(&[key(1, 1, 0)])), Vec::<String>::new());
        assert_eq!(found(&with(&[key(0, 2, 0), key(0, 2, 1), key(0, 3, 1)])), Vec::<String>::new());
        for (leaves, message) in [
            (vec![key(1, 0, 0), key(1, 1, 0)], "cells partly inside"),
            (with(&[key(0, 2, 0), key(0, 2, 1)]), "y: 1 } has ground and lies in no leaf"),
            (with(&[key(1, 1, 0), key(0, 4, 0)]), "is a leaf without ground"),
            (with(&[key(1, 1, 0), key(0, 4, 0)]), "1 leaves lie in another, or beyond the world"),
        ] {
            let found = found(&leaves);
            assert!(found.iter().any(|line| line.contains(message)), "{message}: {found:?}");
        }
    }
}
