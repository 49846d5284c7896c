//! One step of the whole world, and the only place where volumes change.
//!
//! A **cycle** is the unit that callers see; it is cut into steps. In a step every leaf that is
//! awake reads the water at the start of the step, its own and its neighbours', and writes its new
//! water to a second buffer; then the two buffers swap. So leaves can run in any order, on any
//! number of threads.
//!
//! [`SimulationState`](state::SimulationState) names the parts that change,
//! [`Params`](params::Params) the values that are constant over a cycle. Phases are functions of
//! the parts that they read and write: `src/engine/sim/cycle.rs` lists them in their order,
//! `src/engine/sim/table.rs` separates the state of a leaf from scratch. The layers below use
//! [`Simulation`] only.
//!
//! Guarantees: `ledger().expected() == stored()` after every cycle; the same bits for any number of
//!             threads.
//! Limits:     uses no files and no clocks.

pub mod activity;
pub mod apart;
mod arrivals;
mod barrier_step;
pub mod barriers;
mod borders;
pub mod boundary;
mod boundary_momentum;
mod boundary_step;
mod bounds;
pub mod card;
pub mod cell_store;
pub mod cycle;
pub mod edits;
pub mod forcing;
mod gradients;
mod inflows;
pub mod intake;
pub mod leaf;
mod leaf_steps;
mod leaf_tracers;
pub mod ledger;
pub mod links;
pub mod maps;
pub mod openings;
pub mod params;
mod passage;
pub mod phases;
pub mod push;
pub mod quiet;
pub mod reach;
pub mod rebuilt;
pub mod regrid;
mod regrid_flows;
mod replace_beds;
pub mod residency;
mod river_faces;
pub mod run_state;
pub mod schedule;
pub mod sections;
pub mod settings;
pub mod simulation;
mod sleep;
pub mod snapshot;
pub mod solids;
mod speeds;
pub mod stacks;
pub mod state;
pub mod state_hash;
mod step_numbers;
mod structure_leaves;
pub mod table;
pub mod touched;
pub mod tracers;

pub use crate::flow::fluid::Fluid;
pub use crate::flow::solver::{Order, Solver};
pub use crate::flow::terms::{Terms, Viscosity};
pub use schedule::CycleReport;
pub use settings::{Settings, SleepTolerance, StepsOf, StillWaterDamping};
pub use simulation::Simulation;
