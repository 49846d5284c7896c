//! Numbers, their meaning, and how they stay exact.
//!
//! Heights and depths are integers of a *vertical unit* of 2⁻ᵏ m ([`VerticalScale`]), volumes are
//! vertical units times cells ([`Volume`]), time is an integer count of 2⁻²⁴ s ([`SimTime`]), and
//! a rate deposits whole units so that any split of the time gives the same sum ([`RateSeries`]).
//!
//! No conserved quantity is ever stored in a float.
//!
//! # One arithmetic
//!
//! A processor and a graphics card step the same water to the bit (`src/guide/card.md`). So the
//! step uses only these operations, even on machines with more of them:
//!
//! | operation | rule |
//! | --- | --- |
//! | sum, difference, product of floats | rounded once each, never contracted or reordered |
//! | quotient, root | rounded once each, as IEEE 754 requires |
//! | larger and smaller of two | by comparison, the second if they are equal ([`maths::max`]) |
//! | cube root | the iteration of [`maths::inverse_cube_root`], line by line |
//! | small discharges and velocities | below 2⁻⁴⁰ they are 0, and never −0 ([`maths::flush`]) |
//! | float to integer | within ±2³⁰: `⌊x⌋ + [r < x − ⌊x⌋]`, r the draw of place and step |
//! | draws | 24 bits of a hash in 32-bit words, keyed by row with 64-bit words |
//! | limits | shares are `⌊dv · h / Σ⌋` with 64-bit products (`src/tiles/flow/limiter.rs`) |
//! | sums over cells | of integers; over floats only the largest is taken |
//!
//! Therefore no square of a discharge or a velocity is subnormal. One function rounds
//! (`src/tiles/flow/transfer.rs`). Constants of a step are calculated on the processor in `f64`
//! and rounded to `f32` once.

pub mod checked;
pub mod elevation;
pub mod hash;
pub mod limits;
pub mod lines;
pub mod maths;
pub mod plain;
pub mod rate;
pub mod time;

pub use elevation::{CEILING, OUTSIDE, VerticalScale};
pub use elevation::{DEPTH_MOST, Depth};
pub use lines::{StageRule, StageSeries};
pub use rate::RateSeries;
pub use time::SimTime;

/// A volume: vertical units times finest cells. Exact, and never out of range.
pub type Volume = i128;
