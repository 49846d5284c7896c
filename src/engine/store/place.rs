//! Numbers of commits and places of extents: types that are only created by a check.
//!
//! Numbers in a file make a *record*, which is not trusted: a checksum shows that bytes are as they
//! were written, not that they are harmless. A [`Generation`] is made by a check of its range, an
//! [`ExtentPlace`] by a check against the kind of extent, the commit that names it and the size of
//! the file, or by a write. So no number of a file is used as an offset, a length or a generation
//! before it has been checked.
//!
//! Guarantees: forged superblocks, lists and pages with sound checksums are refused or do no harm
//!             (`tests/store/forged.rs`).

use crate::store::StoreError;
use crate::store::layout::{FIRST, GENERATION_MAX, GRAIN, HEADER_BYTES, Role};

/// The number of a commit: 1 to 2⁵⁶.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Generation(u64);

impl Generation {
    /// The number of the first commit of a world.
    pub const FIRST: Self = Self(1);

    /// Returns the generation of this number; `None` if it is out of range.
    #[must_use]
    pub fn of(number: u64) -> Option<Self> {
        (1..=GENERATION_MAX).contains(&number).then_some(Self(number))
    }

    /// Returns the number of the generation.
    #[must_use]
    pub fn number(self) -> u64 {
        self.0
    }

    /// Returns the generation `count` commits later.
    ///
    /// # Errors
    ///
    /// [`StoreError::LastCommit`] if it is out of range.
    pub fn after(self, count: u64) -> Result<Self, StoreError> {
        self.0.checked_add(count).and_then(Self::of).ok_or(StoreError::LastCommit)
    }
}

/// A place as it is written in a file, unchecked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlaceRecord {
    /// Offset of the header of the extent, bytes.
    pub offset: u64,
    /// Bytes of content, without the header.
    pub length: u32,
    /// The commit that wrote it.
    pub generation: u64,
    /// Checksum of header and content.
    pub checksum: u64,
}

/// Bounds against which a place is checked.
#[derive(Debug, Clone, Copy)]
pub struct PlaceBounds {
    /// The commit that contains the place.
    pub generation: Generation,
    /// Bytes of the file.
    pub size: u64,
}

/// A commit that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeldCommit {
    /// Number of the commit.
    pub generation: Generation,
    /// Commit with this guarantee: while it or the next one is the newest in the file, the extents
    /// are not overwritten. `None` if they are never overwritten while they are read.
    pub safe_to: Option<Generation>,
}

impl HeldCommit {
    /// Whether the extents may have been overwritten in a file whose newest commit is `newest`.
    #[must_use]
    pub fn may_be_overtaken_by(self, newest: Generation) -> bool {
        // Extents that commit g + 1 replaces are overwritten only after commit g + 2: one may
        // follow.
        self.safe_to.is_some_and(|safe_to| newest.number() > safe_to.number() + 1)
    }
}

/// The place of an extent within a file, and the numbers that identify the extent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ExtentPlace {
    offset: u64,
    length: u32,
    generation: Generation,
    checksum: u64,
}

impl PlaceRecord {
    /// The record of no place.
    pub const NONE: Self = Self { offset: 0, length: 0, generation: 0, checksum: 0 };

    /// Returns the place if it is valid for an extent of such a role in this commit: behind the
    /// superblocks, at a multiple of 64 bytes, within the file, no longer than its role allows, and
    /// of this commit or one before it. A root must be of the commit itself.
    #[must_use]
    pub fn check(self, role: Role, bounds: PlaceBounds) -> Option<ExtentPlace> {
        let Self { offset, length, generation, checksum } = self;
        let generation = Generation::of(generation)?;
        // A forged offset close to 2⁶⁴ must not wrap to an end within the file.
        let end = offset.checked_add(HEADER_BYTES as u64 + u64::from(length))?;
        let is_of_its_time = match role {
            Role::Root => generation == bounds.generation,
            Role::Layer | Role::Page | Role::Kept => generation <= bounds.generation,
        };
        let may_be = offset >= FIRST
            && offset.is_multiple_of(GRAIN)
            && end <= bounds.size
            && length as usize <= role.most()
            && is_of_its_time;
        may_be.then_some(ExtentPlace { offset, length, generation, checksum })
    }
}

impl ExtentPlace {
    /// Returns the place of an extent that this process writes.
    ///
    /// # Panics
    ///
    /// If no extent can begin at `offset`.
    #[must_use]
    pub fn of_written(offset: u64, length: u32, generation: Generation, checksum: u64) -> Self {
        assert!(offset >= FIRST && offset.is_multiple_of(GRAIN), "space gives places of extents");
        Self { offset, length, generation, checksum }
    }

    /// Returns the record of the place in a file.
    #[must_use]
    pub fn record(self) -> PlaceRecord {
        let Self { offset, length, generation, checksum } = self;
        PlaceRecord { offset, length, generation: generation.number(), checksum }
    }

    /// Returns the offset of the header, bytes.
    #[must_use]
    pub fn offset(self) -> u64 {
        self.offset
    }

    /// Returns the bytes of content, without the header.
    #[must_use]
    pub fn length(self) -> u32 {
        self.length
    }

    /// Returns the commit that wrote the extent.
    #[must_use]
    pub fn generation(self) -> Generation {
        self.generation
    }

    /// Returns the checksum of header and content.
    #[must_use]
    pub fn checksum(self) -> u64 {
        self.checksum
    }

    /// Returns the bytes in the file, including the header.
    #[must_use]
    pub fn bytes(self) -> u64 {
        HEADER_BYTES as u64 + u64::from(self.length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_checked_against_role_commit_and_size() {
        let bounds = PlaceBounds { generation: Generation(7), size: 1 << 20 };
        let good = PlaceRecord { offset: 8192, length: 40, generation: 7, checksum: 3 };
        let place = good.check(Role::Root, bounds).expect("a place");
        assert_eq!((place.record(), place.bytes()), (good, 72));
        let older = PlaceRecord { generation: 6, ..good };
        assert!(older.check(Role::Page, bounds).is_some());
        assert!(older.check(Role::Root, bounds).is_none(), "a root is of its own commit");
        for bad in [
            PlaceRecord { offset: 0, ..good },
            PlaceRecord { offset: 8128, ..good },
            PlaceRecord { offset: 8193, ..good },
            PlaceRecord { offset: u64::MAX - 63, ..good },
            PlaceRecord { offset: (1 << 20) - 64, ..good },
            PlaceRecord { length: u32::MAX, ..good },
            PlaceRecord { length: 5121, ..good },
            PlaceRecord { generation: 0, ..good },
            PlaceRecord { generation: 8, ..good },
            PlaceRecord { generation: u64::MAX, ..good },
            PlaceRecord::NONE,
        ] {
            assert_eq!(bad.check(Role::Page, bounds), None, "{bad:?}");
        }
    }

    #[test]
    fn no_commit_follows_the_last() {
        let last = Generation::of(GENERATION_MAX).expect("the last");
        assert!(matches!(last.after(1), Err(StoreError::LastCommit)));
        assert!(Generation::of(0).is_none() && Generation::of(GENERATION_MAX + 1).is_none());
        assert_eq!(Generation::FIRST.after(GENERATION_MAX - 1).ok(), Some(last));
    }
}
