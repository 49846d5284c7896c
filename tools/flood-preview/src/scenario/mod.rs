//! A scenario: what to simulate, from what was typed to what it means.
//!
//! ```text
//! scenario.toml ─ text ─┐
//!                       ├─ Scenario ─ plan ─ Plan: SI numbers, everything resolved and checked
//! command line ─ overlay┘
//! ```
//!
//! [`area`], [`barrier`], [`link`], [`place`], [`flow`] and [`terms`] are the vocabulary both
//! share, [`series`] tables over time.
//!
//! Guarantees: after [`plan::Plan::resolve`] the only file left to read is the heightmap.

pub mod area;
pub mod barrier;
pub mod classes;
pub mod file;
pub mod flow;
pub mod link;
mod moment;
pub mod overlay;
pub mod place;
pub mod plan;
pub mod series;
mod table;
pub mod terms;
pub mod text;
