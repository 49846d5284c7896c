//! Light and air of a picture: the sun's place, the wind on the water, and the water's turbidity.

use std::f64::consts::FRAC_PI_4;

/// Part of the slopes' mean square that a calm has at sea, but not on a lake.
const CALM: f64 = 0.002;

/// Light, wind and water of a picture that is not a map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Air {
    /// Azimuth of the sun, radians from north towards west.
    pub sun_azimuth: f64,
    /// Height of the sun over the horizon, radians.
    pub sun_height: f64,
    /// Wind over the water, m/s.
    pub wind_m_s: f64,
    /// Turbidity of the water, 0 (a mountain lake) to 1 (a river in flood). Swift water is more
    /// turbid than that.
    pub silt: f64,
    /// Distance in which the air takes two thirds of the light, m.
    pub sight_m: f64,
}

impl Default for Air {
    fn default() -> Self {
        Self {
            sun_azimuth: FRAC_PI_4,
            sun_height: FRAC_PI_4,
            wind_m_s: 4.0,
            silt: 0.15,
            sight_m: 30_000.0,
        }
    }
}

impl Air {
    /// Returns the light and air part-way to another one.
    #[must_use]
    pub fn towards(&self, other: &Self, part: f64) -> Self {
        let mix = |a: f64, b: f64| a + part * (b - a);
        Self {
            sun_azimuth: mix(self.sun_azimuth, other.sun_azimuth),
            sun_height: mix(self.sun_height, other.sun_height),
            wind_m_s: mix(self.wind_m_s, other.wind_m_s),
            silt: mix(self.silt, other.silt),
            sight_m: mix(self.sight_m, other.sight_m),
        }
    }

    /// Returns the direction to the sun: east, north, up.
    #[must_use]
    pub fn toward_sun(&self) -> [f64; 3] {
        let (sin, cos) = self.sun_height.sin_cos();
        [-self.sun_azimuth.sin() * cos, self.sun_azimuth.cos() * cos, sin]
    }

    /// Returns the sun's light, linear: red if it is low, since its way through the air is long.
    #[must_use]
    pub fn sunlight(&self) -> [f64; 3] {
        // Kasten and Young (1989): air masses from the height in degrees.
        let height_deg = self.sun_height.to_degrees().max(0.0);
        let sin = self.sun_height.sin().max(0.0);
        let masses = 1.0 / (sin + 0.505_72 * (height_deg + 6.079_95).powf(-1.636_4));
        [0.055, 0.115, 0.25].map(|lost| 1.75 * (-lost * masses).exp())
    }

    /// Returns the mean square of the wind waves' slopes: a calm lake is smoother than a calm sea.
    #[must_use]
    pub fn slope_variance(&self) -> f64 {
        thalweg::looks::slope_variance(self.wind_m_s) - CALM
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sun_of_maps_is_in_the_north_west() {
        let [east, north, up] = Air::default().toward_sun();
        assert!((east + 0.5).abs() < 1e-6 && (north - 0.5).abs() < 1e-6 && up > 0.7);
    }

    #[test]
    fn a_low_sun_is_red_and_dim() {
        let high = Air::default().sunlight();
        let low = Air { sun_height: 0.05, ..Air::default() }.sunlight();
        assert!(low[0] < high[0] && low[0] / low[2] > 3.0 * high[0] / high[2], "{low:?} {high:?}");
    }
}
