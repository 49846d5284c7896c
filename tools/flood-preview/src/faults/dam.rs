//! Dams: narrow ridges that retain water in a hollow, for lack of a culvert or a bridge on the map.
//!
//! The search finds the shortest pipe from the deep ground of a hollow to ground beyond its rim
//! that is as low and drains. Its ends are on both sides of a dam if the ground rises from each end
//! towards the crest much more steeply than the ground slopes behind that end, up behind the inner
//! end and down behind the outer one:
//!
//! ```text
//!            ▟▙  crest                            level of the full hollow
//!   ~~~~~~~~▟██▙                                  ~~~~~~~▗▖
//!   ▄▄▄▄▄▄▄▄████▙▄▄▄▄▄▄   a dam                   ██▙▄▄▄▟██▙▖    no dam: a pit in a slope
//!          a────→b                                    a──────→b
//! ```
//!
//! Limits: if the hollow of a higher dam downstream drowns a dam, the two count as one, until the
//!         higher one is mended.

use super::ground::{CORNERS, SIDES, SearchedGround};
use super::hollow::Flooded;

/// Part of a hollow's depth that a pipe through its dam drains, at least.
const DRAINED: f32 = 0.75;

/// Additional length of a pipe that begins deeper by the whole depth of the hollow, cells.
const DEEPER_CELLS: f64 = 4.0;

/// Steepness towards a dam, over that of the ground behind.
const STEEPER: f64 = 1.6;

/// Width of a dam: its crest, and the increase for each metre of height, m.
const CREST_M: f64 = 20.0;
const WIDENING: f64 = 6.0;

/// Narrowest and widest reach of a pipe, cells.
const REACH_CELLS: [f64; 2] = [6.0, 40.0];

/// Search of pipes through dams of one map after another.
#[derive(Debug)]
pub(super) struct DamSearch<'a> {
    ground: &'a SearchedGround<'a>,
    flooded: &'a Flooded,
    /// The search that reached a cell last.
    reached_by: Vec<u32>,
    searches: u32,
}

/// A hollow, as the search sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Full<'a> {
    /// Cells of the hollow.
    pub cells: &'a [u32],
    /// Level of its water, m.
    pub level_m: f32,
    /// Depth at its lowest cell, m.
    pub depth_m: f32,
}

impl<'a> DamSearch<'a> {
    /// Begins the searches on a map.
    #[must_use]
    pub fn new(ground: &'a SearchedGround<'a>, flooded: &'a Flooded) -> Self {
        Self { ground, flooded, reached_by: vec![0; ground.heights_m.len()], searches: 0 }
    }

    /// Finds the pipe through the dam of a hollow: its ends inside and outside.
    pub fn pipe(&mut self, full: Full<'_>) -> Option<(u32, u32)> {
        let (inside, outside) = self.shortest(full)?;
        let is_dam = self.is_dam(full.level_m, inside, outside);
        is_dam.then_some((inside, outside))
    }

    /// Returns the shortest pipe that drains most of a hollow: of several about as short, the
    /// deepest.
    fn shortest(&mut self, full: Full<'_>) -> Option<(u32, u32)> {
        self.searches += 1;
        let Full { cells, level_m, depth_m } = full;
        let width_m = CREST_M + WIDENING * f64::from(depth_m);
        let reach = (width_m / self.ground.cell_m).clamp(REACH_CELLS[0], REACH_CELLS[1]);
        let lowest_m = level_m - DRAINED * depth_m;
        let deep = cells.iter().filter(|cell| self.ground.height_m(**cell) <= lowest_m);
        // Cells of one ring, each with the deep cell that it was reached from.
        let mut ring: Vec<(u32, u32)> = deep.map(|&cell| (cell, cell)).collect();
        for &(cell, _) in &ring {
            self.reached_by[cell as usize] = self.searches;
        }
        // The lowest ground has the height `level_m - depth_m`.
        let shallow = |cell: u32| {
            f64::from((self.ground.height_m(cell) - (level_m - depth_m)) / depth_m) * DEEPER_CELLS
        };
        let mut best: Option<(f64, (u32, u32))> = None;
        let mut steps = 0.0;
        while !ring.is_empty() && steps < reach && best.is_none_or(|(least, _)| steps < least) {
            steps += 1.0;
            let mut next_ring = Vec::new();
            // Sides are tried first, so that a cell is reached from the nearest cell.
            let sides = ring.iter().map(|reached| (SIDES, reached));
            for (part, &(cell, from)) in sides.chain(ring.iter().map(|reached| (CORNERS, reached)))
            {
                for next in self.ground.around(cell, part) {
                    let reached_by = &mut self.reached_by[next as usize];
                    if std::mem::replace(reached_by, self.searches) == self.searches {
                        continue;
                    }
                    next_ring.push((next, from));
                    let far = self.far(from, next);
                    let rank = far + shallow(from);
                    let is_better = best.is_none_or(|(least, _)| rank < least);
                    if is_better && far <= reach && self.is_outside(next, from, level_m) {
                        best = Some((rank, (from, next)));
                    }
                }
            }
            ring = next_ring;
        }
        best.map(|(_, ends)| ends)
    }

    /// True if ground drains below a hollow, and is as low as the inner end of a pipe.
    fn is_outside(&self, cell: u32, inside: u32, level_m: f32) -> bool {
        self.flooded.level_m[cell as usize] < level_m
            && self.ground.height_m(cell) <= self.ground.height_m(inside)
    }

    /// Returns the distance between two cells, cells.
    fn far(&self, one: u32, other: u32) -> f64 {
        let [east, south] = self.step(one, other);
        east.hypot(south)
    }

    /// Returns the columns and rows from a cell to another.
    #[expect(clippy::cast_precision_loss, reason = "columns are far below 2^53")]
    fn step(&self, from: u32, to: u32) -> [f64; 2] {
        let (from, to) = (self.ground.place(from), self.ground.place(to));
        [to.0 as f64 - from.0 as f64, to.1 as f64 - from.1 as f64]
    }

    /// True if the ground rises from each end of a pipe to the crest [`STEEPER`] times as steeply
    /// as it slopes behind that end, or more: up behind the inner end, down behind the outer one.
    fn is_dam(&self, level_m: f32, inside: u32, outside: u32) -> bool {
        let behind = self.far(inside, outside).max(2.0);
        let [inner, outer] = self.faces(level_m, inside, outside);
        let upstream = self
            .lowest_behind(inside, outside, behind)
            .map(|lowest_m| f64::from(lowest_m - self.ground.height_m(inside)) / behind);
        let downstream = self
            .lowest_behind(outside, inside, behind)
            .map(|lowest_m| f64::from(self.ground.height_m(outside) - lowest_m) / behind);
        let is_steeper =
            |face: f64, ground: Option<f64>| ground.is_none_or(|ground| face >= STEEPER * ground);
        is_steeper(inner, upstream) && is_steeper(outer, downstream)
    }

    /// Steepness from both ends of a pipe to the crest between them, m a cell: to the first cell on
    /// the way that is not below a level, or to the middle if the crest is a corner of cells.
    fn faces(&self, level_m: f32, inside: u32, outside: u32) -> [f64; 2] {
        let Some([first, last]) = self.crest(level_m, inside, outside) else {
            let half = 0.5 * self.far(inside, outside);
            return [inside, outside]
                .map(|end| f64::from(level_m - self.ground.height_m(end)) / half);
        };
        [self.steepness(inside, first), self.steepness(outside, last)]
    }

    /// Returns the first and the last cell of a pipe's line that is not below a level.
    fn crest(&self, level_m: f32, inside: u32, outside: u32) -> Option<[u32; 2]> {
        let [east, south] = self.step(inside, outside);
        let steps = east.abs().max(south.abs());
        let (column, row) = self.ground.place(inside);
        #[expect(clippy::cast_possible_truncation, reason = "at most 40 cells to and fro")]
        let at = |step: f64| {
            let part = step / steps;
            let column = column.checked_add_signed((part * east).round() as isize)?;
            self.ground.cell(column, row.checked_add_signed((part * south).round() as isize)?)
        };
        let line = std::iter::successors(Some(1.0), |step| Some(step + 1.0));
        let line = line.take_while(|step| *step < steps).filter_map(at);
        // A wall of missing heights is no dam: its steepness is undefined.
        let is_high = |height_m: f32| height_m.is_nan() || height_m >= level_m;
        let mut high = line.filter(|cell| is_high(self.ground.height_m(*cell)));
        let first = high.next()?;
        Some([first, high.last().unwrap_or(first)])
    }

    /// Returns the rise over a distance, in metres a cell.
    fn steepness(&self, from: u32, to: u32) -> f64 {
        f64::from(self.ground.height_m(to) - self.ground.height_m(from)) / self.far(from, to)
    }

    /// Returns the lowest height `behind` cells from an end of a pipe, on the side away from the
    /// opposite end.
    fn lowest_behind(&self, end: u32, other: u32, behind: f64) -> Option<f32> {
        let along = self.step(end, other);
        #[expect(clippy::cast_possible_truncation, reason = "at most 57 cells")]
        let most = behind.ceil() as isize;
        let (column, row) = self.ground.place(end);
        let steps = (-most..=most).flat_map(|south| (-most..=most).map(move |east| (east, south)));
        #[expect(clippy::cast_precision_loss, reason = "at most 57 cells")]
        let is_behind = |&(east, south): &(isize, isize)| {
            let [x, y] = [east as f64, south as f64];
            (x.hypot(y) - behind).abs() <= 0.5 && x * along[0] + y * along[1] < 0.0
        };
        let heights = steps.filter(is_behind).filter_map(|(east, south)| {
            let column = column.checked_add_signed(east)?;
            let cell = self.ground.cell(column, row.checked_add_signed(south)?)?;
            Some(self.ground.height_m(cell))
        });
        heights.filter(|height_m| !height_m.is_nan()).reduce(f32::min)
    }
}
