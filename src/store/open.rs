//! Opening a world file: which commit to trust.
//!
//! The newest superblock that is whole, and the root of whose directory is. Where that may not be
//! the newest there was, the whole directory is read first, and how much of it is gone is told.

use crate::store::Access;
use crate::store::Store;
use crate::store::StoreError;
use crate::store::backend::Backend;
use crate::store::backend::file;
use crate::store::backend::file::WorldFile;
use crate::store::directory::Directory;
use crate::store::disk::Disk;
use crate::store::layout::Place;
use crate::store::layout::Slot;
use crate::store::layout::Superblock;
use crate::store::space::Space;
use std::io;
use std::path::Path;

/// How a world was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Opened {
    /// Both superblocks are whole, and so is the root of the newer one's directory. Its pages are
    /// checked when they are read.
    Whole,
    /// One superblock is not whole: that of a commit that was cut off, or a damaged one. The other
    /// one's whole directory was read.
    OneSlot {
        /// Pages of it that are damaged: what they listed is gone, and nothing can be written.
        lost_pages: usize,
    },
    /// The newest commit is damaged; the one before it was opened, and its whole directory read.
    FellBack {
        /// Number of the damaged commit.
        from: u64,
        /// Pages that are damaged: what they listed is gone, and nothing can be written.
        lost_pages: usize,
    },
}

impl Store {
    /// Makes a world in a new file.
    ///
    /// # Errors
    ///
    /// [`StoreError::Io`], of the kind `AlreadyExists` where there is a file.
    pub fn create(path: &Path) -> Result<Self, StoreError> {
        let file = WorldFile::create(path).map_err(StoreError::io("make the world"))?;
        let store = Self::create_on(Box::new(file))?;
        file::sync_folder_of(path).map_err(StoreError::io("make the world last"))?;
        Ok(store)
    }

    /// Opens a world to write it.
    ///
    /// # Errors
    ///
    /// [`StoreError::InUse`] where another process writes it, and as [`Store::open_on`].
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let file = WorldFile::open(path).map_err(|error| match error.kind() {
            io::ErrorKind::WouldBlock => StoreError::InUse,
            _ => StoreError::io("open the world")(error),
        })?;
        Self::open_on(Box::new(file))
    }

    /// Opens a world to read it, as of its last commit. Another process may go on writing it.
    ///
    /// # Errors
    ///
    /// As [`Store::open_on`].
    pub fn read(path: &Path) -> Result<Self, StoreError> {
        let file = WorldFile::read(path).map_err(StoreError::io("open the world"))?;
        let mut store = Self::open_on(Box::new(file))?;
        store.access = Access::Read;
        Ok(store)
    }

    /// Makes a world on a backend that is empty.
    ///
    /// # Errors
    ///
    /// [`StoreError::Io`].
    pub fn create_on(backend: Box<dyn Backend>) -> Result<Self, StoreError> {
        let nothing = Place { offset: 0, length: 0, generation: 0, checksum: 0 };
        let mut store = Self {
            disk: Disk::new(backend),
            block: Superblock { generation: 0, root: nothing, extents: 0 },
            before: None,
            directory: Directory::default(),
            space: Some(Space::of(&[], Vec::new())),
            next: 1,
            is_changed: true,
            opened: Opened::Whole,
            access: Access::Write,
        };
        store.commit()?;
        Ok(store)
    }

    /// Opens the world on a backend.
    ///
    /// # Errors
    ///
    /// [`StoreError::NotAWorld`], [`StoreError::Newer`], [`StoreError::NoCommit`],
    /// [`StoreError::Damaged`] where no directory is whole, [`StoreError::Io`].
    pub fn open_on(backend: Box<dyn Backend>) -> Result<Self, StoreError> {
        let disk = Disk::new(backend);
        let slots = disk.slots()?;
        let whole = |slot: &Slot| if let Slot::Whole(block) = slot { Some(*block) } else { None };
        let mut blocks: Vec<_> = slots.iter().filter_map(whole).collect();
        blocks.sort_by_key(|block| std::cmp::Reverse(block.generation));
        let Some(&newest) = blocks.first() else { return Err(refusal(&slots)) };
        let before = blocks.get(1).copied();
        // The first commit of a world has none before it, and nothing in the other slot.
        let is_first = newest.generation == 1 && slots.contains(&Slot::Empty);
        let is_alone = before.is_none() && !is_first;
        let (block, before, directory, opened) = match (Directory::read(&disk, &newest), before) {
            (Ok(directory), _) if is_alone => {
                let lost_pages = lost_pages(&disk, &newest, &directory)?;
                (newest, None, directory, Opened::OneSlot { lost_pages })
            }
            (Ok(directory), before) => (newest, before, directory, Opened::Whole),
            (Err(StoreError::Damaged { .. }), Some(before)) => {
                let directory = Directory::read(&disk, &before)?;
                let lost_pages = lost_pages(&disk, &before, &directory)?;
                let opened = Opened::FellBack { from: newest.generation, lost_pages };
                (before, None, directory, opened)
            }
            (Err(error), _) => return Err(error),
        };
        Ok(Self {
            disk,
            block,
            before,
            directory,
            space: None,
            // A number that was used is not used again, and the damaged slot is.
            next: newest.generation + if block == newest { 1 } else { 2 },
            is_changed: false,
            opened,
            access: Access::Write,
        })
    }

    /// Finds the blocks that neither this commit nor the one before it needs.
    pub(super) fn find_space(&self) -> Result<Space, StoreError> {
        let here = self.places_of(&self.block)?;
        let before = match self.before.as_ref().map(|before| self.places_of(before)) {
            // A damaged one is no use any more, and nothing of it is worth keeping.
            None | Some(Err(StoreError::Damaged { .. })) => Vec::new(),
            Some(found) => found?,
        };
        let is_here =
            |place: &Place| here.binary_search_by_key(&place.offset, |place| place.offset).is_ok();
        let let_go = before.into_iter().filter(|place| !is_here(place)).collect();
        Ok(Space::of(&here, let_go))
    }

    /// Where all extents of a commit stand, in order.
    fn places_of(&self, block: &Superblock) -> Result<Vec<Place>, StoreError> {
        let directory = Directory::read(&self.disk, block)?;
        let mut places = vec![block.root];
        places.extend(directory.page_places());
        for page in 0..directory.page_count() {
            let entries = directory.entries_of(&self.disk, block.generation, page)?;
            places.extend(entries.iter().map(|entry| entry.place));
        }
        places.sort_by_key(|place| place.offset);
        Ok(places)
    }

    /// Bytes of all extents of the last commit, with their headers.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`], [`StoreError::Overtaken`], [`StoreError::Io`].
    pub fn live_bytes(&self) -> Result<u64, StoreError> {
        let mut bytes = 0;
        for page in 0..self.directory.page_count() {
            let held = self.block.generation;
            let entries = self.directory.entries_of(&self.disk, held, page)?;
            bytes += entries.iter().map(|entry| entry.place.bytes()).sum::<u64>();
        }
        Ok(bytes)
    }
}

/// Pages of a directory that are damaged.
fn lost_pages(disk: &Disk, block: &Superblock, directory: &Directory) -> Result<usize, StoreError> {
    let mut lost = 0;
    for page in 0..directory.page_count() {
        match directory.entries_of(disk, block.generation, page) {
            Ok(_) => {}
            Err(StoreError::Damaged { .. }) => lost += 1,
            Err(error) => return Err(error),
        }
    }
    Ok(lost)
}

/// Why none of the slots will do.
fn refusal(slots: &[Slot; 2]) -> StoreError {
    let newer = slots.iter().find_map(|slot| match slot {
        Slot::Newer(found) => Some(StoreError::Newer { found: *found }),
        _ => None,
    });
    let is_foreign = slots.iter().all(|slot| matches!(slot, Slot::Foreign | Slot::Empty));
    newer.unwrap_or(if is_foreign { StoreError::NotAWorld } else { StoreError::NoCommit })
}
