//! A world with a card has the bits of one without.

mod apart;
mod columns;
mod columns_levels;
mod edges;
mod leaf_steps;
mod levels;
mod lost;
mod play;
mod quiet;
mod regrid;
mod rivers;
mod same_hash;
mod saved;
mod soil;
mod support;
mod tracer_levels;
mod tracers;
