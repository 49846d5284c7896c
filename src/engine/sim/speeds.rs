//! Velocities of cells from the water that has crossed their faces: for maps.

use crate::flow::params::StepParams;
use crate::grid::{Axis, TILE_WIDTH};
use crate::tile::Ground;
use crate::tile::padded::{Padded, STRIDE, index, run};
use crate::units::{SimTime, maths};

/// A leaf as its maps see it, at the end of a cycle.
#[derive(Debug)]
pub struct MappedLeaf<'a> {
    /// Ground of the leaf.
    pub ground: &'a Ground,
    /// Depths of the leaf, vertical units, 64 × 64.
    pub depth: &'a [i32],
    /// Transfers and old depths of its last step, padded.
    pub padded: &'a Padded,
    /// Constants of that step.
    pub params: &'a StepParams,
    /// The moment of the look.
    pub time: SimTime,
}

/// One row of a plane.
pub(super) type RowOf<T> = [T; TILE_WIDTH];

/// Returns the row that begins a part of a plane.
#[inline(always)]
pub(super) fn row_of<T>(plane: &[T]) -> &RowOf<T> {
    plane.first_chunk().expect("a padded row is longer than 64")
}

/// Returns the velocities in one row of cells during the last step, eastward and northward, m/s.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "row below 64")]
pub(super) fn velocities_m_s(
    view: &MappedLeaf<'_>,
    row: usize,
    depth: &RowOf<i32>,
) -> [RowOf<f32>; 2] {
    let at = index(0, row as i32);
    [velocities_along(view, Axis::X, at, depth), velocities_along(view, Axis::Y, at, depth)]
}

/// Returns the velocities along an axis in the row of cells that begins `at`, m/s.
#[inline(always)]
fn velocities_along(
    view: &MappedLeaf<'_>,
    axis: Axis,
    at: usize,
    depth: &RowOf<i32>,
) -> RowOf<f32> {
    let padded = view.padded;
    let (transfer, stride) = match axis {
        Axis::X => (&padded.transfer_x, 1),
        Axis::Y => (&padded.transfer_y, STRIDE),
    };
    let mut faces: [RowOf<i32>; 2] = [*run(transfer, at), *run(transfer, at + stride)];
    let before: RowOf<i32> = *run(&padded.depth, at - stride);
    let (here, behind) = (*run(&padded.depth, at), *run(&padded.depth, at + stride));
    let mut areas = [donor_row(&faces[0], &before, &here), donor_row(&faces[1], &here, &behind)];
    // A transfer is u h Δt/Δ: over a depth, and times Δ/Δt, it is a speed.
    let width_over_step = view.params.face.speed_max;
    if view.ground.columns.is_none() {
        return velocity_row(&faces, &areas, [&here, depth], width_over_step);
    }
    let open = &padded.columns.open[axis];
    for (side, at) in [at, at + stride].into_iter().enumerate() {
        let open: RowOf<i32> = *run(open, at);
        for i in 0..TILE_WIDTH {
            // The boundary and interfaces between levels have openings of their own. Water that
            // enters over the boundary does not come from a cell, so its depth is unknown: the
            // opposite face gives the speed.
            let (moved, area) = (faces[side][i], areas[side][i]);
            faces[side][i] = if open[i] <= 0 && area == 0 { 0 } else { moved };
            areas[side][i] = if open[i] > 0 { open[i] } else { area };
        }
    }
    velocity_row(&faces, &areas, [&areas[0], &areas[1]], width_over_step)
}

/// Returns the depths of the cells from which the water over faces flows, given the depths before
/// and behind the faces.
#[inline(always)]
fn donor_row(faces: &RowOf<i32>, before: &RowOf<i32>, behind: &RowOf<i32>) -> RowOf<i32> {
    let mut depth = [0; TILE_WIDTH];
    for i in 0..TILE_WIDTH {
        depth[i] = if faces[i] > 0 { before[i] } else { behind[i] };
    }
    depth
}

/// Returns the velocity along one axis: the mean discharge through the faces before and behind a
/// cell over the mean of `held`, no faster than the water on the faster of the two faces (in a cell
/// that fills, the mean alone would be); 0 in a cell that was dry. `areas` are the flow depths of
/// the faces, `held` the old and new depth of the cell, or the openings of its faces;
/// `width_over_step` is Δ/Δt.
#[inline(always)]
#[expect(clippy::cast_precision_loss, reason = "a speed in f32")]
fn velocity_row(
    faces: &[RowOf<i32>; 2],
    areas: &[RowOf<i32>; 2],
    held: [&RowOf<i32>; 2],
    width_over_step: f32,
) -> RowOf<f32> {
    let mut velocity = [0.0; TILE_WIDTH];
    for i in 0..TILE_WIDTH {
        let (first, second) = (faces[0][i] as f32, faces[1][i] as f32);
        let on_first = first / areas[0][i].max(1) as f32;
        let on_second = second / areas[1][i].max(1) as f32;
        let most = maths::max(maths::max(on_first, on_second), 0.0);
        let least = maths::min(maths::min(on_first, on_second), 0.0);
        // As f32, because the sum of two depths does not fit an i32. Both means have a factor ½,
        // which cancels.
        let held = held[0][i] as f32 + held[1][i] as f32;
        let mean = (first + second) / maths::max(held, 1.0);
        velocity[i] = maths::max(least, maths::min(mean, most)) * width_over_step;
    }
    velocity
}
