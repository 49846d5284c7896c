//! Transfers through faces: the one place where water is rounded.
//!
//! ```text
//! x  = q Δt / Δ / unit                      what the discharge moves, vertical units
//! dv = ⌊x⌋ + [r < x − ⌊x⌋]                  rounded without bias, r uniform in [0, 1)
//! dv ≤ η_donor − max(z_l, z_r)              only what stands above the face's higher bed
//! dv ≤ (ceiling − η_receiver) / 4           a cell near the ceiling takes no more
//! ```
//!
//! r is a 24-bit hash of (seed, axis, level, x, y, tick) of the face's place in the world, so both
//! tiles at an edge compute the same integer. `|x| ≥ 2²²` takes r = ½.
//!
//! Guarantees: no discharge, no transfer; the mean of many draws is x (`rounds_without_bias`); the
//!             hash is fixed bit for bit (`draws_have_their_digest`).
//! Limits:     the four transfers of one cell together may still exceed its depth: see
//!             [`limiter`](super::limiter).
//! Source:     own; the constants of the row key are those of SplitMix64 (Steele et al. 2014).

use crate::flow::wrap::add;
use crate::flow::wrap::sub;
use crate::tile::padded::Padded;
use crate::tile::padded::span;
use crate::units::CEILING;
use crate::units::hash::scramble;
use crate::units::maths;

/// Which way a face looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// A west face: water crosses it eastward or westward.
    X,
    /// A south face: water crosses it northward or southward.
    Y,
}

/// Where the draws of one tile-step come from: all that is constant in it, folded once.
#[derive(Debug, Clone, Copy)]
pub struct Dither {
    key_x: u64,
    key_y: u64,
    key_ground: u64,
    west: u32,
    south: u32,
}

impl Dither {
    /// The draws of a tile whose south-west cell is (`west`, `south`) of `level`, for the step that
    /// starts at `tick`.
    #[must_use]
    pub fn new(seed: u64, level: u8, west: u32, south: u32, tick: u64) -> Self {
        let key = |purpose: u64| {
            let place = scramble(seed ^ scramble((purpose << 8) | u64::from(level)));
            scramble(place ^ tick)
        };
        Self { key_x: key(0), key_y: key(1), key_ground: key(2), west, south }
    }

    /// Rounds what the single face in tile column `column` and tile row `row` moves, `x` vertical
    /// units, with the draw of its place.
    #[must_use]
    pub fn round_face(&self, axis: Axis, column: i32, row: i32, x: f32) -> i32 {
        let key = match axis {
            Axis::X => self.key_x,
            Axis::Y => self.key_y,
        };
        self.round(key, column, row, x)
    }

    /// Rounds what the ground of a cell takes, `x` vertical units, with a draw of its own.
    #[must_use]
    pub fn round_ground(&self, column: i32, row: i32, x: f32) -> i32 {
        self.round(self.key_ground, column, row, x)
    }

    #[expect(clippy::cast_sign_loss, reason = "wraps on purpose")]
    fn round(&self, key: u64, column: i32, row: i32, x: f32) -> i32 {
        let place = self.west.wrapping_add(column as u32);
        round_unbiased(bounded(x), draw(place, self.row(key, row)))
    }

    /// Key of a row of places: draws along it need only the low-cost rounds of [`draw`].
    #[inline(always)]
    #[expect(clippy::cast_sign_loss, clippy::cast_possible_truncation, reason = "wraps on purpose")]
    fn row(&self, key: u64, row: i32) -> (u32, u32) {
        let y = self.south.wrapping_add(row as u32);
        let mixed = scramble(key.wrapping_add(u64::from(y).wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        (mixed as u32, (mixed >> 32) as u32)
    }
}

/// A draw in [0, 1), a multiple of 2⁻²⁴. Shifts, adds and exclusive ors only: the baseline
/// instruction set has no 32-bit product of vectors.
#[inline(always)]
#[expect(clippy::cast_precision_loss, reason = "24 bits fit an f32")]
fn draw(x: u32, key: (u32, u32)) -> f32 {
    let mut h = (x ^ key.0).wrapping_add((x ^ key.0) << 10);
    h ^= h >> 6;
    h = h.wrapping_add(key.1);
    h = h.wrapping_add(h << 3);
    h ^= h >> 11;
    h = h.wrapping_add(h << 15);
    h ^= h >> 17;
    (h >> 8).cast_signed() as f32 * (1.0 / 16_777_216.0)
}

/// Rounds `x`, |x| ≤ 2³⁰, down or up so that the mean over `r` is `x`.
#[inline(always)]
#[expect(clippy::cast_precision_loss, reason = "|x| ≤ 2³⁰")]
fn round_unbiased(x: f32, r: f32) -> i32 {
    // Measured on the whole step with AVX-512: 225 Mcells/s with `as`, 310 with this.
    // SAFETY: both callers pass `bounded(…)`: within ±2³⁰ and no NaN.
    let toward_zero = unsafe { x.to_int_unchecked::<i32>() };
    let floor = sub(toward_zero, i32::from(toward_zero as f32 > x));
    let fraction = x - floor as f32;
    let r = if x.abs() < 4_194_304.0 { r } else { 0.5 };
    add(floor, i32::from(r < fraction))
}

/// Computes the transfers of one row of faces from their discharges.
///
/// | argument | shape | location | unit | |
/// | --- | --- | --- | --- | --- |
/// | `tile.flow_x`, `.flow_y` | padded | face | m²/s | in; scaled where its transfer was cut |
/// | `tile.bed`, `.depth` | padded | cell | vertical units | in |
/// | `tile.transfer_x`, `.transfer_y` | padded | face | vertical units | out, columns −1 … 65 |
/// | `units_per_flow` | | | units/(m²/s) | Δt/Δ/unit |
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "68 columns")]
pub fn transfer_row(tile: &mut Padded, axis: Axis, row: i32, units_per_flow: f32, dither: &Dither) {
    let (from, to) = (-1, 67);
    let here = span(row, from, to);
    let before = match axis {
        Axis::X => span(row, from - 1, to - 1),
        Axis::Y => span(row - 1, from, to),
    };
    let (flow, transfer) = match axis {
        Axis::X => (&mut tile.flow_x, &mut tile.transfer_x),
        Axis::Y => (&mut tile.flow_y, &mut tile.transfer_y),
    };
    let flow = &mut flow[here.clone()];
    let transfer = &mut transfer[here.clone()];
    let (bed_l, depth_l) = (&tile.bed[before.clone()], &tile.depth[before]);
    let (bed_r, depth_r) = (&tile.bed[here.clone()], &tile.depth[here]);
    let key = match axis {
        Axis::X => dither.row(dither.key_x, row),
        Axis::Y => dither.row(dither.key_y, row),
    };
    let first = dither.west.wrapping_sub(1);

    let count = flow.len();
    assert!(transfer.len() == count && bed_l.len() == count && depth_l.len() == count);
    assert!(bed_r.len() == count && depth_r.len() == count);
    let mut any_cut = 0;
    for i in 0..count {
        let wanted = wanted_transfer(flow[i], units_per_flow, first.wrapping_add(i as u32), key);
        let (eta_l, eta_r) = (add(bed_l[i], depth_l[i]), add(bed_r[i], depth_r[i]));
        let sill = bed_l[i].max(bed_r[i]);
        let eastward = sub(eta_l, sill).max(0).min(sub(CEILING, eta_r) >> 2);
        let westward = sub(eta_r, sill).max(0).min(sub(CEILING, eta_l) >> 2);
        let moved = wanted.min(eastward).max(sub(0, westward));
        any_cut |= wanted ^ moved;
        transfer[i] = moved;
    }
    if any_cut != 0 {
        for i in 0..count {
            let x = first.wrapping_add(i as u32);
            let wanted = wanted_transfer(flow[i], units_per_flow, x, key);
            flow[i] = scaled(flow[i], wanted, transfer[i]);
        }
    }
}

/// The rounded transfer that the discharge `q` asks for.
#[inline(always)]
fn wanted_transfer(q: f32, units_per_flow: f32, x: u32, key: (u32, u32)) -> i32 {
    round_unbiased(bounded(q * units_per_flow), draw(x, key))
}

/// `x` within ±2³⁰; a NaN becomes a bound.
#[inline(always)]
fn bounded(x: f32) -> f32 {
    const LARGEST: f32 = 1_073_741_824.0;
    maths::max(maths::min(x, LARGEST), -LARGEST)
}

/// The discharge `q` of a face whose transfer was cut from `wanted` to `moved`.
#[inline(always)]
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "the ratio needs no more than f32 holds")]
pub fn scaled(q: f32, wanted: i32, moved: i32) -> f32 {
    if moved == wanted {
        q
    } else if moved == 0 {
        0.0
    } else {
        q * (moved as f32 / wanted as f32)
    }
}
