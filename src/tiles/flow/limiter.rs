//! Outflow limiter: a cell never gives away more water than it contains.
//!
//! If the transfers out of a cell together exceed its depth, each becomes `⌊dv · h / Σ⌋` with
//! 64-bit products, and the discharge of its face is scaled with it. Water that crosses to a finer
//! tile is already decided: it is taken off the depth first.
//!
//! Guarantees: Σ out ≤ h for every cell, for any proposals (`never_overdraws`).
//! Limits:     rounding toward zero leaves up to three units behind, which the next step may send.
//! Source:     the outflow scaling of virtual pipes, restated for integers. Scaling in `f32` before
//!             rounding overdraws thin films, and deep cells by hundreds of units.

use crate::flow::method::Method;
use crate::flow::transfer::scaled;
use crate::grid::Axis;
use crate::tile::interface_faces::InterfaceFaces;
use crate::tile::padded::{Padded, STRIDE, index, span};

/// Limits the outgoing transfers of the cells −2 … 65 of one row.
///
/// | argument | shape | location | unit | |
/// | --- | --- | --- | --- | --- |
/// | `tile.depth` | padded | cell | vertical units | in |
/// | `tile.transfer_x`, `.transfer_y` | padded | face | vertical units | in/out |
/// | `tile.flow_x`, `.flow_y` | padded | face | m²/s | in/out, scaled if the method cuts them |
///
/// Returns the count of the tile's own cells that were limited.
#[inline(always)]
pub fn limit_row<M: Method>(
    tile: &mut Padded,
    row: i32,
    interfaces: Option<&InterfaceFaces>,
) -> u32 {
    const SAFE: i32 = 1 << 29;
    let (from, to) = (-2, 66);
    let depth = &tile.depth[span(row, from, to)];
    let west = &tile.transfer_x[span(row, from, to)];
    let east = &tile.transfer_x[span(row, from + 1, to + 1)];
    let south = &tile.transfer_y[span(row, from, to)];
    let north = &tile.transfer_y[span(row + 1, from, to)];

    let count = depth.len();
    assert!(west.len() == count && east.len() == count);
    assert!(south.len() == count && north.len() == count);
    let mut suspicious = false;
    for i in 0..count {
        // Each transfer out is at most the depth, so below 2²⁹ the sum of four cannot wrap.
        let out_x = east[i].max(0).wrapping_add(west[i].wrapping_neg().max(0));
        let out_y = north[i].max(0).wrapping_add(south[i].wrapping_neg().max(0));
        suspicious |= out_x.wrapping_add(out_y) > depth[i];
        suspicious |= depth[i] >= SAFE;
    }
    if suspicious { limit_cells::<M>(tile, row, (from, to), interfaces) } else { 0 }
}

/// The rare branch: looks at each cell with 64-bit sums.
#[cold]
#[inline(never)]
fn limit_cells<M: Method>(
    tile: &mut Padded,
    row: i32,
    (from, to): (i32, i32),
    interfaces: Option<&InterfaceFaces>,
) -> u32 {
    let mut limited = 0;
    let is_given = |face: usize, axis: Axis| {
        interfaces.is_some_and(|interfaces| match axis {
            Axis::X => interfaces.x.is_given(face),
            Axis::Y => interfaces.y.is_given(face),
        })
    };
    for column in from..to {
        let cell = index(column, row);
        let (east, north) = (cell + 1, cell + STRIDE);
        let out = [
            (cell, Axis::X, tile.transfer_x[cell].min(0).unsigned_abs()),
            (east, Axis::X, tile.transfer_x[east].max(0).unsigned_abs()),
            (cell, Axis::Y, tile.transfer_y[cell].min(0).unsigned_abs()),
            (north, Axis::Y, tile.transfer_y[north].max(0).unsigned_abs()),
        ];
        let sum = |given: bool| -> u64 {
            let these = out.iter().filter(|(face, axis, _)| is_given(*face, *axis) == given);
            these.map(|&(_, _, dv)| u64::from(dv)).sum()
        };
        // Water that crosses to a finer tile is settled; a tile's own cells contain that much.
        let (wanted, given) = (sum(false), sum(true));
        let left = u64::from(tile.depth[cell].unsigned_abs()).saturating_sub(given);
        if wanted <= left {
            continue;
        }
        // Cells of the halo are counted by the tile that they belong to.
        limited += u32::from((0..64).contains(&column) && (0..64).contains(&row));
        for (place, &(face, axis, dv)) in out.iter().enumerate() {
            if dv == 0 || is_given(face, axis) {
                continue;
            }
            // Even places are west and south faces, over which water leaves against the axis.
            let sign = if place % 2 == 0 { -1 } else { 1 };
            let (transfer, flow) = match axis {
                Axis::X => (&mut tile.transfer_x[face], &mut tile.flow_x[face]),
                Axis::Y => (&mut tile.transfer_y[face], &mut tile.flow_y[face]),
            };
            // dv ≤ `wanted` and left < `wanted`, so the share is below a depth, which is an i32.
            let share = share_of(dv, left, wanted);
            let share = i32::try_from(share).expect("a share of a depth") * sign;
            if M::CUTS_DISCHARGES {
                *flow = scaled(*flow, *transfer, share);
            }
            *transfer = share;
        }
    }
    limited
}

/// Returns the share of a transfer of `dv` if `wanted` units are to leave a cell that has `left`.
#[inline(always)]
#[must_use]
pub fn share_of(dv: u32, left: u64, wanted: u64) -> u64 {
    // A transfer and a depth are at most 2³¹ each, so the product fits.
    u64::from(dv) * left / wanted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::pipe::FlatPipe;
    use crate::units::hash::scramble;

    /// Goal: the promise of the module page, on random inputs.
    /// Method: seeded rows over all magnitudes; every transfer out of a cell is at most its depth,
    /// as the sill rule leaves it. A failure prints its seed.
    #[test]
    fn never_overdraws() {
        for seed in 0..300 {
            let mut state = seed;
            let mut draw = |most: i32| {
                state = scramble(state + 1);
                let shift = state % 31;
                i32::try_from((state >> 33 >> shift) % (u64::try_from(most).expect("≥ 0") + 1))
                    .expect("below most")
            };
            let mut tile = Padded::new();
            for column in -2..66 {
                for row in [3, 4, 5] {
                    tile.depth[index(column, row)] = draw(i32::MAX);
                }
            }
            for column in -2..67 {
                let here = index(column, 4);
                let eastward = draw(1) == 1;
                let depth_w = tile.depth[here - 1];
                tile.transfer_x[here] =
                    if eastward { draw(depth_w) } else { -draw(tile.depth[here]) };
                for (cell, row) in [(here, 4), (here + STRIDE, 5)] {
                    let below = tile.depth[cell - STRIDE];
                    let above = if row == 4 { tile.depth[cell] } else { 0 };
                    tile.transfer_y[cell] = if draw(1) == 1 { draw(below) } else { -draw(above) };
                }
                tile.flow_x[here] = 1.0;
            }
            let before = tile.clone();
            limit_row::<FlatPipe>(&mut tile, 4, None);
            for column in -2..65 {
                let cell = index(column, 4);
                let out = i64::from(tile.transfer_x[cell + 1].max(0))
                    - i64::from(tile.transfer_x[cell].min(0))
                    + i64::from(tile.transfer_y[cell + STRIDE].max(0))
                    - i64::from(tile.transfer_y[cell].min(0));
                assert!(out <= i64::from(tile.depth[cell]), "seed {seed}, column {column}: {out}");
                let (now, then) = (tile.transfer_x[cell], before.transfer_x[cell]);
                assert!(
                    now.abs() <= then.abs() && now.signum() * then.signum() >= 0,
                    "seed {seed}"
                );
                let share = now as f32 / then as f32;
                let flow = tile.flow_x[cell];
                assert!(then == 0 || (flow - share).abs() < 1.0e-6, "seed {seed}: {flow}, {share}");
            }
        }
    }

    #[test]
    fn shares_in_proportion_and_rounds_down() {
        let mut tile = Padded::new();
        let cell = index(7, 4);
        tile.depth[cell] = 10;
        (tile.transfer_x[cell], tile.transfer_x[cell + 1]) = (-10, 10);
        (tile.transfer_y[cell], tile.transfer_y[cell + STRIDE]) = (-10, 0);
        assert_eq!(limit_row::<FlatPipe>(&mut tile, 4, None), 1);
        let left = (tile.transfer_x[cell], tile.transfer_x[cell + 1], tile.transfer_y[cell]);
        assert_eq!(left, (-3, 3, -3));
    }
}
