//! Ground and worlds for the tests: seeded, and the same on every machine.

#[path = "../common/mod.rs"]
mod common;

use common::ground::terrain_of;
pub use common::memory::{in_memory, terrain_in_memory};
pub use common::{TempFile, from_disk, moved, on_threads, reloaded, seconds};
use thalweg::terrain::{Terrain, TerrainOptions};
use thalweg::units::VerticalScale;
use thalweg_engine::units::hash::scramble;

/// Repetitions: all of them, or fewer of a quick run.
pub fn shrunk(full: u64, quick: u64) -> u64 {
    if crate::QUICK { quick } else { full }
}

/// Numbers of threads to compare, from one on.
pub const THREADS: &[usize] = if crate::QUICK { &[1, 7] } else { &[1, 2, 7] };

/// A number in [0, 1) for a seed and a place.
pub fn noise(seed: u64, x: i64, y: i64) -> f64 {
    let place = scramble(x.cast_unsigned()) ^ y.cast_unsigned().rotate_left(32);
    (scramble(seed ^ scramble(place)) >> 11) as f64 / 9_007_199_254_740_992.0
}

/// Value noise over five octaves, in [0, 1): hills, hollows and islands.
pub fn fractal(seed: u64, x: f64, y: f64) -> f64 {
    let (mut sum, mut weight, mut span) = (0.0, 0.5, 64.0);
    for octave in 0..5 {
        let (gx, gy) = (x / span, y / span);
        let (fx, fy) = (gx - gx.floor(), gy - gy.floor());
        #[expect(clippy::cast_possible_truncation, reason = "places of a test")]
        let at = |dx: i64, dy: i64| noise(seed + octave, gx as i64 + dx, gy as i64 + dy);
        let south = at(0, 0) * (1.0 - fx) + at(1, 0) * fx;
        let north = at(0, 1) * (1.0 - fx) + at(1, 1) * fx;
        sum += weight * (south * (1.0 - fy) + north * fy);
        (weight, span) = (weight * 0.5, span * 0.5);
    }
    sum
}

/// A terrain from heights by column and row from the south; NaN is NoData.
pub fn terrain(
    width: usize,
    height: usize,
    cell_width_m: f64,
    scale: VerticalScale,
    bed_m: impl Fn(usize, usize) -> f64,
) -> Terrain {
    let bed_exponent = 24;
    let options = TerrainOptions { width, height, cell_width_m, scale, bed_exponent };
    terrain_of(options, bed_m)
}

/// Vertical units of 2^−`k` m above `datum_m`.
pub fn scale(k: u8, datum_m: f64) -> VerticalScale {
    VerticalScale::try_new(k, datum_m).expect("a good scale")
}
