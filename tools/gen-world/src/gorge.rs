//! A gorge for films: a mountain river over boulders, a fall of fourteen metres, a pool.
//!
//! ```text
//! west  rapids, 2 %      sill  fall   pool      riffle  east
//! ──────────────────────────────┐
//!                               │ 14 m
//!                               └╲____╱───────────────────
//! ```
//!
//! Guarantees: the same bits on every machine, as for the valley: see [`crate::noise`].
//! Limits:     a stage for pictures; no test shows that its cells drain.

use crate::noise::{Noise, ramp};

/// Columns and rows of the map; cells are one metre wide.
pub const SIZE: [usize; 2] = [640, 256];

/// Place of the sill that the river falls over, m from the west edge, and how far it falls.
const SILL_M: f64 = 380.0;
const FALL_M: f64 = 14.0;

/// The gorge of a seed.
#[derive(Debug, Clone, Copy)]
pub struct Gorge {
    course: Noise,
    rock: Noise,
    boulders: Noise,
}

impl Gorge {
    /// Makes the gorge of a seed.
    #[must_use]
    pub fn from_seed(seed: u64) -> Self {
        let noise = Noise::new(seed, 900);
        Self { course: noise.part(1), rock: noise.part(2), boulders: noise.part(3) }
    }

    /// Returns the distance of the river north of the south edge, m.
    #[must_use]
    pub fn thalweg_m(&self, x: f64) -> f64 {
        let free = self.course.at(x / 170.0, 0.3) * 46.0 + self.course.at(x / 60.0, 7.1) * 9.0;
        // Straight at the fall.
        128.0 + free * (1.0 - 0.8 * ramp((x - SILL_M).abs(), 90.0, 20.0))
    }

    /// Returns the bed of the river, m above datum.
    fn bottom_m(&self, x: f64) -> f64 {
        let rapid = 46.0 - 0.024 * x.min(SILL_M) + 0.5 * self.rock.at(x / 26.0, 3.0);
        let sill = 46.0 - 0.024 * SILL_M;
        let upper = rapid + (sill + 0.4 - rapid) * ramp(x, SILL_M - 14.0, SILL_M - 3.0);
        let lower = sill - FALL_M - 0.008 * (x - SILL_M);
        let pool =
            3.2 * ramp(x, SILL_M + 3.0, SILL_M + 9.0) * ramp(x, SILL_M + 46.0, SILL_M + 20.0);
        upper + (lower - pool - upper) * ramp(x, SILL_M, SILL_M + 3.0)
    }

    /// Returns the ground at a place, m above datum.
    #[must_use]
    pub fn bed_m(&self, x: f64, y: f64) -> f64 {
        let beside = y - self.thalweg_m(x);
        let ragged = self.rock.fractal(x, y, 34.0, 5);
        let near_fall = ramp((x - SILL_M).abs(), 70.0, 15.0);
        let in_pool = ramp(x, SILL_M + 2.0, SILL_M + 12.0) * ramp(x, SILL_M + 70.0, SILL_M + 30.0);
        let wide = 8.5 + 2.5 * self.course.at(x / 45.0, 3.7) + 7.0 * in_pool + 1.8 * ragged;
        let out = (beside.abs() - wide).max(0.0);
        let within = (beside / wide).abs().min(1.0);
        let channel = self.bottom_m(x) + 0.7 * within * within;
        // A shelf, then the wall of the gorge, then hills.
        let cliff = 10.0 + 7.0 * near_fall;
        let wall = 0.20 * out.min(7.0)
            + cliff * ramp(out + 3.0 * ragged, 6.0 - 5.0 * near_fall, 19.0 - 9.0 * near_fall)
            + 0.30 * (out - 14.0).max(0.0);
        let over = ramp(out, 0.0, 9.0);
        let level = self.bottom_m(x) + (self.plain_m(x) - self.bottom_m(x)) * over;
        let ground = channel + (level + wall + 2.2 * ragged * over - channel) * ramp(out, 0.0, 2.0);
        ground + self.boulder_m(x, y) * ramp(out, 9.0, 1.0)
    }

    /// Returns the valley's floor without its step: the walls at the fall continue from one side to
    /// the other.
    fn plain_m(&self, x: f64) -> f64 {
        let lower = 46.0 - 0.024 * SILL_M - FALL_M - 0.008 * (x - SILL_M);
        let upper = 46.0 - 0.024 * x.min(SILL_M);
        upper + (lower - upper) * ramp(x, SILL_M - 2.0, SILL_M + 16.0)
    }

    /// Returns the height of boulders above the bed, m.
    fn boulder_m(&self, x: f64, y: f64) -> f64 {
        let is_rapid = ramp(x, 40.0, 90.0) * ramp(x, SILL_M - 24.0, SILL_M - 50.0);
        let is_riffle = ramp(x, SILL_M + 55.0, SILL_M + 80.0);
        let many = is_rapid.max(0.8 * is_riffle);
        let large = (self.boulders.at(x / 7.0, y / 7.0) - 0.26).max(0.0) * 5.2;
        let small = (self.boulders.at(x / 3.4 + 90.0, y / 3.4) - 0.24).max(0.0) * 2.2;
        many * (large.min(2.0) + small.min(0.8))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_river_falls_and_has_walls() {
        let gorge = Gorge::from_seed(7);
        let river = |x: f64| gorge.bed_m(x, gorge.thalweg_m(x));
        assert!(river(SILL_M - 2.0) - river(SILL_M + 8.0) > FALL_M);
        for x in [120.0, 300.0, 500.0] {
            let bank = gorge.bed_m(x, gorge.thalweg_m(x) + 45.0);
            assert!(bank - river(x) > 8.0, "at {x}: {bank} over {}", river(x));
        }
    }
}
