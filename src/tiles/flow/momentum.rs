//! Momentum: new discharges of shallow water from the momentum carried and from the new stages.
//!
//! ```text
//! F   = dv_1 + dv_2                (2)  twice the mass through the boundary of a face's volume
//! w   = u − (Σ ±F (û − u) + 2 Δt/Δ (p_r − p_l)) / Σ h'      (3)  momentum; h' the new depths
//! u*  = w − g Δt/Δ (η_r − η_l)          with the new stages
//! k   = g Δt n² / h_f^(4/3)
//! u'  = 2 u* / (1 + √(1 + 4 k √(u*² + v*²)))           friction as for the pipe
//! |u'| ≤ √(g h_f) (1 + 50 max(0, 0.3 − d/Δ))           where water falls by d > 0.1 Δ off a step
//! ```
//!
//! The momentum of a face belongs to the control volume between the centres of its two cells,
//! `m = ½ (h_l + h_r) u`; it crosses that volume's four sides, two at cell centres and two at
//! corners, with the mean of the transfers beside them. (3) is `m' = m − Σ ±½F û` divided by the
//! new mass, which is `Σ h' = Σ h − Σ ±F` exactly, in integers: so a uniform velocity stays uniform
//! to the bit, and the momentum that leaves one volume enters the next. p is the thrust of
//! compressed water ([`bores`](super::bores)).
//!
//! A [`fluid`](super::fluid) with viscosity or a yield stress has the law of that page in place of
//! friction.
//!
//! Below a flow depth of 2⁻¹⁶ m nothing is kept: gravity acts from rest, and no film freezes.
//!
//! Guarantees: equal stages keep every velocity 0; no NaN and no −0 in stored values.
//! Limits:     over the edge of a step that is dry below the flow is at most critical. Between
//!             sub-grid columns, if one is only partly wet, a face gains only a part of the
//!             momentum that faces beside it give, viscosity included.
//! Source:     Stelling & Duinmeijer (2003), Int. J. Numer. Meth. Fluids 43: mass flux, upwinded
//!             velocity and mean depth of the control volume; the integers own.

use crate::flow::eddies::Mixing;
use crate::flow::face::{
    ColumnSums, Face, FlowDepth, carried_part, froude_channel, froude_most, slowed,
};
use crate::flow::fluid::StagesAround;
use crate::flow::memory::RowMemory;
use crate::flow::params::StepParams;
use crate::flow::tables::TableFaces;
use crate::flow::transport::{carried, mass};
use crate::flow::wrap::{add, sub};
use crate::grid::Axis;
use crate::tile::padded::{
    BLOCK, Padded, STRIDE, WEST, index, own_column_of, part, within, within_mut,
};
use crate::tile::water_reach::RowBlocks;
use crate::units::{limits, maths};

/// Computes the new discharges over west faces of a row.
#[inline(always)]
pub fn discharge_x<const TERMS: bool, const FLUID: bool, const COLUMNS: bool>(
    tile: &Padded,
    (row, reach): (i32, RowBlocks),
    params: &StepParams,
    memory: &RowMemory,
    out: &mut [f32; 64],
    sums: &mut ColumnSums,
) {
    if reach.own.is_empty() {
        *out = [0.0; 64];
        if params.looks {
            sums.skip::<64>(0);
        }
        return;
    }
    for block in reach.dry().own {
        *within_mut(out, BLOCK * block) = [0.0; BLOCK];
        if params.looks {
            sums.skip::<BLOCK>(BLOCK * block);
        }
    }
    for block in reach.own {
        let (first, column) = (BLOCK * block, own_column_of(block));
        let before: &[f32; BLOCK] = part(&tile.flow_x, column - 1, row);
        let here: &[f32; BLOCK] = part(&tile.flow_x, column, row);
        let after: &[f32; BLOCK] = part(&tile.flow_x, column + 1, row);
        let moved: &[i32; BLOCK + 2] = part(&tile.transfer_x, column - 1, row);
        let south: &[i32; BLOCK + 1] = part(&tile.transfer_y, column - 1, row);
        let north: &[i32; BLOCK + 1] = part(&tile.transfer_y, column - 1, row + 1);
        let below: &[f32; BLOCK] = part(&tile.flow_x, column, row - 1);
        let above: &[f32; BLOCK] = part(&tile.flow_x, column, row + 1);
        let centres: &[f32; BLOCK + 1] = within(&memory.along[0], first);
        let corners_s: &[f32; BLOCK] = within(&memory.corners[0], first);
        let corners_n: &[f32; BLOCK] = within(&memory.corners[1], first);
        let thrust: &[f32; BLOCK] = memory.bores.gained(Axis::X, first);
        let mixing: Mixing<'_, { BLOCK + 2 }> = memory.eddies.beside(first);
        let faces = MomentumFaces::<BLOCK>::of::<FLUID>(tile, Axis::X, (column, row));
        let gained = |i: usize| {
            let u = here[i];
            // Each difference from the own velocity is 0 in a uniform flow, which so stays uniform
            // to the bit.
            let gained = mass(moved[i], moved[i + 1]) * (centres[i] - u)
                - mass(moved[i + 1], moved[i + 2]) * (centres[i + 1] - u)
                + mass(south[i], south[i + 1]) * (corners_s[i] - u)
                - mass(north[i], north[i + 1]) * (corners_n[i] - u);
            let gained = gained + thrust[i];
            if TERMS {
                gained + mixing.gained_x(i, u, [before[i], after[i], below[i], above[i]])
            } else {
                gained
            }
        };
        let q = faces.advance_all::<TERMS, FLUID, COLUMNS>(here, gained, params, (first, sums));
        *within_mut(out, first) = q;
    }
}

/// Returns the new discharge over the east face of the last cell of a row.
#[inline(always)]
pub fn discharge_east<const TERMS: bool, const FLUID: bool, const COLUMNS: bool>(
    tile: &Padded,
    row: i32,
    params: &StepParams,
    memory: &RowMemory,
) -> Face {
    let half = memory.west_at(row);
    let (here, at) = (index(64, row), WEST + 64);
    let moved = |step: usize| (tile.transfer_x[here - 1 + step], tile.transfer_x[here + step]);
    // Over the centre of the cell before the face, and of the one behind.
    let centre = |step: usize| {
        let (a, b) = moved(step);
        let (west, east) = (at - 1 + step, at + step);
        let value = (half.value[west], half.value[east]);
        (mass(a, b), carried(mass(a, b), value, (half.slope_x[west], half.slope_x[east])))
    };
    let (before, behind) = (centre(0), centre(1));
    let across = |face: usize| mass(tile.transfer_y[face - 1], tile.transfer_y[face]);
    let u = tile.flow_x[here];
    let mut gained = before.0 * (before.1 - u) - behind.0 * (behind.1 - u)
        + across(here) * (memory.corners_east[0] - u)
        - across(here + STRIDE) * (memory.corners_east[1] - u);
    gained += memory.bores.gained::<1>(Axis::X, 64)[0];
    if TERMS {
        let flow = &tile.flow_x;
        let beside = [flow[here - 1], flow[here + 1], flow[here - STRIDE], flow[here + STRIDE]];
        gained += memory.eddies.beside::<2>(64).gained_x(0, u, beside);
    }
    let faces = MomentumFaces::<1>::of::<FLUID>(tile, Axis::X, (64, row));
    faces.advance::<TERMS, FLUID, COLUMNS>(0, u, gained, params)
}

/// Computes the new discharges over south faces of a row.
#[inline(always)]
pub fn discharge_y<const TERMS: bool, const FLUID: bool, const COLUMNS: bool>(
    tile: &Padded,
    (row, reach): (i32, RowBlocks),
    params: &StepParams,
    memory: &RowMemory,
    out: &mut [f32; 64],
    sums: &mut ColumnSums,
) {
    if reach.own.is_empty() {
        *out = [0.0; 64];
        return;
    }
    for block in reach.dry().own {
        *within_mut(out, BLOCK * block) = [0.0; BLOCK];
    }
    for block in reach.own {
        let (first, column) = (BLOCK * block, own_column_of(block));
        let before: &[f32; BLOCK] = part(&tile.flow_y, column - 1, row);
        let here: &[f32; BLOCK] = part(&tile.flow_y, column, row);
        let after: &[f32; BLOCK] = part(&tile.flow_y, column + 1, row);
        let south_x: &[i32; BLOCK + 1] = part(&tile.transfer_x, column, row - 1);
        let north_x: &[i32; BLOCK + 1] = part(&tile.transfer_x, column, row);
        let south: &[i32; BLOCK] = part(&tile.transfer_y, column, row - 1);
        let moved: &[i32; BLOCK] = part(&tile.transfer_y, column, row);
        let north: &[i32; BLOCK] = part(&tile.transfer_y, column, row + 1);
        let below: &[f32; BLOCK] = part(&tile.flow_y, column, row - 1);
        let above: &[f32; BLOCK] = part(&tile.flow_y, column, row + 1);
        let corners: &[f32; BLOCK + 1] = within(&memory.along[1], first);
        let centres_s: &[f32; BLOCK] = within(&memory.centres[0], first);
        let centres_n: &[f32; BLOCK] = within(&memory.centres[1], first);
        let thrust: &[f32; BLOCK] = memory.bores.gained(Axis::Y, first);
        let mixing: Mixing<'_, { BLOCK + 2 }> = memory.eddies.beside(first);
        let faces = MomentumFaces::<BLOCK>::of::<FLUID>(tile, Axis::Y, (column, row));
        let gained = |i: usize| {
            let u = here[i];
            let gained = mass(south[i], moved[i]) * (centres_s[i] - u)
                - mass(moved[i], north[i]) * (centres_n[i] - u)
                + mass(south_x[i], north_x[i]) * (corners[i] - u)
                - mass(south_x[i + 1], north_x[i + 1]) * (corners[i + 1] - u);
            let gained = gained + thrust[i];
            if TERMS {
                gained + mixing.gained_y(i, u, [before[i], after[i], below[i], above[i]])
            } else {
                gained
            }
        };
        let q = faces.advance_all::<TERMS, FLUID, COLUMNS>(here, gained, params, (first, sums));
        *within_mut(out, first) = q;
    }
}

/// Inputs of `N` faces of a row beside velocities and transfers.
struct MomentumFaces<'a, const N: usize> {
    axis: Axis,
    bed: [&'a [i32; N]; 2],
    /// Beds of the cells before the one before the face, and behind the one behind it.
    bed_before: &'a [i32; N],
    bed_after: &'a [i32; N],
    depth: [&'a [i32; N]; 2],
    roughness: [&'a [f32; N]; 2],
    /// Tables of sub-grid columns.
    tables: TableFaces<'a, N>,
    /// Velocities of the four faces across.
    across: [&'a [f32; N]; 4],
    /// Stages around the faces, of a fluid that resists.
    around: Option<StagesAround<'a, N>>,
}

impl<'a, const N: usize> MomentumFaces<'a, N> {
    #[inline(always)]
    fn of<const FLUID: bool>(tile: &'a Padded, axis: Axis, (from, row): (i32, i32)) -> Self {
        // Steps to the cell before the face, and from a face across to its far twin.
        let (flow, (west, south), (east, north)) = match axis {
            Axis::X => (&tile.flow_y, (1, 0), (0, 1)),
            Axis::Y => (&tile.flow_x, (0, 1), (1, 0)),
        };
        let before = (from - west, row - south);
        let places = (index(before.0, before.1), index(from, row));
        Self {
            axis,
            tables: TableFaces::of(tile, axis, places.0, places.1),
            around: FLUID.then(|| StagesAround::of(tile, axis, places.0, places.1)),
            bed: [part(&tile.bed, before.0, before.1), part(&tile.bed, from, row)],
            bed_before: part(&tile.bed, from - 2 * west, row - 2 * south),
            bed_after: part(&tile.bed, from + west, row + south),
            depth: [part(&tile.depth_new, before.0, before.1), part(&tile.depth_new, from, row)],
            roughness: [
                part(&tile.roughness, before.0, before.1),
                part(&tile.roughness, from, row),
            ],
            across: [
                part(flow, before.0, before.1),
                part(flow, from, row),
                part(flow, before.0 + east, before.1 + north),
                part(flow, from + east, row + north),
            ],
        }
    }

    /// Returns the new discharges of all faces, with velocities `here`; `first` is the column of
    /// the first.
    #[inline(always)]
    fn advance_all<const TERMS: bool, const FLUID: bool, const COLUMNS: bool>(
        &self,
        here: &[f32; N],
        gained: impl Fn(usize) -> f32,
        params: &StepParams,
        (first, sums): (usize, &mut ColumnSums),
    ) -> [f32; N] {
        let mut q = [0.0; N];
        if params.looks {
            let mut seen = sums.block::<N>(first);
            for i in 0..N {
                let face = self.advance::<TERMS, FLUID, COLUMNS>(i, here[i], gained(i), params);
                q[i] = face.q;
                seen.add(self.axis, i, &face);
            }
            sums.put(first, &seen);
        } else {
            for i in 0..N {
                q[i] = self.advance::<TERMS, FLUID, COLUMNS>(i, here[i], gained(i), params).q;
            }
        }
        q
    }

    /// Computes eq. (3) and the terms that follow it, for the face in column `i` with velocity `u`,
    /// m/s, that gained `gained` units times m/s.
    ///
    /// If less than half of a sub-grid column is wet, its channel turns within cells: west and
    /// south faces do not resolve that, and the momentum that one kind seems to bring to its
    /// counterpart would raise the stage of a river 12 m wide by 0.7 m in cells of 8 to 64 m. In
    /// such columns nothing is carried ([`carried_part`], by the drier of the two columns), and
    /// speeds are bounded ([`froude_channel`]): the losses of bends and narrows are not resolved.
    /// In the canyon of Malpasset, in cells of 80 m, levels are 3.1 % and arrivals 10 % off; 5.8
    /// and 23 % if only covered columns carry, 8.2 and 26 % without a bound.
    #[inline(always)]
    #[expect(clippy::cast_precision_loss, reason = "velocities are floats")]
    fn advance<const TERMS: bool, const FLUID: bool, const COLUMNS: bool>(
        &self,
        i: usize,
        u: f32,
        gained: f32,
        step: &StepParams,
    ) -> Face {
        let params = &step.face;
        let (bed_l, bed_r) = (self.bed[0][i], self.bed[1][i]);
        let (depth_l, depth_r) = (self.depth[0][i], self.depth[1][i]);
        let (here, rise, gained, sill, low) = if COLUMNS {
            let gained = gained * carried_part(self.tables.steepest(i));
            let (sill, low) = self.tables.step(i);
            (self.tables.flow_depth(i, params), self.tables.rise(i), gained, sill, low)
        } else {
            let (eta_l, eta_r) = (add(bed_l, depth_l), add(bed_r, depth_r));
            let sill = bed_l.max(bed_r);
            let here = FlowDepth::of(sub(eta_l.max(eta_r), sill), params);
            (here, sub(eta_r, eta_l), gained, sill, eta_l.min(eta_r))
        };
        let FlowDepth { opening, h_f, drag, a_free, a, slowness, flowing, .. } = here;

        // An `i32` may not hold the sum of two depths. At least 1: two dry cells would give 0/0.
        let volume = maths::max(depth_l as f32 + depth_r as f32, 1.0);
        let memory = u + gained / volume;
        let memory = if h_f >= limits::DEPTH_DRY_M { memory } else { 0.0 };
        // If the face is not slowed, a/h_f is g Δt/Δ exactly; through `per_depth` it would be
        // rounded.
        let pull = if a_free > a { a * here.per_depth } else { params.gravity_ratio };
        let [near_l, near_r, far_l, far_r] = self.across;
        let v = (near_l[i] + near_r[i]) + (far_l[i] + far_r[i]);
        let v = maths::flush(0.25 * v);
        let memory = if TERMS { step.terms.push(self.axis, memory, v, h_f) } else { memory };
        let star = maths::flush(memory - pull * (rise as f32 * params.unit_m));

        let n2 = 0.5 * (self.roughness[0][i] + self.roughness[1][i]);
        let k = params.friction * slowness * n2 * drag;
        let (new, rise_left) =
            self.slowed::<FLUID, COLUMNS>(i, star, ((u, v), pull, k), (&here, rise), step);

        // Off a lone step whose foot is dry or drowned below its edge, water leaves critical. On an
        // even slope, however steep, the bed falls as much behind the face as over it.
        let drop = sub(sill, low);
        let fall = sub(bed_l, bed_r);
        // Sums, not a choice between two loads: a gather costs more than the rest of the line.
        let (falls, rises) = if fall > 0 { (-1, 0) } else { (0, -1) };
        let before = falls & sub(self.bed_before[i], bed_l).max(0);
        let after = rises & sub(self.bed_after[i], bed_r).max(0);
        let lone = drop as f32 - 2.0 * (before | after) as f32;
        let slope = lone * params.slope_of_unit;
        let free = (params.gravity * flowing).sqrt() * froude_most(slope);
        let mut u_free = if slope > limits::FALL { free } else { f32::INFINITY };
        if COLUMNS {
            let wave = (params.gravity * flowing).sqrt();
            let is_gap = self.tables.is_gap(i, &here);
            let channel = wave * froude_channel(self.tables.steepest(i));
            let most = if is_gap { limits::GAP * wave } else { channel };
            let is_covered = self.tables.is_covered(i);
            u_free = maths::min(u_free, if is_covered { f32::INFINITY } else { most });
        }
        let u_most = params.speed_most(opening);
        let mut face =
            here.finish((new * h_f, v * h_f), new.abs(), (u_free * h_f, u_most), rise_left, params);
        // A velocity that was cut when it was read is still at its bound.
        face.clamped |= opening > 0 && u.abs() >= 0.99 * u_most;
        if TERMS {
            face.clamped |= step.terms.is_cut && opening > 0;
        }
        face
    }

    /// Returns the velocity `star` after friction `k`, and the rise of the stage that counts for
    /// sleep and damping: of a fluid, only the part that its yield stress leaves.
    #[inline(always)]
    #[expect(clippy::cast_precision_loss, reason = "rounding is harmless")]
    #[expect(clippy::cast_possible_truncation, reason = "a part of a number of that type")]
    fn slowed<const FLUID: bool, const COLUMNS: bool>(
        &self,
        i: usize,
        star: f32,
        (before, pull, k): ((f32, f32), f32, f32),
        (here, rise): (&FlowDepth, i32),
        step: &StepParams,
    ) -> (f32, i32) {
        match &self.around {
            Some(around) if FLUID => {
                let across = before.1 - pull * (around.rise::<COLUMNS>(i) * step.face.unit_m);
                let resistance = step.fluid.to_velocity(here.flowing, here.slowness, k);
                let (new, left) = resistance.slowed(star, maths::flush(across));
                (new, (rise as f32 * left) as i32)
            }
            _ => (slowed(star, before, k), rise),
        }
    }
}
