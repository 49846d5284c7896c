//! Reading all of a commit.

use crate::store::Store;
use crate::store::StoreError;
use crate::store::key::Key;
use crate::store::layout::Role;

/// What a check of all extents came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verified {
    /// Extents that are what was written.
    pub sound: u64,
    /// Bytes that they hold.
    pub bytes: u64,
    /// Those that are not.
    pub damaged: Vec<Key>,
    /// Pages of the directory that are not: what they listed is gone.
    pub lost_pages: usize,
}

impl Verified {
    /// True where nothing is amiss.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.damaged.is_empty() && self.lost_pages == 0
    }
}

impl Store {
    /// Checks every page of the directory and every extent of the last commit, and shows each that
    /// is sound to `look`.
    ///
    /// # Errors
    ///
    /// [`StoreError::Overtaken`], [`StoreError::Io`].
    pub fn verify(&self, mut look: impl FnMut(Key, &[u8])) -> Result<Verified, StoreError> {
        let (mut verified, mut bytes) = (Verified::default(), Vec::new());
        let held = self.block.generation;
        for page in 0..self.directory.page_count() {
            let entries = match self.directory.entries_of(&self.disk, held, page) {
                Ok(entries) => entries,
                Err(StoreError::Damaged { .. }) => {
                    verified.lost_pages += 1;
                    continue;
                }
                Err(error) => return Err(error),
            };
            for entry in entries {
                match self.disk.read((Role::Layer, entry.key), &entry.place, held, &mut bytes) {
                    Ok(()) => {
                        verified.sound += 1;
                        verified.bytes += u64::from(entry.place.length);
                        look(entry.key, &bytes);
                    }
                    Err(StoreError::Damaged { .. }) => verified.damaged.push(entry.key),
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(verified)
    }
}
