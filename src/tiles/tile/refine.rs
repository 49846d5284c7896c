//! A quarter of a tile as a tile of the next finer level.
//!
//! ```text
//! hᵢ = η − zᵢ                where that makes all four cells wet: η > every zᵢ
//! Σ max(0, s − zᵢ) = 4 h     elsewhere: one stage s, what is left to the lowest cells, a unit each
//! Cᵢ = C hᵢ / h              content of a tracer, whole
//! ```
//!
//! Inside a lake no stage moves, and the [`carry`](super::carry) gives the difference: `Σ hᵢ − 4 h`
//! is 4 z − Σ zᵢ, −1 … 2 units. With η ≥ zᵢ, cells that stay dry would count as lake, and
//! [`coarsen`](super::coarsen), which sees no water in them, would not give the same depth back.
//! Elsewhere the four contain the coarse cell's volume exactly. A dry cell stays dry: its η is z,
//! no higher than the highest zᵢ.
//!
//! No cell passes the ceiling: elsewhere η is at most the highest zᵢ, which is below it, and the
//! room up to η is `Σ max(0, η − zᵢ) ≥ 4 h − 1`, so a unit left is at η + 1 at most.
//!
//! Contents: the first H units of the four take T(H) = ⌊C H / h⌋, cell after cell, so each gets
//! between ⌊C/h⌋ hᵢ and ⌈C/h⌉ hᵢ, and a whole concentration does not change.
//!
//! Guarantees: volume and content are exact; [`coarsen`](super::coarsen) gives every coarse depth
//!             back.
//! Limits:     flat columns: at a shore the fine stages differ from the coarse one.
//! Source:     own.

use crate::grid::blocks::{blocks, four_of};
use crate::tile::carry::finest_cells;
use crate::tile::coarsen::is_inside;
use crate::tile::{Carry, Ground, Holding, Water};
use crate::units::{CEILING, Volume};

/// Returns the water of the quarter `quadrant` of a leaf, as a leaf of the finer `level` on
/// `ground`; its carry, settled. Quadrants: 0 south-west, 1 south-east, 2 north-west, 3 north-east.
/// Discharges are 0: see [`flows`](super::flows).
///
/// # Panics
///
/// If a coarse cell has ground but one of its four has not, or if its bed is not the mean of
/// theirs.
#[must_use]
pub fn refine(coarse: &Holding<'_>, quadrant: usize, ground: &Ground, level: u8) -> (Water, Carry) {
    let mut water = Water::dry_with(coarse.water.contents.len());
    let mut carry = coarse.carry.share(quadrant, coarse.ground, &coarse.water.depth);
    let cell = finest_cells(level);
    carry.water += split_depths(quadrant, coarse, ground, &mut water.depth) * cell;
    for (tracer, carried) in carry.contents.iter_mut().enumerate() {
        let coarse = (&*coarse.water.depth, &*coarse.water.contents[tracer]);
        let left = split_contents(quadrant, coarse, &water.depth, &mut water.contents[tracer]);
        *carried += left * Volume::from(cell);
    }
    carry.settle(level, ground, &mut water);
    (water, carry)
}

/// Computes the depths of a quarter; returns the remainder, in units of the fine cells.
fn split_depths(quadrant: usize, coarse: &Holding<'_>, ground: &Ground, depth: &mut [i32]) -> i64 {
    let mut left = 0;
    for (cell, four) in blocks(quadrant) {
        let (bed, beds) = (coarse.ground.bed[cell], four_of(&ground.bed, four));
        if is_inside(coarse.ground, cell, beds) {
            let held = coarse.water.depth[cell];
            let depths = if coarse.ground.columns.is_some() {
                tabled_depths(coarse.ground.stage(cell, held), held, ground, four)
            } else {
                fine_depths(bed, held, beds)
            };
            left += 4 * i64::from(held);
            for (at, fine) in four.into_iter().zip(depths) {
                depth[at] = fine;
                left -= i64::from(fine);
            }
        }
    }
    left
}

/// Computes the contents of a quarter from depths and contents of the coarse cells; returns the
/// remainder, in units of the fine cells.
fn split_contents(
    quadrant: usize,
    coarse: (&[i32], &[i64]),
    depth: &[i32],
    content: &mut [i64],
) -> Volume {
    let mut left = 0;
    for (cell, four) in blocks(quadrant) {
        if coarse.1[cell] != 0 {
            let (held, whole) = (Volume::from(coarse.0[cell]), Volume::from(coarse.1[cell]));
            let (mut units, mut given) = (0, 0);
            for at in four {
                units += Volume::from(depth[at]);
                let until = whole * units / held;
                content[at] = i64::try_from(until - given).expect("at most 2²⁴ times a depth");
                given = until;
            }
            left += 4 * whole - given;
        }
    }
    left
}

/// Returns the depths of the four cells of a coarse one.
fn fine_depths(bed: i32, depth: i32, beds: [i32; 4]) -> [i32; 4] {
    let stage = bed + depth;
    if beds.iter().all(|&z| stage > z) {
        return beds.map(|z| stage - z);
    }
    filled(4 * i64::from(depth), beds)
}

/// Returns the depths of four columns that contain four times `depth` at one stage near `stage`; if
/// all are covered, exactly at `stage`.
fn tabled_depths(stage: i32, depth: i32, ground: &Ground, four: [usize; 4]) -> [i32; 4] {
    if depth == 0 {
        return [0; 4];
    }
    let at = |stage: i32| four.map(|cell| ground.holds(cell, stage));
    let held = |depths: [i32; 4]| depths.iter().map(|&h| i64::from(h)).sum::<i64>();
    let is_covered = |cell: usize, depth| depth > 0 && ground.surface(cell, depth).quantum == 0;
    let (depths, volume) = (at(stage), 4 * i64::from(depth));
    let more = held(depths) - volume;
    // The rounded mean of four beds is off by −1 to 2 quarters of a unit, as in `coarsen`.
    if (-1..=2).contains(&more) && four.iter().zip(depths).all(|(&cell, h)| is_covered(cell, h)) {
        return depths;
    }
    // The highest stage at which they do not contain more.
    let fits = |stage: i32| held(at(stage)) <= volume;
    let (mut low, mut high, mut step) = (stage, stage, 1);
    while high < CEILING && fits(high) {
        (low, high, step) = (high, high.saturating_add(step).min(CEILING), step.saturating_mul(2));
    }
    step = 1;
    while !fits(low) {
        (high, low, step) = (low, low.saturating_sub(step), step.saturating_mul(2));
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        (low, high) = if fits(middle) { (middle, high) } else { (low, middle) };
    }
    let (mut depths, next) = (at(low), at(high));
    let mut left = volume - held(depths);
    for (own, next) in depths.iter_mut().zip(next) {
        if left > 0 && next > *own {
            (*own, left) = (*own + 1, left - 1);
        }
    }
    depths
}

/// Fills four cells to one stage.
fn filled(volume: i64, beds: [i32; 4]) -> [i32; 4] {
    let mut order = [0, 1, 2, 3];
    // Ties go by number: of equally low cells the first one gets a unit that is left.
    order.sort_by_key(|&i| (beds[i], i));
    let bed = |place: usize| i64::from(beds[order[place]]);
    // The `count` lowest cells contain it if their stage is not above the next bed.
    let (mut count, mut over_datum) = (1, volume + bed(0));
    while count < 4 && over_datum > bed(count) * count as i64 {
        over_datum += bed(count);
        count += 1;
    }
    let (stage, left) = (over_datum.div_euclid(count as i64), over_datum.rem_euclid(count as i64));
    let mut depths = [0; 4];
    for place in 0..count {
        let depth = stage - bed(place) + i64::from((place as i64) < left);
        depths[order[place]] = i32::try_from(depth).expect("below the ceiling");
    }
    depths
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tile::coarsen::coarse_depth;
    use crate::units::OUTSIDE;
    use crate::units::hash::scramble;

    #[test]
    fn a_lake_keeps_its_stage_and_a_shore_fills_from_the_lowest_up() {
        let top = CEILING;
        for (bed, beds, depth, depths) in [
            // All wet at the coarse stage.
            (1, [0, 0, 1, 1], 8, [9, 9, 8, 8]),
            (-1, [-1, -1, -1, 0], 2, [2, 2, 2, 1]),
            // The highest just wet, just dry, just wet.
            (1, [0, 0, 1, 1], 1, [2, 2, 1, 1]),
            (2, [1, 1, 2, 3], 1, [2, 2, 0, 0]),
            (2, [1, 1, 2, 3], 2, [3, 3, 2, 1]),
            // One hollow takes all; units left go to the lowest.
            (25, [100, 0, 0, 0], 25, [0, 34, 33, 33]),
            (75, [100, 0, 100, 100], 20, [0, 80, 0, 0]),
            (3, [5, 2, 2, 2], 0, [0, 0, 0, 0]),
            // At the ceiling: as a lake, and up to it without one.
            (-top, [-top; 4], 2 * top, [2 * top; 4]),
            (0, [top - 1, 0, 1 - top, 0], top, [1, top, 2 * top - 1, top]),
            (top - 2, [top - 1, top - 2, top - 2, top - 2], 1, [0, 2, 1, 1]),
        ] {
            assert!(is_inside(&Ground::flat([bed].into()), 0, beds), "{beds:?}");
            assert_eq!(fine_depths(bed, depth, beds), depths, "{depth} on {bed} over {beds:?}");
        }
    }

    /// Goal: the promises of both module pages for one cell, over all magnitudes.
    /// Method: 100,000 draws; beds and stages crowd at the ceiling and at each other.
    #[test]
    fn any_cell_holds_its_volume_and_comes_back() {
        let mut lakes = 0;
        for seed in 0..100_000_u64 {
            let mut state = seed;
            let mut draw = |most: i64| {
                state = scramble(state.wrapping_add(0x9e37_79b9));
                let bits = (state >> 32) % 31;
                let range = most.min((1 << bits) - 1) + 1;
                i64::try_from((state & 0xffff_ffff) % range.cast_unsigned()).expect("32 bits")
            };
            let highest = i64::from(CEILING) - 1;
            let base = if draw(1) == 0 { draw(2 * highest) - highest } else { highest - draw(9) };
            let bed_of = |z: i64| i32::try_from(z.clamp(-highest, highest)).expect("clamped");
            let beds = [(); 4].map(|()| bed_of(base + draw(2 * highest) - draw(2 * highest)));
            let sum: i64 = beds.iter().map(|&z| i64::from(z)).sum();
            let bed = bed_of((sum + 2).div_euclid(4));
            let depth = i32::try_from(draw(i64::from(CEILING) - i64::from(bed))).expect("below");

            let fine = fine_depths(bed, depth, beds);
            let held: i64 = fine.iter().map(|&h| i64::from(h)).sum();
            let place = format!("seed {seed}: {depth} on {bed} over {beds:?} became {fine:?}");
            let is_lake = fine.iter().zip(beds).all(|(&h, z)| h > 0 && z + h == bed + depth);
            let more = held - 4 * i64::from(depth);
            assert!(if is_lake { (-1..=2).contains(&more) } else { more == 0 }, "{place}");
            assert!(fine.iter().zip(beds).all(|(&h, z)| h >= 0 && h <= CEILING - z), "{place}");
            assert!(depth > 0 || fine == [0; 4], "{place}");
            assert_eq!(coarse_depth(bed, beds, fine), depth, "{place}");
            lakes += u32::from(is_lake);

            // Any four depths fit below the ceiling as one; depths of a lake are restored.
            let any = beds.map(|z| i32::try_from(draw(i64::from(CEILING - z))).expect("below"));
            let coarse = coarse_depth(bed, beds, any);
            assert!(coarse >= 0 && coarse <= CEILING - bed, "{place}: {any:?} became {coarse}");
            let lowest = *beds.iter().max().expect("four");
            let stage =
                CEILING - i32::try_from(draw(i64::from(CEILING - lowest) - 1)).expect("below");
            let lake = beds.map(|z| stage - z);
            let coarse = coarse_depth(bed, beds, lake);
            assert_eq!(fine_depths(bed, coarse, beds), lake, "{place}: {lake:?}");
        }
        assert!(lakes > 10_000, "only {lakes} of the draws are lakes");
    }

    #[test]
    fn outside_stays_outside() {
        assert!(!is_inside(&Ground::flat([OUTSIDE].into()), 0, [OUTSIDE; 4]));
    }
}
