//! The bytes of a world file: its constants.
//!
//! ```text
//! 0        slot 0: the superblock of even generations
//! 4096     slot 1: that of odd ones
//! 8192     blocks of 4096 bytes: extents, each from a multiple of 64 on
//! ```
//!
//! All numbers are little-endian. `src/guide/format.md` describes each byte and when it may be
//! trusted.

/// Bytes of a block: space is taken and freed in whole blocks.
pub const BLOCK: u64 = 4096;
/// Extents begin at multiples of this number of bytes.
pub const GRAIN: u64 = 64;
/// Offsets of the superblocks.
pub const SLOTS: [u64; 2] = [0, BLOCK];
/// Bytes of a superblock.
pub const SLOT_BYTES: usize = 4096;
/// Smallest offset of an extent.
pub const FIRST: u64 = 2 * BLOCK;
/// The first bytes of a superblock. A copy that went through a text filter is not mistaken for one.
// As in PNG: a channel of 7 bits clears the top bit of 0x89, a conversion of line ends changes
// `\r\n` or `\n`, and 0x1a ends a text under DOS.
pub const MAGIC: [u8; 8] = *b"\x89TLW\r\n\x1a\n";
/// The format that this build writes, and the newest that it reads.
pub const VERSION: u32 = 2;
/// The first format.
pub const VERSION_FIRST: u32 = 1;
/// The first format whose superblocks list the kept commits.
pub const VERSION_OF_KEPT: u32 = 2;
/// Bytes of an extent before its content.
pub const HEADER_BYTES: usize = 32;
/// Most bytes of content of an extent of a layer.
// The largest part of tables fits: 39 planes of 16,389 bytes, 0.61 MiB. A reader takes the memory
// of an extent before it reads it: a forged length costs no more than this.
pub const EXTENT_MAX: usize = 1 << 20;
/// Bytes of a key.
pub const KEY_BYTES: usize = 12;
/// Bytes of an entry of the directory.
pub const ENTRY_BYTES: usize = 40;
/// Most entries of a page of the directory.
pub const PAGE_ENTRIES: usize = 128;
/// Most bytes of the root of the directory, pages for 200 million extents, and of the list of kept
/// commits, 1.2 million of them.
pub const ROOT_MAX: usize = 64 << 20;

/// Bytes of a record of the list of kept commits.
pub const KEPT_BYTES: usize = 52;

/// Offset of the checksum in a superblock.
pub const SLOT_CHECKSUM: usize = SLOT_BYTES - 8;

/// The largest number of a commit: a thousand a second for two million years.
pub const GENERATION_MAX: u64 = 1 << 56;

/// Purpose of an extent: the first bytes of its header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The extent has the content of a key.
    Layer,
    /// A page of the directory.
    Page,
    /// The root of the directory.
    Root,
    /// The list of kept commits.
    Kept,
}

impl Role {
    /// Returns the first bytes of the extent.
    #[must_use]
    pub fn magic(self) -> [u8; 4] {
        match self {
            Self::Layer => *b"TLWx",
            Self::Page => *b"TLWp",
            Self::Root => *b"TLWr",
            Self::Kept => *b"TLWk",
        }
    }

    /// Returns the most bytes of content of such an extent.
    #[must_use]
    pub fn most(self) -> usize {
        match self {
            Self::Layer => EXTENT_MAX,
            Self::Page => PAGE_ENTRIES * ENTRY_BYTES,
            Self::Root | Self::Kept => ROOT_MAX,
        }
    }
}
