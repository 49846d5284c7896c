//! Stacked columns: several intervals of water in a cell, one above the other.
//!
//! ```text
//!   ≈≈≈≈≈ open ≈≈≈≈≈≈          the topmost water of a cell is that of the planes
//!   ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓
//!   ▓▓┌──────┬──────┐▓▓        an interval [bed, ceiling] has a depth of its own;
//!   ▓▓│ ≈≈≈≈≈ ≈≈≈≈≈≈ ≈≈≈≈≈≈    a face joins two of neighbouring cells that overlap,
//!   ▓▓└──────┴──────┘≈≈≈≈≈≈    or one and open water
//! ```
//!
//! [`net`] lists intervals and faces of all leaves that have some. A step of the base level then is
//!
//! ```text
//! 1  law of each face, from the present state                            sim/passage
//! 2  heads: a full interval stays within its ceiling, or its head rises  heads
//! 3  discharges, whole transfers; donors and receivers bound them        step
//! 4  water moves, with its contents
//! ```
//!
//! Open water is a boundary of that system: the water exchanged is moved out of the planes and into
//! them before the kernels step, at the stages with which both begin; the kernels account for the
//! momentum that crosses (`src/engine/sim/stacks/rims.rs`).
//!
//! Guarantees: volume and content are integers and stay, to the unit; no interval contains less
//!             than nothing or more than fits; equal heads move nothing (`tests/couple/stacks.rs`).
//! Limits:     all intervals are of the base level. No air is trapped, nothing is sucked, and water
//!             that falls in a shaft is down at once.
//! Source:     `prototypes/stacked_columns.py` of the design; complementarity after Casulli &
//!             Stelling (2013), Int. J. Numer. Meth. Fluids 71.

mod bound;
mod build;
mod flow;
mod grown;
mod heads;
mod mouths;
pub mod net;
mod newton;
mod openings;
mod pieces;
pub mod reshape;
mod rims;
mod step;

pub use net::StackNet;
pub use rims::Rims;
pub(in crate::sim) use rims::StackRim;
