//! Infiltrated depth in finer and coarser tiles.
//!
//! Four cells become one of their mean, one becomes four of the same. What is below a whole unit is
//! handed from cell to cell, so that the rest of a leaf is always less than one unit of one of its
//! cells; it lives in [`Carry::infiltrated`](super::Carry).
//!
//! Guarantees: `4^L Σ infiltrated + rest` is exact; no cell passes the largest of its four.
//! Limits:     the unit that rests add up to lands in whichever cell comes next.
//! Source:     own.

use crate::grid::TILE_CELLS;
use crate::grid::blocks::blocks;
use crate::grid::blocks::four_of;
use crate::tile::Ground;
use crate::tile::carry::finest_cells;

/// Infiltrated depth of a leaf of `level` from that of its quarters, vertical units; `None` where
/// one has no ground. `rest` is the sum of theirs before, and its own after, vertical units ×
/// finest cells.
#[must_use]
pub fn coarsen_infiltrated(
    quarters: [Option<&[i32]>; 4],
    ground: &Ground,
    level: u8,
    rest: &mut i64,
) -> Box<[i32]> {
    let (cell, fine_cell) = (finest_cells(level), finest_cells(level - 1));
    let mut plane: Box<[i32]> = vec![0; TILE_CELLS].into();
    for (quadrant, fine) in quarters.into_iter().enumerate() {
        let Some(fine) = fine else { continue };
        for (at, four) in blocks(quadrant).filter(|&(at, _)| ground.is_inside(at)) {
            let soaked: i64 = four_of(fine, four).iter().map(|&units| i64::from(units)).sum();
            let most = four_of(fine, four).into_iter().fold(0, i32::max);
            let total = soaked * fine_cell + *rest;
            plane[at] = i32::try_from(total / cell).map_or(most, |mean| mean.min(most));
            *rest = total - i64::from(plane[at]) * cell;
        }
    }
    plane
}

/// Infiltrated depth of the quarter `quadrant` of a leaf, as a leaf of the finer `level`, vertical
/// units. `rest` is the quarter's share before, and its own after, vertical units × finest cells.
#[must_use]
pub fn refine_infiltrated(
    coarse: &[i32],
    quadrant: usize,
    ground: &Ground,
    level: u8,
    rest: &mut i64,
) -> Box<[i32]> {
    let cell = finest_cells(level);
    let mut plane: Box<[i32]> = vec![0; TILE_CELLS].into();
    for (from, four) in blocks(quadrant) {
        for at in four.into_iter().filter(|&at| ground.is_inside(at)) {
            let whole = i64::from(*rest >= cell && coarse[from] < i32::MAX);
            plane[at] = coarse[from] + i32::from(whole == 1);
            *rest -= whole * cell;
        }
    }
    plane
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::OUTSIDE;
    use crate::units::hash::scramble;

    fn stored(plane: &[i32], level: u8) -> i64 {
        plane.iter().map(|&units| i64::from(units)).sum::<i64>() * finest_cells(level)
    }

    /// Goal: not a unit is lost, the rest stays below one unit of a cell, no cell gets more than
    /// its four had, whatever they had.
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
        let mut rest = 3;
        let plane = coarsen_infiltrated([Some(&[5; TILE_CELLS]); 4], &ground, 1, &mut rest);
        assert!(plane[..200].iter().all(|&units| units == 0));
        assert!(plane[200..].iter().all(|&units| units == 5) && rest == 3);
    }
}
