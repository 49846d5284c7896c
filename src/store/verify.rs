//! Reading all of a commit.

use crate::store::key::Key;
use crate::store::layout::{Entry, KeptRecord, Role};
use crate::store::place::Place;
use crate::store::registry::Commit;
use crate::store::{Store, StoreError};
use std::collections::HashSet;
use std::sync::Arc;

/// Result of a check of all extents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verified {
    /// Extents that are what was written.
    pub sound: u64,
    /// Bytes that they hold.
    pub bytes: u64,
    /// Extents that are damaged.
    pub damaged: Vec<Key>,
    /// Pages of the directory that are not: what they listed is gone.
    pub lost_pages: usize,
    /// Damage in kept commits: the commit and the key; no key where it is a part of its directory,
    /// no commit where it is the list of them.
    pub kept_damaged: Vec<(Option<u64>, Option<Key>)>,
    /// Damage in the commit before the last one, which the other superblock finds, and in extents
    /// that only that one keeps: the key; no key where it is a part of its directory or its list.
    /// The next commit takes its place.
    pub before_damaged: Vec<Option<Key>>,
    /// Extents that the superblock counts and that the directory lists, where these differ and no
    /// page is lost.
    pub miscounted: Option<(u64, u64)>,
}

impl Verified {
    /// True where nothing is amiss.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        let is_whole = self.damaged.is_empty() && self.lost_pages == 0;
        let is_counted = self.miscounted.is_none();
        is_whole && is_counted && self.kept_damaged.is_empty() && self.before_damaged.is_empty()
    }
}

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
        let Ok(kept) = self.records() else {
            verified.kept_damaged.push((None, None));
            return Ok(verified);
        };
        let mut known = HashSet::new();
        for page in 0..self.directory.page_count() {
            known.extend(self.directory.page_place(page));
            let entries = self.directory.entries_of(&self.disk, self.last.held(), page);
            known.extend(entries.unwrap_or_default().iter().map(|entry| entry.place));
        }
        for record in kept.iter().rev() {
            let mut damaged = Vec::new();
            self.verify_older(self.kept_commit(record), &mut known, &mut damaged)?;
            let generation = Some(record.tree.generation.number());
            verified.kept_damaged.extend(damaged.into_iter().map(|key| (generation, key)));
        }
        match self.verify_before(&mut known, &mut verified.before_damaged) {
            // Another process has written two commits since: this one is no use any more.
            Err(StoreError::Overtaken { .. }) => verified.before_damaged.clear(),
            checked => checked?,
        }
        Ok(verified)
    }

    /// Checks the commit that the other superblock finds.
    fn verify_before(
        &self,
        known: &mut HashSet<Place>,
        damaged: &mut Vec<Option<Key>>,
    ) -> Result<(), StoreError> {
        let Some(block) = self.before else { return Ok(()) };
        let safe_to = self.last.safe_to.map(|_| block.generation);
        let commit = Commit::find(&self.disk, block, safe_to).map(Arc::new);
        if let Ok(commit) = &commit {
            match &commit.kept {
                None => damaged.push(None),
                Some(kept) => {
                    // What the last commit keeps as well has been checked.
                    let known_records: HashSet<KeptRecord> =
                        self.records()?.iter().copied().collect();
                    let is_other = |record: &&KeptRecord| !known_records.contains(record);
                    for record in kept.iter().rev().filter(is_other) {
                        let kept = Commit::of_kept(&self.disk, record.tree, safe_to).map(Arc::new);
                        self.verify_older(kept, known, damaged)?;
                    }
                }
            }
        }
        self.verify_older(commit, known, damaged)
    }

    /// Checks what an older commit has beside what is known.
    fn verify_older(
        &self,
        commit: Result<Arc<Commit>, StoreError>,
        known: &mut HashSet<Place>,
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
            if directory.page_place(page).is_some_and(|place| !known.insert(place)) {
                continue;
            }
            let entries = match directory.entries_of(&self.disk, held, page) {
                Err(StoreError::Damaged { .. }) => {
                    damaged.push(None);
                    continue;
                }
                entries => entries?,
            };
            for Entry { key, place } in entries {
                if known.insert(place) {
                    match self.disk.read((Role::Layer, key), place, held, &mut bytes) {
                        Err(StoreError::Damaged { .. }) => damaged.push(Some(key)),
                        read => read?,
                    }
                }
            }
        }
        Ok(())
    }
}
