//! Hollows: ground from which water cannot run off the map before it has risen.
//!
//! Water rises from the frame of the map, and from NoData that reaches the frame, over the lowest
//! cells first. If it passes over a cell to lower ones, these are a hollow, and that cell is its
//! *spill*: a hollow is full when its water is as high as the spill.
//!
//! ```text
//!  spill ▄▄              ▟█
//!  ▗▄▄▟████▖~~~~~~~~~~▗▟███     ~ full hollow
//!  ████████▙▄▄▄▄▄▄▄▄▟██████
//!   →  the flood comes from here
//! ```
//!
//! Between two cells that touch at a corner the ground is as high as the mean of the four cells
//! there: an oblique brook flows on, and an oblique dam of single cells retains its water.
//!
//! Guarantees: a hollow in a hollow is part of it; the way out of each cell is the lowest.
//! Limits:     the engine's water passes no corners: a brook that passes one may be dammed there.
//! Source:     Barnes, Lehman & Mulla (2014), Priority-flood, algorithm 2; corners: own.

use std::ops::Range;

use super::ground::{ALL, SIDES, SearchedGround, number};
use super::queue::{Queue, height_m, key};

/// A hollow of a map.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Hollow {
    /// Level of its water when it is full, m.
    pub level_m: f32,
    /// Range of its cells in [`Flooded::cells`].
    pub cells: Range<usize>,
}

/// A map after the flood.
#[derive(Debug)]
pub(super) struct Flooded {
    /// Level to which water has to rise at each cell to run off the map, m; NaN if it cannot.
    pub level_m: Vec<f32>,
    /// The hollows.
    pub hollows: Vec<Hollow>,
    /// Their cells, hollow after hollow.
    pub cells: Vec<u32>,
}

/// Floods a map with rising water.
#[must_use]
pub(super) fn flood(ground: &SearchedGround<'_>) -> Flooded {
    let mut queue = Queue::new();
    let mut level_m = vec![f32::NAN; ground.heights_m.len()];
    for cell in outlets(ground) {
        let height_m = ground.height_m(cell);
        level_m[cell as usize] = height_m;
        queue.push(key(height_m), cell);
    }
    let mut flooded = Flooded { level_m, hollows: Vec::new(), cells: Vec::new() };
    while let Some((key, cell)) = queue.pop() {
        if key > self::key(ground.height_m(cell)) {
            flooded.begin(ground, cell, height_m(key), &mut queue);
        } else {
            flooded.spread(ground, cell, ground.height_m(cell), &mut queue);
        }
    }
    flooded
}

impl Flooded {
    /// Spreads water of a level from a cell to the cells around it; lower ones begin a hollow.
    fn spread(&mut self, ground: &SearchedGround<'_>, cell: u32, level_m: f32, queue: &mut Queue) {
        for next in ground.around(cell, ALL) {
            if self.passes(ground, [cell, next], level_m, queue) {
                self.begin(ground, next, level_m, queue);
            }
        }
    }

    /// Passes water of a level from a cell to one beside it; true if that one is lower and new.
    fn passes(
        &mut self,
        ground: &SearchedGround<'_>,
        [cell, next]: [u32; 2],
        level_m: f32,
        queue: &mut Queue,
    ) -> bool {
        let next_m = ground.height_m(next);
        let reached = &mut self.level_m[next as usize];
        if !reached.is_nan() || next_m.is_nan() {
            return false;
        }
        let corner_m = ground.corner_m(cell, next);
        if corner_m > level_m.max(next_m) {
            // Another way may be lower: the first to be popped counts.
            queue.push(key(corner_m), next);
            return false;
        }
        if corner_m.is_nan() || next_m < level_m {
            return !corner_m.is_nan();
        }
        *reached = next_m;
        queue.push(key(next_m), next);
        false
    }

    /// Fills the hollow that begins at a cell, unless water has reached it.
    fn begin(&mut self, ground: &SearchedGround<'_>, cell: u32, level_m: f32, queue: &mut Queue) {
        if !self.level_m[cell as usize].is_nan() {
            return;
        }
        let start = self.cells.len();
        self.level_m[cell as usize] = level_m;
        self.cells.push(cell);
        let mut index = start;
        while let Some(&cell) = self.cells.get(index) {
            for next in ground.around(cell, ALL) {
                if self.passes(ground, [cell, next], level_m, queue) {
                    self.level_m[next as usize] = level_m;
                    self.cells.push(next);
                }
            }
            index += 1;
        }
        self.hollows.push(Hollow { level_m, cells: start..self.cells.len() });
    }
}

/// Returns the cells from which water runs off the map: at its frame, and beside NoData that
/// reaches it.
fn outlets(ground: &SearchedGround<'_>) -> Vec<u32> {
    let mut is_seen = vec![false; ground.heights_m.len()];
    let mut outlets = Vec::new();
    let mut empty = Vec::new();
    let mut see = |cell: u32, empty: &mut Vec<u32>| {
        if !std::mem::replace(&mut is_seen[cell as usize], true) {
            let is_empty = ground.height_m(cell).is_nan();
            if is_empty { empty } else { &mut outlets }.push(cell);
        }
    };
    let (width, height) = ground.size;
    let rows = (0..height).flat_map(|row| [row * width, row * width + width - 1]);
    let columns = (0..width).flat_map(|column| [column, (height - 1) * width + column]);
    for cell in rows.chain(columns) {
        see(number(cell), &mut empty);
    }
    while let Some(cell) = empty.pop() {
        for next in ground.around(cell, SIDES) {
            see(next, &mut empty);
        }
    }
    outlets
}
