//! A directory of a TIFF as bytes: tags in order, then the values that do not fit an entry.
//!
//! Source: TIFF revision 6.0 (1992), section 2; BigTIFF: libtiff's specification.

/// Classic TIFF with offsets of 32 bits, or BigTIFF with 64.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TiffKind {
    /// Files below 4 GiB.
    Classic,
    /// Files of any size.
    Big,
}

impl TiffKind {
    /// Returns the header, with the place of the first directory.
    pub fn header(self, directory: u64) -> Vec<u8> {
        let mut bytes = b"II".to_vec();
        match self {
            Self::Classic => bytes.extend(42_u16.to_le_bytes()),
            Self::Big => bytes.extend([43, 0, 8, 0, 0, 0]),
        }
        bytes.extend(self.offset(directory));
        bytes
    }

    /// Bytes of the header.
    pub fn header_bytes(self) -> u64 {
        2 * self.offset_bytes()
    }

    /// Returns the bytes of an offset, and of the largest value that fits an entry.
    fn offset_bytes(self) -> u64 {
        if self == Self::Classic { 4 } else { 8 }
    }

    fn offset(self, at: u64) -> Vec<u8> {
        match self {
            // The writer chooses `Big` for files in which an offset might not fit.
            Self::Classic => (at & u64::from(u32::MAX)).to_le_bytes()[..4].to_vec(),
            Self::Big => at.to_le_bytes().to_vec(),
        }
    }
}

/// The value of a tag.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum TagValue {
    Text(String),
    Shorts(Vec<u16>),
    Longs(Vec<u32>),
    Doubles(Vec<f64>),
    Offsets(Vec<u64>),
}

impl TagValue {
    /// Returns type, number of values, and their bytes.
    fn encoded(&self, kind: TiffKind) -> (u16, usize, Vec<u8>) {
        match self {
            Self::Text(text) => {
                let bytes: Vec<u8> = text.bytes().filter(|&byte| byte != 0).chain([0]).collect();
                (2, bytes.len(), bytes)
            }
            Self::Shorts(all) => (3, all.len(), all.iter().flat_map(|v| v.to_le_bytes()).collect()),
            Self::Longs(all) => (4, all.len(), all.iter().flat_map(|v| v.to_le_bytes()).collect()),
            Self::Doubles(all) => {
                (12, all.len(), all.iter().flat_map(|v| v.to_le_bytes()).collect())
            }
            Self::Offsets(all) => {
                let number = if kind == TiffKind::Classic { 4 } else { 16 };
                (number, all.len(), all.iter().flat_map(|&at| kind.offset(at)).collect())
            }
        }
    }
}

/// A directory that is to be written.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct WrittenDirectory {
    tags: Vec<(u16, TagValue)>,
}

impl WrittenDirectory {
    /// Adds a tag.
    pub fn put(&mut self, tag: u16, value: TagValue) {
        let place = self.tags.partition_point(|(other, _)| *other < tag);
        self.tags.insert(place, (tag, value));
    }

    /// Adds a tag of one small number.
    pub fn put_short(&mut self, tag: u16, value: u16) {
        self.put(tag, TagValue::Shorts(vec![value]));
    }

    /// Returns the bytes of the directory and of all it names: a multiple of 8, for any offsets.
    pub fn bytes(&self, kind: TiffKind) -> u64 {
        self.encoded(kind, 0, 0).len() as u64
    }

    /// Returns the directory for a place in the file, a multiple of 8; `next` is the place of the
    /// next directory, 0 for the last.
    pub fn encoded(&self, kind: TiffKind, at: u64, next: u64) -> Vec<u8> {
        let room = kind.offset_bytes();
        let count = self.tags.len() as u64;
        let list = if kind == TiffKind::Classic { 2 + 12 * count } else { 8 + 20 * count } + room;
        let mut behind = at + list.next_multiple_of(8);
        let (mut directory, mut values) = (Vec::new(), Vec::new());
        match kind {
            TiffKind::Classic => directory.extend(&count.to_le_bytes()[..2]),
            TiffKind::Big => directory.extend(count.to_le_bytes()),
        }
        for (tag, value) in &self.tags {
            let (number, count, mut bytes) = value.encoded(kind);
            directory.extend(tag.to_le_bytes());
            directory.extend(number.to_le_bytes());
            directory.extend(kind.offset(count as u64));
            if bytes.len() as u64 <= room {
                bytes.resize(if kind == TiffKind::Classic { 4 } else { 8 }, 0);
                directory.extend(bytes);
            } else {
                directory.extend(kind.offset(behind));
                bytes.resize(bytes.len().next_multiple_of(8), 0);
                behind += bytes.len() as u64;
                values.extend(bytes);
            }
        }
        directory.extend(kind.offset(next));
        directory.resize(directory.len().next_multiple_of(8), 0);
        directory.extend(values);
        directory
    }
}
