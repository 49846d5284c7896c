//! Looks at a scenario before it runs: are the numbers such as ground, rain and rivers have?
//!
//! ```text
//! rows of the map ─ heights ─┬─ extremes   equal values far from all others: NoData not declared
//!                            └─ relief     normalised, noise, cut off, degrees taken for metres
//! series, roughness ─ event                spikes, missing values, water that comes too late
//! ```
//!
//! Guarantees: a look changes nothing: it gives a note of one sentence with the value and the
//!             option that mends it, or no note.
//! Limits:     a look knows no truth: a note names what is unlikely, and the run goes on.

pub mod event;
pub(crate) mod extremes;
pub(crate) mod relief;
