//! One face in a step: values that both solvers use, and their common bounds.
//!
//! ```text
//! h_f = max(0, max(η_l, η_r) − max(z_l, z_r))                  (1)  flow depth of the face
//! a   = min(g h_f Δt/Δ, a_max)
//! q'  ← q' / (1 + Δt/τ)   where |u| < u_s, and |Δη| ≤ 16 units
//!                         or |Δη| |(q', p)| ≤ 64 units · |q'|   (5)  damping
//! |q'| ≤ h_f √(g h_f) (1 + 50 max(0, 0.3 − S))                 (6)  free fall is critical
//! |q'| ≤ h_f u_most                                            (7)  the pipe: a cell a step
//! ```
//!
//! (6) keeps water that falls from step to step at its critical depth, and leaves normal flow alone
//! up to a fall S of 0.1 per cell and a Froude number of 11. `a_max` is the value at a Courant
//! number of 0.9: beyond it time runs slower at that face: stable at any step, and counted.
//!
//! Guarantees: no NaN, no −0, for any state within the ranges of [`wrap`](super::wrap).
//! Limits:     slow flow is damped if the stage falls by less than 64 units along it, or by 16 over
//!             a face.
//! Source:     (6) after Grant (1997), Water Resour. Res. 33: steep streams run critical; damping
//!             own.

use crate::grid::Axis;
use crate::tile::columns::FaceOpening;
use crate::tile::padded::{within, within_mut};
use crate::units::{limits, maths};
use std::f32::consts::SQRT_2;

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
    /// 2 g (Δt/Δ)² of one vertical unit of depth.
    pub wave_of_unit: f32,
    /// 1/(1 + Δt/τ) of eq. (5); 1 switches the damping of still water off.
    pub damping: f32,
    /// 4·10⁻⁸ g: squared speed below which water is damped, per metre of depth, m/s².
    pub damping_wave: f32,
    /// g·(128 units)²: squared speed below which water is damped, times metre of depth, m³/s².
    pub damping_noise: f32,
}

impl FaceParams {
    /// Returns the largest speed of shallow water at a flow depth of `opening` units, m/s: 0.75 to
    /// 0.3 cells a step. Velocity and waves share the reach of a step. With this bound no state
    /// gains energy at any step, 0.1 to 20 times the time a wave takes for a cell; a bound of 1, or
    /// of 0.5, gains up to 60 times the energy (`tests/engine/energy.rs`). Steps at the target
    /// never reach it.
    #[inline(always)]
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a bound")]
    pub fn speed_most(&self, opening: i32) -> f32 {
        let wave = self.wave_of_unit * opening as f32;
        let most = limits::CELLS_A_STEP - limits::CELLS_A_STEP_FALL * wave;
        maths::max(most, limits::CELLS_A_STEP_DEEP) * self.speed_max
    }
}

/// Extremes on the faces of a tile in a step: reduced over rows, then over tiles.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FaceSummary {
    /// Largest C Δ/Δt over open faces, m/s: |u| + |v|, as often as the solver counts it, and
    /// √(2 g h) of the same cell.
    pub pace_max: f32,
    /// Largest depth that waves run on, over open faces, m.
    pub flow_depth_max: f32,
    /// Faces whose speed or pressure force was clamped (2), (7).
    pub clamped: u32,
    /// True if some face is too fast or too uneven to sleep.
    pub is_active: bool,
}

/// A [`FaceSummary`] per tile column: rows add to it element by element, which costs no
/// reduction across a vector.
#[derive(Debug, Clone)]
pub struct ColumnSums {
    /// |u| of the west faces of the row at hand, as often as it counts, m/s.
    speed: [f32; 64],
    /// Speed of waves over the west faces of the row at hand, m/s.
    wave: [f32; 64],
    pace_max: [f32; 64],
    flow_depth_max: [f32; 64],
    clamped: [u32; 64],
    active: [u32; 64],
}

impl Default for ColumnSums {
    fn default() -> Self {
        Self::new()
    }
}

impl ColumnSums {
    /// Returns an empty summary.
    #[must_use]
    pub fn new() -> Self {
        Self {
            speed: [0.0; 64],
            wave: [0.0; 64],
            pace_max: [0.0; 64],
            flow_depth_max: [0.0; 64],
            clamped: [0; 64],
            active: [0; 64],
        }
    }

    /// Returns the sums of the `N` columns from `first` on, to be put back.
    #[inline(always)]
    #[must_use]
    pub fn block<const N: usize>(&self, first: usize) -> BlockSums<N> {
        BlockSums {
            speed: *within(&self.speed, first),
            wave: *within(&self.wave, first),
            pace_max: *within(&self.pace_max, first),
            flow_depth_max: *within(&self.flow_depth_max, first),
            clamped: *within(&self.clamped, first),
            active: *within(&self.active, first),
        }
    }

    /// Puts the sums of a block back.
    #[inline(always)]
    pub fn put<const N: usize>(&mut self, first: usize, block: &BlockSums<N>) {
        *within_mut(&mut self.speed, first) = block.speed;
        *within_mut(&mut self.wave, first) = block.wave;
        *within_mut(&mut self.pace_max, first) = block.pace_max;
        *within_mut(&mut self.flow_depth_max, first) = block.flow_depth_max;
        *within_mut(&mut self.clamped, first) = block.clamped;
        *within_mut(&mut self.active, first) = block.active;
    }

    /// Passes over the west faces of `N` columns from `first` on: closed ones.
    #[inline(always)]
    pub fn skip<const N: usize>(&mut self, first: usize) {
        *within_mut(&mut self.speed, first) = [0.0; N];
        *within_mut(&mut self.wave, first) = [0.0; N];
    }

    /// Adds a face that belongs to no column.
    #[inline(always)]
    pub fn add_single(&mut self, face: &Face) {
        self.pace_max[0] = maths::max(self.pace_max[0], face.speed + face.wave);
        self.flow_depth_max[0] = maths::max(self.flow_depth_max[0], face.flow_depth);
        self.clamped[0] = self.clamped[0].wrapping_add(u32::from(face.clamped));
        self.active[0] |= u32::from(face.is_active);
    }

    /// Returns the sums over all columns.
    #[must_use]
    pub fn total(&self) -> FaceSummary {
        FaceSummary {
            pace_max: self.pace_max.iter().copied().fold(0.0, maths::max),
            flow_depth_max: self.flow_depth_max.iter().copied().fold(0.0, maths::max),
            clamped: self.clamped.iter().sum(),
            is_active: self.active.iter().any(|&r| r != 0),
        }
    }
}

/// Sums of some columns. It is a copy: a loop that writes through a reference checks each time
/// whether it writes to the memory that it reads.
#[derive(Debug)]
pub struct BlockSums<const N: usize> {
    speed: [f32; N],
    wave: [f32; N],
    pace_max: [f32; N],
    flow_depth_max: [f32; N],
    clamped: [u32; N],
    active: [u32; N],
}

impl<const N: usize> BlockSums<N> {
    /// Adds a face of column `i` of these columns; x of a row goes before its y.
    #[inline(always)]
    pub fn add(&mut self, axis: Axis, i: usize, face: &Face) {
        match axis {
            Axis::X => (self.speed[i], self.wave[i]) = (face.speed, face.wave),
            Axis::Y => {
                // √(2 g h) allows for waves along both axes, so only the faster of two waves is
                // added.
                let pace = self.speed[i] + face.speed + maths::max(self.wave[i], face.wave);
                self.pace_max[i] = maths::max(self.pace_max[i], pace);
            }
        }
        self.flow_depth_max[i] = maths::max(self.flow_depth_max[i], face.flow_depth);
        self.clamped[i] = self.clamped[i].wrapping_add(u32::from(face.clamped));
        self.active[i] |= u32::from(face.is_active);
    }
}

/// One face after its step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Face {
    /// Unit discharge, m²/s.
    pub q: f32,
    /// |u|, as often as it counts for the length of steps, m/s; at most that of free fall, and 0
    /// if the face is closed.
    pub speed: f32,
    /// √(2 g h), m/s; 0 if the face is closed.
    pub wave: f32,
    /// Depth that waves run on, m; 0 if the face is closed.
    pub flow_depth: f32,
    /// Whether speed or pressure force was clamped.
    pub clamped: bool,
    /// True if the face is too fast or too uneven to sleep.
    pub is_active: bool,
}

impl Face {
    /// A face that nothing crosses.
    pub const CLOSED: Self =
        Self { q: 0.0, speed: 0.0, wave: 0.0, flow_depth: 0.0, clamped: false, is_active: false };
}

/// Flow depth of a face, and values that follow from it alone.
#[derive(Debug, Clone, Copy)]
pub struct FlowDepth {
    /// h_f before its maximum with 0, vertical units.
    pub opening: i32,
    /// h_f, m; the depth of one unit if the face is closed.
    pub h_f: f32,
    /// 1/h_f, 1/m, within 4·10⁻⁵.
    pub per_depth: f32,
    /// y^(−4/3) of the conveying depth y; of a flat face h_f^(−4/3).
    pub drag: f32,
    /// Drag y^(−4/3) over h_f.
    pub drag_of_q: f32,
    /// g h_f Δt/Δ, m/s.
    pub a_free: f32,
    /// `a` of eq. (2), m/s.
    pub a: f32,
    /// a/a_free: 1, or the factor by which time runs slower at this face.
    pub slowness: f32,
    /// Depth of the water that flows, m: h_f, or the conveying depth.
    pub flowing: f32,
    /// Depth that waves run on, m: h_f, and more if the stages of both cells rise faster than their
    /// depths. Beside a column that is almost dry waves are slowed down instead, by `a`.
    pub waving: f32,
    /// About the part of the face that is wet: h_f over that depth.
    pub width: f32,
}

impl FlowDepth {
    /// Returns the flow depth of an opening in vertical units.
    #[inline(always)]
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "rounding is harmless")]
    pub fn of(opening: i32, params: &FaceParams) -> Self {
        // At least a unit: over a closed face 1/h_f would be infinite, and 0 times that is a NaN.
        let h_f = opening.max(1) as f32 * params.unit_m;
        let root = maths::inverse_cube_root(h_f);
        // 1/h_f without a division, within three times the error of the root.
        let per_depth = root * root * root;
        let a_free = h_f * params.gravity_ratio;
        let a = maths::min(a_free, params.gravity_most);
        let slowness = a * (per_depth * params.per_gravity_ratio);
        let drag = per_depth * root;
        let drag_of_q = per_depth * per_depth * root;
        Self {
            opening,
            h_f,
            per_depth,
            drag,
            drag_of_q,
            a_free,
            a,
            slowness,
            flowing: h_f,
            waving: h_f,
            width: 1.0,
        }
    }

    /// Returns the flow depth of a face with a table, between cells whose stages rise by `slopes`
    /// with their depths.
    #[inline(always)]
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "rounding is harmless")]
    pub fn through(face: FaceOpening, slopes: [f32; 2], params: &FaceParams) -> Self {
        let opening = face.area;
        let h_f = opening.max(1) as f32 * params.unit_m;
        let per_depth = 1.0 / h_f;
        let flowing = maths::max(face.conveying * params.unit_m, params.unit_m);
        let root = maths::inverse_cube_root(flowing);
        let drag = (root * root) * (root * root);
        let drag_of_q = per_depth * drag;
        let width = h_f * (root * root * root);
        let a_free = h_f * params.gravity_ratio;
        // A column that is wet in part rises faster, so a wave takes less time for it.
        let a = maths::min(a_free, 2.0 * params.gravity_most / (slopes[0] + slopes[1]));
        let slowness = a * (per_depth * params.per_gravity_ratio);
        let waving = maths::max(flowing, maths::min(slopes[0], slopes[1]) * h_f);
        Self {
            opening,
            h_f,
            per_depth,
            drag,
            drag_of_q,
            a_free,
            a,
            slowness,
            flowing,
            waving,
            width,
        }
    }

    /// Applies eq. (5) to (7) to the discharge `out` of speed `speed`, with the discharge `across`
    /// it, the largest discharge of free fall and the largest speed, and computes the values for
    /// the summary.
    ///
    /// The stage falls along the flow: by |(q, p)|/|q| times as much as over the face, if that is
    /// more than noise.
    #[inline(always)]
    #[must_use]
    pub fn finish(
        &self,
        (out, across): (f32, f32),
        speed: f32,
        (q_free, u_most): (f32, f32),
        rise: i32,
        params: &FaceParams,
    ) -> Face {
        let Self { opening, h_f, per_depth, a_free, a, waving, .. } = *self;
        let out = maths::flush(out);
        let is_open = opening > 0;
        let fall = rise.wrapping_abs();
        let is_rough = fall > limits::SLEEP_STAGE_DIFFERENCE;
        let steep = fall as f32 * (1.0 / limits::DAMPING_STAGE_DIFFERENCE);
        let is_level = fall <= limits::DAMPING_LEVEL;
        // Both sides of eq. (5) are squared, which saves a root.
        let is_flat = is_level | (steep * steep * (out * out + across * across) <= out * out);
        let is_damped = opening > limits::DAMPING_DEPTH_MIN && is_flat;
        let slow = maths::max(h_f * params.damping_wave, per_depth * params.damping_noise);
        let out = if is_damped && speed * speed < slow { out * params.damping } else { out };

        let out = maths::max(-q_free, maths::min(out, q_free));
        // Before the bound of the step's length: a step that is too long must not hide that. A
        // wetted cliff may run at any speed for a moment, and does not need a step as short.
        let counted = maths::min(out.abs() * per_depth, limits::CELLS_COUNTED * params.speed_max);
        let wave = SQRT_2 * (params.gravity * waving).sqrt();
        let q_most = h_f * u_most;
        let clamped = is_open && (a_free > a || out.abs() > q_most);
        let out = maths::max(-q_most, maths::min(out, q_most));
        let out = if is_open { out } else { 0.0 };
        // Water is damped below √`slow`, and a tile may sleep below half of that. Lakes were
        // measured to settle to 0.26 √`slow`.
        let is_fast = speed * speed * 4.0 > slow;
        let is_active = is_open && h_f >= limits::DEPTH_DRY_M && (is_rough || is_fast);
        Face {
            q: out,
            speed: if is_open { counted } else { 0.0 },
            wave: if is_open { wave } else { 0.0 },
            flow_depth: if is_open { waving } else { 0.0 },
            clamped,
            is_active,
        }
    }
}

/// Returns a velocity or discharge that would be `star` without friction, after it: of one of
/// `(u, v)` before the step, with friction `k` of each of it.
#[inline(always)]
#[must_use]
pub fn slowed(star: f32, (u, v): (f32, f32), k: f32) -> f32 {
    // A steady flow has the component `v` across after friction, so `v_star` before it.
    let v_star = v * (1.0 + k * (u * u + v * v).sqrt());
    let total = (star * star + v_star * v_star).sqrt();
    // The positive root of V (1 + k V) = V* without a difference of two numbers that are nearly
    // equal if k is small; k may be 0.
    2.0 * star / (1.0 + (1.0 + 4.0 * k * total).sqrt())
}

/// Returns the largest Froude number on a slope: 1 from [`limits::STEEP`] on, where water falls
/// from step to step and is critical at each, as at a free overfall.
#[inline(always)]
#[must_use]
pub fn froude_most(slope: f32) -> f32 {
    1.0 + limits::FROUDE_RISE * maths::max(limits::STEEP - slope, 0.0)
}

/// Returns the part of its momentum that flow between columns carries, if a stage rises at most
/// `slope` times as fast as the depth: all until a sixth of the cell is dry, nothing if half of it
/// is.
#[inline(always)]
#[must_use]
pub fn carried_part(slope: f32) -> f32 {
    const FALL: f32 = 1.0 / (limits::CARRIES_NONE - limits::CARRIES_ALL);
    maths::max(0.0, maths::min(1.0, FALL * (limits::CARRIES_NONE - slope)))
}

/// Returns the largest Froude number in a channel within cells, if a stage rises `slope` times as
/// fast as the depth. Little momentum is carried there that bends and narrows could take from it:
/// steep streams run critical (Grant 1997). If a column is almost covered they take little.
#[inline(always)]
#[must_use]
pub fn froude_channel(slope: f32) -> f32 {
    // A covered column has a slope of 1: the quotient is infinite, so there is no bound.
    maths::max(limits::FROUDE_CHANNEL / (slope - 1.0), 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goal: the part of momentum carried falls in a straight line, within 0 and 1. Method: slopes
    ///       with parts between them, to 10⁻⁶; at both ends and beyond to the bit.
    #[test]
    fn columns_carry_less_as_they_fall_dry() {
        for all in [0.0, 1.0, 1.1, 1.199, limits::CARRIES_ALL] {
            assert_eq!(carried_part(all).to_bits(), 1.0_f32.to_bits(), "slope {all}");
        }
        for none in [limits::CARRIES_NONE, 2.001, 3.0, 1.0e3, 1.0e9, f32::MAX, f32::INFINITY] {
            assert_eq!(carried_part(none).to_bits(), 0.0_f32.to_bits(), "slope {none}");
        }
        let mut before = 1.0;
        for i in 0..=800_u16 {
            let part = f32::from(i) / 800.0;
            let slope = limits::CARRIES_ALL + part * (limits::CARRIES_NONE - limits::CARRIES_ALL);
            let carried = carried_part(slope);
            assert!((0.0..=before).contains(&carried), "slope {slope}: {carried} after {before}");
            assert!((carried - (1.0 - part)).abs() < 1.0e-6, "slope {slope}: {carried}");
            before = carried;
        }
    }
}
