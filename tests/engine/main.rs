//! The engine's promises, through its public doors.

mod adaptive;
mod arrive;
mod bores;
mod channels;
mod columns;
mod conserve;
mod crashed;
mod determinism;
mod edges;
mod energy;
mod first_water;
mod fluid;
mod forcing;
mod fuzz;
mod layer;
mod layer_levels;
mod leaf_steps;
mod levels;
mod looks;
mod mended;
mod mirror;
mod momentum;
mod parts;
mod ragged;
mod regrid;
mod river;
mod saved;
mod sea;
mod sections;
mod sleep;
mod sleep_tolerance;
mod stages;
mod streamed;
mod summary;
mod support;
mod surfaces;
mod terms;
mod tracer;
mod tracer_kernel;
mod tracer_levels;
mod walls;
mod wheel;

/// Cases are fewer and shorter, unless tests are built with `THALWEG_FULL` set.
const QUICK: bool = option_env!("THALWEG_FULL").is_none();
