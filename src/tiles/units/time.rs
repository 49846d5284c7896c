//! Simulated time: an integer count of 2⁻²⁴ s.

use serde::{Deserialize, Serialize};

/// Ticks in a second.
// A power of two: below 2⁵³ ticks an `f64` has the seconds exactly.
pub const TICKS_PER_S: u64 = 1 << 24;

/// A moment of simulated time, or a span of it, in ticks of 2⁻²⁴ s.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SimTime(u64);

impl SimTime {
    /// The beginning.
    pub const ZERO: Self = Self(0);
    /// The last possible moment: 8000 years.
    // A quarter of the range of a `u64`: the sum of any two moments fits.
    pub const MAX: Self = Self(1 << 62);

    /// Returns a moment of `ticks` of 2⁻²⁴ s.
    #[must_use]
    pub const fn from_ticks(ticks: u64) -> Self {
        Self(ticks)
    }

    /// Returns the moment nearest to `seconds`: the beginning for negative ones and NaN,
    /// [`SimTime::MAX`] for seconds beyond it.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded here")]
    pub fn from_seconds(seconds: f64) -> Self {
        let ticks = (seconds * 16_777_216.0 + 0.5).floor();
        // 4·10¹⁸ is below 2⁶², so the cast below never passes `MAX`. A NaN fails both comparisons.
        if ticks >= 4.0e18 {
            Self::MAX
        } else if ticks > 0.0 {
            Self(ticks as u64)
        } else {
            Self::ZERO
        }
    }

    /// Returns the ticks since the beginning.
    #[must_use]
    pub const fn ticks(self) -> u64 {
        self.0
    }

    /// Returns the seconds since the beginning, rounded to an `f64`.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "2⁵³ ticks are 17 years")]
    pub fn seconds(self) -> f64 {
        self.0 as f64 / 16_777_216.0
    }

    /// Returns the moment `ticks` after this one.
    #[must_use]
    pub const fn after(self, ticks: u64) -> Self {
        Self(self.0 + ticks)
    }

    /// Returns the ticks from `earlier` to this moment; 0 if it is not earlier.
    #[must_use]
    pub const fn since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}
