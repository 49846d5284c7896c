//! Where a step may find water: the parts of a padded tile that it goes over.
//!
//! ```text
//! spot    4 × 4 cells; the halo is one spot wide, so a padded tile has 18 × 18 of them
//! ·····
//! ·ooo·   w: some cell holds water, or is given some over a face between levels
//! ·owo·   o: reached, like w itself
//! ·ooo·   ·: all that a step computes there is 0
//! ·····
//! ```
//!
//! In a step water moves by one cell, and what it carries reaches two more: velocities, their
//! slopes, thrust. Farther than three cells from water every transfer, discharge and slope is 0, so
//! a step that writes zeros there has the same bits as one that computes them.
//!
//! Guarantees: a step has the same bits with [`WaterReach::EVERYWHERE`]
//!             (`dry_parts_are_left_out_to_the_bit`).

use crate::grid::TILE_WIDTH;
use crate::tile::halo::{HaloNeighbour, Neighbourhood};
use crate::tile::interface_faces::InterfaceFaces;
use crate::tile::padded::{HALO, Padded, STRIDE, WEST, index};

/// Cells along a side of a spot.
const SPOT: usize = HALO;
/// Spots along a side of a tile.
const OWN: usize = TILE_WIDTH / SPOT;
/// Spots along a side of a padded tile.
const SPOTS: usize = OWN + 2;

/// The spots of a padded tile that lie within reach of water.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaterReach {
    /// From south to north; bit 0 is the spot west of the tile.
    rows: [u32; SPOTS],
}

impl WaterReach {
    /// Every spot.
    pub const EVERYWHERE: Self = Self { rows: [(1 << SPOTS) - 1; SPOTS] };

    /// What the water of a tile and of those around it reaches. Cells of another level stand in
    /// the halo of `padded` already.
    #[must_use]
    pub fn of(
        padded: &Padded,
        around: &Neighbourhood<'_>,
        interfaces: Option<&InterfaceFaces>,
    ) -> Self {
        let mut wet = [0; SPOTS];
        for (spot, row) in wet.iter_mut().zip((-4_i32..).step_by(SPOT)) {
            let (third, first) = match row {
                ..0 => (0, TILE_WIDTH - SPOT),
                0..64 => (1, row.unsigned_abs() as usize),
                _ => (2, 0),
            };
            let own = first * TILE_WIDTH;
            let filled = [-4, 0, 64].map(|column| index(column, row));
            let [west, here, east] = [0, 1, 2].map(|place| around[3 * third + place]);
            let east_end = own + TILE_WIDTH - SPOT;
            *spot = wet_spots::<1>(padded, west, east_end, filled[0])
                | wet_spots::<OWN>(padded, here, own, filled[1]) << 1
                | wet_spots::<1>(padded, east, own, filled[2]) << (OWN + 1);
        }
        for given in interfaces.iter().flat_map(|interfaces| &interfaces.given) {
            let (row, column) = (given.face / STRIDE, given.face % STRIDE);
            wet[row / SPOT] |= 1 << ((column + HALO - WEST) / SPOT);
        }
        Self::around(wet)
    }

    /// Wet spots and those beside them.
    fn around(wet: [u32; SPOTS]) -> Self {
        let wide = wet.map(|spots| (spots | spots << 1 | spots >> 1) & ((1 << SPOTS) - 1));
        let mut rows = wide;
        for (row, spots) in rows.iter_mut().enumerate() {
            *spots |= wide[row.saturating_sub(1)] | wide[(row + 1).min(SPOTS - 1)];
        }
        Self { rows }
    }

    /// That of one row of cells, −4 to 67.
    #[inline(always)]
    #[must_use]
    pub fn row(&self, row: i32) -> RowReach {
        RowReach(self.rows[(row + 4).unsigned_abs() as usize / SPOT])
    }
}

/// The spots of a row of cells that lie within reach of water.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowReach(u32);

impl RowReach {
    /// Whether there is none.
    #[inline(always)]
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether one of the `N` columns from `column`, −4 to 67, on lies in such a spot.
    #[inline(always)]
    #[must_use]
    pub fn meets<const N: usize>(self, column: i32) -> bool {
        let first = (column + 4).unsigned_abs() / 4;
        let last = ((column + 4).unsigned_abs() + N as u32 - 1) / 4;
        self.0 >> first & ((2 << (last - first)) - 1) != 0
    }
}

/// Which of the `N` spots of a neighbour, from the cell `from` of its planes on, are wet; those of
/// another level stand at `filled` in the padded tile.
fn wet_spots<const N: usize>(
    padded: &Padded,
    beyond: HaloNeighbour<'_>,
    from: usize,
    filled: usize,
) -> u32 {
    let (depth, from, width) = match &beyond {
        HaloNeighbour::Outside => return 0,
        HaloNeighbour::Tile(patch) => (&patch.water.depth[..], from, TILE_WIDTH),
        HaloNeighbour::Filled => (&padded.depth[..], filled, STRIDE),
    };
    let mut any = [[0; SPOT]; N];
    for row in 0..SPOT {
        let cells = depth[from + row * width..].as_chunks::<SPOT>().0;
        for (any, cells) in any.iter_mut().zip(cells) {
            for (any, depth) in any.iter_mut().zip(cells) {
                *any |= depth;
            }
        }
    }
    let wet = any.iter().enumerate();
    wet.fold(0, |spots, (i, [a, b, c, d])| spots | u32::from(a | b | c | d != 0) << i)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goal: reached are a wet spot and the eight around it. Method: a lone wet spot in the middle,
    /// in a corner of the halo, and all columns of all rows against distances.
    #[test]
    fn reach_is_one_spot_around() {
        for (column, row) in [(8_usize, 8_usize), (0, 0), (17, 3)] {
            let mut wet = [0; SPOTS];
            wet[row] = 1 << column;
            let reach = WaterReach::around(wet);
            for (x, y) in (0..72).flat_map(|x| (0..72).map(move |y| (x, y))) {
                let near = |at: usize, spot: usize| (at / SPOT).abs_diff(spot) <= 1;
                let expected = near(x, column) && near(y, row);
                let [x, y] = [x, y].map(|at| i32::try_from(at).expect("72 cells") - 4);
                assert_eq!(reach.row(y).meets::<1>(x), expected, "column {x}, row {y}");
            }
        }
    }

    #[test]
    fn a_block_meets_what_one_of_its_columns_meets() {
        for spot in 0..18 {
            let reach = RowReach(1 << spot);
            for column in -4..52_i32 {
                let one = (column..column + 16).any(|column| reach.meets::<1>(column));
                assert_eq!(reach.meets::<16>(column), one, "spot {spot}, column {column}");
            }
        }
    }
}
