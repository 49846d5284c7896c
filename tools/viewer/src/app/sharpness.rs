//! Size at which the picture is drawn: smaller while it moves on a slow machine, so that it keeps
//! moving; as large as the window when it is still.

use std::time::Duration;

/// Longest acceptable time of a frame, and the time below which the picture gets larger again.
const SLOW: Duration = Duration::from_millis(34);
const QUICK: Duration = Duration::from_millis(24);

/// Time without a change after which the picture counts as still.
const STILL: Duration = Duration::from_millis(250);

/// Smallest side of the picture as a part of the window's, and the step of that part, a sixteenth.
const LEAST: f32 = 0.375;
const STEP: f32 = 0.0625;

/// Side of the picture as a part of the window's.
#[derive(Debug, Clone, Copy)]
pub struct Sharpness {
    moving: f32,
    /// Largest side that has not been too slow; below 1 each pixel shows less detail, too.
    most: f32,
    mean: Duration,
    still: Duration,
    frames: u32,
}

impl Default for Sharpness {
    fn default() -> Self {
        Self { moving: 1.0, most: 1.0, mean: QUICK, still: Duration::ZERO, frames: 0 }
    }
}

impl Sharpness {
    /// True if the picture is still.
    #[must_use]
    pub fn is_still(&self) -> bool {
        self.still >= STILL
    }

    /// Takes the time of a frame; returns the side of the next one.
    pub fn next(&mut self, since: Duration, is_moving: bool) -> f32 {
        if !is_moving {
            self.still += since;
            return if self.is_still() { 1.0 } else { self.moving };
        }
        if self.is_still() {
            // The frame before was a large one, unlike the next ones.
            (self.still, self.frames) = (Duration::ZERO, 0);
            return self.moving;
        }
        self.still = Duration::ZERO;
        self.frames += 1;
        let weight = if self.frames < 3 { 0.6 } else { 0.25 };
        self.mean = self.mean.mul_f32(1.0 - weight) + since.min(20 * SLOW).mul_f32(weight);
        let is_slow = self.mean > SLOW && self.moving > LEAST;
        if is_slow && (self.frames >= 5 || self.mean > 3 * SLOW) {
            // The time is proportional to the number of pixels.
            let fit = (SLOW.as_secs_f32() / self.mean.as_secs_f32()).sqrt().clamp(0.4, 0.97);
            self.most = self.most.min(1.0 - STEP);
            self.settle(((self.moving * fit / STEP).floor() * STEP).max(LEAST));
        } else if self.frames >= 5 && self.mean < QUICK && self.moving < self.most {
            self.settle((self.moving + STEP).min(self.most));
        }
        self.moving
    }

    fn settle(&mut self, side: f32) {
        (self.moving, self.frames, self.mean) = (side, 0, (SLOW + QUICK) / 2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_machine_draws_less_while_it_moves_and_all_when_it_stands() {
        let mut sharpness = Sharpness::default();
        // A frame takes 80 ms at full size, and at least 5 ms.
        let cost = |side: f32| Duration::from_secs_f32(0.005 + 0.075 * side * side);
        let mut side = 1.0;
        for _ in 0..100 {
            side = sharpness.next(cost(side), true);
        }
        assert!(cost(side) < Duration::from_millis(36) && side > 0.4, "{side}");
        for _ in 0..10 {
            side = sharpness.next(cost(side), false);
        }
        assert!(side >= 1.0);
        side = sharpness.next(cost(side), true);
        assert!(side < 0.7, "{side}");
    }

    #[test]
    fn a_quick_machine_draws_all() {
        let mut sharpness = Sharpness::default();
        assert!((0..50).all(|_| sharpness.next(Duration::from_millis(16), true) >= 1.0));
    }
}
