//! Planes one after the other in an extent: each a count of bytes, then the plane.

use thalweg_engine::store::codec::{
    Bytes, Corrupt, TileFloats, TileIntegers, decode_depth, decode_floats, decode_ints,
    encode_depth, encode_floats, encode_ints,
};
use thalweg_engine::tile::CowPlane;

/// Returns the 4096 cells of a plane.
fn cells<T>(plane: &[T]) -> &[T; 4096] {
    plane.try_into().expect("a plane has 64 × 64 cells")
}

/// Appends bytes, with their count before them.
fn put_counted(out: &mut Vec<u8>, put: impl FnOnce(&mut Vec<u8>)) {
    let at = out.len();
    out.extend([0; 4]);
    put(out);
    let count = u32::try_from(out.len() - at - 4).expect("a plane of 16 KiB");
    out[at..at + 4].copy_from_slice(&count.to_le_bytes());
}

fn take_counted<'a>(bytes: &mut Bytes<'a>) -> Result<&'a [u8], Corrupt> {
    let count = u32::from_le_bytes(bytes.take_array()?);
    bytes.take(count as usize)
}

/// Appends a plane of integers.
pub fn put_ints(out: &mut Vec<u8>, plane: &[i32]) {
    put_counted(out, |out| encode_ints(cells(plane), out));
}

/// Appends a plane of floats.
pub fn put_floats(out: &mut Vec<u8>, plane: &[f32]) {
    put_counted(out, |out| encode_floats(cells(plane), out));
}

/// Appends depths over the beds of the same cells.
pub fn put_depth(out: &mut Vec<u8>, depth: &[i32], bed: &[i32]) {
    put_counted(out, |out| encode_depth(cells(depth), cells(bed), out));
}

/// Appends a plane of 64 bits as two: the low halves, then the high ones.
pub fn put_wide(out: &mut Vec<u8>, plane: impl Iterator<Item = u64> + Clone) {
    #[expect(clippy::cast_possible_truncation, reason = "one half of two")]
    let half = |shift: u32| -> Vec<i32> {
        plane.clone().map(|cell| ((cell >> shift) as u32).cast_signed()).collect()
    };
    put_ints(out, &half(0));
    put_ints(out, &half(32));
}

/// Takes a plane of integers.
pub fn take_ints(bytes: &mut Bytes<'_>) -> Result<CowPlane<i32>, Corrupt> {
    let mut plane: TileIntegers = [0; 4096];
    decode_ints(take_counted(bytes)?, &mut plane)?;
    Ok(plane.as_slice().into())
}

/// Takes a plane of floats.
pub fn take_floats(bytes: &mut Bytes<'_>) -> Result<CowPlane<f32>, Corrupt> {
    let mut plane: TileFloats = [0.0; 4096];
    decode_floats(take_counted(bytes)?, &mut plane)?;
    Ok(plane.as_slice().into())
}

/// Takes depths over the beds that they were appended with.
pub fn take_depth(bytes: &mut Bytes<'_>, bed: &[i32]) -> Result<CowPlane<i32>, Corrupt> {
    let mut plane: TileIntegers = [0; 4096];
    decode_depth(take_counted(bytes)?, cells(bed), &mut plane)?;
    Ok(plane.as_slice().into())
}

/// Takes a plane of 64 bits.
pub fn take_wide(bytes: &mut Bytes<'_>) -> Result<Vec<u64>, Corrupt> {
    let (low, high) = (take_ints(bytes)?, take_ints(bytes)?);
    let join = |(low, high): (&i32, &i32)| {
        u64::from(high.cast_unsigned()) << 32 | u64::from(low.cast_unsigned())
    };
    Ok(low.iter().zip(&high).map(join).collect())
}
