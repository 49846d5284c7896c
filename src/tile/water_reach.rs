//! Where a step may find water: the parts of a padded tile that it goes over.
//!
//! ```text
//! spot    4 × 4 cells; the halo is one spot wide, so a padded tile has 18 × 18 of them
//! ·····
//! ·ooo·   w: some cell holds water, or is given some over a face between levels
//! ·owo·   o: reached, like w itself
//! ·ooo·   ·: no transfer, no new depth, no new discharge
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
use crate::tile::padded::{BLOCK, HALO, Padded, STRIDE, WEST, index, within};

/// Cells along a side of a spot.
const SPOT: usize = HALO;
/// Spots along a side of a tile.
const OWN: usize = TILE_WIDTH / SPOT;
/// Spots along a side of a padded tile.
const SPOTS: usize = OWN + 2;

/// Spots of a block, as bits.
const OF_BLOCK: u32 = (1 << (BLOCK / SPOT)) - 1;

/// The parts of a padded tile that lie within reach of water.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaterReach {
    /// Of four rows each, from south to north.
    rows: [RowReach; SPOTS],
}

impl WaterReach {
    /// Every block.
    pub const EVERYWHERE: Self = Self { rows: [RowReach::of((1 << SPOTS) - 1); SPOTS] };

    /// Parts that the water of a tile and of those around it reaches. Cells of another level stand
    /// in the halo of `padded` already.
    #[inline(always)]
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
            let east_end = own + TILE_WIDTH - SPOT;
            *spot = wet_spots::<1>(padded, around[3 * third], east_end, index(-4, row))
                | wet_spots::<OWN>(padded, around[3 * third + 1], own, index(0, row)) << 1
                | wet_spots::<1>(padded, around[3 * third + 2], own, index(64, row)) << (OWN + 1);
        }
        for given in interfaces.iter().flat_map(|interfaces| &interfaces.given) {
            let (row, column) = (given.face / STRIDE, given.face % STRIDE);
            wet[row / SPOT] |= 1 << ((column + HALO - WEST) / SPOT);
        }
        Self::around(wet)
    }

    /// Wet spots and those beside them.
    #[inline(always)]
    fn around(wet: [u32; SPOTS]) -> Self {
        let mut wide = [0; SPOTS + 2];
        for (wide, spots) in wide[1..].iter_mut().zip(wet) {
            *wide = (spots | spots << 1 | spots >> 1) & ((1 << SPOTS) - 1);
        }
        let mut rows = [RowReach::of(0); SPOTS];
        for (row, near) in rows.iter_mut().zip(wide.windows(3)) {
            *row = RowReach::of(near[0] | near[1] | near[2]);
        }
        Self { rows }
    }

    /// Blocks of one row of cells, −4 to 67.
    #[inline(always)]
    #[must_use]
    pub fn row(&self, row: i32) -> RowReach {
        self.rows[(row + 4).unsigned_abs() as usize / SPOT]
    }

    /// Whether no water reaches a row.
    #[inline(always)]
    #[must_use]
    pub fn is_dry(&self, row: i32) -> bool {
        self.row(row).padded.is_empty()
    }

    /// Whether water reaches a row or one beside it.
    #[inline(always)]
    #[must_use]
    pub fn is_near(&self, row: i32) -> bool {
        !(self.is_dry(row) && self.is_dry((row - 1).max(-4)) && self.is_dry((row + 1).min(67)))
    }

    /// How many of the tile's own cells lie in reached blocks.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "4,096 at most")]
    pub fn own_cells(&self) -> u32 {
        let blocks: u32 = self.rows[1..=OWN].iter().map(|row| row.own.0.count_ones()).sum();
        blocks * (SPOT * BLOCK) as u32
    }
}

/// The blocks of a row of cells that lie within reach of water.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowReach {
    /// Of the padded row, whose first block begins at [`FIRST`](crate::tile::padded::FIRST).
    pub padded: Blocks,
    /// Of the tile's own cells, whose first block begins at column 0.
    pub own: Blocks,
}

impl RowReach {
    /// Blocks that some of these spots lie in; bit 0 is the spot west of the tile.
    const fn of(spots: u32) -> Self {
        let (mut padded, mut own, mut block) = (0, 0, 0);
        while block < 5 {
            // The first column of a padded row, which means nothing, is a spot before the halo.
            padded |= ((spots << 1 >> (4 * block) & OF_BLOCK != 0) as u8) << block;
            if block < 4 {
                own |= ((spots >> 1 >> (4 * block) & OF_BLOCK != 0) as u8) << block;
            }
            block += 1;
        }
        Self { padded: Blocks(padded), own: Blocks(own) }
    }

    /// The other blocks: dry and still, before the step and after it.
    #[inline(always)]
    #[must_use]
    pub fn dry(self) -> Self {
        Self { padded: Blocks(!self.padded.0 & 0b1_1111), own: Blocks(!self.own.0 & 0b1111) }
    }
}

/// Numbers of blocks of a row, from west to east.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blocks(u8);

impl Blocks {
    /// Whether there is none.
    #[inline(always)]
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl Iterator for Blocks {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let block = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(block)
    }
}

/// Which of the `N` spots of a neighbour, from the cell `from` of its planes on, are wet; those of
/// another level stand at `filled` in the padded tile.
#[inline(always)]
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
    let mut spots = 0;
    for spot in 0..N {
        let row = |row: usize| -> &[i32; SPOT] { within(depth, from + row * width + SPOT * spot) };
        let wet = |[a, b, c, d]: &[i32; SPOT]| a | b | c | d != 0;
        spots |= u32::from(wet(row(0)) || wet(row(1)) || wet(row(2)) || wet(row(3))) << spot;
    }
    spots
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Axis;
    use crate::tile::interface_faces::Given;

    /// Goal: water of another level is reached, in the halo or given over a face. Method: a tile in
    /// the void with one wet cell in a corner of its halo; with one given transfer.
    #[test]
    fn water_of_other_levels_is_reached() {
        let mut around = [HaloNeighbour::Outside; 9];
        let mut padded = Padded::new();
        assert_eq!(WaterReach::of(&padded, &around, None).own_cells(), 0);
        let mut interfaces = InterfaceFaces::default();
        let (face, cell) = (index(0, 40), index(0, 40));
        interfaces.given.push(Given { axis: Axis::X, face, cell, taken: 5 });
        let given = WaterReach::of(&padded, &around, Some(&interfaces));
        assert!(given.row(40).own.eq([0]) && given.own_cells() == 12 * 16, "{given:?}");
        (around[8], padded.depth[index(66, 65)]) = (HaloNeighbour::Filled, 1);
        let filled = WaterReach::of(&padded, &around, None);
        assert!(filled.row(63).own.eq([3]) && filled.own_cells() == 4 * 16, "{filled:?}");
    }

    /// Goal: reached is each block with a cell in a wet spot or in one of the eight around it.
    /// Method: a lone wet spot at every place, every block of every row, by distances.
    #[test]
    fn reach_is_one_spot_around() {
        for (column, row) in (0..SPOTS).flat_map(|x| (0..SPOTS).map(move |y| (x, y))) {
            let mut wet = [0; SPOTS];
            wet[row] = 1 << column;
            let reach = WaterReach::around(wet);
            let near = |at: usize, spot: usize| (at / SPOT).abs_diff(spot) <= 1;
            for y in 0..72 {
                let here = reach.row(i32::try_from(y).expect("72 rows") - 4);
                // Cells from the first of the halo on.
                let expected = |cells: std::ops::Range<usize>| {
                    near(y, row) && cells.clone().any(|x| near(x, column))
                };
                let padded = |block: usize| (16 * block).saturating_sub(4)..16 * block + 12;
                let expected_padded =
                    (0..5).filter(|&b| expected(padded(b).start..padded(b).end.min(72)));
                assert!(here.padded.eq(expected_padded), "spot {column}, {row}: row {y}");
                let own = (0..4).filter(|&block| expected(16 * block + 4..16 * block + 20));
                assert!(here.own.eq(own), "spot {column}, {row}: row {y}");
                assert_eq!(here.dry().own.count() + here.own.count(), 4);
                assert_eq!(here.dry().padded.count() + here.padded.count(), 5);
            }
        }
    }
}
