//! The forest: the leaf tiles that cover the world, and the neighbours of each.
//!
//! Guarantees: every inside cell is in exactly one leaf; neighbours, diagonal ones too, differ by
//!             one level at most; leaves are in Morton order, so places near in the world are near
//!             in memory and every walk over the leaves has one order.
//! Limits:     a tile without an inside cell is not a leaf.

mod balance;
pub mod change;
pub mod check;
pub mod cover;
pub mod criteria;
mod demand;
pub mod faces;
pub mod facts;
pub mod first;
pub mod interfaces;
mod plan;
mod planner;
#[cfg(test)]
mod trials;

pub use facts::LeafFacts;
pub use planner::{PlanError, Planner, PlannerSettings};

use crate::grid::cells::{CellPlace, column_row};
use crate::grid::{LeafId, Side, TILE_CELLS, TILE_WIDTH, TileKey};
use crate::terrain::BedLevel;
use crate::tile::{Ground, Resident};
use rayon::prelude::*;
use std::fmt;

/// Neighbourhood of a leaf in one of the eight directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Neighbour {
    /// No ground.
    Nothing,
    /// A leaf of the same level.
    Same(LeafId),
    /// A leaf of the next coarser level.
    Coarser(LeafId),
    /// Leaves of the next finer level, from south to north or from west to east; [`LeafId::NONE`]
    /// for a quarter without ground, and for the second one at a corner.
    Finer([LeafId; 2]),
}

/// Whether a tile has ground, and may be a leaf.
///
/// A tile that contains a ragged one is ragged; a tile that contains ground has ground. Tiles
/// beyond the world are outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coverage {
    /// No cell is inside: the tile is not a leaf.
    Outside,
    /// Some of its cells are inside in part: it must be split.
    Ragged,
    /// Each of its cells is wholly inside or wholly outside: it may be a leaf.
    Whole,
}

/// Reason why some tiles cannot be the leaves of a forest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForestError {
    /// One tile contains the other.
    Overlap([TileKey; 2]),
    /// The tiles touch, and differ by more than one level.
    Unbalanced([TileKey; 2]),
}

impl fmt::Display for ForestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |key: &TileKey| format!("tile {}, {} of level {}", key.x, key.y, key.level);
        match self {
            Self::Overlap([a, b]) => {
                write!(f, "{} lies in {}: leave one of them out", name(b), name(a))
            }
            Self::Unbalanced([a, b]) => write!(
                f,
                "{} touches {}: neighbours may differ by one level, so refine the coarser one",
                name(a),
                name(b)
            ),
        }
    }
}

impl std::error::Error for ForestError {}

/// The leaves and their neighbours.
#[derive(Debug, Clone)]
pub struct Forest {
    base: u8,
    leaves: Vec<TileKey>,
    /// Neighbours of each leaf, south-west first, the leaf itself in the middle.
    beside: Vec<[Neighbour; 9]>,
}

impl Forest {
    /// Creates a forest from the tiles of `level` with ground; also returns their beds.
    #[must_use]
    pub fn plant(level: u8, beds: &BedLevel) -> (Self, Vec<Resident<Ground>>) {
        let tiles =
            |cells: usize| u32::try_from(cells.div_ceil(TILE_WIDTH)).expect("2²⁰ cells a side");
        let columns = tiles(beds.width());
        let rows = tiles(beds.height());
        let mut keys: Vec<TileKey> =
            (0..rows).flat_map(|y| (0..columns).map(move |x| TileKey { level, x, y })).collect();
        keys.sort_unstable();
        let mut leaves = Vec::new();
        let mut grounds = Vec::new();
        for key in keys {
            let ground = cut_out(key, |x, y| beds.bed(x, y));
            if (0..TILE_CELLS).any(|cell| ground.is_inside(cell)) {
                leaves.push(key);
                grounds.push(ground.into());
            }
        }
        (Self::of_leaves(level, leaves), grounds)
    }

    /// Creates a forest from its leaves; `base` is the level of the world's simulated cells, the
    /// finest that a leaf can have.
    ///
    /// # Errors
    ///
    /// [`ForestError`] if leaves overlap, or neighbours differ by more than one level.
    pub fn try_of_leaves(base: u8, mut leaves: Vec<TileKey>) -> Result<Self, ForestError> {
        leaves.sort_unstable();
        // In this order a tile stands right before the first of all tiles in it, so neighbours in
        // the list show every overlap.
        for pair in leaves.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            if a.level >= b.level && b.ancestor(a.level) == a {
                return Err(ForestError::Overlap([a, b]));
            }
        }
        let mut forest = Self { base, leaves, beside: Vec::new() };
        let beside = forest.leaves.par_iter().map(|&key| forest.neighbours(key));
        // All are computed before the first error in order is taken: it does not depend on threads.
        let beside: Vec<Result<_, ForestError>> = beside.collect();
        forest.beside = beside.into_iter().collect::<Result<_, _>>()?;
        Ok(forest)
    }

    /// Creates a forest from leaves that must be balanced.
    ///
    /// # Panics
    ///
    /// If [`Forest::try_of_leaves`] fails.
    #[must_use]
    pub fn of_leaves(base: u8, leaves: Vec<TileKey>) -> Self {
        Self::try_of_leaves(base, leaves).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Returns the level of the world's simulated cells, the finest that a leaf can have.
    #[must_use]
    pub fn base(&self) -> u8 {
        self.base
    }

    /// Returns the leaves in their order.
    #[must_use]
    pub fn leaves(&self) -> &[TileKey] {
        &self.leaves
    }

    /// Returns the leaves of the same level around a leaf, south-west first, the leaf itself in the
    /// middle; [`LeafId::NONE`] for a missing one.
    #[must_use]
    pub fn around(&self, leaf: LeafId) -> [LeafId; 9] {
        self.beside[leaf].map(|beside| match beside {
            Neighbour::Same(leaf) => leaf,
            Neighbour::Nothing | Neighbour::Coarser(_) | Neighbour::Finer(_) => LeafId::NONE,
        })
    }

    /// Returns the neighbours of a leaf, south-west first, the leaf itself in the middle.
    #[must_use]
    pub fn beside(&self, leaf: LeafId) -> &[Neighbour; 9] {
        &self.beside[leaf]
    }

    /// Returns the ids of the leaves in their order.
    pub fn ids(
        &self,
    ) -> impl DoubleEndedIterator<Item = LeafId> + ExactSizeIterator + Clone + use<> {
        LeafId::all(self.leaves.len())
    }

    /// Returns the leaves with their ids, in their order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (LeafId, TileKey)> {
        self.ids().zip(self.leaves.iter().copied())
    }

    /// Returns the ids of the leaves in their order, for all threads.
    pub fn par_ids(&self) -> impl IndexedParallelIterator<Item = LeafId> + use<> {
        (0..self.leaves.len()).into_par_iter().map(LeafId::new)
    }

    /// Returns the leaf that is the tile `key`.
    #[must_use]
    pub fn find(&self, key: TileKey) -> Option<LeafId> {
        self.leaves.binary_search(&key).ok().map(LeafId::new)
    }

    /// Returns the leaf that is the tile `key`, or that contains it.
    #[must_use]
    pub fn covering(&self, key: TileKey) -> Option<LeafId> {
        // A coarser tile is in order before all tiles that it contains.
        let after = self.leaves.partition_point(|leaf| *leaf <= key);
        let leaf = LeafId::new(after.checked_sub(1)?);
        let own = self.leaves[leaf];
        (own.level >= key.level && key.ancestor(own.level) == own).then_some(leaf)
    }

    /// Returns the leaf, and the index within it, of the cell that contains a place of the base
    /// level.
    #[must_use]
    pub fn locate(&self, place: CellPlace) -> Option<(LeafId, usize)> {
        let leaf = self.covering(TileKey::of_cell(self.base, place))?;
        let shift = self.leaves[leaf].level - self.base;
        let place = CellPlace { x: place.x >> shift, y: place.y >> shift };
        Some((leaf, place.index_in_tile()))
    }

    /// Returns the leaf and index of a cell, as [`Forest::locate`]; tries the leaf `last` and its
    /// eastern neighbour first, and updates `last`.
    pub fn locate_near(
        &self,
        last: &mut Option<LeafId>,
        place: CellPlace,
    ) -> Option<(LeafId, usize)> {
        let leaf = self.covering_near(last, TileKey::of_cell(self.base, place))?;
        let shift = self.leaves[leaf].level - self.base;
        let place = CellPlace { x: place.x >> shift, y: place.y >> shift };
        Some((leaf, place.index_in_tile()))
    }

    /// Returns the leaf that contains a tile of the base level, as [`Forest::covering`]; tries the
    /// leaf `last` and its eastern neighbour first, and updates `last`.
    pub fn covering_near(&self, last: &mut Option<LeafId>, tile: TileKey) -> Option<LeafId> {
        let holds = |leaf: &LeafId| {
            let own = self.leaves[*leaf];
            tile.ancestor(own.level) == own
        };
        let east = |leaf| match self.across(leaf, Side::East) {
            Neighbour::Same(east) | Neighbour::Coarser(east) => Some(east),
            Neighbour::Nothing | Neighbour::Finer(_) => None,
        };
        let near = last.filter(holds).or_else(|| last.and_then(east).filter(holds));
        let leaf = near.or_else(|| self.covering(tile))?;
        *last = Some(leaf);
        Some(leaf)
    }

    /// Returns the place of cell `cell` of leaf `leaf` among the cells of the base level: for a
    /// coarser cell, that of the base cell north-east of its middle.
    #[must_use]
    pub fn place_of(&self, leaf: LeafId, cell: usize) -> CellPlace {
        place_in(self.base, self.leaves[leaf], cell)
    }

    fn neighbours(&self, key: TileKey) -> Result<[Neighbour; 9], ForestError> {
        let mut around = [Neighbour::Nothing; 9];
        for (place, slot) in (0_i32..).zip(&mut around) {
            let (columns, rows) = (place % 3 - 1, place / 3 - 1);
            if let Some(beside) = key.beside(columns, rows) {
                *slot = self.at(key, beside, columns, rows)?;
            }
        }
        Ok(around)
    }

    /// Returns the neighbour at the tile `beside`, which is `columns` and `rows` away from `key`.
    fn at(
        &self,
        key: TileKey,
        beside: TileKey,
        columns: i32,
        rows: i32,
    ) -> Result<Neighbour, ForestError> {
        if let Some(leaf) = self.covering(beside) {
            let other = self.leaves[leaf];
            // Not below 0: a leaf that covers the tile is at least as coarse.
            return match other.level - key.level {
                0 => Ok(Neighbour::Same(leaf)),
                1 => Ok(Neighbour::Coarser(leaf)),
                _ => Err(ForestError::Unbalanced([key, other])),
            };
        }
        if key.level == 0 {
            return Ok(Neighbour::Nothing);
        }
        // The children of `beside` that touch `key`: columns and rows of the two.
        let near = |step: i32| match step {
            1 => [0, 0],
            -1 => [1, 1],
            _ => [0, 1],
        };
        let (columns, rows) = (near(columns), near(rows));
        let child = |i: usize| {
            let key = beside.child(columns[i] + 2 * rows[i]);
            self.find(key).unwrap_or(LeafId::NONE)
        };
        let is_corner = columns[0] == columns[1] && rows[0] == rows[1];
        let pair = [child(0), if is_corner { LeafId::NONE } else { child(1) }];
        // A leaf that is two levels finer is not found here, but its own search meets this one and
        // fails.
        Ok(if pair == [LeafId::NONE; 2] { Neighbour::Nothing } else { Neighbour::Finer(pair) })
    }
}

/// Returns the place of a cell of a tile among the cells of level `base`: for a coarser cell, that
/// of the base cell north-east of its middle.
#[must_use]
pub fn place_in(base: u8, key: TileKey, cell: usize) -> CellPlace {
    let (corner, (x, y)) = (key.corner(), column_row(cell));
    let shift = key.level - base;
    let middle = |v: u32| (v << shift) + ((1 << shift) >> 1);
    CellPlace { x: middle(corner.x + x), y: middle(corner.y + y) }
}

/// Returns the beds of one tile, by column and row of its level.
#[must_use]
pub fn cut_out(key: TileKey, bed: impl Fn(usize, usize) -> i32) -> Ground {
    let [west, south] = key.corner().indices();
    let of_cell = |cell: usize| bed(west + cell % TILE_WIDTH, south + cell / TILE_WIDTH);
    Ground::flat((0..TILE_CELLS).map(of_cell).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::OUTSIDE;

    #[test]
    fn leaves_cover_the_ground_and_know_their_neighbours() {
        // 200 × 130 cells with ground only in the west: 4 × 3 tiles, of which 2 × 3 are leaves.
        let (width, height) = (200, 130);
        let bed = (0..width * height).map(|i| if i % width < 100 { 7 } else { OUTSIDE }).collect();
        let (forest, grounds) = Forest::plant(1, &BedLevel::new(1, width, height, bed));
        assert_eq!(forest.leaves().len(), 6);
        let inside: usize =
            grounds.iter().map(|g| (0..TILE_CELLS).filter(|&c| g.is_inside(c)).count()).sum();
        assert_eq!(inside, 100 * height);

        let middle = forest.find(TileKey { level: 1, x: 0, y: 1 }).expect("a leaf");
        let around = forest.around(middle);
        assert_eq!(around.iter().filter(|&&leaf| leaf == LeafId::NONE).count(), 3);
        assert_eq!(forest.leaves()[around[5]], TileKey { level: 1, x: 1, y: 1 });

        let place = CellPlace { x: 70, y: 129 };
        let (leaf, cell) = forest.locate(place).expect("inside");
        assert_eq!(forest.place_of(leaf, cell), place);
        assert_eq!(forest.locate(CellPlace { x: 190, y: 3 }), None);
    }

    #[test]
    fn leaves_of_two_levels_know_each_other() {
        // Two coarse tiles beside four fine ones; the fine tile in the south-east has no ground.
        let key = |level, x, y| TileKey { level, x, y };
        let leaves = vec![key(2, 0, 0), key(1, 2, 0), key(1, 2, 1), key(1, 3, 1), key(2, 0, 1)];
        let forest = Forest::of_leaves(1, leaves);
        let index = |key| forest.find(key).expect("a leaf");
        let coarse = index(key(2, 0, 0));
        let (south, north) = (index(key(1, 2, 0)), index(key(1, 2, 1)));
        let far = index(key(1, 3, 1));
        let of = |leaf: LeafId| forest.beside(leaf);
        assert_eq!(of(coarse)[5], Neighbour::Finer([south, north]));
        assert_eq!(of(coarse)[7], Neighbour::Same(index(key(2, 0, 1))));
        assert_eq!(of(coarse)[8], Neighbour::Nothing);
        assert_eq!(of(index(key(2, 0, 1)))[2], Neighbour::Finer([north, LeafId::NONE]));
        assert_eq!(of(south)[3], Neighbour::Coarser(coarse));
        assert_eq!(of(south)[8], Neighbour::Same(far));
        assert_eq!(of(south)[5], Neighbour::Nothing);
        assert_eq!(of(north)[6], Neighbour::Coarser(index(key(2, 0, 1))));

        assert_eq!(forest.covering(key(0, 3, 2)), Some(coarse));
        assert_eq!(forest.covering(key(1, 3, 0)), None);
        // Cell 3, 2 of the coarse tile contains four cells of the base level.
        let (leaf, cell) = forest.locate(CellPlace { x: 6, y: 5 }).expect("inside");
        assert_eq!((leaf, cell), (coarse, 2 * TILE_WIDTH + 3));
        assert_eq!(forest.place_of(leaf, cell), CellPlace { x: 7, y: 5 });
    }

    #[test]
    #[should_panic(expected = "refine the coarser one")]
    fn neighbours_two_levels_apart_are_refused() {
        let key = |level, x, y| TileKey { level, x, y };
        let _ = Forest::of_leaves(0, vec![key(2, 0, 0), key(0, 4, 4)]);
    }
}
