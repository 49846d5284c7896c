//! Going through the followed extents of a commit, page by page.

use crate::store::follow::Follow;
use crate::store::layout::{ENTRY_BYTES, GRAIN};
use crate::store::place::ExtentPlace;
use crate::store::record::KeyEntry;
use crate::store::{Reader, StoreError};
use std::iter::Peekable;
use std::vec::IntoIter;

/// The followed extents of a commit, in order of their keys. It keeps one page of the directory in
/// memory.
#[derive(Debug)]
pub struct Walk {
    reader: Reader,
    follow: Follow,
    page: usize,
    entries: Peekable<IntoIter<KeyEntry>>,
}

impl Walk {
    /// Starts at the first extent.
    pub fn new(reader: Reader, follow: Follow) -> Self {
        Self { reader, follow, page: 0, entries: Vec::new().into_iter().peekable() }
    }

    /// Returns the next extent without moving on.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`], [`StoreError::Overtaken`], [`StoreError::Io`].
    pub fn peek(&mut self) -> Result<Option<KeyEntry>, StoreError> {
        while self.entries.peek().is_none() {
            let view = self.reader.view();
            if self.page >= view.directory.page_count() {
                return Ok(None);
            }
            let mut entries = view.directory.entries_of(view.disk, view.held, self.page)?;
            entries.retain(|entry| self.follow.has(entry.key));
            self.entries = entries.into_iter().peekable();
            self.page += 1;
        }
        Ok(self.entries.peek().copied())
    }

    /// Returns the next extent and moves on.
    ///
    /// # Errors
    ///
    /// The errors of [`Walk::peek`].
    pub fn next(&mut self) -> Result<Option<KeyEntry>, StoreError> {
        self.peek()?;
        Ok(self.entries.next())
    }
}

/// Sum and bytes of the followed extents of a commit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Total {
    /// Sum of the checksums of its extents.
    pub sum: u64,
    /// Bytes of its extents and their entries.
    pub bytes: u64,
}

impl Total {
    /// Adds an extent.
    pub fn add(&mut self, place: ExtentPlace) {
        // Modulo 2⁶⁴, so that extents can be taken out again, in any order.
        self.sum = self.sum.wrapping_add(place.checksum());
        self.bytes = self.bytes.saturating_add(bytes_of(place));
    }

    /// Subtracts an extent.
    pub fn less(&mut self, place: ExtentPlace) {
        self.sum = self.sum.wrapping_sub(place.checksum());
        self.bytes = self.bytes.saturating_sub(bytes_of(place));
    }
}

/// Returns the bytes of an extent in a file, with its entry in the directory.
fn bytes_of(place: ExtentPlace) -> u64 {
    place.bytes().next_multiple_of(GRAIN) + ENTRY_BYTES as u64
}

/// Returns the total of the followed extents of a commit. The checksum of an extent covers the key,
/// the commit that wrote it, and its content: two commits with the same sum have the same extents,
/// except with a probability of 2⁻⁶⁴, unless they were forged.
///
/// # Errors
///
/// [`StoreError::Damaged`], [`StoreError::Overtaken`], [`StoreError::Io`].
pub fn total_of(reader: &Reader, follow: &Follow) -> Result<Total, StoreError> {
    let mut walk = Walk::new(reader.clone(), follow.clone());
    let mut total = Total::default();
    while let Some(entry) = walk.next()? {
        total.add(entry.place);
    }
    Ok(total)
}
