//! Opening a world file: which commit to trust.
//!
//! The newest superblock that is whole, and the root of whose directory is. Where that may not be
//! the newest there was, the whole directory is read first, and how much of it is gone is told.

use crate::store::Access;
use crate::store::Store;
use crate::store::StoreError;
use crate::store::backend::Backend;
use crate::store::backend::file::WorldFile;
use crate::store::directory::Directory;
use crate::store::directory::Held;
use crate::store::disk::Disk;
use crate::store::history;
use crate::store::layout::Place;
use crate::store::layout::Slot;
use crate::store::layout::Superblock;
use crate::store::registry::Commit;
use crate::store::registry::Registry;
use crate::store::space;
use crate::store::space::Space;
use crate::store::view::View;
use std::collections::HashSet;
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

/// Why the extents of a commit stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Need {
    /// Somebody reads it.
    Read,
    /// It is kept.
    Kept,
    /// The commit before the last one is it, or kept it. A damaged one is no use any more, and
    /// nothing of it is worth keeping.
    Older,
}

/// A commit by its number.
type Found = (u64, Need, Result<Arc<Commit>, StoreError>);

impl Store {
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

    /// A commit, open to be written.
    pub(super) fn of(disk: Disk, last: Commit) -> Self {
        let last = Arc::new(last);
        Self {
            disk: Arc::new(disk),
            before: None,
            registry: Registry::new(Arc::clone(&last)),
            directory: last.directory.clone(),
            kept: last.kept.clone(),
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
        (self.directory, self.kept) = (commit.directory.clone(), commit.kept.clone());
        (self.last, self.opened) = (Arc::new(commit), Opened::Whole);
        self.registry.publish(Arc::clone(&self.last));
        Ok(true)
    }

    /// Finds the blocks that no commit needs that is the last one or the one before, is kept by one
    /// of these, or is read.
    pub(super) fn find_space(&self) -> Result<Space, StoreError> {
        let mut known = HashSet::new();
        let here = self.places_of(&self.last, &mut known)?;
        let mut commits = self.commits_held()?;
        // What two of them have is held by the newer one.
        commits.sort_by_key(|(generation, ..)| std::cmp::Reverse(*generation));
        let mut held = Vec::new();
        for (generation, need, commit) in commits {
            let places = commit.and_then(|commit| self.places_of(&commit, &mut known));
            let places = match need {
                Need::Read => Some(places?),
                Need::Kept => Some(places.map_err(kept_damage)?),
                Need::Older => sound(places)?,
            };
            held.extend(places.map(|places| (generation, places)));
        }
        Ok(Space::of(self.last.block.generation, &here, &held))
    }

    /// The commits beside the last one whose extents stay, each as it was found.
    fn commits_held(&self) -> Result<Vec<Found>, StoreError> {
        let mut commits = Vec::new();
        let mut forgotten = Vec::new();
        if let Some(before) = self.before {
            let commit = Commit::read(&self.disk, before, u64::MAX).map(Arc::new);
            if let Ok(commit) = &commit {
                forgotten.extend(commit.kept.iter().flat_map(|kept| kept.iter().copied()));
            }
            commits.push((before.generation, Need::Older, commit));
        }
        for commit in self.registry.read() {
            commits.push((commit.block.generation, Need::Read, Ok(commit)));
        }
        let last = self.last.kept.as_deref().ok_or(StoreError::KeptUnknown)?;
        for kept in last {
            let is_kept = self.records()?.contains(kept);
            let need = if is_kept { Need::Kept } else { Need::Older };
            commits.push((kept.block.generation, need, self.kept_commit(kept)));
        }
        for kept in forgotten.iter().filter(|kept| !last.contains(kept)) {
            commits.push((kept.block.generation, Need::Older, self.kept_commit(kept)));
        }
        Ok(commits)
    }

    /// Where all that a commit needs stands, but for what is known, where it begins.
    fn places_of(
        &self,
        commit: &Commit,
        known: &mut HashSet<u64>,
    ) -> Result<Vec<Place>, StoreError> {
        let mut places = vec![commit.block.root];
        places.extend(commit.block.kept.map(space::of_nobody));
        let directory = &commit.directory;
        for page in 0..directory.page_count() {
            // What a known page lists is known.
            let place = directory.page_place(page).expect("pages of a commit are written");
            if !known.contains(&place.offset) {
                let entries = directory.entries_of(&self.disk, commit.held(), page)?;
                places.push(place);
                places.extend(entries.iter().map(|entry| entry.place));
            }
        }
        places.retain(|place| !known.contains(&place.offset));
        known.extend(places.iter().map(|place| place.offset));
        Ok(places)
    }
}

/// What was found, unless it is damaged.
fn sound<T>(found: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(StoreError::Damaged { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// What is said of a damaged commit that is to be kept.
fn kept_damage(error: StoreError) -> StoreError {
    match error {
        StoreError::Damaged { .. } => StoreError::Damaged {
            key: None,
            what: "a kept commit is damaged, and nothing can be written before it is forgotten",
        },
        error => error,
    }
}

impl Commit {
    /// The commit of a superblock.
    pub(super) fn read(disk: &Disk, block: Superblock, safe_to: u64) -> Result<Self, StoreError> {
        let directory = Directory::read(disk, &block, safe_to)?;
        let held = Held { generation: block.generation, safe_to };
        let kept = sound(history::read(disk, &block, held))?.map(Arc::new);
        Ok(Self { block, directory, kept, safe_to })
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
