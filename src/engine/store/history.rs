//! Kept commits: earlier states of a world that stay readable.
//!
//! The superblock finds a list of kept commits, each with its root. Commits share their unchanged
//! parts, so a kept commit costs only the changes since.

use crate::store::kept::KeptCommit;
use crate::store::place::ExtentPlace;
use crate::store::record::KeptRecord;
use crate::store::registry::Commit;
use crate::store::{Reader, Store, StoreError};
use std::collections::HashSet;
use std::sync::Arc;

impl Store {
    /// Returns the kept commits, oldest first.
    ///
    /// # Errors
    ///
    /// [`StoreError::KeptUnknown`].
    pub fn kept(&self) -> Result<Vec<KeptCommit>, StoreError> {
        let kept = |record: &KeptRecord| {
            let KeptRecord { label, tree } = record;
            KeptCommit { generation: tree.generation.number(), label: *label }
        };
        Ok(self.kept.records()?.iter().map(kept).collect())
    }

    /// Keeps the last commit until it is released with [`Store::forget`], and returns its number.
    /// The keeping is part of the commit under way, and is durable once that is. A commit that is
    /// kept again has the new label.
    ///
    /// # Errors
    ///
    /// [`StoreError::ReadOnly`], [`StoreError::Poisoned`], [`StoreError::KeptUnknown`].
    pub fn keep(&mut self, label: u64) -> Result<u64, StoreError> {
        self.must_write()?;
        let tree = self.last.tree;
        let kept = self.kept.records_mut()?;
        kept.retain(|kept| kept.tree.generation != tree.generation);
        // The last commit has the largest number, so the list stays in order for binary searches.
        kept.push(KeptRecord { label, tree });
        self.is_changed = true;
        Ok(tree.generation.number())
    }

    /// Stops keeping a commit; returns false if it is not kept. Its space is used again two commits
    /// later, and not before its readers are dropped.
    ///
    /// # Errors
    ///
    /// The errors of [`Store::keep`].
    pub fn forget(&mut self, generation: u64) -> Result<bool, StoreError> {
        self.must_write()?;
        let kept = self.kept.records_mut()?;
        let before = kept.len();
        kept.retain(|kept| kept.tree.generation.number() != generation);
        let is_forgotten = kept.len() < before;
        self.is_changed |= is_forgotten;
        Ok(is_forgotten)
    }

    /// Returns a reader of a kept commit or of the last one.
    ///
    /// # Errors
    ///
    /// [`StoreError::NotKept`], [`StoreError::KeptUnknown`]; [`StoreError::Damaged`],
    /// [`StoreError::Overtaken`], [`StoreError::Io`].
    pub fn reader_at(&self, generation: u64) -> Result<Reader, StoreError> {
        if generation == self.generation() {
            return Ok(self.reader());
        }
        let kept = self.kept.records()?;
        let found = kept.binary_search_by_key(&generation, |kept| kept.tree.generation.number());
        let Ok(at) = found else { return Err(StoreError::NotKept { generation }) };
        Ok(Reader::of(self, self.kept_commit(&kept[at])?))
    }

    /// Goes back to a kept commit: the commit under way begins with the content of that one, and
    /// shares it. Puts and removals since the last commit are dropped; calls of [`Store::keep`] and
    /// [`Store::forget`] are not. Nothing is durable before [`Store::commit`], and
    /// [`Store::roll_back`] reverts it.
    ///
    /// # Errors
    ///
    /// [`StoreError::NotKept`], [`StoreError::ReadOnly`], [`StoreError::Poisoned`],
    /// [`StoreError::Damaged`], [`StoreError::Io`]: then the commit under way is the last one.
    pub fn return_to(&mut self, generation: u64) -> Result<(), StoreError> {
        self.must_write()?;
        let then = self.reader_at(generation)?;
        let kept = self.kept.clone();
        self.roll_back();
        (self.is_changed, self.kept) = (kept != self.kept, kept);
        if generation == self.generation() {
            return Ok(());
        }
        let now = self.reader();
        let (mut gone, mut back) = (now.places_beside(&then)?, then.places_beside(&now)?);
        let set = |places: &[ExtentPlace]| places.iter().copied().collect::<HashSet<ExtentPlace>>();
        let (stood, stands) = (set(&gone), set(&back));
        // A page with one changed entry is another page on each side. Extents that both pages list
        // neither go nor come back.
        gone.retain(|place| !stands.contains(place));
        back.retain(|place| !stood.contains(place));
        let next = self.next()?;
        let space = self.know_space()?;
        space.take_back(&back);
        gone.into_iter().for_each(|place| space.replace(place.into(), next));
        self.directory = then.hold.commit().directory.clone();
        self.is_changed = true;
        Ok(())
    }

    /// Returns a kept commit, shared with its readers.
    pub(super) fn kept_commit(&self, kept: &KeptRecord) -> Result<Arc<Commit>, StoreError> {
        let read = self.registry.read();
        match read.into_iter().find(|commit| commit.tree == kept.tree) {
            Some(commit) => Ok(commit),
            None => Commit::of_kept(&self.disk, kept.tree, self.last.safe_to).map(Arc::new),
        }
    }
}
