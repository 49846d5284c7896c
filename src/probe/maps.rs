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
use crate::grid::cells::column_row;
use crate::sim::LeafSample;
use crate::sim::LeafView;
use crate::tile::padded::STRIDE;
use crate::tile::padded::index;
use crate::units::SimTime;

/// The maps of one leaf, 64 × 64 cells each, rows from south to north.
#[derive(Debug, Clone)]
pub struct LeafMaps {
    /// Largest depth, vertical units.
    pub depth_max: Box<[i32]>,
    /// Largest speed, m/s.
    pub speed_max: Box<[f32]>,
    /// Largest hazard rating, m²/s.
    pub hazard_max: Box<[f32]>,
    /// When the depth first reached the threshold, s; infinite where it never did.
    pub arrival_s: Box<[f32]>,
    /// For how long the depth was at the threshold or above, s.
    pub duration_s: Box<[f32]>,
    threshold: i32,
    unit_m: f32,
    was_wet: Box<[bool]>,
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
            hazard_max: vec![0.0; TILE_CELLS].into(),
            arrival_s: vec![f32::INFINITY; TILE_CELLS].into(),
            duration_s: vec![0.0; TILE_CELLS].into(),
            threshold: threshold.max(1),
            unit_m: unit_m as f32,
            was_wet: vec![false; TILE_CELLS].into(),
            seen: time,
        };
        for (cell, &depth) in depth.iter().enumerate() {
            maps.look(cell, depth, 0.0, time.seconds() as f32);
        }
        maps
    }

    /// Counts the time since the last look at what was wet then.
    #[expect(clippy::cast_possible_truncation, reason = "a map in f32")]
    pub fn pass(&mut self, time: SimTime) {
        let span = SimTime::from_ticks(time.since(self.seen)).seconds() as f32;
        for (duration, &was_wet) in self.duration_s.iter_mut().zip(&self.was_wet) {
            *duration += if was_wet { span } else { 0.0 };
        }
        self.seen = time;
    }

    #[expect(clippy::cast_precision_loss, reason = "a map in f32")]
    fn look(&mut self, cell: usize, depth: i32, speed: f32, time_s: f32) {
        self.depth_max[cell] = self.depth_max[cell].max(depth);
        let is_wet = depth >= self.threshold;
        self.was_wet[cell] = is_wet;
        if is_wet {
            let hazard = depth as f32 * self.unit_m * (speed + 0.5);
            self.speed_max[cell] = self.speed_max[cell].max(speed);
            self.hazard_max[cell] = self.hazard_max[cell].max(hazard);
            self.arrival_s[cell] = self.arrival_s[cell].min(time_s);
        }
    }
}

impl LeafSample for LeafMaps {
    #[expect(clippy::cast_possible_truncation, reason = "a map in f32")]
    fn sample(&mut self, view: &LeafView<'_>) {
        self.pass(view.time);
        let time_s = view.time.seconds() as f32;
        for cell in 0..TILE_CELLS {
            let depth = view.depth[cell];
            if depth >= self.threshold || self.was_wet[cell] || depth > self.depth_max[cell] {
                self.look(cell, depth, speed_m_s(view, cell), time_s);
            }
        }
    }
}

/// Speed in a cell during the last step, m/s: the mean discharge through opposite faces over the
/// mean of old and new depth; 0 in a cell that was dry.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a speed in f32")]
pub fn speed_m_s(view: &LeafView<'_>, cell: usize) -> f32 {
    let (column, row) = column_row(cell);
    let at = index(column.cast_signed(), row.cast_signed());
    let padded = view.padded;
    let across = |a: i32, b: i32| (a as f32 + b as f32) * 0.5;
    let x = across(padded.transfer_x[at], padded.transfer_x[at + 1]);
    let y = across(padded.transfer_y[at], padded.transfer_y[at + STRIDE]);
    let depth = across(padded.depth[at], view.depth[cell]) * view.params.face.unit_m;
    let moved = (x * x + y * y).sqrt() / view.params.units_per_flow;
    if depth > 0.0 { moved / depth } else { 0.0 }
}
