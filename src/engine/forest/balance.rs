//! Balance: the tiles that must be split before a tile can be.
//!
//! A forest is the set of its split tiles: its leaves are the quarters of these that are not split
//! themselves. The forest is balanced, diagonals too, if for every split tile `t` these are split:
//! its parent `p`, and the three tiles of the parent's size that `t` touches:
//!
//! ```text
//!   ┌───────┬───────┐
//!   │       │       │
//!   │       │       │
//!   ├───┬───┼───────┤      t in the north-east of p: p and the tiles
//!   │   │ t │       │      north, north-east and east of p
//!   ├───┼───┤       │
//!   │   │ p │       │
//!   └───┴───┴───────┘
//! ```
//!
//! Guarantees: the set that [`Splits::split`] leaves behind is closed under this rule, so its
//!             leaves are balanced; of two such sets the common tiles are closed, and so is the
//!             union.
//! Source:     own; the rule is the usual one for balanced quadtrees.

use crate::forest::{Coverage, Forest};
use crate::grid::TileKey;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Number of a tile among [`SplitTiles`].
pub(super) type TileNumber = usize;

/// Marker of a tile without ground, and of a missing parent.
pub(super) const NO_TILE: TileNumber = TileNumber::MAX;

/// A tile that is split, or may be.
#[derive(Debug, Clone)]
pub(super) struct SplitTile {
    pub(super) key: TileKey,
    pub(super) parent: TileNumber,
    /// Quarters with ground.
    pub(super) quarters: u32,
    /// Number of these that are leaves.
    pub(super) leaves: u32,
    /// Tiles that must be split before this one.
    before: Option<[TileNumber; 4]>,
}

/// The split tiles of a forest in the order of keys, then further tiles that were looked up.
pub(super) struct SplitTiles<'a> {
    cover: &'a dyn Fn(TileKey) -> Coverage,
    /// Level of tiles without a parent.
    top: u8,
    tiles: Vec<SplitTile>,
    numbers: HashMap<TileKey, TileNumber, BuildHasherDefault<KeyHasher>>,
    /// Tiles of the top level with ground.
    roots: u64,
    /// Number of the tiles that are split in the original forest.
    standing: TileNumber,
}

impl<'a> SplitTiles<'a> {
    /// Creates the list without split tiles.
    pub(super) fn new(top: u8, roots: u64, cover: &'a dyn Fn(TileKey) -> Coverage) -> Self {
        Self { cover, top, tiles: Vec::new(), numbers: HashMap::default(), roots, standing: 0 }
    }

    /// Creates the split tiles of a forest without leaves coarser than `top`, and the parent of
    /// each leaf.
    pub(super) fn of(
        forest: &Forest,
        top: u8,
        cover: &'a dyn Fn(TileKey) -> Coverage,
    ) -> (Self, Vec<TileNumber>) {
        let mut tiles = Self::new(top, 0, cover);
        let mut parents = Vec::with_capacity(forest.leaves().len());
        // The split tiles around the last leaf, by level.
        let mut around: Vec<TileNumber> = vec![NO_TILE; usize::from(top) + 1];
        let mut last = None;
        for &key in forest.leaves() {
            let root = Some(key.ancestor(top));
            if root != last {
                (last, tiles.roots) = (root, tiles.roots + 1);
            }
            let mut parent = NO_TILE;
            // Leaves are in Morton order, so those of one tile follow each other: a tile is new if
            // the last one of its level was a different one. A parent is pushed before its
            // quarters.
            for level in (key.level + 1..=top).rev() {
                let (key, slot) = (key.ancestor(level), usize::from(level));
                if tiles.tiles.get(around[slot]).is_none_or(|tile| tile.key != key) {
                    around[slot] = tiles.push(key, parent, 0);
                    if let Some(parent) = tiles.tiles.get_mut(parent) {
                        parent.quarters += 1;
                    }
                }
                parent = around[slot];
            }
            if let Some(parent) = tiles.tiles.get_mut(parent) {
                (parent.quarters, parent.leaves) = (parent.quarters + 1, parent.leaves + 1);
            }
            parents.push(parent);
        }
        tiles.standing = tiles.tiles.len();
        (tiles, parents)
    }

    fn push(&mut self, key: TileKey, parent: TileNumber, quarters: u32) -> TileNumber {
        let number = self.tiles.len();
        self.tiles.push(SplitTile { key, parent, quarters, leaves: 0, before: None });
        self.numbers.insert(key, number);
        number
    }

    /// Returns the level of tiles without a parent.
    pub(super) fn top(&self) -> u8 {
        self.top
    }

    /// Returns the number of tiles, the first ones, that are split in the original forest.
    pub(super) fn standing(&self) -> TileNumber {
        self.standing
    }

    /// Returns all tiles by number.
    pub(super) fn as_slice(&self) -> &[SplitTile] {
        &self.tiles
    }

    /// Returns whether a tile has ground, and may be a leaf.
    pub(super) fn cover(&self, key: TileKey) -> Coverage {
        (self.cover)(key)
    }

    /// Returns the number of a tile.
    pub(super) fn find(&self, key: TileKey) -> Option<TileNumber> {
        self.numbers.get(&key).copied()
    }

    /// Returns the number of a tile that is split, or now may be; [`NO_TILE`] if it has no ground.
    ///
    /// # Panics
    ///
    /// If `cover` contradicts itself: a tile has ground, but its quarters do not.
    pub(super) fn number(&mut self, key: TileKey) -> TileNumber {
        if let Some(number) = self.find(key) {
            return number;
        }
        if self.cover(key) == Coverage::Outside {
            return NO_TILE;
        }
        let quarters = (0..4).filter(|&q| self.cover(key.child(q)) != Coverage::Outside).count();
        let quarters = u32::try_from(quarters).expect("four at most");
        assert!(quarters > 0, "{key:?} has ground, but none of its quarters has");
        self.push(key, NO_TILE, quarters)
    }

    /// Returns the tiles that must be split before tile `number`.
    fn before(&mut self, number: TileNumber) -> [TileNumber; 4] {
        let SplitTile { key, before, .. } = self.tiles[number];
        if let Some(before) = before {
            return before;
        }
        let mut before = [NO_TILE; 4];
        if key.level < self.top {
            let (east, north) = (key.quadrant() & 1 != 0, key.quadrant() & 2 != 0);
            let (columns, rows) = (if east { 1 } else { -1 }, if north { 1 } else { -1 });
            let beside = [(0, 0), (columns, 0), (0, rows), (columns, rows)];
            before = beside.map(|(columns, rows)| {
                key.parent().beside(columns, rows).map_or(NO_TILE, |key| self.number(key))
            });
        }
        self.tiles[number].before = Some(before);
        before
    }
}

/// A balanced set of split tiles.
#[derive(Debug, Clone)]
pub(super) struct Splits {
    is_split: Vec<bool>,
    leaves: u64,
    /// Tiles that the present call split.
    added: Vec<TileNumber>,
}

impl Splits {
    /// Creates the set without split tiles.
    pub(super) fn none(tiles: &SplitTiles<'_>) -> Self {
        Self { is_split: Vec::new(), leaves: tiles.roots, added: Vec::new() }
    }

    /// Returns the number of leaves of this set.
    pub(super) fn leaves(&self) -> u64 {
        self.leaves
    }

    /// True if a tile is split.
    pub(super) fn has(&self, tile: TileNumber) -> bool {
        self.is_split.get(tile).is_some_and(|&is_split| is_split)
    }

    /// Splits a tile and all tiles that must be split before it; does nothing if that makes more
    /// leaves, and more than `most`.
    pub(super) fn split(&mut self, tiles: &mut SplitTiles<'_>, tile: TileNumber, most: u64) {
        let leaves = self.leaves;
        self.added.clear();
        self.mark(tiles, tile);
        let mut next = 0;
        while let Some(&tile) = self.added.get(next) {
            next += 1;
            for before in tiles.before(tile) {
                if before != NO_TILE {
                    self.mark(tiles, before);
                }
            }
        }
        if self.leaves > most && self.leaves > leaves {
            // The set was closed before this call, and is closed again without what the call added.
            self.added.drain(..).for_each(|tile| self.is_split[tile] = false);
            self.leaves = leaves;
        }
    }

    fn mark(&mut self, tiles: &SplitTiles<'_>, tile: TileNumber) {
        if self.is_split.len() < tiles.tiles.len() {
            self.is_split.resize(tiles.tiles.len(), false);
        }
        let is_split = &mut self.is_split[tile];
        if !*is_split {
            *is_split = true;
            // A tile with ground in one quarter adds no leaf.
            self.leaves += u64::from(tiles.tiles[tile].quarters) - 1;
            self.added.push(tile);
        }
    }
}

/// A fast hasher of keys. No code iterates over the tiles in the order of their hashes.
#[derive(Debug, Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u8(byte));
    }

    fn write_u8(&mut self, part: u8) {
        self.write_u32(u32::from(part));
    }

    fn write_u32(&mut self, part: u32) {
        // 2⁶⁴ divided by the golden ratio. It is odd, so multiplication by it loses no bits.
        self.0 = (self.0.rotate_left(5) ^ u64::from(part)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        // A product mixes upwards only; the rotation brings mixed bits to the low end, by which a
        // table chooses its slot.
        self.0.rotate_left(26)
    }
}
