//! Streets of a small town for films: houses with roofs along streets that fall to the east.
//!
//! Guarantees: the same bits on every machine, as for the valley: see [`crate::noise`].
//! Limits:     a stage for pictures: its houses are in rows, turned with the map's axes.

use crate::noise::{Noise, ramp};

/// Columns and rows of the map; cells are one metre wide.
pub const SIZE: [usize; 2] = [320, 224];

/// Distance from house to house along a street and from street to street, m.
const LOT_M: [f64; 2] = [19.0, 25.0];

/// Streets of a seed.
#[derive(Debug, Clone, Copy)]
pub struct Streets {
    noise: Noise,
}

impl Streets {
    /// Makes the streets of a seed.
    #[must_use]
    pub fn from_seed(seed: u64) -> Self {
        Self { noise: Noise::new(seed, 950) }
    }

    /// Returns the bed at a place, m above datum: the ground, or a roof.
    #[must_use]
    pub fn bed_m(&self, x: f64, y: f64) -> f64 {
        let hills = 16.0 * ramp((y - 112.0).abs(), 84.0, 150.0);
        let ground = 30.0 - 0.006 * x + hills + 0.25 * self.noise.at(x / 21.0, y / 21.0);
        self.roof_m(x, y).map_or(ground, |roof| 30.0 - 0.006 * x + roof)
    }

    /// Returns the height of the roof over a place, m above the street; `None` outside roofs.
    fn roof_m(&self, x: f64, y: f64) -> Option<f64> {
        let lot = [x / LOT_M[0], (y - 24.0) / LOT_M[1]].map(f64::floor);
        let is_built = (0.0..7.0).contains(&lot[1]) && (1.0..16.0).contains(&lot[0]);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few lots")]
        let number = (lot[1].max(0.0) * 64.0 + lot[0].max(0.0)) as u64;
        let draw = |step: u64| self.noise.draw(8 * number + step);
        // A market place in the middle, with a tower beside it; gaps elsewhere.
        let is_square = (7.0..9.0).contains(&lot[0]) && (3.0..4.0).contains(&lot[1]);
        if !is_built || is_square || draw(0) < 0.13 {
            return None;
        }
        let half = [5.0 + 2.4 * draw(1), 4.6 + 1.8 * draw(2)];
        let middle = [
            (lot[0] + 0.5) * LOT_M[0] + 2.4 * (draw(3) - 0.5),
            24.0 + (lot[1] + 0.5) * LOT_M[1] + 3.0 * (draw(4) - 0.5),
        ];
        let off = [(x - middle[0]).abs(), (y - middle[1]).abs()];
        let is_tower = number == 3 * 64 + 9;
        let half = if is_tower { [3.6, 3.6] } else { half };
        if off[0] > half[0] || off[1] > half[1] {
            return None;
        }
        if is_tower {
            return Some(17.0 + 1.6 * (3.6 - off[0].max(off[1])));
        }
        // A ridge along the longer side.
        let across = usize::from(half[0] > half[1]);
        Some(4.6 + 2.6 * draw(5).round() + 1.15 * (half[across] - off[across]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_houses_and_a_way_between_them() {
        let streets = Streets::from_seed(7);
        let is_roof =
            |x: u32, y: u32| streets.roof_m(f64::from(x) + 0.5, f64::from(y) + 0.5).is_some();
        let roofs = (0..224).flat_map(|y| (0..320).map(move |x| (x, y)));
        let count = roofs.filter(|(x, y)| is_roof(*x, *y)).count();
        assert!((8_000..30_000).contains(&count), "{count} m² of roofs");
        let open = (24..199).filter(|y| (0..320).all(|x| !is_roof(x, *y))).count();
        assert!(open > 12, "{open} m of streets go through");
    }
}
