//! Saving a world elsewhere than in its file.

use crate::world::{FileError, SaveFile, World};
use std::path::Path;
use thalweg_engine::store::{Store, StoreError};

/// Part of a file that a new one takes over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Share {
    /// All moments.
    All,
    /// The last commit.
    Last,
    /// Nothing: the file can no longer be read.
    Nothing,
}

impl SaveFile {
    /// Saves a world in a new file, with the additional content of this one: its place on the
    /// globe, extents of later builds, and its moments. Use it if this file can no longer be
    /// written, because it has lost its name ([`StoreError::Lost`]) or its disk has failed. If the
    /// list of moments, or one of them, can no longer be read, the moments of this file are left
    /// out; if its last commit cannot be read, the new file contains the world alone. So compare
    /// [`SaveFile::moments`] of both.
    ///
    /// # Errors
    ///
    /// [`FileError::Store`], of the kind `AlreadyExists` if the file exists; else the errors of
    /// [`SaveFile::save`]. No new file remains then.
    pub fn save_as(&self, path: &Path, world: &World) -> Result<Self, FileError> {
        let mut last = None;
        for share in [Share::All, Share::Last, Share::Nothing] {
            // Each share begins a new file: `begun` has removed the file of the failed share.
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
            // The commit to be kept here is the last commit there.
            file.store.keep(label)?;
        }
        file.save(world)?;
        Ok(file)
    }
}

/// Begins a new file; on failure removes it, if it is still the one under its name.
pub(super) fn begun(
    path: &Path,
    begin: impl FnOnce(Store) -> Result<SaveFile, FileError>,
) -> Result<SaveFile, FileError> {
    let begun = begin(Store::create(path)?);
    if let Err(error) = &begun
        && !matches!(error, FileError::Store(StoreError::Lost { .. }))
    {
        // The reason of the failed save is more useful than that of a failed removal.
        let _ = std::fs::remove_file(path);
    }
    begun
}
