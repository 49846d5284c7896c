//! Reading a commit, or one under way: what a store and its readers have in common.

use crate::store::directory::Directory;
use crate::store::disk::Disk;
use crate::store::error::StoreError;
use crate::store::key::{Key, Layer};
use crate::store::layout::Role;
use crate::store::place::Held;
use crate::store::record::Entry;

/// Takes what stands under a key, by the number of the key: bytes, nothing, or an error.
pub type LookAt<'a> = dyn FnMut(usize, Result<Option<&[u8]>, StoreError>) + 'a;

/// An extent, as the directory has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Key of the extent.
    pub key: Key,
    /// The commit that wrote it.
    pub generation: u64,
    /// Bytes that it holds.
    pub bytes: u32,
}

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

/// A directory and the extents that it lists.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// Where the extents stand.
    pub disk: &'a Disk,
    /// Directory of the commit.
    pub directory: &'a Directory,
    /// Of which commit.
    pub held: Held,
}

impl<'a> View<'a> {
    /// Reads what stands under a key into `out`; false where nothing does.
    pub fn get(self, key: Key, out: &mut Vec<u8>) -> Result<bool, StoreError> {
        out.clear();
        let Some(place) = self.directory.find(self.disk, self.held, key)? else {
            return Ok(false);
        };
        self.disk.read((Role::Layer, key), place, self.held, out)?;
        Ok(true)
    }

    /// Shows what stands under each of these keys, by its number among them: nothing where nothing
    /// does.
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

    /// The entries of each page, in order.
    pub fn pages(self) -> impl Iterator<Item = Result<Vec<Entry>, StoreError>> + use<'a> {
        let pages = 0..self.directory.page_count();
        pages.map(move |page| self.directory.entries_of(self.disk, self.held, page))
    }

    /// All extents, in order of their keys; an error stands for those of a page.
    pub fn extents(self) -> impl Iterator<Item = Result<Extent, StoreError>> + use<'a> {
        self.pages().flat_map(|page| match page {
            Ok(entries) => entries.iter().map(|entry| Ok(extent(entry))).collect(),
            Err(error) => vec![Err(error)],
        })
    }

    /// All keys, in order.
    pub fn keys(self) -> Result<Vec<Key>, StoreError> {
        self.extents().map(|extent| extent.map(|extent| extent.key)).collect()
    }

    /// The keys of a layer, in order. Pages that hold none of it are not read.
    pub fn keys_of(self, layer: Layer) -> Result<Vec<Key>, StoreError> {
        let mut keys = Vec::new();
        for page in self.directory.pages_of(layer) {
            let entries = self.directory.entries_of(self.disk, self.held, page)?;
            keys.extend(entries.iter().map(|entry| entry.key).filter(|key| key.layer == layer));
        }
        Ok(keys)
    }

    /// The extents that commits after `generation` wrote, in order of their keys. Pages that have
    /// not changed since are not read.
    pub fn written_since(self, generation: u64) -> Result<Vec<Extent>, StoreError> {
        let mut written = Vec::new();
        for page in 0..self.directory.page_count() {
            if self.directory.is_newer(page, generation) {
                let entries = self.directory.entries_of(self.disk, self.held, page)?;
                let is_newer = |entry: &&Entry| entry.place.generation().number() > generation;
                written.extend(entries.iter().filter(is_newer).map(extent));
            }
        }
        Ok(written)
    }

    /// Bytes of all extents, with their headers.
    pub fn live_bytes(self) -> Result<u64, StoreError> {
        let bytes = |entry: &Entry| entry.place.bytes();
        self.pages().map(|page| Ok(page?.iter().map(bytes).sum::<u64>())).sum()
    }

    /// Checks every page and every extent, and shows each that is sound to `look`.
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

fn extent(entry: &Entry) -> Extent {
    let (generation, bytes) = (entry.place.generation().number(), entry.place.length());
    Extent { key: entry.key, generation, bytes }
}
