//! Eddies: the momentum that viscosity carries between control volumes, after
//! [`terms`](super::terms).

use crate::flow::params::StepParams;
use crate::tile::padded::{FIRST, Padded, STRIDE, WEST, part, within};
use crate::units::maths;

/// Twice the largest ν Δt/Δ².
const DOUBLED_MOST: f32 = 0.25;

/// Twice ν Δt/Δ² times the depth of the cells of three rows: south of a row, the row, north of it.
#[derive(Debug)]
pub struct Eddies {
    rows: [[f32; STRIDE]; 3],
}

impl Default for Eddies {
    fn default() -> Self {
        Self { rows: [[0.0; STRIDE]; 3] }
    }
}

impl Eddies {
    /// Advances to `row`, with the velocities of the rows to its north.
    #[inline(always)]
    #[expect(clippy::cast_precision_loss, reason = "a viscosity is a float")]
    pub fn advance(&mut self, tile: &Padded, row: i32, params: &StepParams) {
        let (terms, cells_per_m_s) = (&params.terms, params.cells_per_m_s);
        let north = row + 1;
        let depth: &[i32; STRIDE] = part(&tile.depth, FIRST, north);
        let west: &[f32; STRIDE] = part(&tile.flow_x, FIRST, north);
        let east: &[f32; STRIDE] = part(&tile.flow_x, FIRST + 1, north);
        let below: &[f32; STRIDE] = part(&tile.flow_y, FIRST, north);
        let above: &[f32; STRIDE] = part(&tile.flow_y, FIRST, north + 1);
        // Twice the velocities beside the cell, for the shear.
        let [u_n, u_ne] = [FIRST, FIRST + 1].map(|c| part::<_, STRIDE>(&tile.flow_x, c, north + 1));
        let [u_s, u_se] = [FIRST, FIRST + 1].map(|c| part::<_, STRIDE>(&tile.flow_x, c, north - 1));
        let [v_e, v_ne] = [north, north + 1].map(|r| part::<_, STRIDE>(&tile.flow_y, FIRST + 1, r));
        let [v_w, v_nw] = [north, north + 1].map(|r| part::<_, STRIDE>(&tile.flow_y, FIRST - 1, r));
        self.rows[0] = self.rows[1];
        self.rows[1] = self.rows[2];
        for i in 0..STRIDE {
            let (along, across) = (east[i] - west[i], above[i] - below[i]);
            let shear_u = (u_n[i] + u_ne[i]) - (u_s[i] + u_se[i]);
            let shear_v = (v_e[i] + v_ne[i]) - (v_w[i] + v_nw[i]);
            // Each sum is twice a velocity, and the velocities are two cells apart: a quarter.
            let shear = 0.25 * (shear_u + shear_v);
            let strain = (2.0 * (along * along + across * across) + shear * shear).sqrt();
            // ν is (C Δ)² · strain/Δ, so twice ν Δt/Δ² is 2 C² · strain · Δt/Δ.
            let number = terms.number + terms.smagorinsky * cells_per_m_s * strain;
            let number = maths::min(number, DOUBLED_MOST);
            self.rows[2][i] = number * depth[i] as f32;
        }
    }

    /// Returns the weights around faces of which the first is in column `column`.
    #[inline(always)]
    #[must_use]
    pub fn beside<const WIDE: usize>(&self, column: usize) -> Mixing<'_, WIDE> {
        let [south, here, north] = &self.rows;
        let first = WEST + column - 1;
        Mixing { rows: [within(south, first), within(here, first), within(north, first)] }
    }
}

/// Weights of some columns of the three rows, one more to their west, and to their east if south
/// faces are computed.
#[derive(Debug)]
pub struct Mixing<'a, const WIDE: usize> {
    rows: [&'a [f32; WIDE]; 3],
}

impl<const WIDE: usize> Mixing<'_, WIDE> {
    /// Returns the gain of the west face of number `i`, units times m/s, from its `own` velocity
    /// and the velocities of the faces to its west, east, south and north.
    #[inline(always)]
    #[must_use]
    pub fn gained_x(&self, i: usize, own: f32, beside: [f32; 4]) -> f32 {
        let [south, here, north] = self.rows;
        let corners = (corner(south, here, i), corner(here, north, i));
        spread([here[i], here[i + 1], corners.0, corners.1], own, beside)
    }

    /// Returns the gain of a south face, in the same units.
    #[inline(always)]
    #[must_use]
    pub fn gained_y(&self, i: usize, own: f32, beside: [f32; 4]) -> f32 {
        let [south, here, _] = self.rows;
        let corners = (corner(south, here, i), corner(south, here, i + 1));
        spread([corners.0, corners.1, south[i + 1], here[i + 1]], own, beside)
    }
}

/// Returns the smallest of the four cells around the corner at the west end of face `i`.
#[inline(always)]
fn corner<const WIDE: usize>(south: &[f32; WIDE], north: &[f32; WIDE], i: usize) -> f32 {
    maths::min(maths::min(south[i], south[i + 1]), maths::min(north[i], north[i + 1]))
}

#[inline(always)]
fn spread(weights: [f32; 4], own: f32, beside: [f32; 4]) -> f32 {
    let [a, b, c, d] = weights;
    let [west, east, south, north] = beside;
    (a * (west - own) + b * (east - own)) + (c * (south - own) + d * (north - own))
}
