//! Four tiles in one of the next coarser level.
//!
//! ```text
//! h = η − z          where all four cells are wet at one stage η
//! h = ⌊Σ hᵢ / 4⌋     elsewhere
//! C = ⌊Σ Cᵢ h / Σ hᵢ⌋    content of a tracer: the mean concentration
//! ```
//!
//! z is the mean of the four beds, rounded half up, so η − z ≥ 1: the highest of them is wet. The
//! error of the depths, `Σ hᵢ − 4 h`, is −1 … 2 units in the first case and 0 … 3 in the second; it
//! goes to the [`carry`](super::carry), and its content with it. The coarse stage is at most the
//! highest fine one: the first case keeps it, and in the second `⌊Σ hᵢ/4⌋ + z` is a whole number
//! less than 1 above the mean of the fine stages, or that mean itself.
//!
//! Guarantees: volume and content are exact; inside a lake no stage moves, and
//!             [`refine`](super::refine) gives the same depths back.
//! Limits:     flat columns: at a shore the coarse stage differs from the fine ones.
//! Source:     own.

use crate::grid::blocks::{blocks, four_of};
use crate::tile::carry::finest_cells;
use crate::tile::{Carry, Ground, Holding, Water};
use crate::units::{OUTSIDE, Volume};

/// Returns the water of a leaf of `level` on `ground` from its four quarters, south-west first,
/// `None` if one has no ground; its carry, settled. Discharges are 0: see [`flows`](super::flows).
///
/// # Panics
///
/// If a coarse cell has ground but one of its four does not, if its bed is not the mean of theirs,
/// or if every quarter is `None`.
#[must_use]
pub fn coarsen(quarters: &[Option<Holding<'_>>; 4], ground: &Ground, level: u8) -> (Water, Carry) {
    let any = quarters.iter().flatten().next().expect("a leaf has ground");
    let tracers = any.water.contents.len();
    let (mut water, mut carry) = (Water::dry_with(tracers), Carry::none(tracers));
    let fine_cell = finest_cells(level - 1);
    for (quadrant, quarter) in quarters.iter().enumerate() {
        let Some(quarter) = quarter else {
            let is_empty = blocks(quadrant).all(|(cell, _)| !ground.is_inside(cell));
            assert!(
                is_empty,
                "no tile in quadrant {quadrant}, but the coarse one has ground there"
            );
            continue;
        };
        carry.absorb(quarter.carry);
        let left = merge_depths(quadrant, quarter, ground, &mut water.depth);
        carry.water += left * fine_cell;
        for tracer in 0..tracers {
            let fine = (&*quarter.water.depth, &*quarter.water.contents[tracer]);
            let coarse = (&*water.depth, &mut *water.contents[tracer]);
            let left = merge_contents(quadrant, fine, coarse);
            carry.contents[tracer] += left * Volume::from(fine_cell);
        }
    }
    carry.settle(level, ground, &mut water);
    (water, carry)
}

/// Computes the depths of a quarter; returns the remainder, in units of the fine cells.
fn merge_depths(quadrant: usize, fine: &Holding<'_>, ground: &Ground, depth: &mut [i32]) -> i64 {
    let mut left = 0;
    for (cell, four) in blocks(quadrant) {
        let beds = four_of(&fine.ground.bed, four);
        if is_inside(ground, cell, beds) {
            let depths = four_of(&fine.water.depth, four);
            depth[cell] = if ground.columns.is_some() {
                tabled_depth(fine.ground, four, depths, (ground, cell))
            } else {
                coarse_depth(ground.bed[cell], beds, depths)
            };
            left += sum(depths) - 4 * i64::from(depth[cell]);
        }
    }
    left
}

/// Computes the contents of a quarter; returns the remainder, in units of the fine cells. `fine`
/// and `coarse` are depths and contents.
fn merge_contents(quadrant: usize, fine: (&[i32], &[i64]), coarse: (&[i32], &mut [i64])) -> Volume {
    let mut left = 0;
    for (cell, four) in blocks(quadrant) {
        let content: i64 = four_of(fine.1, four).iter().sum();
        if content != 0 {
            let depth = Volume::from(coarse.0[cell]);
            let held = Volume::from(sum(four_of(fine.0, four)));
            let mean = Volume::from(content) * depth / held;
            coarse.1[cell] = i64::try_from(mean).expect("at most 2²⁴ times a depth");
            left += Volume::from(content) - 4 * mean;
        }
    }
    left
}

/// Returns the depth of a coarse cell.
pub(super) fn coarse_depth(bed: i32, beds: [i32; 4], depths: [i32; 4]) -> i32 {
    let stage = beds[0] + depths[0];
    if (0..4).all(|i| depths[i] > 0 && beds[i] + depths[i] == stage) {
        return stage - bed;
    }
    i32::try_from(sum(depths) / 4).expect("a mean of depths")
}

/// Returns the depth of a column with a table over four finer ones: the depth at their stage if all
/// are covered and have the same stage, else the floor of their mean.
fn tabled_depth(
    fine: &Ground,
    four: [usize; 4],
    depths: [i32; 4],
    (coarse, cell): (&Ground, usize),
) -> i32 {
    let surfaces = [0, 1, 2, 3].map(|i| fine.surface(four[i], depths[i]));
    let stage = surfaces[0].stage;
    let is_level =
        (0..4).all(|i| depths[i] > 0 && surfaces[i].quantum == 0 && surfaces[i].stage == stage);
    let level = stage.saturating_sub(coarse.bed[cell]);
    if is_level && level > 0 {
        let surface = coarse.surface(cell, level);
        if surface.stage == stage && surface.quantum == 0 {
            return level;
        }
    }
    i32::try_from(sum(depths) / 4).expect("a mean of depths")
}

fn sum(depths: [i32; 4]) -> i64 {
    depths.iter().map(|&h| i64::from(h)).sum()
}

/// Distance that rounding at each level may move a mean of means from the mean, vertical units.
const ROUNDED: i32 = 16;

/// True if a coarse cell over cells of these beds belongs to the world.
///
/// # Panics
///
/// If some of them belong to it and some do not, or if its bed is not their rounded mean. A cell
/// that is partly inside the world belongs to it if any of them does; its bed is within theirs.
pub(super) fn is_inside(coarse: &Ground, cell: usize, beds: [i32; 4]) -> bool {
    let bed = coarse.bed[cell];
    let is_part = coarse.parts().is_some_and(|parts| parts.is_part(cell));
    let outside = beds.iter().filter(|&&z| z == OUTSIDE).count();
    assert!(
        (is_part || outside == 0 || outside == 4) && (bed == OUTSIDE) == (outside == 4),
        "bed {bed} over {beds:?}: a leaf may be no coarser than the edge of the world allows"
    );
    if outside == 4 {
        return false;
    }
    let is_mean = if is_part {
        let inside = || beds.into_iter().filter(|&z| z != OUTSIDE);
        inside().any(|z| z <= bed + ROUNDED) && inside().any(|z| z >= bed - ROUNDED)
    } else {
        // If Σ is the sum of four beds, 4 ⌊(Σ + 2)/4⌋ − Σ is −1, 0, 1 or 2.
        (-1..=2).contains(&(4 * i64::from(bed) - sum(beds)))
    };
    assert!(is_mean, "bed {bed} is not the mean of {beds:?}, rounded half up");
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::TILE_CELLS;
    use crate::units::CEILING;

    #[test]
    fn a_lake_keeps_its_stage_and_the_rest_its_volume() {
        let top = CEILING;
        for (bed, beds, depths, depth, left) in [
            // Lakes: beds rounded up by ½, by ¼, not, and down.
            (1, [0, 0, 1, 1], [9, 9, 8, 8], 8, 2),
            (1, [0, 1, 1, 1], [5, 4, 4, 4], 4, 1),
            (3, [3, 3, 3, 3], [1, 1, 1, 1], 1, 0),
            (-1, [-1, -1, -1, 0], [2, 2, 2, 1], 2, -1),
            // A dry one, three stages, thin films, nothing.
            (1, [0, 0, 1, 4], [4, 4, 3, 0], 2, 3),
            (0, [0, 0, 0, 0], [4, 4, 3, 4], 3, 3),
            (0, [0, 0, 0, 0], [1, 0, 0, 0], 0, 1),
            (1, [0, 0, 1, 1], [0, 0, 0, 0], 0, 0),
            // At the ceiling, from its edge and from the bottom.
            (top - 1, [top - 1; 4], [1; 4], 1, 0),
            (-top, [-top; 4], [2 * top; 4], 2 * top, 0),
            (0, [-top, top - 2, 1, 0], [2 * top, 2, top - 1, top - 3], top - 1, 2),
        ] {
            let ground = Ground::flat([bed].into());
            assert!(is_inside(&ground, 0, beds), "{beds:?}");
            assert_eq!(coarse_depth(bed, beds, depths), depth, "{beds:?} {depths:?}");
            assert_eq!(sum(depths) - 4 * i64::from(depth), left, "{beds:?} {depths:?}");
        }
    }

    #[track_caller]
    fn coarsen_with(coarse_bed: i32, fine_bed: i32, first: i32, missing: usize) {
        let ground = |bed| Ground::flat(vec![bed; TILE_CELLS].into());
        let (coarse, mut fine) = (ground(coarse_bed), ground(fine_bed));
        fine.bed[0] = first;
        let (water, carry) = (Water::dry(), Carry::none(0));
        let quarter = Holding { ground: &fine, water: &water, carry: &carry };
        let quarters = std::array::from_fn(|i| (i != missing).then_some(quarter));
        let _ = coarsen(&quarters, &coarse, 1);
    }

    #[test]
    #[should_panic(expected = "no coarser than the edge of the world allows")]
    fn ragged_cells_are_refused() {
        coarsen_with(7, 7, OUTSIDE, 4);
    }

    #[test]
    #[should_panic(expected = "is not the mean of")]
    fn beds_of_another_pyramid_are_refused() {
        coarsen_with(7, 7, 12, 4);
    }

    #[test]
    #[should_panic(expected = "no tile in quadrant 2")]
    fn ground_without_a_tile_is_refused() {
        coarsen_with(7, 7, 7, 2);
    }
}
