//! Reading without disturbing: flood maps.
//!
//! Guarantees: a run with probes has the same state, to the bit, as one without.

pub mod maps;

pub use maps::LeafMaps;
