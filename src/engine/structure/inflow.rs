//! A discharge into cells, and the numbers that inflows share.

use crate::grid::cells::CellPlace;
use crate::structure::error::{Fault, Number, StructureError, StructureKind};
use crate::units::RateSeries;
use crate::units::rate::RateCourse;
use serde::{Deserialize, Serialize};

/// Most cells of an inflow.
pub const CELLS_MOST: usize = 1 << 16;

/// Slope of a river that enters over the boundary; on smaller slopes a river has no normal depth.
pub const SLOPE: Number =
    Number::new(("slope", "the slope of an inflow over an edge"), [1.0e-4, 1.0], "");

/// A discharge into some cells of the simulated level, shared evenly, as in a world's file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CellInflow {
    /// Name of the inflow, and of its account.
    pub name: String,
    /// Seconds and m³/s, linear between the points.
    pub points: Vec<(f64, f64)>,
    /// Cells of the inflow.
    pub cells: Vec<CellPlace>,
}

impl CellInflow {
    /// Checks everything that does not depend on a world.
    ///
    /// # Errors
    ///
    /// As for [`CellInflow::series`].
    pub fn check(&self) -> Result<(), StructureError> {
        self.series(1.0).map(drop)
    }

    /// Returns the discharge as a series, in units of 1/`units_per_m3` m³.
    ///
    /// # Errors
    ///
    /// [`Fault::Series`] names the first point that is out of order or out of range.
    pub fn series(&self, units_per_m3: f64) -> Result<RateSeries, StructureError> {
        RateSeries::scaled(&self.points, units_per_m3, RateCourse::Lines)
            .map_err(|reason| self.error(Fault::Series(reason)))
    }

    /// Returns the error for a fault of this inflow.
    #[must_use]
    pub fn error(&self, fault: Fault) -> StructureError {
        StructureKind::Inflow.error(&self.name, fault)
    }
}
