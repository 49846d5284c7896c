//! Fourier transforms of squares of complex numbers.
//!
//! Source: Cooley and Tukey (1965), An algorithm for the machine calculation of complex Fourier
//!         series, Mathematics of Computation 19.

use std::f32::consts::TAU;

/// A complex number: real and imaginary part.
pub(super) type Complex = [f32; 2];

pub(super) fn times(a: Complex, b: Complex) -> Complex {
    [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
}

/// Transform of rows and columns of a side: Σ f(k) e^{2πi k·x/n}.
#[derive(Debug, Clone)]
pub(super) struct Transform {
    side: usize,
    turns: Vec<Complex>,
}

impl Transform {
    /// Returns the transform of a side that is a power of two.
    #[expect(clippy::cast_precision_loss, reason = "a few thousand")]
    pub fn new(side: usize) -> Self {
        let turn = |index: usize| (TAU * index as f32 / side as f32).sin_cos();
        let turns = (0..side / 2).map(turn).map(|(sin, cos)| [cos, sin]).collect();
        Self { side, turns }
    }

    /// Transforms a square in its place.
    pub fn square(&self, cells: &mut [Complex]) {
        // Columns are the rows of the transpose, so both ways are read along the memory; the second
        // transpose turns the square back.
        for _ in 0..2 {
            cells.chunks_exact_mut(self.side).for_each(|row| self.row(row));
            for row in 0..self.side {
                for column in row + 1..self.side {
                    cells.swap(row * self.side + column, column * self.side + row);
                }
            }
        }
    }

    /// Transforms a row in its place.
    pub fn row(&self, row: &mut [Complex]) {
        let bits = self.side.trailing_zeros();
        for index in 0..self.side {
            let other = index.reverse_bits() >> (usize::BITS - bits);
            if other > index {
                row.swap(index, other);
            }
        }
        let mut half = 1;
        while half < self.side {
            let step = self.side / (2 * half);
            for block in row.chunks_exact_mut(2 * half) {
                let (low, high) = block.split_at_mut(half);
                for (index, (a, b)) in low.iter_mut().zip(high).enumerate() {
                    let turned = times(*b, self.turns[index * step]);
                    *b = [a[0] - turned[0], a[1] - turned[1]];
                    *a = [a[0] + turned[0], a[1] + turned[1]];
                }
            }
            half *= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_transform_of_one_wave_is_that_wave() {
        for side in [4_u16, 32, 128] {
            let count = usize::from(side);
            let mut cells = vec![[0.0; 2]; count];
            cells[3] = [1.0, 0.0];
            Transform::new(count).row(&mut cells);
            for (index, [re, im]) in (0_u16..).zip(cells) {
                let (sin, cos) = (TAU * 3.0 * f32::from(index) / f32::from(side)).sin_cos();
                assert!((re - cos).abs() < 1e-4 && (im - sin).abs() < 1e-4, "{index}: {re} {im}");
            }
        }
    }
}
