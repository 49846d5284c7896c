//! Files that appear whole or not at all: one ([`partial`]), or a folder of them ([`delivery`]).

pub mod delivery;
pub mod folder;
pub mod partial;

/// Whether what stands there already may be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replacing {
    /// The output may replace a file.
    Allowed,
    /// An existing file stays.
    Refused,
}

impl From<bool> for Replacing {
    /// As `--force` says.
    fn from(is_forced: bool) -> Self {
        if is_forced { Self::Allowed } else { Self::Refused }
    }
}
