//! Readers of extents: a store, or one of its commits.

use crate::store::view::LookAt;
use crate::store::{Key, Layer, Reader, Store, StoreError};
use std::fmt::Debug;

/// Extents to read.
pub trait Extents: Debug + Send + Sync {
    /// Reads the extent of a key into `out`; returns false if the key has no extent.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`], [`StoreError::Overtaken`], [`StoreError::Io`].
    fn get(&self, key: Key, out: &mut Vec<u8>) -> Result<bool, StoreError>;

    /// Shows the extent of each of these keys once, by the number of the key among them: `None` if
    /// the key has no extent, otherwise as in [`Extents::get`]. If the file is mapped, the bytes
    /// are shown in place, and extents close to each other in the file are fetched at once.
    fn show(&self, keys: &[Key], look: &mut LookAt<'_>);

    /// Returns all keys, in order.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`], [`StoreError::Overtaken`], [`StoreError::Io`].
    fn keys(&self) -> Result<Vec<Key>, StoreError>;

    /// Returns the keys of a layer, in order; reads only the directory pages of this layer.
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
