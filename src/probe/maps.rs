//! Flood maps: the largest depth, speed and hazard of each cell, when water came and how long it
//! stayed.
//!
//! ```text
//! v      = |q̄| / h̄      q̄ the mean discharge through the cell's faces, from the transfers
//! hazard = h·(v + 0.5)
//! ```
//!
//! Guarantees: maps read transfers, never the discharges that wait for their next step, so what
//!             they show has moved.
//! Limits:     one look a cycle (eight steps): a peak between two looks is missed. Speed and hazard
//!             count where the depth reaches the threshold, as arrival and duration do.
//! Source:     hazard: Defra/Environment Agency, FD2320 (2005), without debris factor.

use crate::grid::TILE_CELLS;
use crate::grid::TILE_WIDTH;
use crate::sim::LeafSample;
use crate::sim::LeafView;
use crate::tile::padded::STRIDE;
use crate::tile::padded::index;
use crate::units::SimTime;
use crate::units::maths;

/// The maps of one leaf, 64 × 64 cells each, rows from south to north.
#[derive(Debug, Clone)]
pub struct LeafMaps {
    /// Largest depth, vertical units.
    pub depth_max: Box<[i32]>,
    /// Largest speed, m/s.
    pub speed_max: Box<[f32]>,
    /// Velocity at the last look, eastward and northward, m/s; 0 below the threshold.
    pub velocity: [Box<[f32]>; 2],
    /// Largest hazard rating, m²/s.
    pub hazard_max: Box<[f32]>,
    /// When the depth first reached the threshold, s; infinite where it never did.
    pub arrival_s: Box<[f32]>,
    /// For how long the depth was at the threshold or above, s.
    pub duration_s: Box<[f64]>,
    threshold: i32,
    unit_m: f32,
    /// 1 where the depth was at the threshold at the last look, else 0.
    was_wet: Box<[f32]>,
    seen: SimTime,
}

impl LeafMaps {
    /// Maps of a leaf whose water at `time` has these depths; cells count as wet from `threshold`
    /// vertical units on.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
    pub fn new(depth: &[i32], threshold: i32, unit_m: f64, time: SimTime) -> Self {
        let mut maps = Self {
            depth_max: vec![0; TILE_CELLS].into(),
            speed_max: vec![0.0; TILE_CELLS].into(),
            velocity: [(); 2].map(|()| vec![0.0; TILE_CELLS].into()),
            hazard_max: vec![0.0; TILE_CELLS].into(),
            arrival_s: vec![f32::INFINITY; TILE_CELLS].into(),
            duration_s: vec![0.0; TILE_CELLS].into(),
            threshold: threshold.max(1),
            unit_m: unit_m as f32,
            was_wet: vec![0.0; TILE_CELLS].into(),
            seen: time,
        };
        for (row, depth) in depth.as_chunks::<TILE_WIDTH>().0.iter().enumerate() {
            maps.look(row, depth, &[[0.0; TILE_WIDTH]; 2], time.seconds() as f32);
        }
        maps
    }

    /// Counts the time since the last look at what was wet then.
    pub fn pass(&mut self, time: SimTime) {
        let span = SimTime::from_ticks(time.since(self.seen)).seconds();
        for (duration, was_wet) in self.duration_s.iter_mut().zip(&self.was_wet) {
            *duration += f64::from(*was_wet) * span;
        }
        self.seen = time;
    }

    /// Looks at one row. Compare and select, so that the loop vectorises.
    #[expect(clippy::cast_precision_loss, reason = "a map in f32")]
    fn look(&mut self, row: usize, depth: &RowOf<i32>, velocity: &[RowOf<f32>; 2], time_s: f32) {
        let depth_max = row_mut(&mut self.depth_max, row);
        let speed_max = row_mut(&mut self.speed_max, row);
        let [now_x, now_y] = &mut self.velocity;
        let (now_x, now_y) = (row_mut(now_x, row), row_mut(now_y, row));
        let hazard_max = row_mut(&mut self.hazard_max, row);
        let arrival = row_mut(&mut self.arrival_s, row);
        let was_wet = row_mut(&mut self.was_wet, row);
        for i in 0..TILE_WIDTH {
            depth_max[i] = depth_max[i].max(depth[i]);
            let is_wet = depth[i] >= self.threshold;
            let u = if is_wet { velocity[0][i] } else { 0.0 };
            let v = if is_wet { velocity[1][i] } else { 0.0 };
            let speed = (u * u + v * v).sqrt();
            let metres = if is_wet { depth[i] as f32 * self.unit_m } else { 0.0 };
            let since = if is_wet { time_s } else { f32::INFINITY };
            speed_max[i] = maths::max(speed_max[i], speed);
            (now_x[i], now_y[i]) = (u, v);
            hazard_max[i] = maths::max(hazard_max[i], metres * (speed + 0.5));
            arrival[i] = maths::min(arrival[i], since);
            was_wet[i] = if is_wet { 1.0 } else { 0.0 };
        }
    }
}

impl LeafSample for LeafMaps {
    #[expect(clippy::cast_possible_truncation, reason = "a map in f32")]
    fn sample(&mut self, view: &LeafView<'_>) {
        self.pass(view.time);
        for (row, depth) in view.depth.as_chunks::<TILE_WIDTH>().0.iter().enumerate() {
            self.look(row, depth, &velocities_m_s(view, row, depth), view.time.seconds() as f32);
        }
    }
}

/// One row of a plane.
type RowOf<T> = [T; TILE_WIDTH];

fn row_mut<T>(plane: &mut [T], row: usize) -> &mut RowOf<T> {
    plane[row * TILE_WIDTH..].first_chunk_mut().expect("64 rows of 64")
}

/// Velocities in one row of cells during the last step, eastward and northward, m/s.
#[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "row below 64")]
fn velocities_m_s(view: &LeafView<'_>, row: usize, depth: &RowOf<i32>) -> [RowOf<f32>; 2] {
    let at = index(0, row as i32);
    let padded = view.padded;
    let width_over_step = view.params.face.speed_max;
    [(&padded.transfer_x, 1), (&padded.transfer_y, STRIDE)].map(|(transfer, stride)| {
        let faces = [&transfer[at..], &transfer[at + stride..]].map(row_of);
        let cells = [at - stride, at, at + stride].map(|at| row_of(&padded.depth[at..]));
        velocity_row(faces, cells, depth, width_over_step)
    })
}

/// Velocity along one axis: the mean discharge through the faces before and behind a cell over the
/// mean of its old and new depth, no faster than the water on the faster of the two faces (in a
/// cell that fills, the mean alone would be); 0 in a cell that was dry. `cells` holds the old
/// depths of the cells before, here and behind, `width_over_step` Δ/Δt.
#[expect(clippy::cast_precision_loss, reason = "a speed in f32")]
fn velocity_row(
    faces: [&RowOf<i32>; 2],
    cells: [&RowOf<i32>; 3],
    depth: &RowOf<i32>,
    width_over_step: f32,
) -> RowOf<f32> {
    let mut velocity = [0.0; TILE_WIDTH];
    for i in 0..TILE_WIDTH {
        let (first, second) = (faces[0][i] as f32, faces[1][i] as f32);
        let [before, here, behind] = [0, 1, 2].map(|cell: usize| cells[cell][i]);
        // A face moves water of the cell it comes from.
        let donor = |moved: f32, left: i32, right: i32| if moved > 0.0 { left } else { right };
        let on_first = first / donor(first, before, here).max(1) as f32;
        let on_second = second / donor(second, here, behind).max(1) as f32;
        let most = maths::max(maths::max(on_first, on_second), 0.0);
        let least = maths::min(maths::min(on_first, on_second), 0.0);
        let held = here as f32 + depth[i] as f32;
        let mean = (first + second) / maths::max(held, 1.0);
        velocity[i] = maths::max(least, maths::min(mean, most)) * width_over_step;
    }
    velocity
}

fn row_of(plane: &[i32]) -> &RowOf<i32> {
    plane.first_chunk().expect("a padded row is longer than 64")
}
