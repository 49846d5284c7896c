//! Costs of a game's frame beside the water itself.

mod act;
mod budget;
mod copy;
mod events;
mod hash;
mod longest;
mod rain;
mod sleep;
mod undo;

use crate::suite::Bench;

/// Measurements of a game's work between and in its frames.
pub const BENCHES: &[Bench] = &[
    act::BENCH,
    budget::BENCH,
    copy::BENCH,
    events::BENCH,
    hash::BENCH,
    longest::BENCH,
    rain::BENCH,
    sleep::BENCH,
    undo::BENCH,
];
