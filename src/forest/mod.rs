//! The forest: the leaf tiles that cover the world, and who lies beside whom.
//!
//! Guarantees: every inside cell of the chosen level lies in exactly one leaf; leaves stand in
//!             Morton order, so places near in the world are near in memory and every walk over
//!             them has one order.
//! Limits:     all leaves are of one level so far; a tile without an inside cell is no leaf.

use crate::grid::TILE_CELLS;
use crate::grid::TILE_WIDTH;
use crate::grid::TileKey;
use crate::grid::cells::CellPlace;
use crate::grid::cells::column_row;
use crate::terrain::BedLevel;
use crate::tile::Ground;
use crate::tile::halo::CENTRE;

/// Index of a leaf in the order of the forest.
pub type LeafIndex = u32;

/// Stands for "no leaf there".
pub const NO_LEAF: LeafIndex = LeafIndex::MAX;

/// The leaves and their neighbours.
#[derive(Debug, Clone)]
pub struct Forest {
    level: u8,
    leaves: Vec<TileKey>,
    /// The 3 × 3 leaves around each, south-west first, itself in the middle.
    around: Vec<[LeafIndex; 9]>,
}

impl Forest {
    /// The leaves of `level` that hold ground, with their beds.
    #[must_use]
    pub fn plant(level: u8, beds: &BedLevel) -> (Self, Vec<Ground>) {
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
            let ground = cut_out(key, beds);
            if (0..TILE_CELLS).any(|cell| ground.is_inside(cell)) {
                leaves.push(key);
                grounds.push(ground);
            }
        }
        let mut forest = Self { level, leaves, around: Vec::new() };
        forest.around = forest.leaves.iter().map(|&key| forest.neighbours(key)).collect();
        (forest, grounds)
    }

    /// The level of the leaves.
    #[must_use]
    pub fn level(&self) -> u8 {
        self.level
    }

    /// The leaves in their order.
    #[must_use]
    pub fn leaves(&self) -> &[TileKey] {
        &self.leaves
    }

    /// The leaves around leaf `index`, south-west first, itself in the middle; [`NO_LEAF`] beyond
    /// the world.
    #[must_use]
    pub fn around(&self, index: usize) -> &[LeafIndex; 9] {
        &self.around[index]
    }

    /// Index of a leaf, if it is one.
    #[must_use]
    pub fn find(&self, key: TileKey) -> Option<usize> {
        self.leaves.binary_search(&key).ok()
    }

    /// Leaf and index within it of a cell of the leaves' level.
    #[must_use]
    pub fn locate(&self, place: CellPlace) -> Option<(usize, usize)> {
        let leaf = self.find(TileKey::of_cell(self.level, place))?;
        Some((leaf, place.index_in_tile()))
    }

    /// Place of cell `cell` of leaf `leaf` among the cells of the leaves' level.
    #[must_use]
    pub fn place_of(&self, leaf: usize, cell: usize) -> CellPlace {
        let corner = self.leaves[leaf].corner();
        let (x, y) = column_row(cell);
        CellPlace { x: corner.x + x, y: corner.y + y }
    }

    fn neighbours(&self, key: TileKey) -> [LeafIndex; 9] {
        let mut around = [NO_LEAF; 9];
        for (place, slot) in (0_i32..).zip(&mut around) {
            let beside = key.beside(place % 3 - 1, place / 3 - 1);
            if let Some(index) = beside.and_then(|key| self.find(key)) {
                *slot = LeafIndex::try_from(index).expect("2⁴⁰ cells at most");
            }
        }
        debug_assert_ne!(around[CENTRE], NO_LEAF);
        around
    }
}

/// The ground of one tile.
fn cut_out(key: TileKey, beds: &BedLevel) -> Ground {
    let corner = key.corner();
    let bed = (0..TILE_CELLS)
        .map(|cell| {
            let (x, y) = (cell % TILE_WIDTH, cell / TILE_WIDTH);
            beds.bed(corner.x as usize + x, corner.y as usize + y)
        })
        .collect();
    Ground { bed, roughness: None }
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
        assert_eq!(around.iter().filter(|&&leaf| leaf == NO_LEAF).count(), 3);
        assert_eq!(forest.leaves()[around[5] as usize], TileKey { level: 1, x: 1, y: 1 });

        let place = CellPlace { x: 70, y: 129 };
        let (leaf, cell) = forest.locate(place).expect("inside");
        assert_eq!(forest.place_of(leaf, cell), place);
        assert_eq!(forest.locate(CellPlace { x: 190, y: 3 }), None);
    }
}
