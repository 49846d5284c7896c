//! Files that appear whole or not at all.

pub mod delivery;
pub mod error;
pub mod folder;
pub mod partial;

/// Whether what stands there already may be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replacing {
    /// It may.
    Allowed,
    /// It stays.
    Refused,
}
