//! Accuracy against exact solutions, each at four resolutions, and against measurements.
//!
//! A case runs worlds, compares them, and makes a [`case::Case`]: rows for the table that the
//! program prints, and for the guide's page rows, a sentence and plots. `--guide FOLDER` writes
//! that page from the cases that ran.
//!
//! ```text
//! measure: |context| Ok(context.show(case(context)?))          in every case's BENCH
//! ```
//!
//! Guarantees: figures depend on the library alone: no clock, fixed seeds, automatic steps.
//! Limits:     an error is the error at cell centres against the exact solution there.

mod bore;
mod bowl;
mod bump;
pub mod case;
mod channel;
mod circular;
mod dam_break;
mod ea5;
mod front;
mod ladder;
pub mod malpasset;
mod monai;
mod normal_depth;
mod oblique;
mod overshoot;
pub mod page;
mod plot;
mod rotation;
pub mod scheme;
#[path = "../../../../tests/engine/sea.rs"]
mod sea;
mod thacker_bowl;
mod thacker_line;
mod wave_loss;
#[path = "../../../../tests/engine/wheel.rs"]
mod wheel;

use crate::suite::Bench;

/// Measurements of accuracy, in the order of the guide's page.
pub const BENCHES: &[Bench] = &[
    dam_break::STOKER,
    dam_break::THIN,
    dam_break::RITTER,
    oblique::BENCH,
    channel::BENCH,
    circular::BENCH,
    bore::BENCH,
    overshoot::BENCH,
    wave_loss::BENCH,
    bump::SUBCRITICAL,
    bump::TRANSCRITICAL,
    bump::JUMP,
    normal_depth::BENCH,
    thacker_line::BENCH,
    thacker_bowl::PLANAR,
    thacker_bowl::RADIAL,
    monai::BENCH,
    malpasset::BENCH,
    malpasset::BENCH_10M,
    ea5::BENCH,
    rotation::ROTATION,
];
