//! State: all that decides how a run continues, listed once.
//!
//! ```text
//!              ┌─► hash      [`StateHasher`](crate::units::hash::StateHasher) as a [`StateSink`]
//! LeafState ───┼─► file      the leaf's extent as a [`StateSink`] and a [`StateSource`]
//!  (the list)  ├─► undo      a clone, kept beside its leaf's number
//!              └─► copy      a clone: planes are shared until one of the two writes
//! ```
//!
//! [`LeafState`] lists all that is state of a leaf; `record!` makes of the list a struct, and the
//! functions that put it into a [`StateSink`] and take it from a [`StateSource`]. A field added
//! there is saved, hashed, copied, compared and undone. The compiler then demands it in
//! `LeafTable::state` and `set_state`; `LeafOwn::inherit` defines its value when leaves change.
//!
//! Guarantees: a field cannot be listed for one use and left out of another
//!             (`a_plane_more_in_the_list_is_enough`).

pub mod leaf;
pub mod list;
pub mod stack;

pub use leaf::{BoundaryFaceState, InterfaceState, LeafState, RegisterState};
pub use list::{StateField, StateSink, StateSource};
pub use stack::{IntervalState, StackFlowState, StackState};
