//! The bytes of a world file: constants, and records to and from bytes.
//!
//! ```text
//! 0        slot 0: the superblock of even generations
//! 4096     slot 1: that of odd ones
//! 8192     blocks of 4096 bytes: extents, each from a multiple of 64 on
//! ```
//!
//! All numbers are little-endian. `src/guide/format.md` says what each byte means and when it may
//! be trusted.

use crate::grid::TileKey;
use crate::store::key::{Key, Layer};
use crate::store::place::{Bounds, Generation, Place, PlaceRecord};
use xxhash_rust::xxh3::xxh3_64;

/// Bytes of a block: space is taken and given back by whole ones.
pub const BLOCK: u64 = 4096;
/// Extents begin at multiples of it, bytes.
pub const GRAIN: u64 = 64;
/// Where the superblocks stand.
pub const SLOTS: [u64; 2] = [0, BLOCK];
/// Bytes of a superblock.
pub const SLOT_BYTES: usize = 4096;
/// Where extents may begin.
pub const FIRST: u64 = 2 * BLOCK;
/// The first bytes of a superblock. A copy that went through a text filter is not taken for one.
pub const MAGIC: [u8; 8] = *b"\x89TLW\r\n\x1a\n";
/// The format that this build writes, and the newest that it reads.
pub const VERSION: u32 = 2;
/// The first format.
const VERSION_FIRST: u32 = 1;
/// The format whose superblocks began to say which commits are kept.
const VERSION_OF_KEPT: u32 = 2;
/// Bytes before what an extent holds.
pub const HEADER_BYTES: usize = 32;
/// Bytes that an extent of a layer holds at most.
pub const EXTENT_MAX: usize = 1 << 20;
/// Bytes of a key.
pub const KEY_BYTES: usize = 12;
/// Bytes of an entry of the directory.
pub const ENTRY_BYTES: usize = 40;
/// Entries of a page of the directory at most.
pub const PAGE_ENTRIES: usize = 128;
/// Bytes of the root of the directory at most, pages for 200 million extents, and of the list of
/// kept commits, 1.2 million of them.
pub const ROOT_MAX: usize = 64 << 20;

/// Bytes of a record of the list of kept commits.
pub const KEPT_BYTES: usize = 52;

/// Where a checksum stands in a superblock.
const SLOT_CHECKSUM: usize = SLOT_BYTES - 8;

/// Purpose of an extent: the first bytes of its header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The extent holds the content of a key.
    Layer,
    /// A page of the directory.
    Page,
    /// The root of the directory.
    Root,
    /// The list of kept commits.
    Kept,
}

impl Role {
    /// First bytes of the extent.
    #[must_use]
    pub fn magic(self) -> [u8; 4] {
        match self {
            Self::Layer => *b"TLWx",
            Self::Page => *b"TLWp",
            Self::Root => *b"TLWr",
            Self::Kept => *b"TLWk",
        }
    }

    /// Bytes that such an extent holds at most.
    #[must_use]
    pub fn most(self) -> usize {
        match self {
            Self::Layer => EXTENT_MAX,
            Self::Page => PAGE_ENTRIES * ENTRY_BYTES,
            Self::Root | Self::Kept => ROOT_MAX,
        }
    }
}

/// An entry of the directory: in a page, an extent; in the root, a page by its first key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Key of the extent.
    pub key: Key,
    /// Where it stands.
    pub place: Place,
}

/// Record that finds a commit, as the file says it: its number is checked, its places are not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Superblock {
    /// Number of the commit; those that follow each other differ by one.
    pub generation: Generation,
    /// Root of the directory.
    pub root: PlaceRecord,
    /// Extents in the directory.
    pub extents: u64,
    /// The list of kept commits, where there are any.
    pub kept: Option<PlaceRecord>,
    /// The format it was read from.
    pub version: u32,
}

/// Place that finds a directory, checked against the size of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Tree {
    /// Number of the commit.
    pub generation: Generation,
    /// Root of the directory.
    pub root: Place,
    /// Extents that the directory is said to have.
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
    /// Bytes of the record.
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

    /// Record of these bytes in the list of a commit; none where no such commit can be.
    #[must_use]
    pub fn check(bytes: &[u8; KEPT_BYTES], bounds: Bounds) -> Option<Self> {
        let mut reader = Reader(bytes);
        let (generation, label) = (reader.u64(), reader.u64());
        let (root, extents) = (reader.place(), reader.u64());
        let generation = Generation::of(generation).filter(|it| *it < bounds.generation)?;
        let root = root.check(Role::Root, Bounds { generation, ..bounds })?;
        Some(Self { label, tree: Tree { generation, root, extents } })
    }
}

/// Content of the bytes of a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    /// A superblock.
    Whole(Superblock),
    /// The slot begins as a superblock, but is not whole.
    Broken,
    /// The slot begins as a superblock of a newer format.
    Newer(u32),
    /// Nothing but zeros: nothing was ever written there.
    Empty,
    /// Nothing of ours.
    Foreign,
}

/// Reads numbers one after the other.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
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

/// Adds a key.
pub fn put_key(out: &mut Vec<u8>, key: Key) {
    out.extend([key.layer.number(), key.tile.level]);
    out.extend(key.part.to_le_bytes());
    out.extend(key.tile.x.to_le_bytes());
    out.extend(key.tile.y.to_le_bytes());
}

/// The key that these bytes are.
#[must_use]
pub fn key(bytes: &[u8; KEY_BYTES]) -> Key {
    Reader(bytes).key()
}

fn put_place(out: &mut Vec<u8>, place: PlaceRecord) {
    out.extend(place.offset.to_le_bytes());
    out.extend(place.length.to_le_bytes());
    out.extend(place.generation.to_le_bytes());
    out.extend(place.checksum.to_le_bytes());
}

/// Adds an entry.
pub fn put_entry(out: &mut Vec<u8>, entry: &Entry) {
    put_key(out, entry.key);
    put_place(out, entry.place.record());
}

/// The entry that these bytes are, of an extent of such a role; none where it cannot stand there.
#[must_use]
pub fn entry(bytes: &[u8; ENTRY_BYTES], role: Role, bounds: Bounds) -> Option<Entry> {
    let mut reader = Reader(bytes);
    let (key, place) = (reader.key(), reader.place());
    Some(Entry { key, place: place.check(role, bounds)? })
}

/// The header of an extent that holds `length` bytes.
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

/// The checksum of all that is checked.
#[must_use]
pub fn checksum(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}

impl Superblock {
    /// Slot of the superblock.
    #[must_use]
    pub fn slot(&self) -> u64 {
        SLOTS[usize::from(!self.generation.number().is_multiple_of(2))]
    }

    /// Bytes of the superblock.
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

/// Content of the bytes of slot 0 or 1.
#[must_use]
pub fn slot(number: usize, bytes: &[u8; SLOT_BYTES]) -> Slot {
    let mut reader = Reader(bytes);
    if reader.bytes() != MAGIC {
        return if bytes.iter().all(|&byte| byte == 0) { Slot::Empty } else { Slot::Foreign };
    }
    let (version, _) = (reader.u32(), reader.u32());
    if version > VERSION {
        return Slot::Newer(version);
    }
    let Some(generation) = Generation::of(reader.u64()) else { return Slot::Broken };
    let (root, extents, kept) = (reader.place(), reader.u64(), reader.place());
    let kept = (kept != PlaceRecord::NONE).then_some(kept);
    let block = Superblock { generation, root, extents, kept, version };
    let is_whole = Reader(&bytes[SLOT_CHECKSUM..]).u64() == checksum(&bytes[..SLOT_CHECKSUM]);
    // The first format has zeros there.
    let is_known = version >= VERSION_FIRST && (version >= VERSION_OF_KEPT || kept.is_none());
    let is_at_home = block.slot() == SLOTS[number];
    if is_whole && is_known && is_at_home { Slot::Whole(block) } else { Slot::Broken }
}
