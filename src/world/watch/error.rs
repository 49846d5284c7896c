//! Errors of watches.

use crate::probe::QueryError;
use std::fmt;
use thalweg_engine::structure::StructureError;
use thalweg_engine::units::plain::short;

/// Maximum number of watches of a world.
pub const WATCHES_MOST: usize = 1 << 16;

/// Maximum number of corners of a footprint.
pub const CORNERS_MOST: usize = 1 << 10;

/// Maximum number of finest cells of the rectangles around all footprints together.
pub const CELLS_MOST: u64 = 1 << 24;

/// Reason for which a watch is refused. Nothing has changed then.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum WatchError {
    /// The world has its maximum number of watches.
    Count {
        /// Maximum number of watches.
        most: usize,
    },
    /// A point is not finite, or the corners form no polygon.
    Outline(QueryError),
    /// The place has no ground.
    Outside {
        /// The point, or the first corner of the footprint, m.
        at_m: [f64; 2],
        /// The world's size, m.
        size_m: [f64; 2],
    },
    /// A number is out of its range, or NaN.
    Number {
        /// Noun of the number.
        noun: &'static str,
        /// Value given.
        value: f64,
        /// The least permitted value.
        least: f64,
        /// The largest permitted value.
        most: f64,
    },
    /// A footprint has too many corners.
    Corners {
        /// Number of corners given.
        found: usize,
        /// Maximum number of corners.
        most: usize,
    },
    /// Footprints have too many cells.
    Cells {
        /// Maximum number of finest cells of the rectangles around all of them.
        most: u64,
    },
    /// No barrier has this name.
    Barrier(StructureError),
}

impl fmt::Display for WatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count { most } => {
                write!(f, "the world has {most} watches, the most there may be: take some away")
            }
            Self::Outline(error) => write!(f, "{error}"),
            Self::Outside { at_m: [x, y], size_m: [east, north] } => write!(
                f,
                "{x}, {y} m is outside the world of {east} by {north} m, or on NoData: move it \
                 onto ground"
            ),
            Self::Number { noun, value, least, most } => {
                write!(f, "{noun} is {value}: choose {} to {} m", short(*least), short(*most))
            }
            Self::Corners { found, most } => {
                write!(f, "the footprint has {found} corners, {most} may be: leave some out")
            }
            Self::Cells { most } => write!(
                f,
                "the rectangles around all footprints would have more than {most} finest cells: \
                 watch smaller ones, or gauges instead"
            ),
            Self::Barrier(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for WatchError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Outline(error) => Some(error),
            Self::Barrier(error) => Some(error),
            _ => None,
        }
    }
}

impl From<QueryError> for WatchError {
    fn from(error: QueryError) -> Self {
        Self::Outline(error)
    }
}
