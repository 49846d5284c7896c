//! Water over a polygon.
//!
//! Each cell counts with the part of its area that lies in the polygon, with its own depth: for
//! polygons along the cells of the coarsest leaves there the volume is exact.

use crate::grid::TILE_WIDTH;
use crate::grid::cells::TILE_WIDTH_U32;
use crate::grid::polygon::first_crossing;
use crate::probe::Query;
use crate::probe::QueryError;
use crate::probe::query::check_places;
use rayon::prelude::*;

/// What a polygon holds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct AreaSummary {
    /// Area inside the world, m².
    pub area_m2: f64,
    /// Area of wet cells, m².
    pub wet_area_m2: f64,
    /// Volume, m³.
    pub volume_m3: f64,
    /// Largest depth of a cell it touches, m.
    pub depth_max_m: f64,
}

impl AreaSummary {
    /// Mean depth over the wet area, m; 0 where there is none.
    #[must_use]
    pub fn depth_mean_m(&self) -> f64 {
        if self.wet_area_m2 > 0.0 { self.volume_m3 / self.wet_area_m2 } else { 0.0 }
    }

    fn and(self, other: Self) -> Self {
        Self {
            area_m2: self.area_m2 + other.area_m2,
            wet_area_m2: self.wet_area_m2 + other.wet_area_m2,
            volume_m3: self.volume_m3 + other.volume_m3,
            depth_max_m: self.depth_max_m.max(other.depth_max_m),
        }
    }
}

/// A part of an area at least this much smaller than the whole is a part: less is rounding.
const WHOLE: f64 = 1.0 - 1.0e-12;

impl Query<'_> {
    /// Volume, wet area and depths over a polygon, leaf by leaf in parallel. Its last corner joins
    /// its first, which may be repeated at the end.
    ///
    /// # Errors
    ///
    /// [`QueryError::Place`] for a coordinate that is no finite number, [`QueryError::Points`] for
    /// fewer than three corners, [`QueryError::Crossing`] where sides meet.
    pub fn over(&self, corners_m: &[[f64; 2]]) -> Result<AreaSummary, QueryError> {
        check_places(corners_m)?;
        let is_closed = corners_m.len() > 1 && corners_m.first() == corners_m.last();
        let corners_m = &corners_m[..corners_m.len() - usize::from(is_closed)];
        if corners_m.len() < 3 {
            let found = corners_m.len();
            return Err(QueryError::Points { what: "a polygon", found, least: 3 });
        }
        if let Some((first, second)) = first_crossing(corners_m) {
            return Err(QueryError::Crossing { first, second });
        }
        let count = self.forest.leaves().len();
        let leaves = (0..count).into_par_iter().map(|leaf| self.over_leaf(leaf, corners_m));
        // Added in the order of leaves, so that threads do not show in the last digit.
        let leaves: Vec<Option<AreaSummary>> = leaves.collect();
        Ok(leaves.into_iter().flatten().fold(AreaSummary::default(), AreaSummary::and))
    }

    /// What the polygon holds of a leaf; `None` where they do not meet.
    fn over_leaf(&self, leaf: usize, corners_m: &[[f64; 2]]) -> Option<AreaSummary> {
        let key = self.forest.leaves()[leaf];
        let width = self.cell_width_m(key.level);
        // In cells from the leaf's corner: small numbers, small rounding.
        let corner = [key.x, key.y].map(|v| f64::from(v) * f64::from(TILE_WIDTH_U32));
        let beyond = |axis: usize, side: f64| {
            let end = (corner[axis] + side) * width;
            corners_m.iter().all(|at| if side > 0.0 { at[axis] >= end } else { at[axis] <= end })
        };
        let tile = f64::from(TILE_WIDTH_U32);
        if (0..2).any(|axis| beyond(axis, 0.0) || beyond(axis, tile)) {
            return None;
        }
        let local = |at: &[f64; 2]| [0, 1].map(|axis| at[axis] / width - corner[axis]);
        let mut polygon: Vec<[f64; 2]> = corners_m.iter().map(local).collect();
        clip(&mut polygon, 0, 0.0, tile);
        clip(&mut polygon, 1, 0.0, tile);
        let is_all = area(&polygon) >= WHOLE * tile * tile;
        let mut summary = AreaSummary::default();
        for row in 0..TILE_WIDTH_U32 {
            let south = f64::from(row);
            let strip = if is_all { None } else { clipped(&polygon, 1, south) };
            let is_whole = is_all || strip.as_ref().is_some_and(|s| area(s) >= WHOLE * tile);
            if strip.is_none() && !is_all {
                continue;
            }
            for column in 0..TILE_WIDTH_U32 {
                let part = if is_whole {
                    1.0
                } else {
                    let cell = strip.as_ref().and_then(|s| clipped(s, 0, f64::from(column)));
                    cell.map_or(0.0, |cell| area(&cell))
                };
                let cell = row as usize * TILE_WIDTH + column as usize;
                summary = summary.and(self.over_cell(leaf, cell, part * width * width));
            }
        }
        Some(summary)
    }

    /// What an area within a cell holds.
    fn over_cell(&self, leaf: usize, cell: usize, area_m2: f64) -> AreaSummary {
        if area_m2 <= 0.0 || !self.leaves.ground(leaf).is_inside(cell) {
            return AreaSummary::default();
        }
        let depth = self.leaves.water(leaf).depth[cell];
        if depth < self.wet {
            return AreaSummary { area_m2, ..AreaSummary::default() };
        }
        let depth_max_m = self.scale.depth_m(depth);
        let volume_m3 = depth_max_m * area_m2;
        AreaSummary { area_m2, wet_area_m2: area_m2, volume_m3, depth_max_m }
    }
}

/// The part of a polygon from `low` to `low` + 1 along an axis, if there is any.
fn clipped(polygon: &[[f64; 2]], axis: usize, low: f64) -> Option<Vec<[f64; 2]>> {
    let mut part = polygon.to_vec();
    clip(&mut part, axis, low, low + 1.0);
    (!part.is_empty()).then_some(part)
}

/// Cuts off what is not from `low` to `high` along an axis (Sutherland & Hodgman 1974). Parts that
/// fall apart stay joined by lines without area.
fn clip(polygon: &mut Vec<[f64; 2]>, axis: usize, low: f64, high: f64) {
    for (bound, sign) in [(low, 1.0), (high, -1.0)] {
        let kept = |at: [f64; 2]| sign * (at[axis] - bound) >= 0.0;
        let mut cut = Vec::with_capacity(polygon.len() + 4);
        for (i, &a) in polygon.iter().enumerate() {
            let b = polygon[(i + 1) % polygon.len()];
            if kept(a) {
                cut.push(a);
            }
            if kept(a) != kept(b) {
                let part = (bound - a[axis]) / (b[axis] - a[axis]);
                let mut crossing = [0, 1].map(|i| a[i] + part * (b[i] - a[i]));
                crossing[axis] = bound;
                cut.push(crossing);
            }
        }
        *polygon = cut;
    }
}

/// Area of a polygon, either way round.
fn area(polygon: &[[f64; 2]]) -> f64 {
    let next = |i: usize| polygon[(i + 1) % polygon.len()];
    let twice: f64 =
        polygon.iter().enumerate().map(|(i, a)| a[0] * next(i)[1] - next(i)[0] * a[1]).sum();
    0.5 * twice.abs()
}
