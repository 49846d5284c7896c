//! Reading a commit, or the one under way: the common part of a store and its readers.

use crate::store::directory::CommitDirectory;
use crate::store::disk::Disk;
use crate::store::error::StoreError;
use crate::store::key::{Key, Layer};
use crate::store::layout::Role;
use crate::store::place::HeldCommit;
use crate::store::record::KeyEntry;

/// A function that takes the number of a key and its extent: bytes, `None`, or an error.
pub type LookAt<'a> = dyn FnMut(usize, Result<Option<&[u8]>, StoreError>) + 'a;

/// An extent, as listed in the directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Key of the extent.
    pub key: Key,
    /// The commit that wrote it.
    pub generation: u64,
    /// Bytes of its content.
    pub bytes: u32,
}

/// Result of a check of all extents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verified {
    /// Number of extents that are as they were written.
    pub sound: u64,
    /// Bytes of their content.
    pub bytes: u64,
    /// Extents that are damaged.
    pub damaged: Vec<Key>,
    /// Damaged pages of the directory: the extents that they listed are lost.
    pub lost_pages: usize,
    /// Damage in kept commits: the commit and the key; no key if a part of its directory is
    /// damaged, no commit if the list of kept commits is.
    pub kept_damaged: Vec<(Option<u64>, Option<Key>)>,
    /// Damage in the commit before the last one, which the other superblock finds, and in extents
    /// that only that one keeps: the key; no key if a part of its directory or its list is damaged.
    /// The next commit replaces that commit.
    pub before_damaged: Vec<Option<Key>>,
    /// Number of extents according to the superblock and in the directory, if they differ and no
    /// page is lost.
    pub miscounted: Option<(u64, u64)>,
}

impl Verified {
    /// True if no damage was found.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        let is_whole = self.damaged.is_empty() && self.lost_pages == 0;
        let is_counted = self.miscounted.is_none();
        is_whole && is_counted && self.kept_damaged.is_empty() && self.before_damaged.is_empty()
    }
}

/// A directory and the extents that it lists.
#[derive(Debug, Clone, Copy)]
pub struct StoreView<'a> {
    /// Disk with the extents.
    pub disk: &'a Disk,
    /// Directory of the commit.
    pub directory: &'a CommitDirectory,
    /// The commit that is read.
    pub held: HeldCommit,
}

impl<'a> StoreView<'a> {
    /// Reads the extent of a key into `out`; returns false if the key has no extent.
    pub fn get(self, key: Key, out: &mut Vec<u8>) -> Result<bool, StoreError> {
        out.clear();
        let Some(place) = self.directory.find(self.disk, self.held, key)? else {
            return Ok(false);
        };
        self.disk.read((Role::Layer, key), place, self.held, out)?;
        Ok(true)
    }

    /// Shows the extent of each of these keys, by the number of the key among them: `None` if the
    /// key has no extent.
    pub fn show(self, keys: &[Key], look: &mut LookAt<'_>) {
        let (mut numbers, mut extents) = (Vec::new(), Vec::new());
        for (number, &key) in keys.iter().enumerate() {
            match self.directory.find(self.disk, self.held, key) {
                Ok(Some(place)) => {
                    numbers.push(number);
                    extents.push((key, place));
                }
                Ok(None) => look(number, Ok(None)),
                Err(error) => look(number, Err(error)),
            }
        }
        self.disk.show(&extents, self.held, |at, bytes| look(numbers[at], bytes.map(Some)));
    }

    /// Returns the entries of each page, in order.
    pub fn pages(self) -> impl Iterator<Item = Result<Vec<KeyEntry>, StoreError>> + use<'a> {
        let pages = 0..self.directory.page_count();
        pages.map(move |page| self.directory.entries_of(self.disk, self.held, page))
    }

    /// Returns all extents, in order of their keys; an error replaces the extents of a page.
    pub fn extents(self) -> impl Iterator<Item = Result<Extent, StoreError>> + use<'a> {
        self.pages().flat_map(|page| match page {
            Ok(entries) => entries.iter().map(|entry| Ok(extent(entry))).collect(),
            Err(error) => vec![Err(error)],
        })
    }

    /// Returns all keys, in order.
    pub fn keys(self) -> Result<Vec<Key>, StoreError> {
        self.extents().map(|extent| extent.map(|extent| extent.key)).collect()
    }

    /// Returns the keys of a layer, in order. Reads only the directory pages of this layer.
    pub fn keys_of(self, layer: Layer) -> Result<Vec<Key>, StoreError> {
        let mut keys = Vec::new();
        for page in self.directory.pages_of(layer) {
            let entries = self.directory.entries_of(self.disk, self.held, page)?;
            keys.extend(entries.iter().map(|entry| entry.key).filter(|key| key.layer == layer));
        }
        Ok(keys)
    }

    /// Returns the extents that commits after `generation` wrote, in order of their keys. Pages
    /// that have not changed since are not read.
    pub fn written_since(self, generation: u64) -> Result<Vec<Extent>, StoreError> {
        let mut written = Vec::new();
        for page in 0..self.directory.page_count() {
            if self.directory.is_newer(page, generation) {
                let entries = self.directory.entries_of(self.disk, self.held, page)?;
                let is_newer = |entry: &&KeyEntry| entry.place.generation().number() > generation;
                written.extend(entries.iter().filter(is_newer).map(extent));
            }
        }
        Ok(written)
    }

    /// Returns the bytes of all extents, with their headers.
    pub fn live_bytes(self) -> Result<u64, StoreError> {
        let bytes = |entry: &KeyEntry| entry.place.bytes();
        self.pages().map(|page| Ok(page?.iter().map(bytes).sum::<u64>())).sum()
    }

    /// Checks every page and every extent, and shows each sound extent to `look`.
    pub fn verify(
        self,
        verified: &mut Verified,
        mut look: impl FnMut(Key, &[u8]),
    ) -> Result<(), StoreError> {
        let (mut bytes, mut listed) = (Vec::new(), 0);
        for page in self.pages() {
            let entries = match page {
                Ok(entries) => entries,
                Err(StoreError::Damaged { .. }) => {
                    verified.lost_pages += 1;
                    continue;
                }
                Err(error) => return Err(error),
            };
            listed += entries.len() as u64;
            for entry in entries {
                match self.disk.read((Role::Layer, entry.key), entry.place, self.held, &mut bytes) {
                    Ok(()) => {
                        verified.sound += 1;
                        verified.bytes += u64::from(entry.place.length());
                        look(entry.key, &bytes);
                    }
                    Err(StoreError::Damaged { .. }) => verified.damaged.push(entry.key),
                    Err(error) => return Err(error),
                }
            }
        }
        let counted = self.directory.extents();
        let is_miscounted = verified.lost_pages == 0 && counted != listed;
        verified.miscounted = is_miscounted.then_some((counted, listed));
        Ok(())
    }
}

fn extent(entry: &KeyEntry) -> Extent {
    let (generation, bytes) = (entry.place.generation().number(), entry.place.length());
    Extent { key: entry.key, generation, bytes }
}
