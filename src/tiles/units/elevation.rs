//! Elevations and depths as integers of a vertical unit.
//!
//! ```text
//! elevation in metres = datum + units · 2⁻ᵏ          k = 18 … 24
//! ```
//!
//! Guarantees: beds and stages are within ±(2³⁰ − 1) units, so the sum or difference of two fits an
//!             `i32`: the range proof of the kernels.
//! Limits:     ±4096 m around the datum at k = 18, ±64 m at k = 24.
//! Source:     own.

use std::fmt;

/// Highest stage of a world, vertical units above its datum.
pub const CEILING: i32 = (1 << 30) - 1;

/// Largest depth of a cell, vertical units: from the lowest possible bed up to the ceiling.
pub const DEPTH_MOST: i32 = 2 * CEILING;

/// A depth, vertical units. The sum of two does not fit an `i32`: it is an `i64`.
///
/// One depth, and the difference of two, fit an `i32` (see the page of this module). The sum of two
/// does not: kernels take it as an `f32`, and all remaining code uses this type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Depth(pub i32);

impl std::ops::Add for Depth {
    type Output = i64;

    /// Returns the sum, vertical units.
    #[inline(always)]
    fn add(self, other: Self) -> i64 {
        i64::from(self.0) + i64::from(other.0)
    }
}

impl Depth {
    /// Returns the depth after a change, at least 0 and at most [`DEPTH_MOST`], vertical units.
    #[must_use]
    pub fn changed(self, change: i32) -> i32 {
        let changed = (self + Self(change)).clamp(0, DEPTH_MOST.into());
        i32::try_from(changed).unwrap_or(DEPTH_MOST)
    }
}

/// The bed of a cell outside the world: at the ceiling, so that every face beside it is closed.
pub const OUTSIDE: i32 = CEILING;

/// Range of the exponent k.
pub const EXPONENTS: std::ops::RangeInclusive<u8> = 18..=24;

/// The vertical unit of a world and its zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VerticalScale {
    exponent: u8,
    datum_m: f64,
}

/// Why elevations do not fit a vertical scale.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ScaleError {
    /// The terrain's range and the headroom together exceed the coarsest unit.
    RangeTooLarge {
        /// Lowest bed, m.
        low_m: f64,
        /// Highest bed, m.
        high_m: f64,
        /// Headroom requested, m.
        headroom_m: f64,
    },
    /// A number is not finite, or the lowest bed is above the highest.
    NotARange {
        /// Lowest bed, m.
        low_m: f64,
        /// Highest bed, m.
        high_m: f64,
    },
    /// The exponent is not one of 18 … 24.
    Exponent(u8),
    /// An elevation is outside the range of the scale.
    OutOfRange {
        /// The elevation, m.
        elevation_m: f64,
        /// Lowest elevation of the scale, m.
        low_m: f64,
        /// Highest elevation of the scale, m.
        high_m: f64,
    },
}

impl fmt::Display for ScaleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RangeTooLarge { low_m, high_m, headroom_m } => write!(
                f,
                "heights from {low_m} to {high_m} m with {headroom_m} m of headroom span more than \
                 the 8192 m a world can hold: cut the map, or ask for less headroom"
            ),
            Self::NotARange { low_m, high_m } => {
                write!(f, "heights from {low_m} to {high_m} m are no range: give finite heights")
            }
            Self::Exponent(k) => {
                write!(f, "vertical units of 2^-{k} m are not offered: choose 18 to 24")
            }
            Self::OutOfRange { elevation_m, low_m, high_m } => write!(
                f,
                "elevation {elevation_m} m lies outside this world's {low_m} to {high_m} m: \
                 choose a smaller exponent or another datum"
            ),
        }
    }
}

impl std::error::Error for ScaleError {}

impl VerticalScale {
    /// Returns a scale of 2^−`exponent` m above `datum_m`.
    ///
    /// # Errors
    ///
    /// [`ScaleError::Exponent`] outside 18 … 24, [`ScaleError::NotARange`] if the datum is not a
    /// finite number.
    pub fn try_new(exponent: u8, datum_m: f64) -> Result<Self, ScaleError> {
        if !EXPONENTS.contains(&exponent) {
            return Err(ScaleError::Exponent(exponent));
        }
        if !datum_m.is_finite() {
            return Err(ScaleError::NotARange { low_m: datum_m, high_m: datum_m });
        }
        Ok(Self { exponent, datum_m })
    }

    /// Returns the finest scale with room for beds from `low_m` to `high_m` and `headroom_m` above
    /// them. Its datum is the middle of the beds, in whole metres.
    ///
    /// # Errors
    ///
    /// [`ScaleError::RangeTooLarge`] if even k = 18 has not enough room.
    ///
    /// # Examples
    ///
    /// ```
    /// use thalweg::units::VerticalScale;
    /// let scale = VerticalScale::choose(315.0, 2295.0, 200.0).unwrap();
    /// assert_eq!((scale.exponent(), scale.datum_m()), (19, 1305.0));
    /// ```
    pub fn choose(low_m: f64, high_m: f64, headroom_m: f64) -> Result<Self, ScaleError> {
        let is_range = low_m.is_finite() && high_m.is_finite() && low_m <= high_m;
        if !is_range || headroom_m.is_nan() {
            return Err(ScaleError::NotARange { low_m, high_m });
        }
        let datum_m = (f64::midpoint(low_m, high_m)).round();
        // A metre of reserve: a bed, once rounded, must lie strictly below the ceiling of 2³⁰ − 1
        // units.
        let most = (high_m - datum_m + headroom_m.max(0.0)).max(datum_m - low_m) + 1.0;
        EXPONENTS
            .rev()
            .find(|&k| most <= f64::from(1 << (30 - k)))
            .map(|exponent| Self { exponent, datum_m })
            .ok_or(ScaleError::RangeTooLarge { low_m, high_m, headroom_m })
    }

    /// Returns the exponent k: a unit is 2⁻ᵏ m.
    #[must_use]
    pub fn exponent(&self) -> u8 {
        self.exponent
    }

    /// Returns the elevation of unit 0, m.
    #[must_use]
    pub fn datum_m(&self) -> f64 {
        self.datum_m
    }

    /// Returns the number of vertical units in a metre.
    #[must_use]
    pub fn units_per_m(&self) -> f64 {
        f64::from(1_u32 << self.exponent)
    }

    /// Returns the metres in a vertical unit.
    #[must_use]
    pub fn unit_m(&self) -> f64 {
        1.0 / self.units_per_m()
    }

    /// Returns the elevation in metres of `units` above the datum.
    #[must_use]
    pub fn metres(&self, units: i32) -> f64 {
        self.datum_m + f64::from(units) * self.unit_m()
    }

    /// Returns the depth in metres of `units`.
    #[must_use]
    pub fn depth_m(&self, units: i32) -> f64 {
        f64::from(units) * self.unit_m()
    }

    /// Returns the units of a depth in metres, to the nearest; `None` if it is negative, infinite
    /// or not a number.
    #[must_use]
    pub fn depth_units(&self, metres: f64) -> Option<i32> {
        let units = (metres * self.units_per_m() + 0.5).floor();
        #[expect(clippy::cast_possible_truncation, reason = "bounded here")]
        (metres >= 0.0 && units <= f64::from(i32::MAX)).then_some(units as i32)
    }

    /// Returns the units above the datum of an elevation in metres, to the nearest multiple of
    /// 2^−`bed_exponent` m (the unit itself if that is coarser).
    ///
    /// # Errors
    ///
    /// [`ScaleError::OutOfRange`] if the elevation is not below the ceiling, or not a number.
    pub fn elevation(&self, metres: f64, bed_exponent: u8) -> Result<i32, ScaleError> {
        let shift = self.exponent.saturating_sub(bed_exponent);
        // Half up, as means of beds are rounded; `round` would go down below the datum.
        let steps =
            ((metres - self.datum_m) * f64::from(1 << (self.exponent - shift)) + 0.5).floor();
        let units = steps * f64::from(1 << shift);
        if units.abs() < f64::from(CEILING) {
            #[expect(clippy::cast_possible_truncation, reason = "bounded one line above")]
            return Ok(units as i32);
        }
        let reach = f64::from(CEILING) * self.unit_m();
        Err(ScaleError::OutOfRange {
            elevation_m: metres,
            low_m: self.datum_m - reach,
            high_m: self.datum_m + reach,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_choice(low: f64, high: f64, headroom: f64, expected: Option<(u8, f64)>) {
        let got = VerticalScale::choose(low, high, headroom).ok();
        assert_eq!(got.map(|s| (s.exponent(), s.datum_m())), expected, "{low} … {high} m");
    }

    #[test]
    fn chooses_the_finest_unit_that_holds_the_terrain_and_its_headroom() {
        check_choice(0.0, 50.0, 200.0, Some((22, 25.0)));
        check_choice(0.0, 1.0, 10.0, Some((24, 1.0)));
        check_choice(26.0, 3370.0, 200.0, Some((19, 1698.0)));
        check_choice(-400.0, 8848.0, 200.0, None);
        check_choice(-100.0, 7000.0, 200.0, Some((18, 3450.0)));
        check_choice(f64::NAN, 1.0, 10.0, None);
        check_choice(2.0, 1.0, 10.0, None);
    }

    #[test]
    fn beds_are_rounded_to_their_own_step() {
        let scale = VerticalScale::try_new(20, 100.0).expect("in range");
        for (metres, units) in [(100.0, 0), (100.5, 1 << 19), (100.000_4, 0), (99.999, -1024)] {
            assert_eq!(scale.elevation(metres, 10), Ok(units), "{metres} m");
        }
        assert_eq!(scale.elevation(100.0 + 1.0 / 1_048_576.0, 24), Ok(1));
        for metres in [1124.0, -924.0, f64::NAN, f64::INFINITY] {
            assert!(scale.elevation(metres, 10).is_err(), "{metres} m");
        }
    }
}
