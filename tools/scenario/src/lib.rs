//! A scenario, from the typed options and the scenario file to a world that is ready to run.
//!
//! ```text
//! scenario.toml ─ text ─┐
//!                       ├─ Scenario ─ plan ─ Plan ─ survey ─ build ─ World
//! options ─ overlay ────┘
//! ```
//!
//! The keys of a `scenario.toml` are the fields of [`file`](mod@file) and of the tables that it
//! names; five of its tables are options of the command line as well. [`options`] adds the options
//! without such a key, and [`overlay`] lays all of them over the keys.
//!
//! A plan contains everything resolved and checked, in SI numbers; [`build`] passes it to the
//! engine's `WorldBuilder`. [`naming`] finds the scenario of the named files.
//!
//! [`area`], [`barrier`], [`link`], [`place`], [`flow`] and [`terms`] are the vocabulary of both
//! files and options, [`series`] reads tables over time, [`observed`] tables of the real event, and
//! `text_table` is the reader of all tables.
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
#[cfg(test)]
mod guide_tests;
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
