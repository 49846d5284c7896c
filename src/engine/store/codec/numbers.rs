//! Conversions that make numbers small or comparable, and their inverses.

use crate::grid::TILE_CELLS;
use crate::store::codec::Corrupt;
use crate::store::codec::bytes::Bytes;
use crate::units::OUTSIDE;

/// A plane of integers: rows from the south, cells from the west.
pub type TileIntegers = [i32; TILE_CELLS];
/// A plane of floats.
pub type TileFloats = [f32; TILE_CELLS];

/// Returns the number of low bits that are 0 in all cells but [`OUTSIDE`] ones.
#[must_use]
pub fn shift(plane: &TileIntegers) -> u8 {
    let inside = plane.iter().map(|&cell| if cell == OUTSIDE { 0 } else { cell });
    let zeros = inside.fold(0, |bits, cell| bits | cell).trailing_zeros();
    // A plane of zeros has 32 trailing zeros, but an i32 cannot be shifted by 32.
    u8::try_from(zeros).map_or(0, |zeros| zeros % 32)
}

/// Takes a shift from the front of `bytes`.
///
/// # Errors
///
/// An error if the shift is more than 31 or missing.
pub fn take_shift(bytes: &mut Bytes<'_>) -> Result<u8, Corrupt> {
    let shift = bytes.take_byte()?;
    if shift < 32 { Ok(shift) } else { Err(Corrupt::Shift(shift)) }
}

/// Returns an integer that has the order of the float and from which [`from_ordered`] returns its
/// bits; −0 is before 0.
#[inline]
#[must_use]
pub const fn ordered(float: f32) -> i32 {
    inverted(float.to_bits().cast_signed())
}

/// Returns the float of an integer from [`ordered`].
#[inline]
#[must_use]
pub const fn from_ordered(int: i32) -> f32 {
    f32::from_bits(inverted(int).cast_unsigned())
}

/// Inverts all bits but the sign if the sign is set.
const fn inverted(bits: i32) -> i32 {
    // The bits of negative floats rise as their values fall. `>> 31` copies the sign to all bits.
    // The sign itself stays, so the function is its own inverse.
    bits ^ ((bits >> 31) & i32::MAX)
}

/// Returns signed numbers as unsigned ones, small for small absolute values: 0, −1, 1, −2, … as 0,
/// 1, 2, 3, …
#[inline(always)]
#[must_use]
pub const fn fold(number: i32) -> u32 {
    // The sign moves to the lowest bit (zigzag): −1 would otherwise need all 32 bits of a group.
    ((number << 1) ^ (number >> 31)).cast_unsigned()
}

/// Returns the signed number from which [`fold`] made this one.
#[inline(always)]
#[must_use]
pub const fn unfold(folded: u32) -> i32 {
    (folded >> 1).cast_signed() ^ -((folded & 1).cast_signed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_keep_their_order_and_their_bits() {
        let floats = [-f32::INFINITY, -2.5, -1.0e-40, -0.0, 0.0, 1.0e-40, 1.0, f32::INFINITY];
        assert!(floats.map(ordered).is_sorted());
        for bits in [0, 1, 0x7f80_0001, 0x7fc0_0000, 0x8000_0000, 0xffff_ffff_u32] {
            assert_eq!(from_ordered(ordered(f32::from_bits(bits))).to_bits(), bits, "{bits:#x}");
        }
    }

    #[test]
    fn small_numbers_fold_to_small_ones() {
        let numbers = [0, -1, 1, -2, 2, i32::MAX, i32::MIN];
        assert_eq!(numbers.map(fold), [0, 1, 2, 3, 4, u32::MAX - 1, u32::MAX]);
        assert_eq!(numbers.map(fold).map(unfold), numbers);
    }
}
