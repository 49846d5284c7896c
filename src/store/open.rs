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
use crate::store::registry::Commit;
use crate::store::registry::Registry;
use crate::store::space::Space;
use crate::store::view::View;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// How often a commit is looked for that is written over before it has been read.
const OVERTAKEN_TRIES: u32 = 8;

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
        Self::open_for(Box::new(file), Access::Read)
    }

    /// Makes a world on a backend that is empty.
    ///
    /// # Errors
    ///
    /// [`StoreError::Io`].
    pub fn create_on(backend: Box<dyn Backend>) -> Result<Self, StoreError> {
        let root = Place { offset: 0, length: 0, generation: 0, checksum: 0 };
        let block = Superblock { generation: 0, root, extents: 0 };
        let last = Commit { block, directory: Directory::default(), safe_to: u64::MAX };
        let mut store = Self::of(Disk::new(backend), last);
        (store.space, store.is_changed) = (Some(Space::of(0, &[], &[])), true);
        store.commit()?;
        Ok(store)
    }

    /// A commit, open to be written.
    fn of(disk: Disk, last: Commit) -> Self {
        let last = Arc::new(last);
        Self {
            disk: Arc::new(disk),
            before: None,
            registry: Registry::new(Arc::clone(&last)),
            directory: last.directory.clone(),
            space: None,
            next: last.block.generation + 1,
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
    /// [`StoreError::Damaged`] where no directory is whole, [`StoreError::Io`].
    pub fn open_on(backend: Box<dyn Backend>) -> Result<Self, StoreError> {
        Self::open_for(backend, Access::Write)
    }

    fn open_for(backend: Box<dyn Backend>, access: Access) -> Result<Self, StoreError> {
        let disk = Disk::new(backend);
        let slots = disk.slots()?;
        let blocks = whole(&slots);
        let Some(&newest) = blocks.first() else { return Err(refusal(&slots)) };
        let before = blocks.get(1).copied();
        // The first commit of a world has none before it, and nothing in the other slot.
        let is_first = newest.generation == 1 && slots.contains(&Slot::Empty);
        let is_alone = before.is_none() && !is_first;
        let read = |block: Superblock| {
            let safe_to = if access == Access::Read { block.generation } else { u64::MAX };
            Commit::read(&disk, block, safe_to)
        };
        let (last, before, opened) = match (read(newest), before) {
            (Ok(last), _) if is_alone => {
                let lost_pages = lost_pages(&disk, &last)?;
                (last, None, Opened::OneSlot { lost_pages })
            }
            (Ok(last), before) => (last, before, Opened::Whole),
            (Err(StoreError::Damaged { .. }), Some(before)) => {
                let last = read(before)?;
                let lost_pages = lost_pages(&disk, &last)?;
                (last, None, Opened::FellBack { from: newest.generation, lost_pages })
            }
            (Err(error), _) => return Err(error),
        };
        // A number that was used is not used again, and the damaged slot is.
        let next = newest.generation + if last.block == newest { 1 } else { 2 };
        Ok(Self { before, next, opened, access, ..Self::of(disk, last) })
    }

    /// Moves on to the newest commit of a world that was opened to be read and that another process
    /// writes: false where there is none that is newer. Readers keep the commit that they have.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`], [`StoreError::Overtaken`], [`StoreError::Io`]; then it has the
    /// commit that it had.
    pub fn refresh(&mut self) -> Result<bool, StoreError> {
        if self.access != Access::Read {
            return Ok(false);
        }
        let Some(commit) = newer(&self.disk, self.last.block.generation)? else {
            return Ok(false);
        };
        self.directory = commit.directory.clone();
        (self.last, self.opened) = (Arc::new(commit), Opened::Whole);
        self.registry.publish(Arc::clone(&self.last));
        Ok(true)
    }

    /// Finds the blocks that no commit needs that is open, is read, or is the one before.
    pub(super) fn find_space(&self) -> Result<Space, StoreError> {
        let here = places_of(&self.disk, &self.last)?;
        let mut held = Vec::new();
        if let Some(before) = self.before {
            // A damaged one is no use any more, and nothing of it is worth keeping.
            match Commit::read(&self.disk, before, u64::MAX)
                .and_then(|commit| places_of(&self.disk, &commit))
            {
                Ok(places) => held.push((before.generation, places)),
                Err(StoreError::Damaged { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        for commit in self.registry.read() {
            held.push((commit.block.generation, places_of(&self.disk, &commit)?));
        }
        held.sort_by_key(|(generation, _)| std::cmp::Reverse(*generation));
        Ok(Space::of(self.last.block.generation, &here, &held))
    }
}

impl Commit {
    /// The commit of a superblock.
    pub(super) fn read(disk: &Disk, block: Superblock, safe_to: u64) -> Result<Self, StoreError> {
        let directory = Directory::read(disk, &block, safe_to)?;
        Ok(Self { block, directory, safe_to })
    }
}

/// The newest commit of a world that another process writes, where it is newer than `generation`.
pub(super) fn newer(disk: &Disk, generation: u64) -> Result<Option<Commit>, StoreError> {
    let mut tries = 0;
    loop {
        let newest = whole(&disk.slots()?).first().copied();
        let Some(block) = newest.filter(|block| block.generation > generation) else {
            return Ok(None);
        };
        match Commit::read(disk, block, block.generation) {
            Err(StoreError::Overtaken { .. }) if tries < OVERTAKEN_TRIES => tries += 1,
            commit => return commit.map(Some),
        }
    }
}

/// Superblocks that are whole, the newest first.
fn whole(slots: &[Slot; 2]) -> Vec<Superblock> {
    let whole = |slot: &Slot| if let Slot::Whole(block) = slot { Some(*block) } else { None };
    let mut blocks: Vec<_> = slots.iter().filter_map(whole).collect();
    blocks.sort_by_key(|block| std::cmp::Reverse(block.generation));
    blocks
}

/// Where all that a commit needs stands.
fn places_of(disk: &Disk, commit: &Commit) -> Result<Vec<Place>, StoreError> {
    let view = View { disk, directory: &commit.directory, held: commit.held() };
    let mut places = vec![commit.block.root];
    places.extend(commit.directory.page_places());
    for page in view.pages() {
        places.extend(page?.iter().map(|entry| entry.place));
    }
    Ok(places)
}

/// Pages of a commit's directory that are damaged.
fn lost_pages(disk: &Disk, commit: &Commit) -> Result<usize, StoreError> {
    let view = View { disk, directory: &commit.directory, held: commit.held() };
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

/// Why none of the slots will do.
fn refusal(slots: &[Slot; 2]) -> StoreError {
    let newer = slots.iter().find_map(|slot| match slot {
        Slot::Newer(found) => Some(StoreError::Newer { found: *found }),
        _ => None,
    });
    let is_foreign = slots.iter().all(|slot| matches!(slot, Slot::Foreign | Slot::Empty));
    newer.unwrap_or(if is_foreign { StoreError::NotAWorld } else { StoreError::NoCommit })
}
