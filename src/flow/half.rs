//! Velocities half a step on: eq. (u½) of [`shallow`](super::shallow) with their limited slopes.
//!
//! Friction acts in them as well, on covered columns: without it the pull of a slope that friction
//! holds would speed them up, by ½ g S Δt, and where slope or roughness change that would be a jump
//! (`src/guide/decisions/half_step.md`). Closed faces have the velocities that
//! [`walls`](super::walls) pass on.

use crate::flow::params::StepParams;
use crate::flow::transport::limited;
use crate::flow::walls::{HalfCell, is_wall};
use crate::flow::wrap::{add, sub};
use crate::grid::Axis;
use crate::tile::padded::{BLOCK, FIRST, Padded, STRIDE, column_of, index, part, run, within_mut};
use crate::tile::water_reach::RowReach;
use crate::units::{limits, maths};

/// Velocities over a row of faces half a step on, and their slopes, m/s.
#[derive(Debug, Clone, Copy)]
pub struct Half {
    /// The velocities.
    pub value: [f32; STRIDE],
    /// Their slopes from west to east.
    pub slope_x: [f32; STRIDE],
    /// Their slopes from south to north.
    pub slope_y: [f32; STRIDE],
}

impl Half {
    /// No velocity anywhere.
    pub const NONE: Self =
        Self { value: [0.0; STRIDE], slope_x: [0.0; STRIDE], slope_y: [0.0; STRIDE] };

    /// Takes those of west or south faces of a row.
    #[inline(always)]
    pub fn fill<const SLOPES: bool, const COLUMNS: bool>(
        &mut self,
        tile: &Padded,
        axis: Axis,
        here: (i32, RowReach),
        params: &StepParams,
    ) {
        let (row, reach) = here;
        if reach.padded.is_empty() {
            *self = Self::NONE;
            return;
        }
        for block in reach.dry().padded {
            for values in [&mut self.value, &mut self.slope_x, &mut self.slope_y] {
                *within_mut(values, BLOCK * block) = [0.0; BLOCK];
            }
        }
        for block in reach.padded {
            self.fill_block::<SLOPES, COLUMNS>(tile, axis, (block, row), params);
        }
    }

    /// Takes the velocities of a block.
    #[inline(always)]
    #[expect(clippy::cast_precision_loss, reason = "velocities are floats")]
    fn fill_block<const SLOPES: bool, const COLUMNS: bool>(
        &mut self,
        tile: &Padded,
        axis: Axis,
        (block, row): (usize, i32),
        params: &StepParams,
    ) {
        let (column, first) = (column_of(block), BLOCK * block);
        let (flow, across, behind) = match axis {
            Axis::X => (&tile.flow_x, &tile.flow_y, (column - 1, row)),
            Axis::Y => (&tile.flow_y, &tile.flow_x, (column, row - 1)),
        };
        let at = |x, y| -> &[f32; BLOCK] { part(flow, column + x, row + y) };
        let (here, west, east) = (at(0, 0), at(-1, 0), at(1, 0));
        let (south, north) = (at(0, -1), at(0, 1));
        // The four faces across.
        let far = match axis {
            Axis::X => [(column - 1, row), (column, row), (column - 1, row + 1), (column, row + 1)],
            Axis::Y => [(column, row - 1), (column, row), (column + 1, row - 1), (column + 1, row)],
        };
        let a: &[f32; BLOCK] = part(across, far[0].0, far[0].1);
        let b: &[f32; BLOCK] = part(across, far[1].0, far[1].1);
        let c: &[f32; BLOCK] = part(across, far[2].0, far[2].1);
        let d: &[f32; BLOCK] = part(across, far[3].0, far[3].1);
        let cells = |plane| -> (&[i32; BLOCK], &[i32; BLOCK]) {
            (part(plane, behind.0, behind.1), part(plane, column, row))
        };
        let ((bed_l, bed_r), (depth_l, depth_r)) = (cells(&tile.bed), cells(&tile.depth));
        let (stage_l, stage_r) = cells(&tile.columns.stage);
        let open: &[i32; BLOCK] = part(&tile.columns.open[axis], column, row);
        let friction = Friction::of(tile, behind, (column, row));
        let half = 0.5 * params.cells_per_m_s;
        let pull = 0.5 * params.face.gravity_ratio * params.face.unit_m;
        let most = limits::CELLS_A_STEP * params.face.speed_max;
        let [mut values, mut slopes_x, mut slopes_y] = [[0.0; BLOCK]; 3];
        let mut walls = 0;
        for i in 0..BLOCK {
            let (opening, rise) = if COLUMNS {
                (open[i], sub(stage_r[i], stage_l[i]))
            } else {
                let (eta_l, eta_r) = (add(bed_l[i], depth_l[i]), add(bed_r[i], depth_r[i]));
                (sub(eta_l.max(eta_r), bed_l[i].max(bed_r[i])), sub(eta_r, eta_l))
            };
            walls |= i32::from(is_wall(opening, [depth_l[i], depth_r[i]]));
            let own = here[i];
            if !SLOPES {
                values[i] = own;
                continue;
            }
            let slope_x = limited(own - west[i], east[i] - own);
            let slope_y = limited(own - south[i], north[i] - own);
            let other = 0.25 * ((a[i] + b[i]) + (c[i] + d[i]));
            let drift = match axis {
                Axis::X => own * slope_x + other * slope_y,
                Axis::Y => other * slope_x + own * slope_y,
            };
            let value = own - half * drift - pull * rise as f32;
            let value = friction.hold::<COLUMNS>(i, value, (own, other), opening, params);
            let value = maths::max(-most, maths::min(value, most));
            values[i] = if opening > 0 { value } else { 0.0 };
            slopes_x[i] = slope_x;
            slopes_y[i] = slope_y;
        }
        *within_mut(&mut self.value, first) = values;
        *within_mut(&mut self.slope_x, first) = slopes_x;
        *within_mut(&mut self.slope_y, first) = slopes_y;
        if walls != 0 {
            self.pass_on_beside_walls::<COLUMNS>(tile, axis, (block, row));
        }
    }

    /// Velocities over the walls of a block.
    #[cold]
    #[inline(never)]
    fn pass_on_beside_walls<const COLUMNS: bool>(
        &mut self,
        tile: &Padded,
        axis: Axis,
        (block, row): (usize, i32),
    ) {
        for i in BLOCK * block..BLOCK * (block + 1) {
            let face = index(FIRST, row) + i;
            if let Some(half) = HalfCell::beside_wall::<COLUMNS>(tile, axis, face) {
                self.value[i] = half.passed_on();
                (self.slope_x[i], self.slope_y[i]) = (0.0, 0.0);
            }
        }
    }
}

/// Roughness and wet parts of the cells beside a block of faces, for their friction.
struct Friction<'a> {
    roughness: [&'a [f32; BLOCK]; 2],
    /// How fast stages rise with depths.
    slope: [&'a [f32; BLOCK]; 2],
}

impl<'a> Friction<'a> {
    /// That of the faces between the cells before and behind them.
    #[inline(always)]
    fn of(tile: &'a Padded, before: (i32, i32), behind: (i32, i32)) -> Self {
        let (before, behind) = (index(before.0, before.1), index(behind.0, behind.1));
        let (n2, slope) = (&tile.roughness, &tile.columns.slope);
        Self {
            roughness: [run(n2, before), run(n2, behind)],
            slope: [run(slope, before), run(slope, behind)],
        }
    }

    /// Holds a velocity back over half a step, where the columns on both sides are covered.
    #[inline(always)]
    #[expect(clippy::cast_precision_loss, reason = "friction is a float")]
    fn hold<const COLUMNS: bool>(
        &self,
        i: usize,
        value: f32,
        (own, other): (f32, f32),
        opening: i32,
        params: &StepParams,
    ) -> f32 {
        let root = maths::inverse_cube_root(opening.max(1) as f32 * params.face.unit_m);
        // A quarter: half a step, and the mean of two cells.
        let n2 = 0.25 * (self.roughness[0][i] + self.roughness[1][i]);
        let k = params.face.friction * n2 * ((root * root) * (root * root));
        let held = value / (1.0 + k * (own * own + other * other).sqrt());
        let is_covered = !COLUMNS || maths::max(self.slope[0][i], self.slope[1][i]) <= 1.0;
        if is_covered { held } else { value }
    }
}
