//! Foam: of breaking water, and for some seconds after.
//!
//! ```text
//! Fr     = |u| / √(g h)                                       of a cell
//! drop   = −½ (u_east − u_west + v_north − v_south) / √(g h)  what it slows down, in wave speeds
//! white  = 0.4 ramp(Fr; 1, 3) + ramp(drop; 0.1, 0.5)          at most 1
//! source = white · ramp(h; 5 cm, 30 cm)                       thin water does not foam
//! foam   = max(foam·e^(−Δt/4 s), source)
//!
//! ramp(v; a, b) = (v − a)/(b − a), from 0 to 1
//! ```
//!
//! The drop is over two cells, not over metres: a jump is as sharp as cells allow at any level. A
//! neighbour with too little water to foam counts as the cell itself: water that runs along a bank,
//! or up to it, does not break there. Swift water alone is streaked with foam, not covered by it.
//!
//! Limits:     foam does not drift with the water and has no noise: a renderer that moves a texture
//!             along the velocity adds both. The depth is the mean of a cell.
//! Source:     own; the Froude numbers of waves and jumps: Chow (1959), Open-channel hydraulics,
//!             §15-1.

use crate::probe::surface::area::WindowArea;
use crate::probe::surface::piece::WrittenPiece;
use crate::probe::surface::planes::{Slab, SurfacePlanes};
use std::ops::Range;
use thalweg_engine::grid::TILE_WIDTH;
use thalweg_engine::units::maths;

/// Time in which foam falls to 1/e, s.
const LASTS_S: f64 = 4.0;
/// Foam below this counts as 0.
const LEAST: f32 = 1.0 / 256.0;
/// Froude number where streaks of foam begin, and where they are densest.
const FROUDE: [f32; 2] = [1.0, 3.0];
/// Foam of water that is only swift.
const STREAKS: f32 = 0.4;
/// Drop of velocity over that of waves where foam begins, and where it is densest.
const DROP: [f32; 2] = [0.1, 0.5];
/// Depth from which water foams, and from which it foams fully, m.
const DEPTH_M: [f32; 2] = [0.05, 0.3];
/// Acceleration of gravity, m/s².
const GRAVITY: f32 = 9.81;

/// Returns the part of the foam left after some seconds.
#[expect(clippy::cast_possible_truncation, reason = "a share in f32")]
pub(super) fn decay(passed_s: f64) -> f32 {
    (-passed_s.max(0.0) / LASTS_S).exp() as f32
}

#[inline(always)]
fn ramp(value: f32, [from, to]: [f32; 2]) -> f32 {
    maths::min(maths::max((value - from) / (to - from), 0.0), 1.0)
}

/// Part in which only foam changes, within one tile of the window.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fading {
    /// Number of the part.
    pub part: usize,
    pub area: WindowArea,
    /// Whether some foam is left.
    pub is_left: bool,
}

impl SurfacePlanes {
    /// Removes foam from dry cells.
    pub(super) fn dry(&mut self, area: WindowArea) {
        for y in area.y[0]..area.y[1] {
            let cells = y * self.width + area.x[0]..y * self.width + area.x[1];
            for (foam, depth_m) in self.foam[cells.clone()].iter_mut().zip(&self.depth_m[cells]) {
                *foam = if *depth_m > 0.0 { *foam } else { 0.0 };
            }
        }
    }
}

impl Slab<'_> {
    /// Lets foam fade in an area; returns whether any is left.
    pub(super) fn fade(&mut self, area: WindowArea, decay: f32) -> bool {
        let mut most = 0.0;
        for y in area.y[0]..area.y[1] {
            let row = self.row(y);
            for foam in &mut self.foam[row + area.x[0]..row + area.x[1]] {
                let less = *foam * decay;
                // Foam that only approaches 0 would be written in every update.
                *foam = if less < LEAST { 0.0 } else { less };
                most = maths::max(most, *foam);
            }
        }
        most > 0.0
    }

    /// Fades foam and adds new foam in a piece; returns whether any is left.
    pub(super) fn froth(&mut self, piece: &WrittenPiece, decay: f32) -> bool {
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
        let row = self.row(y);
        let cells = row + x.start..row + x.end;
        // Beyond the window the water is as at its border.
        let padded = |plane: &[f32]| {
            let mut all = [0.0; TILE_WIDTH + 2];
            all[0] = plane[row + x.start.saturating_sub(1)];
            all[1..=x.len()].copy_from_slice(&plane[cells.clone()]);
            all[x.len() + 1] = plane[row + x.end.min(self.width - 1)];
            all
        };
        let [east, north] = self.velocity.each_ref();
        let south = cells.start - if row > 0 { self.width } else { 0 };
        let is_last = row + self.width >= north.len();
        let to_north = cells.start + if is_last { 0 } else { self.width };
        let (along, depth_m) = (padded(east), padded(self.depth_m));
        let row = FoamRow {
            along: &along,
            depth_along: &depth_m,
            here: &north[cells.clone()],
            beside: [south, to_north].map(|from| [&north[from..], &self.depth_m[from..]]),
        };
        row.froth(&mut self.foam[cells], decay)
    }
}

/// Inputs of the foam in one row of cells.
struct FoamRow<'a> {
    /// Velocities eastward and depths, from one cell before the row.
    along: &'a [f32],
    depth_along: &'a [f32],
    /// Velocities northward, here.
    here: &'a [f32],
    /// Velocities northward and depths, in the rows to the south and to the north.
    beside: [[&'a [f32]; 2]; 2],
}

impl FoamRow<'_> {
    /// Fades foam and adds new foam; returns the largest value.
    fn froth(&self, foam: &mut [f32], decay: f32) -> f32 {
        let count = foam.len();
        let (west, u, east) =
            (&self.along[..count], &self.along[1..=count], &self.along[2..count + 2]);
        let depth = self.depth_along;
        let (to_west, here, to_east) = (&depth[..count], &depth[1..=count], &depth[2..count + 2]);
        let v = &self.here[..count];
        let [[south, to_south], [north, to_north]] =
            self.beside.map(|row| row.map(|plane| &plane[..count]));
        for i in 0..count {
            let of = |velocity: f32, depth_m: f32, own: f32| {
                if depth_m > DEPTH_M[0] { velocity } else { own }
            };
            let along = of(west[i], to_west[i], u[i]) - of(east[i], to_east[i], u[i]);
            let across = of(south[i], to_south[i], v[i]) - of(north[i], to_north[i], v[i]);
            let drop = 0.5 * (along + across);
            let now = maths::max(foam[i] * decay, source(here[i], u[i], v[i], drop));
            let is_some = (here[i] > 0.0) & (now >= LEAST);
            foam[i] = if is_some { now } else { 0.0 };
        }
        foam.iter().fold(0.0, |most, foam| maths::max(most, *foam))
    }
}

/// Returns the foam of the moment.
#[inline(always)]
pub(super) fn source(depth_m: f32, u: f32, v: f32, drop: f32) -> f32 {
    // The bound keeps this finite; for depths below the bound the last factor is 0.
    let per_wave = 1.0 / (GRAVITY * maths::max(depth_m, DEPTH_M[0])).sqrt();
    let froude = (u * u + v * v).sqrt() * per_wave;
    let white = STREAKS * ramp(froude, FROUDE) + ramp(drop * per_wave, DROP);
    maths::min(white, 1.0) * ramp(depth_m, DEPTH_M)
}
