//! Ground and worlds for the tests: seeded, and the same on every machine.

#[path = "../common/mod.rs"]
mod common;

pub use common::on_threads;
use std::path::PathBuf;
use thalweg::terrain::{Terrain, TerrainBuilder, TerrainOptions};
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
    let mut builder = TerrainBuilder::try_new(options).expect("good options");
    for row in (0..height).rev() {
        let heights: Vec<f64> = (0..width).map(|x| bed_m(x, row)).collect();
        builder.push_row(&heights).expect("good heights");
    }
    builder.finish().expect("some ground")
}

/// Vertical units of 2^−`k` m above `datum_m`.
pub fn scale(k: u8, datum_m: f64) -> VerticalScale {
    VerticalScale::try_new(k, datum_m).expect("a good scale")
}

/// A file that is gone with the test.
pub struct TempFile(pub PathBuf);

impl TempFile {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("thalweg-{name}-{}", std::process::id()));
        let file = Self(path);
        let _ = std::fs::remove_file(&file.0);
        file
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
