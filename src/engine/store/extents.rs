//! Readers of extents: a store, or one of its commits.

use crate::store::view::LookAt;
use crate::store::{Key, Layer, Reader, Store, StoreError};
use std::fmt::Debug;

/// Extents to read.
pub trait Extents: Debug + Send + Sync {
    /// Reads what stands under a key into `out`; false where nothing does.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`], [`StoreError::Overtaken`], [`StoreError::Io`].
    fn get(&self, key: Key, out: &mut Vec<u8>) -> Result<bool, StoreError>;

    /// Shows once what stands under each of these keys, by its number among them: nothing where
    /// nothing does, else as [`Extents::get`]. Where the file is mapped the bytes are shown where
    /// they stand, and extents that lie close to each other are fetched at once.
    fn show(&self, keys: &[Key], look: &mut LookAt<'_>);

    /// All keys, in order.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`], [`StoreError::Overtaken`], [`StoreError::Io`].
    fn keys(&self) -> Result<Vec<Key>, StoreError>;

    /// The keys of a layer, in order; what the directory has beside them is not read.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`], [`StoreError::Overtaken`], [`StoreError::Io`].
    fn keys_of(&self, layer: Layer) -> Result<Vec<Key>, StoreError>;
}

impl Extents for Store {
    fn get(&self, key: Key, out: &mut Vec<u8>) -> Result<bool, StoreError> {
        self.get(key, out)
    }

    fn show(&self, keys: &[Key], look: &mut LookAt<'_>) {
        self.view().show(keys, look);
    }

    fn keys(&self) -> Result<Vec<Key>, StoreError> {
        self.keys()
    }

    fn keys_of(&self, layer: Layer) -> Result<Vec<Key>, StoreError> {
        self.keys_of(layer)
    }
}

impl Extents for Reader {
    fn get(&self, key: Key, out: &mut Vec<u8>) -> Result<bool, StoreError> {
        self.get(key, out)
    }

    fn show(&self, keys: &[Key], look: &mut LookAt<'_>) {
        self.view().show(keys, look);
    }

    fn keys(&self) -> Result<Vec<Key>, StoreError> {
        self.keys()
    }

    fn keys_of(&self, layer: Layer) -> Result<Vec<Key>, StoreError> {
        self.keys_of(layer)
    }
}
