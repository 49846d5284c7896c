//! Values that shallow water carries from row to row of a step.

use crate::flow::bores::Bores;
use crate::flow::eddies::Eddies;
use crate::flow::half::HalfStep;
use crate::flow::params::StepParams;
use crate::flow::transport::{carried, mass};
use crate::grid::Axis;
use crate::tile::padded::{BLOCK, Padded, STRIDE, WEST, index, run, within, within_mut};
use crate::tile::water_reach::WaterReach;

/// Values carried from row to row.
#[derive(Debug)]
pub struct Memory {
    /// Difference of depth over the south faces of the last row made ready, vertical units.
    pub rise_y: [f32; STRIDE],
    /// Velocities over the west faces of the last two rows, even and odd.
    west: [HalfStep; 2],
    /// Velocities over the south faces of the last two rows, even and odd.
    south: [HalfStep; 2],
    /// Velocity carried over the corners south of west faces, and over those north of them.
    pub corners: [[f32; 64]; 2],
    /// Velocity carried over the corners of the east face of the last column.
    pub corners_east: [f32; 2],
    /// Velocity carried over the centres of the cells south of south faces, and north of them.
    pub centres: [[f32; 64]; 2],
    /// Values that eddies mix, where there are some.
    pub eddies: Eddies,
    /// Thrust of compressed water.
    pub bores: Bores,
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            rise_y: [0.0; STRIDE],
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

/// 0 for even rows, 1 for odd ones.
#[inline(always)]
fn parity(row: i32) -> usize {
    (row & 1).unsigned_abs() as usize
}

impl Memory {
    /// Velocities over the west faces of `row`, one of the last two.
    #[inline(always)]
    #[must_use]
    pub fn west_at(&self, row: i32) -> &HalfStep {
        &self.west[parity(row)]
    }

    /// Velocities over the south faces of `row`, one of the last two.
    #[inline(always)]
    #[must_use]
    pub fn south_at(&self, row: i32) -> &HalfStep {
        &self.south[parity(row)]
    }

    /// Goes on to `row`: velocities half a step on in the row to its north, then what is carried
    /// over that row's south corners and over the row's centres.
    #[inline(always)]
    pub fn advance<const TERMS: bool, const COLUMNS: bool>(
        &mut self,
        tile: &Padded,
        row: i32,
        params: &StepParams,
        reach: &WaterReach,
    ) {
        let here = reach.row(row);
        self.bores.advance(tile, (row, here), params);
        if TERMS {
            self.eddies.advance(tile, row, params);
        }
        let north = (row + 1, reach.row(row + 1));
        self.west[parity(row + 1)].fill::<COLUMNS>(tile, Axis::X, north, params);
        self.south[parity(row + 1)].fill::<COLUMNS>(tile, Axis::Y, north, params);
        self.corners[0] = self.corners[1];
        self.centres[0] = self.centres[1];
        // Nothing moves over the others.
        for block in here.own {
            self.carry_north(tile, (block, row));
        }
        let (west_0, west_1) = (&self.west[parity(row)], &self.west[parity(row + 1)]);
        let at = WEST + 64;
        let east = index(64, row + 1);
        let over_corner = mass(tile.transfer_y[east - 1], tile.transfer_y[east]);
        let value = (west_0.value[at], west_1.value[at]);
        let slope = (west_0.slope_y[at], west_1.slope_y[at]);
        self.corners_east = [self.corners_east[1], carried(over_corner, value, slope)];
    }

    /// Velocities that a block of a row carries over its north corners and its centres.
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
