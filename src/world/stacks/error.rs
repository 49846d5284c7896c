//! Errors of intervals.

use std::fmt;
use std::fmt::Write as _;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::units::elevation::ScaleError;
use thalweg_engine::units::plain::Plain;

/// Reason for which intervals are refused.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum StackError {
    /// A ceiling is not above its bed by at least a vertical unit.
    Thin {
        /// The cell.
        place: CellPlace,
        /// Bed and ceiling, m.
        span_m: [f64; 2],
    },
    /// Two intervals of a cell overlap or touch.
    Overlap {
        /// The cell.
        place: CellPlace,
        /// Bed and ceiling of the lower one, m.
        lower_m: [f64; 2],
        /// Bed and ceiling of the upper one, m.
        upper_m: [f64; 2],
    },
    /// A ceiling is above the ground.
    Ground {
        /// The cell.
        place: CellPlace,
        /// The ceiling, m.
        ceiling_m: f64,
        /// The ground, m.
        ground_m: f64,
    },
    /// A cell has too many intervals.
    Count {
        /// The cell.
        place: CellPlace,
        /// Number of its intervals.
        count: usize,
        /// Maximum number of intervals.
        most: usize,
        /// Number of cells that have too many.
        cells: usize,
    },
    /// A cell is outside the map.
    Outside {
        /// The cell.
        place: CellPlace,
    },
    /// A cell is in a leaf of a coarser level.
    Coarse {
        /// The cell.
        place: CellPlace,
        /// Level of its leaf.
        level: u8,
    },
    /// The water of a filled space has no room elsewhere.
    NoRoom {
        /// The cell.
        place: CellPlace,
        /// Volume without room, m³.
        volume_m3: f64,
    },
    /// The fluid of the world has a yield stress.
    Fluid {
        /// The cell.
        place: CellPlace,
    },
    /// A height is outside the world's vertical scale.
    Height {
        /// The cell.
        place: CellPlace,
        /// Reason.
        reason: ScaleError,
    },
}

/// A cell as messages print it.
struct PrintedCell(CellPlace);

impl fmt::Display for PrintedCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cell {}, {}", self.0.x, self.0.y)
    }
}

impl fmt::Display for StackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let f = &mut Plain(f);
        match self {
            Self::Thin { place, span_m: [bed, ceiling] } => write!(
                f,
                "an interval of {} has its bed at {bed} m and its ceiling at {ceiling} m: put the \
                 ceiling above the bed, by a vertical unit at least",
                PrintedCell(*place)
            ),
            Self::Overlap { place, lower_m: [_, top], upper_m: [bed, _] } => write!(
                f,
                "two intervals of {} overlap: one ends at {top} m and the next begins at {bed} m; \
                 leave rock between them, or carve them as one",
                PrintedCell(*place)
            ),
            Self::Ground { place, ceiling_m, ground_m } => write!(
                f,
                "an interval of {} ends at {ceiling_m} m, above the ground at {ground_m} m: end it \
                 below, or make it part of the terrain",
                PrintedCell(*place)
            ),
            Self::Count { place, count, most, cells } => write!(
                f,
                "{} has {count} intervals, and {cells} cells have more than the {most} that a cell \
                 may have: join some of them",
                PrintedCell(*place)
            ),
            Self::Outside { place } => {
                write!(f, "{} lies outside the map: no interval can be there", PrintedCell(*place))
            }
            Self::Coarse { place, level } => write!(
                f,
                "{} lies in a leaf of level {level}: ask for the simulated level there, with a \
                 criterion or by the first leaves, and then for the interval",
                PrintedCell(*place)
            ),
            Self::NoRoom { place, volume_m3 } => write!(
                f,
                "{volume_m3} m³ of the water in {} have no room beside what is filled: take the \
                 water out first, or leave a way out",
                PrintedCell(*place)
            ),
            Self::Fluid { place } => write!(
                f,
                "{} has an interval, and the fluid of this world a yield stress, which intervals \
                 do not know: leave them out, or choose a fluid without it",
                PrintedCell(*place)
            ),
            Self::Height { place, reason } => {
                write!(f, "an interval of {}: {reason}", PrintedCell(*place))
            }
        }
    }
}

impl std::error::Error for StackError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Height { reason, .. } => Some(reason),
            _ => None,
        }
    }
}
