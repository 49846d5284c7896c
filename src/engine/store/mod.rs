//! The world file: extents under keys, in commits that are durable whole or not at all.
//!
//! A **store** contains runs of bytes, *extents*, each under a [`Key`]. New extents are written to
//! free space; a **commit** writes a new *directory* beside the old one, makes both durable, and
//! only then replaces one of two *superblocks*. So a crash at any instant leaves the last commit
//! that was reported, or the one under way, and never a mixture.
//!
//! ```
//! use thalweg_engine::store::{Key, Store, backend::memory::Memory};
//! let mut store = Store::create_on(Box::new(Memory::default()))?;
//! store.put(Key::head(1), b"a valley")?;
//! assert_eq!(store.commit()?, 2);
//!
//! let mut text = Vec::new();
//! assert!(store.get(Key::head(1), &mut text)?);
//! assert_eq!(text, b"a valley");
//! # Ok::<(), thalweg_engine::store::StoreError>(())
//! ```
//!
//! While a store is written, a [`Reader`] reads its last commit in any thread, and [`follow`] sends
//! its commits to mirrors in separate processes.
//!
//! Guarantees: content that fails its checksum is never returned (`tests/store`: every byte
//!             flipped); every crash leaves a commit (`tests/store`: every subset of unsynced
//!             writes); a commit never changes while a reader has it (`tests/store/readers.rs`).
//! Limits:     one process writes at a time. The store does not interpret extents: modules above
//!             give them meaning.
//! Source:     own, after the two superblocks and copied pages of LMDB and redb.

pub mod backend;
mod claim;
pub mod codec;
mod commit;
mod compact;
mod create;
mod directory;
mod disk;
mod error;
mod extents;
mod find;
pub mod follow;
mod history;
mod kept;
mod key;
mod layout;
mod limits;
mod needs;
mod open;
mod place;
mod reader;
mod record;
mod registry;
mod space;
pub mod terrain;
mod verify;
mod view;

pub use backend::Reading;
pub use claim::Claim;
pub use error::StoreError;
pub use extents::Extents;
pub use kept::KeptCommit;
pub use key::{Key, Layer, OtherLayer};
pub use layout::{EXTENT_MAX, VERSION};
pub use limits::Tally;
pub use limits::{Limit, Limits, OverLimit};
pub use open::Opened;
pub use reader::{CommitChanges, Reader};
pub use view::{Extent, LookAt, Verified};

use crate::store::directory::CommitDirectory;
use crate::store::disk::Disk;
use crate::store::kept::KeptList;
use crate::store::place::Generation;
use crate::store::record::Superblock;
use crate::store::registry::{Commit, Registry};
use crate::store::space::Space;
use crate::store::view::StoreView;
use std::sync::Arc;

/// An open world file.
#[derive(Debug)]
pub struct Store {
    disk: Arc<Disk>,
    /// The open commit; `before` is the one before it, if that is whole.
    last: Arc<Commit>,
    before: Option<Superblock>,
    /// Readers in this process.
    registry: Arc<Registry>,
    /// Directory of the commit under way.
    directory: CommitDirectory,
    /// The commits to be kept, oldest first; damaged if the list in the file is.
    kept: KeptList,
    /// Determined when the first extent is written.
    space: Option<Space>,
    /// Number of the commit under way; `None` if no commit can follow.
    next: Option<Generation>,
    /// True if extents were put or removed since the last commit.
    is_changed: bool,
    opened: Opened,
    access: Access,
}

/// Access that a store allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Write,
    /// A sync failed: writing is refused.
    Poisoned,
}

impl Store {
    /// Returns the state of the file when it was opened.
    #[must_use]
    pub fn opened(&self) -> &Opened {
        &self.opened
    }

    /// Returns the number of the last commit.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.last.tree.generation.number()
    }

    /// Returns the number of extents, including extents of the commit under way.
    #[must_use]
    pub fn extents(&self) -> u64 {
        self.directory.extents()
    }

    /// Sets how extents that are read together are read from now on, by readers too.
    pub fn set_reading(&self, reading: Reading) {
        self.disk.set_reading(reading);
    }

    /// Returns the bytes of the file.
    ///
    /// # Errors
    ///
    /// [`StoreError::Io`].
    pub fn file_bytes(&self) -> Result<u64, StoreError> {
        self.disk.size()
    }

    /// Returns a view of the commit under way.
    fn view(&self) -> StoreView<'_> {
        StoreView { disk: &self.disk, directory: &self.directory, held: self.last.held() }
    }

    /// Returns a reader of the last commit for any thread, while this store is written. The space
    /// of that commit is not used again until the reader is dropped.
    #[must_use]
    pub fn reader(&self) -> Reader {
        Reader::of(self, Arc::clone(&self.last))
    }

    /// Reads the extent of a key into `out`, from the commit under way; returns false if the key
    /// has no extent.
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

    /// Returns the keys of a layer, in order; reads only the directory pages of this layer.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`], [`StoreError::Overtaken`], [`StoreError::Io`].
    pub fn keys_of(&self, layer: Layer) -> Result<Vec<Key>, StoreError> {
        self.view().keys_of(layer)
    }
}
