//! Structures: barriers that close faces, and links that join places.
//!
//! `src/guide/structures.md` has the laws.

pub use thalweg_engine::structure::barrier::TIME as BREACH_TIME;
pub use thalweg_engine::structure::end::{DrivenFlow, EndSpec, LinkSpec};
pub use thalweg_engine::structure::inflow::SLOPE as INFLOW_SLOPE;
pub use thalweg_engine::structure::path::{crossings, crossings_on};
pub use thalweg_engine::structure::pump::RATE as PUMP_RATE;
pub use thalweg_engine::structure::{
    Barrier, Breach, Course, Culvert, Drain, Fault, Gap, Link, LinkLaw, LinkState, Number, Opening,
    Pump, Section, StructureError, StructureId, StructureKind, Trigger,
};
