//! Shallow water: gravity, friction and the transport of momentum.
//!
//! ```text
//! u   = q / h_f                         velocity, from the stages of now
//! dv  = u Δt/Δ ĥ_up               (1)  water: the depth half a step on, where it comes from
//! ```
//!
//! ```text
//! h½  = h − ½ Δt/Δ (h (Δu + Δv) + u s_x + v s_y)           of a cell, by its four faces
//! u½  = u − ½ Δt/Δ (u s_x + v s_y + g (η_r − η_l))         of a face, by the stages of now
//! ```
//!
//! Both are carried with their slopes `s` ([`transport`](super::transport)); a front changes a
//! depth by half of it at most. `src/guide/decisions/half_step.md` explains why neither may be left
//! out. [`momentum`](super::momentum) computes the new momentum.
//!
//! A difference of depth over a closed face, or over a step of the bed higher than the flow is
//! deep, counts as none: walls, banks and dams give no slope.
//!
//! A velocity below 2⁻⁴⁰ m/s counts as 0, and so does −0 ([`maths::flush`]). This applies to
//! velocities as they are read, half a step on, passed on by a wall, to the mean across a face, and
//! to new ones. All remaining velocities are multiples of 2⁻⁶³. So each of their sums, means and
//! slopes is a multiple of 2⁻⁶⁵, and so 0 or a normal number, and so are its products with
//! velocities and with whole units. Numbers that may be subnormal all the same are added to numbers
//! that dwarf them, or to 0, and then count as 0.
//!
//! Guarantees: volume is kept by the integers; between flat columns no energy is created at any
//!             step (`tests/engine/energy.rs`); between flat columns a machine that takes subnormal
//!             numbers for 0 computes the same bits (`subnormal_numbers_change_no_bit`).
//! Limits:     hydrostatic: no dispersion of short waves. Between sub-grid columns energy may
//!             arrive from places from which momentum does not (`src/guide/columns.md`).
//! Source:     own; the upwind depth after Stelling & Duinmeijer (2003), Int. J. Numer. Meth.
//!             Fluids 43.

use crate::flow::face::{ColumnSums, FaceParams};
use crate::flow::memory::RowMemory;
use crate::flow::method::Method;
use crate::flow::momentum::{discharge_east, discharge_x, discharge_y};
use crate::flow::params::{Order, StepParams};
use crate::flow::transport::{carried, limited};
use crate::flow::walls::ColumnPair;
use crate::flow::wrap::{add, sub};
use crate::grid::Axis;
use crate::tile::padded::{
    BLOCK, FIRST, Padded, STRIDE, column_of, part, part_mut, within, within_mut,
};
use crate::tile::water_reach::WaterReach;
use crate::units::maths;

/// Shallow water; with the optional [`terms`](super::terms) if `TERMS`, of a
/// [`fluid`](super::fluid) with viscosity or a yield stress if `FLUID`, between sub-grid columns if
/// `COLUMNS`.
///
/// A face between columns that are not covered moves the water of its opening; no slope of the
/// depth belongs to that water.
#[derive(Debug)]
pub struct ShallowWater<const TERMS: bool, const FLUID: bool, const COLUMNS: bool>;

impl<const TERMS: bool, const FLUID: bool, const COLUMNS: bool> Method
    for ShallowWater<TERMS, FLUID, COLUMNS>
{
    type Memory = RowMemory;
    const COLUMNS: bool = COLUMNS;
    const OPENS_HALO: bool = COLUMNS;
    const CUTS_DISCHARGES: bool = false;

    /// Replaces the discharges of the row's faces by velocities, and computes slopes and half
    /// depths of the row to its south.
    #[inline(always)]
    fn ready_row(
        tile: &mut Padded,
        row: i32,
        params: &StepParams,
        reach: &WaterReach,
        memory: &mut RowMemory,
    ) {
        let (here, south) = (reach.row(row), reach.row(row - 1));
        let [even, odd] = &mut memory.rises;
        let (before, rises) = if row % 2 == 0 { (odd, even) } else { (even, odd) };
        if here.padded.is_empty() {
            *rises = [[0.0; STRIDE + 1]; 2];
            for plane in [&mut tile.flow_x, &mut tile.flow_y] {
                *part_mut(plane, FIRST, row) = [0.0; STRIDE];
            }
        } else {
            for block in here.dry().padded {
                for plane in [&mut tile.flow_x, &mut tile.flow_y] {
                    *part_mut(plane, column_of(block), row) = [0.0; BLOCK];
                }
                for rise in &mut *rises {
                    *within_mut(rise, BLOCK * block) = [0.0; BLOCK];
                }
            }
            for block in here.padded {
                velocities::<COLUMNS>(tile, (block, row), params, rises);
            }
        }
        if params.order == Order::First {
            return;
        }
        // A row behind: the rises beside a block span two stores.
        if south.padded.is_empty() {
            for plane in [&mut tile.slope_x, &mut tile.slope_y, &mut tile.depth_half] {
                *part_mut(plane, FIRST, row - 1) = [0.0; STRIDE];
            }
            return;
        }
        for block in south.dry().padded {
            for plane in [&mut tile.slope_x, &mut tile.slope_y, &mut tile.depth_half] {
                *part_mut(plane, column_of(block), row - 1) = [0.0; BLOCK];
            }
        }
        for block in south.padded {
            let first = BLOCK * block;
            let slope = part_mut(&mut tile.slope_x, column_of(block), row - 1);
            slopes(slope, within(&before[0], first), within(&before[0], first + 1));
            let slope = part_mut(&mut tile.slope_y, column_of(block), row - 1);
            slopes(slope, within(&before[1], first), within(&rises[1], first));
            depths_half(tile, (column_of(block), row - 1), params.cells_per_m_s);
        }
    }

    #[inline(always)]
    #[expect(clippy::cast_precision_loss, reason = "a float only proposes")]
    fn propose(
        tile: &Padded,
        axis: Axis,
        (column, row): (i32, i32),
        params: &StepParams,
        wanted: &mut [f32; BLOCK],
    ) {
        let (flow, slope, before) = match axis {
            Axis::X => (&tile.flow_x, &tile.slope_x, (column - 1, row)),
            Axis::Y => (&tile.flow_y, &tile.slope_y, (column, row - 1)),
        };
        let speed: &[f32; BLOCK] = part(flow, column, row);
        if params.order == Order::Second {
            let depth_l: &[f32; BLOCK] = part(&tile.depth_half, before.0, before.1);
            let depth_r: &[f32; BLOCK] = part(&tile.depth_half, column, row);
            let slope_l: &[f32; BLOCK] = part(slope, before.0, before.1);
            let slope_r: &[f32; BLOCK] = part(slope, column, row);
            for i in 0..BLOCK {
                let depth = (depth_l[i], depth_r[i]);
                let up = carried(speed[i], depth, (slope_l[i], slope_r[i]));
                // `up` may be negative: half a step on, half of the depth may be gone, and half a
                // slope may be as much as the depth was.
                wanted[i] = speed[i] * params.cells_per_m_s * maths::max(up, 0.0);
            }
        } else {
            let depth_l: &[i32; BLOCK] = part(&tile.depth, before.0, before.1);
            let depth_r: &[i32; BLOCK] = part(&tile.depth, column, row);
            for i in 0..BLOCK {
                let up = if speed[i] >= 0.0 { depth_l[i] } else { depth_r[i] };
                wanted[i] = speed[i] * params.cells_per_m_s * up as f32;
            }
        }
        if COLUMNS {
            let slope_l: &[f32; BLOCK] = part(&tile.columns.slope, before.0, before.1);
            let slope_r: &[f32; BLOCK] = part(&tile.columns.slope, column, row);
            let open: &[i32; BLOCK] = part(&tile.columns.open[axis], column, row);
            for i in 0..BLOCK {
                let through = speed[i] * params.cells_per_m_s * open[i] as f32;
                let is_covered = maths::max(slope_l[i], slope_r[i]) <= 1.0;
                wanted[i] = if is_covered { wanted[i] } else { through };
            }
        }
    }

    #[inline(always)]
    fn begin(
        tile: &Padded,
        row: i32,
        params: &StepParams,
        reach: &WaterReach,
        memory: &mut RowMemory,
    ) {
        memory.bores.begin(tile, row - 2);
        // Transport over the corners south of `row` needs velocities half a step on in the rows on
        // both sides of them. The first round computes one of these rows, the second the other.
        for row in row - 2..row {
            memory.advance::<TERMS, FLUID, COLUMNS>(tile, row, params, reach);
        }
    }

    #[inline(always)]
    fn discharge_rows(
        tile: &Padded,
        row: i32,
        params: &StepParams,
        reach: &WaterReach,
        memory: &mut RowMemory,
        out: (&mut [f32; 64], &mut [f32; 64]),
        sums: &mut ColumnSums,
    ) {
        memory.advance::<TERMS, FLUID, COLUMNS>(tile, row, params, reach);
        let here = (row, reach.row(row));
        discharge_x::<TERMS, FLUID, COLUMNS>(tile, here, params, memory, out.0, sums);
        discharge_y::<TERMS, FLUID, COLUMNS>(tile, here, params, memory, out.1, sums);
    }

    #[inline(always)]
    fn discharge_east(
        tile: &Padded,
        row: i32,
        params: &StepParams,
        memory: &mut RowMemory,
        sums: &mut ColumnSums,
    ) -> f32 {
        let face = discharge_east::<TERMS, FLUID, COLUMNS>(tile, row, params, memory);
        if params.looks {
            sums.add_single(&face);
        }
        face.q
    }

    #[inline(always)]
    fn discharge_north(
        tile: &Padded,
        params: &StepParams,
        reach: &WaterReach,
        memory: &mut RowMemory,
        out: &mut [f32; 64],
        sums: &mut ColumnSums,
    ) {
        memory.advance::<TERMS, FLUID, COLUMNS>(tile, 64, params, reach);
        let here = (64, reach.row(64));
        discharge_y::<TERMS, FLUID, COLUMNS>(tile, here, params, memory, out, sums);
    }
}

/// A block of cells beside faces.
struct BlockCells<'a> {
    bed: &'a [i32; BLOCK],
    depth: &'a [i32; BLOCK],
    /// Stages of sub-grid columns.
    stage: &'a [i32; BLOCK],
    /// Rises of the stages with the depths.
    slope: &'a [f32; BLOCK],
}

/// A block of faces between sub-grid columns.
struct BlockOpenings<'a> {
    open: &'a [i32; BLOCK],
    sill: &'a [i32; BLOCK],
}

/// Replaces the discharges over the west and south faces of a block of a row by velocities, m/s,
/// notes the rises of the depth over the open faces, and marks the closed ones.
#[inline(always)]
fn velocities<const COLUMNS: bool>(
    tile: &mut Padded,
    (block, row): (usize, i32),
    params: &StepParams,
    rises: &mut [[f32; STRIDE + 1]; 2],
) {
    let column = column_of(block);
    let cells = |column, row| BlockCells {
        bed: part(&tile.bed, column, row),
        depth: part(&tile.depth, column, row),
        stage: part(&tile.columns.stage, column, row),
        slope: part(&tile.columns.slope, column, row),
    };
    let (here, west, south) = (cells(column, row), cells(column - 1, row), cells(column, row - 1));
    let openings = |axis| BlockOpenings {
        open: part(&tile.columns.open[axis], column, row),
        sill: part(&tile.columns.sill[axis], column, row),
    };
    let (open_x, open_y) = (openings(Axis::X), openings(Axis::Y));
    let [rise_x, rise_y] = rises;
    let (rise_x, rise_y) = (within_mut(rise_x, BLOCK * block), within_mut(rise_y, BLOCK * block));
    let [closed_x, closed_y] = &mut tile.closed;
    let out = (part_mut(&mut tile.flow_x, column, row), rise_x, part_mut(closed_x, column, row));
    velocities_over::<COLUMNS>((&west, &here), &open_x, params, out);
    let out = (part_mut(&mut tile.flow_y, column, row), rise_y, part_mut(closed_y, column, row));
    velocities_over::<COLUMNS>((&south, &here), &open_y, params, out);
}

/// Replaces discharges over faces by velocities, and computes the rises of the depth over them, and
/// the marks of closed ones, from the cells before and behind them.
#[inline(always)]
#[expect(clippy::cast_precision_loss, reason = "velocities and slopes are floats")]
fn velocities_over<const COLUMNS: bool>(
    (before, behind): (&BlockCells<'_>, &BlockCells<'_>),
    openings: &BlockOpenings<'_>,
    params: &StepParams,
    (flow, rise, closed): (&mut [f32; BLOCK], &mut [f32; BLOCK], &mut [u8; BLOCK]),
) {
    let (bed_l, bed_r) = (before.bed, behind.bed);
    let (mut speeds, mut rises, mut marks) = ([0.0; BLOCK], [0.0; BLOCK], [0; BLOCK]);
    for i in 0..BLOCK {
        let depths = [before.depth[i], behind.depth[i]];
        let (stages, sill) = if COLUMNS {
            ([before.stage[i], behind.stage[i]], openings.sill[i])
        } else {
            ([add(bed_l[i], depths[0]), add(bed_r[i], depths[1])], bed_l[i].max(bed_r[i]))
        };
        let opening = if COLUMNS { openings.open[i] } else { sub(stages[0].max(stages[1]), sill) };
        marks[i] = ColumnPair { depths, stages, sill }.mark(params.wall_least);
        speeds[i] = speed_over(flow[i], opening, &params.face);
        // A closed face has no opening: only dry cells of one bed pass, and differ by 0.
        let is_smooth = sub(bed_l[i].max(bed_r[i]), bed_l[i].min(bed_r[i])) <= opening;
        let is_smooth =
            is_smooth & (!COLUMNS || maths::max(before.slope[i], behind.slope[i]) <= 1.0);
        rises[i] = if is_smooth { sub(depths[1], depths[0]) as f32 } else { 0.0 };
    }
    (*flow, *rise, *closed) = (speeds, rises, marks);
}

/// Returns the velocity over a face of such a discharge and opening, m/s.
#[inline(always)]
#[expect(clippy::cast_precision_loss, reason = "a velocity is a float")]
fn speed_over(q: f32, opening: i32, params: &FaceParams) -> f32 {
    // A unit is a power of two of metres, so the product is exact.
    let u = q / (opening.max(1) as f32 * params.unit_m);
    let most = params.speed_most(opening);
    let u = maths::max(-most, maths::min(u, most));
    if opening > 0 { maths::flush(u) } else { 0.0 }
}

/// Computes the limited slopes of the depth, from its rises over the faces before and behind cells.
#[inline(always)]
fn slopes(slope: &mut [f32; BLOCK], before: &[f32; BLOCK], behind: &[f32; BLOCK]) {
    let mut limited_slope = [0.0; BLOCK];
    for i in 0..BLOCK {
        limited_slope[i] = limited(before[i], behind[i]);
    }
    *slope = limited_slope;
}

/// Computes the depths of a block of cells half a step on, once the velocities of their row and of
/// the one to the north are ready.
#[inline(always)]
fn depths_half(tile: &mut Padded, (column, row): (i32, i32), cells_per_m_s: f32) {
    let depth: &[i32; BLOCK] = part(&tile.depth, column, row);
    let west: &[f32; BLOCK] = part(&tile.flow_x, column, row);
    let east: &[f32; BLOCK] = part(&tile.flow_x, column + 1, row);
    let south: &[f32; BLOCK] = part(&tile.flow_y, column, row);
    let north: &[f32; BLOCK] = part(&tile.flow_y, column, row + 1);
    let slope_x: &[f32; BLOCK] = part(&tile.slope_x, column, row);
    let slope_y: &[f32; BLOCK] = part(&tile.slope_y, column, row);
    let mut half = [0.0; BLOCK];
    for i in 0..BLOCK {
        let (u, v) = ((west[i], east[i]), (south[i], north[i]));
        half[i] = depth_half(depth[i], u, v, (slope_x[i], slope_y[i]), cells_per_m_s);
    }
    *part_mut(&mut tile.depth_half, column, row) = half;
}

/// Returns the depth of a cell half a step on, vertical units, from the velocities over its west
/// and east and over its south and north faces, and the slopes of the depth.
#[inline(always)]
#[expect(clippy::cast_precision_loss, reason = "a float only proposes")]
fn depth_half(
    depth: i32,
    (west, east): (f32, f32),
    (south, north): (f32, f32),
    (slope_x, slope_y): (f32, f32),
    cells_per_m_s: f32,
) -> f32 {
    let h = depth as f32;
    let spread = (east - west) + (north - south);
    let drift = (east + west) * slope_x + (north + south) * slope_y;
    let gone = cells_per_m_s * (0.5 * h * spread + 0.25 * drift);
    // Where a front passes, no more than half of the depth is gained or lost.
    let most = 0.5 * h;
    h - maths::max(-most, maths::min(gone, most))
}
