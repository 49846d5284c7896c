//! Writing a world: puts, removals, commits.

use crate::store::disk::Disk;
use crate::store::key::Key;
use crate::store::layout::{EXTENT_MAX, Role, VERSION};
use crate::store::needs::NeededExtents;
use crate::store::place::{ExtentPlace, Generation};
use crate::store::record::{KeptRecord, KeyEntry, Tree};
use crate::store::registry::Commit;
use crate::store::space::{Space, Stay};
use crate::store::{Access, Store, StoreError, layout};
use std::collections::BTreeSet;
use std::sync::Arc;

impl Store {
    /// Puts bytes under a key, in place of its extent, if it has one.
    ///
    /// # Errors
    ///
    /// [`StoreError::TooLarge`], [`StoreError::ReadOnly`], [`StoreError::Poisoned`],
    /// [`StoreError::Damaged`], [`StoreError::Io`]; the key then keeps its extent.
    pub fn put(&mut self, key: Key, bytes: &[u8]) -> Result<(), StoreError> {
        self.put_as_of(key, bytes, self.next()?.number())
    }

    /// Puts an extent with the number of the commit that wrote it, `generation`.
    pub(super) fn put_as_of(
        &mut self,
        key: Key,
        bytes: &[u8],
        generation: u64,
    ) -> Result<(), StoreError> {
        if bytes.len() > EXTENT_MAX {
            return Err(StoreError::TooLarge { bytes: bytes.len() });
        }
        self.must_write()?;
        let next = self.next()?;
        let generation = Generation::of(generation).filter(|generation| *generation <= next);
        let generation = generation.ok_or(StoreError::Damaged {
            key: Some(key),
            what: "it is said to be of a commit that there is not",
        })?;
        // The directory page of the key is read before anything is written.
        self.directory.find(&self.disk, self.last.held(), key)?;
        let place = self.write(Role::Layer, key, bytes, generation)?;
        let entry = KeyEntry { key, place };
        let replaced = self.directory.put(&self.disk, self.last.held(), entry)?;
        self.is_changed = true;
        self.replace(replaced);
        Ok(())
    }

    /// Removes the extent of a key; returns false if the key has no extent.
    ///
    /// # Errors
    ///
    /// The errors of [`Store::put`].
    pub fn remove(&mut self, key: Key) -> Result<bool, StoreError> {
        self.must_write()?;
        // Finding the space may fail, so it comes before the directory changes.
        self.know_space()?;
        let replaced = self.directory.remove(&self.disk, self.last.held(), key)?;
        self.is_changed |= replaced[0].is_some();
        self.replace(replaced);
        Ok(replaced[0].is_some())
    }

    /// Makes all puts and removals durable as one commit, and returns its number. If nothing has
    /// changed, makes no commit and returns the number of the last one.
    ///
    /// # Errors
    ///
    /// [`StoreError::Io`] and [`StoreError::Damaged`]: the commit before is intact, and the puts
    /// since then can be committed again; after a sync that failed [`StoreError::Poisoned`].
    /// [`StoreError::Lost`] if the commit could not be found, since the file has lost its name:
    /// save under a different name; a file that has its name again can be committed to again.
    pub fn commit(&mut self) -> Result<u64, StoreError> {
        self.must_write()?;
        self.disk.check_name()?;
        if !self.is_changed {
            return Ok(self.generation());
        }
        let (generation, mut from) = (self.next()?, 0);
        // If a later write fails, the pages written so far keep their places: the next attempt
        // continues after them.
        while let Some((page, first, bytes)) = self.directory.changed(from) {
            let place = self.write(Role::Page, first, &bytes, generation)?;
            self.directory.written(page, place);
            from = page + 1;
        }
        let list = self.write_kept(generation)?;
        let root = match self.write(Role::Root, Key::head(0), &self.directory.root(), generation) {
            Ok(root) => root,
            Err(error) => {
                // A page remembers its place, a list does not: a list of this attempt is released.
                // An unchanged list has an earlier number and stays: it belongs to the last commit.
                let list = list.filter(|place| place.generation() == generation);
                self.replace([list, None]);
                return Err(error);
            }
        };
        let tree = Tree { generation, root, extents: self.directory.extents() };
        let (directory, kept) = (self.directory.clone(), self.kept.clone());
        let commit = Commit { tree, directory, kept, list, version: VERSION, safe_to: None };
        let made = publish(&self.disk, &commit);
        if let Err(error) = made {
            // It is unknown which bytes have reached the disk.
            self.access = Access::Poisoned;
            return Err(error);
        }
        self.committed(commit);
        // If the file lost its name since the first look, nobody would find the commit: no success
        // is reported. This look comes after `committed`, since the commit counts once the file has
        // its name again.
        self.disk.check_name()?;
        Ok(generation.number())
    }

    /// Makes all puts and removals durable under a number above that of the last commit, changed or
    /// not. If that number has the last commit's slot, the last commit is first made once more
    /// under the number after its own, so that a crash never finds both slots without a commit.
    ///
    /// # Errors
    ///
    /// The errors of [`Store::commit`].
    pub(super) fn commit_as(&mut self, number: u64) -> Result<u64, StoreError> {
        let last = self.generation();
        if (number - last).is_multiple_of(2) {
            // The new commit replaces extents that this one needs.
            let replaced = self.know_space()?.hold_back();
            let directory = std::mem::replace(&mut self.directory, self.last.directory.clone());
            self.next = Generation::of(last + 1);
            self.is_changed = true;
            let between = self.commit();
            self.directory = directory;
            self.know_space()?.replace_all(replaced);
            between?;
        }
        self.next = Generation::of(number);
        self.is_changed = true;
        self.commit()
    }

    /// Writes the list of kept commits, if it has changed, and returns its place.
    fn write_kept(&mut self, generation: Generation) -> Result<Option<ExtentPlace>, StoreError> {
        if self.kept == self.last.kept {
            return Ok(self.last.list);
        }
        let bytes = self.kept.records()?.iter().flat_map(KeptRecord::bytes).collect::<Vec<u8>>();
        if bytes.is_empty() {
            return Ok(None);
        }
        self.write(Role::Kept, Key::head(0), &bytes, generation).map(Some)
    }

    /// Continues from a commit that is durable.
    fn committed(&mut self, commit: Commit) {
        let generation = commit.generation();
        let old = std::mem::replace(&mut self.last, Arc::new(commit));
        // From here on no reader begins to read the commit before.
        self.registry.publish(Arc::clone(&self.last));
        let mut held: BTreeSet<Generation> =
            self.registry.read().iter().map(|commit| commit.generation()).collect();
        // The commits that the commit before keeps must stay intact as well.
        for kept in [&self.last.kept, &old.kept] {
            held.extend(kept.known().iter().map(|kept| kept.tree.generation));
        }
        let space = self.space.as_mut().expect("the root was written");
        // Each commit writes a root of its own; the directory reports only the extents and pages
        // that it replaces.
        space.replace(old.tree.root.into(), generation);
        // Only a superblock leads to a list: kept commits and readers do not need it.
        if let Some(list) = old.list.filter(|_| old.list != self.last.list) {
            space.replace(Stay::for_nobody(list), generation);
        }
        space.committed(generation, &held);
        self.before = Some(old.superblock());
        (self.next, self.is_changed) = (generation.after(1).ok(), false);
    }

    /// Drops all puts and removals since the last commit.
    pub fn roll_back(&mut self) {
        self.directory = self.last.directory.clone();
        self.kept.clone_from(&self.last.kept);
        // The space is found again from the commits. No commit contains the extents put since, so
        // their blocks are free then.
        (self.space, self.is_changed) = (None, false);
    }

    pub(super) fn must_write(&self) -> Result<(), StoreError> {
        match self.access {
            Access::Write => self.next().map(drop),
            Access::Read => Err(StoreError::ReadOnly),
            Access::Poisoned => Err(StoreError::Poisoned),
        }
    }

    /// Returns the number of the commit under way.
    pub(super) fn next(&self) -> Result<Generation, StoreError> {
        self.next.ok_or(StoreError::LastCommit)
    }

    /// Writes an extent of a commit to free space.
    fn write(
        &mut self,
        role: Role,
        key: Key,
        bytes: &[u8],
        generation: Generation,
    ) -> Result<ExtentPlace, StoreError> {
        if bytes.len() > role.most() {
            return Err(StoreError::TooLarge { bytes: bytes.len() });
        }
        let space = self.know_space()?;
        let offset = space.allocate((layout::HEADER_BYTES + bytes.len()) as u64);
        let (place, written) = self.disk.write((role, key), (offset, generation), bytes);
        let space = self.space.as_mut().expect("known");
        // A failed write is counted too: `release` frees blocks only when their count falls to 0.
        space.written(place);
        if written.is_err() {
            space.release(place);
        }
        written.map(|()| place)
    }

    pub(super) fn know_space(&mut self) -> Result<&mut Space, StoreError> {
        if self.space.is_none() {
            let space = NeededExtents::space(self)?;
            // From now on a build of an older format must find no commit in the file: the
            // superblock of the last commit is rewritten after that of the commit before, so that
            // such a build never finds the commit before alone.
            if let Some(before) = self.before.filter(|_| self.last.version < VERSION) {
                self.disk.write_slot(&before)?;
                self.disk.sync()?;
            }
            // The superblock of this commit may be missing on the disk if its writer met a failure.
            // It must be there before space is used that only the commit before needs.
            self.disk.write_slot(&self.last.superblock())?;
            self.disk.sync()?;
            self.space = Some(space);
        }
        Ok(self.space.as_mut().expect("just found"))
    }

    /// Releases places.
    pub(super) fn replace(&mut self, places: [Option<ExtentPlace>; 2]) {
        let (next, space) = (self.next, self.space.as_mut().expect("known"));
        let next = next.expect("asked before anything is written");
        places.into_iter().flatten().for_each(|place| space.replace(place.into(), next));
    }
}

/// Makes the extents of a commit durable, then its superblock.
pub(super) fn publish(disk: &Disk, commit: &Commit) -> Result<(), StoreError> {
    // A disk may reorder writes up to a sync: without this one, a crash could leave the superblock
    // without the extents to which it leads.
    disk.sync()?;
    disk.write_slot(&commit.superblock())?;
    disk.sync()
}
