//! The watches of a world.
//!
//! ```text
//! leaf ──► watches whose reading depends on it     found anew where leaves change levels
//!    after a cycle: leaves that changed ──► their watches ──► readings ──► events, by watch
//! ```
//!
//! Guarantees: a watch is read if a leaf that it depends on has changed since the last reading, and
//!             only such a watch needs planes; events do not depend on threads.

use crate::probe::kept::LeafAt;
use crate::world::watch::event::{Event, Watched};
use crate::world::watch::request::{Watch, WatchId};
use crate::world::watch::sight::{WatchReading, WatchSight, WatchTarget};
use rayon::prelude::*;
use std::ops::Range;
use thalweg_engine::grid::LeafId;

/// Minimum number of watches that one task reads.
const READ_LEAST: usize = 64;

/// A watch with its place and its last reading.
#[derive(Debug, Clone)]
struct PlacedWatch {
    id: WatchId,
    watch: Watch,
    target: WatchTarget,
    /// Leaves that the reading depends on.
    leaves: Vec<LeafAt>,
    seen: Watched,
    /// Cells that it counts for.
    cells: u64,
}

/// The watches of a world, and their latest events.
#[derive(Debug, Clone, Default)]
pub(in crate::world) struct Watches {
    /// Number of the last watch.
    last: u64,
    /// Watches by their numbers.
    list: Vec<PlacedWatch>,
    /// Finest cells of the rectangles around all footprints.
    cells: u64,
    /// Events of the last run.
    events: Vec<Event>,
    /// Number of events that a completed run has reported.
    told: usize,
    /// Number of the last change of any leaf at the last reading.
    seen: u64,
    /// True if leaves or barriers have been replaced since the last reading.
    has_moved: bool,
    by_leaf: Option<WatchesByLeaf>,
}

/// Watches by the leaves that they depend on.
#[derive(Debug, Clone)]
struct WatchesByLeaf {
    /// Leaves, each with a range of `places`.
    leaves: Vec<(LeafId, Range<usize>)>,
    /// Indices of watches in the list.
    places: Vec<usize>,
    /// Indices of watches on barriers.
    barriers: Vec<usize>,
}

impl WatchesByLeaf {
    fn of(list: &[PlacedWatch]) -> Self {
        let on = |(place, own): (usize, &PlacedWatch)| {
            own.leaves.iter().map(move |leaf| (leaf.id, place)).collect::<Vec<_>>()
        };
        let mut pairs: Vec<(LeafId, usize)> = list.iter().enumerate().flat_map(on).collect();
        pairs.sort_unstable();
        let mut leaves: Vec<(LeafId, Range<usize>)> = Vec::new();
        for (at, &(leaf, _)) in pairs.iter().enumerate() {
            match leaves.last_mut() {
                Some((last, range)) if *last == leaf => range.end = at + 1,
                _ => leaves.push((leaf, at..at + 1)),
            }
        }
        let is_barrier =
            |(_, own): &(usize, &PlacedWatch)| matches!(own.target, WatchTarget::Barrier(..));
        let barriers = list.iter().enumerate().filter(is_barrier).map(|(place, _)| place).collect();
        Self { leaves, places: pairs.into_iter().map(|(_, place)| place).collect(), barriers }
    }
}

impl Watches {
    /// Returns the number of watches.
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// Returns the number of finest cells of the rectangles around all footprints.
    pub fn cells(&self) -> u64 {
        self.cells
    }

    /// Returns all watches by their numbers.
    pub fn all(&self) -> impl ExactSizeIterator<Item = (WatchId, &Watch)> {
        self.list.iter().map(|own| (own.id, &own.watch))
    }

    /// Adds a watch with its target and its leaves, and with the cells that it counts for.
    pub fn add(
        &mut self,
        watch: Watch,
        (target, leaves): (WatchTarget, Vec<LeafAt>),
        seen: Watched,
        cells: u64,
    ) -> WatchId {
        self.last += 1;
        self.cells += cells;
        let id = WatchId(self.last);
        self.list.push(PlacedWatch { id, watch, target, leaves, seen, cells });
        self.by_leaf = None;
        id
    }

    /// Removes a watch.
    pub fn remove(&mut self, id: WatchId) -> Option<Watch> {
        let own = self.list.remove(self.place(id)?);
        self.cells -= own.cells;
        self.by_leaf = None;
        Some(own.watch)
    }

    /// Returns the side on which a watch last observed the watched thing.
    pub fn seen(&self, id: WatchId) -> Option<Watched> {
        Some(self.list[self.place(id)?].seen)
    }

    fn place(&self, id: WatchId) -> Option<usize> {
        self.list.binary_search_by_key(&id, |own| own.id).ok()
    }

    /// Returns the events of the last run, cycle by cycle, each by watch.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Begins a run: removes the events that a run has reported, and keeps the events of a cycle
    /// that ended since then by another call.
    pub fn forget_told(&mut self) {
        self.events.drain(..std::mem::take(&mut self.told));
    }

    /// Ends a run: its caller reads the events now.
    pub fn tell(&mut self) {
        self.told = self.events.len();
    }

    /// Notes that leaves or barriers have been replaced.
    pub fn find_again(&mut self) {
        self.has_moved = true;
    }

    /// Reads the watches whose leaves have changed since the last reading, after a cycle.
    pub fn look(&mut self, sight: &WatchSight<'_>) {
        // The revision is noted even if there are no watches: a new watch is read when it is added.
        let since = std::mem::replace(&mut self.seen, sight.cells.simulation.revision());
        if self.list.is_empty() {
            self.has_moved = false;
            return;
        }
        if std::mem::take(&mut self.has_moved) {
            self.follow(sight);
        }
        let due = self.due(sight, since);
        let list = &self.list;
        let read = |&place: &usize| {
            let PlacedWatch { watch, target, seen, .. } = &list[place];
            sight.read(watch, target, *seen)
        };
        let readings: Vec<WatchReading> =
            due.par_iter().with_min_len(READ_LEAST).map(read).collect();
        let at = sight.cells.simulation.time();
        for (place, reading) in due.into_iter().zip(readings) {
            let PlacedWatch { id, watch, seen, .. } = &mut self.list[place];
            let told = reading.events(watch, *seen).map(|what| Event { watch: *id, at, what });
            self.events.extend(told);
            *seen = reading.watched();
        }
    }

    /// Finds the targets anew whose leaves have been replaced, and barriers.
    fn follow(&mut self, sight: &WatchSight<'_>) {
        let forest = sight.cells.simulation.forest();
        for PlacedWatch { watch, target, leaves, .. } in &mut self.list {
            let stays =
                target.find_again(forest) && leaves.iter_mut().all(|leaf| leaf.find_again(forest));
            if !stays {
                (*target, *leaves) = sight.find(watch).expect("ground stays where it is");
            }
        }
        self.by_leaf = None;
    }

    /// Returns the indices of the watches that are to be read, in their order.
    fn due(&mut self, sight: &WatchSight<'_>, since: u64) -> Vec<usize> {
        let Self { list, by_leaf, .. } = self;
        let by_leaf = by_leaf.get_or_insert_with(|| WatchesByLeaf::of(list));
        let leaves = sight.cells.simulation.leaves();
        let changed = by_leaf.leaves.iter().filter(|(leaf, _)| leaves.changed_at(*leaf) > since);
        let mut due: Vec<usize> = Vec::new();
        for (_, range) in changed {
            due.extend(&by_leaf.places[range.clone()]);
        }
        // A barrier without a face can break too; a removed barrier is read even if its water is at
        // rest.
        due.extend(by_leaf.barriers.iter().filter(|&&place| {
            let PlacedWatch { target, leaves, seen, .. } = &list[place];
            let is_breached = sight.breach(target).is_some();
            is_breached != seen.is_breached || (leaves.is_empty() && seen.is_over)
        }));
        due.sort_unstable();
        due.dedup();
        due
    }
}
