//! The engine's promises, through its public doors.

mod conserve;
mod determinism;
mod energy;
mod forcing;
mod sleep;
mod support;
