//! The extents that commits need: the remaining space of a file is free.

use crate::store::find::sound;
use crate::store::place::{ExtentPlace, Generation};
use crate::store::record::KeptRecord;
use crate::store::registry::Commit;
use crate::store::space::{Space, Stay};
use crate::store::{Store, StoreError};
use std::collections::HashSet;
use std::sync::Arc;

/// Why the extents of a commit stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StayReason {
    /// A reader reads the commit.
    Read,
    /// The commit is kept.
    Kept,
    /// The commit is the one before the last, or was kept by it. If it is damaged it is of no use,
    /// and its extents are not preserved.
    Older,
}

/// A commit whose extents stay.
#[derive(Debug)]
enum StayingCommit {
    /// The commit has been read.
    Commit(Arc<Commit>),
    /// The commit is read when its extents are counted: one at a time.
    Kept(KeptRecord),
}

/// The extents that commits need, of the commits examined so far.
#[derive(Debug)]
pub(super) struct NeededExtents<'a> {
    store: &'a Store,
    known: HashSet<ExtentPlace>,
}

impl<'a> NeededExtents<'a> {
    /// Returns the space of the file: a block is free unless it is needed by the last commit, by
    /// the one before, by a commit that one of them keeps, or by a commit that is read.
    pub(super) fn space(store: &'a Store) -> Result<Space, StoreError> {
        let last = &store.last;
        let mut needs = Self { store, known: HashSet::new() };
        let (here, extents) = needs.places_of(last)?;
        if extents != last.tree.extents {
            let what = "its superblock counts other extents than it lists";
            return Err(StoreError::Damaged { key: None, what });
        }
        let mut commits = needs.commits()?;
        // An extent of several commits is counted for the newest of them.
        commits.sort_by_key(|(generation, ..)| std::cmp::Reverse(*generation));
        let mut held = Vec::new();
        for (generation, need, holder) in commits {
            let commit = match holder {
                StayingCommit::Commit(commit) => Ok(commit),
                StayingCommit::Kept(kept) => store.kept_commit(&kept),
            };
            let places = commit.and_then(|commit| needs.places_of(&commit));
            let places = places.map(|(places, _)| places);
            let places = match need {
                StayReason::Read => Some(places?),
                StayReason::Kept => Some(places.map_err(kept_damage)?),
                StayReason::Older => sound(places)?,
            };
            held.extend(places.map(|places| (generation, places)));
        }
        Space::of(last.generation(), &here, &held)
    }

    /// Returns the commits beside the last one whose extents stay.
    fn commits(&self) -> Result<Vec<(Generation, StayReason, StayingCommit)>, StoreError> {
        let (store, mut commits) = (self.store, Vec::new());
        let last = store.last.kept.records()?;
        let known: HashSet<KeptRecord> = last.iter().copied().collect();
        let records: HashSet<KeptRecord> = store.kept.records()?.iter().copied().collect();
        let before = store.before.map(|before| sound(Commit::find(&store.disk, before, None)));
        if let Some(before) = before.transpose()?.flatten() {
            for kept in before.kept.known().iter().filter(|kept| !known.contains(*kept)) {
                commits.push((kept.tree.generation, StayReason::Older, StayingCommit::Kept(*kept)));
            }
            let before = Arc::new(before);
            commits.push((before.generation(), StayReason::Older, StayingCommit::Commit(before)));
        }
        for commit in store.registry.read() {
            commits.push((commit.generation(), StayReason::Read, StayingCommit::Commit(commit)));
        }
        for kept in last {
            // A commit that was forgotten since the last commit may be damaged. If that were an
            // error, the commit without it could not be written.
            let need = if records.contains(kept) { StayReason::Kept } else { StayReason::Older };
            commits.push((kept.tree.generation, need, StayingCommit::Kept(*kept)));
        }
        Ok(commits)
    }

    /// Returns the places of all extents that a commit needs, except places counted before, and the
    /// number of extents in pages not counted before.
    fn places_of(&mut self, commit: &Commit) -> Result<(Vec<Stay>, u64), StoreError> {
        let known = &mut self.known;
        let mut stays = vec![Stay::from(commit.tree.root)];
        stays.extend(commit.list.map(Stay::for_nobody));
        let (directory, mut extents) = (&commit.directory, 0);
        for page in 0..directory.page_count() {
            // The extents in a page counted before are counted already.
            let place = directory.page_place(page).expect("pages of a commit are written");
            if !known.contains(&place) {
                let entries = directory.entries_of(&self.store.disk, commit.held(), page)?;
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

/// Returns the error of a damaged commit that is to be kept.
fn kept_damage(error: StoreError) -> StoreError {
    match error {
        StoreError::Damaged { .. } => StoreError::Damaged {
            key: None,
            what: "a kept commit is damaged, and nothing can be written before it is forgotten",
        },
        error => error,
    }
}
