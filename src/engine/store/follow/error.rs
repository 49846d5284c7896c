//! Why a world cannot be followed.

use crate::store::StoreError;
use std::{fmt, io};

/// Why a frame was not sent, or not accepted.
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
    /// A frame does not continue the commit of the mirror: its last commit is intact, and it sends
    /// a new request.
    Missed {
        /// Fault of the stream.
        what: &'static str,
    },
    /// A format of frames or requests newer than this build reads.
    Newer {
        /// The format.
        found: u32,
    },
    /// The bytes that a client sent are not a request.
    NotAnAsk {
        /// Fault of the request.
        what: &'static str,
    },
    /// An error of the followed world, or of the mirror.
    Store(StoreError),
}

impl FollowError {
    /// Returns an error of the stream.
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
