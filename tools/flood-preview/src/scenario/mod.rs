//! A scenario: what to simulate, from what was typed to what it means.
//!
//! ```text
//! scenario.toml ─ file ─┐
//!                       ├─ Scenario ─ plan ─ Plan: SI numbers, everything resolved and checked
//! command line ─ overlay┘
//! ```
//!
//! [`barrier`], [`link`], [`place`], [`flow`] and [`terms`] are the vocabulary both share,
//! [`series`] tables over time.
//!
//! Guarantees: after [`plan::Plan::resolve`] the only file left to read is the heightmap.

pub mod barrier;
pub mod classes;
pub mod file;
pub mod flow;
pub mod link;
pub mod overlay;
pub mod place;
pub mod plan;
pub mod series;
pub mod terms;
