//! Differences of cells from a prediction out of neighbours that were decoded before.
//!
//! ```text
//! r = v − west − south + south-west          wrapping; 0 stands beyond the plane
//! ```

use crate::grid::{TILE_CELLS, TILE_WIDTH};
use crate::store::codec::TileIntegers;
use crate::store::codec::numbers::{fold, unfold};

/// Returns the residuals of a plane, folded.
#[must_use]
pub fn of(plane: &TileIntegers) -> [u32; TILE_CELLS] {
    let mut residuals = [0; TILE_CELLS];
    let (rows, _) = plane.as_chunks::<TILE_WIDTH>();
    let (to, _) = residuals.as_chunks_mut::<TILE_WIDTH>();
    let mut south = &[0; TILE_WIDTH];
    for (row, to) in rows.iter().zip(to) {
        to[0] = fold(row[0].wrapping_sub(south[0]));
        for x in 1..TILE_WIDTH {
            let here = row[x].wrapping_sub(south[x]);
            to[x] = fold(here.wrapping_sub(row[x - 1].wrapping_sub(south[x - 1])));
        }
        south = row;
    }
    residuals
}

/// Turns folded residuals into their plane.
pub fn sum(plane: &mut TileIntegers) {
    let (rows, _) = plane.as_chunks_mut::<TILE_WIDTH>();
    let mut south = [0; TILE_WIDTH];
    for row in rows {
        // r = (v − south) − (west − south-west): the running sum along a row gives v − south. The
        // row to the south is added in a second loop, whose cells do not depend on each other.
        let mut sum = 0_i32;
        for cell in &mut *row {
            sum = sum.wrapping_add(unfold(cell.cast_unsigned()));
            *cell = sum;
        }
        for (cell, south) in row.iter_mut().zip(&mut south) {
            *cell = cell.wrapping_add(*south);
            *south = *cell;
        }
    }
}

/// Makes a plane cell by cell, from the south-west: `value` gets the cell and the value there whose
/// residual is 0; for the first cell it gets `first`.
#[must_use]
pub fn choose(first: i32, value: impl Fn(usize, i32) -> i32) -> TileIntegers {
    let mut plane = [0; TILE_CELLS];
    let mut south = [0_i32; TILE_WIDTH];
    for y in 0..TILE_WIDTH {
        // Beyond the plane is 0, far from most values. If a free cell in the first corner took 0,
        // the step to the fixed cells would be paid at every corner of the rim of the free ones.
        // With `first` it is paid once, in the first corner.
        let (mut west, mut south_west) = (if y == 0 { first } else { 0 }, 0);
        for (x, south) in south.iter_mut().enumerate() {
            let cell = y * TILE_WIDTH + x;
            let free = west.wrapping_add(*south).wrapping_sub(south_west);
            south_west = *south;
            west = value(cell, free);
            (plane[cell], *south) = (west, west);
        }
    }
    plane
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::hash::scramble;

    #[test]
    #[expect(clippy::cast_possible_truncation, reason = "any bits will do")]
    fn sums_undo_differences_that_wrap() {
        let plane: TileIntegers = std::array::from_fn(|i| scramble(i as u64) as i32);
        let mut residuals = of(&plane).map(u32::cast_signed);
        sum(&mut residuals);
        assert_eq!(residuals, plane);
    }

    #[test]
    fn a_plane_that_takes_what_is_free_has_no_residuals() {
        let plane = choose(7, |cell, free| if cell == 70 { free + 1 } else { free });
        let residuals = of(&plane);
        let found: Vec<usize> = (0..TILE_CELLS).filter(|&cell| residuals[cell] != 0).collect();
        assert_eq!((plane[0], found), (7, vec![0, 70]));
    }
}
