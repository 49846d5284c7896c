//! The list of kept commits.

use crate::store::disk::Disk;
use crate::store::error::StoreError;
use crate::store::key::Key;
use crate::store::layout::{KEPT_BYTES, Role};
use crate::store::place::{ExtentPlace, HeldCommit, PlaceRecord};
use crate::store::record::KeptRecord;
use std::sync::Arc;

/// A commit that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptCommit {
    /// Number of the commit.
    pub generation: u64,
    /// Label of the commit; for a run, the time in ticks.
    pub label: u64,
}

/// The kept commits, oldest first; clones share the list until it changes.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptList(Option<Arc<Vec<KeptRecord>>>);

impl KeptList {
    /// A list that is damaged.
    pub const UNKNOWN: Self = Self(None);

    /// Returns an empty list.
    #[must_use]
    pub fn empty() -> Self {
        Self(Some(Arc::default()))
    }

    /// Reads the list at a place, and returns the checked place and the list.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`], [`StoreError::Overtaken`], [`StoreError::Io`].
    pub fn read(
        disk: &Disk,
        place: PlaceRecord,
        held: HeldCommit,
    ) -> Result<(ExtentPlace, Self), StoreError> {
        let damaged = |what| StoreError::Damaged { key: None, what };
        let bounds = disk.bounds(held.generation)?;
        let place = place
            .check(Role::Kept, bounds)
            .ok_or(damaged("the list of kept commits lies beyond the file, or in its head"))?;
        let mut bytes = Vec::new();
        disk.read((Role::Kept, Key::head(0)), place, held, &mut bytes)?;
        let (records, rest) = bytes.as_chunks::<KEPT_BYTES>();
        let checked: Option<Vec<KeptRecord>> =
            records.iter().map(|record| KeptRecord::check(record, bounds)).collect();
        let is_in_order = |kept: &Vec<KeptRecord>| {
            kept.is_sorted_by(|a, b| a.tree.generation < b.tree.generation)
        };
        let kept = checked.filter(|kept| rest.is_empty() && is_in_order(kept));
        let kept = kept.ok_or(damaged("the list of kept commits is invalid"))?;
        Ok((place, Self(Some(Arc::new(kept)))))
    }

    /// Returns the records of the list.
    ///
    /// # Errors
    ///
    /// [`StoreError::KeptUnknown`] if the list is damaged.
    pub fn records(&self) -> Result<&[KeptRecord], StoreError> {
        self.0.as_ref().map(|kept| kept.as_slice()).ok_or(StoreError::KeptUnknown)
    }

    /// Returns the records of the list for changes.
    ///
    /// # Errors
    ///
    /// The errors of [`KeptList::records`].
    pub fn records_mut(&mut self) -> Result<&mut Vec<KeptRecord>, StoreError> {
        self.0.as_mut().map(Arc::make_mut).ok_or(StoreError::KeptUnknown)
    }

    /// Returns the records, or an empty slice if the list is damaged.
    #[must_use]
    pub fn known(&self) -> &[KeptRecord] {
        self.records().unwrap_or_default()
    }
}
