//! Puffs of spray and mist, thrown by the emitters of the library.
//!
//! An emitter throws puffs one after another, each in an arc and fading. Everything follows from
//! its numbers and the time: nothing is kept from frame to frame.
//!
//! Limits: the puffs are not sorted, and do not drift with the wind.

use super::pipelines::PuffNumbers;
use thalweg::looks::{Emitter, EmitterKind};

/// Largest number of puffs of a frame.
pub const PUFFS_MAX: usize = 6000;

const GRAVITY: f32 = 9.81;

/// Returns the puffs of emitters at a moment, for cells `cell_m` wide.
pub fn puffs(emitters: &[Emitter], cell_m: f32, at_s: f32) -> Vec<PuffNumbers> {
    // If they are too many, only every second or third one throws.
    let step = (5 * emitters.len()).div_ceil(PUFFS_MAX).max(1);
    let mut puffs = Vec::new();
    for emitter in emitters.iter().step_by(step) {
        let count = if emitter.kind == EmitterKind::Fall { 7 } else { 4 };
        puffs.extend((0..count).map(|which| puff(emitter, cell_m, (which, at_s))));
    }
    puffs.truncate(PUFFS_MAX);
    puffs
}

/// Returns a number from 0 to 1 that is constant for an emitter.
fn chance(seed: u32, which: u32) -> f32 {
    let mut bits = seed ^ which << 13;
    for _ in 0..2 {
        bits = (bits ^ (bits >> 15)).wrapping_mul(0x2c1b_3c6d);
    }
    #[expect(clippy::cast_precision_loss, reason = "0 to 1")]
    let part = (bits >> 8) as f32 / 16_777_216.0;
    part
}

/// Returns one puff of an emitter: thrown up, moved by half of the water's velocity, growing.
fn puff(emitter: &Emitter, cell_m: f32, (which, at_s): (u32, f32)) -> PuffNumbers {
    let lasts_s = 2.0 * (2.0 * emitter.rise_m.max(0.2) / GRAVITY).sqrt() + 0.9;
    let run = at_s / lasts_s + chance(emitter.seed, 4 * which);
    let part = run.fract();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
    let turn = run as u32;
    let chance = |step: u32| chance(emitter.seed, 4 * which + step + 64 * (turn % 4096));
    let rise = emitter.rise_m * (0.5 + chance(1)) * 4.0 * part * (1.0 - 0.75 * part);
    let at = [0, 1].map(|axis| {
        let aside = (chance(2 + u32::from(axis == 1)) - 0.5) * cell_m;
        emitter.place_m[axis] + aside + 0.5 * emitter.velocity_m_s[axis] * part * lasts_s
    });
    let size = (0.35 + 0.4 * emitter.rise_m) * (0.5 + 1.3 * part);
    let most = if emitter.kind == EmitterKind::Fall { 0.45 } else { 0.9 };
    let hidden = emitter.amount * most * (1.0 - part) * (6.0 * part).min(1.0);
    PuffNumbers {
        place: [at[0], at[1], emitter.elevation_m + rise],
        size,
        kind: [hidden, chance(1) * 7.0],
    }
}
