//! Why a world cannot be built.

use crate::world::stacks::StackError;
use std::fmt;
use std::fmt::Write;
use thalweg_engine::forest::ForestError;
use thalweg_engine::forest::criteria::CriterionError;
use thalweg_engine::forest::{Coverage, PlanError};
use thalweg_engine::grid::TileKey;
use thalweg_engine::sim::settings::SettingsError;
use thalweg_engine::structure::StructureError;
use thalweg_engine::units::elevation::ScaleError;
use thalweg_engine::units::plain::Plain;

/// Why a world cannot be built.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum WorldError {
    /// The pyramid has no such level.
    Level {
        /// The requested level.
        level: u8,
        /// The coarsest level.
        coarsest: u8,
    },
    /// No cell of the level is wholly inside.
    NothingInside {
        /// The level.
        level: u8,
    },
    /// Tiles that cannot be the leaves of one forest.
    Forest(ForestError),
    /// A tile that cannot be a leaf, or that no leaf covers.
    Leaf {
        /// The tile.
        key: TileKey,
        /// Coverage of the tile, if it is a leaf.
        cover: Option<Coverage>,
    },
    /// A criterion that cannot be.
    Criterion(CriterionError),
    /// A budget of cells that cannot be.
    Plan(PlanError),
    /// A setting is out of its range.
    Settings(SettingsError),
    /// A stage is outside the vertical scale.
    Stage {
        /// The name of the stage.
        name: String,
        /// Why.
        reason: ScaleError,
    },
    /// Stages of an edge are not in order of time.
    StageTimes {
        /// The name of the edge.
        name: String,
    },
    /// A class has no value.
    Class {
        /// Property that is classed.
        what: &'static str,
        /// The class.
        class: u16,
        /// Classes that have a value.
        count: usize,
    },
    /// A concentration is not from 0 to 1.
    Concentration {
        /// The tracer.
        tracer: String,
        /// The cell or the source.
        place: String,
        /// The concentration.
        value: f64,
    },
    /// Two tracers have one name.
    TracerTwice {
        /// The name.
        name: String,
    },
    /// Nothing has that name.
    Unknown {
        /// Kind of thing that is named.
        what: &'static str,
        /// The name.
        name: String,
        /// Names that are there.
        known: String,
    },
    /// A world whose beds stay in its file cannot have that.
    Streamed {
        /// Request that a streamed world cannot meet.
        what: &'static str,
    },
    /// A page of the file could not be read.
    Page {
        /// Why.
        reason: String,
    },
    /// A budget of bytes is too small.
    Bytes {
        /// Bytes allowed.
        budget: u64,
        /// Bytes that zero stalls need.
        minimum: u64,
    },
    /// A structure does not fit.
    Structure(StructureError),
    /// Intervals that cannot be.
    Stack(StackError),
    /// The names are more than a world may have.
    Names {
        /// Kind of the named things.
        what: &'static str,
        /// Number of names.
        count: usize,
        /// Largest number of names.
        most: usize,
    },
    /// A physical number is out of range.
    Number {
        /// Name of the number.
        what: &'static str,
        /// Value given.
        value: f64,
        /// Range in which the value should be.
        range: &'static str,
    },
}

impl fmt::Display for WorldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let f = &mut Plain(f);
        match self {
            Self::Level { level, coarsest } => {
                write!(f, "level {level} is coarser than {coarsest}, this terrain's coarsest")
            }
            Self::NothingInside { level } => {
                write!(f, "no cell of level {level} lies wholly on the map: choose a finer level")
            }
            Self::Forest(reason) => write!(f, "{reason}"),
            Self::Criterion(reason) => write!(f, "{reason}"),
            Self::Plan(reason) => write!(f, "{reason}"),
            Self::Leaf { key, cover } => {
                let TileKey { level, x, y } = key;
                let why = match cover {
                    None => "holds ground and lies in no leaf: add it, or a tile that holds it",
                    Some(Coverage::Outside) => "holds no ground: leave it out",
                    Some(Coverage::Ragged | Coverage::Whole) => {
                        "has cells that are only partly ground: take its four quarters instead"
                    }
                };
                write!(f, "tile {x}, {y} of level {level} {why}")
            }
            Self::Settings(reason) => write!(f, "{reason}"),
            Self::Stage { name, reason } => write!(f, "{name}: {reason}"),
            Self::StageTimes { name } => {
                write!(f, "{name}: its stages are not in order of time: sort them")
            }
            Self::Class { what, class, count } => {
                write!(f, "{what} class {class} has no value: there are {count}, counted from 0")
            }
            Self::Concentration { tracer, place, value } => {
                write!(f, "{tracer}: the concentration in {place} is {value}: choose 0 to 1")
            }
            Self::TracerTwice { name } => write!(f, "there are two tracers {name}: rename one"),
            Self::Unknown { what, name, known } => {
                write!(f, "there is no {what} {name:?}: choose one of: {known}")
            }
            Self::Streamed { what } => write!(
                f,
                "a world that is streamed from its file cannot have {what}: load it into memory, \
                 or do without"
            ),
            Self::Page { reason } => write!(f, "a page of the file cannot be read: {reason}"),
            Self::Bytes { budget, minimum } => write!(
                f,
                "a budget of {budget} bytes is less than the {minimum} that this world needs to \
                 never wait for its file: allow at least those, or fewer cells"
            ),
            Self::Structure(reason) => write!(f, "{reason}"),
            Self::Stack(reason) => write!(f, "{reason}"),
            Self::Names { what, count, most } => {
                write!(f, "there are {count} {what}: have {most} at most")
            }
            Self::Number { what, value, range } => write!(f, "{what} is {value}: choose {range}"),
        }
    }
}

impl std::error::Error for WorldError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Forest(reason) => Some(reason),
            Self::Criterion(reason) => Some(reason),
            Self::Plan(reason) => Some(reason),
            Self::Settings(reason) => Some(reason),
            Self::Stage { reason, .. } => Some(reason),
            Self::Structure(reason) => Some(reason),
            Self::Stack(reason) => Some(reason),
            _ => None,
        }
    }
}

impl From<StructureError> for WorldError {
    fn from(reason: StructureError) -> Self {
        Self::Structure(reason)
    }
}

impl From<SettingsError> for WorldError {
    fn from(reason: SettingsError) -> Self {
        Self::Settings(reason)
    }
}
