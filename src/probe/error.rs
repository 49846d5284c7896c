//! Why a query is refused.

use std::fmt;
use thalweg_engine::tile::NotKept;

/// Why a query is refused.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum QueryError {
    /// A coordinate is not a finite number.
    Place {
        /// Index of the point, from 0.
        index: usize,
        /// The point, m.
        place_m: [f64; 2],
    },
    /// A height is not a finite number.
    Height(f64),
    /// The points are too few.
    Points {
        /// Name of the line or shape.
        what: &'static str,
        /// Points found.
        found: usize,
        /// Points needed.
        least: usize,
    },
    /// Two sides of a polygon meet.
    Crossing {
        /// The corner where the first side begins, from 0.
        first: usize,
        /// The corner where the second side begins.
        second: usize,
    },
    /// A depth is negative, infinite or not a number.
    Depth(f64),
    /// A raster has no cells, too many, or is beyond the numbers.
    Window {
        /// Columns.
        width: usize,
        /// Rows.
        height: usize,
    },
    /// The level is beyond all levels of a world.
    Level(u8),
    /// The world does not keep the flood maps that the query needs.
    Maps(NotKept),
}

/// Largest number of cells of a raster.
pub const WINDOW_CELLS_MAX: usize = 1 << 28;

/// Coarsest level of a raster.
pub const WINDOW_LEVEL_MAX: u8 = 20;

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Place { index, place_m: [x, y] } => write!(
                f,
                "point {index} (from 0) is at {x}, {y}: give finite metres east and north of the \
                 world's south-west corner"
            ),
            Self::Height(height_m) => {
                write!(
                    f,
                    "a point has a height of {height_m} m: give finite metres above the datum"
                )
            }
            Self::Points { what, found, least } => {
                write!(f, "{what} has {found} points and needs {least}: add points")
            }
            Self::Crossing { first, second } => write!(
                f,
                "the sides of the polygon that begin at corners {first} and {second} (from 0) \
                 meet: let no side cross or touch another, or ask for several polygons"
            ),
            Self::Depth(depth_m) => {
                write!(
                    f,
                    "a depth of {depth_m} m wets nothing: give metres, 0 or more, and of a surface \
                     no more than 1"
                )
            }
            Self::Window { width, height } => write!(
                f,
                "a raster of {width} x {height} cells cannot be filled: give 1 to \
                 {WINDOW_CELLS_MAX} cells that end below column and row 2^32"
            ),
            Self::Level(level) => {
                write!(f, "no world has a level {level}: give 0 (the finest) to {WINDOW_LEVEL_MAX}")
            }
            Self::Maps(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for QueryError {}

impl From<NotKept> for QueryError {
    fn from(error: NotKept) -> Self {
        Self::Maps(error)
    }
}
