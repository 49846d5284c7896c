//! Why a world file could not be read or written.

use crate::store::backend::file;
use crate::store::key::Key;
use crate::store::layout::{EXTENT_MAX, GENERATION_MAX, VERSION};
use crate::store::limits::OverLimit;
use std::path::{Path, PathBuf};
use std::{fmt, io};

/// Why a world file could not be read or written.
#[derive(Debug)]
#[non_exhaustive]
pub enum StoreError {
    /// The operating system refused to read, write or sync.
    Io {
        /// Action that failed.
        doing: &'static str,
        /// Cause of the failure.
        source: io::Error,
    },
    /// The first bytes differ from the first bytes of a world file.
    NotAWorld,
    /// The format is newer than this build reads.
    Newer {
        /// The format of the file.
        found: u32,
    },
    /// Neither commit is whole.
    NoCommit,
    /// The world has the commit of the largest possible number.
    LastCommit,
    /// Another process writes the file.
    InUse,
    /// The file that is written is no longer under its name: it was deleted or moved, or another
    /// file was put in its place.
    Lost {
        /// The name.
        path: PathBuf,
        /// An unused name beside it, when this was found: the world can be saved there.
        instead: PathBuf,
    },
    /// A file that is to be replaced has further names, which would keep its old content.
    ManyNames {
        /// Number of names in all.
        count: u64,
    },
    /// The store was opened for reading.
    ReadOnly,
    /// A sync failed before: it is unknown which bytes have reached the disk since.
    Poisoned,
    /// The commit that is read has been replaced by later commits.
    Overtaken {
        /// The generation that was opened.
        held: u64,
        /// The newest generation in the file.
        newest: u64,
    },
    /// The commit is not kept.
    NotKept {
        /// Number of the commit.
        generation: u64,
    },
    /// The list of kept commits is damaged: it is unknown which space may be overwritten.
    KeptUnknown,
    /// A world that should receive the content of another one is not empty.
    NotEmpty,
    /// An extent differs from the one that was written.
    Damaged {
        /// Key of the extent; `None` for the directory.
        key: Option<Key>,
        /// Fault of the part.
        what: &'static str,
    },
    /// A read needs more than [`Limits`](crate::store::Limits) allow.
    Limit(OverLimit),
    /// The content to be written is larger than an extent.
    TooLarge {
        /// Bytes of the content.
        bytes: usize,
    },
}

/// Action of reading extents, for errors.
pub(super) const READING: &str = "read the world";

impl StoreError {
    /// True if the error is one of reading: the content is damaged, or the disk refuses.
    pub fn is_of_reading(&self) -> bool {
        match self {
            Self::Damaged { .. } | Self::KeptUnknown => true,
            Self::Io { doing, .. } => *doing == READING,
            _ => false,
        }
    }

    /// Returns an error of the operating system.
    pub(super) fn io(doing: &'static str) -> impl Fn(io::Error) -> Self {
        move |source| Self::Io { doing, source }
    }

    /// Returns the error of a file that is no longer under its name.
    pub(super) fn lost(path: PathBuf) -> Self {
        Self::Lost { instead: file::name_beside(&path), path }
    }
}

fn lost(f: &mut fmt::Formatter<'_>, path: &Path, instead: &Path) -> fmt::Result {
    write!(
        f,
        "{} is no longer the file that is written: it was deleted or moved away, or another file \
         was put in its place; the world is not saved: save it under another name, such as {}",
        path.display(),
        instead.display()
    )
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { doing, source } if source.kind() == io::ErrorKind::StorageFull => write!(
                f,
                "cannot {doing}: the disk is full ({source}); the last commit is safe: make room, \
                 and commit again or open the file anew"
            ),
            Self::Io { doing, source } => write!(f, "cannot {doing}: {source}"),
            Self::NotAWorld => f.write_str(
                "not a world file: it does not begin as one; give a file that was saved as a world",
            ),
            Self::Newer { found } => write!(
                f,
                "the file has format {found}, this build reads up to {VERSION}: open it with a \
                 newer one"
            ),
            Self::NoCommit => f.write_str(
                "no commit in the file is whole: it was damaged after it was written, or cut off \
                 while it was made; take a copy of it, or make it again",
            ),
            Self::LastCommit => write!(
                f,
                "no commit of a number up to {GENERATION_MAX} can follow: the file can be read, \
                 but not written; bring back an older copy"
            ),
            Self::InUse => f.write_str(
                "this world is open to be written, here or in another process: close it there, or \
                 open it to be read",
            ),
            Self::Lost { path, instead } => lost(f, path, instead),
            Self::ManyNames { count } => write!(
                f,
                "the file has {count} names (hard links), and the others would keep what it holds \
                 now: write under a new name, or delete the others first"
            ),
            Self::ReadOnly => f.write_str("the world was opened to be read: open it to be written"),
            Self::Poisoned => f.write_str(
                "the disk failed to keep what was written before: save elsewhere, and open this \
                 file anew",
            ),
            Self::Overtaken { held, newest } => write!(
                f,
                "commit {held} has been replaced, the newest is {newest}: move on to it, or open \
                 the file anew"
            ),
            Self::NotKept { generation } => {
                write!(f, "commit {generation} is not kept: choose one that is, or the last one")
            }
            Self::KeptUnknown => f.write_str(
                "the list of kept commits is damaged, so nothing can be written: bring back a copy \
                 of the file, or copy its last commit into a new one",
            ),
            Self::NotEmpty => {
                f.write_str("the world to copy into holds something already: make a new one")
            }
            Self::Damaged { key: Some(key), what } => write!(f, "{key}: {what}"),
            Self::Damaged { key: None, what } => write!(
                f,
                "the directory of the world: {what}; what it listed is gone: bring back a copy of \
                 the file, or bring what can be read into a new one"
            ),
            Self::Limit(over) => over.fmt(f),
            Self::TooLarge { bytes } => write!(
                f,
                "{bytes} bytes are more than an extent holds, {EXTENT_MAX}: write them in parts"
            ),
        }
    }
}

impl std::error::Error for StoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            Self::Limit(over) => Some(over),
            _ => None,
        }
    }
}

impl From<OverLimit> for StoreError {
    fn from(over: OverLimit) -> Self {
        Self::Limit(over)
    }
}
