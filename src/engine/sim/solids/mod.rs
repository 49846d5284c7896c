//! Solids in the water: the parts that they block, the water over and under them.
//!
//! ```text
//!        upper            kernel   all cells that no solid touches
//!   ≈≈≈≈≈≈≈≈≈≈≈≈≈≈≈       region   the others, and the faces around them: a node for the water
//!   ≈≈≈┌───────┐≈≈≈                of a cell, or two where a solid covers 95 % of it and more
//!   ≈≈≈│ solid │≈≈≈       passage  where the water of two nodes meets: between the higher floor
//!   ≈≈≈└───────┘≈≈≈                and the lower roof
//!   ≈≈≈≈≈ lower ≈≈≈
//!   ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓
//! ```
//!
//! While a cycle runs, the water of touched cells is taken out of the planes, and the kernel takes
//! the cells for ground outside the world. Before each of its steps the heads of all nodes are
//! found, the transfers are rounded to whole units, cut to the available water, and moved. Between
//! cycles planes contain all the water of a cell, over and under solids, so that regridding,
//! saving, queries and the ledger need no solids; the part of it over them is state beside the
//! planes.
//!
//! A solid that is lowered on water makes room smaller: heads rise until it flows out, up to a
//! bound; the rest moves to the water above, or to the nearest open cell, or waits. A solid that
//! moves sideways takes the water beside it along: [`sweep`].
//!
//! Rain, sinks, inflows and the mouths of links move the water of touched cells as that of open
//! cells, and samples see it ([`look`]).
//!
//! Guarantees: not a unit is made or lost; no head above the highest still one but by impact; the
//!             same bits for any number of threads.
//! Limits:     the water of touched cells has no transport of momentum, and gives none to open
//!             cells; solids block in flat leaves of the base level, not beside a different level
//!             nor at open edges; of a barrier in cells that they touch only its crest counts,
//!             whole; a link takes nothing if a solid covers its mouth.
//! Source:     own; heads: [`heads`].

mod cell_parts;
pub(in crate::sim) mod covered;
pub mod field;
mod find;
pub mod group;
pub mod heads;
pub mod law;
pub mod lift;
pub mod look;
pub mod memory;
pub(in crate::sim) mod mouths;
pub mod region;
mod step;
pub mod sweep;

pub use field::SolidField;
