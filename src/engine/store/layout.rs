//! The bytes of a world file: its constants.
//!
//! ```text
//! 0        slot 0: the superblock of even generations
//! 4096     slot 1: that of odd ones
//! 8192     blocks of 4096 bytes: extents, each from a multiple of 64 on
//! ```
//!
//! All numbers are little-endian. `src/guide/format.md` says what each byte means and when it may
//! be trusted.

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
pub const VERSION_FIRST: u32 = 1;
/// The format whose superblocks began to say which commits are kept.
pub const VERSION_OF_KEPT: u32 = 2;
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
pub const SLOT_CHECKSUM: usize = SLOT_BYTES - 8;

/// The number of the last commit a world can have: a thousand a second for two million years.
pub const GENERATION_MAX: u64 = 1 << 56;

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
