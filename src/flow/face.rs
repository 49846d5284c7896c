//! New discharges from new stages: the pipe method with Manning friction.
//!
//! ```text
//! h_f = max(0, max(η_l, η_r) − max(z_l, z_r))                  (1)  flow depth of the face
//! a   = min(g h_f Δt/Δ, a_max)
//! q*  = q · min(1, a/a_old) − a (η_r − η_l)                    (2)  gravity
//! k   = a Δ n² / h_f^(10/3)                                         g Δt n² / h_f^(7/3), slowed
//! p*  = p (1 + k √(q² + p²))                                   (3)  p: discharge across
//! q'  = 2 q* / (1 + √(1 + 4 k √(q*² + p*²)))                   (4)  friction, implicit
//! q'  ← q' / (1 + Δt/τ)   where |u| < u_s and |Δη| ≤ 64 units  (5)  settling
//! |q'| ≤ h_f √(g h_f) (1 + 50 max(0, 0.3 − |Δη|/Δ))            (6)  free fall is critical
//! |q'| ≤ h_f Δ/Δt                                              (7)  at most a cell a step
//! ```
//!
//! In (2) a discharge keeps its *velocity* where its face grows shallower, and itself where it
//! grows deeper, so that its kinetic energy ½ q²/h_f never grows with the depth alone; without it a
//! dam break gains energy and overshoots. (3) is the discharge across before friction if the flow
//! is steady, so that the steady state of (4) is Manning's law `|q| = √S h_f^(5/3)/n` in any
//! direction. (6) holds water that falls from step to step at its critical depth, and leaves normal
//! flow alone up to a fall of 0.1 and a Froude number of 11. `a_max` is the value at a Courant
//! number of 0.9: beyond it time runs slower at that face: stable at any step, and counted.
//!
//! Guarantees: equal stages keep `q = 0` exactly, whatever the bed; friction never turns a flow
//!             round; no NaN, no −0, for any state within the ranges of [`wrap`](super::wrap);
//!             no energy comes from nowhere at any step (`tests/engine/energy.rs`).
//! Limits:     no transport of momentum: wrong bore speed, no hydraulic jumps. Slow flow settles
//!             where the stage falls by less than 64 units from cell to cell.
//! Source:     (1), (2) without its ratio: local inertia, Bates, Horritt & Fewtrell (2010),
//!             J. Hydrol. 387; (6) after Grant (1997), Water Resour. Res. 33: steep streams run
//!             critical; the rest own.

use crate::flow::transfer::Axis;
use crate::flow::wrap::add;
use crate::flow::wrap::sub;
use crate::tile::padded::Padded;
use crate::tile::padded::Plane;
use crate::tile::padded::span;
use crate::units::limits;
use crate::units::maths;
use std::ops::Range;

/// Constants of one step on one level, worked out once.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FaceParams {
    /// Metres per vertical unit.
    pub unit_m: f32,
    /// g Δt/Δ, 1/s: times h_f gives `a` of eq. (2).
    pub gravity_ratio: f32,
    /// Δ/(g Δt), s.
    pub per_gravity_ratio: f32,
    /// g, m/s².
    pub gravity: f32,
    /// Slope of one vertical unit a cell.
    pub slope_of_unit: f32,
    /// Largest `a`, m/s.
    pub gravity_most: f32,
    /// g Δt, m/s.
    pub friction: f32,
    /// Δ/Δt, the fastest speed, m/s.
    pub speed_max: f32,
    /// 1/(1 + Δt/τ) of eq. (5); 1 switches settling off.
    pub settling: f32,
    /// 4·10⁻⁸ g: squared settling speed per metre of depth, m/s².
    pub settling_wave: f32,
    /// g·(128 units)²: squared settling speed times metre of depth, m³/s².
    pub settling_noise: f32,
}

/// What a step saw on the faces of a tile: reduced over rows, then over tiles.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FaceSummary {
    /// Largest |u| + |v| over open faces, m/s.
    pub speed_max: f32,
    /// Largest h_f over open faces, m.
    pub flow_depth_max: f32,
    /// Faces whose speed or pressure force was clamped (2), (7).
    pub clamped: u32,
    /// Some face is too fast or too uneven to sleep.
    pub is_restless: bool,
}

/// A [`FaceSummary`] per tile column: rows add to it element by element, which costs no
/// reduction across a vector.
#[derive(Debug, Clone)]
pub struct ColumnSums {
    /// |u| of the west faces of the row at hand, m/s.
    speed: [f32; 64],
    speed_max: [f32; 64],
    flow_depth_max: [f32; 64],
    clamped: [u32; 64],
    restless: [u32; 64],
}

impl Default for ColumnSums {
    fn default() -> Self {
        Self::new()
    }
}

impl ColumnSums {
    /// Nothing seen yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            speed: [0.0; 64],
            speed_max: [0.0; 64],
            flow_depth_max: [0.0; 64],
            clamped: [0; 64],
            restless: [0; 64],
        }
    }

    /// The sums over all columns.
    #[must_use]
    pub fn total(&self) -> FaceSummary {
        FaceSummary {
            speed_max: self.speed_max.iter().copied().fold(0.0, maths::max),
            flow_depth_max: self.flow_depth_max.iter().copied().fold(0.0, maths::max),
            clamped: self.clamped.iter().sum(),
            is_restless: self.restless.iter().any(|&r| r != 0),
        }
    }
}

/// One face after its step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Face {
    /// Unit discharge, m²/s.
    pub q: f32,
    /// |u|, m/s; 0 where the face is closed.
    pub speed: f32,
    /// h_f, m; 0 where the face is closed.
    pub flow_depth: f32,
    /// Its speed or its pressure force was clamped.
    pub clamped: bool,
    /// Too fast or too uneven to sleep.
    pub restless: bool,
}

/// One face before its step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OldFace {
    /// Unit discharge, m²/s.
    pub q: f32,
    /// Unit discharge across it, m²/s.
    pub p: f32,
    /// h_f of the old stages before its maximum with 0, vertical units.
    pub opening: i32,
}

/// Eq. (2) to (7) on one face, with `a` of the old stages from `old.opening`.
///
/// | argument | unit | |
/// | --- | --- | --- |
/// | `old` | | before the step |
/// | `opening` | vertical units | h_f of eq. (1) before its maximum with 0 |
/// | `rise` | vertical units | η_r − η_l |
/// | `n2` | s²/m^(2/3) | n² |
#[inline(always)]
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "differences are small or rounding is harmless")]
pub fn advance_face(old: OldFace, opening: i32, rise: i32, n2: f32, params: &FaceParams) -> Face {
    let OldFace { q, p, opening: opening_old } = old;
    let is_open = opening > 0;
    let h_f = opening.max(1) as f32 * params.unit_m;
    let root = maths::inverse_cube_root(h_f);
    let per_depth = root * root * root;

    let a_free = h_f * params.gravity_ratio;
    let a = maths::min(a_free, params.gravity_most);
    let a_old = opening_old.max(1) as f32 * params.unit_m * params.gravity_ratio;
    let a_old = maths::min(a_old, params.gravity_most);
    let q = if a < a_old { q * (a / a_old) } else { q };
    let q_star = q - a * (rise as f32 * params.unit_m);
    let slowness = a * (per_depth * params.per_gravity_ratio);
    let k = params.friction * slowness * n2 * (per_depth * per_depth * root);
    let p_star = p * (1.0 + k * (q * q + p * p).sqrt());
    let total = (q_star * q_star + p_star * p_star).sqrt();
    let mut out = 2.0 * q_star / (1.0 + (1.0 + 4.0 * k * total).sqrt());

    let speed = (out * per_depth).abs();
    let fall = rise.wrapping_abs();
    let is_rough = fall > limits::SLEEP_STAGE_DIFFERENCE;
    let is_flat = fall <= limits::SETTLING_STAGE_DIFFERENCE;
    let settles = opening > limits::SETTLING_DEPTH_MIN && is_flat;
    let slow = maths::max(h_f * params.settling_wave, per_depth * params.settling_noise);
    out = if settles && speed * speed < slow { out * params.settling } else { out };

    let slope = fall as f32 * params.slope_of_unit;
    let q_free = h_f * (params.gravity * h_f).sqrt() * froude_most(slope);
    out = maths::max(-q_free, maths::min(out, q_free));

    let q_most = h_f * params.speed_max;
    let clamped = is_open && (a_free > params.gravity_most || out.abs() > q_most);
    out = maths::max(-q_most, maths::min(out, q_most));
    // `+ 0.0` turns a −0 into a 0.
    out = if is_open { out + 0.0 } else { 0.0 };
    let is_fast = speed * speed * 4.0 > slow;
    let restless = is_open && h_f >= limits::DEPTH_DRY_M && (is_rough || is_fast);
    Face {
        q: out,
        speed: if is_open { speed } else { 0.0 },
        flow_depth: if is_open { h_f } else { 0.0 },
        clamped,
        restless,
    }
}

/// Largest Froude number on a slope: 1 from [`limits::STEEP`] on, where water falls from step to
/// step and is critical at each, as at a free overfall.
#[inline(always)]
#[must_use]
pub fn froude_most(slope: f32) -> f32 {
    1.0 + limits::FROUDE_RISE * maths::max(limits::STEEP - slope, 0.0)
}

/// Computes the discharges of one row of the tile's own faces from the new depths.
///
/// | argument | shape | location | unit | |
/// | --- | --- | --- | --- | --- |
/// | `tile.flow_x`, `.flow_y` | padded | face | m²/s | in, as left by the transfers |
/// | `tile.bed`, `.depth_new` | padded | cell | vertical units | in |
/// | `tile.roughness` | padded | cell | s²/m^(2/3) | in, n² |
/// | `out` | 64 | face | m²/s | out |
/// | `sums` | 64 | column | | in/out; x of a row goes before its y |
#[inline(always)]
pub fn discharge_row(
    tile: &Padded,
    axis: Axis,
    row: i32,
    params: &FaceParams,
    out: &mut [f32; 64],
    sums: &mut ColumnSums,
) {
    let here = span(row, 0, 64);
    let before = match axis {
        Axis::X => span(row, -1, 63),
        Axis::Y => span(row - 1, 0, 64),
    };
    let (flow, across) = match axis {
        Axis::X => (&tile.flow_x, &tile.flow_y),
        Axis::Y => (&tile.flow_y, &tile.flow_x),
    };
    // The four faces across: of the cells on both sides, their near and far ones.
    let (far_l, far_r) = match axis {
        Axis::X => (span(row + 1, -1, 63), span(row + 1, 0, 64)),
        Axis::Y => (span(row - 1, 1, 65), span(row, 1, 65)),
    };
    let flow = row_of(flow, &here);
    let (near_l, near_r) = (row_of(across, &before), row_of(across, &here));
    let (far_l, far_r) = (row_of(across, &far_l), row_of(across, &far_r));
    let (bed_l, bed_r) = (row_of(&tile.bed, &before), row_of(&tile.bed, &here));
    let (depth_l, depth_r) = (row_of(&tile.depth_new, &before), row_of(&tile.depth_new, &here));
    let (depth_old_l, depth_old_r) = (row_of(&tile.depth, &before), row_of(&tile.depth, &here));
    let (n2_l, n2_r) = (row_of(&tile.roughness, &before), row_of(&tile.roughness, &here));
    for i in 0..64 {
        let (eta_l, eta_r) = (add(bed_l[i], depth_l[i]), add(bed_r[i], depth_r[i]));
        let sill = bed_l[i].max(bed_r[i]);
        let opening = sub(eta_l.max(eta_r), sill);
        let p = 0.25 * ((near_l[i] + near_r[i]) + (far_l[i] + far_r[i]));
        let n2 = 0.5 * (n2_l[i] + n2_r[i]);
        let (old_l, old_r) = (add(bed_l[i], depth_old_l[i]), add(bed_r[i], depth_old_r[i]));
        let old = OldFace { q: flow[i], p, opening: sub(old_l.max(old_r), sill) };
        let face = advance_face(old, opening, sub(eta_r, eta_l), n2, params);
        out[i] = face.q;
        match axis {
            Axis::X => sums.speed[i] = face.speed,
            Axis::Y => {
                sums.speed_max[i] = maths::max(sums.speed_max[i], sums.speed[i] + face.speed);
            }
        }
        sums.flow_depth_max[i] = maths::max(sums.flow_depth_max[i], face.flow_depth);
        sums.clamped[i] = sums.clamped[i].wrapping_add(u32::from(face.clamped));
        sums.restless[i] |= u32::from(face.restless);
    }
}

/// The 64 values of a plane in `span`, as an array: loops over it need no bounds checks.
#[inline(always)]
fn row_of<'a, T>(plane: &'a Plane<T>, span: &Range<usize>) -> &'a [T; 64] {
    plane[span.clone()].first_chunk().expect("a span of 64")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::params::StepInput;
    use crate::flow::params::StepParams;

    const UNIT_M: f64 = 1.0 / 1_048_576.0;
    const WIDTH_M: f64 = 10.0;

    fn params(dt_s: f64) -> FaceParams {
        let (gravity, settling) = (9.81, true);
        let input = StepInput { dt_s, cell_width_m: WIDTH_M, unit_m: UNIT_M, gravity, settling };
        StepParams::new(&input).face
    }

    /// Manning's law in both components of a flow at an angle, whatever the step.
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
                                let old = OldFace { q, p, opening };
                                advance_face(old, opening, rise(part), 0.0009, &params).q
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
        let old = |q| OldFace { q, p: 0.3, opening: 1000 };
        assert_eq!(advance_face(old(0.0), 1000, 0, 0.0009, &params(0.5)).q.to_bits(), 0);
        assert_eq!(advance_face(old(2.0), 0, -500, 0.0009, &params(0.5)).q.to_bits(), 0);
        assert_eq!(advance_face(old(-2.0), -7, 500, 0.0009, &params(0.5)).q.to_bits(), 0);
    }

    #[test]
    fn no_speed_exceeds_a_cell_a_step() {
        let face = advance_face(
            OldFace { q: 1.0e6, p: 0.0, opening: 1 << 20 },
            1 << 20,
            0,
            0.0,
            &params(0.5),
        );
        assert!(face.clamped);
        assert!((face.q - 20.0).abs() < 1.0e-5, "1 m deep, 10 m in 0.5 s: {}", face.q);
    }

    /// Over the edge of a cliff water leaves at its critical depth, q = √g h^(3/2), from any state.
    #[test]
    fn free_fall_is_critical() {
        for q in [0.0, 3.0, 50.0] {
            let (mut face, fall) = (OldFace { q, p: 0.0, opening: 1 << 20 }, -(20 << 20));
            for _ in 0..50 {
                face.q = advance_face(face, 1 << 20, fall, 0.0009, &params(0.2)).q;
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
            let old = OldFace { q, p: 0.0, opening };
            let next = advance_face(old, opening, rise, 0.0009, &params(5.0));
            (q, face) = (next.q, Some(next));
        }
        let manning = 1.0e-2 * 0.001_f64.powf(5.0 / 3.0) / 0.03;
        assert!((f64::from(q) / manning - 1.0).abs() < 5.0e-3, "{q} against {manning}");
        assert!(face.expect("5000 steps").restless);
    }
}
