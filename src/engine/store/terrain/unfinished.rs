//! The progress of a terrain whose rows are being written.

use crate::store::terrain::head::UNFINISHED;
use crate::store::{Store, StoreError};
use crate::terrain::TerrainOptions;
use crate::units::VerticalScale;

/// The form that this build writes; a terrain in a different form is begun again.
const VERSION: u16 = 1;

/// Bytes before the note.
const BYTES: usize = 48;

/// The rows that have arrived, their range of beds, and the note of the caller.
///
/// Little-endian, from byte 0: version (u16), exponent of the vertical unit (u8), exponent of the
/// step of beds (u8), width and height (u32), cell width and datum (f64, m), rows from the north
/// (u32), lowest and highest bed in them (i32), cells with ground in them (u64); then the note.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Unfinished {
    pub options: TerrainOptions,
    pub rows: usize,
    pub low: i32,
    pub high: i32,
    pub inside: u64,
    pub note: String,
}

impl Unfinished {
    pub fn write(&self, store: &mut Store) -> Result<(), StoreError> {
        let TerrainOptions { width, height, cell_width_m, scale, bed_exponent } = self.options;
        let side = |count: usize| u32::try_from(count).expect("at most 2^20").to_le_bytes();
        let mut out = Vec::with_capacity(BYTES + self.note.len());
        out.extend(VERSION.to_le_bytes());
        out.extend([scale.exponent(), bed_exponent]);
        out.extend(side(width));
        out.extend(side(height));
        out.extend(cell_width_m.to_le_bytes());
        out.extend(scale.datum_m().to_le_bytes());
        out.extend(side(self.rows));
        out.extend(self.low.to_le_bytes());
        out.extend(self.high.to_le_bytes());
        out.extend(self.inside.to_le_bytes());
        out.extend(self.note.as_bytes());
        store.put(UNFINISHED, &out)
    }

    /// Returns the unfinished terrain of a store; `None` if it is missing, or in the form of a
    /// different build.
    pub fn read(store: &Store) -> Result<Option<Self>, StoreError> {
        let mut bytes = Vec::new();
        if !store.get(UNFINISHED, &mut bytes)? || !bytes.starts_with(&VERSION.to_le_bytes()) {
            return Ok(None);
        }
        let what = "it does not say how far the terrain has come";
        let damaged = || StoreError::Damaged { key: Some(UNFINISHED), what };
        Self::of_bytes(&bytes).ok_or_else(damaged).map(Some)
    }

    fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let (record, note) = bytes.split_first_chunk::<BYTES>()?;
        let four = |at: usize| record[at..].first_chunk().copied().expect("within the record");
        let eight = |at: usize| record[at..].first_chunk().copied().expect("within the record");
        let count = |at| usize::try_from(u32::from_le_bytes(four(at))).ok();
        let scale = VerticalScale::try_new(record[2], f64::from_le_bytes(eight(20))).ok()?;
        let (width, height) = (count(4)?, count(8)?);
        let cell_width_m = f64::from_le_bytes(eight(12));
        let bed_exponent = record[3];
        let options = TerrainOptions { width, height, cell_width_m, scale, bed_exponent };
        let rows = count(28)?;
        let inside = u64::from_le_bytes(eight(40));
        let is_sound =
            options.check().is_ok() && rows < height && inside <= rows as u64 * width as u64;
        is_sound.then_some(Self {
            options,
            rows,
            low: i32::from_le_bytes(four(32)),
            high: i32::from_le_bytes(four(36)),
            inside,
            note: String::from_utf8(note.to_vec()).ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::backend::memory::Memory;

    #[test]
    fn counts_that_no_rows_have_are_refused() {
        let scale = VerticalScale::try_new(20, 0.0).expect("a good scale");
        let options =
            TerrainOptions { width: 100, height: 80, cell_width_m: 1.0, scale, bed_exponent: 10 };
        for (inside, is_sound) in [(0, true), (700, true), (701, false), (u64::MAX, false)] {
            let note = "so far".to_owned();
            let written = Unfinished { options, rows: 7, low: -5, high: 9, inside, note };
            let mut store = Store::create_on(Box::new(Memory::default())).expect("memory");
            written.write(&mut store).expect("memory");
            let read = Unfinished::read(&store);
            assert_eq!(read.is_ok(), is_sound, "{inside} cells: {read:?}");
            assert!(read.is_err() || read.is_ok_and(|read| read == Some(written)));
        }
    }
}
