//! Every feature in every kind of world.
//!
//! ```text
//! feature × kind = cell       right, or refused with the one error that `refusals` lists
//! ```
//!
//! A feature (`feature.rs`) says how a world is set up for it, how it is used, and what must hold;
//! a kind (`kind.rs`) how leaves lie, which columns they have and where the world comes from; the
//! matrix (`matrix.rs`) is their product. The table in `src/guide/worlds.md` is made of it.

mod changed;
mod drawn;
mod feature;
mod forced;
mod kept;
mod kind;
mod matrix;
mod parts;
mod put;
mod read;
mod refusals;
mod scene;
mod table;
mod told;
mod valley;
