//! Sub-grid columns of a padded tile in a step.

use crate::tile::columns::found::FoundPieces;
use crate::tile::columns::pieces::{PieceFaces, RowSides};
use crate::tile::padded::{PaddedPlane, STRIDE, plane, run, run_mut};
use std::ops::Range;

/// Sub-grid columns of a padded tile in a step.
#[derive(Debug, Clone)]
pub struct ColumnPlanes {
    /// Stage of cells at the start of the step, vertical units.
    pub stage: PaddedPlane<i32>,
    /// Rise of the stage with the depth: 1 if the column is flat, or covered and wholly inside the
    /// world; area over wet area elsewhere.
    pub slope: PaddedPlane<f32>,
    /// Openings of west and of south faces at the start of the step, vertical units.
    pub open: [PaddedPlane<i32>; 2],
    /// Openings at the end of the step, of the tile's own faces.
    pub open_new: [PaddedPlane<i32>; 2],
    /// Conveying depths of the faces, vertical units.
    pub conveying: [PaddedPlane<f32>; 2],
    /// Lowest sills of west and of south faces, vertical units.
    pub sill: [PaddedPlane<i32>; 2],
    /// Difference of stage that a unit of depth may make then; no step reads it.
    pub(super) quantum_old: PaddedPlane<i32>,
    /// Falls of the ground over west and south faces: lowest bed before over that behind, vertical
    /// units.
    pub fall: [PaddedPlane<i32>; 2],
    /// Stage of cells at the end of the step, vertical units.
    pub stage_new: PaddedPlane<i32>,
    /// Rise of the new stage with the depth.
    pub slope_new: PaddedPlane<f32>,
    /// Difference of stage that a unit of depth may make at the end of the step, vertical units.
    pub quantum: PaddedPlane<i32>,
    /// Table entries that the step looked up in the tile's own tables at its end.
    pub found: FoundPieces,
}

impl Default for ColumnPlanes {
    fn default() -> Self {
        let heights = || plane(0);
        Self {
            stage: heights(),
            slope: plane(1.0),
            open: [heights(), heights()],
            open_new: [heights(), heights()],
            conveying: [plane(0.0), plane(0.0)],
            sill: [heights(), heights()],
            quantum_old: heights(),
            fall: [heights(), heights()],
            stage_new: heights(),
            slope_new: plane(1.0),
            quantum: heights(),
            found: FoundPieces::default(),
        }
    }
}

impl ColumnPlanes {
    /// Lets the stages of flat columns rise as their depths.
    #[inline(always)]
    pub(super) fn gain(
        &mut self,
        depth: &PaddedPlane<i32>,
        depth_new: &PaddedPlane<i32>,
        cells: Range<usize>,
        is_filled: bool,
    ) {
        for at in cells {
            let gained = depth_new[at].wrapping_sub(depth[at]);
            self.stage_new[at] = self.stage[at].wrapping_add(gained);
            self.slope_new[at] = self.slope[at];
            if !is_filled {
                self.quantum[at] = 0;
            }
        }
    }

    /// Computes the new openings of a row of faces from `first` on, which begins at `at` in the
    /// planes.
    #[inline(always)]
    pub(super) fn open_new_row<const AXIS: usize>(
        &mut self,
        faces: PieceFaces<'_>,
        first: usize,
        depth_new: &PaddedPlane<i32>,
        at: usize,
    ) {
        let before = at - [1, STRIDE][AXIS];
        let across = (&self.falls_along::<_, AXIS>(before), &self.falls_along::<_, AXIS>(at));
        let Self { stage_new, open_new, conveying, found, .. } = self;
        let sides = RowSides { across, ..RowSides::of(stage_new, depth_new, before, at) };
        let out = (run_mut(&mut open_new[AXIS], at), run_mut(&mut conveying[AXIS], at));
        faces.row::<true>(first, sides, out, Some(found));
    }

    /// Computes the fall of the ground through `N` cells from `at` on, along their faces of an
    /// axis: the less of the falls over the two sides across it if both are alike, else 0.
    #[inline(always)]
    pub(super) fn falls_along<const N: usize, const AXIS: usize>(&self, at: usize) -> [i32; N] {
        let (fall, step) = (&self.fall[1 - AXIS], [STRIDE, 1][AXIS]);
        let (first, second): (&[i32; N], &[i32; N]) = (run(fall, at), run(fall, at + step));
        let mut falls = [0; N];
        for i in 0..N {
            let (a, b) = (first[i], second[i]);
            falls[i] = if (a ^ b) < 0 { 0 } else { a.wrapping_abs().min(b.wrapping_abs()) };
        }
        falls
    }
}
