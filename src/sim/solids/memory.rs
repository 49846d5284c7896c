//! What is remembered of the water among solids, from region to region and in files.

use crate::body::{Covered, Solids};
use crate::forest::LeafIndex;
use crate::grid::TileKey;
use crate::grid::cells::CellPlace;
use crate::sim::Simulation;
use crate::sim::solids::region::{Region, key_of};
use rayon::prelude::*;
use serde::Serialize;
use std::cmp::Ordering;

/// Larger numbers no run comes to: below a body that is torn away at kilometres a second the head
/// falls by 10⁷ m.
const NUMBER_MOST: f64 = 1.0e12;

/// State of a cell that solids touch.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CellMemory {
    /// Its place, as a number.
    pub key: u64,
    /// Water over the solids, vertical units.
    pub upper: i32,
    /// Head below them, m above the datum; `None` where it is of no meaning.
    pub head: Option<f64>,
    /// Elevation of the surface around, carried on below them, m; `None` where all is dry.
    pub surface: Option<f64>,
    /// Water on the other side of a wall, vertical units.
    pub held: i32,
    /// Sides that the wall closes, west, south, east and north from the lowest bit on.
    pub closed: u8,
}

/// State of a passage.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PassageMemory {
    /// Key of the cell behind it, axis, slot.
    pub place: (u64, u8, u8),
    /// Unit discharge, m²/s.
    pub q: f64,
}

/// State of the water among solids beside what planes hold.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct SolidMemory {
    /// Of cells, in the order of their places.
    pub cells: Vec<CellMemory>,
    /// Of passages, in the order of their places.
    pub passages: Vec<PassageMemory>,
}

/// A number, where it is one.
fn known(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}

impl SolidMemory {
    /// What a region knows.
    #[must_use]
    pub fn of(region: &Region) -> Self {
        let touched = region.cells.iter().filter(|cell| cell.is_touched);
        let cells = touched.map(|cell| CellMemory {
            key: cell.key,
            upper: cell.upper,
            head: known(region.nodes[cell.node as usize].head).filter(|_| cell.is_apart),
            surface: known(cell.surface),
            held: cell.held,
            closed: cell.closed,
        });
        let passages = region
            .passages
            .iter()
            .map(|passage| PassageMemory { place: passage.place, q: passage.q });
        Self { cells: cells.collect(), passages: passages.collect() }
    }

    /// True where a file may tell of it: in order, and numbers within reason.
    #[must_use]
    pub fn is_good(&self) -> bool {
        let is_small = |number: f64| number.abs() < NUMBER_MOST;
        let is_ok = |cell: &CellMemory| {
            let has_lower = cell.head.is_some() || cell.upper == 0;
            let is_held = cell.held != i32::MIN;
            let is_wall = is_held && cell.closed < 1 << 4;
            has_lower
                && is_wall
                && cell.upper >= 0
                && cell.head.is_none_or(is_small)
                && cell.surface.is_none_or(is_small)
        };
        self.cells.iter().all(is_ok)
            && self.cells.is_sorted_by(|a, b| a.key < b.key)
            && self.passages.iter().all(|passage| is_small(passage.q))
            && self.passages.is_sorted_by(|a, b| a.place < b.place)
    }
}

impl Simulation {
    /// State of the water among solids beside what planes hold.
    #[must_use]
    pub fn solid_memory(&self) -> SolidMemory {
        if self.state.solids.is_stale {
            self.state.solids.memory.clone()
        } else {
            SolidMemory::of(&self.state.solids.region)
        }
    }

    /// Solids and what is remembered of the water among them, for a file.
    pub(in crate::sim) fn solids_of_run(&self) -> Option<Box<(Solids, SolidMemory)>> {
        let solids = &self.state.solids.solids;
        (!solids.is_empty()).then(|| Box::new((solids.clone(), self.solid_memory())))
    }

    /// Goes on with solids and what was remembered of the water among them; false where the
    /// numbers are none.
    pub(in crate::sim) fn recall_solids(&mut self, solids: Solids, memory: SolidMemory) -> bool {
        let is_ordered = solids.is_good()
            && solids.cells.is_sorted_by(|a, b| key_of(a.place) < key_of(b.place))
            && solids
                .faces
                .is_sorted_by(|a, b| (a.axis, key_of(a.place)) < (b.axis, key_of(b.place)));
        if !is_ordered || !memory.is_good() {
            return false;
        }
        self.state.solids.solids = solids;
        (self.state.solids.region, self.state.solids.memory) = (Region::default(), memory);
        self.state.solids.is_stale = true;
        true
    }

    /// Lets go of the region: what it remembers goes on to the next.
    pub(in crate::sim) fn forget_region(&mut self) {
        if !self.state.solids.is_stale {
            self.state.solids.memory = SolidMemory::of(&self.state.solids.region);
            let region = std::mem::take(&mut self.state.solids.region);
            region.groups.into_par_iter().with_min_len(64).for_each(drop);
            self.state.solids.is_stale = true;
        }
    }

    /// Makes the region of the solids, where that is to be done.
    pub fn begin_solids(&mut self) {
        if !self.state.solids.is_stale {
            return;
        }
        let mut region = Region::of(self, &self.state.solids.solids);
        region.recall(&self.state.solids.memory, self.params.unit_m);
        self.state.solids.memory = SolidMemory::default();
        (self.state.solids.region, self.state.solids.is_stale) = (region, false);
        self.read_flows();
    }

    /// Leaves that hold cells whose solids are others than before.
    pub(in crate::sim) fn leaves_of_change(&self, before: &Solids) -> Vec<LeafIndex> {
        let mut places: Vec<CellPlace> = Vec::new();
        let (mut old, mut new) =
            (before.cells.iter().peekable(), self.state.solids.solids.cells.iter().peekable());
        loop {
            let order = match (old.peek(), new.peek()) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(a), Some(b)) => key_of(a.place).cmp(&key_of(b.place)),
            };
            let place = |cell: Option<&Covered>| cell.map(|cell| cell.place);
            match order {
                Ordering::Less => places.extend(place(old.next())),
                Ordering::Greater => places.extend(place(new.next())),
                Ordering::Equal => {
                    let (a, b) = (old.next(), new.next());
                    places.extend(place(a).filter(|_| a != b));
                }
            }
        }
        for face in self.state.solids.solids.faces.iter().filter(|face| face.speed != 0) {
            let CellPlace { x, y } = face.place;
            let before = if face.axis == 0 {
                (x.checked_sub(1), Some(y))
            } else {
                (Some(x), y.checked_sub(1))
            };
            places.push(face.place);
            places.extend(before.0.zip(before.1).map(|(x, y)| CellPlace { x, y }));
        }
        let base = self.state.leaves.forest.base();
        let mut tiles: Vec<(u32, u32)> = places
            .iter()
            .map(|&place| TileKey::of_cell(base, place))
            .map(|tile| (tile.y, tile.x))
            .collect();
        tiles.dedup();
        tiles.sort_unstable();
        tiles.dedup();
        let mut leaves: Vec<LeafIndex> = tiles
            .iter()
            .filter_map(|&(y, x)| self.state.leaves.forest.covering(TileKey { level: base, x, y }))
            .map(|leaf| LeafIndex::try_from(leaf).expect("2⁴⁰ cells at most"))
            .collect();
        leaves.sort_unstable();
        leaves.dedup();
        leaves
    }
}

impl Region {
    /// Takes what was remembered, and begins where nothing was.
    fn recall(&mut self, memory: &SolidMemory, unit_m: f64) {
        let mut known = memory.cells.iter().peekable();
        for index in 0..self.cells.len() {
            let cell = self.cells[index];
            while known.next_if(|memory| memory.key < cell.key).is_some() {}
            let known = known.peek().filter(|memory| memory.key == cell.key);
            if !cell.is_touched {
                continue;
            }
            let stage = cell.bed + cell.depth;
            let whole = self.nodes[cell.node as usize].head_of(f64::from(cell.depth) * unit_m);
            let own = &mut self.cells[index];
            own.surface = known.and_then(|known| known.surface).unwrap_or(f64::NAN);
            if !cell.is_apart {
                continue;
            }
            own.upper = match known.filter(|known| known.head.is_some()) {
                Some(known) => known.upper.min(cell.depth),
                // What stood over the top stays over it, and so does what has no room below.
                None if stage > cell.high => cell.depth - cell.depth.min(cell.low - cell.bed),
                None => 0,
            };
            let head = known.and_then(|known| known.head);
            let head = head.unwrap_or_else(|| whole.max(f64::from(stage) * unit_m));
            self.nodes[cell.node as usize].head = head;
        }
        self.recall_held(&memory.cells, unit_m);
        let mut known = memory.passages.iter().peekable();
        for passage in &mut self.passages {
            while known.next_if(|memory| memory.place < passage.place).is_some() {}
            let known = known.peek().filter(|memory| memory.place == passage.place);
            passage.q = known.map_or(f64::NAN, |known| known.q);
        }
        for group in &mut self.groups {
            let head = |&node: &u32| self.nodes[node as usize].head;
            group.heads = group.nodes.iter().map(head).collect();
        }
    }
}
