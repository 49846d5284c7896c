//! Reading all of a commit.

use crate::store::Store;
use crate::store::StoreError;
use crate::store::key::Key;
use crate::store::layout::Entry;
use crate::store::layout::Role;
use crate::store::registry::Commit;
use std::collections::HashSet;

/// What a check of all extents came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verified {
    /// Extents that are what was written.
    pub sound: u64,
    /// Bytes that they hold.
    pub bytes: u64,
    /// Those that are not.
    pub damaged: Vec<Key>,
    /// Pages of the directory that are not: what they listed is gone.
    pub lost_pages: usize,
    /// What is damaged in kept commits: the commit and the key; no key where it is a part of its
    /// directory, no commit where it is the list of them.
    pub kept_damaged: Vec<(Option<u64>, Option<Key>)>,
}

impl Verified {
    /// True where nothing is amiss.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.damaged.is_empty() && self.lost_pages == 0 && self.kept_damaged.is_empty()
    }
}

impl Store {
    /// Checks every page of the directory and every extent of the last commit, and shows each that
    /// is sound to `look`; then what else kept commits have.
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
        if !kept.is_empty() {
            for page in 0..self.directory.page_count() {
                known.extend(self.directory.page_place(page).map(|place| place.offset));
                let entries = self.directory.entries_of(&self.disk, self.last.held(), page);
                let entries = entries.unwrap_or_default();
                known.extend(entries.iter().map(|entry| entry.place.offset));
            }
        }
        for record in kept.iter().rev() {
            let mut damaged = Vec::new();
            let found = self.kept_commit(record);
            match found.and_then(|commit| self.verify_kept(&commit, &mut known, &mut damaged)) {
                Err(StoreError::Damaged { .. }) => damaged.push(None),
                checked => checked?,
            }
            let generation = Some(record.block.generation);
            verified.kept_damaged.extend(damaged.into_iter().map(|key| (generation, key)));
        }
        Ok(verified)
    }

    /// Checks what a kept commit has beside what is known, by where it begins.
    fn verify_kept(
        &self,
        commit: &Commit,
        known: &mut HashSet<u64>,
        damaged: &mut Vec<Option<Key>>,
    ) -> Result<(), StoreError> {
        let (directory, held, mut bytes) = (&commit.directory, commit.held(), Vec::new());
        for page in 0..directory.page_count() {
            if directory.page_place(page).is_some_and(|place| !known.insert(place.offset)) {
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
                if known.insert(place.offset) {
                    match self.disk.read((Role::Layer, key), &place, held, &mut bytes) {
                        Err(StoreError::Damaged { .. }) => damaged.push(Some(key)),
                        read => read?,
                    }
                }
            }
        }
        Ok(())
    }
}
