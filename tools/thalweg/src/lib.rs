//! The world tool: makes world files from maps, simulates, checks, exports and compares them.
//!
//! ```text
//! args ── run ─┬─ import   a map ──► a world         flood-preview reads the map
//!              ├─ advance  its water runs on
//!              ├─ info     what it is, and a picture
//!              ├─ verify   whether all of it is whole
//!              ├─ export   a level of it ──► a map   rasters writes it
//!              ├─ bench    how long what takes here
//!              ├─ compact  without what it no longer needs
//!              └─ diff     in which extents two of them differ
//! ```
//!
//! The options of `flood-preview`, with the same meaning, supply the facts that a heightmap lacks:
//! [`import`] resolves them in the same place.
//!
//! Guarantees: bad input ends with one line and exit code 2, and no file is left under its final
//!             name unless it is whole, whenever the program is ended.

pub mod advance;
pub mod args;
pub mod barriers;
pub mod bench;
pub mod compact;
pub mod diff;
pub mod export;
pub mod import;
pub mod info;
pub mod layers;
pub mod level;
pub mod links;
pub mod naming;
pub mod picture;
pub mod run;
pub mod schema;
pub mod verify;
pub mod water;
