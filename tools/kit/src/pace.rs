//! Time left of some work, from its speed of late.
//!
//! ```text
//! left = (1 − share done) / speed          speed: over the last 30 s, or third of the work
//! ```
//!
//! The first seconds of a work are no measure of the rest: files are cold, threads start, nothing
//! flows yet. An estimate from all of the time so far carries them along, and rises for minutes.
//!
//! Guarantees: no time is given before the work has run for some seconds at an even speed; later,
//!             the time given rises only if the work has slowed by a quarter.
//! Limits:     the future is unknown: water that spreads slows a run, and the time left with it.

use std::collections::VecDeque;

/// Time before which the time left is unknown, s.
const SETTLING_S: f64 = 4.0;
/// Shortest time over which the speed is measured, s.
const WINDOW_LEAST_S: f64 = 30.0;
/// Part of the time so far over which the speed is measured.
const WINDOW_PART: f64 = 1.0 / 3.0;
/// Most that the two halves of the measured time may differ in speed before a time is given.
const UNEVEN_MOST: f64 = 1.3;
/// Growth of the time left from which it is given as it is.
const SLOWED: f64 = 1.25;

/// Readings of a work's share over time.
#[derive(Debug, Default)]
pub(crate) struct WorkPace {
    /// Seconds since the beginning, and the share done.
    readings: VecDeque<(f64, f64)>,
    /// The time left that was given last, s.
    given_s: Option<f64>,
}

impl WorkPace {
    /// Adds a reading, and returns the time left in s, rounded, as soon as it can be estimated.
    pub fn left_s(&mut self, elapsed_s: f64, share: f64) -> Option<f64> {
        self.readings.push_back((elapsed_s, share));
        let window_s = WINDOW_LEAST_S.max(elapsed_s * WINDOW_PART);
        while self.readings.get(1).is_some_and(|(at, _)| elapsed_s - at >= window_s) {
            self.readings.pop_front();
        }
        let speed = self.speed()?;
        let left_s = (1.0 - share) / speed;
        let left_s = match self.given_s {
            Some(given_s) if left_s < SLOWED * given_s => left_s.min(given_s),
            _ => left_s,
        };
        self.given_s = Some(left_s);
        Some(rounded(left_s))
    }

    /// Returns the share of the work done per second of late, if it can be measured.
    fn speed(&self) -> Option<f64> {
        let (first, last) = (self.readings.front()?, self.readings.back()?);
        let half_s = f64::midpoint(first.0, last.0);
        let between = self.readings.range(1..self.readings.len().max(2) - 1);
        let middle = between.clone().find(|(at, _)| *at >= half_s).or(between.last())?;
        let speed = |from: &(f64, f64), to: &(f64, f64)| (to.1 - from.1) / (to.0 - from.0);
        let (early, late) = (speed(first, middle), speed(middle, last));
        let is_even = late <= UNEVEN_MOST * early && early <= UNEVEN_MOST * late;
        let is_known = last.0 - first.0 >= SETTLING_S && (is_even || self.given_s.is_some());
        Some(speed(first, last)).filter(|speed| is_known && *speed > 0.0)
    }
}

/// Rounds up to 5 s, from a minute on to 10 s, from ten minutes on to minutes.
fn rounded(left_s: f64) -> f64 {
    let step_s = match left_s {
        s if s < 60.0 => 5.0,
        s if s < 600.0 => 10.0,
        _ => 60.0,
    };
    (left_s / step_s).ceil() * step_s
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the times left that are given over a work of `all_s`, which has done `share(t)`
    /// after `t` s, read every `every_s`.
    fn given(all_s: f64, every_s: f64, share: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
        let mut pace = WorkPace::default();
        let count = (1..).take_while(|index| f64::from(*index) * every_s < all_s);
        let times = count.map(|index| f64::from(index) * every_s);
        times.filter_map(|at| Some((at, pace.left_s(at, share(at))?))).collect()
    }

    /// Goal: a start that is slow or fast gives no time that rises afterwards. Method: works with
    /// an even speed after a start, in steps of the bar and of lines.
    #[test]
    fn times_left_do_not_rise_after_a_start() {
        let all_s = 200.0;
        let even = |at: f64| at / all_s;
        let slow = |at: f64| ((at - 6.0) / (all_s - 6.0)).max(0.0);
        let fast =
            |at: f64| 0.1 * (at / 2.0).min(1.0) + 0.9 * ((at - 2.0) / (all_s - 2.0)).max(0.0);
        let shares: [(&str, &dyn Fn(f64) -> f64); 3] =
            [("even", &even), ("slow", &slow), ("fast", &fast)];
        for (name, share) in shares {
            for every_s in [0.25, 10.0] {
                let given = given(all_s, every_s, share);
                assert!(given.len() > 10, "{name} {every_s}: {given:?}");
                let is_falling = given.windows(2).all(|pair| pair[1].1 <= pair[0].1);
                assert!(is_falling, "{name} {every_s}: {given:?}");
                let (at, left_s) = given[given.len() / 2];
                let off = left_s - (all_s - at);
                assert!((-10.0..=20.0).contains(&off), "{name} {every_s}: {off} s at {at} s");
            }
        }
    }

    /// Goal: work that slows for good has its time left within a window.
    #[test]
    fn work_that_slows_is_given_more_time() {
        let share = |at: f64| if at < 50.0 { at / 100.0 } else { 0.5 + (at - 50.0) / 800.0 };
        let given = given(450.0, 1.0, share);
        let at = |time: f64| given.iter().find(|(at, _)| *at >= time).expect("known").1;
        assert!(at(45.0) < 70.0 && (300.0..360.0).contains(&at(110.0)), "{given:?}");
    }

    #[test]
    fn nothing_is_given_before_it_is_known() {
        for (readings, is_known) in [
            (&[(1.0, 0.1), (2.0, 0.2)][..], false),
            (&[(1.0, 0.0), (4.0, 0.0), (9.0, 0.0)], false),
            (&[(1.0, 0.5), (5.0, 0.51), (9.0, 0.52)], true),
            (&[(1.0, 0.5), (4.0, 0.8), (9.0, 0.81)], false),
        ] {
            let mut pace = WorkPace::default();
            let last = readings.iter().filter_map(|(at, share)| pace.left_s(*at, *share)).last();
            assert_eq!(last.is_some(), is_known, "{readings:?}");
        }
    }
}
