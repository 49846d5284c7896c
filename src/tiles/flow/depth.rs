//! New depths from transfers: the water that leaves one cell enters the next.

use crate::flow::method::Method;
use crate::tile::interface_faces::InterfaceFaces;
use crate::tile::padded::{Padded, STRIDE, index, span};

/// Applies the transfers to the cells −1 … 63 of one row.
///
/// | argument | shape | location | unit | |
/// | --- | --- | --- | --- | --- |
/// | `tile.depth` | padded | cell | vertical units | in |
/// | `tile.transfer_x`, `.transfer_y` | padded | face | vertical units | in, limited |
/// | `tile.depth_new` | padded | cell | vertical units | out |
#[inline(always)]
pub fn depth_row(tile: &mut Padded, row: i32) {
    // From cell −1 on: the west face of cell 0 needs the new stages on both its sides.
    let (from, to) = (-1, 64);
    let new = &mut tile.depth_new[span(row, from, to)];
    let depth = &tile.depth[span(row, from, to)];
    let west = &tile.transfer_x[span(row, from, to)];
    let east = &tile.transfer_x[span(row, from + 1, to + 1)];
    let south = &tile.transfer_y[span(row, from, to)];
    let north = &tile.transfer_y[span(row + 1, from, to)];

    let count = new.len();
    assert!(depth.len() == count && west.len() == count && east.len() == count);
    assert!(south.len() == count && north.len() == count);
    for i in 0..count {
        // The limiter keeps the exact sum within 0 … ceiling − z, so the wrapped sum is exact, even
        // if partial sums overflow.
        let gain_x = west[i].wrapping_sub(east[i]);
        let gain_y = south[i].wrapping_sub(north[i]);
        new[i] = depth[i].wrapping_add(gain_x).wrapping_add(gain_y);
        let is_own = i > 0 && (0..64).contains(&row);
        debug_assert!(new[i] >= 0 || !is_own, "row {row}, column {i}: depth {}", new[i]);
    }
}

/// Levels the new depths beyond sides where finer tiles own the faces shared with this tile: the
/// step's results for such faces are dropped, so the tile sees no unevenness there that the owner
/// does not see.
#[inline(always)]
pub fn level_finer<M: Method>(tile: &mut Padded, row: i32, interfaces: &InterfaceFaces) {
    let mut level = |own: usize, beyond: usize| {
        if M::COLUMNS {
            tile.columns.stage_new[beyond] = tile.columns.stage_new[own];
            return;
        }
        let stage = tile.bed[own].wrapping_add(tile.depth_new[own]);
        tile.depth_new[beyond] = stage.wrapping_sub(tile.bed[beyond]).max(0);
    };
    if interfaces.finer_west {
        level(index(0, row), index(-1, row));
    }
    if interfaces.finer_south && row == 0 {
        (0..64).for_each(|column| level(index(column, 0), index(column, -1)));
    }
}

/// Applies the transfers to the cell east of the tile in a row.
#[inline(always)]
pub fn depth_east(tile: &mut Padded, row: i32) {
    let cell = index(64, row);
    let gain_x = tile.transfer_x[cell].wrapping_sub(tile.transfer_x[cell + 1]);
    let gain_y = tile.transfer_y[cell].wrapping_sub(tile.transfer_y[cell + STRIDE]);
    tile.depth_new[cell] = tile.depth[cell].wrapping_add(gain_x).wrapping_add(gain_y);
}
