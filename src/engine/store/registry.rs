//! Which commits of a world are read in this process.
//!
//! A reader *holds* its commit: what only held commits refer to is not written over. The writer
//! reports each new commit here, so a reader can move on to it without the writer.

use crate::store::directory::Directory;
use crate::store::kept::KeptList;
use crate::store::layout::VERSION;
use crate::store::place::{Generation, Held, Place};
use crate::store::record::{Superblock, Tree};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A commit as it is read.
#[derive(Debug)]
pub struct Commit {
    /// Place that finds the commit.
    pub tree: Tree,
    /// Directory of the commit.
    pub directory: Directory,
    /// Commits that it keeps, oldest first; none where the list is damaged.
    pub kept: KeptList,
    /// Where the list of these stands; none where it is damaged, or there is none.
    pub list: Option<Place>,
    /// The format of its superblock.
    pub version: u32,
    /// Up to which commit its extents are known to stand; none where they stay.
    pub safe_to: Option<Generation>,
}

impl Commit {
    /// Commit as reading needs it.
    #[must_use]
    pub fn held(&self) -> Held {
        Held { generation: self.tree.generation, safe_to: self.safe_to }
    }

    /// Number of the commit.
    #[must_use]
    pub fn generation(&self) -> Generation {
        self.tree.generation
    }

    /// Superblock that finds the commit in a file, in the format that this build writes.
    #[must_use]
    pub fn superblock(&self) -> Superblock {
        let Tree { generation, root, extents } = self.tree;
        let kept = self.list.map(Place::record);
        Superblock { generation, root: root.record(), extents, kept, version: VERSION }
    }
}

/// Readers of a world, and the newest commit they can have.
#[derive(Debug)]
pub struct Registry(Mutex<Entries>);

#[derive(Debug)]
struct Entries {
    latest: Arc<Commit>,
    /// Commits that are read, by number: how many readers they have.
    read: BTreeMap<Generation, (usize, Arc<Commit>)>,
}

impl Registry {
    /// No readers yet.
    #[must_use]
    pub fn new(latest: Arc<Commit>) -> Arc<Self> {
        Arc::new(Self(Mutex::new(Entries { latest, read: BTreeMap::new() })))
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on readers can have this commit.
    pub fn publish(&self, latest: Arc<Commit>) {
        self.entries().latest = latest;
    }

    /// The commits that are read.
    #[must_use]
    pub fn read(&self) -> Vec<Arc<Commit>> {
        self.entries().read.values().map(|(_, commit)| Arc::clone(commit)).collect()
    }

    /// Number of the newest commit.
    #[must_use]
    pub fn newest(&self) -> Generation {
        self.entries().latest.generation()
    }

    /// Holds the newest commit.
    #[must_use]
    pub fn hold_latest(self: &Arc<Self>) -> Hold {
        let mut entries = self.entries();
        let commit = Arc::clone(&entries.latest);
        self.hold_in(&mut entries, commit)
    }

    /// Holds a commit whose extents are known to stand still.
    #[must_use]
    pub fn hold(self: &Arc<Self>, commit: Arc<Commit>) -> Hold {
        self.hold_in(&mut self.entries(), commit)
    }

    fn hold_in(self: &Arc<Self>, entries: &mut Entries, commit: Arc<Commit>) -> Hold {
        let generation = commit.generation();
        let (count, _) = entries.read.entry(generation).or_insert_with(|| (0, Arc::clone(&commit)));
        *count += 1;
        Hold { registry: Arc::clone(self), commit }
    }
}

/// A commit that stays while this is there.
#[derive(Debug)]
pub struct Hold {
    registry: Arc<Registry>,
    commit: Arc<Commit>,
}

impl Hold {
    /// The commit.
    #[must_use]
    pub fn commit(&self) -> &Commit {
        &self.commit
    }

    /// Who else reads.
    #[must_use]
    pub fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }
}

impl Clone for Hold {
    fn clone(&self) -> Self {
        self.registry.hold(Arc::clone(&self.commit))
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        let generation = self.commit.generation();
        let mut entries = self.registry.entries();
        if let Some((count, _)) = entries.read.get_mut(&generation) {
            *count -= 1;
            if *count == 0 {
                entries.read.remove(&generation);
            }
        }
    }
}
