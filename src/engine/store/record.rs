//! Records of a world file, to and from bytes.

use crate::grid::TileKey;
use crate::store::key::{Key, Layer};
use crate::store::layout::{
    ENTRY_BYTES, HEADER_BYTES, KEPT_BYTES, KEY_BYTES, MAGIC, Role, SLOT_BYTES, SLOT_CHECKSUM,
    SLOTS, VERSION, VERSION_FIRST, VERSION_OF_KEPT,
};
use crate::store::place::{ExtentPlace, Generation, PlaceBounds, PlaceRecord};
use xxhash_rust::xxh3::xxh3_64;

/// An entry of the directory: in a page, an extent; in the root, a page by its first key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyEntry {
    /// Key of the extent.
    pub key: Key,
    /// Place of the extent.
    pub place: ExtentPlace,
}

/// Record that finds a commit, as read from the file: its number is checked, its places are not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Superblock {
    /// Number of the commit; consecutive commits differ by one.
    pub generation: Generation,
    /// Root of the directory.
    pub root: PlaceRecord,
    /// Extents in the directory.
    pub extents: u64,
    /// Place of the list of kept commits, if any are kept.
    pub kept: Option<PlaceRecord>,
    /// The format in which the superblock was read.
    pub version: u32,
}

/// Place that finds a directory, checked against the size of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Tree {
    /// Number of the commit.
    pub generation: Generation,
    /// Root of the directory.
    pub root: ExtentPlace,
    /// Number of extents in the directory, as recorded in the file.
    pub extents: u64,
}

/// A commit that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeptRecord {
    /// Label of the commit.
    pub label: u64,
    /// Place of the directory.
    pub tree: Tree,
}

impl KeptRecord {
    /// Returns the bytes of the record.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(KEPT_BYTES);
        let Tree { generation, root, extents } = self.tree;
        out.extend(generation.number().to_le_bytes());
        out.extend(self.label.to_le_bytes());
        put_place(&mut out, root.record());
        out.extend(extents.to_le_bytes());
        out
    }

    /// Returns the record of these bytes in the list of a commit; `None` if it is invalid.
    #[must_use]
    pub fn check(bytes: &[u8; KEPT_BYTES], bounds: PlaceBounds) -> Option<Self> {
        let mut reader = RecordReader(bytes);
        let (generation, label) = (reader.u64(), reader.u64());
        let (root, extents) = (reader.place(), reader.u64());
        let generation = Generation::of(generation).filter(|it| *it < bounds.generation)?;
        let root = root.check(Role::Root, PlaceBounds { generation, ..bounds })?;
        Some(Self { label, tree: Tree { generation, root, extents } })
    }
}

/// Content of the bytes of a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuperblockSlot {
    /// A superblock.
    Whole(Superblock),
    /// The slot begins as a superblock, but is not whole.
    Broken,
    /// The slot begins as a superblock of a newer format.
    Newer(u32),
    /// Only zeros: nothing was ever written.
    Empty,
    /// Bytes that are not of this format.
    Foreign,
}

/// Reads numbers one after another.
struct RecordReader<'a>(&'a [u8]);

impl RecordReader<'_> {
    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let (head, rest) = self.0.split_first_chunk().expect("records have all their bytes");
        self.0 = rest;
        *head
    }

    fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.bytes())
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.bytes())
    }

    fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.bytes())
    }

    fn key(&mut self) -> Key {
        let [layer, level] = self.bytes();
        let (part, x, y) = (self.u16(), self.u32(), self.u32());
        Key { layer: Layer::of(layer), tile: TileKey { level, x, y }, part }
    }

    fn place(&mut self) -> PlaceRecord {
        PlaceRecord {
            offset: self.u64(),
            length: self.u32(),
            generation: self.u64(),
            checksum: self.u64(),
        }
    }
}

/// Appends a key.
pub fn put_key(out: &mut Vec<u8>, key: Key) {
    out.extend([key.layer.number(), key.tile.level]);
    out.extend(key.part.to_le_bytes());
    out.extend(key.tile.x.to_le_bytes());
    out.extend(key.tile.y.to_le_bytes());
}

/// Returns the key of these bytes.
#[must_use]
pub fn key(bytes: &[u8; KEY_BYTES]) -> Key {
    RecordReader(bytes).key()
}

fn put_place(out: &mut Vec<u8>, place: PlaceRecord) {
    out.extend(place.offset.to_le_bytes());
    out.extend(place.length.to_le_bytes());
    out.extend(place.generation.to_le_bytes());
    out.extend(place.checksum.to_le_bytes());
}

/// Appends an entry.
pub fn put_entry(out: &mut Vec<u8>, entry: &KeyEntry) {
    put_key(out, entry.key);
    put_place(out, entry.place.record());
}

/// Returns the entry of these bytes, for an extent of such a role; `None` if its place is invalid.
#[must_use]
pub fn entry(bytes: &[u8; ENTRY_BYTES], role: Role, bounds: PlaceBounds) -> Option<KeyEntry> {
    let mut reader = RecordReader(bytes);
    let (key, place) = (reader.key(), reader.place());
    Some(KeyEntry { key, place: place.check(role, bounds)? })
}

/// Returns the header of an extent with `length` bytes of content.
#[must_use]
pub fn header(role: Role, key: Key, generation: Generation, length: u32) -> Vec<u8> {
    let mut out = Vec::with_capacity(HEADER_BYTES + length as usize);
    out.extend(role.magic());
    out.extend(length.to_le_bytes());
    out.extend(generation.number().to_le_bytes());
    put_key(&mut out, key);
    out.extend([0; 4]);
    out
}

/// Returns the checksum of some bytes.
#[must_use]
pub fn checksum(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}

impl Superblock {
    /// Returns the offset of the superblock's slot.
    #[must_use]
    pub fn slot(&self) -> u64 {
        SLOTS[usize::from(!self.generation.number().is_multiple_of(2))]
    }

    /// Returns the bytes of the superblock.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(SLOT_BYTES);
        out.extend(MAGIC);
        out.extend(VERSION.to_le_bytes());
        out.extend([0; 4]);
        out.extend(self.generation.number().to_le_bytes());
        put_place(&mut out, self.root);
        out.extend(self.extents.to_le_bytes());
        put_place(&mut out, self.kept.unwrap_or(PlaceRecord::NONE));
        out.resize(SLOT_CHECKSUM, 0);
        out.extend(checksum(&out).to_le_bytes());
        out
    }
}

/// Returns the content of the bytes of slot 0 or 1.
#[must_use]
pub fn slot(number: usize, bytes: &[u8; SLOT_BYTES]) -> SuperblockSlot {
    let mut reader = RecordReader(bytes);
    if reader.bytes() != MAGIC {
        return if bytes.iter().all(|&byte| byte == 0) {
            SuperblockSlot::Empty
        } else {
            SuperblockSlot::Foreign
        };
    }
    let (version, _) = (reader.u32(), reader.u32());
    // The version counts before the checksum: all that follows it is for a newer format to decide,
    // and the user is told to take a newer build, not that the file is broken.
    if version > VERSION {
        return SuperblockSlot::Newer(version);
    }
    let Some(generation) = Generation::of(reader.u64()) else { return SuperblockSlot::Broken };
    let (root, extents, kept) = (reader.place(), reader.u64(), reader.place());
    let kept = (kept != PlaceRecord::NONE).then_some(kept);
    let block = Superblock { generation, root, extents, kept, version };
    let is_whole = RecordReader(&bytes[SLOT_CHECKSUM..]).u64() == checksum(&bytes[..SLOT_CHECKSUM]);
    // The first format has zeros in place of the list of kept commits.
    let is_known = version >= VERSION_FIRST && (version >= VERSION_OF_KEPT || kept.is_none());
    // If the newest superblock were in the other slot, the next commit would overwrite it.
    let is_at_home = block.slot() == SLOTS[number];
    if is_whole && is_known && is_at_home {
        SuperblockSlot::Whole(block)
    } else {
        SuperblockSlot::Broken
    }
}
