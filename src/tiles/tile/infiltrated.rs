//! Infiltrated depth in finer and coarser tiles.
//!
//! Four cells become one of their mean, one becomes four of the same, or of the same over the
//! ground they have. A remainder below a whole unit is passed from cell to cell, so that the rest
//! of a leaf is always less than one unit of one of its cells; it is kept in
//! [`Carry::infiltrated`](super::Carry).
//!
//! Guarantees: `4^L Σ infiltrated + rest` is exact; no cell passes the largest of its four.
//! Limits:     the unit that rests add up to is given to the next cell, wherever that is.
//! Source:     own.

use crate::grid::TILE_CELLS;
use crate::grid::blocks::{blocks, four_of};
use crate::tile::carry::finest_cells;
use crate::tile::{CowPlane, Ground};

/// Returns the infiltrated depth of a leaf of `level` from the depths of its quarters, vertical
/// units; `None` if one has no ground. `rest` is the sum of theirs before, and its own after,
/// vertical units × finest cells.
#[must_use]
pub fn coarsen_infiltrated(
    quarters: [Option<&[i32]>; 4],
    ground: &Ground,
    level: u8,
    rest: &mut i64,
) -> CowPlane<i32> {
    let (cell, fine_cell) = (finest_cells(level), finest_cells(level - 1));
    let mut plane: CowPlane<i32> = vec![0; TILE_CELLS].into();
    for (quadrant, fine) in quarters.into_iter().enumerate() {
        let Some(fine) = fine else { continue };
        for (at, four) in blocks(quadrant).filter(|&(at, _)| ground.is_inside(at)) {
            let soaked: i64 = four_of(fine, four).iter().map(|&units| i64::from(units)).sum();
            let most = four_of(fine, four).into_iter().fold(0, i32::max);
            let total = soaked * fine_cell + *rest;
            // With the rest of other cells the mean may exceed all four depths: the excess stays in
            // the rest.
            plane[at] = i32::try_from(total / cell).map_or(most, |mean| mean.min(most));
            *rest = total - i64::from(plane[at]) * cell;
        }
    }
    plane
}

/// Returns the infiltrated depth of the quarter `quadrant` of a leaf, as a leaf of the finer
/// `level`, vertical units. `rest` is the quarter's share before, and its own after, vertical units
/// × finest cells.
#[must_use]
pub fn refine_infiltrated(
    coarse: &[i32],
    quadrant: usize,
    ground: &Ground,
    level: u8,
    rest: &mut i64,
) -> CowPlane<i32> {
    let cell = finest_cells(level);
    let mut plane: CowPlane<i32> = vec![0; TILE_CELLS].into();
    for (from, four) in blocks(quadrant) {
        let depths = shared(coarse[from], four.map(|at| finest_inside(ground, at, cell)));
        *rest += cell * (4 * i64::from(coarse[from]) - depths.iter().sum::<i64>());
        for (at, depth) in four.into_iter().zip(depths).filter(|&(at, _)| ground.is_inside(at)) {
            let depth = i32::try_from(depth).expect("at most the largest");
            let whole = i64::from(*rest >= cell && depth < i32::MAX);
            plane[at] = depth + i32::from(whole == 1);
            *rest -= whole * cell;
        }
    }
    plane
}

/// Returns the count of finest cells inside the world in a cell that has `count`.
fn finest_inside(ground: &Ground, at: usize, count: i64) -> i64 {
    match ground.parts() {
        _ if !ground.is_inside(at) => 0,
        Some(parts) => i64::from(parts.inside(at)),
        None => count,
    }
}

/// Returns four times a depth, shared out by weights to whole units, up to the largest depth.
fn shared(depth: i32, weights: [i64; 4]) -> [i64; 4] {
    let (units, sum) = (4 * i64::from(depth), weights.iter().sum::<i64>().max(1));
    let mut depths = weights.map(|weight| units * weight / sum);
    let mut left = units - depths.iter().sum::<i64>();
    for (depth, _) in depths.iter_mut().zip(weights).filter(|(_, weight)| *weight > 0) {
        let unit = i64::from(left > 0);
        *depth += unit;
        left -= unit;
    }
    depths.map(|depth| depth.min(i32::MAX.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{TILE_WIDTH, TileKey};
    use crate::tile::columns::Columns;
    use crate::tile::columns::build::{BedPlanes, LevelBeds};
    use crate::units::OUTSIDE;
    use crate::units::hash::scramble;

    fn stored(plane: &[i32], level: u8) -> i64 {
        plane.iter().map(|&units| i64::from(units)).sum::<i64>() * finest_cells(level)
    }

    /// Goal: not a unit is lost, the rest stays below one unit of a cell, no cell gets more than
    ///       its four had, for any depths.
    #[test]
    fn depths_go_up_and_down_to_the_unit() {
        let mut ground = Ground::flat(vec![0; TILE_CELLS].into());
        ground.bed[..200].fill(OUTSIDE);
        let whole = Ground::flat(vec![0; TILE_CELLS].into());
        for seed in 0..8 {
            let draw = |quadrant: u64, cell: u64| {
                let bits = scramble(seed ^ (quadrant << 20 | cell) << 8);
                i32::try_from(bits % (1 << ((bits >> 33) % 32))).expect("31 bits")
            };
            let fine: [Vec<i32>; 4] =
                [0, 1, 2, 3].map(|q| (0..TILE_CELLS as u64).map(|cell| draw(q, cell)).collect());
            let quarters = fine.each_ref().map(|plane| Some(&**plane));
            let mut rest = 4 * 15;
            let before = rest + fine.iter().map(|plane| stored(plane, 2)).sum::<i64>();
            let coarse = coarsen_infiltrated(quarters, &whole, 3, &mut rest);
            assert_eq!(stored(&coarse, 3) + rest, before, "seed {seed}");
            assert!((0..64).contains(&rest), "seed {seed}: {rest}");
            let most = |plane: &[i32]| plane.iter().fold(0, |most, &units| most.max(units));
            assert!(most(&coarse) <= fine.iter().map(|plane| most(plane)).fold(0, i32::max));

            let mut after = 0;
            for quadrant in 0..4 {
                let mut own = if quadrant == 0 { rest } else { 0 };
                let plane = refine_infiltrated(&coarse, quadrant, &whole, 2, &mut own);
                assert!((0..16).contains(&own), "seed {seed}: {own}");
                after += stored(&plane, 2) + own;
            }
            assert_eq!(after, before, "seed {seed}");
        }
        let thirds = shared(7, [3, 0, 5, 1]);
        assert_eq!(thirds, [10, 0, 15, 3]);
        assert_eq!(shared(i32::MAX, [0, 0, 1, 0])[2], i64::from(i32::MAX));
        let mut rest = 3;
        let plane = coarsen_infiltrated([Some(&[5; TILE_CELLS]); 4], &ground, 1, &mut rest);
        assert!(plane[..200].iter().all(|&units| units == 0));
        assert!(plane[200..].iter().all(|&units| units == 5) && rest == 3);
    }

    /// Goal: ground that is partly outside gets back its infiltrated depth, to the unit. Method: a
    ///       tile of holes, from a coarse one and back to it.
    #[test]
    fn parts_share_what_soaked_into_them() {
        let width = 2 * TILE_WIDTH;
        let is_hole = |i: usize| scramble(i as u64).is_multiple_of(3);
        let finest: Vec<i32> =
            (0..width * width).map(|i| if is_hole(i) { OUTSIDE } else { 0 }).collect();
        let below = |at: usize| {
            let first = at / TILE_WIDTH * 2 * width + at % TILE_WIDTH * 2;
            [0, 1, width, width + 1].map(|step| finest[first + step])
        };
        let bed: Vec<i32> =
            (0..TILE_CELLS).map(|at| below(at).into_iter().min().expect("4")).collect();
        let beds = BedPlanes {
            coarse: LevelBeds::new(&bed, TILE_WIDTH),
            finest: LevelBeds::new(&finest, width),
        };
        let mut ground = Ground::flat(bed.clone().into());
        let key = TileKey { level: 1, x: 0, y: 0 };
        ground.columns = Some(Columns::of(key, &beds).into());
        let coarse = [1000; TILE_CELLS];
        let mut rest = 9;
        let plane = refine_infiltrated(&coarse, 0, &ground, 1, &mut rest);
        assert_eq!(stored(&plane, 1) + rest, 1000 * 16 * TILE_CELLS as i64 / 4 + 9);
        assert!((0..4).contains(&rest));
        for (_, four) in blocks(0) {
            let inside = four.map(|at| finest_inside(&ground, at, 4));
            let all: i64 = inside.iter().sum();
            for (at, inside) in four.into_iter().zip(inside) {
                let off = i64::from(plane[at]) * all - 4000 * inside;
                assert!(off.abs() <= 4 * all, "cell {at}: {} for {inside} of {all}", plane[at]);
            }
        }
        let whole = Ground::flat(vec![0; TILE_CELLS].into());
        let back = coarsen_infiltrated([Some(&plane), None, None, None], &whole, 2, &mut rest);
        assert!(blocks(0).all(|(at, _)| (999..=1001).contains(&back[at])));
    }
}
