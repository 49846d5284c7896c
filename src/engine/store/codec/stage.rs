//! Depths as stages over a bed.

use crate::grid::TILE_CELLS;
use crate::store::codec::{TileIntegers, residuals};

/// Returns a plane that is `depth` above `bed` in wet cells, and at most as high as the bed in dry
/// ones; `None` if the depths are invalid or too large.
#[must_use]
pub fn over(bed: &TileIntegers, depth: &TileIntegers) -> Option<TileIntegers> {
    let is_stage = |cell: usize| depth[cell] >= 0 && bed[cell].checked_add(depth[cell]).is_some();
    if !(0..TILE_CELLS).all(is_stage) {
        return None;
    }
    let stage = |cell: usize| bed[cell] + depth[cell];
    let first = depth.iter().position(|&depth| depth > 0).map_or(0, stage);
    Some(residuals::choose(
        first,
        |cell, free| {
            if depth[cell] > 0 { stage(cell) } else { free.min(bed[cell]) }
        },
    ))
}

/// Turns a plane from [`over`] into depths.
pub fn take_off(bed: &TileIntegers, plane: &mut TileIntegers) {
    for (cell, bed) in plane.iter_mut().zip(bed) {
        // A forged stage may be 2³¹ or more above its bed: the difference wraps to a negative
        // depth, which readers of leaves refuse.
        *cell = if *cell > *bed { cell.wrapping_sub(*bed) } else { 0 };
    }
}
