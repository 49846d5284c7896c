//! Water over a polygon.
//!
//! Each cell counts with the part of its area that is in the polygon, with its own depth: for
//! polygons along the cells of the coarsest leaves there the volume is exact. If the polygon cuts
//! sub-grid columns, their finest cells count.

use crate::probe::cursor::{Cursor, DischargeNeed};
use crate::probe::query::{arrays, check_places};
use crate::probe::{Query, QueryError};
use rayon::prelude::*;
use thalweg_engine::grid::cells::{CellPlace, TILE_WIDTH_U32};
use thalweg_engine::grid::polygon::first_crossing;
use thalweg_engine::grid::{LeafId, TILE_WIDTH, TileKey};

/// Water within a polygon.
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
    /// Returns the mean depth over the wet area, m; 0 if no area is wet.
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

/// Part of an area from which it counts as the whole: the difference is rounding.
pub(super) const WHOLE: f64 = 1.0 - 1.0e-12;

impl Query<'_> {
    /// Returns the volume, wet area and depths over a polygon, leaf by leaf in parallel. Its last
    /// corner joins its first, which may be repeated at the end.
    ///
    /// # Errors
    ///
    /// [`QueryError::Place`] if a coordinate is not a finite number, [`QueryError::Points`] for
    /// fewer than three corners, [`QueryError::Crossing`] if sides meet.
    pub fn over(
        &self,
        corners_m: &[impl Into<[f64; 2]> + Copy],
    ) -> Result<AreaSummary, QueryError> {
        let corners_m = &arrays(corners_m)[..];
        let corners_m = outline(corners_m)?;
        let leaves = self.forest.par_ids().map(|leaf| self.over_leaf(leaf, corners_m));
        // Added in the order of leaves, so that the number of threads does not change the last
        // digit.
        let leaves: Vec<Option<AreaSummary>> = leaves.collect();
        Ok(leaves.into_iter().flatten().fold(AreaSummary::default(), AreaSummary::and))
    }

    /// Returns the water of a leaf within the polygon; `None` if they do not meet.
    fn over_leaf(&self, leaf: LeafId, corners_m: &[[f64; 2]]) -> Option<AreaSummary> {
        let key = self.forest.leaves()[leaf];
        let width = self.cell_width_m(key.level);
        let area_m2 = width * width;
        let mut summary = AreaSummary::default();
        let mut cursor = Cursor::new(*self, leaf, DischargeNeed::Unwanted);
        let meets = each_part(key, width, corners_m, &mut |place, part| {
            let over = match part.cut {
                Some(inner) if cursor.tables(leaf).is_some() && part.area < WHOLE => {
                    cursor.over_part(leaf, place, inner)
                }
                _ => self.over_cell(leaf, index(place), part.area * area_m2),
            };
            summary = summary.and(over);
        });
        meets.then_some(summary)
    }

    /// Returns the water of an area within a cell.
    fn over_cell(&self, leaf: LeafId, cell: usize, area_m2: f64) -> AreaSummary {
        if area_m2 <= 0.0 || !self.leaves.ground(leaf).is_inside(cell) {
            return AreaSummary::default();
        }
        if !self.is_wet(leaf, cell) {
            return AreaSummary { area_m2, ..AreaSummary::default() };
        }
        let (ground, depth) = (self.leaves.ground(leaf), self.depth(leaf)[cell]);
        let surface = ground.surface(cell, depth);
        let deepest = match ground.columns {
            Some(_) => surface.stage - ground.dry_stage(cell),
            None => depth,
        };
        AreaSummary {
            area_m2,
            // The stage rises `slope` times as fast as the depth, which counts over the whole cell:
            // 1/`slope` of the cell is wet.
            wet_area_m2: area_m2 / f64::from(surface.slope),
            volume_m3: self.scale.depth_m(depth) * area_m2,
            depth_max_m: self.scale.depth_m(deepest),
        }
    }
}

impl Cursor<'_> {
    /// Returns the water of a part of a cell of a leaf with tables: its finest cells count.
    /// Arguments are the cell's column and row in the leaf, and the part in cells from the leaf's
    /// corner.
    fn over_part(&mut self, leaf: LeafId, cell: [u32; 2], polygon: &[[f64; 2]]) -> AreaSummary {
        let key = self.query.forest.leaves()[leaf];
        let finest_m = self.query.cell_width_m(0);
        let mut summary = AreaSummary::default();
        each_finest(key, cell, polygon, &mut |place, part| {
            let sum = self.finest(leaf, place);
            let area_m2 = sum.inside * part * finest_m * finest_m;
            let depth_m = sum.depth * self.query.scale.unit_m();
            summary = summary.and(AreaSummary {
                area_m2,
                wet_area_m2: sum.wet * area_m2,
                volume_m3: depth_m * area_m2,
                depth_max_m: if area_m2 > 0.0 { depth_m } else { 0.0 },
            });
        });
        summary
    }
}

/// Returns the corners of a polygon without the first one again at the end.
///
/// # Errors
///
/// The errors of [`Query::over`].
pub(crate) fn outline(corners_m: &[[f64; 2]]) -> Result<&[[f64; 2]], QueryError> {
    check_places(corners_m)?;
    let is_closed = corners_m.len() > 1 && corners_m.first() == corners_m.last();
    let corners_m = &corners_m[..corners_m.len() - usize::from(is_closed)];
    if corners_m.len() < 3 {
        let found = corners_m.len();
        return Err(QueryError::Points { what: "a polygon", found, least: 3 });
    }
    match first_crossing(corners_m) {
        Some((first, second)) => Err(QueryError::Crossing { first, second }),
        None => Ok(corners_m),
    }
}

/// Returns the index of a cell in its leaf by column and row.
pub(super) fn index([column, row]: [u32; 2]) -> usize {
    row as usize * TILE_WIDTH + column as usize
}

/// The part of a cell that is in a polygon.
pub(super) struct PolygonPart<'a> {
    /// Area of the part, 0 to 1.
    pub area: f64,
    /// Corners of the part, in cells from the leaf's corner; `None` if whole rows count.
    pub cut: Option<&'a [[f64; 2]]>,
}

/// Calls a function with each cell that a polygon touches, by column and row, of a leaf whose cells
/// are `width` wide; false if they do not meet.
pub(super) fn each_part(
    key: TileKey,
    width: f64,
    corners_m: &[[f64; 2]],
    each: &mut dyn FnMut([u32; 2], PolygonPart<'_>),
) -> bool {
    // In cells from the leaf's corner: small numbers, small rounding.
    let corner = [key.x, key.y].map(|v| f64::from(v) * f64::from(TILE_WIDTH_U32));
    let beyond = |axis: usize, side: f64| {
        let end = (corner[axis] + side) * width;
        corners_m.iter().all(|at| if side > 0.0 { at[axis] >= end } else { at[axis] <= end })
    };
    let tile = f64::from(TILE_WIDTH_U32);
    if (0..2).any(|axis| beyond(axis, 0.0) || beyond(axis, tile)) {
        return false;
    }
    let local = |at: &[f64; 2]| [0, 1].map(|axis| at[axis] / width - corner[axis]);
    let mut polygon: Vec<[f64; 2]> = corners_m.iter().map(local).collect();
    clip(&mut polygon, 0, 0.0, tile);
    clip(&mut polygon, 1, 0.0, tile);
    let is_all = area(&polygon) >= WHOLE * tile * tile;
    for row in 0..TILE_WIDTH_U32 {
        let strip = if is_all { None } else { clipped(&polygon, 1, f64::from(row)) };
        let is_whole = is_all || strip.as_ref().is_some_and(|s| area(s) >= WHOLE * tile);
        if strip.is_none() && !is_all {
            continue;
        }
        for column in 0..TILE_WIDTH_U32 {
            if is_whole {
                each([column, row], PolygonPart { area: 1.0, cut: None });
                continue;
            }
            let inner = strip.as_ref().and_then(|s| clipped(s, 0, f64::from(column)));
            if let Some(inner) = &inner {
                each([column, row], PolygonPart { area: area(inner), cut: Some(inner) });
            }
        }
    }
    true
}

/// Calls a function with each finest cell of a leaf's cell that a polygon touches, and with the
/// part of its area in the polygon. Arguments are the cell's column and row in the leaf, and the
/// polygon in cells from the leaf's corner.
pub(super) fn each_finest(
    key: TileKey,
    cell: [u32; 2],
    polygon: &[[f64; 2]],
    each: &mut dyn FnMut(CellPlace, f64),
) {
    let corner = [key.corner().x, key.corner().y].map(|v| v << key.level);
    let in_finest = f64::from(1_u32 << key.level);
    let polygon: Vec<_> = polygon.iter().map(|at| at.map(|v| v * in_finest)).collect();
    let [columns, rows] = cell.map(|v| v << key.level..(v + 1) << key.level);
    for row in rows {
        let Some(strip) = clipped(&polygon, 1, f64::from(row)) else { continue };
        for column in columns.clone() {
            let Some(inner) = clipped(&strip, 0, f64::from(column)) else { continue };
            let place = CellPlace { x: corner[0] + column, y: corner[1] + row };
            each(place, area(&inner));
        }
    }
}

/// Returns the part of a polygon from `low` to `low` + 1 along an axis, if it is not empty.
fn clipped(polygon: &[[f64; 2]], axis: usize, low: f64) -> Option<Vec<[f64; 2]>> {
    let mut part = polygon.to_vec();
    clip(&mut part, axis, low, low + 1.0);
    (!part.is_empty()).then_some(part)
}

/// Cuts off all parts not from `low` to `high` along an axis (Sutherland & Hodgman 1974). Separate
/// parts stay joined by lines without area.
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
                // Interpolation may round past the bound, into the next cell.
                crossing[axis] = bound;
                cut.push(crossing);
            }
        }
        *polygon = cut;
    }
}

/// Returns the area of a polygon, either way round.
fn area(polygon: &[[f64; 2]]) -> f64 {
    let next = |i: usize| polygon[(i + 1) % polygon.len()];
    let twice: f64 =
        polygon.iter().enumerate().map(|(i, a)| a[0] * next(i)[1] - next(i)[0] * a[1]).sum();
    0.5 * twice.abs()
}
