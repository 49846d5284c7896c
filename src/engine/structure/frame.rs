//! The parts of a world on which structures depend.

use crate::grid::cells::CellPlace;
use crate::structure::error::Fault;
use crate::units::VerticalScale;

/// The world to which a structure is added.
#[derive(Clone, Copy)]
pub struct StructureFrame<'a> {
    /// Vertical scale of the world.
    pub scale: VerticalScale,
    /// Gravitational acceleration, m/s².
    pub gravity: f64,
    /// Width of cells of the base level, m.
    pub cell_width_m: f64,
    /// Columns and rows of the base level.
    pub size: (usize, usize),
    /// True for cells of the base level that are ground.
    pub is_ground: &'a dyn Fn(CellPlace) -> bool,
}

/// A coordinate beyond the largest world, cells.
const CELLS_MOST: f64 = 1_048_576.0;

/// Returns the cell that contains a point; `None` if the point is west or south of all cells, or
/// NaN.
#[must_use]
pub fn cell_at(point_m: [f64; 2], cell_width_m: f64) -> Option<CellPlace> {
    let index = |metres: f64| {
        let place = (metres / cell_width_m).floor();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded")]
        (0.0..CELLS_MOST).contains(&place).then_some(place as u32)
    };
    Some(CellPlace { x: index(point_m[0])?, y: index(point_m[1])? })
}

impl StructureFrame<'_> {
    /// Returns the width and height of the world, m.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "2²⁰ cells a side")]
    pub fn size_m(&self) -> [f64; 2] {
        let (columns, rows) = self.size;
        [columns, rows].map(|cells| cells as f64 * self.cell_width_m)
    }

    /// Converts an elevation to whole units of the scale; errors name it `noun`.
    ///
    /// # Errors
    ///
    /// [`Fault::Elevation`] if the elevation is outside the scale.
    pub fn elevation(&self, noun: &'static str, metres: f64) -> Result<i32, Fault> {
        let units = self.scale.elevation(metres, self.scale.exponent());
        units.map_err(|reason| Fault::Elevation { noun, reason })
    }

    /// Returns an elevation as metres above the datum.
    ///
    /// # Errors
    ///
    /// [`Fault::Elevation`] if the elevation is outside the scale.
    pub fn above_datum_m(&self, noun: &'static str, metres: f64) -> Result<f64, Fault> {
        Ok(f64::from(self.elevation(noun, metres)?) * self.scale.unit_m())
    }
}
