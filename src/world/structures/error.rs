//! Why a structure cannot stand.

use crate::units::plain::Plain;
use std::fmt;
use std::fmt::Write;

/// Why a structure cannot stand: which, and what to mend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StructureError {
    /// Its name.
    pub name: String,
    /// What does not fit, where, and how to mend it.
    pub reason: String,
}

impl fmt::Display for StructureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let f = &mut Plain(f);
        write!(f, "{}: {}", self.name, self.reason)
    }
}

impl std::error::Error for StructureError {}
