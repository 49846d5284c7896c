//! Virtual pipes (local inertia): gravity and Manning friction on faces.
//!
//! ```text
//! h_u = max(h_f − max(0, Δη sgn q), 1 unit)                         of the cell that q comes from
//! q*  = sgn q · max(|q| min(1, h_u/h_u,old), min(|q|, a Δη sgn q)) − a Δη      (2)  gravity
//! k   = a Δ n² / h_f^(10/3)                                         g Δt n² / h_f^(7/3), slowed
//! p*  = p (1 + k √(q² + p²))                                   (3)  p: discharge across
//! q'  = 2 q* / (1 + √(1 + 4 k √(q*² + p*²)))                   (4)  friction, implicit
//! ```
//!
//! h_f, `a` and the bounds that follow are defined in [`face`](super::face); Δη = η_r − η_l. In (2)
//! a discharge keeps its *velocity* if the cell upstream grows shallower, and its value if that
//! cell grows deeper: without this rule a dam break gains energy and overshoots. The discharge kept
//! is at least the amount that the stage takes back in the step, so that only the stage turns a
//! flow round. Through sub-grid columns Δη counts by the wet part of the face.
//! `src/guide/decisions/energy.md` gives the reasons. (3) is the discharge across before friction
//! if the flow is steady, so that the steady state of (4) is Manning's law `|q| = √S h_f^(5/3)/n`
//! in any direction. A [`fluid`](super::fluid) with viscosity or a yield stress has the law of that
//! page in place of (3) and (4).
//!
//! Guarantees: equal stages keep `q = 0` exactly, over any bed; friction never turns a flow round;
//!             no energy is created at any step (`tests/engine/energy.rs`).
//! Limits:     no transport of momentum: wrong bore speed, no hydraulic jumps. There
//!             [`shallow`](super::shallow) is right.
//! Source:     Mei, Decaudin & Hu (2007) for virtual pipes; (1), (2) without its ratio: local
//!             inertia, Bates, Horritt & Fewtrell (2010), J. Hydrol. 387; the rest own.

use crate::flow::face::{ColumnSums, Face, FaceParams, FlowDepth, froude_most, slowed};
use crate::flow::fluid::StagesAround;
use crate::flow::method::Method;
use crate::flow::params::StepParams;
use crate::flow::tables::TableFaces;
use crate::flow::wrap::{add, sub};
use crate::grid::Axis;
use crate::tile::padded::{BLOCK, Padded, STRIDE, index, own_column_of, part, run, within_mut};
use crate::tile::water_reach::{RowBlocks, WaterReach};
use crate::units::{limits, maths};

/// Virtual pipes, of a [`fluid`](super::fluid) with viscosity or a yield stress if `FLUID`, between
/// sub-grid columns if `COLUMNS`.
#[derive(Debug)]
pub struct Pipe<const FLUID: bool, const COLUMNS: bool>;

/// Virtual pipes of water between flat columns.
pub type FlatPipe = Pipe<false, false>;

impl<const FLUID: bool, const COLUMNS: bool> Method for Pipe<FLUID, COLUMNS> {
    type Memory = ();
    const COLUMNS: bool = COLUMNS;
    const OPENS_HALO: bool = FLUID && COLUMNS;
    const CUTS_DISCHARGES: bool = true;

    #[inline(always)]
    fn ready_row(_: &mut Padded, _: i32, _: &StepParams, _: &WaterReach, (): &mut ()) {}

    #[inline(always)]
    fn propose(
        tile: &Padded,
        axis: Axis,
        (column, row): (i32, i32),
        params: &StepParams,
        wanted: &mut [f32; BLOCK],
    ) {
        let flow: &[f32; BLOCK] = match axis {
            Axis::X => part(&tile.flow_x, column, row),
            Axis::Y => part(&tile.flow_y, column, row),
        };
        // By number, into an array of its own: a zipped loop compiles to scalar code for west
        // faces, and the whole step takes 1.1 times as long (128 × 128 cells, AVX-512).
        let mut all = [0.0; BLOCK];
        for i in 0..BLOCK {
            // Code outside the kernels stores discharges, too.
            all[i] = maths::flush(flow[i]) * params.units_per_flow;
        }
        *wanted = all;
    }

    #[inline(always)]
    fn begin(_: &Padded, _: i32, _: &StepParams, _: &WaterReach, (): &mut ()) {}

    #[inline(always)]
    fn discharge_rows(
        tile: &Padded,
        row: i32,
        params: &StepParams,
        reach: &WaterReach,
        (): &mut (),
        (out_x, out_y): (&mut [f32; 64], &mut [f32; 64]),
        sums: &mut ColumnSums,
    ) {
        let here = (row, reach.row(row));
        discharge_own_row::<FLUID, COLUMNS>(tile, here, params, (out_x, out_y), sums);
    }

    #[inline(always)]
    fn discharge_east(
        tile: &Padded,
        row: i32,
        params: &StepParams,
        (): &mut (),
        sums: &mut ColumnSums,
    ) -> f32 {
        let see = |_, face: &Face| {
            if params.looks {
                sums.add_single(face);
            }
        };
        let [q] = discharge_block::<1, FLUID, COLUMNS>(tile, Axis::X, (64, row), params, see);
        q
    }

    #[inline(always)]
    fn discharge_north(
        tile: &Padded,
        params: &StepParams,
        reach: &WaterReach,
        (): &mut (),
        out: &mut [f32; 64],
        sums: &mut ColumnSums,
    ) {
        for block in reach.row(64).own {
            let place = (own_column_of(block), 64);
            let see = |_, face: &Face| {
                if params.looks {
                    sums.add_single(face);
                }
            };
            let q = discharge_block::<BLOCK, FLUID, COLUMNS>(tile, Axis::Y, place, params, see);
            *within_mut(out, BLOCK * block) = q;
        }
    }
}

/// One face before its step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OldFace {
    /// Unit discharge, m²/s.
    pub q: f32,
    /// Unit discharge across the face, m²/s.
    pub p: f32,
    /// min(1, h_u/h_u,old): 1 if the cell upstream of the face has not grown shallower.
    pub part: f32,
}

/// Returns min(1, h_u/h_u,old) of eq. (2), from h_f before its maximum with 0 and η_r − η_l, both
/// in vertical units, of the stages before and after; `width` is the wet part of the face.
#[inline(always)]
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "rounding is harmless")]
pub fn shallower(q: f32, width: f32, before: (i32, i32), after: (i32, i32)) -> f32 {
    let from = |(opening, rise): (i32, i32)| {
        maths::max(opening as f32 - width * uphill(q, rise as f32), 1.0)
    };
    maths::min(from(after) / from(before), 1.0)
}

/// Returns min(1, h_u/h_u,old) over a sill between flat columns, from the stages on both sides:
/// exact where [`shallower`] rounds, 16 m deep and more at k = 20, and 2 % faster.
#[inline(always)]
#[expect(clippy::cast_precision_loss, reason = "rounding is harmless")]
fn shallower_over(q: f32, sill: i32, before: (i32, i32), after: (i32, i32)) -> f32 {
    // −1 for a discharge towards lower index. Sums, not a choice between two stages: that gathers.
    let sign = q.to_bits().cast_signed() >> 31;
    let from = |(l, r): (i32, i32)| {
        // `(x ^ sign) − sign` is x, or −x if `sign` is −1.
        let uphill = (sub(r, l) ^ sign).wrapping_sub(sign).max(0);
        sub(sub(l.max(r), sill), uphill).max(1) as f32
    };
    maths::min(from(after) / from(before), 1.0)
}

/// Computes eq. (2) to (7) on one face.
///
/// | argument | unit | |
/// | --- | --- | --- |
/// | `old` | | before the step |
/// | `here` | | the flow depth of eq. (1) |
/// | `rise` | vertical units | η_r − η_l of the new stages |
/// | `n2` | s²/m^(2/3) | n² |
#[inline(always)]
#[must_use]
pub fn advance_face(
    old: OldFace,
    here: FlowDepth,
    rise: i32,
    n2: f32,
    params: &FaceParams,
) -> Face {
    let pushed = push_face(old, here, rise, n2, params);
    let out = slowed(pushed.q_star, (pushed.q, pushed.p), pushed.k);
    bound_face((out, pushed.p), here, (rise, rise), params)
}

/// Does the same as [`advance_face`], with the resistance of a [`fluid`](super::fluid); the stage
/// rises across the face by `rise_across` vertical units. Only the part of the rise along it that
/// the yield stress leaves counts for sleep and damping.
#[inline(always)]
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "differences are small or rounding is harmless")]
#[expect(clippy::cast_possible_truncation, reason = "a part of a number of that type")]
pub fn advance_fluid(
    old: OldFace,
    rise_across: f32,
    here: FlowDepth,
    rise: i32,
    n2: f32,
    step: &StepParams,
) -> Face {
    let params = &step.face;
    let FlowDepth { h_f, drag, a, slowness, flowing, .. } = here;
    let PushedFace { q_star, p, .. } = push_face(old, here, rise, n2, params);
    let p_star = maths::flush(p - a * (rise_across * params.unit_m));
    let k = params.friction * slowness * n2 * drag;
    let resistance = step.fluid.to_velocity(flowing, slowness, k).of_discharge(h_f);
    let (out, left) = resistance.slowed(q_star, p_star);
    bound_face((out, p), here, (rise, (rise as f32 * left) as i32), params)
}

/// One face between gravity and friction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PushedFace {
    /// Unit discharge q* of eq. (2), m²/s.
    pub q_star: f32,
    /// Unit discharge before the step, m²/s.
    pub q: f32,
    /// Unit discharge across the face, m²/s.
    pub p: f32,
    /// Friction of eq. (3) and (4), s/m².
    pub k: f32,
}

/// Computes eq. (2), and the friction that follows; arguments as in [`advance_face`].
#[inline(always)]
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "differences are small or rounding is harmless")]
pub fn push_face(
    old: OldFace,
    here: FlowDepth,
    rise: i32,
    n2: f32,
    params: &FaceParams,
) -> PushedFace {
    let OldFace { q, p, part } = old;
    let FlowDepth { drag_of_q, a, slowness, .. } = here;
    let rise_m = rise as f32 * params.unit_m;
    let kept = maths::max(q.abs() * part, maths::min(q.abs(), a * uphill(q, rise_m)));
    // `copysign` may give −0, which `flush` turns into 0.
    let (q, p) = (maths::flush(kept.copysign(q)), maths::flush(p));
    let q_star = maths::flush(q - a * rise_m);
    let k = params.friction * slowness * n2 * drag_of_q;
    PushedFace { q_star, q, p, k }
}

/// Applies eq. (5) to (7) to the discharge `out` that friction leaves, with the discharge `p`
/// across it; the stage rises by `rise` vertical units, and `free` of them count for sleep and
/// damping.
#[inline(always)]
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "rounding is harmless")]
pub fn bound_face(
    (out, p): (f32, f32),
    here: FlowDepth,
    (rise, free): (i32, i32),
    params: &FaceParams,
) -> Face {
    let FlowDepth { h_f, per_depth, flowing, .. } = here;
    let speed = (out * per_depth).abs();
    let slope = rise.wrapping_abs() as f32 * params.slope_of_unit;
    let q_free = h_f * (params.gravity * flowing).sqrt() * froude_most(slope);
    let face = here.finish((out, p), speed, (q_free, params.speed_max), free, params);
    Face { speed: limits::PIPE_SPEED_WEIGHT * face.speed, ..face }
}

/// Returns the rise of the stage against a discharge, if the stage rises by `rise` over the face:
/// at least 0.
#[inline(always)]
fn uphill(q: f32, rise: f32) -> f32 {
    maths::max(if q > 0.0 { rise } else { -rise }, 0.0)
}

/// Computes the discharges of a row of the tile's own faces, where water may be.
#[inline(always)]
fn discharge_own_row<const FLUID: bool, const COLUMNS: bool>(
    tile: &Padded,
    (row, reach): (i32, RowBlocks),
    params: &StepParams,
    (out_x, out_y): (&mut [f32; 64], &mut [f32; 64]),
    sums: &mut ColumnSums,
) {
    if reach.own.is_empty() {
        (*out_x, *out_y) = ([0.0; 64], [0.0; 64]);
        return;
    }
    for block in reach.dry().own {
        *within_mut(out_x, BLOCK * block) = [0.0; BLOCK];
        *within_mut(out_y, BLOCK * block) = [0.0; BLOCK];
    }
    for block in reach.own {
        let (place, first) = ((own_column_of(block), row), BLOCK * block);
        let (q_x, q_y) = if params.looks {
            let mut seen = sums.block::<BLOCK>(first);
            let see = |i, west: &Face, south: &Face| {
                seen.add(Axis::X, i, west);
                seen.add(Axis::Y, i, south);
            };
            let q = discharge_both::<FLUID, COLUMNS>(tile, place, params, see);
            sums.put(first, &seen);
            q
        } else {
            discharge_both::<FLUID, COLUMNS>(tile, place, params, |_, _, _| {})
        };
        (*within_mut(out_x, first), *within_mut(out_y, first)) = (q_x, q_y);
    }
}

/// Computes the discharges, m²/s, over the west and the south faces of a block of cells, from the
/// new depths.
///
/// Each face waits for a chain of roots and quotients. Two chains at once, interleaved part by
/// part, fill half of that time: the whole step is 1.1 times as fast (128 × 128 cells, AVX-512 and
/// AVX2). Whole faces in turn in one loop gain nothing.
#[inline(always)]
fn discharge_both<const FLUID: bool, const COLUMNS: bool>(
    tile: &Padded,
    place: (i32, i32),
    step: &StepParams,
    mut see: impl FnMut(usize, &Face, &Face),
) -> ([f32; BLOCK], [f32; BLOCK]) {
    let faces_x = PipeFaces::<BLOCK, FLUID, COLUMNS>::of(tile, Axis::X, place);
    let faces_y = PipeFaces::<BLOCK, FLUID, COLUMNS>::of(tile, Axis::Y, place);
    let (mut q_x, mut q_y) = ([0.0; BLOCK], [0.0; BLOCK]);
    for i in 0..BLOCK {
        let (west, south) = if FLUID {
            (faces_x.advance(i, step), faces_y.advance(i, step))
        } else {
            let (x, y) = (faces_x.ready(i, &step.face), faces_y.ready(i, &step.face));
            advance_both(&x, &y, &step.face)
        };
        (q_x[i], q_y[i]) = (west.q, south.q);
        see(i, &west, &south);
    }
    (q_x, q_y)
}

/// Computes [`advance_face`] of two faces at once.
#[inline(always)]
fn advance_both(x: &ReadyFace, y: &ReadyFace, params: &FaceParams) -> (Face, Face) {
    let pushed_x = push_face(x.old, x.here, x.rise, x.n2, params);
    let pushed_y = push_face(y.old, y.here, y.rise, y.n2, params);
    let out_x = slowed(pushed_x.q_star, (pushed_x.q, pushed_x.p), pushed_x.k);
    let out_y = slowed(pushed_y.q_star, (pushed_y.q, pushed_y.p), pushed_y.k);
    let west = bound_face((out_x, pushed_x.p), x.here, (x.rise, x.rise), params);
    let south = bound_face((out_y, pushed_y.p), y.here, (y.rise, y.rise), params);
    (west, south)
}

/// Computes the discharges, m²/s, of `N` faces of a row, from a column on, from the new depths,
/// and shows each face and its number to `see`.
#[inline(always)]
fn discharge_block<const N: usize, const FLUID: bool, const COLUMNS: bool>(
    tile: &Padded,
    axis: Axis,
    place: (i32, i32),
    step: &StepParams,
    mut see: impl FnMut(usize, &Face),
) -> [f32; N] {
    let faces = PipeFaces::<N, FLUID, COLUMNS>::of(tile, axis, place);
    let mut out = [0.0; N];
    for (i, out) in out.iter_mut().enumerate() {
        let face = faces.advance(i, step);
        *out = face.q;
        see(i, &face);
    }
    out
}

/// One face, and the values that [`advance_face`] reads of it.
struct ReadyFace {
    old: OldFace,
    here: FlowDepth,
    rise: i32,
    n2: f32,
}

/// Values that `N` faces of a row, from a column on, are computed from.
///
/// | field | location | unit | |
/// | --- | --- | --- | --- |
/// | `flow` | face | m²/s | as left by the transfers |
/// | `near`, `far` | face | m²/s | the faces across of both cells |
/// | `bed`, `depth_old`, `depth` | cells on both sides | vertical units | |
/// | `n2` | cells on both sides | s²/m^(2/3) | |
struct PipeFaces<'a, const N: usize, const FLUID: bool, const COLUMNS: bool> {
    flow: &'a [f32; N],
    near: [&'a [f32; N]; 2],
    far: [&'a [f32; N]; 2],
    bed: [&'a [i32; N]; 2],
    depth_old: [&'a [i32; N]; 2],
    depth: [&'a [i32; N]; 2],
    n2: [&'a [f32; N]; 2],
    columns: TableFaces<'a, N>,
    /// Stages around the faces, which pull a fluid across.
    around: Option<StagesAround<'a, N>>,
}

impl<'a, const N: usize, const FLUID: bool, const COLUMNS: bool> PipeFaces<'a, N, FLUID, COLUMNS> {
    #[inline(always)]
    fn of(tile: &'a Padded, axis: Axis, (column, row): (i32, i32)) -> Self {
        let here = index(column, row);
        let (before, far) = match axis {
            Axis::X => (here - 1, STRIDE),
            Axis::Y => (here - STRIDE, 1),
        };
        let (flow, across) = match axis {
            Axis::X => (&tile.flow_x, &tile.flow_y),
            Axis::Y => (&tile.flow_y, &tile.flow_x),
        };
        Self {
            flow: run(flow, here),
            near: [run(across, before), run(across, here)],
            far: [run(across, before + far), run(across, here + far)],
            bed: [run(&tile.bed, before), run(&tile.bed, here)],
            depth_old: [run(&tile.depth, before), run(&tile.depth, here)],
            depth: [run(&tile.depth_new, before), run(&tile.depth_new, here)],
            n2: [run(&tile.roughness, before), run(&tile.roughness, here)],
            columns: TableFaces::of(tile, axis, before, here),
            around: FLUID.then(|| StagesAround::of(tile, axis, before, here)),
        }
    }

    /// Returns face `i` after the step.
    #[inline(always)]
    fn advance(&self, i: usize, step: &StepParams) -> Face {
        let ReadyFace { old, here, rise, n2 } = self.ready(i, &step.face);
        match &self.around {
            Some(around) => advance_fluid(old, around.rise::<COLUMNS>(i), here, rise, n2, step),
            None => advance_face(old, here, rise, n2, &step.face),
        }
    }

    /// Returns face `i`, with the flow depth of its new stages.
    #[inline(always)]
    fn ready(&self, i: usize, params: &FaceParams) -> ReadyFace {
        let ([near_l, near_r], [far_l, far_r]) = (self.near, self.far);
        let p = 0.25 * ((near_l[i] + near_r[i]) + (far_l[i] + far_r[i]));
        let n2 = 0.5 * (self.n2[0][i] + self.n2[1][i]);
        let q = self.flow[i];
        let (part, here, rise) = if COLUMNS {
            let columns = &self.columns;
            let (here, rise) = (columns.flow_depth(i, params), columns.rise(i));
            let before = (columns.open[i], columns.rise_old(i));
            (shallower(q, here.width, before, (here.opening, rise)), here, rise)
        } else {
            let (bed_l, bed_r) = (self.bed[0][i], self.bed[1][i]);
            let (eta_l, eta_r) = (add(bed_l, self.depth[0][i]), add(bed_r, self.depth[1][i]));
            let sill = bed_l.max(bed_r);
            let before = (add(bed_l, self.depth_old[0][i]), add(bed_r, self.depth_old[1][i]));
            let here = FlowDepth::of(sub(eta_l.max(eta_r), sill), params);
            (shallower_over(q, sill, before, (eta_l, eta_r)), here, sub(eta_r, eta_l))
        };
        ReadyFace { old: OldFace { q, p, part }, here, rise, n2 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::params::{StepInput, StepParams};
    use crate::flow::terms::Terms;

    const UNIT_M: f64 = 1.0 / 1_048_576.0;
    const WIDTH_M: f64 = 10.0;

    fn params(dt_s: f64) -> FaceParams {
        let (gravity, damping) = (9.81, true);
        let (cell_width_m, unit_m, terms) = (WIDTH_M, UNIT_M, Terms::NONE);
        let input = StepInput { dt_s, cell_width_m, unit_m, gravity, damping, terms };
        StepParams::new(&input).face
    }

    fn advance(old: OldFace, opening: i32, rise: i32, n2: f32, params: &FaceParams) -> Face {
        advance_face(old, FlowDepth::of(opening, params), rise, n2, params)
    }

    /// Manning's law in both components of a flow at an angle, at any step.
    #[test]
    fn settles_to_uniform_flow_in_any_direction() {
        let n = 0.03_f64;
        for depth_m in [0.001_f64, 0.05, 1.0, 10.0] {
            for slope in [1.0e-4_f64, 1.0e-2, 0.1] {
                for (cos, sin) in [(1.0, 0.0), (0.8, 0.6), (0.6, 0.8)] {
                    for courant in [0.05, 0.45] {
                        let manning = slope.sqrt() * depth_m.powf(5.0 / 3.0) / n;
                        let speed = manning / depth_m + (2.0 * 9.81 * depth_m).sqrt();
                        let dt_s = courant * WIDTH_M / speed;
                        let params = params(dt_s);
                        // Ten times the time that friction takes, from rest.
                        let time_s = 10.0 * manning / (9.81 * depth_m * slope);
                        #[expect(clippy::cast_possible_truncation, reason = "below 10⁷")]
                        let steps = (time_s / dt_s) as i32 + 100;
                        #[expect(clippy::cast_possible_truncation, reason = "units")]
                        let units = |metres: f64| (metres / UNIT_M).round() as i32;
                        let opening = units(depth_m);
                        let rise = |part: f64| units(-slope * part * WIDTH_M);
                        let (mut x, mut y) = (0.0, 0.0);
                        for _ in 0..steps {
                            let face = |q, p, part| {
                                let old = OldFace { q, p, part: 1.0 };
                                advance(old, opening, rise(part), 0.0009, &params).q
                            };
                            (x, y) = (face(x, y, cos), face(y, x, sin));
                        }
                        let total = f64::from(x).hypot(f64::from(y));
                        let error = (total / manning - 1.0).abs();
                        let case = format!("{depth_m} m, slope {slope}, {cos}, Courant {courant}");
                        assert!(error < 5.0e-3, "{case}: {total} against {manning}");
                        let turned = f64::from(y) / total - sin;
                        assert!(turned.abs() < 5.0e-3, "{case}: turned by {turned}");
                    }
                }
            }
        }
    }

    #[test]
    fn equal_stages_keep_no_flow_and_closed_faces_have_none() {
        let old = |q| OldFace { q, p: 0.3, part: 1.0 };
        assert_eq!(advance(old(0.0), 1000, 0, 0.0009, &params(0.5)).q.to_bits(), 0);
        assert_eq!(advance(old(2.0), 0, -500, 0.0009, &params(0.5)).q.to_bits(), 0);
        assert_eq!(advance(old(-2.0), -7, 500, 0.0009, &params(0.5)).q.to_bits(), 0);
    }

    #[test]
    fn no_speed_exceeds_a_cell_a_step() {
        let face = advance(OldFace { q: 1.0e6, p: 0.0, part: 1.0 }, 1 << 20, 0, 0.0, &params(0.5));
        assert!(face.clamped);
        assert!((face.q - 20.0).abs() < 1.0e-5, "1 m deep, 10 m in 0.5 s: {}", face.q);
    }

    /// Over the edge of a cliff water leaves at its critical depth, q = √g h^(3/2), from any state.
    #[test]
    fn free_fall_is_critical() {
        for q in [0.0, 3.0, 50.0] {
            let (mut face, fall) = (OldFace { q, p: 0.0, part: 1.0 }, -(20 << 20));
            for _ in 0..50 {
                face.q = advance(face, 1 << 20, fall, 0.0009, &params(0.2)).q;
            }
            assert!((face.q / 9.81_f32.sqrt() - 1.0).abs() < 1.0e-3, "from {q}: {}", face.q);
        }
    }

    /// 1 mm deep on a slope of 10⁻⁴ is slow, but it is not noise.
    #[test]
    fn slow_flow_on_a_slope_does_not_settle_or_sleep() {
        let (opening, rise) = (1049, -1049);
        let mut q = 0.0;
        let mut face = None;
        for _ in 0..5_000 {
            let old = OldFace { q, p: 0.0, part: 1.0 };
            let next = advance(old, opening, rise, 0.0009, &params(5.0));
            (q, face) = (next.q, Some(next));
        }
        let manning = 1.0e-2 * 0.001_f64.powf(5.0 / 3.0) / 0.03;
        assert!((f64::from(q) / manning - 1.0).abs() < 5.0e-3, "{q} against {manning}");
        assert!(face.expect("5000 steps").is_active);
    }
}
