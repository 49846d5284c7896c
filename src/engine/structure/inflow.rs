//! A discharge into cells, and the numbers that inflows share.

use crate::grid::cells::CellPlace;
use crate::structure::error::{Fault, Number, StructureError, StructureKind};
use crate::units::RateSeries;
use crate::units::rate::Course;
use serde::{Deserialize, Serialize};

/// Cells of an inflow at most.
pub const CELLS_MOST: usize = 1 << 16;

/// Slope of a river that comes in over the boundary: on less, a river has no normal depth.
pub const SLOPE: Number =
    Number::new(("slope", "the slope of an inflow over an edge"), [1.0e-4, 1.0], "");

/// A discharge into some cells of the simulated level, shared out evenly, as a world's file has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CellInflow {
    /// Name of the inflow, and of its account.
    pub name: String,
    /// Seconds and m³/s, straight lines between the points.
    pub points: Vec<(f64, f64)>,
    /// Cells of the inflow.
    pub cells: Vec<CellPlace>,
}

impl CellInflow {
    /// Checks what can be checked without a world.
    ///
    /// # Errors
    ///
    /// As of [`CellInflow::series`].
    pub fn check(&self) -> Result<(), StructureError> {
        self.series(1.0).map(drop)
    }

    /// Discharge in units of which a cubic metre has so many.
    ///
    /// # Errors
    ///
    /// [`Fault::Series`] names the first point that is out of order or out of range.
    pub fn series(&self, units_per_m3: f64) -> Result<RateSeries, StructureError> {
        RateSeries::scaled(&self.points, units_per_m3, Course::Lines)
            .map_err(|reason| self.error(Fault::Series(reason)))
    }

    /// Says what does not fit about this inflow.
    #[must_use]
    pub fn error(&self, fault: Fault) -> StructureError {
        StructureKind::Inflow.error(&self.name, fault)
    }
}
