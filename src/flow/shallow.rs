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
use crate::flow::method::{MOVING, Method};
use crate::flow::momentum::{discharge_east, discharge_x, discharge_y};
use crate::flow::params::StepParams;
use crate::flow::transport::{carried, limited};
use crate::flow::wrap::{add, sub};
use crate::grid::Axis;
use crate::tile::padded::{FIRST, Padded, STRIDE, part, part_mut};
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
    fn ready_row(tile: &mut Padded, row: i32, params: &StepParams, memory: &mut Memory) {
        let face = &params.face;
        let (mut rise_x, mut rise_y) = ([0.0; STRIDE + 1], [0.0; STRIDE]);
        let cells = |column, row| Cells {
            bed: part(&tile.bed, column, row),
            depth: part(&tile.depth, column, row),
            slope: part(&tile.columns.slope, column, row),
        };
        let (here, west, south) = (cells(FIRST, row), cells(FIRST - 1, row), cells(FIRST, row - 1));
        let [open_x, open_y] = Axis::ALL.map(|axis| part(&tile.columns.open[axis], FIRST, row));
        let rise = rise_x.first_chunk_mut().expect("one more");
        let flow = part_mut(&mut tile.flow_x, FIRST, row);
        velocities::<COLUMNS>(flow, (&west, &here), open_x, face, rise);
        let flow = part_mut(&mut tile.flow_y, FIRST, row);
        velocities::<COLUMNS>(flow, (&south, &here), open_y, face, &mut rise_y);
        if SLOPES {
            let slope_x: &mut [f32; STRIDE] = part_mut(&mut tile.slope_x, FIRST, row);
            for i in 0..STRIDE {
                slope_x[i] = limited(rise_x[i], rise_x[i + 1]);
            }
            let slope_y: &mut [f32; STRIDE] = part_mut(&mut tile.slope_y, FIRST, row - 1);
            for i in 0..STRIDE {
                slope_y[i] = limited(memory.rise_y[i], rise_y[i]);
            }
            memory.rise_y = rise_y;
            depths_half(tile, row - 1, params.cells_per_m_s);
        }
    }

    #[inline(always)]
    #[expect(clippy::cast_precision_loss, reason = "a float only proposes")]
    fn propose_row(
        tile: &Padded,
        axis: Axis,
        row: i32,
        params: &StepParams,
        wanted: &mut [f32; MOVING],
    ) {
        let (flow, slope, before) = match axis {
            Axis::X => (&tile.flow_x, &tile.slope_x, (-3, row)),
            Axis::Y => (&tile.flow_y, &tile.slope_y, (-2, row - 1)),
        };
        let speed: &[f32; MOVING] = part(flow, -2, row);
        if SLOPES {
            let depth_l: &[f32; MOVING] = part(&tile.depth_half, before.0, before.1);
            let depth_r: &[f32; MOVING] = part(&tile.depth_half, -2, row);
            let slope_l: &[f32; MOVING] = part(slope, before.0, before.1);
            let slope_r: &[f32; MOVING] = part(slope, -2, row);
            for i in 0..MOVING {
                let depth = (depth_l[i], depth_r[i]);
                let up = carried(speed[i], depth, (slope_l[i], slope_r[i]));
                wanted[i] = speed[i] * params.cells_per_m_s * maths::max(up, 0.0);
            }
        } else {
            let depth_l: &[i32; MOVING] = part(&tile.depth, before.0, before.1);
            let depth_r: &[i32; MOVING] = part(&tile.depth, -2, row);
            for i in 0..MOVING {
                let up = if speed[i] >= 0.0 { depth_l[i] } else { depth_r[i] };
                wanted[i] = speed[i] * params.cells_per_m_s * up as f32;
            }
        }
        if COLUMNS {
            let slope_l: &[f32; MOVING] = part(&tile.columns.slope, before.0, before.1);
            let slope_r: &[f32; MOVING] = part(&tile.columns.slope, -2, row);
            let open: &[i32; MOVING] = part(&tile.columns.open[axis], -2, row);
            for i in 0..MOVING {
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
        memory: &mut Memory,
        out: (&mut [f32; 64], &mut [f32; 64]),
        sums: &mut ColumnSums,
    ) {
        if row == 0 {
            // The first row of the tile finds nothing carried yet.
            memory.advance::<SLOPES, TERMS, COLUMNS>(tile, -2, params);
            memory.advance::<SLOPES, TERMS, COLUMNS>(tile, -1, params);
        }
        memory.advance::<SLOPES, TERMS, COLUMNS>(tile, row, params);
        discharge_x::<TERMS, COLUMNS>(tile, row, params, memory, out.0, sums);
        discharge_y::<TERMS, COLUMNS>(tile, row, params, memory, out.1, sums);
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
        memory: &mut Memory,
        out: &mut [f32; 64],
        sums: &mut ColumnSums,
    ) {
        memory.advance::<SLOPES, TERMS, COLUMNS>(tile, 64, params);
        discharge_y::<TERMS, COLUMNS>(tile, 64, params, memory, out, sums);
    }
}

/// A row of cells beside faces.
struct Cells<'a> {
    bed: &'a [i32; STRIDE],
    depth: &'a [i32; STRIDE],
    /// How fast stages rise with depths.
    slope: &'a [f32; STRIDE],
}

/// Puts velocities, m/s, in the place of discharges, and notes the rise of the depth over
/// open faces, from the cells before and behind the faces; `open` are the openings between
/// sub-grid columns.
#[inline(always)]
#[expect(clippy::cast_precision_loss, reason = "velocities and slopes are floats")]
fn velocities<const COLUMNS: bool>(
    flow: &mut [f32; STRIDE],
    (before, behind): (&Cells<'_>, &Cells<'_>),
    open: &[i32; STRIDE],
    params: &FaceParams,
    rise: &mut [f32; STRIDE],
) {
    let (bed_l, depth_l) = (before.bed, before.depth);
    let (bed_r, depth_r) = (behind.bed, behind.depth);
    for i in 0..STRIDE {
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

/// Depths of a row of cells half a step on, once its velocities and those to the north are ready.
#[inline(always)]
#[expect(clippy::cast_precision_loss, reason = "a float only proposes")]
fn depths_half(tile: &mut Padded, row: i32, cells_per_m_s: f32) {
    let depth: &[i32; STRIDE] = part(&tile.depth, FIRST, row);
    let west: &[f32; STRIDE] = part(&tile.flow_x, FIRST, row);
    let east: &[f32; STRIDE] = part(&tile.flow_x, FIRST + 1, row);
    let south: &[f32; STRIDE] = part(&tile.flow_y, FIRST, row);
    let north: &[f32; STRIDE] = part(&tile.flow_y, FIRST, row + 1);
    let slope_x: &[f32; STRIDE] = part(&tile.slope_x, FIRST, row);
    let slope_y: &[f32; STRIDE] = part(&tile.slope_y, FIRST, row);
    let half: &mut [f32; STRIDE] = part_mut(&mut tile.depth_half, FIRST, row);
    for i in 0..STRIDE {
        let h = depth[i] as f32;
        let spread = (east[i] - west[i]) + (north[i] - south[i]);
        let drift = (east[i] + west[i]) * slope_x[i] + (north[i] + south[i]) * slope_y[i];
        let gone = cells_per_m_s * (0.5 * h * spread + 0.25 * drift);
        // Where a front passes, no more than half of it comes or goes.
        let most = 0.5 * h;
        half[i] = h - maths::max(-most, maths::min(gone, most));
    }
}
