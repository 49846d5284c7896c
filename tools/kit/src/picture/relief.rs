//! Relief shading of the bed: how bright each cell is under a low sun in the north-west.
//!
//! ```text
//! brightness = floor + gain · Σ weight · max(0, n · light),   n ∝ (−s ∂z/∂x, −s ∂z/∂y, 1)
//! ```
//!
//! Three suns show slopes that a single one hides; slopes are exaggerated by s so that plains and
//! mountains are both readable.
//!
//! Guarantees: brightness is in 0…1, and NaN exactly where the bed is NaN.
//! Source:     gradient by Horn (1981), Proc. IEEE 69; several suns after Mark (1992), USGS 92-422.

use std::f64::consts::FRAC_1_SQRT_2;

/// Brightness without any light, and the brightness that full light adds.
const FLOOR: f64 = 0.38;
const GAIN: f64 = 0.62;

/// Suns: bearing of the light (east, north), each 45° high, and weight.
const SUNS: [(f64, f64, f64); 3] =
    [(-FRAC_1_SQRT_2, FRAC_1_SQRT_2, 0.6), (-1.0, 0.0, 0.2), (0.0, 1.0, 0.2)];

/// Slope that a fifth of the cells exceed, after exaggeration.
const STEEP: f64 = 0.45;
/// Largest exaggeration: beyond it the noise of a survey would look like land.
const EXAGGERATION_MAX: f64 = 40.0;

/// Brightness of each cell, 0…1, on a row-major plane; NaN outside the world.
#[derive(Debug, Clone, PartialEq)]
pub struct ReliefShading {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Brightness, northernmost row first.
    pub brightness: Vec<f32>,
}

impl ReliefShading {
    /// Shades `bed_m` (`width * height`, northernmost row first, NaN outside) with cells of
    /// `cell_m` metres, after reducing it to means over blocks of `factor × factor` cells.
    #[must_use]
    pub fn new(bed_m: &[f32], width: usize, height: usize, cell_m: f64, factor: usize) -> Self {
        let bed = Bed::reduced(bed_m, width, height, factor);
        #[expect(clippy::cast_precision_loss, reason = "a factor of a few tens")]
        let slopes = bed.slopes(cell_m * factor as f64);
        let exaggeration = exaggeration(&slopes);
        let brightness = slopes
            .iter()
            .map(|&(east, north)| lit(exaggeration * east, exaggeration * north))
            .collect();
        Self { width: bed.width, height: bed.height, brightness }
    }

    /// Returns the brightness between cell centres, `x` and `y` in cells from the outer north-west
    /// corner; NaN if the cell that contains the point is outside.
    #[must_use]
    pub fn at(&self, x: f64, y: f64) -> f32 {
        let (column, row) = (cell(x, self.width), cell(y, self.height));
        let here = self.brightness[row * self.width + column];
        let (west, east, dx) = between(x, self.width);
        let (north, south, dy) = between(y, self.height);
        let value = |column: usize, row: usize| {
            let there = self.brightness[row * self.width + column];
            f64::from(if there.is_nan() { here } else { there })
        };
        let top = value(west, north) * (1.0 - dx) + value(east, north) * dx;
        let bottom = value(west, south) * (1.0 - dx) + value(east, south) * dx;
        narrow(top * (1.0 - dy) + bottom * dy)
    }
}

/// The bed, reduced.
struct Bed {
    width: usize,
    height: usize,
    height_m: Vec<f64>,
}

impl Bed {
    /// Returns means over blocks of `factor × factor` cells; NaN if all of a block is NaN.
    fn reduced(bed_m: &[f32], width: usize, height: usize, factor: usize) -> Self {
        let (reduced_width, reduced_height) = (width.div_ceil(factor), height.div_ceil(factor));
        let mut sums = vec![(0.0_f64, 0.0_f64); reduced_width * reduced_height];
        for (y, row) in bed_m.chunks(width.max(1)).enumerate() {
            for (x, &bed) in row.iter().enumerate() {
                if !bed.is_nan() {
                    let (sum, count) = &mut sums[y / factor * reduced_width + x / factor];
                    *sum += f64::from(bed);
                    *count += 1.0;
                }
            }
        }
        Self {
            width: reduced_width,
            height: reduced_height,
            height_m: sums.iter().map(|(sum, count)| sum / count).collect(),
        }
    }

    /// Returns the rise per metre (towards east, towards north) of every cell, by Horn's 3 × 3
    /// weights; cells outside count as level with the centre.
    fn slopes(&self, cell_m: f64) -> Vec<(f64, f64)> {
        let mut slopes = Vec::with_capacity(self.height_m.len());
        for y in 0..self.height {
            for x in 0..self.width {
                let centre = self.height_m[y * self.width + x];
                let at = |dx: isize, dy: isize| {
                    let column = x.saturating_add_signed(dx).min(self.width - 1);
                    let row = y.saturating_add_signed(dy).min(self.height - 1);
                    let there = self.height_m[row * self.width + column];
                    if there.is_nan() { centre } else { there }
                };
                let column = |dx| at(dx, -1) + 2.0 * at(dx, 0) + at(dx, 1);
                let row = |dy| at(-1, dy) + 2.0 * at(0, dy) + at(1, dy);
                slopes.push((
                    (column(1) - column(-1)) / (8.0 * cell_m),
                    (row(-1) - row(1)) / (8.0 * cell_m),
                ));
            }
        }
        slopes
    }
}

/// Returns the factor on all slopes that brings the steepest fifth to [`STEEP`].
fn exaggeration(slopes: &[(f64, f64)]) -> f64 {
    let mut steepness: Vec<f64> = slopes
        .iter()
        .step_by(slopes.len() / 50_000 + 1)
        .map(|(east, north)| east.hypot(*north))
        .filter(|slope| slope.is_finite())
        .collect();
    if steepness.is_empty() {
        return 1.0;
    }
    let place = steepness.len() * 4 / 5;
    let (_, steep, _) = steepness.select_nth_unstable_by(place, f64::total_cmp);
    (STEEP / steep.max(1.0e-9)).min(EXAGGERATION_MAX)
}

fn lit(east: f64, north: f64) -> f32 {
    if east.is_nan() {
        return f32::NAN;
    }
    let norm = (1.0 + east * east + north * north).sqrt();
    let light: f64 = SUNS
        .iter()
        .map(|(sun_east, sun_north, weight)| {
            let facing = 1.0 - east * sun_east - north * sun_north;
            weight * FRAC_1_SQRT_2 * facing.max(0.0) / norm
        })
        .sum();
    narrow((FLOOR + GAIN * light).min(1.0))
}

/// Returns the cell that contains `position`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a conversion saturates, and the result is bounded"
)]
fn cell(position: f64, count: usize) -> usize {
    (position as usize).min(count - 1)
}

/// Returns the two cells whose centres enclose `position`, and the share of the second.
fn between(position: f64, count: usize) -> (usize, usize, f64) {
    let low = (position - 0.5).max(0.0);
    let first = cell(low, count);
    (first, (first + 1).min(count - 1), low.fract())
}

#[expect(clippy::cast_possible_truncation, reason = "brightness for a picture")]
fn narrow(value: f64) -> f32 {
    value as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cone: bright towards the north-west, dark towards the south-east.
    #[test]
    fn the_sun_stands_in_the_north_west() {
        let side = 21;
        let bed: Vec<f32> = (0..side * side)
            .map(|i| {
                let (x, y) = ((i % side) as f32 - 10.0, (i / side) as f32 - 10.0);
                20.0 - x.hypot(y)
            })
            .collect();
        let relief = ReliefShading::new(&bed, side, side, 1.0, 1);
        let at = |x: usize, y: usize| relief.brightness[y * side + x];
        assert!(at(5, 5) > at(15, 5) && at(15, 5) > at(15, 15));
        assert!(relief.brightness.iter().all(|b| (0.0..=1.0).contains(b)));
    }

    #[test]
    fn outside_stays_outside_and_one_cell_is_flat() {
        let relief = ReliefShading::new(&[f32::NAN, 1.0, 2.0, f32::NAN], 2, 2, 5.0, 1);
        let outside: Vec<bool> = relief.brightness.iter().map(|b| b.is_nan()).collect();
        assert_eq!(outside, [true, false, false, true]);
        assert!(relief.at(0.5, 0.5).is_nan() && !relief.at(1.99, 0.0).is_nan());

        let single = ReliefShading::new(&[7.0], 1, 1, 5.0, 1);
        assert!((0.8..0.85).contains(&single.at(0.3, 0.9)));
    }

    #[test]
    fn blocks_are_means() {
        let bed = Bed::reduced(&[1.0, 3.0, f32::NAN, 5.0, 7.0, f32::NAN], 3, 2, 2);
        assert_eq!((bed.width, bed.height), (2, 1));
        assert!((bed.height_m[0] - 4.0).abs() < 1.0e-12);
        assert!(bed.height_m[1].is_nan());
    }
}
