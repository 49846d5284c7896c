//! Reading a commit while later ones are written.

use crate::store::disk::Disk;
use crate::store::error::StoreError;
use crate::store::key::{Key, Layer};
use crate::store::place::ExtentPlace;
use crate::store::record::KeyEntry;
use crate::store::registry::{Commit, CommitHold};
use crate::store::view::{Extent, StoreView};
use crate::store::{Store, Verified, find};
use std::sync::Arc;

/// A commit that any thread can read until this reader is dropped.
///
/// If the reader belongs to a store that is open for writing, the commit *stays*: none of its
/// extents is overwritten while the reader exists. If another process writes the world, the commit
/// does not stay: reading an overwritten extent returns [`StoreError::Overtaken`], and
/// [`Reader::refresh`] moves on.
#[derive(Debug, Clone)]
pub struct Reader {
    pub(super) disk: Arc<Disk>,
    pub(super) hold: CommitHold,
}

/// Differences between two commits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommitChanges {
    /// Keys whose extent was put in between, in order.
    pub put: Vec<Key>,
    /// Keys that only the older commit has, in order.
    pub gone: Vec<Key>,
}

/// An extent that differs between two commits, with its place in each that has it.
#[derive(Debug, Clone, Copy)]
pub(super) struct ExtentDifference {
    pub key: Key,
    pub old: Option<ExtentPlace>,
    pub new: Option<ExtentPlace>,
}

impl CommitChanges {
    /// True if the commits do not differ.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.put.is_empty() && self.gone.is_empty()
    }
}

impl Reader {
    /// Creates a reader of a commit of a store's file.
    pub(super) fn of(store: &Store, commit: Arc<Commit>) -> Self {
        Self { disk: Arc::clone(&store.disk), hold: store.registry.hold(commit) }
    }

    pub(super) fn view(&self) -> StoreView<'_> {
        let commit = self.hold.commit();
        StoreView { disk: &self.disk, directory: &commit.directory, held: commit.held() }
    }

    /// Whether the reader reads the file of this store, which is open in this process.
    #[must_use]
    pub fn is_of(&self, store: &Store) -> bool {
        Arc::ptr_eq(&self.disk, &store.disk)
    }

    /// Returns the number of the commit.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.hold.commit().generation().number()
    }

    /// Returns the number of extents.
    #[must_use]
    pub fn extents(&self) -> u64 {
        self.hold.commit().tree.extents
    }

    /// Reads the extent of a key into `out`; returns false if the key has no extent.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`], [`StoreError::Overtaken`], [`StoreError::Io`].
    pub fn get(&self, key: Key, out: &mut Vec<u8>) -> Result<bool, StoreError> {
        self.view().get(key, out)
    }

    /// Returns all keys, in order.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`], [`StoreError::Overtaken`], [`StoreError::Io`].
    pub fn keys(&self) -> Result<Vec<Key>, StoreError> {
        self.view().keys()
    }

    /// Returns all extents, in order of their keys, each with the commit that wrote it. An error
    /// replaces all extents of a page of the directory.
    pub fn entries(&self) -> impl Iterator<Item = Result<Extent, StoreError>> {
        self.view().extents()
    }

    /// Returns the extents that commits after `generation` wrote, in order of their keys; pages of
    /// the directory that have not changed since are not read. Removed extents leave no trace in a
    /// commit: [`Reader::changes_since`] an older one finds them.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`], [`StoreError::Overtaken`], [`StoreError::Io`].
    pub fn written_since(&self, generation: u64) -> Result<Vec<Extent>, StoreError> {
        self.view().written_since(generation)
    }

    /// Returns the changes since an older commit of the same world. Pages of the directory that
    /// both have are not read.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`], [`StoreError::Overtaken`], [`StoreError::Io`].
    pub fn changes_since(&self, older: &Self) -> Result<CommitChanges, StoreError> {
        let mut changes = CommitChanges::default();
        for difference in self.differences(older)? {
            match difference.new {
                Some(_) => changes.put.push(difference.key),
                None => changes.gone.push(difference.key),
            }
        }
        Ok(changes)
    }

    /// Returns the differences from an older commit, with the places in both.
    pub(super) fn differences(&self, older: &Self) -> Result<Vec<ExtentDifference>, StoreError> {
        let mut differences = Vec::new();
        let (here, there) = (self.view(), older.view());
        let is_other = |view: StoreView<'_>, other: StoreView<'_>| {
            let mut entries = Vec::new();
            for page in view.directory.pages_beside(other.directory) {
                entries.extend(view.directory.entries_of(view.disk, view.held, page)?);
            }
            Ok::<_, StoreError>(entries)
        };
        let (new, old) = (is_other(here, there)?, is_other(there, here)?);
        let mut old = old.into_iter().peekable();
        let gone =
            |old: KeyEntry| ExtentDifference { key: old.key, old: Some(old.place), new: None };
        for entry in new {
            while let Some(old) = old.next_if(|old| old.key < entry.key) {
                differences.push(gone(old));
            }
            let before = old.next_if(|old| old.key == entry.key).map(|before| before.place);
            // A changed page is written as a whole: most of its entries are as they were.
            if before != Some(entry.place) {
                let (key, new) = (entry.key, Some(entry.place));
                differences.push(ExtentDifference { key, old: before, new });
            }
        }
        differences.extend(old.map(gone));
        Ok(differences)
    }

    /// Returns the places of the pages that another commit does not have, and of all extents in
    /// them.
    pub(super) fn places_beside(&self, other: &Self) -> Result<Vec<ExtentPlace>, StoreError> {
        let (view, mut places) = (self.view(), Vec::new());
        for page in view.directory.pages_beside(other.view().directory) {
            places.extend(view.directory.page_place(page));
            let entries = view.directory.entries_of(view.disk, view.held, page)?;
            places.extend(entries.iter().map(|entry| entry.place));
        }
        Ok(places)
    }

    /// Returns the keys of a layer, in order; reads only the directory pages of this layer.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`], [`StoreError::Overtaken`], [`StoreError::Io`].
    pub fn keys_of(&self, layer: Layer) -> Result<Vec<Key>, StoreError> {
        self.view().keys_of(layer)
    }

    /// Returns the bytes of all extents, with their headers.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`], [`StoreError::Overtaken`], [`StoreError::Io`].
    pub fn live_bytes(&self) -> Result<u64, StoreError> {
        self.view().live_bytes()
    }

    /// Checks every page of the directory and every extent, and shows each sound extent to `look`.
    ///
    /// # Errors
    ///
    /// [`StoreError::Overtaken`], [`StoreError::Io`].
    pub fn verify(&self, look: impl FnMut(Key, &[u8])) -> Result<Verified, StoreError> {
        let mut verified = Verified::default();
        self.view().verify(&mut verified, look)?;
        Ok(verified)
    }

    /// Moves on to the newest commit; returns false if this is the newest.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`], [`StoreError::Overtaken`], [`StoreError::Io`]; the reader then
    /// keeps its commit.
    pub fn refresh(&mut self) -> Result<bool, StoreError> {
        let held = self.hold.commit();
        let (generation, registry) = (held.generation(), Arc::clone(self.hold.registry()));
        if held.safe_to.is_none() {
            // The writer reports its commits.
            if registry.newest() > generation {
                self.hold = registry.hold_latest();
                return Ok(true);
            }
            return Ok(false);
        }
        let Some((commit, _)) = find::newer(&self.disk, generation)? else { return Ok(false) };
        self.hold = registry.hold(Arc::new(commit));
        Ok(true)
    }
}
