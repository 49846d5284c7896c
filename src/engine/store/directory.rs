//! The directory: the place of each extent.
//!
//! Entries are sorted by key in pages of up to 128; the root lists the pages by their first keys.
//! Pages are read when they are first needed, and a commit writes the pages that have changed, and
//! the root.

use crate::store::disk::Disk;
use crate::store::error::StoreError;
use crate::store::key::{Key, Layer};
use crate::store::layout::{ENTRY_BYTES, PAGE_ENTRIES, Role};
use crate::store::place::{ExtentPlace, HeldCommit, PlaceBounds};
use crate::store::record::{KeyEntry, Tree, entry, put_entry};
use std::collections::HashSet;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// A page: its place in the file, `None` if it has changed, and its entries, once it was read.
#[derive(Debug, Clone, Default)]
struct DirectoryPage {
    first: Option<Key>,
    place: Option<ExtentPlace>,
    entries: OnceLock<Vec<KeyEntry>>,
}

/// The directory of a commit, or of the commit under way. Clones share their pages until these
/// change.
#[derive(Debug, Clone, Default)]
pub struct CommitDirectory {
    pages: Vec<Arc<DirectoryPage>>,
    /// Number of extents.
    extents: u64,
}

/// Returns the error of a damaged directory.
fn damaged(what: &'static str) -> StoreError {
    StoreError::Damaged { key: None, what }
}

/// Decodes the entries in some bytes, in order, and checks each place against the bounds.
fn entries(bytes: &[u8], role: Role, bounds: PlaceBounds) -> Result<Vec<KeyEntry>, StoreError> {
    let (records, rest) = bytes.as_chunks::<ENTRY_BYTES>();
    if !rest.is_empty() {
        return Err(damaged("a page ends within an entry"));
    }
    let checked: Option<Vec<KeyEntry>> =
        records.iter().map(|record| entry(record, role, bounds)).collect();
    let entries = checked.ok_or(damaged("an entry points beyond the file, or into its head"))?;
    if !entries.is_sorted_by(|a, b| a.key < b.key) {
        return Err(damaged("its entries are out of order"));
    }
    Ok(entries)
}

impl CommitDirectory {
    /// Reads the directory of a commit; its pages are not read yet.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`], [`StoreError::Overtaken`], [`StoreError::Io`].
    pub fn read(disk: &Disk, tree: Tree, held: HeldCommit) -> Result<Self, StoreError> {
        let mut bytes = Vec::new();
        disk.read((Role::Root, Key::head(0)), tree.root, held, &mut bytes)?;
        let pages = entries(&bytes, Role::Page, disk.bounds(tree.generation)?)?;
        // Pages are not read here: each has 1 to 128 entries. The exact number is compared once all
        // are read, before anything is written (`needs.rs`).
        let least = pages.len() as u64;
        if !(least..=least * PAGE_ENTRIES as u64).contains(&tree.extents) {
            return Err(damaged("it has other pages than its extents need"));
        }
        let pages = pages.into_iter().map(|entry| {
            let (first, place) = (Some(entry.key), Some(entry.place));
            Arc::new(DirectoryPage { first, place, entries: OnceLock::new() })
        });
        Ok(Self { pages: pages.collect(), extents: tree.extents })
    }

    /// Returns the number of pages.
    #[must_use]
    pub fn page_count(&self) -> usize {
        self.pages.len()
    }

    /// Returns the number of extents.
    #[must_use]
    pub fn extents(&self) -> u64 {
        self.extents
    }

    /// Returns the places of its pages, except changed ones.
    pub fn page_places(&self) -> impl Iterator<Item = ExtentPlace> {
        self.pages.iter().filter_map(|page| page.place)
    }

    /// Returns the place of a page; `None` if it has changed.
    #[must_use]
    pub fn page_place(&self, at: usize) -> Option<ExtentPlace> {
        self.pages[at].place
    }

    /// Returns the pages that may contain keys of a layer: the last one that begins before it, and
    /// all that begin with it.
    #[must_use]
    pub fn pages_of(&self, layer: Layer) -> Range<usize> {
        let begins = |is_before: &dyn Fn(Layer) -> bool| {
            self.pages.partition_point(|page| page.first.is_some_and(|key| is_before(key.layer)))
        };
        let first = begins(&|of_page| of_page < layer);
        first.saturating_sub(1)..begins(&|of_page| of_page <= layer)
    }

    /// Returns the pages, by number, that another directory does not have.
    #[must_use]
    pub fn pages_beside(&self, other: &Self) -> Vec<usize> {
        let known: HashSet<ExtentPlace> = other.page_places().collect();
        let is_known =
            |place: Option<ExtentPlace>| place.is_some_and(|place| known.contains(&place));
        (0..self.pages.len()).filter(|&at| !is_known(self.pages[at].place)).collect()
    }

    /// Whether a page has changed since commit `generation`, or has not been written yet.
    #[must_use]
    pub fn is_newer(&self, at: usize, generation: u64) -> bool {
        self.pages[at].place.is_none_or(|place| place.generation().number() > generation)
    }

    /// Returns the entries of a page for a reader of commit `held`; the directory does not keep
    /// entries that it has to read.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`], [`StoreError::Overtaken`], [`StoreError::Io`].
    pub fn entries_of(
        &self,
        disk: &Disk,
        held: HeldCommit,
        at: usize,
    ) -> Result<Vec<KeyEntry>, StoreError> {
        let page = &self.pages[at];
        if let Some(entries) = page.entries.get() {
            return Ok(entries.clone());
        }
        let place = page.place.expect("what has changed was read");
        let key = page.first.expect("pages of a commit have a first key");
        let mut bytes = Vec::new();
        disk.read((Role::Page, key), place, held, &mut bytes)?;
        // A page is written again with each new extent in it: it has none of a later commit.
        let found = entries(&bytes, Role::Layer, disk.bounds(place.generation())?)?;
        if found.first().map(|entry| entry.key) != page.first {
            return Err(damaged("a page begins with another key than its root says"));
        }
        let next = self.pages.get(at + 1).and_then(|page| page.first);
        if next.is_some_and(|next| found.last().is_some_and(|entry| entry.key >= next)) {
            return Err(damaged("a page reaches into the next"));
        }
        Ok(found)
    }

    fn load(&self, disk: &Disk, held: HeldCommit, at: usize) -> Result<&[KeyEntry], StoreError> {
        let page = &self.pages[at];
        if page.entries.get().is_none() {
            let found = self.entries_of(disk, held, at)?;
            // Clones share the page, so another thread may have set the same entries meanwhile.
            _ = page.entries.set(found);
        }
        Ok(page.entries.get().expect("just set"))
    }

    /// Returns the page that contains a key, or would.
    fn page_of(&self, key: Key) -> Option<usize> {
        let after = self.pages.partition_point(|page| page.first.is_some_and(|first| first <= key));
        // A key before all first keys belongs to page 0, which begins with it once it is put.
        if self.pages.is_empty() { None } else { Some(after.saturating_sub(1)) }
    }

    /// Returns the place of the extent of a key.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`], [`StoreError::Overtaken`], [`StoreError::Io`].
    pub fn find(
        &self,
        disk: &Disk,
        held: HeldCommit,
        key: Key,
    ) -> Result<Option<ExtentPlace>, StoreError> {
        let Some(page) = self.page_of(key) else { return Ok(None) };
        let entries = self.load(disk, held, page)?;
        let found = entries.binary_search_by_key(&key, |entry| entry.key);
        Ok(found.ok().map(|at| entries[at].place))
    }

    /// Puts an entry in, and returns the places of the extent and of the page that it replaces.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`], [`StoreError::Io`]; then nothing has changed.
    pub fn put(
        &mut self,
        disk: &Disk,
        held: HeldCommit,
        entry: KeyEntry,
    ) -> Result<[Option<ExtentPlace>; 2], StoreError> {
        if self.pages.is_empty() {
            self.pages.push(Arc::new(DirectoryPage {
                entries: Vec::new().into(),
                ..DirectoryPage::default()
            }));
        }
        let at = self.page_of(entry.key).expect("there is one");
        self.load(disk, held, at)?;
        let page_count = self.pages.len();
        // A reader of an earlier commit may share the page: then it keeps the page as it was, and a
        // copy is changed.
        let page = Arc::make_mut(&mut self.pages[at]);
        let entries = page.entries.get_mut().expect("loaded");
        let mut old = None;
        let found = entries.binary_search_by_key(&entry.key, |entry| entry.key);
        match found {
            Ok(i) => old = Some(std::mem::replace(&mut entries[i], entry).place),
            Err(i) => entries.insert(i, entry),
        }
        self.extents = self.extents.saturating_add(found.is_err().into());
        page.first = entries.first().map(|entry| entry.key);
        let old_page = page.place.take();
        if entries.len() > PAGE_ENTRIES {
            // Keys in ascending order fill their pages; keys in any other order split them in
            // halves.
            let is_last = found == Err(PAGE_ENTRIES) && at + 1 == page_count;
            let rest = entries.split_off(if is_last { PAGE_ENTRIES } else { PAGE_ENTRIES / 2 });
            let first = rest.first().map(|entry| entry.key);
            let rest = DirectoryPage { first, place: None, entries: rest.into() };
            self.pages.insert(at + 1, Arc::new(rest));
        }
        Ok([old, old_page])
    }

    /// Takes an entry out, and returns the places of its extent and of its page.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`], [`StoreError::Io`]; then nothing has changed.
    pub fn remove(
        &mut self,
        disk: &Disk,
        held: HeldCommit,
        key: Key,
    ) -> Result<[Option<ExtentPlace>; 2], StoreError> {
        let Some(at) = self.page_of(key) else { return Ok([None, None]) };
        let entries = self.load(disk, held, at)?;
        let Ok(i) = entries.binary_search_by_key(&key, |entry| entry.key) else {
            return Ok([None, None]);
        };
        let page = Arc::make_mut(&mut self.pages[at]);
        let entries = page.entries.get_mut().expect("loaded");
        let old = entries.remove(i).place;
        page.first = entries.first().map(|entry| entry.key);
        let old_page = page.place.take();
        if entries.is_empty() {
            self.pages.remove(at);
        }
        self.extents = self.extents.saturating_sub(1);
        Ok([Some(old), old_page])
    }

    /// Returns the first page that has changed since it was written: its number, its first key and
    /// its bytes.
    #[must_use]
    pub fn changed(&self, from: usize) -> Option<(usize, Key, Vec<u8>)> {
        let at = from + self.pages[from..].iter().position(|page| page.place.is_none())?;
        let entries = self.pages[at].entries.get().expect("what has changed was read");
        let mut bytes = Vec::with_capacity(entries.len() * ENTRY_BYTES);
        entries.iter().for_each(|entry| put_entry(&mut bytes, entry));
        Some((at, entries.first()?.key, bytes))
    }

    /// Sets the place where a page has been written.
    pub fn written(&mut self, page: usize, place: ExtentPlace) {
        Arc::make_mut(&mut self.pages[page]).place = Some(place);
    }

    /// Returns the bytes of its root.
    ///
    /// # Panics
    ///
    /// If pages have changed since they were written.
    #[must_use]
    pub fn root(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.pages.len() * ENTRY_BYTES);
        for page in &self.pages {
            let place = page.place.expect("all pages are written");
            let key = page.first.expect("pages hold something");
            put_entry(&mut bytes, &KeyEntry { key, place });
        }
        bytes
    }
}
