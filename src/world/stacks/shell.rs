//! The inside of closed solids, by a vertical ray through the centre of each cell.
//!
//! ```text
//!          ▲  leaves through a triangle that looks up
//!    ┌─────┼─────┐
//!    │  rock or  │   corners lie on odd steps (`src/world/stacks/steps.rs`): no ray meets one
//!    │    air    │
//!    └─────┼─────┘
//!          │  enters through a triangle that looks down
//! ```
//!
//! Guarantees: a ray that meets an edge passes through one of its two triangles, by integers alone;
//!             so a ray enters as often as it leaves.
//! Limits:     corners are moved by up to 2⁻¹⁷ of a cell, to the side only.
//! Source:     own.

use crate::world::stacks::rock::RockError;
use crate::world::stacks::steps::{
    AREA_MOST, STEPS, THIN_M, cell, check_area, check_length, snapped,
};
use crate::world::stacks::voids::Voids;
use std::ops::RangeInclusive;
use thalweg_engine::body::Solid;
use thalweg_engine::grid::cells::CellPlace;

/// Place where a ray meets a triangle.
#[derive(Debug, Clone, Copy)]
struct Hit {
    /// Column and row of the ray.
    cell: [i64; 2],
    height_m: f64,
    /// True if the ray enters the solid there on its way up.
    enters: bool,
}

impl Voids {
    /// Carves the inside of a closed solid out of the rock. `origin_m` is the origin of the solid
    /// east and north of the south-west corner of a map of cells of this width, and its height, m.
    ///
    /// # Errors
    ///
    /// [`RockError::Place`], [`RockError::Length`] or [`RockError::Many`] if a number is invalid,
    /// [`RockError::Outside`] if cells are west or south of the map.
    ///
    /// # Examples
    ///
    /// ```
    /// use thalweg::body::Solid;
    /// use thalweg::prelude::*;
    /// let mut voids = Voids::new();
    /// voids.hollow(&Solid::cuboid([8.0, 6.0, 2.0])?, [20.0, 15.0, 4.0], 1.0)?;
    /// let terrain = Terrain::from_heights([64, 64], 1.0, |_, _| 9.0)?;
    /// let world = WorldBuilder::new(terrain).voids(voids).build()?;
    /// assert_eq!(world.stacks().count(), 8 * 6);
    /// let inside = world.stacks().intervals_at(CellPlace { x: 16, y: 12 });
    /// assert_eq!((inside[0].bed_m, inside[0].ceiling_m), (3.0, 5.0));
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn hollow(
        &mut self,
        solid: &Solid,
        origin_m: [f64; 3],
        cell_width_m: f64,
    ) -> Result<&mut Self, RockError> {
        self.extend(insides(solid, origin_m, cell_width_m)?);
        Ok(self)
    }
}

/// Returns the spans of cells inside a solid, m, in the order of their rows, columns and heights.
pub(in crate::world::stacks) fn insides(
    solid: &Solid,
    origin_m: [f64; 3],
    cell_width_m: f64,
) -> Result<Vec<(CellPlace, [f64; 2])>, RockError> {
    check_length("width of a cell", cell_width_m)?;
    let mut hits = Vec::new();
    for piece in solid.pieces() {
        let moved = |point: &glam::DVec3| {
            [origin_m[0] + point.x, origin_m[1] + point.y, origin_m[2] + point.z]
        };
        let heights_m: Vec<f64> = piece.points().iter().map(|point| moved(point)[2]).collect();
        let points = piece.points().iter().map(moved).enumerate();
        let steps: Vec<[i64; 2]> =
            points.map(|point| snapped(point, cell_width_m)).collect::<Result<_, _>>()?;
        check_reach(&steps)?;
        for triangle in piece.triangles() {
            let corners = triangle.map(|corner| steps[corner as usize]);
            meet(corners, triangle.map(|corner| heights_m[corner as usize]), &mut hits);
        }
    }
    hits.sort_by(|a, b| {
        let key = |hit: &Hit| (hit.cell[1], hit.cell[0]);
        // At equal heights entries come first, so that two pieces with a common face leave no gap.
        let by_height = a.height_m.total_cmp(&b.height_m).then(b.enters.cmp(&a.enters));
        key(a).cmp(&key(b)).then(by_height)
    });
    let mut spans = Vec::new();
    let (mut depth, mut from_m) = (0, 0.0);
    for hit in hits {
        depth += if hit.enters { 1 } else { -1 };
        if hit.enters && depth == 1 {
            from_m = hit.height_m;
        } else if !hit.enters && depth == 0 && hit.height_m - from_m >= THIN_M {
            spans.push((cell(hit.cell)?, [from_m, hit.height_m]));
        }
    }
    Ok(spans)
}

/// Checks the number of cells below the corners.
fn check_reach(steps: &[[i64; 2]]) -> Result<(), RockError> {
    let length = |axis: usize| {
        let along = steps.iter().map(|at| at[axis]);
        let [low, high] = [along.clone().min(), along.max()].map(|end| end.unwrap_or(0));
        (high - low) as f64 / STEPS as f64
    };
    check_area(length(0) * length(1), AREA_MOST)
}

/// Returns the columns or rows of cells whose centres are between two steps.
fn centres(low: i64, high: i64) -> RangeInclusive<i64> {
    let above = |step: i64| (step - STEPS / 2).div_euclid(STEPS) + 1;
    above(low)..=above(high) - 1
}

/// Returns twice the area of a triangle, counterclockwise, square steps.
fn area(a: [i64; 2], b: [i64; 2], c: [i64; 2]) -> i128 {
    let [dx, dy] = [0, 1].map(|i| i128::from(b[i] - a[i]));
    let [x, y] = [0, 1].map(|i| i128::from(c[i] - a[i]));
    dx * y - dy * x
}

/// Returns true if a place is left of an edge; one on the edge counts as slightly further east.
fn is_left(area: i128, from: [i64; 2], to: [i64; 2]) -> bool {
    area > 0 || (area == 0 && to[1] < from[1])
}

/// Adds the hits of a triangle.
fn meet(corners: [[i64; 2]; 3], heights_m: [f64; 3], hits: &mut Vec<Hit>) {
    let whole = area(corners[0], corners[1], corners[2]);
    let order = if whole > 0 { [0, 1, 2] } else { [0, 2, 1] };
    let ([a, b, c], z) = (order.map(|i| corners[i]), order.map(|i| heights_m[i]));
    let range = |axis: usize| {
        let along = [a[axis], b[axis], c[axis]];
        let low = along.into_iter().fold(i64::MAX, i64::min);
        centres(low, along.into_iter().fold(i64::MIN, i64::max))
    };
    if whole == 0 {
        return;
    }
    for y in range(1) {
        for x in range(0) {
            let centre = [x, y].map(|at| at * STEPS + STEPS / 2);
            let parts = [area(b, c, centre), area(c, a, centre), area(a, b, centre)];
            let edges = [(b, c), (c, a), (a, b)];
            if parts.iter().zip(edges).all(|(&part, (from, to))| is_left(part, from, to)) {
                // The rise over one corner is 0 on a level triangle, so its height is kept to the
                // bit.
                let rise = parts[1] as f64 * (z[1] - z[0]) + parts[2] as f64 * (z[2] - z[0]);
                let height_m = z[0] + rise / whole.abs() as f64;
                hits.push(Hit { cell: [x, y], height_m, enters: whole < 0 });
            }
        }
    }
}
