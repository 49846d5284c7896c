//! Wet parts of a tile: the wet ones of its nine parts.
//!
//! ```text
//! 6  7  8    north    corners of 16 × 16 cells, sides of 32 × 16
//! 3  4  5
//! 0  1  2    south
//! ```
//!
//! Water moves by one cell in a step. So a dry neighbour stays dry for as many steps as this tile
//! has dry cells before their common side.

use crate::tile::halo::CENTRE;

/// Cells across of the parts along the sides of a tile.
// More than 12: by default a cycle has eight steps, of a cell each, and the halo has four cells.
const MARGIN: usize = 16;

/// Steps after which no water has reached faces of a neighbour that is dry, or cells that such
/// faces read, if the parts next to it were dry.
pub const STEPS_DRY: usize = MARGIN - 4;

/// The wet parts of a tile.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WetParts(u32);

impl WetParts {
    /// Returns the parts in which some depth, vertical units, is not 0; one depth for each cell of
    /// a tile.
    #[must_use]
    pub fn of(depth: &[i32]) -> Self {
        let mut wet = 0;
        for (third, rows) in [0..1, 1..3, 3..4].into_iter().enumerate() {
            let (mut near, mut middle, mut far) = (0, 0, 0);
            let rows = &depth[64 * MARGIN * rows.start..64 * MARGIN * rows.end];
            for row in rows.as_chunks::<64>().0 {
                let any = |cells: &[i32]| cells.iter().fold(0, |any, &h| any | h);
                near |= any(&row[..MARGIN]);
                middle |= any(&row[MARGIN..64 - MARGIN]);
                far |= any(&row[64 - MARGIN..]);
            }
            let bits =
                u32::from(near != 0) | u32::from(middle != 0) << 1 | u32::from(far != 0) << 2;
            wet |= bits << (3 * third);
        }
        Self(wet)
    }

    /// Returns the parts by the nine lowest of these bits, from the south-west on.
    #[must_use]
    pub const fn of_bits(bits: u32) -> Self {
        Self(bits & 0b111_111_111)
    }

    /// True if some cell is wet.
    #[must_use]
    pub const fn is_any(self) -> bool {
        self.0 != 0
    }

    /// True if a part beside a neighbour is wet; `place` is the neighbour's index in a
    /// [`Neighbourhood`](crate::tile::halo::Neighbourhood).
    #[must_use]
    pub const fn is_near(self, place: usize) -> bool {
        const ALONG: [u32; 9] = [
            0b000_000_001,
            0b000_000_111,
            0b000_000_100,
            0b001_001_001,
            0b111_111_111,
            0b100_100_100,
            0b001_000_000,
            0b111_000_000,
            0b100_000_000,
        ];
        const { assert!(ALONG[CENTRE] == 0b111_111_111) };
        self.0 & ALONG[place] != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::TILE_CELLS;

    /// Goal: a cell counts for the neighbours whose margin contains it, and for no more.
    /// Method: each cell wet alone; the distance to each neighbour by its columns and rows.
    #[test]
    fn a_cell_is_near_the_neighbours_within_the_margin() {
        for cell in 0..TILE_CELLS {
            let mut depth = vec![0; TILE_CELLS];
            depth[cell] = -i32::from(cell % 2 == 0) | 1;
            let wet = WetParts::of(&depth);
            assert!(wet.is_any());
            for place in 0..9 {
                let gap = |at: usize, third: usize| match third {
                    0 => at + 1,
                    1 => 0,
                    _ => 64 - at,
                };
                let gaps = [gap(cell % 64, place % 3), gap(cell / 64, place / 3)];
                let is_near = gaps.iter().all(|gap| *gap <= MARGIN);
                assert_eq!(wet.is_near(place), is_near, "cell {cell}, place {place}");
            }
        }
        assert!(!WetParts::of(&[0; TILE_CELLS]).is_any());
    }
}
