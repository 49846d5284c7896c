//! Places in whole parts of a cell, so that no place is level with a centre or with a border.
//!
//! ```text
//!   borders at multiples of 2¹⁷ steps, centres 2¹⁶ further, all places on odd steps
//! ```

use crate::world::stacks::rock::RockError;
use thalweg_engine::grid::cells::CellPlace;

/// Steps in a cell.
pub(in crate::world::stacks) const STEPS: i64 = 1 << 17;

/// Maximum distance of a place from the corner of a map, cells: 2²⁴.
const CELLS_MOST: f64 = 16_777_216.0;

/// Maximum number of cells that are built or carved at once.
pub(in crate::world::stacks) const AREA_MOST: f64 = 67_108_864.0;

/// Maximum number of cells of a ground.
pub(in crate::world::stacks) const GROUND_MOST: f64 = 1_073_741_824.0;

/// Thickness, m: thinner gaps and slabs are removed.
pub(in crate::world::stacks) const THIN_M: f64 = 0.002;

/// Checks a length.
pub(in crate::world::stacks) fn check_length(
    of: &'static str,
    length_m: f64,
) -> Result<(), RockError> {
    if length_m > 0.0 && length_m.is_finite() {
        return Ok(());
    }
    Err(RockError::Length { of, length_m })
}

/// Returns the nearest odd steps of a point, m, east and north; the error of an invalid point has
/// its index.
#[expect(clippy::cast_possible_truncation, reason = "2⁴¹ at most, checked here")]
pub(in crate::world::stacks) fn snapped(
    (index, point_m): (usize, [f64; 3]),
    cell_width_m: f64,
) -> Result<[i64; 2], RockError> {
    let cells = [point_m[0] / cell_width_m, point_m[1] / cell_width_m];
    if !cells.iter().all(|at| at.abs() <= CELLS_MOST) || !point_m[2].is_finite() {
        return Err(RockError::Place { index, point_m });
    }
    Ok(cells.map(|at| 2 * (at * (STEPS / 2) as f64).floor() as i64 + 1))
}

/// Checks the number of cells that would result.
pub(in crate::world::stacks) fn check_area(cells: f64, most: f64) -> Result<(), RockError> {
    if cells <= most {
        return Ok(());
    }
    Err(RockError::Many { cells, most })
}

/// Returns the cell of a column and a row.
pub(in crate::world::stacks) fn cell(cell: [i64; 2]) -> Result<CellPlace, RockError> {
    let [x, y] = cell.map(|at| u32::try_from(at).ok());
    x.zip(y).map(|(x, y)| CellPlace { x, y }).ok_or(RockError::Outside { cell })
}
