//! The world file: extents by key, in commits that are whole or not at all.
//!
//! A **store** keeps runs of bytes, *extents*, each under a [`Key`]. What is put goes to free
//! space; a **commit** writes a new *directory* beside the old one, makes both last, and only then
//! replaces one of two *superblocks*. So a crash at any instant leaves the last commit that was
//! reported, or the one under way, and never a mixture.
//!
//! ```
//! use thalweg::store::{Key, Store, backend::memory::Memory};
//! let mut store = Store::create_on(Box::new(Memory::default()))?;
//! store.put(Key::head(1), b"a valley")?;
//! assert_eq!(store.commit()?, 2);
//!
//! let mut text = Vec::new();
//! assert!(store.get(Key::head(1), &mut text)?);
//! assert_eq!(text, b"a valley");
//! # Ok::<(), thalweg::store::StoreError>(())
//! ```
//!
//! Guarantees: nothing that fails its checksum is ever served (`tests/store`: every byte flipped);
//!             every crash leaves a commit (`tests/store`: every subset of unsynced writes).
//! Limits:     one process writes at a time. It knows no water: what extents hold is for others to
//!             say.
//! Source:     own, after the two superblocks and copied pages of LMDB and redb.

pub mod backend;
pub mod codec;
mod directory;
mod disk;
mod error;
mod key;
mod layout;
mod open;
mod space;
pub mod terrain;
mod verify;

pub use error::StoreError;
pub use key::Key;
pub use key::Layer;
pub use layout::EXTENT_MAX;
pub use layout::VERSION;
pub use open::Opened;
pub use verify::Verified;

use crate::store::directory::Directory;
use crate::store::disk::Disk;
use crate::store::layout::Entry;
use crate::store::layout::Place;
use crate::store::layout::Role;
use crate::store::layout::Superblock;
use crate::store::space::Space;

/// A world file that is open.
#[derive(Debug)]
pub struct Store {
    disk: Disk,
    /// The commit that is open, and the one before it where that is whole.
    block: Superblock,
    before: Option<Superblock>,
    directory: Directory,
    /// Found out when the first extent is written.
    space: Option<Space>,
    /// Number of the commit under way.
    next: u64,
    /// Something was put or taken away since the last commit.
    is_changed: bool,
    opened: Opened,
    access: Access,
}

/// What may be done with a store.
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
        self.block.generation
    }

    /// Extents, those of the commit under way among them.
    #[must_use]
    pub fn extents(&self) -> u64 {
        self.directory.extents()
    }

    /// Bytes of the file.
    ///
    /// # Errors
    ///
    /// [`StoreError::Io`].
    pub fn file_bytes(&self) -> Result<u64, StoreError> {
        self.disk.size()
    }

    /// Reads what stands under a key into `out`; false where nothing does.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`], [`StoreError::Overtaken`], [`StoreError::Io`].
    pub fn get(&self, key: Key, out: &mut Vec<u8>) -> Result<bool, StoreError> {
        out.clear();
        let held = self.block.generation;
        let Some(place) = self.directory.find(&self.disk, held, key)? else {
            return Ok(false);
        };
        self.disk.read((Role::Layer, key), &place, held, out)?;
        Ok(true)
    }

    /// All keys, in order.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`], [`StoreError::Overtaken`], [`StoreError::Io`].
    pub fn keys(&self) -> Result<Vec<Key>, StoreError> {
        let mut keys = Vec::new();
        for page in 0..self.directory.page_count() {
            let held = self.block.generation;
            let entries = self.directory.entries_of(&self.disk, held, page)?;
            keys.extend(entries.iter().map(|entry| entry.key));
        }
        Ok(keys)
    }

    /// Puts bytes under a key, in place of what stands there.
    ///
    /// # Errors
    ///
    /// [`StoreError::TooLarge`], [`StoreError::ReadOnly`], [`StoreError::Poisoned`],
    /// [`StoreError::Damaged`], [`StoreError::Io`]; then the key has what it had.
    pub fn put(&mut self, key: Key, bytes: &[u8]) -> Result<(), StoreError> {
        if bytes.len() > EXTENT_MAX {
            return Err(StoreError::TooLarge { bytes: bytes.len() });
        }
        self.must_write()?;
        // The page that it goes to is read before anything is written.
        self.directory.find(&self.disk, self.block.generation, key)?;
        let place = self.write(Role::Layer, key, bytes)?;
        let entry = Entry { key, place };
        let replaced = self.directory.put(&self.disk, self.block.generation, entry)?;
        self.is_changed = true;
        self.replace(replaced);
        Ok(())
    }

    /// Takes away what stands under a key; false where nothing does.
    ///
    /// # Errors
    ///
    /// As of [`Store::put`].
    pub fn remove(&mut self, key: Key) -> Result<bool, StoreError> {
        self.must_write()?;
        self.know_space()?;
        let replaced = self.directory.remove(&self.disk, self.block.generation, key)?;
        self.is_changed |= replaced[0].is_some();
        self.replace(replaced);
        Ok(replaced[0].is_some())
    }

    /// Makes all that was put and taken away last, as one: tells its number. Where nothing has
    /// changed the last commit stays the last.
    ///
    /// # Errors
    ///
    /// [`StoreError::Io`] and [`StoreError::Damaged`]: the commit before stands, and what was put
    /// since can be committed again; after a sync that failed [`StoreError::Poisoned`].
    pub fn commit(&mut self) -> Result<u64, StoreError> {
        self.must_write()?;
        if !self.is_changed {
            return Ok(self.block.generation);
        }
        let mut from = 0;
        while let Some((page, first, bytes)) = self.directory.changed(from) {
            let place = self.write(Role::Page, first, &bytes)?;
            self.directory.written(page, place);
            from = page + 1;
        }
        let bytes = self.directory.root();
        let root = self.write(Role::Root, Key::head(0), &bytes)?;
        let (generation, extents) = (self.next, self.directory.extents());
        let block = Superblock { generation, root, extents };
        let made = self.publish(&block);
        if let Err(error) = made {
            // What of it has reached the disk nobody knows.
            self.access = Access::Poisoned;
            return Err(error);
        }
        let before = std::mem::replace(&mut self.block, block);
        let space = self.space.as_mut().expect("the root was written");
        // Generation 0 is a world that is being made.
        if before.generation > 0 {
            space.replace(before.root, generation);
            self.before = Some(before);
        }
        space.committed();
        (self.next, self.is_changed) = (generation + 1, false);
        Ok(generation)
    }

    /// Makes what was written last, then what finds it.
    fn publish(&mut self, block: &Superblock) -> Result<(), StoreError> {
        self.disk.sync()?;
        self.disk.write_slot(block.slot(), &block.bytes())?;
        self.disk.sync()
    }

    /// Forgets all that was put and taken away since the last commit.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`], [`StoreError::Io`].
    pub fn roll_back(&mut self) -> Result<(), StoreError> {
        self.directory = Directory::read(&self.disk, &self.block)?;
        (self.space, self.is_changed) = (None, false);
        Ok(())
    }

    fn must_write(&self) -> Result<(), StoreError> {
        match self.access {
            Access::Write => Ok(()),
            Access::Read => Err(StoreError::ReadOnly),
            Access::Poisoned => Err(StoreError::Poisoned),
        }
    }

    /// Writes an extent to free space.
    fn write(&mut self, role: Role, key: Key, bytes: &[u8]) -> Result<Place, StoreError> {
        if bytes.len() > role.most() {
            return Err(StoreError::TooLarge { bytes: bytes.len() });
        }
        let next = self.next;
        let space = self.know_space()?;
        let offset = space.allocate((layout::HEADER_BYTES + bytes.len()) as u64);
        let (place, written) = self.disk.write((role, key), (offset, next), bytes);
        let space = self.space.as_mut().expect("known");
        space.written(&place);
        if written.is_err() {
            space.replace(place, next);
        }
        written.map(|()| place)
    }

    fn know_space(&mut self) -> Result<&mut Space, StoreError> {
        if self.space.is_none() {
            let space = self.find_space()?;
            // Whether what finds this commit is on the disk is not known where the one who wrote it
            // was told of a failure. It must be, before what only the commit before needs is used.
            self.disk.write_slot(self.block.slot(), &self.block.bytes())?;
            self.disk.sync()?;
            self.space = Some(space);
        }
        Ok(self.space.as_mut().expect("just found"))
    }

    /// Lets go of places.
    fn replace(&mut self, places: [Option<Place>; 2]) {
        let (next, space) = (self.next, self.space.as_mut().expect("known"));
        places.into_iter().flatten().for_each(|place| space.replace(place, next));
    }
}
