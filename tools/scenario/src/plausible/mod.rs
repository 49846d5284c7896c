//! Checks of a scenario before it runs: are the numbers such as ground, rain and rivers have?
//!
//! ```text
//! rows of the map ─ heights ─┬─ extremes   equal values far from all others: NoData not declared
//!                            └─ relief     normalised, noise, cut off, degrees taken for metres
//! series, roughness ─ event                spikes, missing values, water that comes too late
//! ```
//!
//! Guarantees: a check changes nothing: it returns a note of one sentence with the value and the
//!             option that corrects it, or no note.
//! Limits:     a note names a value that is unlikely, but may be right, and the run continues.

pub mod event;
pub(crate) mod extremes;
pub(crate) mod relief;
