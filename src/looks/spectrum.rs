//! Waves of the wind as a spectrum: buffers for a graphics card, heights and slopes at a moment.

use super::error::LooksError;
use super::transform::{Complex, Transform, times};
use super::wind::{TURN, WindSea};
use thalweg_engine::units::hash::scramble;

/// Smallest and largest number of waves along a side.
const SIDES: [usize; 2] = [4, 4096];

/// Least wind that raises waves, m/s.
const CALM_M_S: f64 = 1.0e-3;

/// Largest factor on the squares of heights for a given slope.
const SCALE_MOST: f64 = 1.0e4;

/// A square of water under a wind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WaveOptions {
    /// Wind eastward and northward, 10 m above the water, m/s.
    pub wind_m_s: [f64; 2],
    /// Distance over which the wind has blown over water, m.
    pub fetch_m: f64,
    /// Depth, m.
    pub depth_m: f64,
    /// Waves, and texels, along a side of the square: a power of two from 4 to 4096.
    pub side: usize,
    /// Width of the square, after which the waves repeat, m.
    pub width_m: f64,
    /// Shortest and longest waves, m: two squares of different widths share them. The second is
    /// above the first.
    pub lengths_m: [f64; 2],
    /// Time after which the waves repeat, s.
    pub period_s: f64,
    /// Mean square of the slopes, over both directions, to which all heights are scaled; `None` for
    /// the heights of the formula. See [`slope_variance`](super::slope_variance). If the waves
    /// would need more than 100 times the height of the formula, the square has no waves: the wind
    /// then raises almost no waves of the lengths in the square.
    pub slope_variance: Option<f64>,
    /// Number from which the phases are drawn.
    pub seed: u64,
}

impl Default for WaveOptions {
    fn default() -> Self {
        Self {
            wind_m_s: [5.0, 0.0],
            fetch_m: 3000.0,
            depth_m: 100.0,
            side: 128,
            width_m: 64.0,
            lengths_m: [0.0, f64::INFINITY],
            period_s: 200.0,
            slope_variance: None,
            seed: 1,
        }
    }
}

impl WaveOptions {
    fn check(&self) -> Result<(), LooksError> {
        let refused = |name: &'static str, value: f64, range: &'static str| {
            Err(LooksError::Number { name, value, range })
        };
        let wind_m_s = self.wind_m_s[0].hypot(self.wind_m_s[1]);
        LooksError::if_negative("wind_m_s", wind_m_s)?;
        LooksError::unless_positive("fetch_m", self.fetch_m)?;
        LooksError::unless_positive("depth_m", self.depth_m)?;
        LooksError::unless_positive("width_m", self.width_m)?;
        LooksError::unless_positive("period_s", self.period_s)?;
        if let Some(variance) = self.slope_variance {
            LooksError::if_negative("slope_variance", variance)?;
        }
        let [shortest_m, longest_m] = self.lengths_m;
        LooksError::if_negative("lengths_m[0]", shortest_m)?;
        if longest_m.is_nan() || longest_m <= shortest_m {
            return refused("lengths_m[1]", longest_m, "a length above lengths_m[0]");
        }
        if !self.side.is_power_of_two() || !(SIDES[0]..=SIDES[1]).contains(&self.side) {
            #[expect(clippy::cast_precision_loss, reason = "for a sentence")]
            let side = self.side as f64;
            return refused("side", side, "a power of two from 4 to 4096");
        }
        Ok(())
    }
}

/// Waves of the wind on a square of water that repeats in space and in time: the spectrum that a
/// shader transforms, and heights and slopes at a moment for renderers without such a shader.
///
/// ```text
/// h(x, t) = Σ h(k, t) e^{ik·x},   h(k, t) = h₀(k) e^{−iωt} + h₀*(−k) e^{iωt},   k = 2π n / width
/// |h₀(k)|² = ½ S(ω) D(θ) dω/dk / k (2π/width)²,   phases drawn by number
/// ```
///
/// with the spectrum S of JONSWAP for the fetch, its TMA factor for the depth, cos² around the wind
/// (`src/looks/wind.rs` has the formulas and their sources). Frequencies are rounded to
/// multiples of 2π over the period.
///
/// Guarantees: the mean square of heights, and that of slopes, is at every moment the sum over the
///             square's wave numbers, [`WaveSpectrum::height_variance_m2`] and
///             [`WaveSpectrum::slope_variance`]; waves run with the wind; all repeats after the
///             period.
/// Limits:     for the eye alone. Sines and powers are those of the platform, and differ in their
///             last bits from one to another: let no state depend on them. Neither shoaling nor
///             currents: a renderer lowers waves where water is shallow or narrow. Waves longer
///             than the square are missing; only phases are random, so a few waves have no groups.
/// Source:     Tessendorf (2001), Simulating ocean water, with the sign of time that lets waves run
///             along k.
///
/// ```
/// use thalweg::looks::{WaveOptions, WaveSpectrum};
/// let options = WaveOptions { wind_m_s: [8.0, 0.0], ..Default::default() };
/// let waves = WaveSpectrum::try_new(options)?;
/// let heights_m = waves.heights_m_at(12.5);
/// assert_eq!(heights_m.len(), 128 * 128);
/// // Significant height: four standard deviations.
/// let significant_m = 4.0 * waves.height_variance_m2().sqrt();
/// assert!((0.2..0.4).contains(&significant_m), "{significant_m}");
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct WaveSpectrum {
    options: WaveOptions,
    numbers: Vec<[f32; 2]>,
    frequencies: Vec<f32>,
    amplitudes: Vec<[Complex; 2]>,
    transform: Transform,
    variances: [f64; 2],
}

/// Returns a place along a side as waves along the square: from −side/2 to side/2 − 1.
#[expect(clippy::cast_precision_loss, reason = "a few thousand")]
fn signed(index: usize, side: usize) -> f64 {
    let half = side / 2;
    ((index + half) % side) as f64 - half as f64
}

impl WaveSpectrum {
    /// Returns the waves of a wind.
    ///
    /// # Errors
    ///
    /// [`LooksError::Number`] names the option that is out of its range, and the wind if numbers
    /// beyond those of nature give no finite heights.
    #[expect(clippy::cast_possible_truncation, reason = "what a graphics card reckons in")]
    pub fn try_new(options: WaveOptions) -> Result<Self, LooksError> {
        options.check()?;
        let side = options.side;
        let step = TURN / options.width_m;
        let number = |index: usize| [index % side, index / side].map(|at| signed(at, side) * step);
        let opposite = |index: usize| {
            let turned = |at: usize| (side - at) % side;
            turned(index / side) * side + turned(index % side)
        };
        let count = side * side;
        let variances: Vec<f64> = (0..count).map(|index| options.variance(number(index))).collect();
        let sums = (0..count).map(|index| {
            let [x, y] = number(index);
            [variances[index], variances[index] * (x * x + y * y)]
        });
        let sums = sums.fold([0.0; 2], |sum, own| [sum[0] + own[0], sum[1] + own[1]]);
        let scale = match options.slope_variance {
            Some(wanted) if wanted > SCALE_MOST * sums[1] => 0.0,
            Some(wanted) if wanted > 0.0 => wanted / sums[1],
            Some(_) => 0.0,
            None => 1.0,
        };
        let own = |index: usize| -> Complex {
            let size = (0.5 * scale * variances[index]).sqrt();
            // By `seed ^ index` alone a nearby seed would give the same phases in another order.
            let phase = TURN * part(scramble(options.seed ^ scramble(index as u64)));
            [size * phase.cos(), size * phase.sin()].map(|part| part as f32)
        };
        let amplitude = |index: usize| {
            let [re, im] = own(opposite(index));
            [own(index), [re, -im]]
        };
        let base = TURN / options.period_s;
        let frequency = |index: usize| {
            let [x, y] = number(index);
            // With any wind: the frequency of a wave number does not depend on it.
            let own = options.sea(1.0).frequency(x.hypot(y)).0;
            // At least one turn a period: if the frequency were rounded to 0, the longest waves
            // would stand still.
            if own > 0.0 { ((own / base).round().max(1.0) * base) as f32 } else { 0.0 }
        };
        let amplitudes: Vec<[Complex; 2]> = (0..count).map(amplitude).collect();
        if !amplitudes.as_flattened().as_flattened().iter().all(|part| part.is_finite()) {
            let [east, north] = options.wind_m_s;
            let range = "a wind whose waves, for this fetch, depth and square, have finite heights";
            return Err(LooksError::Number { name: "wind_m_s", value: east.hypot(north), range });
        }
        Ok(Self {
            options,
            numbers: (0..count).map(|index| number(index).map(|part| part as f32)).collect(),
            frequencies: (0..count).map(frequency).collect(),
            amplitudes,
            transform: Transform::new(side),
            variances: sums.map(|sum| scale * sum),
        })
    }

    /// Returns the options of the spectrum.
    #[must_use]
    pub fn options(&self) -> &WaveOptions {
        &self.options
    }

    /// Returns the wave numbers eastward and northward, 1/m: `side` rows of `side`, each from 0 up
    /// and then from the most negative one, as in transforms.
    #[must_use]
    pub fn wave_numbers(&self) -> &[[f32; 2]] {
        &self.numbers
    }

    /// Returns the angular frequencies of the waves, 1/s, in the same order.
    #[must_use]
    pub fn frequencies(&self) -> &[f32] {
        &self.frequencies
    }

    /// Returns the complex amplitudes h₀(k) and h₀*(−k), m, in the same order.
    #[must_use]
    pub fn amplitudes_m(&self) -> &[[[f32; 2]; 2]] {
        &self.amplitudes
    }

    /// Returns the mean square of the heights, m².
    #[must_use]
    pub fn height_variance_m2(&self) -> f64 {
        self.variances[0]
    }

    /// Returns the mean square of the slopes, over both directions.
    #[must_use]
    pub fn slope_variance(&self) -> f64 {
        self.variances[1]
    }

    /// Returns the heights at a moment, m: rows from south to north, texels from west to east. A
    /// moment that is infinite or not a number counts as 0.
    #[must_use]
    pub fn heights_m_at(&self, time_s: f64) -> Vec<f32> {
        let cells = self.transformed(time_s, |_| [1.0, 0.0]);
        cells.into_iter().map(|[height, _]| height).collect()
    }

    /// Returns the slopes eastward and northward at a moment, in the order of the heights.
    #[must_use]
    pub fn slopes_at(&self, time_s: f64) -> Vec<[f32; 2]> {
        // One transform gives both: i kx h + i (i ky h).
        self.transformed(time_s, |[x, y]| [-y, x])
    }

    fn transformed(&self, time_s: f64, factor: impl Fn([f32; 2]) -> Complex) -> Vec<Complex> {
        // Beyond a period nothing is new, and small numbers are exact ones.
        let time_s = if time_s.is_finite() { time_s } else { 0.0 };
        #[expect(clippy::cast_possible_truncation, reason = "within a period")]
        let time_s = time_s.rem_euclid(self.options.period_s) as f32;
        let waves = self.numbers.iter().zip(&self.frequencies).zip(&self.amplitudes);
        let mut cells: Vec<Complex> = waves
            .map(|((number, frequency), [own, other])| {
                let (sin, cos) = (frequency * time_s).sin_cos();
                let [a, b] = times(*own, [cos, -sin]);
                let [c, d] = times(*other, [cos, sin]);
                times(factor(*number), [a + c, b + d])
            })
            .collect();
        self.transform.square(&mut cells);
        cells
    }
}

impl WaveOptions {
    fn sea(&self, wind_m_s: f64) -> WindSea {
        WindSea { wind_m_s, fetch_m: self.fetch_m, depth_m: self.depth_m }
    }

    /// Returns the variance of the heights of one wave, m².
    fn variance(&self, [x, y]: [f64; 2]) -> f64 {
        let [east, north] = self.wind_m_s;
        let (wind_m_s, number) = (east.hypot(north), x.hypot(y));
        let step = TURN / self.width_m;
        // The greatest number has no opposite.
        #[expect(clippy::cast_precision_loss, reason = "a few thousand")]
        let most = (self.side / 2) as f64 * step;
        let is_paired = x > -most && y > -most;
        let [shortest, longest] = self.lengths_m;
        let length_m = TURN / number;
        // Half open: if the ranges of two squares meet, only one of them has the wave of that
        // length.
        let is_seen = number > 0.0 && (shortest..longest).contains(&length_m);
        // In a light wind U the peak frequency is proportional to 1/U; without wind the formula is
        // NaN.
        if !is_paired || !is_seen || wind_m_s < CALM_M_S {
            return 0.0;
        }
        let angle = (x * north - y * east).atan2(x * east + y * north);
        self.sea(wind_m_s).of_number(number, angle) * step * step
    }
}

/// Returns a number from 0 to 1 of random bits.
#[expect(clippy::cast_precision_loss, reason = "53 bits")]
fn part(bits: u64) -> f64 {
    (bits >> 11) as f64 / 9_007_199_254_740_992.0
}
