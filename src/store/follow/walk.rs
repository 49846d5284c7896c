//! Going over what is followed of a commit, page by page.

use crate::store::Reader;
use crate::store::StoreError;
use crate::store::follow::Follow;
use crate::store::layout::Entry;
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

/// The sum of what is followed of a commit: of the checksums of its extents, each of which covers
/// the key, the commit that wrote it, and what it holds. Two commits with one sum have, but for
/// one chance in 2⁶⁴, the same extents.
///
/// # Errors
///
/// [`StoreError::Damaged`], [`StoreError::Overtaken`], [`StoreError::Io`].
pub fn sum_of(reader: &Reader, follow: &Follow) -> Result<u64, StoreError> {
    let mut walk = Walk::new(reader.clone(), follow.clone());
    let mut sum = 0_u64;
    while let Some(entry) = walk.next()? {
        sum = sum.wrapping_add(entry.place.checksum());
    }
    Ok(sum)
}
