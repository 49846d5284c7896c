//! Why a world cannot be followed.

use crate::store::StoreError;
use std::{fmt, io};

/// Why a frame was not sent, or not taken.
#[derive(Debug)]
#[non_exhaustive]
pub enum FollowError {
    /// The stream failed.
    Io {
        /// Action that failed.
        doing: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// A frame does not join what the mirror has: its last commit stands, and it sends a new
    /// request.
    Missed {
        /// Fault of the stream.
        what: &'static str,
    },
    /// A newer format of frames or questions than this build reads.
    Newer {
        /// The format.
        found: u32,
    },
    /// The bytes that a client sent are no request.
    NotAnAsk {
        /// Fault of the request.
        what: &'static str,
    },
    /// The world that is followed, or the mirror.
    Store(StoreError),
}

impl FollowError {
    /// An error of the stream.
    pub(super) fn io(doing: &'static str) -> impl Fn(io::Error) -> Self {
        move |source| Self::Io { doing, source }
    }
}

impl From<StoreError> for FollowError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl fmt::Display for FollowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { doing, source } => write!(f, "cannot {doing}: {source}; connect again"),
            Self::Missed { what } => {
                write!(f, "{what}: the mirror keeps its last commit; connect and ask again")
            }
            Self::Newer { found } => write!(
                f,
                "the other side speaks format {found}, this build {}: use one build on both \
                 sides",
                super::VERSION
            ),
            Self::NotAnAsk { what } => {
                write!(f, "the client sent no request: {what}; close the connection")
            }
            Self::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for FollowError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            Self::Store(error) => error.source(),
            _ => None,
        }
    }
}
