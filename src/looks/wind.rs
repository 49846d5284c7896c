//! Formulas for waves that the wind raises: their spectrum, and their steepness.
//!
//! ```text
//! S(ω) = α g² ω⁻⁵ e^{−5/4 (ω_p/ω)⁴} γ^{e^{−(ω − ω_p)²/(2σ²ω_p²)}} φ(ω √(d/g))       m² s
//! ω_p  = 22 (g²/(U F))^{1/3},   α = 0.076 (U²/(F g))^{0.22},   γ = 3.3,   σ = 0.07, 0.09
//! φ(w) = ½ w² up to 1,   1 − ½ (2 − w)² up to 2,   1 beyond
//! D(θ) = 2/π cos² θ  within a right angle of the wind
//! ```
//!
//! for a wind `U` over a fetch `F` and a depth `d`. Frequencies of waves follow `ω² = g k tanh kd`.
//!
//! Limits: winds that have blown long enough, and no swell. A fetch longer than that of a full sea,
//!         17,036 U²/g, counts as that one: `ω_p` is 0.855 g/U at least.
//! Source: JONSWAP: Hasselmann et al. (1973), Measurements of wind-wave growth and swell decay,
//!         with the ω⁻⁵ of Phillips (1957); a full sea: Pierson and Moskowitz (1964). Depth: TMA,
//!         Bouws et al. (1985), with the φ of Thompson and Vincent (1983). Slopes: Cox and Munk
//!         (1954), Measurement of the roughness of the sea surface.

use std::f64::consts::{FRAC_PI_2, PI};

/// Acceleration of gravity, m/s².
pub(super) const GRAVITY: f64 = 9.81;

/// Fetch of a full sea over U²/g: (22/0.855)³.
const FULL_SEA: f64 = 17_036.0;

/// Wind over water.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct WindSea {
    pub wind_m_s: f64,
    pub fetch_m: f64,
    pub depth_m: f64,
}

/// Returns the mean square of the slopes, over both directions, of open water below a wind of
/// `wind_m_s` 12.5 m above it, m/s: Cox and Munk (1954), for clean water and all waves down to
/// ripples.
#[must_use]
pub fn slope_variance(wind_m_s: f64) -> f64 {
    0.003 + 0.005_12 * wind_m_s.max(0.0)
}

impl WindSea {
    /// Returns the frequency of the highest waves, 1/s.
    pub fn peak(&self) -> f64 {
        22.0 * (GRAVITY * GRAVITY / (self.wind_m_s * self.grown_m())).cbrt()
    }

    /// Returns the fetch over which waves grow, m: no longer than that of a full sea.
    fn grown_m(&self) -> f64 {
        self.fetch_m.min(FULL_SEA * self.wind_m_s.powi(2) / GRAVITY)
    }

    /// Returns the variance of heights for each unit of frequency, m² s.
    pub fn of_frequency(&self, frequency: f64) -> f64 {
        let peak = self.peak();
        let alpha = 0.076 * (self.wind_m_s.powi(2) / (self.grown_m() * GRAVITY)).powf(0.22);
        let width = if frequency > peak { 0.09 } else { 0.07 };
        let off = (frequency - peak) / (width * peak);
        let enhanced = 3.3_f64.powf((-0.5 * off * off).exp());
        let tail = alpha * GRAVITY.powi(2) * frequency.powi(-5);
        let shallow = shallowness(frequency * (self.depth_m / GRAVITY).sqrt());
        tail * (-1.25 * (peak / frequency).powi(4)).exp() * enhanced * shallow
    }

    /// Returns the frequency of a wave number, 1/s, and its change for each change of that.
    pub fn frequency(&self, number: f64) -> (f64, f64) {
        // From 20 on its tanh is 1 to the last bit.
        let deep = (number * self.depth_m).min(20.0);
        let tanh = deep.tanh();
        let frequency = (GRAVITY * number * tanh).sqrt();
        // From ω² = g k tanh kd: 2 ω dω/dk = g (tanh kd + kd (1 − tanh² kd)).
        let change = GRAVITY * (tanh + deep * (1.0 - tanh * tanh)) / (2.0 * frequency);
        (frequency, change)
    }

    /// Returns the variance of heights for each unit of area of wave numbers, m⁴, for a wave of
    /// this number that runs at this angle to the wind.
    pub fn of_number(&self, number: f64, angle: f64) -> f64 {
        if number <= 0.0 || angle.cos() <= 0.0 {
            return 0.0;
        }
        let (frequency, change) = self.frequency(number);
        let spread = angle.cos().powi(2) / FRAC_PI_2;
        // S(ω) D(θ) dω dθ over an area k dk dθ of wave numbers.
        self.of_frequency(frequency) * spread * change / number
    }
}

/// Returns the part of the deep water's variance that is left in shallow water.
fn shallowness(number: f64) -> f64 {
    if number <= 1.0 {
        0.5 * number * number
    } else if number < 2.0 {
        1.0 - 0.5 * (2.0 - number).powi(2)
    } else {
        1.0
    }
}

/// A whole turn, for phases.
pub(super) const TURN: f64 = 2.0 * PI;
