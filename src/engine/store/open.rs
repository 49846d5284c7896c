//! Opening a world file and choosing a valid commit.
//!
//! The newest superblock that is whole, and whose directory root is whole, is opened. If it may not
//! have been the newest commit, the whole directory is read first, and its missing part is
//! reported.

use crate::store::backend::Backend;
use crate::store::backend::file::FileBackend;
use crate::store::disk::Disk;
use crate::store::find::{newer, whole};
use crate::store::place::Generation;
use crate::store::record::{Superblock, SuperblockSlot};
use crate::store::registry::{Commit, Registry};
use crate::store::view::StoreView;
use crate::store::{Access, Store, StoreError};
use std::io;
use std::path::Path;
use std::sync::Arc;

/// State of a world file when it was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Opened {
    /// Both superblocks are whole, and so is the root of the newer one's directory. Its pages are
    /// checked when they are read.
    Whole,
    /// One superblock is not whole: that of a commit that was cut off, or a damaged one. The whole
    /// directory of the other one was read.
    OneSlot {
        /// Damaged pages of it: their extents are lost, and nothing can be written.
        lost_pages: usize,
    },
    /// The newest commit is damaged; the one before it was opened, and its whole directory read.
    FellBack {
        /// Number of the damaged commit.
        from: u64,
        /// Damaged pages: their extents are lost, and nothing can be written.
        lost_pages: usize,
    },
}

impl Store {
    /// Opens a world for writing.
    ///
    /// # Errors
    ///
    /// [`StoreError::InUse`] if another process writes it, and the errors of [`Store::open_on`].
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let file = FileBackend::open(path).map_err(|error| match error.kind() {
            io::ErrorKind::WouldBlock => StoreError::InUse,
            _ => StoreError::io("open the world")(error),
        })?;
        Self::open_on(Box::new(file))
    }

    /// Opens a world for reading, at its last commit. Another process may continue to write it.
    ///
    /// # Errors
    ///
    /// The errors of [`Store::open_on`].
    pub fn read(path: &Path) -> Result<Self, StoreError> {
        let file = FileBackend::read(path).map_err(StoreError::io("open the world"))?;
        Self::open_for(Box::new(file), Access::Read)
    }

    /// Creates a store from a commit, open for writing.
    pub(super) fn of(disk: Disk, last: Commit) -> Self {
        let last = Arc::new(last);
        Self {
            disk: Arc::new(disk),
            before: None,
            registry: Registry::new(Arc::clone(&last)),
            directory: last.directory.clone(),
            kept: last.kept.clone(),
            space: None,
            next: last.generation().after(1).ok(),
            is_changed: false,
            opened: Opened::Whole,
            access: Access::Write,
            last,
        }
    }

    /// Opens the world on a backend.
    ///
    /// # Errors
    ///
    /// [`StoreError::NotAWorld`], [`StoreError::Newer`], [`StoreError::NoCommit`],
    /// [`StoreError::Damaged`] if no directory is whole, [`StoreError::Io`].
    pub fn open_on(backend: Box<dyn Backend>) -> Result<Self, StoreError> {
        Self::open_for(backend, Access::Write)
    }

    fn open_for(backend: Box<dyn Backend>, access: Access) -> Result<Self, StoreError> {
        let disk = Disk::new(backend);
        let slots = disk.slots()?;
        let blocks = whole(&slots);
        let Some(&newest) = blocks.first() else { return Err(refusal(&slots)) };
        let before = blocks.get(1).copied();
        // The first commit of a world has no predecessor, and the other slot is empty.
        let is_first =
            newest.generation == Generation::FIRST && slots.contains(&SuperblockSlot::Empty);
        let is_alone = before.is_none() && !is_first;
        let read = |block: Superblock| {
            Commit::find(&disk, block, (access == Access::Read).then_some(block.generation))
        };
        // No number is used twice. After a fallback the next commit is two above the damaged one
        // and so takes its slot: the superblock of the commit that was opened stays.
        let (last, before, opened, step) = match (read(newest), before) {
            (Ok(last), _) if is_alone => {
                let lost_pages = lost_pages(&disk, &last)?;
                (last, None, Opened::OneSlot { lost_pages }, 1)
            }
            (Ok(last), before) => (last, before, Opened::Whole, 1),
            (Err(StoreError::Damaged { .. }), Some(before)) => {
                let last = read(before)?;
                let lost_pages = lost_pages(&disk, &last)?;
                let from = newest.generation.number();
                (last, None, Opened::FellBack { from, lost_pages }, 2)
            }
            (Err(error), _) => return Err(error),
        };
        let next = newest.generation.after(step).ok();
        Ok(Self { before, next, opened, access, ..Self::of(disk, last) })
    }

    /// Moves on to the newest commit of a world that was opened for reading and that another
    /// process writes; returns false if no commit is newer. Readers keep their commits.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`], [`StoreError::Overtaken`], [`StoreError::Io`]; the store then keeps
    /// its commit.
    pub fn refresh(&mut self) -> Result<bool, StoreError> {
        if self.access != Access::Read {
            return Ok(false);
        }
        let Some((commit, before)) = newer(&self.disk, self.last.generation())? else {
            return Ok(false);
        };
        self.before = before;
        (self.directory, self.kept) = (commit.directory.clone(), commit.kept.clone());
        (self.last, self.opened) = (Arc::new(commit), Opened::Whole);
        self.registry.publish(Arc::clone(&self.last));
        Ok(true)
    }
}

/// Returns the number of damaged pages in a commit's directory.
fn lost_pages(disk: &Disk, commit: &Commit) -> Result<usize, StoreError> {
    let view = StoreView { disk, directory: &commit.directory, held: commit.held() };
    let mut lost = 0;
    for page in view.pages() {
        match page {
            Ok(_) => {}
            Err(StoreError::Damaged { .. }) => lost += 1,
            Err(error) => return Err(error),
        }
    }
    Ok(lost)
}

/// Returns the error if no slot is usable.
fn refusal(slots: &[SuperblockSlot; 2]) -> StoreError {
    let newer = slots.iter().find_map(|slot| match slot {
        SuperblockSlot::Newer(found) => Some(StoreError::Newer { found: *found }),
        _ => None,
    });
    let is_foreign =
        slots.iter().all(|slot| matches!(slot, SuperblockSlot::Foreign | SuperblockSlot::Empty));
    newer.unwrap_or(if is_foreign { StoreError::NotAWorld } else { StoreError::NoCommit })
}
