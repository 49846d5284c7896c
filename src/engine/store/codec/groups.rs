//! Residuals in groups of 16; each group uses as many bits per residual as its largest one needs.

use crate::grid::TILE_CELLS;
use crate::store::codec::bytes::Bytes;
use crate::store::codec::{Corrupt, TileIntegers, residuals};

/// Residuals per group.
// 16 residuals of any width fill whole bytes. Groups of 32 take a quarter more bytes for depths
// (see the table in `mod.rs`): one large residual widens all of its group.
const SIZE: usize = 16;
/// Groups per plane.
const COUNT: usize = TILE_CELLS / SIZE;
/// Bytes of the widest group and of one word after it.
const WINDOW: usize = 4 * SIZE + 8;

/// Calls a function with a width of at most 32 as a compile-time constant.
macro_rules! of_width {
    ($width:expr, $function:ident($($argument:expr),*)) => {
        of_width!($width, $function [$($argument),*],
            0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31)
    };
    ($width:expr, $function:ident $arguments:tt, $($known:literal)*) => {
        match $width {
            $($known => of_width!($known; $function $arguments),)*
            _ => of_width!(32; $function $arguments),
        }
    };
    ($known:literal; $function:ident [$($argument:expr),*]) => {
        $function::<$known>($($argument),*)
    };
}

/// The residuals of a plane, and the widths of its groups.
#[derive(Debug)]
pub struct ResidualGroups {
    residuals: [u32; TILE_CELLS],
    widths: [u8; COUNT],
}

impl ResidualGroups {
    /// Smallest value that [`Self::bytes`] returns.
    pub const BYTES_MIN: usize = COUNT;

    /// Makes the groups of a plane.
    #[must_use]
    pub fn of(plane: &TileIntegers) -> Self {
        let residuals = residuals::of(plane);
        let mut widths = [0; COUNT];
        for (width, group) in widths.iter_mut().zip(residuals.as_chunks::<SIZE>().0) {
            let bits = group.iter().fold(0, |bits, residual| bits | residual);
            *width = u8::try_from(u32::BITS - bits.leading_zeros()).expect("at most 32");
        }
        Self { residuals, widths }
    }

    /// Returns the number of bytes that [`Self::put`] appends.
    #[must_use]
    pub fn bytes(&self) -> usize {
        COUNT + self.widths.iter().map(|&width| group_bytes(width)).sum::<usize>()
    }

    /// Appends the groups to `out`.
    pub fn put(&self, out: &mut Vec<u8>) {
        out.extend(self.widths);
        for (group, &width) in self.residuals.as_chunks::<SIZE>().0.iter().zip(&self.widths) {
            let mut window = [0; WINDOW];
            of_width!(width, pack(group, &mut window));
            out.extend(&window[..group_bytes(width)]);
        }
    }
}

/// Takes the residuals of a plane from the front of `bytes`.
///
/// # Errors
///
/// An error if a group is too wide or the bytes end early.
pub fn take(bytes: &mut Bytes<'_>, plane: &mut TileIntegers) -> Result<(), Corrupt> {
    let widths: [u8; COUNT] = bytes.take_array()?;
    if let Some(group) = widths.iter().position(|&width| width > 32) {
        return Err(Corrupt::Width { group, width: widths[group] });
    }
    for (group, width) in plane.as_chunks_mut::<SIZE>().0.iter_mut().zip(widths) {
        let ahead = bytes.0;
        let taken = bytes.take(group_bytes(width))?;
        // The window may reach into later groups, whose bits `unpack` ignores. Only groups near the
        // end, with less than a window of bytes ahead, need a copy.
        if let Some(window) = ahead.first_chunk() {
            of_width!(width, unpack(window, group));
        } else {
            let mut window = [0; WINDOW];
            window[..taken.len()].copy_from_slice(taken);
            of_width!(width, unpack(&window, group));
        }
    }
    Ok(())
}

fn group_bytes(width: u8) -> usize {
    usize::from(width) * SIZE / 8
}

/// Writes residuals of `WIDTH` bits one after another.
#[expect(clippy::cast_possible_truncation, reason = "the low half")]
fn pack<const WIDTH: usize>(group: &[u32; SIZE], window: &mut [u8; WINDOW]) {
    let (mut bits, mut count, mut at) = (0_u64, 0, 0);
    for &residual in group {
        bits |= u64::from(residual) << count;
        count += WIDTH;
        // 16 residuals fill their last half word.
        while count >= 16 {
            window[at..at + 2].copy_from_slice(&(bits as u16).to_le_bytes());
            (bits, count, at) = (bits >> 16, count - 16, at + 2);
        }
    }
}

/// Reads the bytes that [`pack`] writes.
#[expect(clippy::cast_possible_truncation, reason = "at most 32 bits are left")]
fn unpack<const WIDTH: usize>(window: &[u8; WINDOW], group: &mut [i32; SIZE]) {
    for (i, residual) in group.iter_mut().enumerate() {
        let (at, shift) = (i * WIDTH / 8, i * WIDTH % 8);
        // 8 bytes contain any residual: it begins at most 7 bits into `at` and has at most 32.
        let word = u64::from_le_bytes(std::array::from_fn(|byte| window[at + byte]));
        *residual = ((word >> shift) & ((1 << WIDTH) - 1)) as u32 as i32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::TILE_WIDTH;
    use crate::units::hash::scramble;

    /// Goal: residuals of every width are read back unchanged, with and without bytes after them.
    #[test]
    fn groups_of_every_width_come_back() {
        for width in 0..=32_u64 {
            let row = |cell: usize| cell / TILE_WIDTH;
            let plane: TileIntegers = std::array::from_fn(|cell| {
                let folded = scramble(cell as u64) & ((1 << width) - 1);
                if row(cell) == 0 {
                    u32::try_from(folded).expect("32 bits").cast_signed()
                } else {
                    0
                }
            });
            let mut summed = plane;
            residuals::sum(&mut summed);
            let (groups, mut bytes) = (ResidualGroups::of(&summed), Vec::new());
            groups.put(&mut bytes);
            assert_eq!(bytes.len(), groups.bytes());
            for left in [0, 100] {
                let padded = [bytes.clone(), vec![0xff; left]].concat();
                let (mut rest, mut found) = (Bytes(&padded), [7; TILE_CELLS]);
                assert_eq!(take(&mut rest, &mut found), Ok(()));
                assert_eq!((rest.0.len(), found), (left, plane), "width {width}");
            }
        }
    }
}
