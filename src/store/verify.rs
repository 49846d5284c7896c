//! Reading all of a commit.

use crate::store::Store;
use crate::store::StoreError;
use crate::store::key::Key;

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
    pub fn verify(&self, look: impl FnMut(Key, &[u8])) -> Result<Verified, StoreError> {
        let mut verified = Verified::default();
        self.view().verify(&mut verified, look)?;
        Ok(verified)
    }
}
