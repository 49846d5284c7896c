//! Clock of the picture between two states.

use std::time::Duration;

/// Longest time in which a picture moves from one state to the next.
const LONGEST: Duration = Duration::from_millis(500);

/// Time since the newest state, and the time until the next one.
#[derive(Debug, Clone, Copy)]
pub struct PictureClock {
    since: Duration,
    interval: Duration,
    /// Seconds that ripples have run.
    pub ripple_s: f32,
}

impl Default for PictureClock {
    fn default() -> Self {
        Self { since: Duration::ZERO, interval: Duration::from_millis(100), ripple_s: 0.0 }
    }
}

impl PictureClock {
    /// Restarts the clock for a new state.
    pub fn restart(&mut self) {
        // States arrive as evenly as the simulation runs; a mean keeps the picture even too.
        let seen = self.since.min(LONGEST);
        self.interval = self.interval.mul_f32(0.75) + seen.mul_f32(0.25);
        self.since = Duration::ZERO;
    }

    /// Advances the clock by wall time; ripples run while water does.
    pub fn pass(&mut self, time: Duration, is_running: bool) {
        self.since += time;
        if is_running {
            // The texture's phase returns after 200 s: 90 whole periods.
            self.ripple_s = (self.ripple_s + time.as_secs_f32()) % 200.0;
        }
    }

    /// Returns the part of the way from the older state to the newer one, 0 to 1.
    #[must_use]
    pub fn part(&self) -> f32 {
        let interval = self.interval.max(Duration::from_millis(15));
        (self.since.as_secs_f32() / interval.as_secs_f32()).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_reach_a_state_when_the_next_is_due_and_wait_there() {
        let mut clock = PictureClock::default();
        let frame = Duration::from_millis(20);
        let mut parts = Vec::new();
        for state in 0..40 {
            for _ in 0..10 {
                clock.pass(frame, true);
                parts.push(clock.part());
            }
            if state < 39 {
                clock.restart();
            }
        }
        // States arrive every 200 ms: at the end of each the picture is there, half way it is not.
        let last = &parts[parts.len() - 10..];
        assert!((last[9] - 1.0).abs() < 0.02 && (0.4..0.6).contains(&last[4]), "{last:?}");
        clock.pass(Duration::from_secs(9), true);
        assert!(clock.part() >= 1.0);
    }
}
