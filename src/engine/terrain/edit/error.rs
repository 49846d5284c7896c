//! Why an edit is refused.

use crate::grid::cells::CellPlace;
use crate::terrain::edit::PointM;
use std::fmt;

/// Why an edit is refused. The terrain is unchanged.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum EditError {
    /// A page of the world's file could not be read.
    Page {
        /// Why.
        reason: String,
    },
    /// A number is out of its range, or not a number.
    Number {
        /// Name of the number.
        what: &'static str,
        /// The number.
        value: f64,
        /// The least it may be.
        low: f64,
        /// The most it may be.
        high: f64,
    },
    /// The number of distinct points is too small.
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
    /// A channel is too narrow for water to find its way from cell to cell.
    Narrow {
        /// Width of the line, m.
        width_m: f64,
        /// The least it must be, m.
        least_m: f64,
    },
    /// The rows of a raster are not of one length.
    Raster {
        /// Values found.
        found: usize,
        /// Columns it should have.
        width: usize,
    },
    /// The shape is beside the world.
    Outside {
        /// South-west corner of the box around it, m.
        low_m: PointM,
        /// North-east corner of the box around it, m.
        high_m: PointM,
        /// Size of the world, m.
        size_m: [f64; 2],
    },
    /// The shape contains no centre of a cell.
    NoCell {
        /// Width of the cells, m.
        cell_width_m: f64,
    },
    /// No cell of the shape has ground, or no value of the raster is a number.
    NoGround,
    /// A bed would leave the world's range.
    Height {
        /// The cell of the finest level.
        place: CellPlace,
        /// The bed it would have, m.
        elevation_m: f64,
        /// Lowest bed of the world's vertical unit, m.
        low_m: f64,
        /// Highest bed of the world's vertical unit, m.
        high_m: f64,
    },
    /// The water on a bed would pass the world's ceiling.
    Water {
        /// The cell of the finest level.
        place: CellPlace,
        /// The stage it would have, m.
        stage_m: f64,
        /// Highest stage of the world's vertical unit, m.
        high_m: f64,
    },
    /// A bed would be below the ceiling of an interval.
    Ceiling {
        /// The cell of the simulated level.
        place: CellPlace,
        /// Ceiling of the interval, m.
        ceiling_m: f64,
        /// Bed that the cell would have, m.
        bed_m: f64,
    },
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Page { reason } => write!(
                f,
                "beds to edit cannot be read from the world's file: {reason}; nothing was changed"
            ),
            Self::Number { what, value, low, high } => {
                write!(f, "{what} is {value}: give a number from {low} to {high}")
            }
            Self::Points { what, found, least } => write!(
                f,
                "{what} has {found} different points and needs {least}: add points, or use a disc"
            ),
            Self::Crossing { first, second } => write!(
                f,
                "the sides of the polygon that begin at corners {first} and {second} (from 0) \
                 meet: let no side cross or touch another, or edit in several polygons"
            ),
            Self::Narrow { width_m, least_m } => write!(
                f,
                "a channel {width_m} m wide has gaps between its cells: make it {least_m} m wide \
                 or more"
            ),
            Self::Raster { found, width } => write!(
                f,
                "{found} heights are no raster of {width} columns: give whole rows, the northern \
                 one first"
            ),
            Self::Outside { low_m: [west, south], high_m: [east, north], size_m } => write!(
                f,
                "the shape from {west}, {south} to {east}, {north} m lies outside the world, \
                 which ends {} m east and {} m north of its south-west corner: count from there",
                size_m[0], size_m[1]
            ),
            Self::NoCell { cell_width_m } => write!(
                f,
                "the shape holds the centre of no cell: cells are {cell_width_m} m wide, make it \
                 wider"
            ),
            Self::Water { place, stage_m, high_m } => write!(
                f,
                "the water on cell {}, {} would stand at {stage_m} m, above {high_m} m, the \
                 ceiling of this world: raise the bed less, or let the water off first",
                place.x, place.y
            ),
            Self::Ceiling { place, ceiling_m, bed_m } => write!(
                f,
                "the bed of cell {}, {} would lie at {bed_m} m, below the ceiling of an interval \
                 at {ceiling_m} m: fill what lies below first, or dig less deep",
                place.x, place.y
            ),
            Self::NoGround => write!(
                f,
                "no cell of the edit has ground: cells outside the world stay outside, and NaN in \
                 a raster keeps the bed"
            ),
            Self::Height { place: CellPlace { x, y }, elevation_m, low_m, high_m } => write!(
                f,
                "the bed at column {x}, row {y} from the south-west would be at {elevation_m} m, \
                 outside this world's {low_m} to {high_m} m: edit by less, or make the world with \
                 more headroom"
            ),
        }
    }
}

impl std::error::Error for EditError {}
