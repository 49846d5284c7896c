//! The faces behind the boundary faces over which a river enters.
//!
//! A river's water enters its cell after the inner faces moved theirs, as the water of further
//! sources does: so the cell gives the water that it had. (If second order looks at depths half a
//! step on, and the river is swift, half of it enters before.) But the kernel's new discharge
//! behind the cell then includes neither the stage to which the river's water rises, nor the
//! momentum it brings. Both are corrected here, with d the river's water, h' the new depths with
//! it:
//!
//! ```text
//! pipe            the face law anew, with the stages with d
//! shallow water   w  = u + F (û − u) / Σ h',  F = d + dv,  û = the river's velocity
//!                 u* = w − g Δt/Δ (η_r − η_l),  then friction, with the stages with d
//! ```
//!
//! The velocity that leaves the face's control volume downstream is its own, to first order: the
//! kernel's slope there would be one towards the closed face of the boundary.
//!
//! Guarantees: slow uniform flow enters uniform within 3.5 % (`tests/engine/arrive.rs`).
//! Limits:     shallow water at a Froude number of 2 is 5 % too high in a first cell ten times as
//!             wide as it is deep, 18 % in one as wide, and is right after two to five cells. A
//!             face that a different leaf owns, behind a boundary cell in the last column or row
//!             before it, keeps the kernel's discharge; sub-grid columns take the mean depth for
//!             the opening that the river's water adds.
//! Source:     own.

use crate::flow::face::{FlowDepth, carried_part};
use crate::flow::fluid::StagesAround;
use crate::flow::params::StepParams;
use crate::flow::pipe::{OldFace, advance_face, advance_fluid, shallower};
use crate::flow::solver::Solver;
use crate::grid::Axis;
use crate::sim::boundary::BoundaryFace;
use crate::sim::boundary_momentum::FaceBehind;
use crate::tile::padded::{Padded, index};
use crate::tile::{Ground, Water};
use crate::units::{Depth, limits, maths};

/// Corrects the faces behind those over which a river enters, in the new water of a leaf.
pub(super) fn carry_over_rivers(
    boundary: &[BoundaryFace],
    (ground, padded): (&Ground, &Padded),
    params: &StepParams,
    solver: Solver,
    new: &mut Water,
) {
    for face in boundary.iter().filter(|face| face.is_river()) {
        let Some(behind) = FaceBehind::of(face) else { continue };
        let faced = Faced::of(face, &behind, (ground, padded), params);
        *behind.flow(new) = match solver {
            Solver::Pipe => faced.pipe(),
            Solver::ShallowWater => faced.shallow(face),
        };
    }
}

/// A face behind a river, at the end of a step.
struct Faced<'a> {
    behind: &'a FaceBehind,
    params: &'a StepParams,
    /// Water of the river, vertical units: all of it, and the part that the kernel did not see.
    came: i32,
    late: i32,
    /// h_f before the step without its maximum with 0, vertical units.
    opening_old: i32,
    /// η_r − η_l before the step, vertical units.
    rise_old: i32,
    /// Opening after the step, with the river's water.
    opening: i32,
    /// η_r − η_l after it, with the river's water, vertical units.
    rise: i32,
    /// Sum of the depths of both cells as the kernel saw them, vertical units: the sum of two
    /// depths may overflow an `i32`.
    volume: i64,
    /// Value read of the face: velocity, m/s, or unit discharge, m²/s.
    read: f32,
    /// The mean of that over the four faces across.
    across: f32,
    /// Mean rise of the stage over those four, vertical units, of a fluid that resists.
    rise_across: f32,
    /// Volume that the face moved towards higher index, vertical units.
    moved: i32,
    n2: f32,
    carried: f32,
    /// Water in the boundary cell when the step began, vertical units.
    held: i32,
}

impl<'a> Faced<'a> {
    fn of(
        face: &BoundaryFace,
        behind: &'a FaceBehind,
        (ground, padded): (&Ground, &Padded),
        params: &'a StepParams,
    ) -> Self {
        let (left, right) = behind.cells();
        let is_left = behind.inward > 0.0;
        let came = 0 - face.moved;
        let late = came - face.early;
        let (flow, transfer, across) = match behind.along_x {
            true => (&padded.flow_x, &padded.transfer_x, &padded.flow_y),
            false => (&padded.flow_y, &padded.transfer_y, &padded.flow_x),
        };
        let beyond = behind.across();
        let across = [left, right, left + beyond, right + beyond].map(|at| across[at]);
        let stage = |depth: &[i32], late: i32| {
            let [of_left, of_right] = if is_left { [late, 0] } else { [0, late] };
            (padded.bed[left] + depth[left] + of_left, padded.bed[right] + depth[right] + of_right)
        };
        let sill = padded.bed[left].max(padded.bed[right]);
        let open = |(l, r): (i32, i32)| l.max(r) - sill;
        let after = stage(&padded.depth_new[..], late);
        let before = stage(&padded.depth[..], 0);
        let (mut opening_old, mut opening) = (open(before), open(after));
        let (mut rise_old, mut rise, mut carried) = (before.1 - before.0, after.1 - after.0, 1.0);
        if ground.columns.is_some() {
            let planes = &padded.columns;
            let axis = usize::from(!behind.along_x);
            let slope = maths::max(planes.slope_new[left], planes.slope_new[right]);
            carried = carried_part(slope);
            opening_old = planes.open[axis][right];
            rise_old = planes.stage[right] - planes.stage[left];
            opening = planes.open_new[axis][right].saturating_add(late);
            rise = planes.stage_new[right] - planes.stage_new[left];
            rise = if is_left { rise.saturating_sub(late) } else { rise.saturating_add(late) };
        }
        let (column, row) = face.column_row();
        let rise_across = if params.fluid.is_none() {
            0.0
        } else {
            let axis = if behind.along_x { Axis::X } else { Axis::Y };
            let around = StagesAround::<1>::of(padded, axis, left, right);
            match ground.columns {
                None => around.rise::<false>(0),
                Some(_) => around.rise::<true>(0),
            }
        };
        Self {
            behind,
            params,
            came,
            late,
            opening_old,
            rise_old,
            opening,
            rise,
            volume: Depth(padded.depth_new[left]) + Depth(padded.depth_new[right]),
            read: flow[right],
            // Added in pairs as in the kernels: the rounded sum depends on the order.
            across: 0.25 * ((across[0] + across[1]) + (across[2] + across[3])),
            rise_across,
            moved: transfer[right],
            n2: 0.5 * (padded.roughness[left] + padded.roughness[right]),
            carried,
            held: padded.depth[index(column, row)] - face.early,
        }
    }

    /// Applies the face law of the pipe, m²/s.
    fn pipe(&self) -> f32 {
        let here = FlowDepth::of(self.opening, &self.params.face);
        let (q, p) = (self.read, self.across);
        let before = (self.opening_old, self.rise_old);
        let part = shallower(q, here.width, before, (self.opening, self.rise));
        let (old, params) = (OldFace { q, p, part }, self.params);
        match params.fluid.is_none() {
            true => advance_face(old, here, self.rise, self.n2, &params.face).q,
            false => advance_fluid(old, self.rise_across, here, self.rise, self.n2, params).q,
        }
    }

    /// Returns the discharge of shallow water, m²/s.
    #[expect(clippy::cast_precision_loss, reason = "velocities are floats")]
    fn shallow(&self, face: &BoundaryFace) -> f32 {
        let params = &self.params.face;
        let with = FlowDepth::of(self.opening, params);
        if with.h_f < limits::DEPTH_DRY_M || self.opening <= 0 {
            return 0.0;
        }
        let pull = match with.a_free > with.a {
            true => with.a * with.per_depth,
            false => params.gravity_ratio,
        };
        let k = params.friction * with.slowness * self.n2 * with.drag;
        let v = self.across;
        let inward = self.behind.inward;
        let own = self.read * inward;
        let volume = maths::max((self.volume + i64::from(self.late)) as f32, 1.0);
        let held_m = maths::max(self.held as f32 * params.unit_m, face.intake.depth_m);
        let most = params.speed_most(self.opening);
        let river = maths::min(-face.q / held_m, most);
        let transfer_sum = self.came as f32 + self.moved as f32 * inward;
        let memory = own + self.carried * transfer_sum * (river - own) / volume;
        let star = memory - pull * (self.rise as f32 * inward * params.unit_m);
        let new = if self.params.fluid.is_none() {
            let total = (star * star + v * v).sqrt();
            2.0 * star / (1.0 + (1.0 + 4.0 * k * total).sqrt())
        } else {
            let resistance = self.params.fluid.to_velocity(with.flowing, with.slowness, k);
            resistance.slowed(star, v - pull * (self.rise_across * params.unit_m)).0
        };
        inward * maths::max(-most, maths::min(new, most)) * with.h_f + 0.0
    }
}
