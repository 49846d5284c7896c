//! Going over what is followed of a commit, page by page.

use crate::store::follow::Follow;
use crate::store::layout::{ENTRY_BYTES, GRAIN};
use crate::store::place::Place;
use crate::store::record::Entry;
use crate::store::{Reader, StoreError};
use std::iter::Peekable;
use std::vec::IntoIter;

/// The extents of a commit that are followed, in order of their keys. It holds one page of the
/// directory.
#[derive(Debug)]
pub struct Walk {
    reader: Reader,
    follow: Follow,
    page: usize,
    entries: Peekable<IntoIter<Entry>>,
}

impl Walk {
    /// From the first one on.
    pub fn new(reader: Reader, follow: Follow) -> Self {
        Self { reader, follow, page: 0, entries: Vec::new().into_iter().peekable() }
    }

    /// The next one, which stays the next.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`], [`StoreError::Overtaken`], [`StoreError::Io`].
    pub fn peek(&mut self) -> Result<Option<Entry>, StoreError> {
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

    /// The next one.
    ///
    /// # Errors
    ///
    /// As of [`Walk::peek`].
    pub fn next(&mut self) -> Result<Option<Entry>, StoreError> {
        self.peek()?;
        Ok(self.entries.next())
    }
}

/// Sum of the extents of a commit that are followed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Total {
    /// The sum of the checksums of its extents.
    pub sum: u64,
    /// Bytes that its extents and their entries take.
    pub bytes: u64,
}

impl Total {
    /// Adds an extent.
    pub fn add(&mut self, place: Place) {
        self.sum = self.sum.wrapping_add(place.checksum());
        self.bytes = self.bytes.saturating_add(bytes_of(place));
    }

    /// Takes an extent off.
    pub fn less(&mut self, place: Place) {
        self.sum = self.sum.wrapping_sub(place.checksum());
        self.bytes = self.bytes.saturating_sub(bytes_of(place));
    }
}

/// Bytes that an extent takes in a file, with its entry in the directory.
fn bytes_of(place: Place) -> u64 {
    place.bytes().next_multiple_of(GRAIN) + ENTRY_BYTES as u64
}

/// Sum of the extents of a commit that are followed. The checksum of an extent covers the key, the
/// commit that wrote it, and what it holds: two commits with one sum have, but for one chance in
/// 2⁶⁴, the same extents, where nobody forged them.
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
