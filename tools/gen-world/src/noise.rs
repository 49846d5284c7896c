//! Fractal noise that has the same bits on every machine.
//!
//! Gradient noise on a square lattice: each lattice point has a gradient drawn from an integer
//! hash, a place blends the four around it with the quintic fade.
//!
//! Guarantees: only integers and `+ − × ÷` of `f64`, so no machine's libm is in the result.
//! Source:     Perlin (2002), Improving noise, for the fade; the hash is the finaliser of
//!             splitmix64, Steele, Lea & Flood (2014).

/// A field of noise, one per use: two fields with different salts have nothing in common.
#[derive(Debug, Clone, Copy)]
pub struct Noise {
    seed: u64,
}

impl Noise {
    /// Makes the field number `salt` of the world with this seed.
    #[must_use]
    pub fn new(seed: u64, salt: u64) -> Self {
        Self { seed: scramble(scramble(seed).wrapping_add(salt)) }
    }

    /// Makes another field that belongs to this one.
    #[must_use]
    pub fn part(&self, salt: u64) -> Self {
        Self::new(self.seed, salt)
    }

    /// Returns the noise at a place given in wavelengths; mean 0, about −0.8 … 0.8.
    #[must_use]
    pub fn at(&self, x: f64, y: f64) -> f64 {
        let (west, north) = (x.floor(), y.floor());
        let (dx, dy) = (x - west, y - north);
        let corner = |east: f64, south: f64| {
            let (gx, gy) = self.gradient(west + east, north + south);
            gx * (dx - east) + gy * (dy - south)
        };
        let upper = blend(corner(0.0, 0.0), corner(1.0, 0.0), fade(dx));
        let lower = blend(corner(0.0, 1.0), corner(1.0, 1.0), fade(dx));
        1.4 * blend(upper, lower, fade(dy))
    }

    /// Returns a sum of `octaves`, each half as long and half as high as the one before and turned
    /// a little, so that the lattice does not show. `wavelength` is the first octave's, in the unit
    /// of `x` and `y`.
    #[must_use]
    pub fn fractal(&self, x: f64, y: f64, wavelength: f64, octaves: u32) -> f64 {
        let (mut x, mut y) = (x / wavelength, y / wavelength);
        let (mut sum, mut height) = (0.0, 1.0);
        for octave in 0..octaves {
            let shift = f64::from(octave) * 17.31;
            sum += height * self.at(x + shift, y - shift);
            (x, y) = (2.0 * (0.8 * x - 0.6 * y), 2.0 * (0.6 * x + 0.8 * y));
            height *= 0.5;
        }
        sum
    }

    /// Returns a draw from 0 ≤ r < 1 that belongs to a number.
    #[must_use]
    pub fn draw(&self, index: u64) -> f64 {
        unit(scramble(self.seed ^ scramble(index)))
    }

    #[expect(clippy::cast_possible_truncation, reason = "a hash may fold: bits are all it needs")]
    fn gradient(&self, column: f64, row: f64) -> (f64, f64) {
        let key = ((column as i64) << 32) ^ (row as i64 & 0xffff_ffff);
        let bits = scramble(self.seed ^ scramble(key.cast_unsigned()));
        (2.0 * unit(bits) - 1.0, 2.0 * unit(scramble(bits)) - 1.0)
    }
}

/// Returns the upper 53 bits as a number 0 ≤ r < 1.
fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

fn scramble(key: u64) -> u64 {
    let mut bits = key.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

fn fade(t: f64) -> f64 {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

fn blend(a: f64, b: f64, t: f64) -> f64 {
    a + t * (b - a)
}

/// Returns a ramp from 0 at `from` to 1 at `to` without corners; `from` may be the larger.
#[must_use]
pub fn ramp(value: f64, from: f64, to: f64) -> f64 {
    let t = ((value - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_continuous_and_bounded() {
        let noise = Noise::new(7, 1);
        let mut last = noise.at(-3.0, 0.4);
        for i in 0..6_000 {
            let value = noise.at(-3.0 + f64::from(i) * 1.0e-3, 0.4);
            assert!(value.abs() < 1.4 && (value - last).abs() < 8.0e-3, "step {i}: {value}");
            last = value;
        }
    }

    #[test]
    fn seeds_and_salts_give_different_fields() {
        let draws =
            [(7, 1), (7, 2), (8, 1)].map(|(seed, salt)| Noise::new(seed, salt).draw(5).to_bits());
        assert!(draws[0] != draws[1] && draws[0] != draws[2] && draws[1] != draws[2]);
    }
}
