//! Flood maps: the largest depth, speed and hazard of each cell, when water came and how long it
//! stayed.
//!
//! ```text
//! v      = |q̄| / h̄      q̄ the mean discharge through the cell's faces, from the transfers
//! hazard = h·(v + 0.5)
//! ```
//!
//! Over a sub-grid column v is what its faces let through over their openings, and the depth that
//! counts for hazard, arrival and duration is that over its lowest bed.
//!
//! Guarantees: maps read transfers, never the discharges that wait for their next step, so what
//!             they show has moved.
//! Limits:     one look a cycle (eight steps): a peak between two looks is missed. Speed and hazard
//!             count where the depth reaches the threshold, as arrival and duration do. A leaf
//!             that changes its level takes its maps along as they are: a cell that was once coarse
//!             shows what was seen anywhere in it. From and to sub-grid columns the largest stage
//!             goes along in the place of the largest depth.
//! Source:     hazard: Defra/Environment Agency, FD2320 (2005), without debris factor.

use crate::grid::blocks::{blocks, four_of};
use crate::grid::{TILE_CELLS, TILE_WIDTH};
use crate::sim::speeds::{LeafView, RowOf, row_of, velocities_m_s};
use crate::tile::{CowPlane, Ground, Resident};
use crate::units::{SimTime, maths};
use std::ops::{Deref, DerefMut};

/// The maps of one leaf, in memory or away, and what is known of them without.
#[derive(Debug, Clone)]
pub struct LeafMaps {
    planes: Resident<MapPlanes>,
    scale: MapScale,
    /// Some cell was wet at the last look: known where the planes are away, or a copy.
    is_wet_away: bool,
    /// The last look.
    pub(crate) seen: SimTime,
    /// Number of the world's change at which these maps were last brought up to date without a
    /// look.
    pub(crate) changed: u64,
}

/// Threshold and unit by which maps look at depths.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MapScale {
    /// Cells count as wet from so many vertical units on.
    threshold: i32,
    unit_m: f32,
}

impl MapScale {
    /// Hazard rating of a depth, vertical units, at a speed, m²/s.
    #[expect(clippy::cast_precision_loss, reason = "a map in f32")]
    pub(crate) fn hazard(self, depth: i32, speed_m_s: f32) -> f32 {
        let metres = if depth >= self.threshold { depth as f32 * self.unit_m } else { 0.0 };
        metres * (speed_m_s + 0.5)
    }
}

/// The planes of the maps of one leaf, 64 × 64 cells each, rows from south to north.
#[derive(Debug, Clone)]
pub struct MapPlanes {
    /// Largest depth, vertical units; over sub-grid columns volume over area.
    pub depth_max: CowPlane<i32>,
    /// Largest speed, m/s.
    pub speed_max: CowPlane<f32>,
    /// Velocity at the last look, eastward and northward, m/s; 0 below the threshold.
    pub velocity: [CowPlane<f32>; 2],
    /// Largest hazard rating, m²/s.
    pub hazard_max: CowPlane<f32>,
    /// When the depth first reached the threshold, s; infinite where it never did.
    pub arrival_s: CowPlane<f32>,
    /// When the depth was at the threshold for the last time, s; infinite where it never was.
    pub wet_last_s: CowPlane<f32>,
    /// When the largest depth was seen first, s; infinite where there never was any.
    pub deepest_s: CowPlane<f32>,
    /// For how long the depth was at the threshold or above, s.
    pub duration_s: CowPlane<f64>,
    /// 1 where the depth was at the threshold at the last look, else 0.
    pub(crate) was_wet: CowPlane<f32>,
}

impl Deref for LeafMaps {
    type Target = MapPlanes;

    #[inline]
    fn deref(&self) -> &MapPlanes {
        &self.planes
    }
}

impl DerefMut for LeafMaps {
    #[inline]
    fn deref_mut(&mut self) -> &mut MapPlanes {
        &mut self.planes
    }
}

impl MapPlanes {
    /// Planes that have seen nothing.
    pub(crate) fn unseen() -> Self {
        let never = || vec![f32::INFINITY; TILE_CELLS].into();
        Self {
            depth_max: CowPlane::zeros(),
            speed_max: CowPlane::zeros(),
            velocity: [(); 2].map(|()| CowPlane::zeros()),
            hazard_max: CowPlane::zeros(),
            arrival_s: never(),
            wet_last_s: never(),
            deepest_s: never(),
            duration_s: CowPlane::zeros(),
            was_wet: CowPlane::zeros(),
        }
    }

    /// Some cell was wet at the last look.
    fn is_wet(&self) -> bool {
        self.was_wet.iter().any(|&was_wet| was_wet > 0.0)
    }

    /// Maps of the quarter `quadrant` of the leaf, now a leaf of its own: each cell has seen what
    /// the coarse one saw.
    fn child(&self, quadrant: usize, coarse: &Ground, fine: &Ground) -> Self {
        let mut depth_max = spread(&self.depth_max, quadrant);
        if coarse.columns.is_some() {
            let depth_max: &mut [i32] = &mut depth_max;
            for (cell, four) in blocks(quadrant) {
                let stage = coarse.stage(cell, self.depth_max[cell]);
                let wet = four.into_iter().filter(|&at| depth_max[at] > 0 && fine.is_inside(at));
                wet.collect::<Vec<_>>()
                    .into_iter()
                    .for_each(|at| depth_max[at] = fine.holds(at, stage));
            }
        }
        Self {
            depth_max,
            speed_max: spread(&self.speed_max, quadrant),
            velocity: self.velocity.each_ref().map(|plane| spread(plane, quadrant)),
            hazard_max: spread(&self.hazard_max, quadrant),
            arrival_s: spread(&self.arrival_s, quadrant),
            wet_last_s: spread(&self.wet_last_s, quadrant),
            deepest_s: spread(&self.deepest_s, quadrant),
            duration_s: spread(&self.duration_s, quadrant),
            was_wet: spread(&self.was_wet, quadrant),
        }
    }
}

impl LeafMaps {
    /// Maps of a leaf on this ground whose water at `time` has these depths; cells count as wet
    /// from `threshold` vertical units on.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
    pub fn new(ground: &Ground, depth: &[i32], threshold: i32, unit_m: f64, time: SimTime) -> Self {
        let scale = MapScale { threshold: threshold.max(1), unit_m: unit_m as f32 };
        let mut maps = Self::unseen(scale, time);
        for (row, depth) in depth.as_chunks::<TILE_WIDTH>().0.iter().enumerate() {
            let deepest = deepest_row(ground, row, depth);
            maps.look(row, [depth, &deepest], &[[0.0; TILE_WIDTH]; 2], time.seconds() as f32);
        }
        maps
    }

    /// Maps that have seen nothing.
    fn unseen(scale: MapScale, time: SimTime) -> Self {
        let planes = MapPlanes::unseen().into();
        Self { planes, scale, is_wet_away: false, seen: time, changed: 0 }
    }

    /// Maps of the quarter `quadrant` of the leaf, now a leaf of its own: each cell has seen what
    /// the coarse one saw.
    #[must_use]
    pub fn child(&self, quadrant: usize, coarse: &Ground, fine: &Ground) -> Self {
        let Self { scale, seen, changed, .. } = *self;
        let planes = self.planes.child(quadrant, coarse, fine).into();
        Self { planes, scale, is_wet_away: false, seen, changed }
    }

    /// Maps of a leaf that was four quarters, south-west first, `None` where one has no ground: the
    /// largest of the largest, the earliest arrival, the longest duration, the mean velocity of
    /// those that are wet; wet where any of the four is.
    ///
    /// # Panics
    ///
    /// If there is no quarter at all.
    #[must_use]
    pub fn merged(quarters: [Option<(&Self, &Ground)>; 4], coarse: &Ground) -> Self {
        let present = || quarters.iter().flatten().map(|(maps, _)| *maps);
        let any = present().next().expect("a leaf has ground");
        let seen = present().map(|maps| maps.seen).max().unwrap_or(any.seen);
        let mut merged = Self::unseen(any.scale, seen);
        for (quadrant, quarter) in quarters.into_iter().enumerate() {
            let Some((maps, ground)) = quarter else { continue };
            let mut fine = maps.clone();
            fine.pass(seen);
            merged.take_quarter(quadrant, (&fine, ground), coarse);
        }
        merged
    }

    /// Takes in what a quarter has seen, plane by plane.
    fn take_quarter(&mut self, quadrant: usize, (fine, ground): (&Self, &Ground), coarse: &Ground) {
        let largest = |four: [f32; 4]| four.into_iter().fold(0.0, maths::max);
        let earliest = |four: [f32; 4]| four.into_iter().fold(f32::INFINITY, maths::min);
        let latest = |four: [f32; 4]| {
            let times = four.into_iter().filter(|time| time.is_finite());
            times.reduce(maths::max).unwrap_or(f32::INFINITY)
        };
        let longest = |four: [f64; 4]| four.into_iter().fold(0.0, f64::max);
        let planes = &mut **self;
        let depth_max: &mut [i32] = &mut planes.depth_max;
        let deepest_s: &mut [f32] = &mut planes.deepest_s;
        for (cell, four) in blocks(quadrant) {
            let (deepest, at) = deepest_of((fine, ground), four, (coarse, cell));
            depth_max[cell] = deepest;
            deepest_s[cell] = at.map_or(f32::INFINITY, |at| fine.deepest_s[at]);
        }
        gather(&mut self.speed_max, &fine.speed_max, quadrant, largest);
        gather(&mut self.hazard_max, &fine.hazard_max, quadrant, largest);
        gather(&mut self.arrival_s, &fine.arrival_s, quadrant, earliest);
        gather(&mut self.wet_last_s, &fine.wet_last_s, quadrant, latest);
        gather(&mut self.duration_s, &fine.duration_s, quadrant, longest);
        gather(&mut self.was_wet, &fine.was_wet, quadrant, largest);
        let was_wet: &[f32] = &fine.was_wet;
        for (velocity, fine) in self.velocity.iter_mut().zip(&fine.velocity) {
            let (velocity, fine): (&mut [f32], &[f32]) = (velocity, fine);
            for (cell, four) in blocks(quadrant) {
                let count = maths::max(four_of(was_wet, four).iter().sum(), 1.0);
                let [a, b, c, d] = four_of(fine, four);
                velocity[cell] = ((a + b) + (c + d)) / count;
            }
        }
    }

    /// Lets go of its planes.
    pub(crate) fn give_back(self) {
        if !self.planes.is_here() {
            return;
        }
        let all = self.planes.into_inner();
        let [east, north] = all.velocity;
        let planes = [all.speed_max, east, north, all.hazard_max, all.arrival_s, all.was_wet];
        let times = [all.wet_last_s, all.deepest_s];
        planes.into_iter().chain(times).for_each(CowPlane::give_back);
        all.depth_max.give_back();
        all.duration_s.give_back();
    }

    /// The planes, here or away.
    pub(crate) fn planes(&self) -> &Resident<MapPlanes> {
        &self.planes
    }

    /// Puts the planes away, which stay as they are.
    pub(super) fn put_away(&mut self, put: impl FnOnce(&mut Resident<MapPlanes>)) {
        if self.planes.place().is_none() {
            self.is_wet_away = self.planes.is_wet();
        }
        put(&mut self.planes);
    }

    /// Threshold and unit by which these maps look at depths.
    pub(crate) fn scale(&self) -> MapScale {
        self.scale
    }

    /// Counts the time since the last look at what was wet then.
    pub fn pass(&mut self, time: SimTime) {
        if time == self.seen {
            return;
        }
        let span = SimTime::from_ticks(time.since(self.seen)).seconds();
        let planes = &mut *self.planes;
        for (duration, was_wet) in planes.duration_s.iter_mut().zip(&planes.was_wet) {
            *duration += f64::from(*was_wet) * span;
        }
        self.seen = time;
    }

    /// Counts the time since the last look, where there is something to count: whether there was.
    pub(crate) fn bring_up_to(&mut self, time: SimTime) -> bool {
        let is_wet = |maps: &Self| match maps.planes.place() {
            Some(_) => maps.is_wet_away,
            None => maps.planes.is_wet(),
        };
        let counts = self.seen < time && is_wet(self);
        if counts {
            self.pass(time);
        }
        counts
    }

    /// Looks at depths, vertical units, and velocities, m/s eastward and northward, of 64 × 64
    /// cells at `time`: those of a leaf, or finer ones made from a coarser leaf. Where depths are
    /// volumes over areas, `deepest` are those over the lowest beds; else it is the same.
    ///
    /// # Panics
    ///
    /// If a plane has fewer cells.
    #[expect(clippy::cast_possible_truncation, reason = "a map in f32")]
    pub fn look_at(
        &mut self,
        time: SimTime,
        depth: &[i32],
        deepest: &[i32],
        velocity: [&[f32]; 2],
    ) {
        self.pass(time);
        for row in 0..TILE_WIDTH {
            let from = row * TILE_WIDTH;
            let velocity = velocity.map(|plane| *row_of(&plane[from..]));
            let depths = [depth, deepest].map(|plane| row_of(&plane[from..]));
            self.look(row, depths, &velocity, time.seconds() as f32);
        }
    }

    /// Looks at a leaf at the end of its last step in a cycle.
    #[expect(clippy::cast_possible_truncation, reason = "a map in f32")]
    pub(super) fn sample(&mut self, view: &LeafView<'_>) {
        self.pass(view.time);
        self.velocity.iter_mut().for_each(CowPlane::renew);
        for (row, depth) in view.depth.as_chunks::<TILE_WIDTH>().0.iter().enumerate() {
            let deepest = deepest_row(view.ground, row, depth);
            let velocity = velocities_m_s(view, row, depth);
            self.look(row, [depth, &deepest], &velocity, view.time.seconds() as f32);
        }
    }

    /// Looks at one row: depths, and those over the lowest beds. Compare and select, so that the
    /// loop vectorises.
    fn look(
        &mut self,
        row: usize,
        [depth, deepest]: [&RowOf<i32>; 2],
        velocity: &[RowOf<f32>; 2],
        time_s: f32,
    ) {
        let planes = &mut *self.planes;
        let depth_max = row_mut(&mut planes.depth_max, row);
        let speed_max = row_mut(&mut planes.speed_max, row);
        let [now_x, now_y] = &mut planes.velocity;
        let (now_x, now_y) = (row_mut(now_x, row), row_mut(now_y, row));
        let hazard_max = row_mut(&mut planes.hazard_max, row);
        let arrival = row_mut(&mut planes.arrival_s, row);
        let wet_last = row_mut(&mut planes.wet_last_s, row);
        let deepest_at = row_mut(&mut planes.deepest_s, row);
        let was_wet = row_mut(&mut planes.was_wet, row);
        for i in 0..TILE_WIDTH {
            deepest_at[i] = if depth[i] > depth_max[i] { time_s } else { deepest_at[i] };
            depth_max[i] = depth_max[i].max(depth[i]);
            let is_wet = deepest[i] >= self.scale.threshold;
            let u = if is_wet { velocity[0][i] } else { 0.0 };
            let v = if is_wet { velocity[1][i] } else { 0.0 };
            let speed = (u * u + v * v).sqrt();
            let since = if is_wet { time_s } else { f32::INFINITY };
            speed_max[i] = maths::max(speed_max[i], speed);
            (now_x[i], now_y[i]) = (u, v);
            hazard_max[i] = maths::max(hazard_max[i], self.scale.hazard(deepest[i], speed));
            arrival[i] = maths::min(arrival[i], since);
            wet_last[i] = if is_wet { time_s } else { wet_last[i] };
            was_wet[i] = if is_wet { 1.0 } else { 0.0 };
        }
    }
}

/// Depths over the lowest beds of a row of cells, vertical units.
fn deepest_row(ground: &Ground, row: usize, depth: &RowOf<i32>) -> RowOf<i32> {
    let mut deepest = *depth;
    if ground.columns.is_some() {
        let cells = (row * TILE_WIDTH..).zip(&mut deepest).filter(|(_, depth)| **depth > 0);
        for (cell, depth) in cells {
            *depth = ground.deepest(cell, *depth);
        }
    }
    deepest
}

/// The largest depth that a coarse cell over four others has seen, and which of them saw it: with
/// tables, that of the largest stage.
fn deepest_of(
    (fine, ground): (&LeafMaps, &Ground),
    four: [usize; 4],
    (coarse, cell): (&Ground, usize),
) -> (i32, Option<usize>) {
    let wet = four.into_iter().filter(|&at| fine.depth_max[at] > 0);
    if coarse.columns.is_none() {
        let at = wet.max_by_key(|&at| fine.depth_max[at]);
        return (at.map_or(0, |at| fine.depth_max[at]), at);
    }
    let stage = |at: usize| ground.stage(at, fine.depth_max[at]);
    let at = wet.max_by_key(|&at| stage(at)).filter(|_| coarse.is_inside(cell));
    (at.map_or(0, |at| coarse.holds(cell, stage(at))), at)
}

/// A quarter of a plane, each cell four times.
fn spread<T: Copy>(plane: &[T], quadrant: usize) -> CowPlane<T> {
    let mut fine = vec![plane[0]; TILE_CELLS];
    for (cell, four) in blocks(quadrant) {
        four.into_iter().for_each(|at| fine[at] = plane[cell]);
    }
    fine.into()
}

/// Gives each cell of a quarter of a plane what `of` makes of the four below it.
fn gather<T: Copy>(coarse: &mut [T], fine: &[T], quadrant: usize, of: impl Fn([T; 4]) -> T) {
    for (cell, four) in blocks(quadrant) {
        coarse[cell] = of(four_of(fine, four));
    }
}

fn row_mut<T>(plane: &mut [T], row: usize) -> &mut RowOf<T> {
    plane[row * TILE_WIDTH..].first_chunk_mut().expect("64 rows of 64")
}

#[cfg(test)]
mod tests;
