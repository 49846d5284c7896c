//! Comparison of a card with the functions of thalweg, and the choice of routes.
//!
//! Each [`Trial`] runs one operation on seeded words on the card and on the processor. Words lean
//! to the edges: significands of all zeros or ones, sums that cancel, places that wrap.
//!
//! ```text
//! barrier on products ── quotients and roots: native, fma, integer ── every trial ── whole steps
//!        └─ differs ── barrier on all results ── the same again ── differs ── Failure
//! ```
//!
//! Whole steps of both solvers, over fronts, thin films, falls and deep water, some of it with
//! tracers, are compared by their state hash: the compiler of a card sees those kernels, not the
//! trials.
//!
//! Guarantees: a choice has the bits of thalweg for 18,000 words of every trial, and 130,000 of
//!             quotients and roots (`a_wrong_division_is_passed_over`, `a_contraction_is_caught`).
//! Limits:     an error in less than one of some ten thousand words stays unseen.
//! Source:     own.

mod steps;
mod trials;
mod words;

pub use trials::{DIVISIONS, OPERATIONS, ROOTS, Trial, compare};

use crate::arithmetic::{CompilerBarrier, Route, Routes, source};
use crate::card::GpuCard;
use crate::device::Device;
use crate::failure::{Failure, Mismatch};

/// Words of each trial.
const WORDS: u32 = 18 << 10;

/// Words of quotients and roots.
const WORDS_OF_A_ROUTE: u32 = 128 << 10;

/// Seed of the words.
const SEED: u64 = 0x7468_616c_7765_6700;

/// Returns the cheapest routes that are exact on `device`.
///
/// # Errors
///
/// The device is lost, refuses a kernel, or has different bits on every route.
pub fn choose(device: &Device) -> Result<Routes, Failure> {
    Ok(tested(device)?.routes())
}

/// Returns a card on `device` that computes on the cheapest routes that are exact.
///
/// # Errors
///
/// The errors of [`choose`].
pub fn tested(device: &Device) -> Result<GpuCard, Failure> {
    let mut last = None;
    for barrier in [CompilerBarrier::Products, CompilerBarrier::All] {
        let (routes, mismatch) = with_barrier(device, &source, barrier)?;
        let tested = match mismatch {
            None => steps::tested(device, routes)?,
            Some(mismatch) => Err(mismatch),
        };
        match tested {
            Ok(card) => return Ok(card),
            Err(mismatch) => last = Some((routes, mismatch)),
        }
    }
    Err(differs(device, last))
}

fn differs(device: &Device, last: Option<(Routes, Mismatch)>) -> Failure {
    let (routes, mismatch) = last.expect("two barriers were tried");
    Failure::Differs { device: device.name(), routes, mismatch }
}

/// Returns the cheapest routes on which every trial is exact on `device` with the arithmetic that
/// `text` writes, given routes and the body of a kernel.
///
/// # Errors
///
/// The errors of [`choose`].
pub fn choose_from(
    device: &Device,
    text: &dyn Fn(Routes, &str) -> String,
) -> Result<Routes, Failure> {
    let mut last = None;
    for barrier in [CompilerBarrier::Products, CompilerBarrier::All] {
        let (routes, mismatch) = with_barrier(device, text, barrier)?;
        match mismatch {
            None => return Ok(routes),
            Some(mismatch) => last = Some((routes, mismatch)),
        }
    }
    Err(differs(device, last))
}

/// Returns the cheapest routes with this barrier, and the first remaining difference.
fn with_barrier(
    device: &Device,
    text: &dyn Fn(Routes, &str) -> String,
    barrier: CompilerBarrier,
) -> Result<(Routes, Option<Mismatch>), Failure> {
    let (mut division, mut root) = (None, None);
    for route in Route::ALL {
        let text = |body: &str| text(Routes { division: route, root: route, barrier }, body);
        for (trials, found) in [(DIVISIONS, &mut division), (ROOTS, &mut root)] {
            if !matches!(found, Some((_, None))) {
                *found = Some((route, compare(device, &text, trials, WORDS_OF_A_ROUTE, SEED)?));
            }
        }
    }
    let (division, wrong_quotient) = division.expect("three routes were tried");
    let (root, wrong_root) = root.expect("three routes were tried");
    let routes = Routes { division, root, barrier };
    if let Some(mismatch) = wrong_quotient.or(wrong_root) {
        return Ok((routes, Some(mismatch)));
    }
    Ok((routes, compare(device, &|body| text(routes, body), OPERATIONS, WORDS, SEED)?))
}
