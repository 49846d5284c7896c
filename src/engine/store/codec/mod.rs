//! Planes of 64 × 64 cells as bytes.
//!
//! ```text
//! plane ── / 2^shift ── residuals ── groups of 16, each as wide as it needs ── bytes
//!
//! r = v − west − south + south-west          wrapping; 0 stands beyond the plane
//! ```
//!
//! Neighbouring cells are similar, so residuals are small. Beds are multiples of a power of two,
//! which is divided out. Floats are encoded by their bits, in the order of their values. Water has
//! a smooth surface over a rough bed: a depth is stored as its stage if that is shorter, and can
//! then be read only over the same bed.
//!
//! Some cells are free: cells outside the world, which are marked by bits, may have any value, and
//! the stage of dry cells may be anything up to their bed. They take the value whose residual is 0
//! if they can.
//!
//! | form | byte 0 | next bytes |
//! | --- | --- | --- |
//! | constant | 0 | the value of all cells, 4 bytes |
//! | raw | 1 | the value of each cell, 4 bytes |
//! | packed | 2 | shift, holes, groups |
//! | over bed | 3 | groups of the stage |
//!
//! All numbers are little-endian.
//!
//! - Shift: one byte, 0 to 31. Cells are 2^shift times the numbers in the groups.
//! - Holes: 8 bytes whose bits are the rows that have cells [`OUTSIDE`], the southernmost lowest;
//!   for each of these rows 8 bytes whose bits are its cells, the westernmost lowest.
//! - Groups: 256 widths, a byte each, 0 to 32; then for each group in turn its 16 residuals in
//!   2 · width bytes, residual i from bit i · width on, the lowest first. Residuals 0, −1, 1, −2
//!   and so on are written as 0, 1, 2, 3.
//! - Stage: if it is above the bed of a cell, the difference is the depth; otherwise the depth is
//!   0.
//! - A float is the integer of its bits; if its sign is set, the 31 remaining bits are inverted.
//!
//! Methods that were tried, in bytes relative to raw planes, on the beds of a marsh and a valley
//! and on the tiles of that valley's flood with water, a fifth of their cells; `bench store` has
//! more:
//!
//! | residuals from | stored in | marsh | valley | depth | discharge |
//! | --- | --- | --- | --- | --- | --- |
//! | west | groups of 16 | 0.265 | 0.306 | 0.203 | 0.274 |
//! | three neighbours | groups of 64 | 0.330 | 0.446 | 0.366 | 0.528 |
//! | three neighbours | groups of 32 | 0.255 | 0.319 | 0.247 | 0.357 |
//! | three neighbours | groups of 16 | 0.214 | 0.259 | 0.196 | 0.269 |
//! | three neighbours | bytes of a place together, lz4 | 0.209 | 0.251 | 0.179 | 0.224 |
//! | the same with holes and stages | groups of 16 | 0.199 | 0.233 | 0.174 | 0.270 |
//!
//! A plane in groups is read at 4 GB/s, a plane in lz4 at 1.6 GB/s. The best of three predictors
//! for each plane saves at most a twentieth of its size. Stages reduce a lake at rest to 0.016 of
//! its raw depths; in a flood they save a tenth.
//!
//! Guarantees: every plane is decoded to the same bits, NaN and −0 too; any bytes give a plane or
//!             [`Corrupt`], and nothing is allocated to read them; the bytes are the same on every
//!             machine.
//! Limits:     finds damage only if it breaks a form: checksums are the caller's task.
//! Source:     own.
//!
//! [`OUTSIDE`]: crate::units::OUTSIDE

mod bytes;
mod corrupt;
mod groups;
mod holes;
mod numbers;
mod residuals;
mod stage;
#[cfg(test)]
mod tests;

pub use bytes::Bytes;
pub use corrupt::Corrupt;
pub use numbers::{TileFloats, TileIntegers};

use crate::grid::TILE_CELLS;
use groups::ResidualGroups;
use holes::HoleSet;

/// Most bytes of an encoded plane.
pub const ENCODED_BYTES_MAX: usize = 1 + 4 * TILE_CELLS;

// Values of byte 0.
const CONSTANT: u8 = 0;
const RAW: u8 = 1;
const PACKED: u8 = 2;
const OVER_BED: u8 = 3;

/// Appends a plane of integers.
pub fn encode_ints(plane: &TileIntegers, out: &mut Vec<u8>) {
    if plane.iter().all(|cell| *cell == plane[0]) {
        out.push(CONSTANT);
        return out.extend(plane[0].to_le_bytes());
    }
    let holes = HoleSet::of(plane);
    let shift = numbers::shift(plane);
    // The shift loses bits only in cells outside, which `numbers::shift` does not count; `fill`
    // replaces their values.
    let mut cells = plane.map(|cell| cell >> shift);
    holes.fill(&mut cells);
    let groups = ResidualGroups::of(&cells);
    // 2: byte 0 and the shift. A form that is not shorter gives way to the raw one, so no plane has
    // more than `ENCODED_BYTES_MAX`.
    if 2 + holes.bytes() + groups.bytes() < ENCODED_BYTES_MAX {
        out.extend([PACKED, shift]);
        holes.put(out);
        groups.put(out);
    } else {
        out.push(RAW);
        out.extend(plane.iter().flat_map(|cell| cell.to_le_bytes()));
    }
}

/// Appends a plane of floats, by their bits.
pub fn encode_floats(plane: &TileFloats, out: &mut Vec<u8>) {
    encode_ints(&plane.map(numbers::ordered), out);
}

/// Appends a plane of depths over the beds of the same cells; [`decode_depth`] needs these beds.
pub fn encode_depth(depth: &TileIntegers, bed: &TileIntegers, out: &mut Vec<u8>) {
    let start = out.len();
    encode_ints(depth, out);
    let plain_bytes = out.len() - start;
    // A stage would be longer: the widths of its groups alone have so many bytes.
    if plain_bytes <= ResidualGroups::BYTES_MIN {
        return;
    }
    let Some(stage) = stage::over(bed, depth) else { return };
    let groups = ResidualGroups::of(&stage);
    if 1 + groups.bytes() < plain_bytes {
        out.truncate(start);
        out.push(OVER_BED);
        groups.put(out);
    }
}

/// Reads a plane of integers from all of `bytes`.
///
/// # Errors
///
/// An error if the bytes are not such a plane; `plane` then has arbitrary values.
pub fn decode_ints(bytes: &[u8], plane: &mut TileIntegers) -> Result<(), Corrupt> {
    let mut bytes = Bytes(bytes);
    match bytes.take_byte()? {
        OVER_BED => Err(Corrupt::NeedsBed),
        form => decode_form(form, bytes, plane),
    }
}

/// Reads a plane of floats from all of `bytes`.
///
/// # Errors
///
/// The errors of [`decode_ints`].
pub fn decode_floats(bytes: &[u8], plane: &mut TileFloats) -> Result<(), Corrupt> {
    let mut ints = [0; TILE_CELLS];
    decode_ints(bytes, &mut ints)?;
    *plane = ints.map(numbers::from_ordered);
    Ok(())
}

/// Reads a plane of depths from all of `bytes`, over the beds with which it was encoded.
///
/// # Errors
///
/// The errors of [`decode_ints`].
pub fn decode_depth(
    bytes: &[u8],
    bed: &TileIntegers,
    depth: &mut TileIntegers,
) -> Result<(), Corrupt> {
    let mut bytes = Bytes(bytes);
    match bytes.take_byte()? {
        OVER_BED => {
            groups::take(&mut bytes, depth)?;
            bytes.end()?;
            residuals::sum(depth);
            stage::take_off(bed, depth);
            Ok(())
        }
        form => decode_form(form, bytes, depth),
    }
}

/// Reads a plane of a form that needs no bed.
fn decode_form(form: u8, mut bytes: Bytes<'_>, plane: &mut TileIntegers) -> Result<(), Corrupt> {
    match form {
        CONSTANT => {
            plane.fill(i32::from_le_bytes(bytes.take_array()?));
            bytes.end()
        }
        RAW => {
            for cell in plane {
                *cell = i32::from_le_bytes(bytes.take_array()?);
            }
            bytes.end()
        }
        PACKED => {
            let shift = numbers::take_shift(&mut bytes)?;
            let holes = HoleSet::take(&mut bytes)?;
            groups::take(&mut bytes, plane)?;
            bytes.end()?;
            residuals::sum(plane);
            plane.iter_mut().for_each(|cell| *cell <<= shift);
            // After the shift, which would turn `OUTSIDE` into another number.
            holes.dig(plane);
            Ok(())
        }
        other => Err(Corrupt::Form(other)),
    }
}
