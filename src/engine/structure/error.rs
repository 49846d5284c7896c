//! Errors of structures: which structure, which number of it, and why it is invalid.

use crate::grid::cells::CellPlace;
use crate::units::elevation::ScaleError;
use crate::units::plain::Plain;
use crate::units::rate::SeriesError;
use std::fmt;
use std::fmt::Write;

/// Kinds of structures, each with its own names: no two structures of a kind have the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StructureKind {
    /// A line that water passes over, through a gap or through a breach.
    Barrier,
    /// A culvert, a pump or a drain.
    Link,
    /// A discharge into some cells.
    Inflow,
    /// Rain, evaporation or infiltration over all cells.
    Weather,
    /// A law along the boundary of the world.
    Boundary,
}

impl StructureKind {
    /// Returns the error for a fault of the structure of this name.
    #[must_use]
    pub fn error(self, name: &str, fault: Fault) -> StructureError {
        StructureError { id: StructureId { kind: self, name: name.to_owned() }, fault }
    }
}

impl fmt::Display for StructureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Barrier => "barrier",
            Self::Link => "link",
            Self::Inflow => "inflow",
            Self::Weather => "weather layer",
            Self::Boundary => "boundary",
        })
    }
}

/// Identity of a structure.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StructureId {
    /// Kind of structures among which the name is unique.
    pub kind: StructureKind,
    /// Name of the structure.
    pub name: String,
}

/// A number of a structure: key, noun, range and unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Number {
    /// Key of the number in a scenario.
    pub key: &'static str,
    /// Noun of the number in sentences.
    pub noun: &'static str,
    /// Least value.
    pub least: f64,
    /// Largest value.
    pub most: f64,
    /// Words after the range: a unit, or usual values.
    pub unit: &'static str,
}

impl Number {
    /// Creates a number with a range from the least to the most.
    #[must_use]
    pub const fn new(
        (key, noun): (&'static str, &'static str),
        [least, most]: [f64; 2],
        unit: &'static str,
    ) -> Self {
        Self { key, noun, least, most, unit }
    }

    /// Returns the value if it is in range.
    ///
    /// # Errors
    ///
    /// [`Fault::Number`] if the value is out of range or NaN.
    pub fn check(&self, value: f64) -> Result<f64, Fault> {
        let is_inside = (self.least..=self.most).contains(&value);
        is_inside.then_some(value).ok_or(Fault::Number { number: *self, value })
    }
}

/// Reason why a structure cannot be added to a world, or found in it.
#[derive(Debug, Clone, PartialEq)]
pub struct StructureError {
    /// Identity of the structure.
    pub id: StructureId,
    /// Fault of the structure, its place and the remedy.
    pub fault: Fault,
}

/// Fault of a structure.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Fault {
    /// A number is out of its range.
    Number {
        /// The number.
        number: Number,
        /// Value given.
        value: f64,
    },
    /// An elevation is outside the vertical scale.
    Elevation {
        /// Noun of the elevation in errors.
        noun: &'static str,
        /// Reason of the scale.
        reason: ScaleError,
    },
    /// An end is outside the world or on `NoData`.
    Outside {
        /// The end, m.
        point: [f64; 2],
        /// The world's size, m.
        size_m: [f64; 2],
    },
    /// Both ends are in one cell.
    SameCell {
        /// Width of cells, m.
        cell_width_m: f64,
    },
    /// An end is above the ground.
    AboveGround {
        /// Number of the end, counted from 0.
        end: usize,
        /// Invert of the end, m.
        invert_m: f64,
        /// The bed there, m.
        bed_m: f64,
        /// Height of the barrel, m.
        height_m: f64,
        /// Position of the end, m.
        point: [f64; 2],
    },
    /// A curve is empty or not in order.
    Curve {
        /// The first point that is out of order, counted from 1; `None` if the curve is empty.
        point: Option<usize>,
    },
    /// The structure has no name, or the name of another.
    Name,
    /// No structure has this name.
    Unknown {
        /// Names of the existing structures.
        known: Vec<String>,
    },
    /// The world's ledger has no room for another account.
    Accounts {
        /// Accounts that a world has at most.
        most: usize,
    },
    /// The name is already that of a different account.
    Taken,
    /// A series is invalid.
    Series(SeriesError),
    /// The structure has no cell inside the world.
    NoCell {
        /// The first of its cells that is outside; `None` if it has no cells at all.
        place: Option<CellPlace>,
    },
    /// The structure has too many cells.
    Cells {
        /// Cells of the structure.
        found: usize,
        /// Most cells allowed.
        most: usize,
    },
    /// The number of rates is not that of a layer's classes of cells.
    Rates {
        /// Rates given.
        found: usize,
        /// Classes of the layer.
        classes: usize,
    },
    /// A layer's cells have classes, so it can have no area.
    Classed,
    /// A different fault, and its remedy.
    Other(String),
}

impl fmt::Display for StructureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let f = &mut Plain(f);
        let Self { id: StructureId { kind, name }, fault } = self;
        match fault {
            Fault::Name if name.is_empty() => write!(f, "the {kind} has no name: give it one"),
            Fault::Name => write!(f, "{name}: there are two {kind}s of this name: rename one"),
            Fault::Unknown { known } if known.is_empty() => {
                write!(f, "{name}: there is no {kind} at all")
            }
            Fault::Unknown { known } => {
                write!(f, "{name}: there is no such {kind}: choose one of {}", known.join(", "))
            }
            fault => write!(f, "{name}: {fault}"),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let f = &mut Plain(f);
        match self {
            Self::Number { number: Number { noun, least, most, unit, .. }, value } => {
                write!(f, "{noun} is {value}: choose {least} to {most}{unit}")
            }
            Self::Elevation { noun, reason } => write!(f, "{noun}: {reason}"),
            Self::Outside { point: [x, y], size_m: [east, north] } => write!(
                f,
                "its end at {x}, {y} m is outside the world of {east} by {north} m, or on NoData: \
                 move it onto ground"
            ),
            Self::SameCell { cell_width_m } => write!(
                f,
                "both ends lie in one cell of {cell_width_m} m: move them apart, or take smaller \
                 cells"
            ),
            Self::AboveGround { invert_m, bed_m, height_m, point: [x, y], .. } => write!(
                f,
                "its invert of {invert_m} m hangs more than its height of {height_m} m above the \
                 ground of {bed_m} m at {x}, {y} m: lower it, or raise the ground"
            ),
            Self::Curve { point: Some(point) } => write!(
                f,
                "point {point} of its curve lifts no higher than the one before: sort the points \
                 by height"
            ),
            Self::Curve { point: None } => {
                write!(f, "its curve has no points: give a height and a discharge")
            }
            Self::Name => write!(f, "its name is empty or taken: rename it"),
            Self::Unknown { .. } => write!(f, "nothing of its kind has this name"),
            Self::Accounts { most } => {
                write!(f, "the world has {most} accounts, the most there may be: use names again")
            }
            Self::Taken => {
                write!(f, "the ledger has this name for something else: choose another name")
            }
            Self::Series(reason) => write!(f, "{reason}"),
            Self::Rates { found, classes } => {
                write!(f, "it has {classes} classes of cells, not {found}: give a rate for each")
            }
            Self::Classed => {
                write!(f, "its cells have classes: give a rate for each class, and no area")
            }
            Self::NoCell { place: Some(CellPlace { x, y }) } => {
                write!(f, "cell {x}, {y} is outside the world: move it onto ground")
            }
            Self::NoCell { place: None } => {
                write!(f, "it has no cells: give it at least one")
            }
            Self::Cells { found, most } => write!(
                f,
                "its area has {found} cells, {most} may be: make it smaller, or pour the water at \
                 once"
            ),
            Self::Other(sentence) => write!(f, "{sentence}"),
        }
    }
}

impl std::error::Error for StructureError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.fault {
            Fault::Elevation { reason, .. } => Some(reason),
            Fault::Series(reason) => Some(reason),
            _ => None,
        }
    }
}
