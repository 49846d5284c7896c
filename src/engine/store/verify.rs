//! Reading all of a commit.

use crate::store::key::Key;
use crate::store::layout::Role;
use crate::store::place::Place;
use crate::store::record::{Entry, KeptRecord};
use crate::store::registry::Commit;
use crate::store::{Store, StoreError, Verified};
use std::collections::HashSet;
use std::sync::Arc;

impl Store {
    /// Checks every page of the directory and every extent of the last commit, and shows each that
    /// is sound to `look`; then what else kept commits have, and the commit before the last one,
    /// which a damaged file falls back to.
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
            // Another process has written two commits since: this one is no use any more.
            Err(StoreError::Overtaken { .. }) => verified.before_damaged.clear(),
            checked => checked?,
        }
        Ok(verified)
    }
}

/// The check of older commits: what is known of newer ones is checked already.
struct Older<'a> {
    store: &'a Store,
    known: HashSet<Place>,
}

impl Older<'_> {
    /// Checks the commit that the other superblock finds.
    fn check_before(&mut self, damaged: &mut Vec<Option<Key>>) -> Result<(), StoreError> {
        let store = self.store;
        let Some(block) = store.before else { return Ok(()) };
        let safe_to = store.last.safe_to.map(|_| block.generation);
        let commit = Commit::find(&store.disk, block, safe_to).map(Arc::new);
        if let Ok(commit) = &commit {
            match commit.kept.records() {
                Err(_) => damaged.push(None),
                Ok(kept) => {
                    // What the last commit keeps as well has been checked.
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

    /// Checks what an older commit has beside what is known.
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
            for Entry { key, place } in entries {
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
