//! Leaves that change at run time: their cost, the growth of a world's cost, and their effect on a
//! lake's shore.

mod growth;
mod reach;
mod regrid;
mod rest;
pub mod shore;
pub mod valley;

use crate::suite::{Bench, BenchError};
use thalweg::criteria::{Criterion, Observer, ObserverOptions, Scale};

/// Measurements of leaves that change.
pub const BENCHES: &[Bench] =
    &[valley::BENCH, growth::BENCH, rest::BENCH, regrid::BENCH, reach::BENCH, shore::BENCH];

/// Makes an observer that stays in place, with its radii by level.
///
/// # Errors
///
/// If a radius or a level is invalid.
pub fn observer(
    position_m: [f64; 2],
    radii_m: &[(u8, f64)],
    scale: &Scale,
) -> Result<Box<dyn Criterion>, BenchError> {
    let options = ObserverOptions {
        position_m,
        velocity_m_s: [0.0; 2],
        look_ahead_s: 0.0,
        radii_m: radii_m.to_vec(),
        priority: 0.0,
    };
    Ok(Box::new(Observer::try_new(&options, scale)?))
}

/// Returns the value below which a part of all values is.
pub fn quantile(values: &mut [f64], part: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index")]
    let at = (part * (values.len() - 1) as f64).ceil() as usize;
    values[at]
}
