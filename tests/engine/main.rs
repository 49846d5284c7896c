//! The engine's promises, through its public doors.

mod adaptive;
mod channels;
mod columns;
mod conserve;
mod determinism;
mod energy;
mod forcing;
mod fuzz;
mod layer;
mod levels;
mod mirror;
mod momentum;
mod parts;
mod ragged;
mod regrid;
mod saved;
mod sea;
mod sleep;
mod streamed;
mod summary;
mod support;
mod terms;
mod tracer;
mod tracer_kernel;
mod tracer_levels;
mod wheel;
