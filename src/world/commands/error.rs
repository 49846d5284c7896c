//! Errors of commands, and of logs of them.

use crate::world::ActionError;
use std::{fmt, io};
use thalweg_engine::forest::PlanError;
use thalweg_engine::forest::criteria::CriterionError;

/// Reason for which a command is refused. The world is unchanged, and the command has no number.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum CommandError {
    /// An action, or an undo, is refused.
    Action(ActionError),
    /// No way back exists for a command of that number.
    NoWayBack {
        /// The number.
        id: u64,
        /// Numbers of the oldest and the newest way back, if any.
        kept: Option<(u64, u64)>,
    },
    /// A command runs too many cycles.
    Cycles {
        /// Cycles of the command.
        asked: u32,
        /// Maximum number of cycles of one command.
        most: u32,
    },
    /// A command names too many observers.
    Observers {
        /// Number of observers that it names.
        asked: usize,
        /// Maximum number of observers of a world.
        most: usize,
    },
    /// An observer is invalid.
    Observer(CriterionError),
    /// The leaves of the world do not change, so it cannot have observers.
    OneLevel,
    /// All leaves together cannot have this number of cells.
    Budget(PlanError),
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Action(reason) => write!(f, "{reason}"),
            Self::NoWayBack { id, kept: None } => write!(
                f,
                "command {id} cannot be taken back: no way back is kept now; a mark forgets those \
                 from before it, and what was taken back has its way forward by the number of the \
                 undo"
            ),
            Self::NoWayBack { id, kept: Some((oldest, newest)) } => write!(
                f,
                "command {id} cannot be taken back: of actions that were not taken back yet, the \
                 oldest way back is that of command {oldest}, the newest of command {newest}"
            ),
            Self::Cycles { asked, most } => write!(
                f,
                "one command cannot run {asked} cycles: send several of {most} at most, so that \
                 others come in between"
            ),
            Self::Observers { asked, most } => write!(
                f,
                "the command names {asked} observers, and a world has {most} at most: leave out \
                 some that are near others"
            ),
            Self::Observer(reason) => write!(f, "{reason}"),
            Self::OneLevel => write!(
                f,
                "the leaves of this world do not change, so it takes no observers: leave them out, \
                 or build it with WorldBuilder::adaptive"
            ),
            Self::Budget(reason) => write!(f, "{reason}"),
        }
    }
}

impl std::error::Error for CommandError {}

impl From<ActionError> for CommandError {
    fn from(reason: ActionError) -> Self {
        Self::Action(reason)
    }
}

/// Fault of a log of commands.
#[derive(Debug)]
#[non_exhaustive]
pub enum LogError {
    /// Reading or writing fails.
    Io(io::Error),
    /// The first line is not that of a log of a version that can be read.
    Header {
        /// The expected line.
        expected: String,
    },
    /// A line is not a command, or was cut off.
    Line {
        /// Number of the line, from 1.
        line: u64,
        /// Fault of the line.
        reason: String,
    },
    /// A command was refused.
    Refused {
        /// Number of the command.
        id: u64,
        /// Reason for which it was refused.
        reason: Box<CommandError>,
    },
    /// A command does not follow the last one of the session.
    Order {
        /// Number of the session's next command.
        expected: u64,
        /// First number of the log from there on; `None` if it ends before.
        found: Option<u64>,
    },
}

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(reason) => write!(f, "the log of commands: {reason}"),
            Self::Header { expected } => write!(
                f,
                "line 1 of the log is not {expected}: it is no log of commands, or one of another \
                 version; read it with the version that wrote it"
            ),
            Self::Line { line, reason } => {
                write!(
                    f,
                    "line {line} of the log is no whole command: {reason}; remove what is cut"
                )
            }
            Self::Refused { id, reason } => write!(
                f,
                "command {id} of the log is refused, so this world is not the one that the log is \
                 of: {reason}"
            ),
            Self::Order { expected, found: Some(found) } => write!(
                f,
                "the session goes on with command {expected}, and the log has {found} there: take \
                 the log of this session, from an earlier command on"
            ),
            Self::Order { expected, found: None } => {
                write!(f, "the session goes on with command {expected}, and the log ends before it")
            }
        }
    }
}

impl std::error::Error for LogError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(reason) => Some(reason),
            Self::Refused { reason, .. } => Some(&**reason),
            _ => None,
        }
    }
}

impl From<io::Error> for LogError {
    fn from(reason: io::Error) -> Self {
        Self::Io(reason)
    }
}
