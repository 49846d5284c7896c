//! Files that appear whole or not at all ([`partial`]), and the outputs that a stopped program
//! removes ([`under_way`]).

mod abandoned;
pub mod partial;
pub mod under_way;

/// Whether an existing file may be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replacing {
    /// The output may replace a file.
    Allowed,
    /// An existing file stays unless the user gives `--force`.
    Refused,
    /// An existing file stays: the tool has no option that replaces it.
    Never,
}

impl From<bool> for Replacing {
    /// Converts the presence of `--force`.
    fn from(is_forced: bool) -> Self {
        if is_forced { Self::Allowed } else { Self::Refused }
    }
}
