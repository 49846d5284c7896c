//! Pages in memory and requested pages: never more than have room.
//!
//! A page takes its room when it is requested, not when it arrives. If no room is left, the least
//! recently used page is released, except a page that has not arrived or for which a thread waits;
//! if only such pages are left, nothing is requested: a thread that needs the page waits until it
//! has room.
//!
//! Guarantees: pages in memory and requested pages together never exceed the room, or one page,
//!             except for the bytes of a page beyond those of its kind; a page for which a thread
//!             waits stays until it was taken.

use crate::store::StoreError;
use crate::stream::StreamCounters;
use crate::stream::page::{Page, PageKey};
use crate::stream::requests::{PageRequest, Signal, Wait};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Pages by key, and requests.
#[derive(Debug, Default)]
pub(super) struct Pages {
    slots: BTreeMap<PageKey, PageSlot>,
    /// Pages that may be released, by their last use.
    by_use: BTreeSet<(u64, PageKey)>,
    /// Number of uses so far.
    clock: u64,
    /// Bytes that pages may take.
    room: u64,
    /// Bytes of pages in memory.
    here: u64,
    /// Bytes of pages that were requested and have not arrived.
    coming: u64,
    /// Raised when a page has arrived, or may be released.
    has_changed: Signal,
    pub counters: StreamCounters,
    /// The first page that could not be read.
    pub error: Option<Arc<StoreError>>,
}

#[derive(Debug)]
enum PageSlot {
    Asked {
        request: PageRequest,
        is_awaited: bool,
    },
    /// The page is in memory; if it is awaited, it may not be released until it is taken.
    Here {
        page: Page,
        used: u64,
        is_awaited: bool,
    },
    Failed(Arc<StoreError>),
}

/// Result of looking up a page.
#[derive(Debug)]
pub(super) enum PageLook {
    Here(Page),
    Failed(Arc<StoreError>),
    /// The page was requested and has not arrived; `urgent` is set if no thread waited for it
    /// before and none reads it yet.
    Asked {
        urgent: Option<PageRequest>,
    },
    /// The page was not requested.
    None,
}

impl Pages {
    /// Sets the room in bytes.
    pub fn set_room(&mut self, bytes: u64) {
        self.room = bytes;
        self.let_go_over(self.room, u64::MAX);
        self.has_changed.raise();
        self.count();
    }

    /// Requests pages while they have room together, and returns the new requests. Pages that could
    /// not be read are requested again.
    pub fn want(&mut self, keys: &[PageKey]) -> Vec<PageRequest> {
        // A requested page that is in memory already is not released for the remaining ones.
        self.clock += 1;
        let now = self.clock;
        for key in keys {
            self.touch(*key);
        }
        let mut requests = Vec::new();
        for &key in keys {
            if !matches!(self.slots.get(&key), None | Some(PageSlot::Failed(_))) {
                continue;
            }
            let bytes = key.kind.bytes();
            self.let_go_over(self.room.saturating_sub(bytes), now);
            let before = self.here + self.coming;
            // A page that is alone is let in even if it is larger than the room: otherwise a thread
            // would wait for it for ever.
            if before > 0 && before + bytes > self.room {
                self.counters.turned_away += 1;
                continue;
            }
            let request = PageRequest::of(key);
            requests.push(request.clone());
            let slot = PageSlot::Asked { request, is_awaited: false };
            self.slots.insert(key, slot);
            self.coming += bytes;
            self.counters.in_flight += 1;
        }
        self.count();
        requests
    }

    /// Returns a wait until the next page arrives, or a waiting thread takes one, which makes room.
    pub fn wait(&self) -> Wait {
        self.has_changed.wait()
    }

    /// Removes pages whose content has changed, and returns them.
    pub fn forget(&mut self, is_stale: impl Fn(PageKey) -> bool) -> Vec<PageKey> {
        let stale = |(key, slot): (&PageKey, &PageSlot)| {
            // A page that is requested but not here is read after the edit: `Pager::edit` holds a
            // lock.
            (is_stale(*key) && !matches!(slot, PageSlot::Asked { .. })).then_some(*key)
        };
        let stale: Vec<PageKey> = self.slots.iter().filter_map(stale).collect();
        for &key in &stale {
            if let Some(PageSlot::Here { page, used, .. }) = self.slots.remove(&key) {
                self.by_use.remove(&(used, key));
                self.here -= page.bytes();
            }
        }
        self.has_changed.raise();
        self.count();
        stale
    }

    /// True if a page is in memory; this does not count as a use.
    pub fn holds(&self, key: PageKey) -> bool {
        matches!(self.slots.get(&key), Some(PageSlot::Here { .. }))
    }

    /// Looks up a page that a thread needs now.
    pub fn look(&mut self, key: PageKey) -> PageLook {
        self.clock += 1;
        self.touch(key);
        match self.slots.get_mut(&key) {
            None => PageLook::None,
            Some(PageSlot::Failed(error)) => PageLook::Failed(Arc::clone(error)),
            Some(PageSlot::Here { page, .. }) => PageLook::Here(page.clone()),
            Some(PageSlot::Asked { request, is_awaited }) => {
                // A page for which a thread waits is read first.
                let is_new = !std::mem::replace(is_awaited, true) && request.is_waiting();
                let urgent = is_new.then(|| request.clone());
                PageLook::Asked { urgent }
            }
        }
    }

    /// Marks a page as taken by the thread that waited for it: it may be released from now on.
    pub fn taken(&mut self, key: PageKey) {
        if let Some(PageSlot::Here { used, is_awaited, .. }) = self.slots.get_mut(&key) {
            *is_awaited = false;
            self.by_use.insert((*used, key));
            self.has_changed.raise();
        }
    }

    /// Stores the result of reading a page.
    pub fn arrived(&mut self, key: PageKey, read: Result<Page, StoreError>) {
        let was_awaited =
            matches!(self.slots.get(&key), Some(PageSlot::Asked { is_awaited: true, .. }));
        self.counters.in_flight -= 1;
        self.coming -= key.kind.bytes();
        let slot = match read {
            Ok(page) => {
                self.counters.pages_in += 1;
                self.counters.bytes_in += page.bytes();
                self.here += page.bytes();
                if !was_awaited {
                    self.by_use.insert((self.clock, key));
                }
                PageSlot::Here { page, used: self.clock, is_awaited: was_awaited }
            }
            Err(error) => {
                let error = Arc::new(error);
                self.error.get_or_insert_with(|| Arc::clone(&error));
                PageSlot::Failed(error)
            }
        };
        self.slots.insert(key, slot);
        // A page may be larger than its kind.
        self.let_go_over(self.room, self.clock);
        self.has_changed.raise();
        self.count();
    }

    /// Marks a page in memory as used now.
    fn touch(&mut self, key: PageKey) {
        let Some(PageSlot::Here { used, is_awaited, .. }) = self.slots.get_mut(&key) else {
            return;
        };
        let before = std::mem::replace(used, self.clock);
        if !*is_awaited && before != self.clock {
            self.by_use.remove(&(before, key));
            self.by_use.insert((self.clock, key));
        }
    }

    /// Releases pages that were not used since `now`, the oldest first, until at most `most` bytes
    /// are left.
    fn let_go_over(&mut self, most: u64, now: u64) {
        while self.here + self.coming > most {
            let Some(&(used, key)) = self.by_use.first().filter(|(used, _)| *used < now) else {
                break;
            };
            self.by_use.remove(&(used, key));
            if let Some(PageSlot::Here { page, .. }) = self.slots.remove(&key) {
                self.here -= page.bytes();
                self.counters.pages_out += 1;
            }
        }
    }

    fn count(&mut self) {
        let counters = &mut self.counters;
        counters.resident_bytes = self.here;
        counters.most_bytes = counters.most_bytes.max(self.here + self.coming);
    }
}
