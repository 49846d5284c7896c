//! Stacked columns against textbooks, and their cost.

mod aqueduct;
mod automaton;
mod deck;
mod house;
mod mine;
mod tunnel;
mod u_tube;

use crate::suite::Bench;

/// Measurements of stacked columns.
pub const BENCHES: &[Bench] = &[
    u_tube::BENCH,
    tunnel::BENCH,
    deck::BENCH,
    house::BENCH,
    aqueduct::BENCH,
    mine::BENCH,
    automaton::BENCH,
];
