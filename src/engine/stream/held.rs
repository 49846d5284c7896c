//! Beds of a tile as they were at a moment, in the file, in memory or put aside.
//!
//! Guarantees: an edit never changes beds that are in use: the old ones are put aside first.

use crate::store::StoreError;
use crate::stream::page::PageKey;
use crate::tile::CowPlane;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

/// A source of pages, with the list of beds in use.
pub(super) trait PageSource: Debug + Send + Sync + RefUnwindSafe + UnwindSafe {
    /// Returns the beds of a page.
    fn beds(&self, page: PageKey) -> Result<CowPlane<i32>, Arc<StoreError>>;

    /// Returns the pages whose beds are in use.
    fn held(&self) -> &HeldPages;
}

/// The beds of a page as they were when they were taken; they stay in the file until the page is
/// edited.
#[derive(Debug)]
pub struct HeldBeds {
    source: Arc<dyn PageSource>,
    page: PageKey,
    /// The beds, if the page has been edited since.
    aside: OnceLock<CowPlane<i32>>,
}

impl HeldBeds {
    /// Returns the beds.
    ///
    /// # Errors
    ///
    /// The errors of `Pager::beds`.
    pub fn read(&self) -> Result<CowPlane<i32>, Arc<StoreError>> {
        if let Some(aside) = self.aside.get() {
            return Ok(aside.clone());
        }
        let now = self.source.beds(self.page)?;
        // An edit made meanwhile has put the beds aside before.
        Ok(self.aside.get().cloned().unwrap_or(now))
    }
}

impl Drop for HeldBeds {
    fn drop(&mut self) {
        self.source.held().forget(self.page);
    }
}

/// The pages whose beds are in use as [`HeldBeds`].
#[derive(Debug, Default)]
pub(super) struct HeldPages(Mutex<BTreeMap<PageKey, Weak<HeldBeds>>>);

impl HeldPages {
    /// Returns the present beds of a page, and keeps them through later edits.
    pub fn hold(&self, source: Arc<dyn PageSource>, page: PageKey) -> Arc<HeldBeds> {
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(held) = pages.get(&page).and_then(Weak::upgrade) {
            return held;
        }
        let held = HeldBeds { source, page, aside: OnceLock::new() };
        let held = Arc::new(held);
        pages.insert(page, Arc::downgrade(&held));
        held
    }

    /// Puts the beds of a page aside if they are in use, before the page is edited.
    pub fn put_aside(&self, source: &dyn PageSource, page: PageKey) -> Result<(), Arc<StoreError>> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // The lock must be free when this is dropped: dropping the last `HeldBeds` takes it again.
        let held = lock().get(&page).and_then(Weak::upgrade);
        let Some(held) = held else { return Ok(()) };
        let beds = source.beds(page)?;
        held.aside.get_or_init(|| beds);
        // Not before the beds are aside: if they cannot be read, the page stays in the list and is
        // not edited.
        lock().remove(&page);
        Ok(())
    }

    /// Removes a page whose [`HeldBeds`] are dropped, unless they have been taken again.
    fn forget(&self, page: PageKey) {
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if pages.get(&page).is_some_and(|held| held.strong_count() == 0) {
            pages.remove(&page);
        }
    }
}
