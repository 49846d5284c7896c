//! Errors of actions.

use crate::world::{StackError, WorldError};
use std::fmt;
use std::fmt::Write;
use thalweg_engine::sim::settings::SettingsError;
use thalweg_engine::structure::StructureError;
use thalweg_engine::terrain::EditError;
use thalweg_engine::units::elevation::ScaleError;
use thalweg_engine::units::plain::Plain;

/// Reason for which an action is refused. The world is unchanged.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ActionError {
    /// An area is invalid, or beds cannot have these elevations.
    Terrain(EditError),
    /// A structure does not fit.
    Structure(StructureError),
    /// Intervals are invalid.
    Stack(StackError),
    /// An inflow is invalid.
    Inflow(WorldError),
    /// A number is out of its range.
    Number {
        /// Name of the number.
        what: &'static str,
        /// The number.
        value: f64,
        /// The least permitted value.
        low: f64,
        /// The largest permitted value.
        high: f64,
    },
    /// A stage is outside the vertical scale.
    Stage(ScaleError),
    /// A setting is invalid.
    Settings(SettingsError),
    /// An area contains no ground of the world.
    NoGround,
    /// Nothing has this name.
    Unknown {
        /// Kind of thing that is named.
        what: &'static str,
        /// The name.
        name: String,
        /// Names that exist.
        known: Vec<String>,
    },
    /// The ledger is full.
    Names {
        /// Maximum number of accounts.
        most: usize,
    },
    /// The way back belongs to another world.
    OtherWorld,
    /// Newer ways back needed the bytes of this one.
    Forgotten {
        /// Bytes that all ways back of the world may take.
        most_bytes: usize,
    },
    /// A list has too many actions.
    Many {
        /// Maximum number of actions of one list.
        most: usize,
    },
    /// The actions of a list change so many leaves that they could not be undone if one is refused.
    Long {
        /// Bytes of leaves that a list may change.
        most_bytes: usize,
    },
    /// One of several actions is refused, so all are.
    OneOf {
        /// Position of the action in the list, from 1.
        number: usize,
        /// Reason for which it is refused.
        reason: Box<Self>,
    },
}

impl fmt::Display for ActionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let f = &mut Plain(f);
        match self {
            Self::Terrain(reason) => write!(f, "{reason}"),
            Self::Structure(reason) => write!(f, "{reason}"),
            Self::Stack(reason) => write!(f, "{reason}"),
            Self::Inflow(reason) => write!(f, "{reason}"),
            Self::Number { what, value, low, high } => {
                write!(f, "{what} is {value}: give a number from {low} to {high}")
            }
            Self::Stage(reason) => write!(f, "the stage of the water: {reason}"),
            Self::Settings(reason) => write!(f, "{reason}"),
            Self::NoGround => {
                write!(f, "the area contains no ground of the world: move it, or make it wider")
            }
            Self::Unknown { what, name, known } if known.is_empty() => {
                write!(f, "there is no {what} {name:?}, nor any other: give the world one first")
            }
            Self::Unknown { what, name, known } => {
                write!(f, "there is no {what} {name:?}: choose one of: {}", known.join(", "))
            }
            Self::Names { most } => write!(
                f,
                "the ledger has {most} accounts, as many as it may: choose a name that it has"
            ),
            Self::OtherWorld => write!(
                f,
                "this way back belongs to another world, or to this one before it was loaded: \
                 undo what was done here"
            ),
            Self::Forgotten { most_bytes } => write!(
                f,
                "this way back was let go of, because newer ones take the {most_bytes} bytes that \
                 all may take: undo newer actions, or set more with \
                 Edits::set_ways_back_bytes"
            ),
            Self::Many { most } => {
                write!(f, "the list has more than {most} actions: send it in parts")
            }
            Self::Long { most_bytes } => write!(
                f,
                "the actions of the list change leaves of more than {most_bytes} bytes, so they \
                 could not be undone if one is refused: send it in parts"
            ),
            Self::OneOf { number, reason } => {
                write!(f, "action {number} of the list, and so none was done: {reason}")
            }
        }
    }
}

impl std::error::Error for ActionError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Terrain(reason) => Some(reason),
            Self::Structure(reason) => Some(reason),
            Self::Stack(reason) => Some(reason),
            Self::Inflow(reason) => Some(reason),
            Self::Stage(reason) => Some(reason),
            Self::OneOf { reason, .. } => Some(&**reason),
            _ => None,
        }
    }
}

impl From<StackError> for ActionError {
    fn from(reason: StackError) -> Self {
        Self::Stack(reason)
    }
}

impl From<EditError> for ActionError {
    fn from(reason: EditError) -> Self {
        Self::Terrain(reason)
    }
}

impl From<StructureError> for ActionError {
    fn from(reason: StructureError) -> Self {
        Self::Structure(reason)
    }
}

impl From<WorldError> for ActionError {
    fn from(reason: WorldError) -> Self {
        match reason {
            WorldError::Structure(reason) => Self::Structure(reason),
            reason => Self::Inflow(reason),
        }
    }
}
