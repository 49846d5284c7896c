//! The name of a tile.

use crate::grid::cells::{CellPlace, TILE_WIDTH_U32, column_row};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// A tile: its level, and its place among the tiles of that level, from the south-west corner.
///
/// Keys order along a Morton (Z-order) curve of the finest cells below them, so that tiles that are
/// near in the order are near in the world; of two tiles with one corner the coarser is first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TileKey {
    /// Level, 0 the finest.
    pub level: u8,
    /// Column of tiles.
    pub x: u32,
    /// Row of tiles.
    pub y: u32,
}

impl TileKey {
    /// Returns the tile of `level` that contains the cell at `place`.
    #[must_use]
    pub fn of_cell(level: u8, place: CellPlace) -> Self {
        Self { level, x: place.x / TILE_WIDTH_U32, y: place.y / TILE_WIDTH_U32 }
    }

    /// Returns the south-west cell of the tile.
    #[must_use]
    pub fn corner(self) -> CellPlace {
        CellPlace { x: self.x * TILE_WIDTH_U32, y: self.y * TILE_WIDTH_U32 }
    }

    /// Returns the place of a cell of the tile's planes among the cells of its level.
    #[must_use]
    pub fn place(self, cell: usize) -> CellPlace {
        let (corner, (column, row)) = (self.corner(), column_row(cell));
        CellPlace { x: corner.x + column, y: corner.y + row }
    }

    /// Returns the tile of the same level `columns` to the east and `rows` to the north, if it is
    /// not beyond the west or south end of the numbers.
    #[must_use]
    pub fn beside(self, columns: i32, rows: i32) -> Option<Self> {
        let x = self.x.checked_add_signed(columns)?;
        let y = self.y.checked_add_signed(rows)?;
        Some(Self { x, y, ..self })
    }

    /// Returns the tile of the next coarser level that contains this one.
    #[must_use]
    pub fn parent(self) -> Self {
        self.ancestor(self.level + 1)
    }

    /// Returns the tile of `level`, its own or a coarser one, that contains this one.
    #[must_use]
    pub fn ancestor(self, level: u8) -> Self {
        let shift = level - self.level;
        Self { level, x: self.x >> shift, y: self.y >> shift }
    }

    /// Returns one of the four tiles of the next finer level in this one: 0 south-west, 1
    /// south-east, 2 north-west, 3 north-east.
    #[must_use]
    pub fn child(self, quadrant: usize) -> Self {
        let (east, north) = (u32::from(quadrant & 1 != 0), u32::from(quadrant & 2 != 0));
        Self { level: self.level - 1, x: 2 * self.x + east, y: 2 * self.y + north }
    }

    /// Returns the number of the tile among its parent's children, as in [`TileKey::child`].
    #[must_use]
    pub fn quadrant(self) -> usize {
        (self.x & 1) as usize + 2 * (self.y & 1) as usize
    }

    /// Returns the place on the Morton curve of finest tiles.
    #[must_use]
    pub fn morton(self) -> u128 {
        u128::from(self.morton_on_level()) << (2 * u32::from(self.level))
    }

    /// Returns the place on the Morton curve of the tiles of its level.
    #[must_use]
    pub fn morton_on_level(self) -> u64 {
        spread(self.x) | spread(self.y) << 1
    }
}

/// The order along the Morton curve of finest tiles, a coarser tile before all tiles in it.
impl Ord for TileKey {
    fn cmp(&self, other: &Self) -> Ordering {
        let finest = |key: &Self| [key.x, key.y].map(|at| u128::from(at) << key.level);
        let ([x, y], [other_x, other_y]) = (finest(self), finest(other));
        // The coordinate with the highest bit that differs decides; of two, that of the rows.
        let (across, along) = (x ^ other_x, y ^ other_y);
        // True if the highest bit of `across` is above that of `along`: the exclusive or then keeps
        // that bit. If both have the same highest bit, the exclusive or is less than either.
        let is_across = along < across && along < (across ^ along);
        let places = if is_across { x.cmp(&other_x) } else { y.cmp(&other_y) };
        places.then(other.level.cmp(&self.level))
    }
}

impl PartialOrd for TileKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Puts a zero before each bit.
fn spread(v: u32) -> u64 {
    let mut x = u64::from(v);
    for (shift, mask) in [
        (16, 0x0000_ffff_0000_ffff),
        (8, 0x00ff_00ff_00ff_00ff),
        (4, 0x0f0f_0f0f_0f0f_0f0f),
        (2, 0x3333_3333_3333_3333),
        (1, 0x5555_5555_5555_5555),
    ] {
        x = (x | x << shift) & mask;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_order_along_the_curve_across_levels() {
        let key = |level, x, y| TileKey { level, x, y };
        let expected = [
            key(1, 0, 0),
            key(0, 0, 0),
            key(0, 1, 0),
            key(0, 0, 1),
            key(0, 1, 1),
            key(0, 2, 0),
            key(1, 0, 1),
            key(0, 3, 3),
        ];
        let mut sorted = expected;
        sorted.reverse();
        sorted.sort();
        assert_eq!(sorted, expected);
    }

    #[test]
    fn the_order_is_that_of_the_curve() {
        let bits = |seed: u64| crate::units::hash::scramble(seed);
        let key = |seed: u64| {
            let level = u8::try_from(bits(seed) % 6).expect("below 6");
            let at = |salt: u64| u32::try_from(bits(seed ^ salt << 32) % 40).expect("below 40");
            TileKey { level, x: at(1) >> level, y: at(2) >> level }
        };
        let keys: Vec<TileKey> = (0..300).map(key).collect();
        for a in &keys {
            for b in &keys {
                let wanted = (a.morton(), b.level).cmp(&(b.morton(), a.level));
                assert_eq!(a.cmp(b), wanted, "{a:?} {b:?}");
            }
        }
        let far = [u32::MAX, u32::MAX - 1].map(|x| TileKey { level: 20, x, y: u32::MAX });
        assert!(far[0] > far[1] && far[0] == far[0]);
    }

    #[test]
    fn the_curve_interleaves_bits() {
        assert_eq!(TileKey { level: 0, x: 0b101, y: 0b011 }.morton(), 0b01_10_11);
        assert_eq!(TileKey { level: 2, x: 1, y: 0 }.morton(), 0b01_00_00);
    }

    #[test]
    fn children_know_their_place_in_their_parents() {
        let key = TileKey { level: 3, x: 5, y: 6 };
        for quadrant in 0..4 {
            let child = key.child(quadrant);
            assert_eq!((child.level, child.parent(), child.quadrant()), (2, key, quadrant));
            assert_eq!(child.ancestor(5), key.ancestor(5));
        }
        assert_eq!(key.child(1), TileKey { level: 2, x: 11, y: 12 });
    }

    #[test]
    fn neighbours_stop_at_the_end_of_the_numbers() {
        let corner = TileKey { level: 0, x: 0, y: 7 };
        assert_eq!(corner.beside(-1, 0), None);
        assert_eq!(corner.beside(1, -1), Some(TileKey { level: 0, x: 1, y: 6 }));
    }
}
