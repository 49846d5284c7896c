//! Opening a world file: which commit to trust.
//!
//! The newest superblock that is whole, and the root of whose directory is. Where that may not be
//! the newest there was, the whole directory is read first, and the part of it that is gone is
//! reported.

use crate::store::backend::Backend;
use crate::store::backend::file::WorldFile;
use crate::store::directory::{Directory, Held};
use crate::store::disk::Disk;
use crate::store::layout::{KeptRecord, Role, Slot, Superblock, Tree, VERSION};
use crate::store::place::{Generation, Place};
use crate::store::registry::{Commit, Registry};
use crate::store::space::{Space, Stay};
use crate::store::view::View;
use crate::store::{Access, Store, StoreError, history};
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
    /// The commit is kept.
    Kept,
    /// The commit before the last one is it, or kept it. A damaged one is no use any more, and
    /// nothing of it is worth keeping.
    Older,
}

/// A commit whose extents stay.
#[derive(Debug)]
enum Holder {
    /// The commit has been read.
    Commit(Arc<Commit>),
    /// The commit is read when its extents are counted: one at a time.
    Kept(KeptRecord),
}

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
        let is_first = newest.generation == Generation::FIRST && slots.contains(&Slot::Empty);
        let is_alone = before.is_none() && !is_first;
        let read = |block: Superblock| {
            Commit::find(&disk, block, (access == Access::Read).then_some(block.generation))
        };
        // A number that was used is not used again, and the damaged slot is.
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
        let Some((commit, before)) = newer(&self.disk, self.last.generation())? else {
            return Ok(false);
        };
        self.before = before;
        (self.directory, self.kept) = (commit.directory.clone(), commit.kept.clone());
        (self.last, self.opened) = (Arc::new(commit), Opened::Whole);
        self.registry.publish(Arc::clone(&self.last));
        Ok(true)
    }

    /// Finds the blocks that no commit needs that is the last one or the one before, is kept by one
    /// of these, or is read.
    pub(super) fn find_space(&self) -> Result<Space, StoreError> {
        let mut known = HashSet::new();
        let (here, extents) = self.places_of(&self.last, &mut known)?;
        if extents != self.last.tree.extents {
            let what = "its superblock counts other extents than it lists";
            return Err(StoreError::Damaged { key: None, what });
        }
        let mut commits = self.commits_held()?;
        // What two of them have is held by the newer one.
        commits.sort_by_key(|(generation, ..)| std::cmp::Reverse(*generation));
        let mut held = Vec::new();
        for (generation, need, holder) in commits {
            let commit = match holder {
                Holder::Commit(commit) => Ok(commit),
                Holder::Kept(kept) => self.kept_commit(&kept),
            };
            let places = commit.and_then(|commit| self.places_of(&commit, &mut known));
            let places = places.map(|(places, _)| places);
            let places = match need {
                Need::Read => Some(places?),
                Need::Kept => Some(places.map_err(kept_damage)?),
                Need::Older => sound(places)?,
            };
            held.extend(places.map(|places| (generation, places)));
        }
        Space::of(self.last.generation(), &here, &held)
    }

    /// The commits beside the last one whose extents stay.
    fn commits_held(&self) -> Result<Vec<(Generation, Need, Holder)>, StoreError> {
        let mut commits = Vec::new();
        let last = self.last.kept.as_deref().ok_or(StoreError::KeptUnknown)?;
        let known: HashSet<KeptRecord> = last.iter().copied().collect();
        let records: HashSet<KeptRecord> = self.records()?.iter().copied().collect();
        let before = self.before.map(|before| sound(Commit::find(&self.disk, before, None)));
        if let Some(before) = before.transpose()?.flatten() {
            let forgotten = before.kept.iter().flat_map(|kept| kept.iter());
            for kept in forgotten.filter(|kept| !known.contains(*kept)) {
                commits.push((kept.tree.generation, Need::Older, Holder::Kept(*kept)));
            }
            let before = Arc::new(before);
            commits.push((before.generation(), Need::Older, Holder::Commit(before)));
        }
        for commit in self.registry.read() {
            commits.push((commit.generation(), Need::Read, Holder::Commit(commit)));
        }
        for kept in last {
            let need = if records.contains(kept) { Need::Kept } else { Need::Older };
            commits.push((kept.tree.generation, need, Holder::Kept(*kept)));
        }
        Ok(commits)
    }

    /// Where all that a commit needs stands, but for what is known; and how many extents there are
    /// in pages that are not.
    fn places_of(
        &self,
        commit: &Commit,
        known: &mut HashSet<Place>,
    ) -> Result<(Vec<Stay>, u64), StoreError> {
        let mut stays = vec![Stay::from(commit.tree.root)];
        stays.extend(commit.list.map(Stay::for_nobody));
        let (directory, mut extents) = (&commit.directory, 0);
        for page in 0..directory.page_count() {
            // What a known page lists is known.
            let place = directory.page_place(page).expect("pages of a commit are written");
            if !known.contains(&place) {
                let entries = directory.entries_of(&self.disk, commit.held(), page)?;
                extents += entries.len() as u64;
                stays.push(place.into());
                stays.extend(entries.iter().map(|entry| Stay::from(entry.place)));
            }
        }
        stays.retain(|stay| !known.contains(&stay.place));
        known.extend(stays.iter().map(|stay| stay.place));
        Ok((stays, extents))
    }
}

/// Value found, unless it is damaged.
fn sound<T>(found: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(StoreError::Damaged { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Error of a damaged commit that is to be kept.
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
    /// The commit that a superblock finds.
    pub(super) fn find(
        disk: &Disk,
        block: Superblock,
        safe_to: Option<Generation>,
    ) -> Result<Self, StoreError> {
        let Superblock { generation, root, extents, kept, version } = block;
        let held = Held { generation, safe_to };
        let root = root.check(Role::Root, disk.bounds(generation)?).ok_or(StoreError::Damaged {
            key: None,
            what: "its root lies beyond the file or in its head, or is of another commit",
        })?;
        let tree = Tree { generation, root, extents };
        let directory = Directory::read(disk, tree, held)?;
        let (list, kept) = match kept {
            None => (None, Some(Arc::default())),
            Some(place) => match sound(history::read(disk, place, held))? {
                None => (None, None),
                Some((list, kept)) => (Some(list), Some(Arc::new(kept))),
            },
        };
        Ok(Self { tree, directory, kept, list, version, safe_to })
    }

    /// A commit that another one keeps.
    pub(super) fn of_kept(
        disk: &Disk,
        tree: Tree,
        safe_to: Option<Generation>,
    ) -> Result<Self, StoreError> {
        let held = Held { generation: tree.generation, safe_to };
        let directory = Directory::read(disk, tree, held)?;
        let (list, kept) = (None, Some(Arc::default()));
        Ok(Self { tree, directory, kept, list, version: VERSION, safe_to })
    }
}

/// The newest commit of a world that another process writes, where it is newer than `generation`,
/// and the superblock of the one before it.
pub(super) fn newer(
    disk: &Disk,
    generation: Generation,
) -> Result<Option<(Commit, Option<Superblock>)>, StoreError> {
    let mut tries = 0;
    loop {
        let blocks = whole(&disk.slots()?);
        let newest = blocks.first().copied();
        let Some(block) = newest.filter(|block| block.generation > generation) else {
            return Ok(None);
        };
        match Commit::find(disk, block, Some(block.generation)) {
            Err(StoreError::Overtaken { .. }) if tries < OVERTAKEN_TRIES => tries += 1,
            commit => return Ok(Some((commit?, blocks.get(1).copied()))),
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
