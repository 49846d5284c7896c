//! Rates over time that deposit whole units.
//!
//! A rate is an integer in 2⁻⁶⁴ units per tick. Over an interval it has deposited
//! `⌊R·t₁⌋ − ⌊R·t₀⌋`, t counted from the interval's start, with 128-bit products:
//!
//! ```text
//! constant  C(t) = ⌊R t / 2⁶⁴⌋
//! ramp      C(t) = ⌊R₀ t / 2⁶⁴⌋ + ⌊D t² / (2 T) / 2³²⌋      D = R₁ − R₀ in 2⁻³² units per tick
//! ```
//!
//! Guarantees: nothing is rounded away over an interval, no remainder is stored, any split of the
//!             time gives the same sum (`any_split_gives_the_same`), the sum never falls.
//! Limits:     rates from 0 to 2¹⁶ units per tick (at k = 20, 1000 km of water a second), points
//!             within 185 days of the beginning.
//! Source:     own.

use crate::units::SimTime;
use serde::Serialize;

/// Rates are counted in 2⁻⁶⁴ units per tick.
const ONE: f64 = 18_446_744_073_709_551_616.0;

/// The latest point of a series, s from the beginning: 185 days.
// A round number below 2²⁴ s: spans stay below 2⁴⁸ ticks, as `ramp_units` needs.
pub const SERIES_SECONDS_MOST: f64 = 1.6e7;

/// The course of a series from one point to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RateCourse {
    /// Each value applies until the next point: a hyetograph.
    Steps,
    /// Values are joined by straight lines: a hydrograph.
    Lines,
}

/// One interval: its start and length in ticks, its rates in 2⁻⁶⁴ units per tick, and the units
/// deposited before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
struct Interval {
    start: u64,
    ticks: u64,
    rate: u128,
    rate_end: u128,
    #[serde(skip)]
    before: u128,
}

/// A rate over time, zero before its first and after its last point.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RateSeries {
    intervals: Vec<Interval>,
}

/// Why points are no rate series.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum SeriesError {
    /// The series has no point.
    Empty,
    /// The point's time is not after the one before it.
    Unsorted {
        /// Index of the point.
        index: usize,
    },
    /// The point's time is negative, beyond 185 days or not a number.
    Time {
        /// Index of the point.
        index: usize,
    },
    /// The point's value is negative, too large or not a number.
    Value {
        /// Index of the point.
        index: usize,
    },
}

impl std::fmt::Display for SeriesError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Empty => write!(f, "the series has no points: give at least one time and value"),
            Self::Unsorted { index } => write!(
                f,
                "point {} is not later than the one before it: sort the series by time",
                index + 1
            ),
            Self::Time { index } => write!(
                f,
                "the time of point {} is no number from 0 to 185 days: count from the start of \
                 the run",
                index + 1
            ),
            Self::Value { index } => {
                write!(f, "the value of point {} is negative, too large or no number", index + 1)
            }
        }
    }
}

impl std::error::Error for SeriesError {}

impl RateSeries {
    /// Returns the bytes that the series occupies.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of_val(&self.intervals[..])
    }

    /// Returns a series whose rate is 0 at all times.
    #[must_use]
    pub fn none() -> Self {
        Self { intervals: Vec::new() }
    }

    /// Returns a series through `points`: seconds, and units per second.
    ///
    /// The last point of [`RateCourse::Steps`] only ends the series: its value does not count. A
    /// single point applies for ever.
    ///
    /// # Errors
    ///
    /// [`SeriesError`] names the first point that is out of order or out of range.
    pub fn try_new(points: &[(f64, f64)], course: RateCourse) -> Result<Self, SeriesError> {
        let mut fixed = Vec::with_capacity(points.len());
        for (index, &(seconds, rate)) in points.iter().enumerate() {
            let per_tick = rate / 16_777_216.0;
            // Both conditions are negated, so that a NaN is refused as well.
            if !(0.0..=SERIES_SECONDS_MOST).contains(&seconds) {
                return Err(SeriesError::Time { index });
            }
            if !(0.0..=65_536.0).contains(&per_tick) {
                return Err(SeriesError::Value { index });
            }
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
            fixed.push((SimTime::from_seconds(seconds).ticks(), (per_tick * ONE) as u128));
        }
        if let [(start, rate)] = fixed[..] {
            let ticks = SimTime::MAX.ticks();
            let forever = Interval { start, ticks, rate, rate_end: rate, before: 0 };
            return Ok(Self { intervals: vec![forever] });
        }
        if fixed.is_empty() {
            return Err(SeriesError::Empty);
        }
        let mut intervals: Vec<Interval> = Vec::with_capacity(fixed.len());
        let mut before = 0;
        for (index, pair) in fixed.windows(2).enumerate() {
            let ((start, rate), (end, next)) = (pair[0], pair[1]);
            if end <= start {
                return Err(SeriesError::Unsorted { index: index + 1 });
            }
            let rate_end = if course == RateCourse::Lines { next } else { rate };
            let interval = Interval { start, ticks: end - start, rate, rate_end, before };
            before += interval.deposited_by(end);
            intervals.push(interval);
        }
        Ok(Self { intervals })
    }

    /// Returns a series through `points` whose values are multiplied by `factor`: seconds, and
    /// units per second over the factor.
    ///
    /// # Errors
    ///
    /// The errors of [`RateSeries::try_new`].
    pub fn scaled(
        points: &[(f64, f64)],
        factor: f64,
        course: RateCourse,
    ) -> Result<Self, SeriesError> {
        let points: Vec<_> = points.iter().map(|&(time, value)| (time, value * factor)).collect();
        Self::try_new(&points, course)
    }

    /// Returns the units deposited from `from` to `to`.
    #[must_use]
    pub fn deposited(&self, from: SimTime, to: SimTime) -> u128 {
        self.deposited_by(to) - self.deposited_by(from)
    }

    /// Returns the units deposited up to a moment.
    #[must_use]
    pub fn deposited_by(&self, time: SimTime) -> u128 {
        let tick = time.ticks();
        let begun = self.intervals.partition_point(|interval| interval.start <= tick);
        let last = self.intervals[..begun].last();
        last.map_or(0, |interval| interval.before + interval.deposited_by(tick))
    }
}

impl Interval {
    /// Returns the sum C(t) of the module page, with `tick` cut to the interval.
    fn deposited_by(&self, tick: u64) -> u128 {
        let t = u128::from(tick.saturating_sub(self.start).min(self.ticks));
        let low = self.rate.min(self.rate_end);
        let base = wide_product_high(low, t);
        if self.rate == self.rate_end {
            return base;
        }
        let span = u128::from(self.ticks);
        // Cut to 2⁻³² units a tick, so at most 2⁴⁸: the product in `ramp_units` must fit 128 bits.
        let steep = (self.rate.max(self.rate_end) - low) >> 32;
        let ramp = |t: u128| ramp_units(steep, t, span);
        // A falling ramp is a rising one run backwards, so that its sum never falls either.
        let slope = if self.rate < self.rate_end { ramp(t) } else { ramp(span) - ramp(span - t) };
        base + slope
    }
}

/// Returns `⌊a · t / 2⁶⁴⌋` for a < 2⁸¹ and t < 2⁶³, without overflow.
fn wide_product_high(a: u128, t: u128) -> u128 {
    let (high, low) = (a >> 64, a & u128::from(u64::MAX));
    // The product a · t may have 144 bits; its two parts have 80 and 127.
    high * t + ((low * t) >> 64)
}

/// Returns `⌊d · t² / (2 T) / 2³²⌋` for d < 2⁴⁹, t ≤ T < 2⁴⁸: the square is split so that it fits.
fn ramp_units(d: u128, t: u128, span: u128) -> u128 {
    // t²/(2T) in 2⁻³² ticks, then times d: below 2⁷⁹ and 2¹²⁸.
    let mean = ((t * t) << 31) / span;
    (mean * d) >> 64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::hash::scramble;

    fn at(seconds: f64) -> SimTime {
        SimTime::from_seconds(seconds)
    }

    #[test]
    fn a_constant_rate_deposits_its_product_to_the_unit() {
        let evaporation = 0.005 / 86_400.0 * 1_048_576.0;
        let series =
            RateSeries::try_new(&[(0.0, evaporation)], RateCourse::Steps).expect("in range");
        assert_eq!(series.deposited(at(0.0), at(86_400.0 * 100.0)), 524_287);
    }

    #[test]
    fn a_hydrograph_deposits_its_trapezia() {
        let points = [(0.0, 0.0), (100.0, 50.0), (300.0, 10.0)];
        let series = RateSeries::try_new(&points, RateCourse::Lines).expect("in range");
        assert!(series.deposited(at(0.0), at(100.0)).abs_diff(2500) <= 1);
        assert!(series.deposited(at(100.0), at(300.0)).abs_diff(6000) <= 1);
        assert!(series.deposited(at(0.0), at(50.0)).abs_diff(625) <= 1);
        assert_eq!(series.deposited(at(300.0), at(400.0)), 0);
    }

    #[test]
    fn any_split_gives_the_same() {
        let points = [(1.0, 3.7), (7.3, 120.0), (9.0, 0.1), (55.5, 0.1), (60.0, 0.0)];
        for course in [RateCourse::Steps, RateCourse::Lines] {
            let series = RateSeries::try_new(&points, course).expect("in range");
            let whole = series.deposited(at(0.0), at(70.0));
            for seed in 0..200 {
                let (mut tick, mut sum, mut draw) = (0, 0, seed);
                let end = at(70.0).ticks();
                while tick < end {
                    draw = scramble(draw + 1);
                    let next = (tick + draw % 40_000_000).min(end);
                    sum += series.deposited(SimTime::from_ticks(tick), SimTime::from_ticks(next));
                    tick = next;
                }
                assert_eq!(sum, whole, "seed {seed}, {course:?}");
            }
        }
    }

    #[test]
    fn bad_points_are_named() {
        let check = |points: &[(f64, f64)], error| {
            assert_eq!(RateSeries::try_new(points, RateCourse::Lines), Err(error), "{points:?}");
        };
        check(&[], SeriesError::Empty);
        check(&[(0.0, 1.0), (0.0, 2.0)], SeriesError::Unsorted { index: 1 });
        check(&[(0.0, -1.0)], SeriesError::Value { index: 0 });
        check(&[(0.0, 1.0), (f64::NAN, 1.0)], SeriesError::Time { index: 1 });
        check(&[(-5.0, 1.0)], SeriesError::Time { index: 0 });
        check(&[(0.0, f64::INFINITY)], SeriesError::Value { index: 0 });
    }
}
