//! Layout of the planes of a padded tile.

use crate::grid::TILE_WIDTH;
use std::ops::{Deref, DerefMut};

/// Width of the halo around a tile, cells.
pub const HALO: usize = 4;
/// Columns of a padded row, the unused ones included.
// 8 + 64 + 8: the fewest whole blocks of 16 that have room for the halo on both sides.
pub const STRIDE: usize = 80;
/// Index of column 0 in a padded row.
pub const WEST: usize = 8;
/// Column of the first of a padded row, an unused one.
pub const FIRST: i32 = -8;
/// Cells of a block: a step processes a row block by block.
pub const BLOCK: usize = 16;
/// Rows of a padded tile.
pub const ROWS: usize = TILE_WIDTH + 2 * HALO;

/// Returns the range of the columns `from..to` (tile columns, may be negative) in the flat plane at
/// `row`.
#[inline(always)]
#[must_use]
pub fn span(row: i32, from: i32, to: i32) -> std::ops::Range<usize> {
    index(from, row)..index(to, row)
}

/// Flat index of the cell in tile column `column` and tile row `row`, −4 to 67 each; the unused
/// columns beyond count too.
#[inline(always)]
#[must_use]
#[expect(
    clippy::cast_sign_loss,
    clippy::cast_possible_truncation,
    reason = "row and column ≥ −4 by contract"
)]
pub fn index(column: i32, row: i32) -> usize {
    ((row + HALO as i32) * STRIDE as i32 + column + WEST as i32) as usize
}

/// Returns the first column of a block of a padded row.
#[inline(always)]
#[must_use]
#[expect(clippy::cast_possible_wrap, clippy::cast_possible_truncation, reason = "five blocks")]
pub fn column_of(block: usize) -> i32 {
    FIRST + (BLOCK * block) as i32
}

/// Returns the first column of a block of the tile's own cells.
#[inline(always)]
#[must_use]
#[expect(clippy::cast_possible_wrap, clippy::cast_possible_truncation, reason = "four blocks")]
pub fn own_column_of(block: usize) -> i32 {
    (BLOCK * block) as i32
}

/// Values of a plane. Padded rows are a whole number of cache lines long, so each of their blocks
/// begins with one.
#[derive(Debug, Clone)]
#[repr(C, align(64))]
pub struct PaddedValues<T>([T; ROWS * STRIDE]);

impl<T> Deref for PaddedValues<T> {
    type Target = [T; ROWS * STRIDE];

    #[inline(always)]
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<T> DerefMut for PaddedValues<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

/// One plane of a padded tile, rows from south to north.
pub type PaddedPlane<T> = Box<PaddedValues<T>>;

/// Returns `N` values of a plane from an index on, as an array: loops over it need no bounds
/// checks.
#[inline(always)]
#[must_use]
pub fn run<T, const N: usize>(plane: &PaddedPlane<T>, from: usize) -> &[T; N] {
    plane[from..].first_chunk().expect("within the padded tile")
}

/// Returns `N` values of a plane from a place on, to be written.
#[inline(always)]
#[must_use]
pub fn run_mut<T, const N: usize>(plane: &mut PaddedPlane<T>, from: usize) -> &mut [T; N] {
    plane[from..].first_chunk_mut().expect("within the padded tile")
}

/// Returns `N` values of a plane from a column of a row on.
#[inline(always)]
#[must_use]
pub fn part<T, const N: usize>(plane: &PaddedPlane<T>, column: i32, row: i32) -> &[T; N] {
    run(plane, index(column, row))
}

/// Returns `N` values of a plane from a column of a row on, to be written.
#[inline(always)]
#[must_use]
pub fn part_mut<T, const N: usize>(
    plane: &mut PaddedPlane<T>,
    column: i32,
    row: i32,
) -> &mut [T; N] {
    run_mut(plane, index(column, row))
}

/// Returns `N` values of a row from a place on.
#[inline(always)]
#[must_use]
pub fn within<T, const N: usize>(row: &[T], from: usize) -> &[T; N] {
    row[from..].first_chunk().expect("within the row")
}

/// Returns `N` values of a row from a place on, to be written.
#[inline(always)]
#[must_use]
pub fn within_mut<T, const N: usize>(row: &mut [T], from: usize) -> &mut [T; N] {
    row[from..].first_chunk_mut().expect("within the row")
}

/// Allocates a plane filled with `value`.
#[must_use]
pub fn plane<T: Copy>(value: T) -> PaddedPlane<T> {
    Box::new(PaddedValues([value; ROWS * STRIDE]))
}
