//! Why a raster could not be read or written.

use std::io;
use std::path::{Path, PathBuf};

/// Reason why a raster could not be read or written: one line with fault, place and remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RasterError {
    /// The operating system refused.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// Action that failed: "open", "read", "write"...
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The file does not follow its format: truncated, contradictory or damaged.
    #[error("{}: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Fault of the file, its place, and how to mend it.
        what: String,
    },
    /// The file may be sound, but this crate does not read its kind.
    #[error("{}: {what}", path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// Feature that is not read, and how to convert it.
        what: String,
    },
    /// The file alone lacks a fact that is needed, or contradicts the user.
    #[error("{}: {what}", path.display())]
    Hint {
        /// The file.
        path: PathBuf,
        /// Missing fact, and the option or key that adds it.
        what: String,
    },
    /// A value that no terrain has.
    #[error("{}: row {row}, column {column} (both from 0, from the north-west): {what}",
        path.display())]
    Value {
        /// The file.
        path: PathBuf,
        /// Row from the north, from 0.
        row: usize,
        /// Column from the west, from 0.
        column: usize,
        /// Fault of the value.
        what: String,
    },
    /// A request that makes no sense for this raster.
    #[error("{0}")]
    Request(String),
}

impl RasterError {
    pub(crate) fn damaged(path: &Path, what: impl Into<String>) -> Self {
        Self::Damaged { path: path.into(), what: what.into() }
    }

    pub(crate) fn unsupported(path: &Path, what: impl Into<String>) -> Self {
        Self::Unsupported { path: path.into(), what: what.into() }
    }

    pub(crate) fn hint(path: &Path, what: impl Into<String>) -> Self {
        Self::Hint { path: path.into(), what: what.into() }
    }

    pub(crate) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Io { action, path: path.into(), source }
    }

    /// Makes the error of a read that failed at `place`: decoders report damage as an I/O error
    /// too.
    pub(crate) fn reading(path: &Path, place: &str, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::UnexpectedEof => Self::damaged(
                path,
                format!("ends in the middle of {place}: the file is truncated, fetch it again"),
            ),
            io::ErrorKind::Unsupported => Self::unsupported(path, format!("{place} is {source}")),
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
                // Some decoders end their messages with a line break.
                let source = source.to_string().replace('\n', " ");
                let source = source.trim_end();
                Self::damaged(path, format!("{place} is damaged ({source}): fetch the file again"))
            }
            _ => Self::io("read", path, source),
        }
    }
}
