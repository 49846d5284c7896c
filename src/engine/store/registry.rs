//! The commits of a world that are read in this process.
//!
//! The extents of a commit that is read are not overwritten. The writer reports each new commit
//! here, so a reader can move on to it without the writer.

use crate::store::directory::CommitDirectory;
use crate::store::kept::KeptList;
use crate::store::layout::VERSION;
use crate::store::place::{ExtentPlace, Generation, HeldCommit};
use crate::store::record::{Superblock, Tree};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A commit with everything needed to read it.
#[derive(Debug)]
pub struct Commit {
    /// Place that finds the commit.
    pub tree: Tree,
    /// Directory of the commit.
    pub directory: CommitDirectory,
    /// Commits that it keeps, oldest first; damaged if the list is.
    pub kept: KeptList,
    /// Place of this list; `None` if it is damaged or missing.
    pub list: Option<ExtentPlace>,
    /// The format of its superblock.
    pub version: u32,
    /// Commit up to which its extents are certainly intact, as in [`HeldCommit::safe_to`]; `None`
    /// if they stay.
    pub safe_to: Option<Generation>,
}

impl Commit {
    /// Returns the parts of the commit that reading needs.
    #[must_use]
    pub fn held(&self) -> HeldCommit {
        HeldCommit { generation: self.tree.generation, safe_to: self.safe_to }
    }

    /// Returns the number of the commit.
    #[must_use]
    pub fn generation(&self) -> Generation {
        self.tree.generation
    }

    /// Returns the superblock that finds the commit in a file, in the format that this build
    /// writes.
    #[must_use]
    pub fn superblock(&self) -> Superblock {
        let Tree { generation, root, extents } = self.tree;
        let kept = self.list.map(ExtentPlace::record);
        Superblock { generation, root: root.record(), extents, kept, version: VERSION }
    }
}

/// Readers of a world, and the newest commit available to them.
#[derive(Debug)]
pub struct Registry(Mutex<RegistryEntries>);

#[derive(Debug)]
struct RegistryEntries {
    latest: Arc<Commit>,
    /// Commits that are read, by number, each with its number of readers.
    read: BTreeMap<Generation, (usize, Arc<Commit>)>,
}

impl Registry {
    /// Creates a registry without readers.
    #[must_use]
    pub fn new(latest: Arc<Commit>) -> Arc<Self> {
        Arc::new(Self(Mutex::new(RegistryEntries { latest, read: BTreeMap::new() })))
    }

    fn entries(&self) -> MutexGuard<'_, RegistryEntries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a commit available to readers.
    pub fn publish(&self, latest: Arc<Commit>) {
        self.entries().latest = latest;
    }

    /// Returns the commits that are read.
    #[must_use]
    pub fn read(&self) -> Vec<Arc<Commit>> {
        self.entries().read.values().map(|(_, commit)| Arc::clone(commit)).collect()
    }

    /// Returns the number of the newest commit.
    #[must_use]
    pub fn newest(&self) -> Generation {
        self.entries().latest.generation()
    }

    /// Registers a reader of the newest commit.
    #[must_use]
    pub fn hold_latest(self: &Arc<Self>) -> CommitHold {
        // One lock for both steps: between them the writer could publish two commits and, as nobody
        // is registered, overwrite extents of this one.
        let mut entries = self.entries();
        let commit = Arc::clone(&entries.latest);
        self.hold_in(&mut entries, commit)
    }

    /// Registers a reader of a commit whose extents are certainly intact.
    #[must_use]
    pub fn hold(self: &Arc<Self>, commit: Arc<Commit>) -> CommitHold {
        self.hold_in(&mut self.entries(), commit)
    }

    fn hold_in(self: &Arc<Self>, entries: &mut RegistryEntries, commit: Arc<Commit>) -> CommitHold {
        let generation = commit.generation();
        let (count, _) = entries.read.entry(generation).or_insert_with(|| (0, Arc::clone(&commit)));
        *count += 1;
        CommitHold { registry: Arc::clone(self), commit }
    }
}

/// A registered reader of a commit: the extents of the commit stay until it is dropped.
#[derive(Debug)]
pub struct CommitHold {
    registry: Arc<Registry>,
    commit: Arc<Commit>,
}

impl CommitHold {
    /// Returns the commit.
    #[must_use]
    pub fn commit(&self) -> &Commit {
        &self.commit
    }

    /// Returns the registry of all readers.
    #[must_use]
    pub fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }
}

impl Clone for CommitHold {
    fn clone(&self) -> Self {
        self.registry.hold(Arc::clone(&self.commit))
    }
}

impl Drop for CommitHold {
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
