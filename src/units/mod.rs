//! Numbers, their meaning, and how they stay exact.
//!
//! Heights and depths are integers of a *vertical unit* of 2⁻ᵏ m ([`VerticalScale`]), volumes are
//! vertical units times cells ([`Volume`]), time is an integer count of 2⁻²⁴ s ([`SimTime`]), and
//! a rate deposits whole units so that any split of the time gives the same sum ([`RateSeries`]).
//!
//! No float ever holds a conserved quantity.

#[doc(hidden)]
pub mod elevation;
#[doc(hidden)]
pub mod hash;
#[doc(hidden)]
pub mod limits;
#[doc(hidden)]
pub mod lines;
#[doc(hidden)]
pub mod maths;
#[doc(hidden)]
pub mod plain;
pub mod rate;
pub mod time;

pub use elevation::{CEILING, OUTSIDE, VerticalScale};
pub use lines::{StageRule, StageSeries};
pub use rate::RateSeries;
pub use time::SimTime;

/// A volume: vertical units times finest cells. Exact, and never out of range.
pub type Volume = i128;
