//! The coarsest leaves that cover the ground.

use crate::forest::Coverage;
use crate::forest::balance::{NO_TILE, SplitTiles, Splits};
use crate::forest::criteria::Scale;
use crate::grid::TileKey;

/// Returns the coarsest balanced leaves that cover the ground, in their order.
///
/// # Panics
///
/// If `cover` contradicts itself: a tile of the base level is ragged, or a tile has ground but its
/// quarters do not.
#[must_use]
pub fn minimum_cover(scale: &Scale, cover: &dyn Fn(TileKey) -> Coverage) -> Vec<TileKey> {
    let level = scale.coarsest();
    let (columns, rows) = scale.tiles(level);
    let keys = (0..rows).flat_map(|y| (0..columns).map(move |x| TileKey { level, x, y }));
    let roots: Vec<TileKey> = keys.filter(|&key| cover(key) != Coverage::Outside).collect();
    let mut tiles = SplitTiles::new(level, roots.len() as u64, cover);
    let mut splits = Splits::none(&tiles);
    let mut open = roots.clone();
    while let Some(key) = open.pop() {
        if cover(key) == Coverage::Ragged {
            assert!(key.level > scale.base(), "{key:?} is ragged, and as fine as tiles can be");
            let tile = tiles.number(key);
            splits.split(&mut tiles, tile, u64::MAX);
            open.extend((0..4).map(|quadrant| key.child(quadrant)));
        }
    }
    let mut leaves = Vec::new();
    open = roots;
    while let Some(key) = open.pop() {
        if splits.has(tiles.find(key).unwrap_or(NO_TILE)) {
            open.extend((0..4).map(|quadrant| key.child(quadrant)));
        } else if cover(key) != Coverage::Outside {
            leaves.push(key);
        }
    }
    leaves.sort_unstable();
    leaves
}
