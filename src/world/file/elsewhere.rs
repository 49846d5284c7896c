//! Saving a world elsewhere than in its file.

use crate::world::{FileError, SaveFile, World};
use std::path::Path;
use thalweg_engine::store::{Store, StoreError};

/// How much of a file another one takes over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Share {
    /// All moments.
    All,
    /// The last commit.
    Last,
    /// Nothing: it can no longer be read.
    Nothing,
}

impl SaveFile {
    /// Saves a world in a new file, with all that this one keeps beside it: where it lies on the
    /// globe, extents of later builds, and its moments. The way out where this file cannot be
    /// written any more, because it has lost its name ([`StoreError::Lost`]) or its disk has
    /// failed. Moments go without those of this file where its list of them, or one of them, can no
    /// longer be read; where its last commit cannot, the new file holds the world alone. So compare
    /// [`SaveFile::moments`] of both.
    ///
    /// # Errors
    ///
    /// [`FileError::Store`], of the kind `AlreadyExists` where there is a file; else as of
    /// [`SaveFile::save`]. Then there is no new one.
    pub fn save_as(&self, path: &Path, world: &World) -> Result<Self, FileError> {
        let mut last = None;
        for share in [Share::All, Share::Last, Share::Nothing] {
            match begun(path, |store| self.save_into(store, share, world)) {
                Err(FileError::Store(error)) if error.is_of_reading() => last = Some(error),
                ended => return ended,
            }
        }
        Err(last.expect("three shares were tried").into())
    }

    fn save_into(&self, mut into: Store, share: Share, world: &World) -> Result<Self, FileError> {
        match share {
            Share::All => self.store.compact_into(&mut into, &mut |_| ())?,
            Share::Last => self.store.compact_last_into(&mut into, &mut |_| ())?,
            Share::Nothing => 0,
        };
        let mut file = Self::of(into).limits(self.limits);
        if let (Some(label), false) = (self.keeps, share == Share::Nothing) {
            // What was to be kept here is the last commit there.
            file.store.keep(label)?;
        }
        file.save(world)?;
        Ok(file)
    }
}

/// Begins a new file; where that fails takes it away, if it is still the one under its name.
pub(super) fn begun(
    path: &Path,
    begin: impl FnOnce(Store) -> Result<SaveFile, FileError>,
) -> Result<SaveFile, FileError> {
    let begun = begin(Store::create(path)?);
    if let Err(error) = &begun
        && !matches!(error, FileError::Store(StoreError::Lost { .. }))
    {
        // Why it could not be saved says more than why what is left of it stays.
        let _ = std::fs::remove_file(path);
    }
    begun
}
