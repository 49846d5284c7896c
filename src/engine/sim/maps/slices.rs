//! The numbers of the planes of flood maps, while a look writes them.
//!
//! Planes check at each access whether they are shared, so a look takes their slices before it
//! begins.

use crate::grid::TILE_WIDTH;
use crate::sim::maps::planes::{MapPlanes, MapScale};
use crate::sim::speeds::RowOf;
use crate::tile::CowPlane;
use crate::tile::plane_pool::PlaneNumber;
use crate::units::maths;

/// The numbers of [`MapPlanes`] that looks write.
#[derive(Debug)]
pub(super) struct MapSlices<'a> {
    depth_max: Option<&'a mut [i32]>,
    speed_max: Option<&'a mut [f32]>,
    velocity: Option<[&'a mut [f32]; 2]>,
    hazard_max: Option<&'a mut [f32]>,
    arrival_s: Option<&'a mut [f32]>,
    wet_last_s: Option<&'a mut [f32]>,
    deepest_s: Option<&'a mut [f32]>,
    was_wet: Option<&'a mut [f32]>,
}

impl MapPlanes {
    /// Returns the numbers that looks write.
    pub(super) fn slices(&mut self) -> MapSlices<'_> {
        let velocity = self.velocity.as_mut();
        MapSlices {
            depth_max: slice(&mut self.depth_max),
            speed_max: slice(&mut self.speed_max),
            velocity: velocity.map(|[east, north]| [&mut east[..], &mut north[..]]),
            hazard_max: slice(&mut self.hazard_max),
            arrival_s: slice(&mut self.arrival_s),
            wet_last_s: slice(&mut self.wet_last_s),
            deepest_s: slice(&mut self.deepest_s),
            was_wet: slice(&mut self.was_wet),
        }
    }
}

/// Returns the numbers of a plane that is kept.
fn slice<T: PlaneNumber>(plane: &mut Option<CowPlane<T>>) -> Option<&mut [T]> {
    plane.as_mut().map(|plane| &mut plane[..])
}

impl MapSlices<'_> {
    /// Looks at one row: depths, and those over the lowest beds. Each plane has a loop of its own
    /// over rows of its own, with compare and select, so that the loops vectorise.
    #[inline(always)]
    pub fn look(
        &mut self,
        scale: MapScale,
        row: usize,
        [depth, deepest]: [&RowOf<i32>; 2],
        velocity: &[RowOf<f32>; 2],
        time_s: f32,
    ) {
        let (depth, deepest) = (*depth, *deepest);
        self.look_at_depths(row, &depth, time_s);
        self.look_at_times(row, &deepest, scale.threshold, time_s);
        if self.velocity.is_none() && self.speed_max.is_none() && self.hazard_max.is_none() {
            return;
        }
        let [mut u, mut v] = *velocity;
        for i in 0..TILE_WIDTH {
            let is_wet = deepest[i] >= scale.threshold;
            u[i] = if is_wet { u[i] } else { 0.0 };
            v[i] = if is_wet { v[i] } else { 0.0 };
        }
        if let Some([east, north]) = &mut self.velocity {
            (*row_of_mut(east, row), *row_of_mut(north, row)) = (u, v);
        }
        if self.speed_max.is_none() && self.hazard_max.is_none() {
            return;
        }
        let mut speed = [0.0; TILE_WIDTH];
        for i in 0..TILE_WIDTH {
            speed[i] = (u[i] * u[i] + v[i] * v[i]).sqrt();
        }
        if let Some(speed_max) = row_mut(&mut self.speed_max, row) {
            let mut now = *speed_max;
            for i in 0..TILE_WIDTH {
                now[i] = maths::max(now[i], speed[i]);
            }
            *speed_max = now;
        }
        if let Some(hazard_max) = row_mut(&mut self.hazard_max, row) {
            let mut now = *hazard_max;
            for i in 0..TILE_WIDTH {
                now[i] = maths::max(now[i], scale.hazard(deepest[i], speed[i]));
            }
            *hazard_max = now;
        }
    }

    /// Updates the largest depths of a row, and when they were reached.
    #[inline(always)]
    fn look_at_depths(&mut self, row: usize, depth: &RowOf<i32>, time_s: f32) {
        let Some(depth_max) = row_mut(&mut self.depth_max, row) else { return };
        let before = *depth_max;
        // Before the depths below change, because only a greater depth gets a new time.
        if let Some(deepest_at) = row_mut(&mut self.deepest_s, row) {
            let mut now = *deepest_at;
            for i in 0..TILE_WIDTH {
                now[i] = if depth[i] > before[i] { time_s } else { now[i] };
            }
            *deepest_at = now;
        }
        let mut now = before;
        for i in 0..TILE_WIDTH {
            now[i] = now[i].max(depth[i]);
        }
        *depth_max = now;
    }

    /// Updates when the cells of a row are wet, and whether.
    #[inline(always)]
    fn look_at_times(&mut self, row: usize, deepest: &RowOf<i32>, threshold: i32, time_s: f32) {
        if let Some(arrival) = row_mut(&mut self.arrival_s, row) {
            let mut now = *arrival;
            for i in 0..TILE_WIDTH {
                let since = if deepest[i] >= threshold { time_s } else { f32::INFINITY };
                now[i] = maths::min(now[i], since);
            }
            *arrival = now;
        }
        if let Some(wet_last) = row_mut(&mut self.wet_last_s, row) {
            let mut now = *wet_last;
            for i in 0..TILE_WIDTH {
                now[i] = if deepest[i] >= threshold { time_s } else { now[i] };
            }
            *wet_last = now;
        }
        if let Some(was_wet) = row_mut(&mut self.was_wet, row) {
            let mut now = [0.0; TILE_WIDTH];
            for i in 0..TILE_WIDTH {
                now[i] = if deepest[i] >= threshold { 1.0 } else { 0.0 };
            }
            *was_wet = now;
        }
    }
}

/// Returns a row of a plane, if it is kept.
#[inline(always)]
fn row_mut<'a, T>(plane: &'a mut Option<&mut [T]>, row: usize) -> Option<&'a mut RowOf<T>> {
    plane.as_mut().map(|plane| row_of_mut(plane, row))
}

#[inline(always)]
fn row_of_mut<T>(plane: &mut [T], row: usize) -> &mut RowOf<T> {
    plane[row * TILE_WIDTH..].first_chunk_mut().expect("64 rows of 64")
}
