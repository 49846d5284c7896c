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
use crate::tile::CowPlane;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// Pages by tile, and requests.
#[derive(Debug, Default)]
pub(super) struct Pages {
    slots: BTreeMap<TileKey, Slot>,
    /// Pages that may be let go, by their last use.
    by_use: BTreeSet<(u64, TileKey)>,
    /// Pages that no thread reads yet.
    queue: VecDeque<TileKey>,
    /// Counts up with each use.
    clock: u64,
    /// Pages for which there is room.
    room: u64,
    /// Pages in memory.
    here: u64,
    pub counters: StreamCounters,
    /// The first page that could not be read.
    pub error: Option<Arc<StoreError>>,
}

#[derive(Debug)]
enum Slot {
    Asked {
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
    /// The page is on its way.
    Asked,
    /// The page was not requested.
    None,
}

impl Pages {
    /// Makes room for so many bytes, of one page at least.
    pub fn set_room(&mut self, bytes: u64) {
        self.room = (bytes / PAGE_BYTES).max(1);
        self.let_go_over(self.room, u64::MAX);
        self.count();
    }

    /// Requests pages, as far as there is room for them beside each other, and returns how many are
    /// new. Pages that could not be read are requested again.
    pub fn want(&mut self, tiles: &[TileKey]) -> u64 {
        // A page that is wanted now and is there does not go for the others.
        self.clock += 1;
        let now = self.clock;
        for tile in tiles {
            self.touch(*tile);
        }
        let mut asked = 0;
        for &tile in tiles {
            if !matches!(self.slots.get(&tile), None | Some(Slot::Failed(_))) {
                continue;
            }
            self.let_go_over(self.room - 1, now);
            if self.here + self.counters.in_flight >= self.room {
                self.counters.turned_away += 1;
                continue;
            }
            self.slots.insert(tile, Slot::Asked { is_awaited: false });
            self.queue.push_back(tile);
            self.counters.in_flight += 1;
            asked += 1;
        }
        self.count();
        asked
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
            Some(Slot::Asked { is_awaited }) => {
                *is_awaited = true;
                // The one that is waited for comes first.
                if let Some(at) = self.queue.iter().position(|&other| other == tile) {
                    self.queue.remove(at);
                    self.queue.push_front(tile);
                    self.counters.put_first += u64::from(at > 0);
                }
                Look::Asked
            }
        }
    }

    /// The page was taken by whoever waited for it: it may be let go from now on.
    pub fn taken(&mut self, tile: TileKey) {
        if let Some(Slot::Here { used, is_awaited, .. }) = self.slots.get_mut(&tile) {
            *is_awaited = false;
            self.by_use.insert((*used, tile));
        }
    }

    /// The next page to be read.
    pub fn next(&mut self) -> Option<TileKey> {
        self.queue.pop_front()
    }

    /// Takes in the result of reading a page.
    pub fn arrived(&mut self, tile: TileKey, read: Result<CowPlane<i32>, StoreError>) {
        let was_awaited = matches!(self.slots.get(&tile), Some(Slot::Asked { is_awaited: true }));
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
