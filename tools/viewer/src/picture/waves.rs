//! Waves of the wind: two squares of the library's spectrum, for one texture.
//!
//! The larger square contains the waves down to 1.2 m, the smaller one the shorter ones. In a calm
//! the larger one is still: the wind raises no waves of that length.
//!
//! Guarantees: the mean square of the slopes of a square is its share of the wind's, from 1 m/s on.

use super::air::Air;
use thalweg::looks::{WaveOptions, WaveSpectrum};

/// Texels of a square along each side.
pub const SIDE: usize = 128;

/// Width of the two squares, m.
pub const PATCHES_M: [f32; 2] = [61.0, 7.3];

/// Shares of the slopes' mean square that the squares have; capillary waves have the rest.
pub const SHARES: [f64; 2] = [0.35, 0.4];

/// Shortest and longest waves of the squares, m.
const LENGTHS_M: [[f64; 2]; 2] = [[1.2, 61.0], [0.14, 1.2]];

/// Direction of the wind, east and north.
const HEADING: [f64; 2] = [0.83, 0.56];

/// Length of water over which the wind blows, m: a lake's.
const FETCH_M: f64 = 3000.0;

/// Least wind that raises waves, m/s.
const CALM_M_S: f64 = 0.5;

/// Both squares for one wind.
#[derive(Debug)]
pub struct WindWaves {
    squares: [WaveSpectrum; 2],
    wind_m_s: f64,
}

impl WindWaves {
    /// Returns the waves of a wind.
    #[must_use]
    pub fn new(air: &Air) -> Self {
        let wind_m_s = air.wind_m_s.max(CALM_M_S);
        let squares = [0, 1].map(|which: usize| {
            let options = WaveOptions {
                wind_m_s: HEADING.map(|part| part * wind_m_s),
                fetch_m: FETCH_M,
                side: SIDE,
                width_m: f64::from(PATCHES_M[which]),
                lengths_m: LENGTHS_M[which],
                slope_variance: Some(SHARES[which] * air.slope_variance()),
                seed: 5 + which as u64,
                ..WaveOptions::default()
            };
            WaveSpectrum::try_new(options).expect("winds of scripts are checked")
        });
        Self { squares, wind_m_s: air.wind_m_s }
    }

    /// True if the waves belong to this wind.
    #[must_use]
    #[expect(clippy::float_cmp, reason = "a setting that was copied")]
    pub fn are_of(&self, air: &Air) -> bool {
        self.wind_m_s == air.wind_m_s
    }

    /// Returns the texels' slopes at a time: east, north in the larger square, then the smaller.
    #[must_use]
    pub fn at(&self, at_s: f32) -> Vec<[f32; 4]> {
        let slopes = |square: &WaveSpectrum| square.slopes_at(f64::from(at_s));
        let [large, small] = self.squares.each_ref();
        let (large, small) = rayon::join(|| slopes(large), || slopes(small));
        large.iter().zip(&small).map(|(a, b)| [a[0], a[1], b[0], b[1]]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_have_their_share_in_any_wind() {
        for wind_m_s in [0.0, 1.0, 4.0, 20.0] {
            let air = Air { wind_m_s, ..Air::default() };
            let slopes = WindWaves::new(&air).at(3.0);
            for (which, share) in SHARES.into_iter().enumerate() {
                let square = |texel: &[f32; 4]| -> f64 {
                    texel[2 * which..2 * which + 2].iter().map(|s| f64::from(*s).powi(2)).sum()
                };
                let mean = slopes.iter().map(square).sum::<f64>() / (SIDE * SIDE) as f64;
                let part = mean / (share * air.slope_variance());
                if wind_m_s < CALM_M_S && which == 0 {
                    assert!(part <= 0.0, "{part}: waves of a calm are short");
                    continue;
                }
                assert!((0.99..1.01).contains(&part), "{wind_m_s} m/s, square {which}: {part}");
            }
        }
    }
}
