//! Files that appear whole or not at all ([`partial`]), and what a stopped program takes back
//! ([`under_way`]).

mod abandoned;
pub mod partial;
pub mod under_way;

/// Whether what stands there already may be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replacing {
    /// The output may replace a file.
    Allowed,
    /// An existing file stays unless the user says `--force`.
    Refused,
    /// An existing file stays: the tool has no option that replaces it.
    Never,
}

impl From<bool> for Replacing {
    /// As `--force` says.
    fn from(is_forced: bool) -> Self {
        if is_forced { Self::Allowed } else { Self::Refused }
    }
}
