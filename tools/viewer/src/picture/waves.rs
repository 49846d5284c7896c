//! Waves of the wind: slopes of two patches of water that repeat, at one moment.
//!
//! ```text
//! s(x, t) = Σ i k h(k, t) e^{ik·x},   h(k, t) = h₀(k) e^{iωt} + h₀*(−k) e^{−iωt},   ω² = g k
//! |h₀(k)|² ∝ k⁻⁴ e^{−(k_p/k)²} cos²(k, wind)
//! ```
//!
//! One transform gives both slopes of a patch: that to the east in its real part, that to the
//! north in its imaginary part. The larger patch has the waves down to 1.2 m, the smaller one
//! those below.
//!
//! Guarantees: the mean square of the slopes of a patch is its share of the wind's; motion repeats
//!             after [`PERIOD_S`].
//! Limits:     still water of any depth: neither shoaling nor currents; a shader lowers the waves
//!             where water is shallow or short.
//! Source:     Tessendorf (2001), Simulating ocean water; the tail is that of Phillips (1957).

use super::air::Air;
use std::f32::consts::TAU;

/// Texels of a patch along each side.
pub const SIDE: usize = 128;

/// Width of the two patches, m.
pub const PATCHES_M: [f32; 2] = [61.0, 7.3];

/// Shortest waves of the larger patch and longest of the smaller one, m.
const SPLIT_M: f32 = 1.2;

/// Shares of the slopes' mean square that the patches have; capillary waves have the rest.
pub const SHARES: [f64; 2] = [0.35, 0.4];

/// Time after which waves are as they were, s.
pub const PERIOD_S: f32 = 200.0;

const GRAVITY: f32 = 9.81;

/// A complex number.
type Complex = [f32; 2];

fn times(a: Complex, b: Complex) -> Complex {
    [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
}

/// A patch: what its waves are, and its slopes at a moment.
#[derive(Debug)]
struct Patch {
    /// Of each wave: its number east and north, 1/m, its frequency, 1/s, and h₀ of it and of the
    /// one that runs against it.
    waves: Vec<([f32; 2], f32, [Complex; 2])>,
    slopes: Vec<Complex>,
}

/// Both patches for one wind.
#[derive(Debug)]
pub struct Waves {
    patches: [Patch; 2],
    turns: Vec<Complex>,
    wind_m_s: f64,
}

/// A cell of a patch as a wave: −64 to 63 waves along the patch.
fn signed(index: usize) -> f32 {
    let half = SIDE / 2;
    #[expect(clippy::cast_precision_loss, reason = "128 at most")]
    let number = ((index + half) % SIDE) as f32;
    number - 64.0
}

impl Patch {
    fn new(width_m: f32, lengths_m: [f32; 2], air: &Air, seed: u32) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "m/s")]
        let wind = air.wind_m_s as f32;
        // Waves of short fetches: the peak is far below that of an open sea.
        let peak = TAU / (0.2 * wind * wind).clamp(0.4, 25.0);
        let heading = [0.83_f32, 0.56];
        let number =
            |index: usize| [index % SIDE, index / SIDE].map(|along| signed(along) * TAU / width_m);
        let amplitude = |index: usize, against: f32| -> Complex {
            let k = number(index);
            let size = k[0].hypot(k[1]);
            if size < TAU / lengths_m[1] || size > TAU / lengths_m[0] {
                return [0.0; 2];
            }
            let along = against * (k[0] * heading[0] + k[1] * heading[1]) / size;
            let spread = if along > 0.0 { 0.08 + along * along } else { 0.03 };
            let power = (-(peak / size).powi(2)).exp() * spread / size.powi(4);
            let [a, b] = normal(if against > 0.0 { index } else { opposite(index) }, seed);
            [a, b].map(|part| part * power.sqrt())
        };
        let frequency = |index: usize| {
            let k = number(index);
            let base = TAU / PERIOD_S;
            ((GRAVITY * k[0].hypot(k[1])).sqrt() / base).floor() * base
        };
        let wave = |index: usize| {
            let own = amplitude(index, 1.0);
            let [a, b] = amplitude(index, -1.0);
            (number(index), frequency(index), [own, [a, -b]])
        };
        let waves = (0..SIDE * SIDE).map(wave).collect();
        Self { waves, slopes: vec![[0.0; 2]; SIDE * SIDE] }
    }

    /// Goes to a moment.
    fn go_to(&mut self, at_s: f32, turns: &[Complex]) {
        for (slope, (k, frequency, [own, other])) in self.slopes.iter_mut().zip(&self.waves) {
            let (sin, cos) = (frequency * at_s).sin_cos();
            let [a, b] = times(*own, [cos, sin]);
            let [c, d] = times(*other, [cos, -sin]);
            // i kx h + i (i ky h)
            *slope = times([-k[1], k[0]], [a + c, b + d]);
        }
        transform(&mut self.slopes, turns);
        transpose(&mut self.slopes);
        transform(&mut self.slopes, turns);
        transpose(&mut self.slopes);
    }

    /// Scales the waves so that the mean square of their slopes is this.
    fn scale_to(&mut self, variance: f64, turns: &[Complex]) {
        self.go_to(0.0, turns);
        let sum: f64 = self.slopes.iter().flatten().map(|s| f64::from(*s).powi(2)).sum();
        #[expect(clippy::cast_possible_truncation, reason = "a factor")]
        let factor = (variance / (sum / (SIDE * SIDE) as f64).max(1e-30)).sqrt() as f32;
        for (_, _, amplitudes) in &mut self.waves {
            *amplitudes = amplitudes.map(|h| h.map(|part| part * factor));
        }
    }
}

/// The wave that runs against one.
fn opposite(index: usize) -> usize {
    let turned = |along: usize| (SIDE - along) % SIDE;
    turned(index / SIDE) * SIDE + turned(index % SIDE)
}

/// Two normal numbers for a wave: Box and Muller (1958).
fn normal(index: usize, seed: u32) -> Complex {
    let hash = |step: u32| {
        let mut bits = (u32::try_from(index).expect("128²") * 2 + step) ^ (seed << 20);
        for _ in 0..3 {
            bits = (bits ^ (bits >> 16)).wrapping_mul(0x45d9_f3b7);
        }
        #[expect(clippy::cast_precision_loss, reason = "0 to 1")]
        let part = (bits >> 8) as f32 / 16_777_216.0;
        part
    };
    let size = (-2.0 * hash(0).max(1e-7).ln()).sqrt();
    let (sin, cos) = (TAU * hash(1)).sin_cos();
    [size * cos, size * sin]
}

fn transpose(cells: &mut [Complex]) {
    for row in 0..SIDE {
        for column in row + 1..SIDE {
            cells.swap(row * SIDE + column, column * SIDE + row);
        }
    }
}

/// Fourier transform of each row, Σ f(k) e^{2πi kx/n}: Cooley and Tukey (1965).
fn transform(cells: &mut [Complex], turns: &[Complex]) {
    let bits = SIDE.trailing_zeros();
    for row in cells.chunks_exact_mut(SIDE) {
        for index in 0..SIDE {
            let other = index.reverse_bits() >> (usize::BITS - bits);
            if other > index {
                row.swap(index, other);
            }
        }
        let mut half = 1;
        while half < SIDE {
            let step = SIDE / (2 * half);
            for block in row.chunks_exact_mut(2 * half) {
                let (low, high) = block.split_at_mut(half);
                for (index, (a, b)) in low.iter_mut().zip(high).enumerate() {
                    let turned = times(*b, turns[index * step]);
                    *b = [a[0] - turned[0], a[1] - turned[1]];
                    *a = [a[0] + turned[0], a[1] + turned[1]];
                }
            }
            half *= 2;
        }
    }
}

impl Waves {
    /// The waves of a wind.
    #[must_use]
    pub fn new(air: &Air) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "128 at most")]
        let turn = |index: usize| (TAU * index as f32 / SIDE as f32).sin_cos();
        let turns: Vec<Complex> = (0..SIDE / 2).map(turn).map(|(sin, cos)| [cos, sin]).collect();
        let lengths = [[SPLIT_M, PATCHES_M[0]], [0.14, SPLIT_M]];
        let patches = [0, 1].map(|which: usize| {
            let seed = if which == 0 { 5 } else { 9 };
            let mut patch = Patch::new(PATCHES_M[which], lengths[which], air, seed);
            patch.scale_to(SHARES[which] * air.slope_variance(), &turns);
            patch
        });
        Self { patches, turns, wind_m_s: air.wind_m_s }
    }

    /// True where they are those of this wind.
    #[must_use]
    #[expect(clippy::float_cmp, reason = "a setting that was copied")]
    pub fn are_of(&self, air: &Air) -> bool {
        self.wind_m_s == air.wind_m_s
    }

    /// Slopes at a moment: of each texel east and north in the larger patch, then in the smaller.
    pub fn at(&mut self, at_s: f32) -> Vec<[f32; 4]> {
        let Self { patches: [large, small], turns, .. } = self;
        rayon::join(|| large.go_to(at_s, turns), || small.go_to(at_s, turns));
        let both = large.slopes.iter().zip(&small.slopes);
        both.map(|(a, b)| [a[0], a[1], b[0], b[1]]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_have_their_share_and_come_back() {
        let air = Air::default();
        let mut waves = Waves::new(&air);
        let first = waves.at(3.0);
        for (which, share) in SHARES.into_iter().enumerate() {
            let square = |texel: &[f32; 4]| -> f64 {
                texel[2 * which..2 * which + 2].iter().map(|s| f64::from(*s).powi(2)).sum()
            };
            let mean = first.iter().map(square).sum::<f64>() / (SIDE * SIDE) as f64;
            let part = mean / (share * air.slope_variance());
            assert!((0.7..1.4).contains(&part), "patch {which}: {part}");
        }
        let later = waves.at(3.0 + PERIOD_S);
        let most = first.iter().flatten().zip(later.iter().flatten()).map(|(a, b)| (a - b).abs());
        assert!(most.fold(0.0, f32::max) < 0.01);
    }

    #[test]
    fn the_transform_of_one_wave_is_that_wave() {
        let waves = Waves::new(&Air::default());
        let mut cells = vec![[0.0; 2]; SIDE];
        cells[3] = [1.0, 0.0];
        transform(&mut cells, &waves.turns);
        for (index, [re, im]) in cells.into_iter().enumerate() {
            let (sin, cos) = (TAU * 3.0 * index as f32 / SIDE as f32).sin_cos();
            assert!((re - cos).abs() < 1e-4 && (im - sin).abs() < 1e-4, "{index}: {re} {im}");
        }
    }
}
