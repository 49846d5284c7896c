//! Faces between sub-grid columns: the values of their tables that both solvers read.

use crate::flow::face::{FaceParams, FlowDepth};
use crate::flow::wrap::sub;
use crate::grid::Axis;
use crate::tile::columns::FaceOpening;
use crate::tile::columns::stages::whole;
use crate::tile::padded::{Padded, run};
use crate::units::{limits, maths};

/// Table values of a row of faces between sub-grid columns.
#[derive(Debug)]
pub struct TableFaces<'a, const N: usize> {
    /// Openings at the start of the step.
    pub open: &'a [i32; N],
    opening: &'a [i32; N],
    conveying: &'a [f32; N],
    stage_old: [&'a [i32; N]; 2],
    stage: [&'a [i32; N]; 2],
    slope: [&'a [f32; N]; 2],
    quantum: [&'a [i32; N]; 2],
    sill: &'a [i32; N],
    fall: &'a [i32; N],
}

impl<'a, const N: usize> TableFaces<'a, N> {
    /// Returns the values of the faces whose cells before and behind begin at these places.
    #[inline(always)]
    pub fn of(tile: &'a Padded, axis: Axis, before: usize, here: usize) -> Self {
        let planes = &tile.columns;
        Self {
            open: run(&planes.open[axis], here),
            opening: run(&planes.open_new[axis], here),
            conveying: run(&planes.conveying[axis], here),
            stage_old: [run(&planes.stage, before), run(&planes.stage, here)],
            stage: [run(&planes.stage_new, before), run(&planes.stage_new, here)],
            slope: [run(&planes.slope_new, before), run(&planes.slope_new, here)],
            quantum: [run(&planes.quantum, before), run(&planes.quantum, here)],
            sill: run(&planes.sill[axis], here),
            fall: run(&planes.fall[axis], here),
        }
    }

    /// Returns the flow depth of a face.
    #[inline(always)]
    pub fn flow_depth(&self, i: usize, params: &FaceParams) -> FlowDepth {
        let face = FaceOpening { area: self.opening[i], conveying: self.conveying[i] };
        FlowDepth::through(face, [self.slope[0][i], self.slope[1][i]], params)
    }

    /// True if a face is a gap: much narrower than the water before it, and the stage falls over it
    /// by a third of its head more than the ground does.
    #[inline(always)]
    pub fn is_gap(&self, i: usize, here: &FlowDepth) -> bool {
        let stages = (self.stage[0][i], self.stage[1][i]);
        let slopes = (self.slope[0][i], self.slope[1][i]);
        // All is loaded, for either choice: a loop with a load that may not be stays scalar.
        is_gap(here, stages, slopes, (self.fall[i], self.sill[i]))
    }

    /// Returns the rise of the stage with the depth in the column that is less covered.
    #[inline(always)]
    pub fn steepest(&self, i: usize) -> f32 {
        maths::max(self.slope[0][i], self.slope[1][i])
    }

    /// True if both columns are covered.
    #[inline(always)]
    pub fn is_covered(&self, i: usize) -> bool {
        self.steepest(i) <= 1.0
    }

    /// Returns the higher stage less the depth of the flow over a face, and the lower of its two
    /// stages.
    #[inline(always)]
    pub fn step(&self, i: usize) -> (i32, i32) {
        let (l, r) = (self.stage[0][i], self.stage[1][i]);
        (sub(l.max(r), whole(self.conveying[i])), l.min(r))
    }

    /// Returns the rise of the stage over a face at the start of the step, noise as well.
    #[inline(always)]
    pub fn rise_old(&self, i: usize) -> i32 {
        sub(self.stage_old[1][i], self.stage_old[0][i])
    }

    /// Returns the rise of the stage over a face; 0 if a unit of depth could make it.
    #[inline(always)]
    pub fn rise(&self, i: usize) -> i32 {
        let rise = sub(self.stage[1][i], self.stage[0][i]);
        let is_noise = rise.wrapping_abs() <= self.quantum[0][i].max(self.quantum[1][i]);
        if is_noise { 0 } else { rise }
    }
}

/// Whether a face is a gap, between columns of such stages and slopes (rises of the stage with the
/// depth): by the fall of the ground over it, and its sill.
#[inline(always)]
fn is_gap(
    here: &FlowDepth,
    (l, r): (i32, i32),
    (slope_l, slope_r): (f32, f32),
    (fall, sill): (i32, i32),
) -> bool {
    let of_ground = if l > r { fall } else { fall.wrapping_neg() };
    let (high, low) = (l.max(r), l.min(r));
    let excess = high.wrapping_sub(low).wrapping_sub(of_ground.max(0)).max(0);
    let before = if l > r { slope_l } else { slope_r };
    // The wet width of the face is h_f/flowing, and the width of the water before it 1/before.
    let is_narrow = here.h_f * before < limits::NARROW * here.flowing;
    // Critical water in a gap stands at two thirds of its head, so it has fallen by a third.
    is_narrow & (excess > high.wrapping_sub(sill).max(0) / 3)
}
