//! Saving a world elsewhere than in its file.

use crate::store::Store;
use crate::store::StoreError;
use crate::world::FileError;
use crate::world::SaveFile;
use crate::world::World;
use std::path::Path;

impl SaveFile {
    /// Saves a world in a new file, with all that this one keeps beside it: where it lies on the
    /// globe, what later builds know, and its moments. The way out where this file cannot be
    /// written any more, because it has lost its name ([`StoreError::Lost`]) or its disk has
    /// failed. Where this file can no longer be read, the new one holds the world alone.
    ///
    /// # Errors
    ///
    /// [`FileError::Store`], of the kind `AlreadyExists` where there is a file; then there is no
    /// new one.
    pub fn save_as(&self, path: &Path, world: &World) -> Result<Self, FileError> {
        let mut store = Store::create(path)?;
        if self.store.compact_into(&mut store, &mut |_| ()).is_err() {
            drop(store);
            remove(path)?;
            store = Store::create(path)?;
        }
        let saved = Self::begin(store, world);
        if saved.is_err() {
            let _ = remove(path);
        }
        saved
    }
}

fn remove(path: &Path) -> Result<(), StoreError> {
    std::fs::remove_file(path).map_err(|source| StoreError::Io { doing: "begin anew", source })
}
