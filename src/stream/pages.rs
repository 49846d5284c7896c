//! Pages in memory and on their way: never more than there is room for.
//!
//! Room is taken when a page is requested, not when it comes. Where there is none, the page that
//! was not used for longest is let go; where all are on their way, or a thread waits for them,
//! nothing is requested: a thread that needs the page waits until there is room.
//!
//! Guarantees: pages in memory and on their way together are never more than there is room for, or
//!             one; a page that somebody waits for stays until it was taken.

use crate::grid::TileKey;
use crate::store::StoreError;
use crate::stream::StreamCounters;
use crate::stream::plan::PAGE_BYTES;
use crate::stream::requests::{Request, Signal, Wait};
use crate::tile::CowPlane;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Pages by tile, and requests.
#[derive(Debug, Default)]
pub(super) struct Pages {
    slots: BTreeMap<TileKey, Slot>,
    /// Pages that may be let go, by their last use.
    by_use: BTreeSet<(u64, TileKey)>,
    /// Counts up with each use.
    clock: u64,
    /// Pages for which there is room.
    room: u64,
    /// Pages in memory.
    here: u64,
    /// A page has come, or may go now.
    has_changed: Signal,
    pub counters: StreamCounters,
    /// The first page that could not be read.
    pub error: Option<Arc<StoreError>>,
}

#[derive(Debug)]
enum Slot {
    Asked {
        request: Request,
        is_awaited: bool,
    },
    /// Awaited until it is taken: until then it is not among those that may be let go.
    Here {
        page: CowPlane<i32>,
        used: u64,
        is_awaited: bool,
    },
    Failed(Arc<StoreError>),
}

/// Result of looking for a page.
#[derive(Debug)]
pub(super) enum Look {
    Here(CowPlane<i32>),
    Failed(Arc<StoreError>),
    /// The page is on its way; urgent where nobody waited for it before.
    Asked {
        urgent: Option<Request>,
    },
    /// The page was not requested.
    None,
}

impl Pages {
    /// Makes room for so many bytes, of one page at least.
    pub fn set_room(&mut self, bytes: u64) {
        self.room = (bytes / PAGE_BYTES).max(1);
        self.let_go_over(self.room, u64::MAX);
        self.has_changed.raise();
        self.count();
    }

    /// Requests pages, as far as there is room for them beside each other, and returns the new
    /// requests. Pages that could not be read are requested again.
    pub fn want(&mut self, tiles: &[TileKey]) -> Vec<Request> {
        // A page that is wanted now and is there does not go for the others.
        self.clock += 1;
        let now = self.clock;
        for tile in tiles {
            self.touch(*tile);
        }
        let mut requests = Vec::new();
        for &tile in tiles {
            if !matches!(self.slots.get(&tile), None | Some(Slot::Failed(_))) {
                continue;
            }
            self.let_go_over(self.room - 1, now);
            if self.here + self.counters.in_flight >= self.room {
                self.counters.turned_away += 1;
                continue;
            }
            let request = Request::of(tile);
            requests.push(request.clone());
            let slot = Slot::Asked { request, is_awaited: false };
            self.slots.insert(tile, slot);
            self.counters.in_flight += 1;
        }
        self.count();
        requests
    }

    /// A wait for the next page to come, whichever it is, or to be taken by whoever waited for it,
    /// which makes room.
    pub fn wait(&self) -> Wait {
        self.has_changed.wait()
    }

    /// True where a page is in memory; it is not used by that.
    pub fn holds(&self, tile: TileKey) -> bool {
        matches!(self.slots.get(&tile), Some(Slot::Here { .. }))
    }

    /// Looks for a page that somebody needs now.
    pub fn look(&mut self, tile: TileKey) -> Look {
        self.clock += 1;
        self.touch(tile);
        match self.slots.get_mut(&tile) {
            None => Look::None,
            Some(Slot::Failed(error)) => Look::Failed(Arc::clone(error)),
            Some(Slot::Here { page, .. }) => Look::Here(page.clone()),
            Some(Slot::Asked { request, is_awaited }) => {
                // The one that is waited for comes first.
                let is_new = !std::mem::replace(is_awaited, true) && request.is_waiting();
                let urgent = is_new.then(|| request.clone());
                Look::Asked { urgent }
            }
        }
    }

    /// The page was taken by whoever waited for it: it may be let go from now on.
    pub fn taken(&mut self, tile: TileKey) {
        if let Some(Slot::Here { used, is_awaited, .. }) = self.slots.get_mut(&tile) {
            *is_awaited = false;
            self.by_use.insert((*used, tile));
            self.has_changed.raise();
        }
    }

    /// Takes in the result of reading a page.
    pub fn arrived(&mut self, tile: TileKey, read: Result<CowPlane<i32>, StoreError>) {
        let was_awaited =
            matches!(self.slots.get(&tile), Some(Slot::Asked { is_awaited: true, .. }));
        self.counters.in_flight -= 1;
        let slot = match read {
            Ok(page) => {
                self.counters.pages_in += 1;
                self.counters.bytes_in += PAGE_BYTES;
                self.here += 1;
                if !was_awaited {
                    self.by_use.insert((self.clock, tile));
                }
                Slot::Here { page, used: self.clock, is_awaited: was_awaited }
            }
            Err(error) => {
                let error = Arc::new(error);
                self.error.get_or_insert_with(|| Arc::clone(&error));
                Slot::Failed(error)
            }
        };
        self.slots.insert(tile, slot);
        self.has_changed.raise();
        self.count();
    }

    /// A page that is there is used now.
    fn touch(&mut self, tile: TileKey) {
        let Some(Slot::Here { used, is_awaited, .. }) = self.slots.get_mut(&tile) else { return };
        let before = std::mem::replace(used, self.clock);
        if !*is_awaited && before != self.clock {
            self.by_use.remove(&(before, tile));
            self.by_use.insert((self.clock, tile));
        }
    }

    /// Lets go of pages that were not used since `now`, the oldest first, until there are `most`.
    fn let_go_over(&mut self, most: u64, now: u64) {
        while self.here + self.counters.in_flight > most {
            match self.by_use.first() {
                Some(&(used, tile)) if used < now => {
                    self.by_use.remove(&(used, tile));
                    self.slots.remove(&tile);
                    self.here -= 1;
                    self.counters.pages_out += 1;
                }
                _ => break,
            }
        }
    }

    fn count(&mut self) {
        let counters = &mut self.counters;
        counters.resident_bytes = self.here * PAGE_BYTES;
        let all = (self.here + counters.in_flight) * PAGE_BYTES;
        counters.most_bytes = counters.most_bytes.max(all);
    }
}
