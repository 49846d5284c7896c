//! A scenario: what to simulate, from what was typed to a world that is ready to run.
//!
//! ```text
//! scenario.toml ─ text ─┐
//!                       ├─ Scenario ─ plan ─ Plan ─ survey ─ build ─ World
//! options ─ overlay ────┘
//! ```
//!
//! A plan has everything resolved and checked, in SI numbers; [`build`] hands it to the engine's
//! `WorldBuilder`. [`naming`] finds the scenario of the files that were named.
//!
//! [`area`], [`barrier`], [`link`], [`place`], [`flow`] and [`terms`] are the vocabulary both
//! share, [`series`] tables over time, [`observed`] those of the real event, `text_table` the
//! reader of all tables.
//!
//! Guarantees: after [`plan::Plan::resolve`] the only file left to read is the heightmap.

pub mod area;
pub mod barrier;
pub mod before;
pub mod build;
pub mod classes;
pub mod file;
pub mod flow;
pub mod fluid;
mod heights;
pub mod link;
mod moment;
pub mod naming;
pub mod observed;
pub mod options;
pub mod overlay;
pub mod place;
pub mod plan;
pub mod plausible;
pub mod quantity;
pub mod rain_bands;
pub mod rain_unit;
pub mod rock;
pub mod series;
pub mod shapes;
pub mod survey;
pub mod terms;
pub mod text;
mod text_table;
mod typed;
mod units;

use kit::spelling;
