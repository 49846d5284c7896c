//! Values that shallow water carries from row to row of a step.

use crate::flow::bores::Bores;
use crate::flow::eddies::Eddies;
use crate::flow::half::HalfStep;
use crate::flow::params::StepParams;
use crate::flow::transport::{carried, mass};
use crate::grid::Axis;
use crate::tile::padded::{BLOCK, Padded, STRIDE, WEST, index, part, run, within, within_mut};
use crate::tile::water_reach::{RowBlocks, WaterReach};

/// Values carried from row to row.
#[derive(Debug)]
pub struct RowMemory {
    /// Differences of depth over the west and south faces of the last two rows made ready, even and
    /// odd, vertical units; one face more than a row has, for the cell behind the last.
    pub rises: [[[f32; STRIDE + 1]; 2]; 2],
    /// Velocities over the west faces of the last two rows, even and odd.
    west: [HalfStep; 2],
    /// Velocities over the south faces of the last two rows, even and odd.
    south: [HalfStep; 2],
    /// Velocity carried over the corners south of west faces, and over the corners north of them.
    pub corners: [[f32; 64]; 2],
    /// Velocity carried over the corners of the east face of the last column.
    pub corners_east: [f32; 2],
    /// Velocity carried over the centres of the cells south of south faces, and north of them.
    pub centres: [[f32; 64]; 2],
    /// Velocity carried from column to column: over the centres of the cells before west faces, and
    /// over the corners at the west end of south faces. Where no water reaches, values of an
    /// earlier row remain: no mass carries them.
    pub along: [[f32; 65]; 2],
    /// Values for the mixing by eddies, if there is any.
    pub eddies: Eddies,
    /// Thrust of compressed water.
    pub bores: Bores,
}

impl Default for RowMemory {
    fn default() -> Self {
        Self {
            rises: [[[0.0; STRIDE + 1]; 2]; 2],
            along: [[0.0; 65]; 2],
            west: [HalfStep::NONE; 2],
            south: [HalfStep::NONE; 2],
            corners: [[0.0; 64]; 2],
            corners_east: [0.0; 2],
            centres: [[0.0; 64]; 2],
            eddies: Eddies::default(),
            bores: Bores::default(),
        }
    }
}

/// Returns 0 for even rows, 1 for odd ones.
#[inline(always)]
fn parity(row: i32) -> usize {
    (row & 1).unsigned_abs() as usize
}

impl RowMemory {
    /// Returns the velocities over the west faces of `row`, one of the last two.
    #[inline(always)]
    #[must_use]
    pub fn west_at(&self, row: i32) -> &HalfStep {
        &self.west[parity(row)]
    }

    /// Returns the velocities over the south faces of `row`, one of the last two.
    #[inline(always)]
    #[must_use]
    pub fn south_at(&self, row: i32) -> &HalfStep {
        &self.south[parity(row)]
    }

    /// Advances to `row`: computes velocities half a step on in the row to its north, then the
    /// velocities carried over that row's south corners and over the row's centres.
    #[inline(always)]
    pub fn advance<const TERMS: bool, const FLUID: bool, const COLUMNS: bool>(
        &mut self,
        tile: &Padded,
        row: i32,
        params: &StepParams,
        reach: &WaterReach,
    ) {
        let here = reach.row(row);
        let north = (row + 1, reach.row(row + 1));
        self.west[parity(row + 1)].fill::<FLUID, COLUMNS>(tile, Axis::X, north, params);
        self.south[parity(row + 1)].fill::<FLUID, COLUMNS>(tile, Axis::Y, north, params);
        if TERMS {
            self.eddies.advance(tile, row, params);
        }
        // Between the velocities and their reading at another offset: a load that spans two stores
        // waits for both.
        self.bores.press_row(tile, (row, here), params);
        self.carry_along(tile, (row, here));
        self.corners[0] = self.corners[1];
        self.centres[0] = self.centres[1];
        // Nothing moves over the remaining blocks.
        for block in here.own {
            self.carry_north(tile, (block, row));
        }
        self.bores.gain_row(here);
        let (west_0, west_1) = (&self.west[parity(row)], &self.west[parity(row + 1)]);
        let at = WEST + 64;
        let east = index(64, row + 1);
        let over_corner = mass(tile.transfer_y[east - 1], tile.transfer_y[east]);
        let value = (west_0.value[at], west_1.value[at]);
        let slope = (west_0.slope_y[at], west_1.slope_y[at]);
        self.corners_east = [self.corners_east[1], carried(over_corner, value, slope)];
    }

    /// Computes the velocities that a row carries from column to column, where water may be.
    #[inline(always)]
    fn carry_along(&mut self, tile: &Padded, (row, reach): (i32, RowBlocks)) {
        let flow = |column, row| part::<_, 65>(&tile.transfer_x, column, row);
        let [centres, corners] = &mut self.along;
        let west = &self.west[parity(row)];
        carried_along(west, (flow(-1, row), flow(0, row)), reach, centres);
        let south = &self.south[parity(row)];
        carried_along(south, (flow(0, row - 1), flow(0, row)), reach, corners);
    }

    /// Computes the velocities that a block of a row carries over its north corners and its
    /// centres.
    #[inline(always)]
    fn carry_north(&mut self, tile: &Padded, (block, row): (usize, i32)) {
        let (first, from) = (BLOCK * block, WEST + BLOCK * block);
        let south: &[i32; BLOCK] = run(&tile.transfer_y, index(0, row) + first);
        let north: &[i32; BLOCK] = run(&tile.transfer_y, index(0, row + 1) + first);
        let north_west: &[i32; BLOCK] = run(&tile.transfer_y, index(-1, row + 1) + first);
        let (west_0, west_1) = (&self.west[parity(row)], &self.west[parity(row + 1)]);
        let (south_0, south_1) = (&self.south[parity(row)], &self.south[parity(row + 1)]);
        let u: [&[f32; BLOCK]; 2] = [within(&west_0.value, from), within(&west_1.value, from)];
        let u_slope: [&[f32; BLOCK]; 2] =
            [within(&west_0.slope_y, from), within(&west_1.slope_y, from)];
        let v: [&[f32; BLOCK]; 2] = [within(&south_0.value, from), within(&south_1.value, from)];
        let v_slope: [&[f32; BLOCK]; 2] =
            [within(&south_0.slope_y, from), within(&south_1.slope_y, from)];
        let [mut corners, mut centres] = [[0.0; BLOCK]; 2];
        for i in 0..BLOCK {
            let over = mass(north_west[i], north[i]);
            corners[i] = carried(over, (u[0][i], u[1][i]), (u_slope[0][i], u_slope[1][i]));
            let over = mass(south[i], north[i]);
            centres[i] = carried(over, (v[0][i], v[1][i]), (v_slope[0][i], v_slope[1][i]));
        }
        *within_mut(&mut self.corners[1], first) = corners;
        *within_mut(&mut self.centres[1], first) = centres;
    }
}

/// Computes the velocity that the flow carries from column to column: over the boundary between the
/// values of columns i − 1 and i, for i from 0 to 64, where water may be.
#[inline(always)]
fn carried_along(
    half: &HalfStep,
    flow: (&[i32; 65], &[i32; 65]),
    reach: RowBlocks,
    out: &mut [f32; 65],
) {
    for block in reach.own {
        carry::<BLOCK>(half, flow, BLOCK * block, out);
    }
    carry::<1>(half, flow, 64, out);
}

/// Computes the velocities that the flow carries into `N` columns.
#[inline(always)]
fn carry<const N: usize>(
    half: &HalfStep,
    flow: (&[i32; 65], &[i32; 65]),
    first: usize,
    out: &mut [f32; 65],
) {
    let at = WEST + first;
    let west: (&[f32; N], &[f32; N]) = (within(&half.value, at - 1), within(&half.slope_x, at - 1));
    let east: (&[f32; N], &[f32; N]) = (within(&half.value, at), within(&half.slope_x, at));
    let (a, b): (&[i32; N], &[i32; N]) = (within(flow.0, first), within(flow.1, first));
    let mut between = [0.0; N];
    for i in 0..N {
        let (value, slope) = ((west.0[i], east.0[i]), (west.1[i], east.1[i]));
        between[i] = carried(mass(a[i], b[i]), value, slope);
    }
    *within_mut(out, first) = between;
}
