//! The first directory of a TIFF: its tags, and their values.
//!
//! Classic TIFF and BigTIFF, both byte orders. Values stay in the file until they are read.
//!
//! Guarantees: nothing is allocated for a length that exceeds the file.
//! Source:     TIFF revision 6.0 (1992), section 2; BigTIFF: libtiff's specification.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::tag;
use crate::error::RasterError;

/// Directories that are examined for a mask.
const DIRECTORIES_MAX: usize = 64;
/// Most tags a directory may have; real ones have about thirty.
const ENTRIES_MAX: u64 = 4096;
/// Longest text that is read, bytes.
const TEXT_MAX: u64 = 1 << 20;
/// Longest JPEG tables: four of each kind.
const BYTES_MAX: u64 = 1 << 16;
/// Most floats that are read: tie points and such.
const FLOATS_MAX: u64 = 4096;

/// Byte order of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TiffByteOrder {
    /// `II`: the lowest byte first.
    Little,
    /// `MM`: the highest byte first.
    Big,
}

impl TiffByteOrder {
    /// Returns the number in two bytes.
    fn short(self, bytes: &[u8]) -> u16 {
        let pair = [bytes[0], bytes[1]];
        match self {
            Self::Little => u16::from_le_bytes(pair),
            Self::Big => u16::from_be_bytes(pair),
        }
    }

    /// Returns the unsigned number in up to eight bytes.
    fn number(self, bytes: &[u8]) -> u64 {
        let join = |number, &byte| number << 8 | u64::from(byte);
        match self {
            Self::Little => bytes.iter().rev().fold(0, join),
            Self::Big => bytes.iter().fold(0, join),
        }
    }
}

/// One tag: kind, number and place of its values.
#[derive(Debug)]
struct TiffEntry {
    tag: u16,
    kind: u16,
    count: u64,
    /// The values themselves if they fit, else their offset.
    place: [u8; 8],
}

impl TiffEntry {
    /// Bytes of one value, by the kind's number in the specification.
    fn value_bytes(&self) -> Option<usize> {
        match self.kind {
            1 | 2 | 6 | 7 => Some(1),
            3 | 8 => Some(2),
            4 | 9 | 11 | 13 => Some(4),
            5 | 10 | 12 | 16 | 17 | 18 => Some(8),
            _ => None,
        }
    }
}

/// The first directory of a file.
#[derive(Debug)]
pub(super) struct TiffDirectory {
    file: Arc<File>,
    path: PathBuf,
    length: u64,
    order: TiffByteOrder,
    is_big: bool,
    entries: Vec<TiffEntry>,
    /// Place of the next directory; 0 after the last one.
    next: u64,
}

impl TiffDirectory {
    /// Reads the header and the list of tags.
    pub(super) fn read(path: &Path, file: Arc<File>) -> Result<Self, RasterError> {
        let length = file.metadata().map_err(|e| RasterError::io("read", path, e))?.len();
        let mut directory = Self {
            file,
            path: path.into(),
            length,
            order: TiffByteOrder::Little,
            is_big: false,
            entries: Vec::new(),
            next: 0,
        };
        let start = directory.bytes(0, 8, "header")?;
        directory.order = match &start[..2] {
            b"II" => TiffByteOrder::Little,
            b"MM" => TiffByteOrder::Big,
            _ => return Err(directory.damaged("does not begin like a TIFF (II or MM)")),
        };
        let offset = match directory.order.short(&start[2..4]) {
            42 => directory.order.number(&start[4..8]),
            43 => {
                let sizes =
                    (directory.order.short(&start[4..6]), directory.order.short(&start[6..8]));
                if sizes != (8, 0) {
                    return Err(directory.damaged("has a BigTIFF header of an unknown kind"));
                }
                directory.is_big = true;
                let place = directory.bytes(8, 8, "header")?;
                directory.order.number(&place)
            }
            version => {
                return Err(directory.damaged(&format!(
                    "does not begin like a TIFF (version {version}, not 42 or 43)"
                )));
            }
        };
        (directory.entries, directory.next) = directory.entries_at(offset)?;
        Ok(directory)
    }

    /// Returns the tags of a directory, and the place of the next one.
    fn entries_at(&self, offset: u64) -> Result<(Vec<TiffEntry>, u64), RasterError> {
        let (count_bytes, entry_bytes) = if self.is_big { (8, 20) } else { (2, 12) };
        let count = self.bytes(offset, count_bytes, "directory")?;
        let count = self.order.number(&count);
        if count == 0 || count > ENTRIES_MAX {
            return Err(self.damaged(&format!("its directory at byte {offset} has {count} tags")));
        }
        // The offset is within the file, so the sum is far from overflowing.
        let list = self.bytes(offset + count_bytes, count * entry_bytes, "directory")?;
        let half = if self.is_big { 8 } else { 4 };
        let entries = list
            .chunks_exact(4 + 2 * half)
            .map(|entry| {
                let mut place = [0; 8];
                place[..half].copy_from_slice(&entry[4 + half..]);
                TiffEntry {
                    tag: self.order.short(&entry[..2]),
                    kind: self.order.short(&entry[2..4]),
                    count: self.order.number(&entry[4..4 + half]),
                    place,
                }
            })
            .collect();
        let end = offset + count_bytes + count * entry_bytes;
        let next = self.bytes(end, half as u64, "directory").unwrap_or_default();
        Ok((entries, self.order.number(&next)))
    }

    /// Returns the later image of the file that marks the valid cells of the first one.
    pub(super) fn mask(&self) -> Option<Self> {
        let mut next = self.next;
        for _ in 0..DIRECTORIES_MAX {
            if next == 0 {
                break;
            }
            let Ok((entries, after)) = self.entries_at(next) else { break };
            let image = Self {
                file: Arc::clone(&self.file),
                path: self.path.clone(),
                entries,
                next: after,
                ..*self
            };
            // Bit 0 is a smaller copy, bit 2 a mask.
            if image
                .unsigned(tag::SUBFILE_TYPE)
                .is_ok_and(|kind| kind.unwrap_or(0) & 0b101 == 0b100)
            {
                return Some(image);
            }
            next = after;
        }
        None
    }

    /// Returns the byte order of the file.
    pub(super) fn order(&self) -> TiffByteOrder {
        self.order
    }

    /// Returns the length of the file, bytes.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Returns the number of values of a tag; 0 if it is missing.
    pub(super) fn count(&self, tag: u16) -> u64 {
        self.find(tag).map_or(0, |entry| entry.count)
    }

    /// Returns the first value of a tag of whole numbers.
    pub(super) fn unsigned(&self, tag: u16) -> Result<Option<u64>, RasterError> {
        Ok(self.unsigneds(tag, u64::MAX, 1)?.and_then(|values| values.first().copied()))
    }

    /// Returns up to `take` values of a tag of whole numbers that has at most `most`.
    pub(super) fn unsigneds(
        &self,
        tag: u16,
        most: u64,
        take: u64,
    ) -> Result<Option<Vec<u64>>, RasterError> {
        let Some(entry) = self.find(tag) else {
            return Ok(None);
        };
        if !matches!(entry.kind, 1 | 3 | 4 | 13 | 16 | 18) {
            return Err(self.wrong_kind(entry));
        }
        let bytes = self.values(entry, most, take)?;
        let size = entry.value_bytes().unwrap_or(1);
        let number = |value| self.order.number(value);
        Ok(Some(bytes.chunks_exact(size).map(number).collect()))
    }

    /// Returns the values of a tag of floats.
    pub(super) fn floats(&self, tag: u16) -> Result<Option<Vec<f64>>, RasterError> {
        let Some(entry) = self.find(tag) else {
            return Ok(None);
        };
        let bytes = self.values(entry, FLOATS_MAX, FLOATS_MAX)?;
        let double = |value: &[u8]| f64::from_bits(self.order.number(value));
        let single = |value: &[u8]| {
            let bits = u32::try_from(self.order.number(value)).expect("four bytes");
            f64::from(f32::from_bits(bits))
        };
        match entry.kind {
            11 => Ok(Some(bytes.chunks_exact(4).map(single).collect())),
            12 => Ok(Some(bytes.chunks_exact(8).map(double).collect())),
            _ => Err(self.wrong_kind(entry)),
        }
    }

    /// Returns the bytes of a tag that is no number.
    pub(super) fn opaque(&self, tag: u16) -> Result<Option<Vec<u8>>, RasterError> {
        match self.find(tag) {
            None => Ok(None),
            Some(entry) if matches!(entry.kind, 1 | 7) => {
                self.values(entry, BYTES_MAX, BYTES_MAX).map(Some)
            }
            Some(entry) => Err(self.wrong_kind(entry)),
        }
    }

    /// Returns the text of a tag, up to its first NUL; a byte that is not printable ASCII becomes
    /// `?`.
    pub(super) fn text(&self, tag: u16) -> Result<Option<String>, RasterError> {
        let printable = |&byte: &u8| match byte {
            b' '..=b'~' => char::from(byte),
            _ => '?',
        };
        Ok(self.letters(tag)?.map(|text| text.iter().map(printable).collect()))
    }

    /// Returns the text of a tag in UTF-8, up to its first NUL.
    pub(super) fn utf8(&self, tag: u16) -> Result<Option<String>, RasterError> {
        let text = |letters: Vec<u8>| String::from_utf8_lossy(&letters).into_owned();
        Ok(self.letters(tag)?.map(text))
    }

    /// Returns the bytes of a text, up to its first NUL.
    fn letters(&self, tag: u16) -> Result<Option<Vec<u8>>, RasterError> {
        let Some(entry) = self.find(tag) else {
            return Ok(None);
        };
        if entry.kind != 2 {
            return Err(self.wrong_kind(entry));
        }
        let mut bytes = self.values(entry, TEXT_MAX, TEXT_MAX)?;
        let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
        bytes.truncate(end);
        Ok(Some(bytes))
    }

    fn find(&self, tag: u16) -> Option<&TiffEntry> {
        self.entries.iter().find(|entry| entry.tag == tag)
    }

    /// Returns the bytes of the first `take` of at most `most` values.
    fn values(&self, entry: &TiffEntry, most: u64, take: u64) -> Result<Vec<u8>, RasterError> {
        let tag = entry.tag;
        let size = entry.value_bytes().ok_or_else(|| self.wrong_kind(entry))?;
        if entry.count > most {
            return Err(self.damaged(&format!(
                "tag {tag} has {} values, at most {most} make sense",
                entry.count
            )));
        }
        let room = if self.is_big { 8 } else { 4 };
        let Some(total) = entry.count.checked_mul(size as u64) else {
            return Err(self.damaged(&format!("tag {tag} has {} values", entry.count)));
        };
        let wanted = entry.count.min(take) * size as u64;
        if total <= room {
            return Ok(entry.place[..saturate(wanted)].to_vec());
        }
        let offset = self.order.number(&entry.place[..saturate(room)]);
        self.bytes(offset, wanted, &format!("tag {tag}"))
    }

    /// Reads `count` bytes from `offset`, which the file must have.
    fn bytes(&self, offset: u64, count: u64, place: &str) -> Result<Vec<u8>, RasterError> {
        if offset.checked_add(count).is_none_or(|end| end > self.length) {
            return Err(self.damaged(&format!(
                "its {place} ({count} bytes from byte {offset}) lies beyond the end at byte {}: \
                 the file is truncated or damaged, fetch it again",
                self.length
            )));
        }
        let mut bytes = vec![0; saturate(count)];
        let mut file: &File = &self.file;
        file.seek(SeekFrom::Start(offset))
            .and_then(|_| file.read_exact(&mut bytes))
            .map_err(|e| RasterError::reading(&self.path, place, e))?;
        Ok(bytes)
    }

    fn wrong_kind(&self, entry: &TiffEntry) -> RasterError {
        let (tag, kind) = (entry.tag, entry.kind);
        self.damaged(&format!("tag {tag} has values of type {kind}, which it cannot have"))
    }

    fn damaged(&self, what: &str) -> RasterError {
        RasterError::damaged(&self.path, what)
    }
}

/// Converts a length in the file to a length in memory.
fn saturate(length: u64) -> usize {
    usize::try_from(length).unwrap_or(usize::MAX)
}
