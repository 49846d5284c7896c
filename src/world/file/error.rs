//! Errors of saving and opening a world.

use crate::world::WorldError;
use std::fmt;
use std::fmt::Write;
use thalweg_engine::grid::TileKey;
use thalweg_engine::store::{Key, OverLimit, StoreError};
use thalweg_engine::units::plain::Plain;

/// Reason for which a world cannot be saved to a file, or opened from one.
#[derive(Debug)]
#[non_exhaustive]
pub enum FileError {
    /// The file cannot be read or written.
    Store(StoreError),
    /// The file contains a terrain and no water.
    NoWater,
    /// A text or a list in the file is not valid for a world.
    Record {
        /// Key of the record.
        key: Key,
        /// Fault of the record.
        what: String,
    },
    /// The world that it describes is invalid.
    World(WorldError),
    /// The record of a leaf does not fit this world.
    Leaf {
        /// The leaf.
        key: TileKey,
        /// Part that does not fit.
        what: &'static str,
    },
    /// The state beside the leaves does not fit this world.
    StateMismatch(&'static str),
    /// The file does not contain this world yet.
    Elsewhere,
    /// Criteria are given for leaves that do not change.
    Criteria,
    /// The world is broken: see [`World::is_broken`](crate::world::World::is_broken).
    Broken,
    /// A save cannot be read back.
    Unreadable(Box<Self>),
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let f = &mut Plain(f);
        match self {
            Self::Store(reason) => write!(f, "{reason}"),
            Self::NoWater => f.write_str(
                "the file holds a terrain and no water yet: build a world on the terrain, and save \
                 it there",
            ),
            Self::Record { key, what } => {
                write!(f, "{key}: {what}; bring back a copy of the file")
            }
            Self::World(reason) => {
                write!(
                    f,
                    "the world in the file cannot be: {reason}; bring back a copy of the file"
                )
            }
            Self::Leaf { key: TileKey { level, x, y }, what } => write!(
                f,
                "the water of tile {x}, {y} of level {level}: {what}; bring back a copy of the file"
            ),
            Self::StateMismatch(what) => write!(
                f,
                "the state in the file does not belong to its world: {what}; bring back a copy of \
                 the file"
            ),
            Self::Elsewhere => f.write_str(
                "the file does not hold this world yet: save it there once before it is saved in \
                 the background",
            ),
            Self::Criteria => f.write_str(
                "criteria are given, but the leaves of this world do not change: give none, or \
                 build it as adaptive",
            ),
            Self::Broken => f.write_str(
                "the world is broken, because a panic broke off a change of it, and cannot be \
                 saved; the last commit stands: load it",
            ),
            Self::Unreadable(reason) => write!(
                f,
                "what this save put cannot be read back, so it is not committed ({reason}); the \
                 last commit stands: please report this"
            ),
        }
    }
}

impl std::error::Error for FileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Store(reason) => Some(reason),
            Self::World(reason) => Some(reason),
            Self::Unreadable(reason) => Some(reason),
            _ => None,
        }
    }
}

impl From<StoreError> for FileError {
    fn from(reason: StoreError) -> Self {
        Self::Store(reason)
    }
}

impl From<OverLimit> for FileError {
    fn from(over: OverLimit) -> Self {
        Self::Store(over.into())
    }
}

impl From<WorldError> for FileError {
    fn from(reason: WorldError) -> Self {
        Self::World(reason)
    }
}
