//! Velocities half a step on: eq. (u½) of [`shallow`](super::shallow) with their limited slopes.
//!
//! Friction acts in them as well, on covered columns: without it the pull of a slope that friction
//! balances would speed them up, by ½ g S Δt, and that would be a jump where slope or roughness
//! change (`src/guide/decisions/half_step.md`). The resistance of a [`fluid`](super::fluid) acts on
//! all columns. Closed faces have the velocities that [`walls`](super::walls) pass on.

use crate::flow::face::FaceParams;
use crate::flow::fluid::StagesAround;
use crate::flow::params::{Order, StepParams};
use crate::flow::transport::limited;
use crate::flow::walls::{HalfCells, marked_walls};
use crate::flow::wrap::{add, sub};
use crate::grid::{Axis, TILE_WIDTH};
use crate::tile::padded::{
    BLOCK, FIRST, Padded, PaddedPlane, STRIDE, WEST, column_of, index, part, run, within_mut,
};
use crate::tile::water_reach::RowBlocks;
use crate::units::{limits, maths};

/// Velocities over a row of faces half a step on, and their slopes, m/s.
#[derive(Debug, Clone, Copy)]
pub struct HalfStep {
    /// The velocities.
    pub value: [f32; STRIDE],
    /// Slopes of the velocities from west to east.
    pub slope_x: [f32; STRIDE],
    /// Slopes of the velocities from south to north.
    pub slope_y: [f32; STRIDE],
}

/// The faces of a row that a step reads, −1 … 65, as bits: beyond the halo all faces are walls.
const READ: u128 = ((1 << (TILE_WIDTH + 3)) - 1) << (WEST - 1);

/// Walls that are reckoned at once.
const WALLS: usize = 8;

impl HalfStep {
    /// No velocity anywhere.
    pub const NONE: Self =
        Self { value: [0.0; STRIDE], slope_x: [0.0; STRIDE], slope_y: [0.0; STRIDE] };

    /// Computes the velocities of the west or south faces of a row.
    #[inline(always)]
    pub fn fill<const FLUID: bool, const COLUMNS: bool>(
        &mut self,
        tile: &Padded,
        axis: Axis,
        here: (i32, RowBlocks),
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
            self.fill_block::<FLUID, COLUMNS>(tile, axis, (block, row), params);
        }
        let mut walls = 0;
        for block in reach.padded {
            let marked = marked_walls(tile, axis, (column_of(block), row));
            walls |= u128::from(marked) << (BLOCK * block);
        }
        walls &= READ;
        match axis {
            _ if walls == 0 => {}
            Axis::X => self.pass_on_beside_walls::<COLUMNS, true>(tile, row, walls),
            Axis::Y => self.pass_on_beside_walls::<COLUMNS, false>(tile, row, walls),
        }
    }

    /// Takes the velocities of a block.
    #[inline(always)]
    #[expect(clippy::cast_precision_loss, reason = "velocities are floats")]
    fn fill_block<const FLUID: bool, const COLUMNS: bool>(
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
        let [here, west, east, south, north] = with_neighbours(flow, (column, row));
        let [a, b, c, d] = faces_across(across, axis, (column, row));
        let bed_l: &[i32; BLOCK] = part(&tile.bed, behind.0, behind.1);
        let bed_r: &[i32; BLOCK] = part(&tile.bed, column, row);
        let depth_l: &[i32; BLOCK] = part(&tile.depth, behind.0, behind.1);
        let depth_r: &[i32; BLOCK] = part(&tile.depth, column, row);
        let stage_l: &[i32; BLOCK] = part(&tile.columns.stage, behind.0, behind.1);
        let stage_r: &[i32; BLOCK] = part(&tile.columns.stage, column, row);
        let open: &[i32; BLOCK] = part(&tile.columns.open[axis], column, row);
        let sill: &[i32; BLOCK] = part(&tile.columns.sill[axis], column, row);
        let friction = Friction::of::<FLUID>(tile, axis, behind, (column, row));
        let half = 0.5 * params.cells_per_m_s;
        let pull = 0.5 * params.face.gravity_ratio * params.face.unit_m;
        let most = limits::CELLS_A_STEP * params.face.speed_max;
        let [mut values, mut slopes_x, mut slopes_y] = [[0.0; BLOCK]; 3];
        for i in 0..BLOCK {
            let (stages, sill) = if COLUMNS {
                ([stage_l[i], stage_r[i]], sill[i])
            } else {
                ([add(bed_l[i], depth_l[i]), add(bed_r[i], depth_r[i])], bed_l[i].max(bed_r[i]))
            };
            let opening = if COLUMNS { open[i] } else { sub(stages[0].max(stages[1]), sill) };
            let rise = sub(stages[1], stages[0]);
            let own = here[i];
            let slope_x = limited(own - west[i], east[i] - own);
            let slope_y = limited(own - south[i], north[i] - own);
            let other = maths::flush(0.25 * ((a[i] + b[i]) + (c[i] + d[i])));
            let drift = match axis {
                Axis::X => own * slope_x + other * slope_y,
                Axis::Y => other * slope_x + own * slope_y,
            };
            let drifted = own - half * drift;
            let value = drifted - pull * rise as f32;
            let value = if FLUID {
                friction.hold_fluid::<COLUMNS>(i, value, (own, other), opening, params)
            } else {
                friction.hold::<COLUMNS>(i, value, (own, other), opening, params)
            };
            // In half a step the pull adds at most the speed that it would add if the stage fell by
            // the whole opening. With all of the pull over the edge of a dam, the momentum that is
            // carried to its foot would grow with the step.
            let fastest = maths::min(drifted.abs() + pull * opening.max(0) as f32, most);
            let value = maths::max(-fastest, maths::min(value, fastest));
            values[i] = if opening > 0 { maths::flush(value) } else { 0.0 };
            slopes_x[i] = slope_x;
            slopes_y[i] = slope_y;
        }
        if params.order == Order::First {
            (values, slopes_x, slopes_y) = (*here, [0.0; BLOCK], [0.0; BLOCK]);
        }
        *within_mut(&mut self.value, first) = values;
        *within_mut(&mut self.slope_x, first) = slopes_x;
        *within_mut(&mut self.slope_y, first) = slopes_y;
    }

    /// Computes velocities over the walls of a row, as bits, several at once. The walls of all
    /// blocks are handled together, as the end of a loop over two or three costs as much as a wall.
    /// The function is compiled for the baseline, in vectors of four.
    #[inline(never)]
    fn pass_on_beside_walls<const COLUMNS: bool, const IS_X: bool>(
        &mut self,
        tile: &Padded,
        row: i32,
        mut walls: u128,
    ) {
        let (axis, from) = (if IS_X { Axis::X } else { Axis::Y }, index(FIRST, row));
        let mut halves = HalfCells::<WALLS>::NONE;
        while walls != 0 {
            let (mut places, mut count) = ([0; WALLS], 0);
            while walls != 0 && count < WALLS {
                let i = walls.trailing_zeros() as usize;
                walls &= walls - 1;
                halves.take_marked::<COLUMNS>(count, tile, (axis, from + i));
                (places[count], count) = (i, count + 1);
            }
            let passed_on = halves.passed_on();
            for (&i, &value) in places[..count].iter().zip(&passed_on) {
                self.value[i] = value;
                (self.slope_x[i], self.slope_y[i]) = (0.0, 0.0);
            }
        }
    }
}

/// Returns a block of faces, and the faces to its west, east, south and north.
#[inline(always)]
fn with_neighbours(flow: &PaddedPlane<f32>, (column, row): (i32, i32)) -> [&[f32; BLOCK]; 5] {
    [
        part(flow, column, row),
        part(flow, column - 1, row),
        part(flow, column + 1, row),
        part(flow, column, row - 1),
        part(flow, column, row + 1),
    ]
}

/// Returns the four faces across each face of a block.
#[inline(always)]
fn faces_across(
    flow: &PaddedPlane<f32>,
    axis: Axis,
    (column, row): (i32, i32),
) -> [&[f32; BLOCK]; 4] {
    let here = part(flow, column, row);
    match axis {
        Axis::X => [
            part(flow, column - 1, row),
            here,
            part(flow, column - 1, row + 1),
            part(flow, column, row + 1),
        ],
        Axis::Y => [
            part(flow, column, row - 1),
            here,
            part(flow, column + 1, row - 1),
            part(flow, column + 1, row),
        ],
    }
}

/// Roughness and wet parts of the cells beside a block of faces, for their friction.
struct Friction<'a> {
    roughness: [&'a [f32; BLOCK]; 2],
    /// Rises of the stages with the depths.
    slope: [&'a [f32; BLOCK]; 2],
    /// Stages around the faces, of a fluid that resists.
    around: Option<StagesAround<'a, BLOCK>>,
}

impl<'a> Friction<'a> {
    /// Returns the values of the faces between the cells before and behind them.
    #[inline(always)]
    fn of<const FLUID: bool>(
        tile: &'a Padded,
        axis: Axis,
        before: (i32, i32),
        behind: (i32, i32),
    ) -> Self {
        let (before, behind) = (index(before.0, before.1), index(behind.0, behind.1));
        let (n2, slope) = (&tile.roughness, &tile.columns.slope);
        Self {
            roughness: [run(n2, before), run(n2, behind)],
            slope: [run(slope, before), run(slope, behind)],
            around: FLUID.then(|| StagesAround::of(tile, axis, before, behind)),
        }
    }

    /// Slows a velocity by friction over half a step, if the columns on both sides are covered.
    #[inline(always)]
    fn hold<const COLUMNS: bool>(
        &self,
        i: usize,
        value: f32,
        speed: (f32, f32),
        opening: i32,
        params: &StepParams,
    ) -> f32 {
        let n2 = (self.roughness[0][i], self.roughness[1][i]);
        let held = held(value, speed, opening, n2, &params.face);
        let is_covered = !COLUMNS || maths::max(self.slope[0][i], self.slope[1][i]) <= 1.0;
        if is_covered { held } else { value }
    }

    /// Slows a velocity of a [`fluid`](super::fluid) by its resistance over half a step, for any
    /// columns on both sides: a mud at rest on a slope carries no momentum.
    #[inline(always)]
    #[expect(clippy::cast_precision_loss, reason = "a depth in metres")]
    fn hold_fluid<const COLUMNS: bool>(
        &self,
        i: usize,
        value: f32,
        speed: (f32, f32),
        opening: i32,
        params: &StepParams,
    ) -> f32 {
        let pull = 0.5 * params.face.gravity_ratio * params.face.unit_m;
        let rise = self.around.as_ref().map_or(0.0, |around| around.rise::<COLUMNS>(i));
        let across = speed.1 - pull * rise;
        let depth_m = opening.max(1) as f32 * params.face.unit_m;
        let resistance = params.fluid.to_velocity(depth_m, 0.5, 0.0);
        let (held, _) = resistance.slowed(value, across);
        self.hold::<COLUMNS>(i, held, speed, opening, params)
    }
}

/// Returns a velocity after friction over half a step at a speed, `own` over the face and `other`
/// across it, between cells of these n².
#[inline(always)]
#[expect(clippy::cast_precision_loss, reason = "friction is a float")]
fn held(
    value: f32,
    (own, other): (f32, f32),
    opening: i32,
    (n2_before, n2_behind): (f32, f32),
    params: &FaceParams,
) -> f32 {
    let root = maths::inverse_cube_root(opening.max(1) as f32 * params.unit_m);
    // A quarter: half a step, and the mean of two cells.
    let n2 = 0.25 * (n2_before + n2_behind);
    let k = params.friction * n2 * ((root * root) * (root * root));
    value / (1.0 + k * (own * own + other * other).sqrt())
}
