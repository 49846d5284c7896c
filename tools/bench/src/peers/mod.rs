//! Time to the same flood: this engine's side of a comparison with published flood models.
//!
//! ```text
//! value       processor seconds of all cycles up to the end; reading and building do not count
//! steps       of the run
//! cells       stepped in a step, in the mean: those of leaves awake, dry ones among them
//! ```
//!
//! Each case runs on one thread, or on `--threads` threads, with either solver and its settings of
//! default; worlds keep the flood maps that a user of the case reads, largest depths, and write
//! nothing. `src/guide/peers.md` describes how other codes run the same cases, and the results.
//!
//! Limits:     processor time as the system counts it: programs that share cores and caches
//!             lengthen it. Other codes are not run here.

mod dam;
mod rain;
mod sample;
mod town;
mod valley;
mod work;

use crate::suite::{Bench, BenchResult, Context};

/// Measurements of whole runs.
pub const BENCHES: &[Bench] = &[
    valley::COARSE_SWE,
    valley::COARSE_PIPE,
    valley::FINE_SWE,
    valley::FINE_PIPE,
    valley::HOURS_SWE,
    valley::HOURS_PIPE,
    dam::SWE,
    dam::PIPE,
    rain::SWE,
    rain::PIPE,
    sample::SWE,
    sample::PIPE,
    town::SWE,
    town::PIPE,
];

/// Returns a bench of this suite, which runs only when named.
const fn bench(
    ids: &'static [&'static str],
    what: &'static str,
    measure: fn(&Context) -> BenchResult,
) -> Bench {
    Bench { ids, what, is_long: true, measure }
}
