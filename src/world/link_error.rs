//! Why a culvert, a pump or a drain cannot be.

use crate::units::elevation::ScaleError;
use crate::units::plain::Plain;
use std::fmt;
use std::fmt::Write;

/// Why a link cannot be put into a world.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum LinkError {
    /// An end lies outside the world or on `NoData`.
    Outside {
        /// Name of the link.
        name: String,
        /// The end, m.
        point: [f64; 2],
        /// The world's size, m.
        size_m: [f64; 2],
    },
    /// Both ends lie in one cell.
    SameCell {
        /// Name of the link.
        name: String,
        /// Width of cells, m.
        cell_width_m: f64,
    },
    /// A number is out of range.
    Number {
        /// Name of the link.
        name: String,
        /// What it is.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What it should be.
        range: &'static str,
    },
    /// An elevation lies outside the vertical scale.
    Elevation {
        /// Name of the link.
        name: String,
        /// Why.
        reason: ScaleError,
    },
    /// A culvert hangs above the ground.
    AboveGround {
        /// Name of the link.
        name: String,
        /// Its invert, m.
        invert_m: f64,
        /// The bed there, m.
        bed_m: f64,
        /// Its height, m.
        height_m: f64,
        /// Where, m.
        point: [f64; 2],
    },
    /// A curve of a pump is none.
    Curve {
        /// Name of the link.
        name: String,
        /// The first point that is out of order, counted from 1; `None` where there are none.
        point: Option<usize>,
    },
    /// It has no name, or that of another link.
    Name {
        /// The name.
        name: String,
    },
    /// There is no link of a name.
    Unknown {
        /// The name.
        name: String,
        /// Those that are there.
        known: Vec<String>,
    },
    /// The world's ledger has no room for another account.
    Names {
        /// Name of the link.
        name: String,
        /// Accounts that a world has at most.
        most: usize,
    },
    /// A pump stops above where it starts.
    Hysteresis {
        /// Name of the link.
        name: String,
        /// Stage from which it runs, m.
        on_m: f64,
        /// Stage below which it stops, m.
        off_m: f64,
    },
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let f = &mut Plain(f);
        match self {
            Self::Outside { name, point: [x, y], size_m: [east, north] } => write!(
                f,
                "{name}: its end at {x}, {y} m is outside the world of {east} by {north} m, or on \
                 NoData: move it onto ground"
            ),
            Self::SameCell { name, cell_width_m } => write!(
                f,
                "{name}: both ends lie in one cell of {cell_width_m} m: move them apart, or take \
                 smaller cells"
            ),
            Self::Number { name, what, value, range } => {
                write!(f, "{name}: {what} is {value}: choose {range}")
            }
            Self::Elevation { name, reason } => write!(f, "{name}: {reason}"),
            Self::AboveGround { name, invert_m, bed_m, height_m, point: [x, y] } => write!(
                f,
                "{name}: its invert of {invert_m} m hangs more than its height of {height_m} m \
                 above the ground of {bed_m} m at {x}, {y} m: lower it, or raise the ground"
            ),
            Self::Name { name } if name.is_empty() => {
                write!(f, "a link has no name: give it one")
            }
            Self::Name { name } => {
                write!(f, "{name}: there are two links of this name: rename one")
            }
            Self::Unknown { name, known } if known.is_empty() => {
                write!(f, "{name}: there is no link at all")
            }
            Self::Unknown { name, known } => {
                write!(f, "{name}: there is no such link: choose one of {}", known.join(", "))
            }
            Self::Names { name, most } => write!(
                f,
                "{name}: the world has {most} accounts, the most there may be: use names again"
            ),
            Self::Curve { name, point: Some(point) } => write!(
                f,
                "{name}: point {point} of its curve lifts no higher than the one before: sort the \
                 points by height"
            ),
            Self::Curve { name, point: None } => {
                write!(f, "{name}: its curve has no points: give a height and a discharge")
            }
            Self::Hysteresis { name, on_m, off_m } => write!(
                f,
                "{name}: it stops below {off_m} m but runs from {on_m} m only: choose a stage to \
                 stop at that is not above"
            ),
        }
    }
}

impl std::error::Error for LinkError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Elevation { reason, .. } => Some(reason),
            _ => None,
        }
    }
}
