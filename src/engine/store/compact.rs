//! Copying a world without the space that it no longer needs.

use crate::store::key::Key;
use crate::store::place::{ExtentPlace, Generation};
use crate::store::record::{KeptRecord, KeyEntry};
use crate::store::{CommitChanges, Reader, Store, StoreError};
use std::collections::HashMap;

/// Number of extents copied between two reports of progress.
const TOLD: usize = 256;

impl Store {
    /// Copies the kept commits, oldest first, and the last one into a world that has just been
    /// made, and returns the number of extents. Extents are copied in the order of their keys, byte
    /// for byte, and keep the numbers of the commits that wrote them; kept commits keep their
    /// numbers and labels, and the last one is written twice, under its number and the next, so
    /// that both superblocks find it. Content that commits share is copied once. Puts since the
    /// last commit are not copied.
    ///
    /// `watch` is called from time to time with the share that is done.
    ///
    /// # Errors
    ///
    /// [`StoreError::NotEmpty`]; errors of reading this world and writing the new one. The new one
    /// is then of no use.
    pub fn compact_into(
        &self,
        into: &mut Self,
        watch: &mut dyn FnMut(f64),
    ) -> Result<u64, StoreError> {
        let kept = self.last.kept.records()?;
        Copying { from: self, into, copies: Copies::default() }.run(kept, watch)
    }

    /// Compacts with the last commit alone: the remedy if the list of kept commits or one of them
    /// is damaged.
    ///
    /// # Errors
    ///
    /// The errors of [`Store::compact_into`].
    pub fn compact_last_into(
        &self,
        into: &mut Self,
        watch: &mut dyn FnMut(f64),
    ) -> Result<u64, StoreError> {
        Copying { from: self, into, copies: Copies::default() }.run(&[], watch)
    }
}

/// Copying from one world into another.
struct Copying<'a> {
    from: &'a Store,
    into: &'a mut Store,
    copies: Copies,
}

impl Copying<'_> {
    /// Copies these kept commits and the last one, and returns the number of extents.
    fn run(mut self, kept: &[KeptRecord], watch: &mut dyn FnMut(f64)) -> Result<u64, StoreError> {
        self.into.must_write()?;
        if self.into.generation() != 1 || self.into.extents() > 0 || self.into.is_changed {
            return Err(StoreError::NotEmpty);
        }
        let label = |generation: u64| {
            let number = |kept: &KeptRecord| kept.tree.generation.number();
            let at = kept.binary_search_by_key(&generation, number).ok()?;
            Some(kept[at].label)
        };
        let mut commits = kept.iter().map(|kept| kept.tree.generation.number()).collect::<Vec<_>>();
        commits.push(self.from.generation());
        let mut before = None;
        for (at, &generation) in commits.iter().enumerate() {
            let commit = self.reader_of(generation)?;
            #[expect(clippy::cast_precision_loss, reason = "a share of the work")]
            let mut watch = |share| watch((at as f64 + share) / commits.len() as f64);
            // Number 1 is the empty commit with which every world is made: the new world has it
            // already.
            let is_newer = generation > self.into.generation();
            if is_newer {
                self.into.next = Generation::of(generation);
            }
            self.take(&commit, before.as_ref(), &mut watch)?;
            if is_newer {
                self.into.is_changed = true;
                self.into.commit()?;
            }
            if let Some(label) = label(generation) {
                self.into.keep(label)?;
            }
            before = Some(commit);
        }
        self.into.is_changed = true;
        self.into.commit()?;
        Ok(self.copies.count)
    }

    /// Returns a reader of the last commit, or of one that it keeps.
    fn reader_of(&self, generation: u64) -> Result<Reader, StoreError> {
        let from = self.from;
        match from.last.kept.known().iter().find(|kept| kept.tree.generation.number() == generation)
        {
            Some(kept) => Ok(Reader::of(from, from.kept_commit(kept)?)),
            None => Ok(from.reader()),
        }
    }

    /// Takes the content of a commit of another world, into a world that has the content of the
    /// commit before it.
    fn take(
        &mut self,
        commit: &Reader,
        before: Option<&Reader>,
        watch: &mut dyn FnMut(f64),
    ) -> Result<(), StoreError> {
        let changes = match before {
            Some(before) => commit.changes_since(before)?,
            None => CommitChanges { put: commit.keys()?, gone: Vec::new() },
        };
        for key in changes.gone {
            self.into.remove(key)?;
        }
        let (mut bytes, mut shared, total) = (Vec::new(), Vec::new(), changes.put.len());
        for (at, &key) in changes.put.iter().enumerate() {
            let there = commit.place(key)?;
            match self.copies.of(key, there) {
                Some(copy) => shared.push(copy),
                None => {
                    commit.get(key, &mut bytes)?;
                    self.into.put_as_of(key, &bytes, there.generation().number())?;
                    let Store { disk, directory, last, .. } = &*self.into;
                    let here = directory.find(disk, last.held(), key)?;
                    self.copies.add(there, KeyEntry { key, place: here.expect("just put") });
                }
            }
            if at % TOLD == 0 {
                #[expect(clippy::cast_precision_loss, reason = "a share of the work")]
                watch(at as f64 / total as f64);
            }
        }
        self.put_back(&shared)
    }

    /// Puts extents that a kept commit of the new world already contains, at their places.
    fn put_back(&mut self, entries: &[KeyEntry]) -> Result<(), StoreError> {
        let places: Vec<ExtentPlace> = entries.iter().map(|entry| entry.place).collect();
        let into = &mut *self.into;
        into.know_space()?.take_back(&places);
        for &entry in entries {
            let replaced = into.directory.put(&into.disk, into.last.held(), entry)?;
            into.is_changed = true;
            into.replace(replaced);
        }
        Ok(())
    }
}

/// Extents that have been copied: a run that returned to a kept commit has extents of that commit
/// again.
#[derive(Debug, Default)]
struct Copies {
    count: u64,
    /// The copies, by the places of the originals.
    by_place: HashMap<ExtentPlace, KeyEntry>,
}

impl Copies {
    /// Returns the copy of an extent that is under this key.
    fn of(&self, key: Key, there: ExtentPlace) -> Option<KeyEntry> {
        // A forged directory may give one place to two keys. The header of an extent names one of
        // them, so for the other key the extent is read, and refused as damaged.
        self.by_place.get(&there).copied().filter(|copy| copy.key == key)
    }

    fn add(&mut self, there: ExtentPlace, copy: KeyEntry) {
        self.count += 1;
        self.by_place.insert(there, copy);
    }
}

impl Reader {
    /// Returns the place of the extent of a key.
    fn place(&self, key: Key) -> Result<ExtentPlace, StoreError> {
        let view = self.view();
        let place = view.directory.find(view.disk, view.held, key)?;
        Ok(place.expect("its changes name keys that it has"))
    }
}
