//! Pace of time: when the next state is due, and the speed that was reached.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use thalweg::units::{SimTime, TICKS_PER_S};

/// Wall time between two states.
pub(super) const INTERVAL: Duration = Duration::from_millis(100);

/// Time over which the reached speed is measured.
const MEASURED: Duration = Duration::from_secs(2);

/// Slowest and fastest speed, simulated seconds for each second.
const SPEEDS: [f64; 2] = [0.01, 10_000.0];

/// Requested and reached speed of time.
pub(super) struct TimePace {
    pub is_running: bool,
    speed: f64,
    /// Time at which the next state is due.
    due: Instant,
    /// Moments of the last seconds while time passed: on the wall, and in the world.
    passed: VecDeque<(Instant, SimTime)>,
}

impl TimePace {
    pub fn new() -> Self {
        let (due, passed) = (Instant::now(), VecDeque::new());
        Self { is_running: false, speed: 10.0, due, passed }
    }

    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// Sets the speed, clamped to the possible ones.
    pub fn set_speed(&mut self, speed: f64) {
        if !speed.is_nan() {
            self.speed = speed.clamp(SPEEDS[0], SPEEDS[1]);
        }
        self.passed.clear();
    }

    pub fn run(&mut self, is_running: bool) {
        if is_running != self.is_running {
            (self.is_running, self.due) = (is_running, Instant::now());
            self.passed.clear();
        }
    }

    /// Ignores a jump of the world's time in the reached speed.
    pub fn jump(&mut self) {
        self.passed.clear();
    }

    /// Returns the moment of the next state: the next whole multiple of the span between two.
    pub fn target(&self, now: SimTime) -> SimTime {
        let tenths = SimTime::from_seconds(self.speed * INTERVAL.as_secs_f64());
        let span = tenths.ticks().max(TICKS_PER_S >> 16);
        SimTime::from_ticks((now.ticks() / span + 1) * span)
    }

    /// Returns the time until the next state is due.
    pub fn left(&self) -> Duration {
        self.due.saturating_duration_since(Instant::now())
    }

    /// Records a state: the next one is due an interval later, if the machine is fast enough.
    pub fn reached(&mut self, time: SimTime, is_whole: bool) {
        let now = Instant::now();
        if is_whole {
            self.due = (self.due + INTERVAL).max(now);
        }
        self.passed.push_back((now, time));
        let is_old = |at: &(Instant, SimTime)| now.duration_since(at.0) > MEASURED;
        while self.passed.len() > 2 && self.passed.front().is_some_and(is_old) {
            self.passed.pop_front();
        }
    }

    /// Returns the recent simulated seconds for each second; 0 while time is stopped.
    pub fn reached_speed(&self) -> f64 {
        let (Some(first), Some(last)) = (self.passed.front(), self.passed.back()) else {
            return 0.0;
        };
        let wall_s = last.0.duration_since(first.0).as_secs_f64();
        let world_s = last.1.seconds() - first.1.seconds();
        if wall_s > 0.0 { world_s / wall_s } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_told_at_whole_multiples() {
        let mut pace = TimePace::new();
        pace.set_speed(30.0);
        for (now_s, next_s) in [(0.0, 3.0), (2.9, 3.0), (3.0, 6.0), (4.0, 6.0)] {
            let target = pace.target(SimTime::from_seconds(now_s));
            assert_eq!(target, SimTime::from_seconds(next_s), "{now_s}");
        }
        pace.set_speed(1.0e9);
        assert!((pace.speed() - 10_000.0).abs() < 1.0e-9);
    }
}
