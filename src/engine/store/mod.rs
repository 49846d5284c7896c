//! The world file: extents by key, in commits that are whole or not at all.
//!
//! A **store** keeps runs of bytes, *extents*, each under a [`Key`]. What is put goes to free
//! space; a **commit** writes a new *directory* beside the old one, makes both last, and only then
//! replaces one of two *superblocks*. So a crash at any instant leaves the last commit that was
//! reported, or the one under way, and never a mixture.
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
//! While a store goes on, a [`Reader`] of its last commit reads that commit, in any thread, and
//! [`follow`] sends its commits to other processes.
//!
//! Guarantees: nothing that fails its checksum is ever served (`tests/store`: every byte flipped);
//!             every crash leaves a commit (`tests/store`: every subset of unsynced writes); what a
//!             reader holds stays as it was (`tests/store/readers.rs`).
//! Limits:     one process writes at a time. The store contains no water: others give meaning to
//!             extents.
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
pub use kept::Kept;
pub use key::{Key, Layer, OtherLayer};
pub use layout::{EXTENT_MAX, VERSION};
pub use limits::Tally;
pub use limits::{Limit, Limits, OverLimit};
pub use open::Opened;
pub use reader::{Changes, Reader};
pub use view::{Extent, LookAt, Verified};

use crate::store::directory::Directory;
use crate::store::disk::Disk;
use crate::store::kept::KeptList;
use crate::store::place::Generation;
use crate::store::record::Superblock;
use crate::store::registry::{Commit, Registry};
use crate::store::space::Space;
use crate::store::view::View;
use std::sync::Arc;

/// A world file that is open.
#[derive(Debug)]
pub struct Store {
    disk: Arc<Disk>,
    /// The commit that is open, and the one before it where that is whole.
    last: Arc<Commit>,
    before: Option<Superblock>,
    /// Who reads in this process.
    registry: Arc<Registry>,
    /// That of the commit under way.
    directory: Directory,
    /// Which commits are to be kept, oldest first; none where that is not known.
    kept: KeptList,
    /// Found out when the first extent is written.
    space: Option<Space>,
    /// Number of the commit under way; none where no commit can follow.
    next: Option<Generation>,
    /// Something was put or taken away since the last commit.
    is_changed: bool,
    opened: Opened,
    access: Access,
}

/// Access that a store allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Write,
    /// A sync failed.
    Poisoned,
}

impl Store {
    /// How it was found when it was opened.
    #[must_use]
    pub fn opened(&self) -> &Opened {
        &self.opened
    }

    /// Number of the last commit.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.last.tree.generation.number()
    }

    /// Extents, those of the commit under way among them.
    #[must_use]
    pub fn extents(&self) -> u64 {
        self.directory.extents()
    }

    /// Says how extents that are read together are read from now on, by readers too.
    pub fn set_reading(&self, reading: Reading) {
        self.disk.set_reading(reading);
    }

    /// Bytes of the file.
    ///
    /// # Errors
    ///
    /// [`StoreError::Io`].
    pub fn file_bytes(&self) -> Result<u64, StoreError> {
        self.disk.size()
    }

    /// The commit under way.
    fn view(&self) -> View<'_> {
        View { disk: &self.disk, directory: &self.directory, held: self.last.held() }
    }

    /// The last commit, to be read by any thread while this one goes on. What it needs of the file
    /// is not used again until the reader is dropped.
    #[must_use]
    pub fn reader(&self) -> Reader {
        Reader::of(self, Arc::clone(&self.last))
    }

    /// Reads what stands under a key into `out`, as the commit under way has it; false where
    /// nothing does.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`], [`StoreError::Overtaken`], [`StoreError::Io`].
    pub fn get(&self, key: Key, out: &mut Vec<u8>) -> Result<bool, StoreError> {
        self.view().get(key, out)
    }

    /// All keys, in order.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`], [`StoreError::Overtaken`], [`StoreError::Io`].
    pub fn keys(&self) -> Result<Vec<Key>, StoreError> {
        self.view().keys()
    }

    /// The keys of a layer, in order; what the directory has beside them is not read.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`], [`StoreError::Overtaken`], [`StoreError::Io`].
    pub fn keys_of(&self, layer: Layer) -> Result<Vec<Key>, StoreError> {
        self.view().keys_of(layer)
    }
}
