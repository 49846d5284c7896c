//! Reading all of a commit.

use crate::store::key::Key;
use crate::store::layout::Role;
use crate::store::place::ExtentPlace;
use crate::store::record::{KeptRecord, KeyEntry};
use crate::store::registry::Commit;
use crate::store::{Store, StoreError, Verified};
use std::collections::HashSet;
use std::sync::Arc;

impl Store {
    /// Checks every page of the directory and every extent of the last commit, and shows each sound
    /// extent to `look`; then checks the further extents of kept commits, and of the commit before
    /// the last one, to which a damaged file falls back.
    ///
    /// # Errors
    ///
    /// [`StoreError::Overtaken`], [`StoreError::Io`].
    pub fn verify(&self, look: impl FnMut(Key, &[u8])) -> Result<Verified, StoreError> {
        let mut verified = Verified::default();
        self.view().verify(&mut verified, look)?;
        let Ok(kept) = self.kept.records() else {
            verified.kept_damaged.push((None, None));
            return Ok(verified);
        };
        let mut older = Older { store: self, known: HashSet::new() };
        for page in 0..self.directory.page_count() {
            older.known.extend(self.directory.page_place(page));
            let entries = self.directory.entries_of(&self.disk, self.last.held(), page);
            older.known.extend(entries.unwrap_or_default().iter().map(|entry| entry.place));
        }
        for record in kept.iter().rev() {
            let mut damaged = Vec::new();
            older.check(self.kept_commit(record), &mut damaged)?;
            let generation = Some(record.tree.generation.number());
            verified.kept_damaged.extend(damaged.into_iter().map(|key| (generation, key)));
        }
        match older.check_before(&mut verified.before_damaged) {
            // A different process has written two commits since: this one is of no use any more.
            Err(StoreError::Overtaken { .. }) => verified.before_damaged.clear(),
            checked => checked?,
        }
        Ok(verified)
    }
}

/// The check of older commits: extents of newer commits have been checked already.
struct Older<'a> {
    store: &'a Store,
    known: HashSet<ExtentPlace>,
}

impl Older<'_> {
    /// Checks the commit before the last one, which the other superblock finds.
    fn check_before(&mut self, damaged: &mut Vec<Option<Key>>) -> Result<(), StoreError> {
        let store = self.store;
        let Some(block) = store.before else { return Ok(()) };
        // If another process writes, this commit may be overwritten one commit earlier than the
        // last.
        let safe_to = store.last.safe_to.map(|_| block.generation);
        let commit = Commit::find(&store.disk, block, safe_to).map(Arc::new);
        if let Ok(commit) = &commit {
            match commit.kept.records() {
                Err(_) => damaged.push(None),
                Ok(kept) => {
                    // Commits that the last commit keeps as well have been checked.
                    let known_records: HashSet<KeptRecord> =
                        store.kept.records()?.iter().copied().collect();
                    let is_other = |record: &&KeptRecord| !known_records.contains(record);
                    for record in kept.iter().rev().filter(is_other) {
                        let kept = Commit::of_kept(&store.disk, record.tree, safe_to).map(Arc::new);
                        self.check(kept, damaged)?;
                    }
                }
            }
        }
        self.check(commit, damaged)
    }

    /// Checks the extents of an older commit that have not been checked yet.
    fn check(
        &mut self,
        commit: Result<Arc<Commit>, StoreError>,
        damaged: &mut Vec<Option<Key>>,
    ) -> Result<(), StoreError> {
        let commit = match commit {
            Err(StoreError::Damaged { .. }) => {
                damaged.push(None);
                return Ok(());
            }
            commit => commit?,
        };
        let (directory, held, mut bytes) = (&commit.directory, commit.held(), Vec::new());
        for page in 0..directory.page_count() {
            if directory.page_place(page).is_some_and(|place| !self.known.insert(place)) {
                continue;
            }
            let entries = match directory.entries_of(&self.store.disk, held, page) {
                Err(StoreError::Damaged { .. }) => {
                    damaged.push(None);
                    continue;
                }
                entries => entries?,
            };
            for KeyEntry { key, place } in entries {
                if self.known.insert(place) {
                    match self.store.disk.read((Role::Layer, key), place, held, &mut bytes) {
                        Err(StoreError::Damaged { .. }) => damaged.push(Some(key)),
                        read => read?,
                    }
                }
            }
        }
        Ok(())
    }
}
