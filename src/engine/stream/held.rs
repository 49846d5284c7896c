//! Beds of a tile as they were when somebody took hold of them, wherever they are.
//!
//! Guarantees: an edit changes nothing for who holds beds: it puts them aside first.

use crate::store::StoreError;
use crate::stream::page::PageKey;
use crate::tile::CowPlane;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

/// Something that reads pages, and knows whose beds are held.
pub(super) trait Source: Debug + Send + Sync + RefUnwindSafe + UnwindSafe {
    /// The beds of a page.
    fn beds(&self, page: PageKey) -> Result<CowPlane<i32>, Arc<StoreError>>;

    /// Pages whose beds are held.
    fn held(&self) -> &HeldPages;
}

/// The beds of a page, which stay in the file until they are edited.
#[derive(Debug)]
pub struct HeldBeds {
    source: Arc<dyn Source>,
    page: PageKey,
    /// The beds, where the page has others by now.
    aside: OnceLock<CowPlane<i32>>,
}

impl HeldBeds {
    /// The beds.
    ///
    /// # Errors
    ///
    /// As of `Pager::beds`.
    pub fn read(&self) -> Result<CowPlane<i32>, Arc<StoreError>> {
        if let Some(aside) = self.aside.get() {
            return Ok(aside.clone());
        }
        let now = self.source.beds(self.page)?;
        // An edit that came meanwhile has put them aside before.
        Ok(self.aside.get().cloned().unwrap_or(now))
    }
}

impl Drop for HeldBeds {
    fn drop(&mut self) {
        self.source.held().forget(self.page);
    }
}

/// The pages whose beds somebody holds.
#[derive(Debug, Default)]
pub(super) struct HeldPages(Mutex<BTreeMap<PageKey, Weak<HeldBeds>>>);

impl HeldPages {
    /// Takes hold of beds as they are.
    pub fn hold(&self, source: Arc<dyn Source>, page: PageKey) -> Arc<HeldBeds> {
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(held) = pages.get(&page).and_then(Weak::upgrade) {
            return held;
        }
        let held = HeldBeds { source, page, aside: OnceLock::new() };
        let held = Arc::new(held);
        pages.insert(page, Arc::downgrade(&held));
        held
    }

    /// Puts the beds of a page aside, where somebody holds them: it will have others.
    pub fn put_aside(&self, source: &dyn Source, page: PageKey) -> Result<(), Arc<StoreError>> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Not while the pages are locked: it may be the last that holds them.
        let held = lock().get(&page).and_then(Weak::upgrade);
        let Some(held) = held else { return Ok(()) };
        let beds = source.beds(page)?;
        held.aside.get_or_init(|| beds);
        lock().remove(&page);
        Ok(())
    }

    /// Nobody holds a page any more, unless somebody took hold of it again.
    fn forget(&self, page: PageKey) {
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if pages.get(&page).is_some_and(|held| held.strong_count() == 0) {
            pages.remove(&page);
        }
    }
}
