//! Numbers of commits and places of extents: types that only a check gives.
//!
//! Numbers in a file make a *record*, which is not trusted: a checksum shows that bytes are those
//! that somebody wrote, not that he meant well. A [`Generation`] comes out of a check of its range,
//! a [`Place`] out of a check against the kind of extent, the commit that names it and the size of
//! the file, or out of a write. So no number of a file is an offset, a length or a generation
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
    /// That of the first commit of a world.
    pub const FIRST: Self = Self(1);

    /// The one of this number; none where no commit has it.
    #[must_use]
    pub fn of(number: u64) -> Option<Self> {
        (1..=GENERATION_MAX).contains(&number).then_some(Self(number))
    }

    /// Number of the generation.
    #[must_use]
    pub fn number(self) -> u64 {
        self.0
    }

    /// The one that comes `count` commits later.
    ///
    /// # Errors
    ///
    /// [`StoreError::LastCommit`] where there is none.
    pub fn after(self, count: u64) -> Result<Self, StoreError> {
        self.0.checked_add(count).and_then(Self::of).ok_or(StoreError::LastCommit)
    }
}

/// A place as a file says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlaceRecord {
    /// Where the header of the extent begins, bytes.
    pub offset: u64,
    /// Bytes that it holds, without its header.
    pub length: u32,
    /// The commit that wrote it.
    pub generation: u64,
    /// Checksum of header and content.
    pub checksum: u64,
}

/// Bounds against which a place is checked.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// The commit that names it.
    pub generation: Generation,
    /// Bytes of the file.
    pub size: u64,
}

/// A commit that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// Number of the commit.
    pub generation: Generation,
    /// The commit up to the next of which nothing of what is read has been written over; none where
    /// nothing will be while it is read.
    pub safe_to: Option<Generation>,
}

impl Held {
    /// Whether a file whose newest commit is this may have been written over where it is read.
    #[must_use]
    pub fn may_be_overtaken_by(self, newest: Generation) -> bool {
        self.safe_to.is_some_and(|safe_to| newest.number() > safe_to.number() + 1)
    }
}

/// Where an extent stands within a file, and how to identify it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Place {
    offset: u64,
    length: u32,
    generation: Generation,
    checksum: u64,
}

impl PlaceRecord {
    /// The record of no place.
    pub const NONE: Self = Self { offset: 0, length: 0, generation: 0, checksum: 0 };

    /// The place, if an extent of such a role can stand there that this commit names: behind the
    /// superblocks, at a multiple of 64 bytes, within the file, no longer than its role allows, and
    /// of this commit or one before it. A root is of its own commit.
    #[must_use]
    pub fn check(self, role: Role, bounds: Bounds) -> Option<Place> {
        let Self { offset, length, generation, checksum } = self;
        let generation = Generation::of(generation)?;
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
        may_be.then_some(Place { offset, length, generation, checksum })
    }
}

impl Place {
    /// Where an extent is written.
    ///
    /// # Panics
    ///
    /// If `offset` is none of an extent.
    #[must_use]
    pub fn of_written(offset: u64, length: u32, generation: Generation, checksum: u64) -> Self {
        assert!(offset >= FIRST && offset.is_multiple_of(GRAIN), "space gives places of extents");
        Self { offset, length, generation, checksum }
    }

    /// Record of the place in a file.
    #[must_use]
    pub fn record(self) -> PlaceRecord {
        let Self { offset, length, generation, checksum } = self;
        PlaceRecord { offset, length, generation: generation.number(), checksum }
    }

    /// Where its header begins, bytes.
    #[must_use]
    pub fn offset(self) -> u64 {
        self.offset
    }

    /// Bytes that it holds, without its header.
    #[must_use]
    pub fn length(self) -> u32 {
        self.length
    }

    /// The commit that wrote it.
    #[must_use]
    pub fn generation(self) -> Generation {
        self.generation
    }

    /// Checksum of header and content.
    #[must_use]
    pub fn checksum(self) -> u64 {
        self.checksum
    }

    /// Bytes in the file, header and all.
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
        let bounds = Bounds { generation: Generation(7), size: 1 << 20 };
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
