//! Transfers through faces: the one place where water is rounded.
//!
//! ```text
//! x                                         what the method wants to move, vertical units
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
//! Source:     own; the constants of the row key are the constants of SplitMix64 (Steele et al.
//!             2014).

use crate::flow::method::Method;
use crate::flow::params::StepParams;
use crate::flow::wrap::{add, sub};
use crate::grid::Axis;
use crate::tile::interface_faces::{InterfaceFaces, TransferBounds};
use crate::tile::padded::{
    BLOCK, FIRST, Padded, PaddedPlane, STRIDE, column_of, index, part, part_mut,
};
use crate::tile::water_reach::RowBlocks;
use crate::units::hash::scramble;
use crate::units::{CEILING, maths};

/// Source of the draws of one tile-step: all that is constant in it, folded once.
#[derive(Debug, Clone, Copy)]
pub struct Dither {
    key_x: u64,
    key_y: u64,
    key_ground: u64,
    west: u32,
    south: u32,
}

impl Dither {
    /// Returns the draws of a tile whose south-west cell is (`west`, `south`) of `level`, for the
    /// step that starts at `tick`.
    #[must_use]
    pub fn new(seed: u64, level: u8, west: u32, south: u32, tick: u64) -> Self {
        let key = |purpose| key(seed, purpose, level, tick);
        Self { key_x: key(0), key_y: key(1), key_ground: key(2), west, south }
    }

    /// Returns the keys of the draws of west faces, of south faces and of the ground, from which
    /// the keys of rows follow.
    #[must_use]
    pub fn keys(&self) -> [u64; 3] {
        [self.key_x, self.key_y, self.key_ground]
    }

    /// Rounds the transfer of the single face in tile column `column` and tile row `row`, `x`
    /// vertical units, with the draw of its place.
    #[must_use]
    pub fn round_face(&self, axis: Axis, column: i32, row: i32, x: f32) -> i32 {
        let key = match axis {
            Axis::X => self.key_x,
            Axis::Y => self.key_y,
        };
        self.round(key, column, row, x)
    }

    /// Rounds the infiltration of a cell, `x` vertical units, with a draw of its own.
    #[inline(always)]
    #[must_use]
    pub fn round_ground(&self, column: i32, row: i32, x: f32) -> i32 {
        self.round(self.key_ground, column, row, x)
    }

    #[inline(always)]
    #[expect(clippy::cast_sign_loss, reason = "wraps on purpose")]
    fn round(&self, key: u64, column: i32, row: i32, x: f32) -> i32 {
        let place = self.west.wrapping_add(column as u32);
        round_unbiased(bounded(x), draw(place, self.row(key, row)))
    }

    #[inline(always)]
    #[expect(clippy::cast_sign_loss, reason = "wraps on purpose")]
    fn row(&self, key: u64, row: i32) -> (u32, u32) {
        row_key(key, self.south.wrapping_add(row as u32))
    }
}

/// Returns the key of a row of places, `y` of the world: draws along it need only the low-cost
/// rounds of [`draw`].
#[inline(always)]
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "low half, then high half")]
pub fn row_key(key: u64, y: u32) -> (u32, u32) {
    let mixed = scramble(key.wrapping_add(u64::from(y).wrapping_mul(0x9e37_79b9_7f4a_7c15)));
    (mixed as u32, (mixed >> 32) as u32)
}

/// Rounds the transfer of link `number` in the step that starts at `tick`, `x` units, with a draw
/// of its own.
#[must_use]
pub fn round_link(seed: u64, number: u32, tick: u64, x: f32) -> i32 {
    let key = key(seed, 3, 0, tick);
    let dither = Dither { key_x: key, key_y: key, key_ground: key, west: 0, south: 0 };
    dither.round(key, 0, number.cast_signed(), x)
}

/// Returns the key of the draws of one purpose on a level in the step that starts at `tick`.
fn key(seed: u64, purpose: u64, level: u8, tick: u64) -> u64 {
    // A level is below 2⁸, so each purpose on each level has its own word. Purposes: 0 west faces,
    // 1 south faces, 2 the ground, 3 links.
    let place = scramble(seed ^ scramble((purpose << 8) | u64::from(level)));
    scramble(place ^ tick)
}

/// Returns a draw in [0, 1), a multiple of 2⁻²⁴. Shifts, adds and exclusive ors only: the baseline
/// instruction set has no 32-bit product of vectors.
#[inline(always)]
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "24 bits fit an f32")]
pub fn draw(x: u32, key: (u32, u32)) -> f32 {
    let mut h = x ^ key.0;
    h = h.wrapping_add(h << 12);
    h ^= h >> 22;
    h = h.wrapping_add(h << 4);
    h ^= h >> 9;
    h = h.wrapping_add(key.1);
    h = h.wrapping_add(h << 10);
    h ^= h >> 7;
    h = h.wrapping_add(h << 13);
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
    // From 2²² on the finest steps of an `f32` are halves: r = ½ cuts them, 1.2·10⁻⁷ of x at most.
    let r = if x.abs() < 4_194_304.0 { r } else { 0.5 };
    add(floor, i32::from(r < fraction))
}

/// Computes the transfers of one row of faces from the transfers that its method proposes.
///
/// | argument | shape | location | unit | |
/// | --- | --- | --- | --- | --- |
/// | `tile.flow_x`, `.flow_y` | padded | face | of the method | in; cut with its transfer |
/// | `tile.bed`, `.depth` | padded | cell | vertical units | in |
/// | `tile.transfer_x`, `.transfer_y` | padded | face | vertical units | out |
#[inline(always)]
pub fn transfer_row<M: Method>(
    tile: &mut Padded,
    axis: Axis,
    (row, reach): (i32, RowBlocks),
    params: &StepParams,
    dither: &Dither,
    interfaces: Option<&InterfaceFaces>,
) {
    let key = match axis {
        Axis::X => dither.row(dither.key_x, row),
        Axis::Y => dither.row(dither.key_y, row),
    };
    let draws = (dither.west, key);
    let (transfer, flow) = match axis {
        Axis::X => (&mut tile.transfer_x, &mut tile.flow_x),
        Axis::Y => (&mut tile.transfer_y, &mut tile.flow_y),
    };
    if reach.padded.is_empty() {
        *part_mut(transfer, FIRST, row) = [0; STRIDE];
        *part_mut(flow, FIRST, row) = [0.0; STRIDE];
        return;
    }
    for block in reach.dry().padded {
        *part_mut(transfer, column_of(block), row) = [0; BLOCK];
        // Clears the discharge that a sink left behind when it took the water.
        *part_mut(flow, column_of(block), row) = [0.0; BLOCK];
    }
    for block in reach.padded {
        transfer_block::<M>(tile, axis, (column_of(block), row), params, draws);
    }
    if let Some(interfaces) = interfaces {
        let bounds = match axis {
            Axis::X => &interfaces.x,
            Axis::Y => &interfaces.y,
        };
        let (flow, transfer) = match axis {
            Axis::X => (&mut tile.flow_x, &mut tile.transfer_x),
            Axis::Y => (&mut tile.flow_y, &mut tile.transfer_y),
        };
        bound_row::<M>(bounds, row, transfer, flow);
    }
}

/// Computes the transfers of a block of faces, with the west of the tile and the key of the row's
/// draws.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "wraps on purpose")]
fn transfer_block<M: Method>(
    tile: &mut Padded,
    axis: Axis,
    (column, row): (i32, i32),
    params: &StepParams,
    (west, key): (u32, (u32, u32)),
) {
    let mut proposals = [0.0; BLOCK];
    M::propose(tile, axis, (column, row), params, &mut proposals);
    let before = match axis {
        Axis::X => (column - 1, row),
        Axis::Y => (column, row - 1),
    };
    let (flow, transfer) = match axis {
        Axis::X => (&mut tile.flow_x, &mut tile.transfer_x),
        Axis::Y => (&mut tile.flow_y, &mut tile.transfer_y),
    };
    let flow: &mut [f32; BLOCK] = part_mut(flow, column, row);
    let bed_l: &[i32; BLOCK] = part(&tile.bed, before.0, before.1);
    let depth_l: &[i32; BLOCK] = part(&tile.depth, before.0, before.1);
    let bed_r: &[i32; BLOCK] = part(&tile.bed, column, row);
    let depth_r: &[i32; BLOCK] = part(&tile.depth, column, row);
    let columns = &tile.columns;
    let stage_l: &[i32; BLOCK] = part(&columns.stage, before.0, before.1);
    let stage_r: &[i32; BLOCK] = part(&columns.stage, column, row);
    let slope_l: &[f32; BLOCK] = part(&columns.slope, before.0, before.1);
    let slope_r: &[f32; BLOCK] = part(&columns.slope, column, row);
    let sills: &[i32; BLOCK] = part(&columns.sill[axis], column, row);
    let first = west.wrapping_add(column as u32);
    let (mut any_cut, mut moves) = (0, [0; BLOCK]);
    for i in 0..BLOCK {
        // Discharge that a sink left behind when it took the water on both sides.
        let stray = if depth_l[i] | depth_r[i] == 0 { flow[i].to_bits().cast_signed() } else { 0 };
        let wanted = wanted_transfer(proposals[i], first.wrapping_add(i as u32), key);
        let (eastward, westward) = if M::COLUMNS {
            let (eta_l, eta_r, sill) = (stage_l[i], stage_r[i], sills[i]);
            // Four faces share the room, and stages may rise 2^`octaves` times as fast as depths.
            let room = |eta: i32, slope: f32| sub(CEILING, eta) >> (2 + octaves(slope));
            // Stages are rounded: a dry one may be a unit above its sill.
            let above = |eta, depth| if depth > 0 { sub(eta, sill).max(0) } else { 0 };
            let eastward = above(eta_l, depth_l[i]).min(room(eta_r, slope_r[i]));
            (eastward, above(eta_r, depth_r[i]).min(room(eta_l, slope_l[i])))
        } else {
            let (eta_l, eta_r) = (add(bed_l[i], depth_l[i]), add(bed_r[i], depth_r[i]));
            let sill = bed_l[i].max(bed_r[i]);
            // A quarter of the room, as water may come over all four faces at once.
            let eastward = sub(eta_l, sill).max(0).min(sub(CEILING, eta_r) >> 2);
            (eastward, sub(eta_r, sill).max(0).min(sub(CEILING, eta_l) >> 2))
        };
        let moved = wanted.min(eastward).max(sub(0, westward));
        any_cut |= (wanted ^ moved) | stray;
        moves[i] = moved;
    }
    *part_mut(transfer, column, row) = moves;
    if M::CUTS_DISCHARGES && any_cut != 0 {
        let mut cut = [0.0; BLOCK];
        for i in 0..BLOCK {
            let wanted = wanted_transfer(proposals[i], first.wrapping_add(i as u32), key);
            let is_wet = depth_l[i] | depth_r[i] != 0;
            cut[i] = if is_wet { scaled(flow[i], wanted, moves[i]) } else { 0.0 };
        }
        *flow = cut;
    }
}

/// Returns the smallest power of two above a slope, as its exponent: at most 28. The clamp at 0 is
/// needed: a shift that might fail kept the whole row of transfers scalar.
#[inline(always)]
fn octaves(slope: f32) -> i32 {
    if slope > 1.0 { ((slope.to_bits() >> 23).cast_signed() - 126).clamp(0, 28) } else { 0 }
}

/// Bounds the transfers of a row of faces. The discharge of a face whose transfer is given is left
/// to the owner of the face.
#[cold]
#[inline(never)]
fn bound_row<M: Method>(
    bounds: &TransferBounds,
    row: i32,
    transfer: &mut PaddedPlane<i32>,
    flow: &mut PaddedPlane<f32>,
) {
    for face in bounds.bounded(index(0, row) / STRIDE) {
        let wanted = transfer[face];
        let moved = wanted.max(bounds.low[face]).min(bounds.high[face]);
        transfer[face] = moved;
        if M::CUTS_DISCHARGES && !bounds.is_given(face) {
            flow[face] = scaled(flow[face], wanted, moved);
        }
    }
}

/// Returns the rounded transfer of a face that proposes to move `x` vertical units.
#[inline(always)]
#[must_use]
pub fn wanted_transfer(x: f32, place: u32, key: (u32, u32)) -> i32 {
    round_unbiased(bounded(x), draw(place, key))
}

/// Returns `x` within ±2³⁰; a NaN becomes a bound.
#[inline(always)]
fn bounded(x: f32) -> f32 {
    const LARGEST: f32 = 1_073_741_824.0;
    maths::max(maths::min(x, LARGEST), -LARGEST)
}

/// Returns the discharge `q` of a face whose transfer was cut from `wanted` to `moved`.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::params::StepInput;
    use crate::flow::pipe::FlatPipe;
    use crate::flow::terms::Terms;
    use crate::tile::water_reach::WaterReach;
    use crate::units::hash::StateHasher;

    /// The hash is part of the promise of equal bits: 10⁶ draws, pinned down.
    #[test]
    fn draws_have_their_digest() {
        let mut hash = StateHasher::new();
        let mut sum = 0.0;
        for tick in 0..4 {
            let dither = Dither::new(42, 1, 4096, u32::MAX - 100, tick << 20);
            for (axis, row) in (0..250).flat_map(|row| [(dither.key_x, row), (dither.key_y, row)]) {
                let key = dither.row(axis, row);
                for x in 0..500 {
                    let r = draw(x, key);
                    assert!((0.0..1.0).contains(&r), "draw {r}");
                    hash.add(u64::from(r.to_bits()));
                    sum += f64::from(r);
                }
            }
        }
        assert!((sum / 1.0e6 - 0.5).abs() < 1.0e-3, "mean {}", sum / 1.0e6);
        assert_eq!(hash.finish(), DRAWS, "{:#x}", hash.finish());
    }
    const DRAWS: u64 = 0x9481_3e5f_c2fe_d05e;

    /// Draws beside each other, above each other and after each other are independent.
    #[test]
    fn draws_are_uncorrelated() {
        let at = |x: u32, y: i32, tick| {
            let dither = Dither::new(7, 0, 0, 0, tick);
            f64::from(draw(x, dither.row(dither.key_x, y))) - 0.5
        };
        for (dx, dy, dt) in [(1, 0, 0), (2, 0, 0), (64, 0, 0), (0, 1, 0), (1, 1, 0), (0, 0, 1)] {
            let mut sum = 0.0;
            for y in 0..200 {
                for x in 0..200 {
                    sum += at(x, y, 5) * at(x + dx, y + dy, 5 + dt);
                }
            }
            let correlation = sum / 40_000.0 * 12.0;
            assert!(correlation.abs() < 0.02, "({dx}, {dy}, {dt}): {correlation}");
        }
    }

    #[test]
    fn rounds_without_bias() {
        for x in [0.25_f32, -0.25, 3.7, -1000.3, 1.0e-3, 262_144.6, -3.0] {
            let dither = Dither::new(1, 0, 0, 0, 9);
            let mut sum = 0;
            for (column, row) in (0..500).flat_map(|y| (0..500).map(move |x| (x, y))) {
                let moved = dither.round_face(Axis::X, column, row, x);
                assert!((moved as f32 - x).abs() < 1.0, "{x} became {moved}");
                sum += i64::from(moved);
            }
            let mean = sum as f64 / 250_000.0;
            assert!((mean - f64::from(x)).abs() < 4.0e-3, "{x}: mean {mean}");
        }
    }

    #[test]
    fn bounds_and_bad_numbers_stay_integers() {
        let dither = Dither::new(1, 0, 0, 0, 9);
        let round = |x| dither.round_face(Axis::Y, 3, 4, x);
        assert_eq!(round(0.0), 0);
        assert_eq!(round(5.0e6 + 0.5), 5_000_000);
        assert_eq!((round(f32::INFINITY), round(-f32::INFINITY)), (1 << 30, -(1 << 30)));
        assert_eq!(round(f32::NAN), 1 << 30);
    }

    #[test]
    fn a_transfer_takes_what_stands_above_the_sill_and_fits_below_the_ceiling() {
        let input = StepInput {
            dt_s: 1.0,
            cell_width_m: 1.0,
            unit_m: 1.0e-3,
            gravity: 9.81,
            damping: false,
            terms: Terms::NONE,
        };
        let params = StepParams::new(&input);
        let moved = |bed: [i32; 2], depth: [i32; 2], q: f32| {
            let mut tile = Padded::new();
            let west = crate::tile::padded::index(9, 5);
            tile.bed[west..west + 2].copy_from_slice(&bed);
            tile.depth[west..west + 2].copy_from_slice(&depth);
            tile.flow_x[west + 1] = q;
            transfer_row::<FlatPipe>(
                &mut tile,
                Axis::X,
                (5, WaterReach::EVERYWHERE.row(5)),
                &params,
                &Dither::new(1, 0, 0, 0, 1),
                None,
            );
            (tile.transfer_x[west + 1], tile.flow_x[west + 1])
        };
        assert_eq!(moved([0, 0], [5000, 0], 2.0), (2000, 2.0));
        assert_eq!(moved([0, 0], [500, 0], 2.0), (500, 0.5));
        assert_eq!(moved([0, 400], [500, 0], 2.0), (100, 0.1));
        assert_eq!(moved([400, 0], [0, 500], -2.0), (-100, -0.1));
        assert_eq!(moved([0, 900], [500, 0], 2.0), (0, 0.0));
        assert_eq!(moved([CEILING - 900, CEILING - 800], [900, 400], 2.0), (100, 0.1));
    }
}
