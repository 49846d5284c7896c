//! Foam: where water breaks, and for some seconds after.
//!
//! ```text
//! Fr     = |u| / √(g h)                                       of a cell
//! drop   = −½ (u_east − u_west + v_north − v_south) / √(g h)  what it slows down, in wave speeds
//! white  = ramp(Fr; 0.8, 1.6) + ramp(drop; 0.1, 0.5)          at most 1
//! source = white · ramp(h; 2 cm, 10 cm)                       films do not foam
//! foam   = max(foam·e^(−Δt/4 s), source)
//!
//! ramp(v; a, b) = (v − a)/(b − a), from 0 to 1
//! ```
//!
//! The drop is over two cells, not over metres: a jump is as sharp as cells allow at any level.
//!
//! Limits:     foam does not drift with the water, and there is no noise in it: a renderer that
//!             moves a texture along the velocity adds both. The depth is the mean of a cell.
//! Source:     own; the Froude numbers of waves and jumps: Chow (1959), Open-channel hydraulics,
//!             §15-1.

use crate::grid::TILE_WIDTH;
use crate::probe::surface::area::Area;
use crate::probe::surface::planes::Planes;
use crate::probe::surface::write::Piece;
use crate::units::maths;
use std::ops::Range;

/// Time in which foam falls to 1/e of what it was, s.
const LASTS_S: f64 = 4.0;
/// Less foam than this is none.
const LEAST: f32 = 1.0 / 256.0;
/// Froude number where breaking begins, and where all is white.
const FROUDE: [f32; 2] = [0.8, 1.6];
/// The same for the drop of velocity over that of waves.
const DROP: [f32; 2] = [0.1, 0.5];
/// Depth from which there is foam, and from which there is all of it, m.
const DEPTH_M: [f32; 2] = [0.02, 0.1];
/// m/s².
const GRAVITY: f32 = 9.81;

/// What is left of foam after some seconds.
#[expect(clippy::cast_possible_truncation, reason = "a share in f32")]
pub(super) fn decay(passed_s: f64) -> f32 {
    (-passed_s.max(0.0) / LASTS_S).exp() as f32
}

#[inline(always)]
fn ramp(value: f32, [from, to]: [f32; 2]) -> f32 {
    maths::min(maths::max((value - from) / (to - from), 0.0), 1.0)
}

impl Planes {
    /// Takes foam away from where there is no water.
    pub(super) fn dry(&mut self, area: Area) {
        for y in area.y[0]..area.y[1] {
            let cells = y * self.width + area.x[0]..y * self.width + area.x[1];
            for (foam, depth_m) in self.foam[cells.clone()].iter_mut().zip(&self.depth_m[cells]) {
                *foam = if *depth_m > 0.0 { *foam } else { 0.0 };
            }
        }
    }

    /// Lets foam fade in an area; tells whether any is left.
    pub(super) fn fade(&mut self, area: Area, decay: f32) -> bool {
        let mut most = 0.0;
        for y in area.y[0]..area.y[1] {
            let row = y * self.width;
            for foam in &mut self.foam[row + area.x[0]..row + area.x[1]] {
                let less = *foam * decay;
                *foam = if less < LEAST { 0.0 } else { less };
                most = maths::max(most, *foam);
            }
        }
        most > 0.0
    }

    /// Lets foam fade and come in a piece; tells whether there is any.
    pub(super) fn froth(&mut self, piece: &Piece, decay: f32) -> bool {
        let mut most = 0.0;
        for (row, y) in (piece.area.y[0]..piece.area.y[1]).enumerate() {
            let span = piece.span(row);
            if !span.is_empty() {
                let x = piece.area.x[0] + span.start..piece.area.x[0] + span.end;
                most = maths::max(most, self.froth_row(y, x, decay));
            }
        }
        most > 0.0
    }

    fn froth_row(&mut self, y: usize, x: Range<usize>, decay: f32) -> f32 {
        let row = y * self.width;
        let cells = row + x.start..row + x.end;
        let [east, north] = self.velocity.each_ref();
        // Beyond the window the water is as fast as at its rim.
        let mut along = [0.0; TILE_WIDTH + 2];
        let along = &mut along[..x.len() + 2];
        along[0] = east[row + x.start.saturating_sub(1)];
        along[1..=x.len()].copy_from_slice(&east[cells.clone()]);
        along[x.len() + 1] = east[row + x.end.min(self.width - 1)];
        let south = cells.start - if y > 0 { self.width } else { 0 };
        let is_last = row + self.width >= north.len();
        let to_north = cells.start + if is_last { 0 } else { self.width };
        let across = [&north[south..], &north[cells.clone()], &north[to_north..]];
        froth_cells(along, across, &self.depth_m[cells.clone()], &mut self.foam[cells], decay)
    }
}

/// Foam in one row of cells. `along` has velocities eastward from one cell before, `across` those
/// northward in the rows before, here and behind.
fn froth_cells(
    along: &[f32],
    across: [&[f32]; 3],
    depth_m: &[f32],
    foam: &mut [f32],
    decay: f32,
) -> f32 {
    let count = foam.len();
    let (west, here, east) = (&along[..count], &along[1..=count], &along[2..count + 2]);
    let (south, v, north) = (&across[0][..count], &across[1][..count], &across[2][..count]);
    let depth_m = &depth_m[..count];
    for i in 0..count {
        let drop = 0.5 * (west[i] - east[i] + south[i] - north[i]);
        let now = maths::max(foam[i] * decay, source(depth_m[i], here[i], v[i], drop));
        let is_some = (depth_m[i] > 0.0) & (now >= LEAST);
        foam[i] = if is_some { now } else { 0.0 };
    }
    foam.iter().fold(0.0, |most, foam| maths::max(most, *foam))
}

/// Foam that comes at once.
#[inline(always)]
pub(super) fn source(depth_m: f32, u: f32, v: f32, drop: f32) -> f32 {
    let per_wave = 1.0 / (GRAVITY * maths::max(depth_m, DEPTH_M[0])).sqrt();
    let froude = (u * u + v * v).sqrt() * per_wave;
    let white = ramp(froude, FROUDE) + ramp(drop * per_wave, DROP);
    maths::min(white, 1.0) * ramp(depth_m, DEPTH_M)
}
