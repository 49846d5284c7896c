//! Solids and the water among them as bytes and back: layer `Solids`.
//!
//! Form (1 byte), then five counts of 4 bytes (closed gaps, cells, faces, cells with state,
//! passages), then the lists one after the other; `src/guide/format.md` defines each byte.

use thalweg_engine::body::{Blocked, Covered, Solids};
use thalweg_engine::sim::solids::memory::{CellMemory, PassageMemory, SolidMemory};
use thalweg_engine::sim::solids::region::{key_of, place_of_key};
use thalweg_engine::store::codec::{Bytes, Corrupt};

/// The form that this build writes, and the newest that it reads.
const FORM: u8 = 1;

/// Bits of the NaN that represents no height.
const NO_HEIGHT: u64 = 0x7ff8_0000_0000_0000;

/// Returns the bytes of solids and of the state of the water among them.
pub fn solids_bytes(solids: &Solids, memory: &SolidMemory) -> Vec<u8> {
    let counts = [solids.cells.len(), solids.faces.len(), memory.cells.len()];
    let mut out = vec![FORM];
    out.extend(solids.closed_gaps.to_le_bytes());
    for count in counts.into_iter().chain([memory.passages.len()]) {
        let count = u32::try_from(count).expect("2³² cells at most");
        out.extend(count.to_le_bytes());
    }
    for Covered { place, share, low, high } in &solids.cells {
        out.extend(key_of(*place).to_le_bytes());
        out.extend(share.to_le_bytes());
        out.extend(low.to_le_bytes());
        out.extend(high.to_le_bytes());
    }
    for Blocked { axis, place, open, low, high, lead, speed } in &solids.faces {
        out.push(*axis);
        out.extend(key_of(*place).to_le_bytes());
        out.extend(open.to_le_bytes());
        for number in [low, high, lead, speed] {
            out.extend(number.to_le_bytes());
        }
    }
    for CellMemory { key, upper, head, surface, held, closed } in &memory.cells {
        out.extend(key.to_le_bytes());
        out.extend(upper.to_le_bytes());
        out.extend(held.to_le_bytes());
        out.push(*closed);
        for height in [head, surface] {
            out.extend(height.map_or(NO_HEIGHT, f64::to_bits).to_le_bytes());
        }
    }
    for PassageMemory { place: (key, axis, slot), q } in &memory.passages {
        out.extend(key.to_le_bytes());
        out.extend([*axis, *slot]);
        out.extend(q.to_le_bytes());
    }
    out
}

/// Returns the solids of the bytes, and the state of the water among them. The simulation checks
/// whether their numbers are valid.
///
/// # Errors
///
/// [`Corrupt`] if there are too few bytes or too many, or a form of a later build.
pub fn solids_of(bytes: &[u8]) -> Result<(Solids, SolidMemory), Corrupt> {
    let bytes = &mut Bytes(bytes);
    let form = bytes.take_byte()?;
    if form != FORM {
        return Err(Corrupt::Form(form));
    }
    let mut counts = [0; 5];
    for count in &mut counts {
        *count = unsigned(bytes)?;
    }
    let [closed_gaps, cells, faces, known, passages] = counts;
    let cells = list(bytes, cells, |bytes| {
        let place = place_of_key(key(bytes)?);
        let share = unsigned(bytes)?;
        Ok(Covered { place, share, low: signed(bytes)?, high: signed(bytes)? })
    })?;
    let faces = list(bytes, faces, |bytes| {
        let (axis, place) = (bytes.take_byte()?, place_of_key(key(bytes)?));
        let open = unsigned(bytes)?;
        let [low, high] = [signed(bytes)?, signed(bytes)?];
        let [lead, speed] = [signed(bytes)?, signed(bytes)?];
        Ok(Blocked { axis, place, open, low, high, lead, speed })
    })?;
    let remembered = list(bytes, known, |bytes| {
        let key = key(bytes)?;
        let [upper, held] = [signed(bytes)?, signed(bytes)?];
        let closed = bytes.take_byte()?;
        let [head, surface] = [height(bytes)?, height(bytes)?];
        Ok(CellMemory { key, upper, head, surface, held, closed })
    })?;
    let passages = list(bytes, passages, |bytes| {
        let place = (key(bytes)?, bytes.take_byte()?, bytes.take_byte()?);
        Ok(PassageMemory { place, q: f64::from_le_bytes(bytes.take_array()?) })
    })?;
    bytes.end()?;
    Ok((Solids { cells, faces, closed_gaps }, SolidMemory { cells: remembered, passages }))
}

/// Takes a list of `count` elements; it allocates no room before the bytes for it are found.
fn list<T>(
    bytes: &mut Bytes<'_>,
    count: u32,
    one: impl Fn(&mut Bytes<'_>) -> Result<T, Corrupt>,
) -> Result<Vec<T>, Corrupt> {
    (0..count).map(|_| one(bytes)).collect()
}

fn unsigned(bytes: &mut Bytes<'_>) -> Result<u32, Corrupt> {
    bytes.take_array().map(u32::from_le_bytes)
}

fn signed(bytes: &mut Bytes<'_>) -> Result<i32, Corrupt> {
    bytes.take_array().map(i32::from_le_bytes)
}

fn key(bytes: &mut Bytes<'_>) -> Result<u64, Corrupt> {
    bytes.take_array().map(u64::from_le_bytes)
}

fn height(bytes: &mut Bytes<'_>) -> Result<Option<f64>, Corrupt> {
    let bits = u64::from_le_bytes(bytes.take_array()?);
    Ok((bits != NO_HEIGHT).then_some(f64::from_bits(bits)))
}
