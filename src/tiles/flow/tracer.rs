//! Tracers: substances that move with the integer transfers of the water.
//!
//! The content C of a cell is an integer: its concentration c, in 2⁻²⁴, times its depth h. A cell
//! gives to its faces in turn, west, east, south, north. If R is left of its content and H of its
//! depth, and a face takes dv of the water, the face takes m of the content:
//!
//! ```text
//! m ≈ ĉ dv    ĉ = c                                              first order
//!             ĉ = c ± ½ s (1 − dv/h) − ½ s' v'                   second order
//! max(lo dv, R − hi (H − dv))  ≤  m  ≤  min(hi dv, R − lo (H − dv))
//! ```
//!
//! lo and hi are the smallest and the largest concentration, as whole numbers rounded outwards: of
//! the cell itself in first order, of the cell and the four that it shares water with in second. s
//! is the limited slope of [`transport`](super::transport) towards the face, s' and v' slope and
//! Courant number across.
//!
//! From `lo H ≤ R ≤ hi H` and `0 ≤ dv ≤ H` follows that such an m exists: `R − hi (H − dv) ≤ hi dv`
//! and `lo dv ≤ R − lo (H − dv)`. The content that leaves is then within lo and hi times its water,
//! and so is the content that stays, so the next face finds the same bounds; the new content of a
//! cell is a sum of such parts. If lo = hi = c the only such m is `c dv`.
//!
//! Guarantees: the sum of content is exact; a concentration stays within the concentrations around
//!             it, rounded outwards to 2⁻²⁴ (two cells around it in second order), so whole bounds
//!             are kept for ever; a uniform concentration stays uniform; a dry cell contains
//!             nothing; both tiles at an edge compute the same integers.
//! Limits:     concentrations from 0 to [`ONE`]: with h < 2³¹ a content is below 2⁵⁶, and every sum
//!             and product here fits an `i64`. Transfers must be limited: no cell gives more than
//!             it contains. Cells of different levels show their concentration and give nothing:
//!             the caller adds the content that they give.
//! Source:     own; the predictor across: Colella (1990), J. Comput. Phys. 87, with the cell's own
//!             slope. Ten turns of a blob on 64² cells (`tests/engine/wheel.rs`) leave 72 % of its
//!             peak and a relative L1 of 0.25; with the harmonic slope 59 % and 0.39, without the
//!             term across 65 % and 0.90, in first order 7 % and 1.70.

use crate::flow::solver::Order;
use crate::flow::transport::limited;
use crate::tile::halo_plane::{PlanesAround, gather_plane};
use crate::tile::padded::{Padded, PaddedPlane, STRIDE, plane, span};
use crate::units::maths;

pub use crate::tile::planes::ONE;

/// The planes of one tracer on a padded tile.
#[derive(Debug, Clone)]
pub struct PaddedTracer {
    /// Content of cells at the start of the step.
    content: PaddedPlane<i64>,
    /// Content of cells at the end of the step.
    content_new: PaddedPlane<i64>,
    /// Concentration of wet cells rounded down, up, and to `f32`.
    floor: PaddedPlane<i32>,
    ceiling: PaddedPlane<i32>,
    rounded: PaddedPlane<f32>,
}

impl Default for PaddedTracer {
    fn default() -> Self {
        Self::new()
    }
}

/// The cells within two of the tile, rows or columns: the cells that givers along its sides read.
const FROM: i32 = -2;
const TO: i32 = 66;

impl PaddedTracer {
    /// Returns a tile without content.
    #[must_use]
    pub fn new() -> Self {
        Self {
            content: plane(0),
            content_new: plane(0),
            floor: plane(0),
            ceiling: plane(0),
            rounded: plane(0.0),
        }
    }

    /// Advances one tracer on one tile by one step, after the water's.
    ///
    /// | argument | shape | location | unit | |
    /// | --- | --- | --- | --- | --- |
    /// | `tile.bed`, `.depth` | padded | cell | vertical units | in, at the start of the step |
    /// | `tile.transfer_x`, `.transfer_y` | padded | face | vertical units | in, limited |
    /// | `around` | 9 × 64 × 64 | cell | 2⁻²⁴ vertical units | in, content at the start |
    /// | `filled` | | cell | 2⁻²⁴ vertical units | in, index and content of cells of other levels |
    /// | `out` | 64 × 64 | cell | 2⁻²⁴ vertical units | out, content at the end |
    ///
    /// # Panics
    ///
    /// If a plane has another shape.
    pub fn advance(
        &mut self,
        tile: &Padded,
        around: &PlanesAround<'_, i64>,
        filled: &[(usize, i64)],
        order: Order,
        out: &mut [i64],
    ) {
        gather_plane(&mut self.content, around, 0);
        filled.iter().for_each(|&(cell, content)| self.content[cell] = content);
        let rows = |from, to| (FROM..TO).map(move |row| span(row, from, to));
        let all = rows(FROM, TO).flat_map(|row| &self.content[row]).fold(0, |any, c| any | c);
        if all == 0 {
            out.fill(0);
            return;
        }
        for row in rows(FROM, TO) {
            self.concentrations(tile, row);
        }
        // Only the concentrations of these cells count: the caller adds the content they give.
        filled.iter().for_each(|&(cell, _)| self.content[cell] = 0);
        self.content_new.copy_from_slice(&**self.content);
        for row in -1..65 {
            for cell in span(row, -1, 65) {
                if self.content[cell] != 0 {
                    let given = self.given(tile, cell, order);
                    for (to, given) in neighbours(cell).into_iter().zip(given) {
                        self.content_new[cell] -= given;
                        self.content_new[to] += given;
                    }
                }
            }
        }
        for (row, out) in (0..).zip(out.as_chunks_mut::<64>().0) {
            out.copy_from_slice(&self.content_new[span(row, 0, 64)]);
        }
    }

    /// Works out the concentrations of a row of cells.
    #[expect(clippy::cast_possible_truncation, reason = "a concentration is at most 2²⁴")]
    #[expect(clippy::cast_precision_loss, reason = "the part below 2⁻²⁴ may be rough")]
    fn concentrations(&mut self, tile: &Padded, cells: std::ops::Range<usize>) {
        for cell in cells {
            let (content, depth) = (self.content[cell], tile.depth[cell]);
            debug_assert!((0..=ONE * i64::from(depth)).contains(&content), "{content} in {depth}");
            let (floor, rest) = match content {
                0 => (0, 0),
                _ => (content / i64::from(depth), content % i64::from(depth)),
            };
            self.floor[cell] = floor as i32;
            self.ceiling[cell] = floor as i32 + i32::from(rest != 0);
            // An `f32` holds whole concentrations up to 2²⁴ exactly, so a uniform one has no slope.
            self.rounded[cell] =
                if rest == 0 { floor as f32 } else { floor as f32 + rest as f32 / depth as f32 };
        }
    }

    /// Returns the content that a cell gives in the step of the last [`PaddedTracer::advance`]
    /// through its west, east, south and north face.
    #[must_use]
    pub fn given(&self, tile: &Padded, cell: usize, order: Order) -> [i64; 4] {
        if self.content[cell] == 0 {
            return [0; 4];
        }
        let Some(out) = TracerOutflow::of(tile, cell) else { return [0; 4] };
        let own = ConcentrationProfile {
            bounds: [self.floor[cell], self.ceiling[cell]].map(i64::from),
            slope: [0.0; 2],
        };
        let profile = match order {
            Order::First => own,
            Order::Second => self.reconstruct(tile, cell, own),
        };
        out.share_out(self.content[cell], i64::from(self.floor[cell]), &profile)
    }

    /// Returns the bounds and slopes of a cell among the cells that it shares water with.
    fn reconstruct(
        &self,
        tile: &Padded,
        cell: usize,
        own: ConcentrationProfile,
    ) -> ConcentrationProfile {
        let mut profile = own;
        let beside = neighbours(cell).map(|other| {
            let is_shared = tile.depth[other] > 0 && is_open(tile, cell, other);
            if is_shared {
                profile.bounds[0] = profile.bounds[0].min(i64::from(self.floor[other]));
                profile.bounds[1] = profile.bounds[1].max(i64::from(self.ceiling[other]));
            }
            is_shared.then(|| self.rounded[other])
        });
        let middle = self.rounded[cell];
        profile.slope = [[beside[0], beside[1]], [beside[2], beside[3]]].map(|pair| match pair {
            [Some(before), Some(after)] => limited(middle - before, after - middle),
            _ => 0.0,
        });
        profile
    }
}

/// Returns the cells west, east, south and north of a cell.
fn neighbours(cell: usize) -> [usize; 4] {
    [cell - 1, cell + 1, cell - STRIDE, cell + STRIDE]
}

/// True if the water is above the higher bed of two cells.
fn is_open(tile: &Padded, a: usize, b: usize) -> bool {
    let stage = (tile.bed[a] + tile.depth[a]).max(tile.bed[b] + tile.depth[b]);
    stage > tile.bed[a].max(tile.bed[b])
}

/// Profile of the concentration in a cell.
#[derive(Debug, Clone, Copy)]
struct ConcentrationProfile {
    /// lo and hi.
    bounds: [i64; 2],
    /// Slopes eastward and northward, per cell.
    slope: [f32; 2],
}

/// Outflow of a cell: transfers through its west, east, south and north face, 0 for inflow, and its
/// Courant numbers.
#[derive(Debug, Clone, Copy)]
struct TracerOutflow {
    depth: i32,
    dv: [i32; 4],
    /// Mean transfer through opposite faces over the depth, eastward and northward.
    courant: [f32; 2],
}

impl TracerOutflow {
    /// Returns the outflow of a cell; `None` if nothing leaves.
    #[expect(clippy::cast_precision_loss, reason = "a ratio")]
    fn of(tile: &Padded, cell: usize) -> Option<Self> {
        let (west, east) = (tile.transfer_x[cell], tile.transfer_x[cell + 1]);
        let (south, north) = (tile.transfer_y[cell], tile.transfer_y[cell + STRIDE]);
        let dv = [-west, east, -south, north].map(|dv| dv.max(0));
        if dv[0] | dv[1] | dv[2] | dv[3] == 0 {
            return None;
        }
        let depth = tile.depth[cell];
        // From outflow alone: another cell limits the inflow, and the neighbour tile may have that
        // limit if this one does not.
        let courant = [[dv[0], dv[1]], [dv[2], dv[3]]].map(|[back, ahead]| {
            let net = (ahead as f32 - back as f32) / depth as f32;
            maths::max(maths::min(net, 1.0), -1.0)
        });
        Some(Self { depth, dv, courant })
    }

    /// Returns the content that leaves through each face, by the rule of the module page.
    #[expect(clippy::cast_possible_truncation, reason = "below 2⁵⁶")]
    fn share_out(&self, content: i64, floor: i64, profile: &ConcentrationProfile) -> [i64; 4] {
        let depth = i64::from(self.depth);
        let [lo, hi] = profile.bounds;
        let below = content - floor * depth;
        let (mut left, mut held) = (content, depth);
        std::array::from_fn(|face| {
            let dv = i64::from(self.dv[face]);
            if dv == 0 {
                return 0;
            }
            let stays = held - dv;
            // `below` < depth < 2³¹, so the product fits; if `below` is 0 no division is needed.
            let part = if below == 0 { 0 } else { below * dv / depth };
            let wanted = floor * dv + part + self.excess(face, profile) as i64;
            let least = (lo * dv).max(left - hi * stays);
            let most = (hi * dv).min(left - lo * stays);
            debug_assert!(least <= most, "{least} … {most}: more leaves than the cell holds");
            let moved = wanted.min(most).max(least);
            (left, held) = (left - moved, stays);
            moved
        })
    }

    /// Returns the content that second order moves beyond first order: `(ĉ − c) dv`, within ±2⁵⁵.
    #[expect(clippy::cast_precision_loss, reason = "a choice within whole bounds")]
    fn excess(&self, face: usize, profile: &ConcentrationProfile) -> f32 {
        let (axis, across) = (face / 2, 1 - face / 2);
        let outward = [-1.0, 1.0][face % 2] * profile.slope[axis];
        let dv = self.dv[face] as f32;
        let along = outward * (1.0 - dv / self.depth as f32);
        let most = ONE as f32;
        let excess = 0.5 * (along - profile.slope[across] * self.courant[across]);
        maths::max(maths::min(excess, most), -most) * dv
    }
}

/// Returns the share of the content that moves with `units` of `whole` units of water: rounded
/// down, all of it with all of the water. The content that stays is then within the same whole
/// bounds.
#[must_use]
pub fn share(content: i64, units: i32, whole: i32) -> i64 {
    if units == 0 || content == 0 {
        return 0;
    }
    let (units, whole) = (i64::from(units), i64::from(whole));
    // Both products fit: a concentration is at most 2²⁴, the rest is below `whole`.
    content / whole * units + content % whole * units / whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_exact_at_the_ends_and_keep_whole_bounds_between() {
        assert_eq!(share(1000, 7, 7), 1000);
        assert_eq!(share(1000, 0, 7), 0);
        let deepest = i32::MAX;
        let full = ONE * i64::from(deepest);
        assert_eq!(share(full, deepest - 1, deepest), ONE * i64::from(deepest - 1));
        for content in [0, 1, 13, 14, 500, 699, 700] {
            for units in 0..=7 {
                let (gone, left) = (share(content, units, 7), i64::from(7 - units));
                let bounds = content / 7 * left..=(content + 6) / 7 * left;
                assert!(
                    bounds.contains(&(content - gone)),
                    "{units} of 7 took {gone} of {content}"
                );
            }
        }
    }
}
