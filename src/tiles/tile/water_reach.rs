//! Reach of water in a step: the parts of a padded tile that the step computes.
//!
//! ```text
//! · · · · ·
//! · o o o o      w: holds water, or is given some over a face between levels
//! · o o o o      o: reached, like w itself: one cell to the west and south, two to the east and
//! · o w o o         north, as faces belong to the cell behind them
//! · o o o o      ·: no transfer, no new depth, no new discharge
//! ```
//!
//! In a step water moves by one cell, and discharges arise on the four faces of the cells that it
//! reaches. Farther away every transfer and discharge is 0, so a step that writes zeros there has
//! the same bits as one that computes them. Rows are distinguished, and blocks of 16 cells within a
//! row.
//!
//! Guarantees: a step has the same bits with [`WaterReach::EVERYWHERE`]
//!             (`dry_parts_are_left_out_to_the_bit`).

use crate::grid::{Axis, TILE_WIDTH};
use crate::tile::halo::{HaloNeighbour, Neighbourhood, ROWS_IN_REACH};
use crate::tile::interface_faces::InterfaceFaces;
use crate::tile::padded::{BLOCK, HALO, Padded, ROWS, STRIDE, index, within, within_mut};
use std::ops::Range;

/// Cells of a group: half a block, as blocks of a padded row begin in the middle of the tile's own.
const GROUP: usize = BLOCK / 2;
/// Groups of a padded row; the first and the last contain the halo.
const GROUPS: usize = STRIDE / GROUP;
/// Groups of a tile's own row.
const OWN: usize = TILE_WIDTH / GROUP;
/// All groups of a padded row, as bits.
const ALL: u16 = (1 << GROUPS) - 1;

/// The parts of a padded tile that are within reach of water.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaterReach {
    /// From south to north.
    rows: [RowBlocks; ROWS],
}

impl WaterReach {
    /// Every block.
    pub const EVERYWHERE: Self = Self { rows: [RowBlocks::of(ALL); ROWS] };

    /// Returns the parts that the water of a tile and of its neighbours reaches. Cells of a
    /// different level are in the halo of `padded` already.
    #[inline(always)]
    #[must_use]
    pub fn of(
        padded: &Padded,
        around: &Neighbourhood<'_>,
        interfaces: Option<&InterfaceFaces>,
    ) -> Self {
        let mut wet = [0; ROWS];
        // A wet row reaches the one to its south and two to its north: in wet water every fourth
        // row answers for all. No `all`: its closure stays a call, compiled for the baseline.
        let mut row = -3;
        while row < ROWS_IN_REACH.end && wet_groups(padded, around, row) == ALL {
            row += 4;
        }
        if row >= ROWS_IN_REACH.end {
            return Self::EVERYWHERE;
        }
        for (wet, row) in wet.iter_mut().zip(ROWS_IN_REACH) {
            *wet = wet_groups(padded, around, row);
        }
        for given in interfaces.iter().flat_map(|interfaces| &interfaces.given) {
            // The cells on both sides of the face.
            let step = match given.axis {
                Axis::X => 1,
                Axis::Y => STRIDE,
            };
            for at in [given.face, given.face - step] {
                let (row, column) = (at / STRIDE, at % STRIDE);
                let (first, last) = (column % GROUP == 0, column % GROUP >= GROUP - 2);
                let before = u16::from(first) << (column / GROUP) >> 1;
                let behind = u16::from(last) << (column / GROUP) << 1;
                wet[row] |= 1 << (column / GROUP) | before | behind;
            }
        }
        Self::around(wet)
    }

    /// Returns the groups that the water of each row reaches in it, and the groups about them.
    #[inline(always)]
    fn around(wet: [u16; ROWS]) -> Self {
        let mut wide = [0; ROWS + 3];
        *within_mut::<_, ROWS>(&mut wide, 2) = wet;
        let mut rows = [RowBlocks::of(0); ROWS];
        for (i, row) in rows.iter_mut().enumerate() {
            // Rows i − 2 to i + 1 reach row i, and each is two places further on in `wide`.
            let near = wide[i] | wide[i + 1] | wide[i + 2] | wide[i + 3];
            // The remainder changes no value: the compiler sees from it that the index is in range.
            *row = OF_GROUPS[usize::from(near % (1 << GROUPS))];
        }
        Self { rows }
    }

    /// Returns the blocks of one row of cells, −4 to 67.
    #[inline(always)]
    #[must_use]
    pub fn row(&self, row: i32) -> RowBlocks {
        self.rows[(row + 4).unsigned_abs() as usize]
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

    /// Returns the rows from the first to the last that water reaches, and one more on each side:
    /// the rows for which [`is_near`](Self::is_near) is true, and the rows between. Empty if no
    /// water reaches any.
    #[inline(always)]
    #[must_use]
    pub fn rows_near(&self) -> Range<i32> {
        let is_wet = |row: &i32| !self.is_dry(*row);
        let mut rows = ROWS_IN_REACH;
        let Some(first) = rows.find(is_wet) else { return 0..0 };
        let last = rows.rfind(is_wet).unwrap_or(first);
        (first - 1).max(ROWS_IN_REACH.start)..(last + 2).min(ROWS_IN_REACH.end)
    }

    /// Returns the count of the tile's own cells in reached blocks.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "4,096 at most")]
    pub fn own_cells(&self) -> u32 {
        let own = &self.rows[HALO..HALO + TILE_WIDTH];
        let blocks: u32 = own.iter().map(|row| row.own.0.count_ones()).sum();
        blocks * BLOCK as u32
    }
}

/// Blocks of a row by the groups that water reaches in it.
static OF_GROUPS: [RowBlocks; 1 << GROUPS] = {
    let (mut of, mut groups) = ([RowBlocks::of(0); 1 << GROUPS], 0);
    while groups < 1 << GROUPS {
        of[groups as usize] = RowBlocks::of(groups);
        groups += 1;
    }
    of
};

/// Returns the groups, as bits from west to east, that the water of a padded row reaches in it.
#[inline(always)]
fn wet_groups(padded: &Padded, around: &Neighbourhood<'_>, row: i32) -> u16 {
    let (third, first) = match row {
        ..0 => (0, row + 64),
        0..64 => (1, row),
        _ => (2, row - 64),
    };
    let own = first.unsigned_abs() as usize * TILE_WIDTH;
    let [west, here, east] = [around[3 * third], around[3 * third + 1], around[3 * third + 2]];
    // Bits of groups: most rows are dry, and of the halo only the cells next to the tile reach into
    // it.
    let inner: &[i32; TILE_WIDTH] = cells(padded, here, own, index(0, row));
    let mut groups = if any(inner) == 0 { 0 } else { near(inner) };
    let halo: &[i32; HALO] = cells(padded, west, own + TILE_WIDTH - HALO, index(-4, row));
    groups |= u16::from(any(halo) != 0);
    groups |= u16::from(halo[HALO - 2] | halo[HALO - 1] != 0) << 1;
    let halo: &[i32; HALO] = cells(padded, east, own, index(64, row));
    groups |= u16::from(any(halo) != 0) << (1 + OWN);
    groups |= u16::from(halo[0] != 0) << OWN;
    groups
}

/// Returns the groups, as bits from west to east, that the water of a tile's own row reaches in it:
/// the wet groups, the one before if the first cell is wet, the one behind if one of the last two
/// is wet.
#[inline(always)]
fn near(row: &[i32; TILE_WIDTH]) -> u16 {
    // Four bits for the cells 16 apart, and one word for eight such together: groups of even number
    // in the first word, groups of odd number in the second.
    let mut cells = [0; BLOCK];
    for i in 0..BLOCK {
        let is_wet = |block: usize| u32::from(row[BLOCK * block + i] != 0) << block;
        let four = is_wet(0) | is_wet(1) | is_wet(2) | is_wet(3);
        cells[i] = four << (4 * (i % GROUP));
    }
    let (mut even, mut odd) = (0, 0);
    for i in 0..GROUP {
        (even, odd) = (even | cells[i], odd | cells[GROUP + i]);
    }
    // Four bits of each word, to the even and the odd places of eight.
    let spread =
        |of: fn(u32) -> u32| APART[of(even) as usize & 15] | APART[of(odd) as usize & 15] << 1;
    let any = spread(|word| {
        let word = word | word >> 16;
        let word = word | word >> 8;
        word | word >> 4
    });
    let first = spread(|word| word);
    let last = spread(|word| word >> 24 | word >> 28);
    any << 1 | first | last << 2
}

/// Four bits with a 0 behind each.
static APART: [u16; 16] = {
    let (mut apart, mut bits) = ([0; 16], 0);
    while bits < 16 {
        apart[bits as usize] = bits & 1 | (bits & 2) << 1 | (bits & 4) << 2 | (bits & 8) << 3;
        bits += 1;
    }
    apart
};

/// The blocks of a row of cells that are within reach of water.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowBlocks {
    /// Blocks of the padded row, whose first block begins at [`FIRST`](crate::tile::padded::FIRST).
    pub padded: BlockNumbers,
    /// Blocks of the tile's own cells, whose first block begins at column 0.
    pub own: BlockNumbers,
}

impl RowBlocks {
    /// Returns the blocks that contain some of these groups; the tile's own begin with the second
    /// group.
    const fn of(groups: u16) -> Self {
        let (mut padded, mut own, mut block) = (0, 0, 0);
        while block < 5 {
            padded |= ((groups >> (2 * block) & 0b11 != 0) as u8) << block;
            if block < 4 {
                own |= ((groups >> 1 >> (2 * block) & 0b11 != 0) as u8) << block;
            }
            block += 1;
        }
        Self { padded: BlockNumbers(padded), own: BlockNumbers(own) }
    }

    /// Returns the remaining blocks: dry and still, before the step and after it.
    #[inline(always)]
    #[must_use]
    pub fn dry(self) -> Self {
        Self {
            padded: BlockNumbers(!self.padded.0 & 0b1_1111),
            own: BlockNumbers(!self.own.0 & 0b1111),
        }
    }
}

/// Numbers of blocks of a row, from west to east.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockNumbers(u8);

impl BlockNumbers {
    /// Whether no block is left.
    #[inline(always)]
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl Iterator for BlockNumbers {
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

/// Returns the depths of a row of a neighbour, from the cell `from` of its planes on; depths of a
/// different level are at `filled` in the padded tile, and depths beyond the world are 0.
#[inline(always)]
fn cells<'a, const N: usize>(
    padded: &'a Padded,
    beyond: HaloNeighbour<'a>,
    from: usize,
    filled: usize,
) -> &'a [i32; N] {
    match beyond {
        HaloNeighbour::Outside => &[0; N],
        HaloNeighbour::Tile(patch) => within(&patch.water.depth[..], from),
        HaloNeighbour::Filled => within(&padded.depth[..], filled),
    }
}

/// Returns 0 only if all values are 0.
#[inline(always)]
fn any<const N: usize>(values: &[i32; N]) -> i32 {
    values.iter().fold(0, |any, &value| any | value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tile::interface_faces::GivenFace;
    use crate::tile::padded::FIRST;

    /// Goal: water of another level is reached, in the halo or given over a face. Method: a tile in
    /// the void with one wet cell in a corner of its halo; with one given transfer.
    #[test]
    fn water_of_other_levels_is_reached() {
        let mut around = [HaloNeighbour::Outside; 9];
        let mut padded = Padded::new();
        let dry = WaterReach::of(&padded, &around, None);
        assert!(dry.own_cells() == 0 && dry.rows_near().is_empty());
        let mut interfaces = InterfaceFaces::default();
        let (face, cell) = (index(0, 40), index(0, 40));
        interfaces.given.push(GivenFace { axis: Axis::X, face, cell, taken: 5 });
        let given = WaterReach::of(&padded, &around, Some(&interfaces));
        assert!(given.row(40).own.eq([0]) && given.own_cells() == 4 * 16, "{given:?}");
        (around[8], padded.depth[index(64, 64)]) = (HaloNeighbour::Filled, 1);
        let filled = WaterReach::of(&padded, &around, None);
        assert!(filled.row(63).own.eq([3]) && filled.own_cells() == 16, "{filled:?}");
    }

    /// Goal: reached is each block with a cell from one before to two behind a wet one, along both
    /// axes. Method: a lone wet cell at every place, every block of every row, by distances.
    #[test]
    fn reach_is_a_cell_before_and_two_behind() {
        for (column, row) in (-4..68).flat_map(|x| (-4..68).map(move |y| (x, y))) {
            let mut padded = Padded::new();
            padded.depth[index(column, row)] = 1;
            let reach = WaterReach::of(&padded, &[HaloNeighbour::Filled; 9], None);
            let near = |at: i32, wet: i32| (-1..=2).contains(&(at - wet));
            let block = |b: usize| 16 * i32::try_from(b).expect("five blocks");
            assert_eq!(reach.rows_near(), (row - 2).max(-4)..(row + 4).min(68), "row {row}");
            for y in -4..68 {
                let here = reach.row(y);
                let holds =
                    |first: i32| near(y, row) && (first..first + 16).any(|x| near(x, column));
                let case = format!("cell {column}, {row}: row {y}");
                assert!(here.padded.eq((0..5).filter(|&b| holds(FIRST + block(b)))), "{case}");
                assert!(here.own.eq((0..4).filter(|&b| holds(block(b)))), "{case}");
                assert_eq!(here.dry().own.count() + here.own.count(), 4);
                assert_eq!(here.dry().padded.count() + here.padded.count(), 5);
            }
        }
    }
}
