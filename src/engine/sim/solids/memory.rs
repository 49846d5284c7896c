//! Memory of the water among solids, from region to region and in files.

use crate::sim::solids::region::{RegionCellId, SolidRegion, larger, smaller};
use crate::sim::solids::sweep::Sweep;
use serde::Serialize;

/// Limit of numbers that no run reaches: below a body that is torn away at kilometres a second the
/// head falls by 10⁷ m.
const NUMBER_MOST: f64 = 1.0e12;

/// State of a cell that solids touch.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CellMemory {
    /// Place of the cell, as a number.
    pub key: u64,
    /// Water over the solids, vertical units.
    pub upper: i32,
    /// Head below them, m above the datum; `None` if it has no meaning.
    pub head: Option<f64>,
    /// Elevation of the surface around, extended below them, m; `None` if all is dry.
    pub surface: Option<f64>,
    /// Water on the opposite side of a wall, vertical units.
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

/// State of the water among solids that is not in the planes.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct SolidMemory {
    /// States of cells, in the order of their places.
    pub cells: Vec<CellMemory>,
    /// States of passages, in the order of their places.
    pub passages: Vec<PassageMemory>,
}

/// Returns a number if it is finite.
fn known(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}

impl SolidMemory {
    /// Returns the memory of a region.
    #[must_use]
    pub fn of(region: &SolidRegion) -> Self {
        let touched = region.cells.iter().filter(|cell| cell.is_touched);
        let cells = touched.map(|cell| CellMemory {
            key: cell.key,
            upper: cell.upper,
            head: known(region.nodes[cell.node].head).filter(|_| cell.is_apart),
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

    /// Returns true if a file may contain such a memory: in order, and numbers within reason.
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

impl SolidRegion {
    /// Restores the kept state, and begins anew for cells without one.
    pub(super) fn recall(&mut self, memory: &SolidMemory, sweeps: &[Sweep], unit_m: f64) {
        let mut known = memory.cells.iter().peekable();
        for index in 0..self.cells.len() {
            let cell = self.cells[index];
            // Cells and memory are in the order of keys: one pass over both finds all pairs.
            while known.next_if(|memory| memory.key < cell.key).is_some() {}
            let known = known.peek().filter(|memory| memory.key == cell.key);
            if !cell.is_touched {
                continue;
            }
            let stage = cell.bed + cell.depth;
            let whole = self.nodes[cell.node].head_of(f64::from(cell.depth) * unit_m);
            let own = &mut self.cells[index];
            own.surface = known.and_then(|known| known.surface).unwrap_or(f64::NAN);
            if !cell.is_apart {
                continue;
            }
            own.upper = match known.filter(|known| known.head.is_some()) {
                Some(known) => known.upper.min(cell.depth),
                // Water above the top stays over it, and so does water that has no room below.
                None if stage > cell.high => cell.depth - cell.depth.min(cell.low - cell.bed),
                None => 0,
            };
            let head = known.and_then(|known| known.head);
            let head = head.unwrap_or_else(|| whole.max(f64::from(stage) * unit_m));
            self.nodes[cell.node].head = head;
        }
        self.recall_held(&memory.cells, sweeps, unit_m);
        let mut known = memory.passages.iter().peekable();
        for passage in &mut self.passages {
            while known.next_if(|memory| memory.place < passage.place).is_some() {}
            let known = known.peek().filter(|memory| memory.place == passage.place);
            // If it is NaN, `read_flows` takes the discharge in the planes.
            passage.q = known.map_or(f64::NAN, |known| known.q);
        }
    }

    /// Restores the separate water of cells, and recomputes it in cells whose passages changed
    /// sides.
    fn recall_held(&mut self, memory: &[CellMemory], sweeps: &[Sweep], unit_m: f64) {
        let mut moving: Vec<RegionCellId> = sweeps.iter().flat_map(|sweep| sweep.cells).collect();
        moving.sort_unstable();
        let mut known = memory.iter().peekable();
        let mut turned = Vec::new();
        let ids = RegionCellId::all(self.cells.len());
        for (index, cell) in ids.zip(&mut self.cells).filter(|(_, cell)| cell.closed != 0) {
            while known.next_if(|memory| memory.key < cell.key).is_some() {}
            let Some(known) = known.peek().filter(|memory| memory.key == cell.key) else {
                continue;
            };
            let opened = known.closed & !cell.closed;
            // Opposite sides are two bits apart.
            let is_turned = (opened << 2 | opened >> 2) & cell.closed != 0;
            if !is_turned {
                cell.held = known.held;
            } else if moving.binary_search(&index).is_ok() {
                turned.push((index, opened));
            }
        }
        if turned.is_empty() {
            return;
        }
        let open = self.open_sides();
        let held: Vec<i32> = turned
            .iter()
            .map(|&(cell, opened)| self.excess(cell, open[cell], opened, unit_m))
            .collect();
        for ((cell, _), held) in turned.into_iter().zip(held) {
            self.cells[cell].held = held;
        }
    }

    /// Returns the water of a cell beyond that which the stage on sides that opened would give it,
    /// vertical units.
    #[expect(clippy::cast_possible_truncation, reason = "bounded by its depth")]
    fn excess(&self, cell: RegionCellId, open: [bool; 4], opened: u8, unit_m: f64) -> i32 {
        let (mut sum, mut count) = (0.0, 0.0);
        let sides = (0..4).filter(|&side| open[side] && opened >> side & 1 == 1);
        for beside in
            sides.map(|side| self.beside[cell][side]).filter(|&beside| beside != RegionCellId::NONE)
        {
            let beside = &self.cells[beside];
            if !beside.is_apart {
                (sum, count) = (sum + self.head(beside, unit_m), count + 1.0);
            }
        }
        if count == 0.0 {
            return 0;
        }
        let own = &self.cells[cell];
        let stored = self.nodes[own.node].stored(sum / count) / unit_m;
        let most = f64::from(own.depth);
        larger(-most, smaller(most - stored, most)) as i32
    }
}
