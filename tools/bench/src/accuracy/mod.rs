//! Accuracy against exact solutions and measurements: each case at four resolutions.
//!
//! A case runs worlds, compares them, and comes to a [`case::Case`]: rows for the table that the
//! program prints, and for the guide's page rows, a sentence and plots. `--guide FOLDER` writes
//! that page from the cases that ran.
//!
//! ```text
//! measure: |context| Ok(context.show(case(context)?))          in every case's BENCH
//! ```
//!
//! Guarantees: figures depend on the library alone: no clock, fixed seeds, automatic steps.
//! Limits:     an error is that of cell centres against the exact solution there.

pub mod case;
mod dam_break;
pub mod page;
mod plot;
mod rotation;
mod scheme;
#[path = "../../../../tests/engine/sea.rs"]
mod sea;
#[path = "../../../../tests/engine/wheel.rs"]
mod wheel;

use crate::suite::Bench;

/// Measurements of accuracy, in the order of the guide's page.
pub const BENCHES: &[Bench] =
    &[dam_break::STOKER, dam_break::THIN, dam_break::RITTER, rotation::ROTATION];
