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
//! depth by half of it at most. `src/guide/decisions/half_step.md` says why neither may be left
//! out. What becomes of the momentum stands in [`momentum`](super::momentum).
//!
//! A difference of depth over a closed face, or over a step of the bed higher than the flow is
//! deep, counts as none: walls, banks and dams give no slope.
//!
//! Guarantees: volume is the integers'; between flat columns no energy comes from nowhere at any
//!             step (`tests/engine/energy.rs`).
//! Limits:     hydrostatic: no dispersion of short waves. Between sub-grid columns energy may come
//!             from where momentum does not (`src/guide/columns.md`).
//! Source:     own; the upwind depth after Stelling & Duinmeijer (2003), Int. J. Numer. Meth.
//!             Fluids 43.

use crate::flow::face::{ColumnSums, FaceParams};
use crate::flow::memory::Memory;
use crate::flow::method::{BLOCK, HALO_BLOCKS, HALO_REST, Method, REST_OF_HALO};
use crate::flow::momentum::{discharge_east, discharge_x, discharge_y};
use crate::flow::params::StepParams;
use crate::flow::transport::{carried, limited};
use crate::flow::wrap::{add, sub};
use crate::grid::Axis;
use crate::tile::padded::{Padded, STRIDE, part, part_mut, within, within_mut};
use crate::tile::water_reach::{RowReach, WaterReach};
use crate::units::maths;

/// Shallow water; of second order where `SLOPES`, with the optional [`terms`](super::terms) where
/// `TERMS`, between sub-grid columns where `COLUMNS`.
///
/// A face between columns that are not covered moves the water of its opening, which no slope of
/// the depth belongs to.
#[derive(Debug)]
pub struct ShallowWater<const SLOPES: bool, const TERMS: bool, const COLUMNS: bool>;

impl<const SLOPES: bool, const TERMS: bool, const COLUMNS: bool> Method
    for ShallowWater<SLOPES, TERMS, COLUMNS>
{
    type Memory = Memory;
    const COLUMNS: bool = COLUMNS;
    const OPENS_HALO: bool = COLUMNS;
    const CUTS_DISCHARGES: bool = false;

    /// Velocities of the row's faces in the place of their discharges, and slopes of the depth.
    #[inline(always)]
    fn ready_row(
        tile: &mut Padded,
        row: i32,
        params: &StepParams,
        reach: &WaterReach,
        memory: &mut Memory,
    ) {
        let (here, south, face) = (reach.row(row), reach.row(row - 1), &params.face);
        let mut rises = [[0.0; STRIDE]; 2];
        for column in HALO_BLOCKS {
            velocities::<COLUMNS, BLOCK>(tile, (column, row), here, face, &mut rises);
        }
        velocities::<COLUMNS, REST_OF_HALO>(tile, (HALO_REST, row), here, face, &mut rises);
        if SLOPES {
            let rises_y = [&memory.rise_y, &rises[1]];
            for column in HALO_BLOCKS {
                slopes_x::<BLOCK>(tile, (column, row), here, &rises[0]);
                slopes_y::<BLOCK>(tile, (column, row - 1), south, rises_y);
            }
            slopes_x::<REST_OF_HALO>(tile, (HALO_REST, row), here, &rises[0]);
            slopes_y::<REST_OF_HALO>(tile, (HALO_REST, row - 1), south, rises_y);
            memory.rise_y = rises[1];
            for column in HALO_BLOCKS {
                depths_half::<BLOCK>(tile, (column, row - 1), south, params.cells_per_m_s);
            }
            let place = (HALO_REST, row - 1);
            depths_half::<REST_OF_HALO>(tile, place, south, params.cells_per_m_s);
        }
    }

    #[inline(always)]
    #[expect(clippy::cast_precision_loss, reason = "a float only proposes")]
    fn propose<const N: usize>(
        tile: &Padded,
        axis: Axis,
        (column, row): (i32, i32),
        params: &StepParams,
        wanted: &mut [f32; N],
    ) {
        let (flow, slope, before) = match axis {
            Axis::X => (&tile.flow_x, &tile.slope_x, (column - 1, row)),
            Axis::Y => (&tile.flow_y, &tile.slope_y, (column, row - 1)),
        };
        let speed: &[f32; N] = part(flow, column, row);
        if SLOPES {
            let depth_l: &[f32; N] = part(&tile.depth_half, before.0, before.1);
            let depth_r: &[f32; N] = part(&tile.depth_half, column, row);
            let slope_l: &[f32; N] = part(slope, before.0, before.1);
            let slope_r: &[f32; N] = part(slope, column, row);
            for i in 0..N {
                let depth = (depth_l[i], depth_r[i]);
                let up = carried(speed[i], depth, (slope_l[i], slope_r[i]));
                wanted[i] = speed[i] * params.cells_per_m_s * maths::max(up, 0.0);
            }
        } else {
            let depth_l: &[i32; N] = part(&tile.depth, before.0, before.1);
            let depth_r: &[i32; N] = part(&tile.depth, column, row);
            for i in 0..N {
                let up = if speed[i] >= 0.0 { depth_l[i] } else { depth_r[i] };
                wanted[i] = speed[i] * params.cells_per_m_s * up as f32;
            }
        }
        if COLUMNS {
            let slope_l: &[f32; N] = part(&tile.columns.slope, before.0, before.1);
            let slope_r: &[f32; N] = part(&tile.columns.slope, column, row);
            let open: &[i32; N] = part(&tile.columns.open[axis], column, row);
            for i in 0..N {
                let through = speed[i] * params.cells_per_m_s * open[i] as f32;
                let is_covered = maths::max(slope_l[i], slope_r[i]) <= 1.0;
                wanted[i] = if is_covered { wanted[i] } else { through };
            }
        }
    }

    #[inline(always)]
    fn discharge_rows(
        tile: &Padded,
        row: i32,
        params: &StepParams,
        reach: &WaterReach,
        memory: &mut Memory,
        out: (&mut [f32; 64], &mut [f32; 64]),
        sums: &mut ColumnSums,
    ) {
        if row == 0 {
            // The first row of the tile finds nothing carried yet.
            memory.advance::<SLOPES, TERMS, COLUMNS>(tile, -2, params, reach);
            memory.advance::<SLOPES, TERMS, COLUMNS>(tile, -1, params, reach);
        }
        memory.advance::<SLOPES, TERMS, COLUMNS>(tile, row, params, reach);
        let here = (row, reach.row(row));
        discharge_x::<TERMS, COLUMNS>(tile, here, params, memory, out.0, sums);
        discharge_y::<TERMS, COLUMNS>(tile, here, params, memory, out.1, sums);
    }

    #[inline(always)]
    fn discharge_east(
        tile: &Padded,
        row: i32,
        params: &StepParams,
        memory: &mut Memory,
        sums: &mut ColumnSums,
    ) -> f32 {
        let face = discharge_east::<TERMS, COLUMNS>(tile, row, params, memory);
        sums.add_single(&face);
        face.q
    }

    #[inline(always)]
    fn discharge_north(
        tile: &Padded,
        params: &StepParams,
        reach: &WaterReach,
        memory: &mut Memory,
        out: &mut [f32; 64],
        sums: &mut ColumnSums,
    ) {
        memory.advance::<SLOPES, TERMS, COLUMNS>(tile, 64, params, reach);
        let here = (64, reach.row(64));
        discharge_y::<TERMS, COLUMNS>(tile, here, params, memory, out, sums);
    }
}

/// Cells beside faces.
struct Cells<'a, const N: usize> {
    bed: &'a [i32; N],
    depth: &'a [i32; N],
    /// How fast stages rise with depths.
    slope: &'a [f32; N],
}

/// Puts velocities, m/s, in the place of the discharges over the west and south faces of `N` cells
/// from a place on, and notes the rises of the depth over those that are open.
#[inline(always)]
fn velocities<const COLUMNS: bool, const N: usize>(
    tile: &mut Padded,
    (column, row): (i32, i32),
    reach: RowReach,
    params: &FaceParams,
    rises: &mut [[f32; STRIDE]; 2],
) {
    if !reach.meets::<N>(column) {
        *part_mut::<_, N>(&mut tile.flow_x, column, row) = [0.0; N];
        *part_mut::<_, N>(&mut tile.flow_y, column, row) = [0.0; N];
        return;
    }
    let cells = |column, row| Cells::<N> {
        bed: part(&tile.bed, column, row),
        depth: part(&tile.depth, column, row),
        slope: part(&tile.columns.slope, column, row),
    };
    let (here, west, south) = (cells(column, row), cells(column - 1, row), cells(column, row - 1));
    let [open_x, open_y] = Axis::ALL.map(|axis| part(&tile.columns.open[axis], column, row));
    let [rise_x, rise_y] = rises.each_mut().map(|rise| within_mut(rise, column));
    let flow = part_mut(&mut tile.flow_x, column, row);
    velocities_over::<COLUMNS, N>(flow, (&west, &here), open_x, params, rise_x);
    let flow = part_mut(&mut tile.flow_y, column, row);
    velocities_over::<COLUMNS, N>(flow, (&south, &here), open_y, params, rise_y);
}

/// Velocities over faces, and the rises of the depth, from the cells before and behind them; `open`
/// are the openings between sub-grid columns.
#[inline(always)]
#[expect(clippy::cast_precision_loss, reason = "velocities and slopes are floats")]
fn velocities_over<const COLUMNS: bool, const N: usize>(
    flow: &mut [f32; N],
    (before, behind): (&Cells<'_, N>, &Cells<'_, N>),
    open: &[i32; N],
    params: &FaceParams,
    rise: &mut [f32; N],
) {
    let (bed_l, depth_l) = (before.bed, before.depth);
    let (bed_r, depth_r) = (behind.bed, behind.depth);
    for i in 0..N {
        let opening = if COLUMNS {
            open[i]
        } else {
            let (eta_l, eta_r) = (add(bed_l[i], depth_l[i]), add(bed_r[i], depth_r[i]));
            sub(eta_l.max(eta_r), bed_l[i].max(bed_r[i]))
        };
        let is_open = opening > 0;
        // A unit is a power of two of metres, so the product is exact.
        let u = flow[i] / (opening.max(1) as f32 * params.unit_m);
        let most = params.speed_most(opening);
        let u = maths::max(-most, maths::min(u, most));
        flow[i] = if is_open { u } else { 0.0 };
        // A closed face has no opening: only dry cells of one bed pass, and differ by 0.
        let is_smooth = sub(bed_l[i].max(bed_r[i]), bed_l[i].min(bed_r[i])) <= opening;
        let is_smooth =
            is_smooth & (!COLUMNS || maths::max(before.slope[i], behind.slope[i]) <= 1.0);
        rise[i] = if is_smooth { sub(depth_r[i], depth_l[i]) as f32 } else { 0.0 };
    }
}

/// Limited slopes of the depth from west to east, from its rises over the row's west faces.
#[inline(always)]
fn slopes_x<const N: usize>(
    tile: &mut Padded,
    (column, row): (i32, i32),
    reach: RowReach,
    rise: &[f32; STRIDE],
) {
    let slope: &mut [f32; N] = part_mut(&mut tile.slope_x, column, row);
    if !reach.meets::<N>(column) {
        *slope = [0.0; N];
        return;
    }
    let (west, east): (&[f32; N], &[f32; N]) = (within(rise, column), within(rise, column + 1));
    for i in 0..N {
        slope[i] = limited(west[i], east[i]);
    }
}

/// Limited slopes of the depth from south to north, from its rises over south and north faces.
#[inline(always)]
fn slopes_y<const N: usize>(
    tile: &mut Padded,
    (column, row): (i32, i32),
    reach: RowReach,
    rises: [&[f32; STRIDE]; 2],
) {
    let slope: &mut [f32; N] = part_mut(&mut tile.slope_y, column, row);
    if !reach.meets::<N>(column) {
        *slope = [0.0; N];
        return;
    }
    let [south, north]: [&[f32; N]; 2] = rises.map(|rise| within(rise, column));
    for i in 0..N {
        slope[i] = limited(south[i], north[i]);
    }
}

/// Depths of cells half a step on, once the velocities of their row and of the one to the north are
/// ready.
#[inline(always)]
#[expect(clippy::cast_precision_loss, reason = "a float only proposes")]
fn depths_half<const N: usize>(
    tile: &mut Padded,
    (column, row): (i32, i32),
    reach: RowReach,
    cells_per_m_s: f32,
) {
    let half: &mut [f32; N] = part_mut(&mut tile.depth_half, column, row);
    if !reach.meets::<N>(column) {
        *half = [0.0; N];
        return;
    }
    let depth: &[i32; N] = part(&tile.depth, column, row);
    let west: &[f32; N] = part(&tile.flow_x, column, row);
    let east: &[f32; N] = part(&tile.flow_x, column + 1, row);
    let south: &[f32; N] = part(&tile.flow_y, column, row);
    let north: &[f32; N] = part(&tile.flow_y, column, row + 1);
    let slope_x: &[f32; N] = part(&tile.slope_x, column, row);
    let slope_y: &[f32; N] = part(&tile.slope_y, column, row);
    for i in 0..N {
        let h = depth[i] as f32;
        let spread = (east[i] - west[i]) + (north[i] - south[i]);
        let drift = (east[i] + west[i]) * slope_x[i] + (north[i] + south[i]) * slope_y[i];
        let gone = cells_per_m_s * (0.5 * h * spread + 0.25 * drift);
        // Where a front passes, no more than half of it comes or goes.
        let most = 0.5 * h;
        half[i] = h - maths::max(-most, maths::min(gone, most));
    }
}
