//! Obstacles in the way of water: structures against the textbook.

mod afloat;
pub mod boxes;
mod channel;
mod column;
mod cost;
mod culvert;
mod draught;
mod edges;
mod hydrostatic;
mod leak;
mod openings;
mod piston;
mod rotate;
pub mod u_tube;

use crate::suite::Bench;

/// Measurements of structures and bodies.
pub const BENCHES: &[Bench] = &[
    openings::WEIR,
    openings::GATE,
    culvert::BENCH,
    edges::BENCH,
    leak::BENCH,
    draught::BENCH,
    hydrostatic::BENCH,
    piston::BENCH,
    rotate::BENCH,
    u_tube::BENCH,
    cost::BENCH,
    column::BENCH,
];
