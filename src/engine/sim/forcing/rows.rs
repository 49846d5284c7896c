//! Forcing of cells that are ground throughout, row by row.
//!
//! Guarantees: the same units as cell by cell (`rows_move_as_cells_do`, `soils_soak_as_cells_do`).
//! Limits:     no tracers, and no cells that are partly outside the world: these move one by one.

use crate::flow::transfer::Dither;
use crate::flow::versions::Loops;
use crate::flow::wrap::{add, sub};
use crate::grid::TILE_WIDTH;
use crate::structure::weather::Direction;
use crate::units::{CEILING, maths};

/// A row of cells.
type ForcingRow = [i32; TILE_WIDTH];

/// A layer over the cells of a leaf: returns the units moved.
pub(super) struct LayerRows<'a, U: Fn(usize) -> i32> {
    pub direction: Direction,
    /// Units for a cell.
    pub units: U,
    pub bed: &'a [i32],
    pub depth: &'a mut [i32],
    pub infiltrated: Option<&'a mut [i32]>,
}

impl<U: Fn(usize) -> i32> Loops for LayerRows<'_, U> {
    type Out = i64;

    #[inline(always)]
    #[expect(clippy::needless_range_loop, reason = "a form known to vectorise")]
    fn run(self) -> i64 {
        let Self { direction, units, bed, depth, mut infiltrated } = self;
        let mut moved = 0;
        let rows = depth.as_chunks_mut().0.iter_mut().zip(bed.as_chunks().0);
        for (row, (depth, bed)) in rows.enumerate() {
            let first = TILE_WIDTH * row;
            let mut wanted = [0; TILE_WIDTH];
            for i in 0..TILE_WIDTH {
                wanted[i] = units(first + i);
            }
            let through = match direction {
                Direction::Into => poured(depth, bed, &wanted),
                Direction::Out | Direction::Ground => drawn(depth, &wanted),
            };
            if let (Direction::Ground, Some(plane)) = (direction, &mut infiltrated) {
                note(plane[first..].first_chunk_mut().expect("64 rows of 64"), &through);
            }
            moved += sum(&through);
        }
        moved
    }
}

/// Green–Ampt over the cells of a leaf: returns the units that the ground took.
pub(super) struct SoilRows<'a> {
    /// K Δt and ψΔθ, units.
    pub soil: [f32; 2],
    pub dither: &'a Dither,
    pub depth: &'a mut [i32],
    pub infiltrated: &'a mut [i32],
}

impl Loops for SoilRows<'_> {
    type Out = i64;

    #[inline(always)]
    #[expect(clippy::cast_precision_loss, reason = "of depths that a draw rounds")]
    fn run(self) -> i64 {
        let Self { soil, dither, depth, infiltrated } = self;
        let dither = *dither;
        let mut moved = 0;
        let rows = depth.as_chunks_mut::<TILE_WIDTH>().0.iter_mut();
        for (row, (depth, plane)) in (0..).zip(rows.zip(infiltrated.as_chunks_mut().0)) {
            let (mut wanted, before): (ForcingRow, ForcingRow) = ([0; TILE_WIDTH], *plane);
            let (now, mut column) = (*depth, 0);
            for i in 0..TILE_WIDTH {
                let most = infiltration(before[i] as f32, soil);
                let most = maths::min(most, now[i] as f32);
                wanted[i] = dither.round_ground(column, row, most).max(0);
                column = add(column, 1);
            }
            let through = drawn(depth, &wanted);
            note(plane, &through);
            moved += sum(&through);
        }
        moved
    }
}

/// Returns the depth D that the ground would take in a step, units, after it took F, with c = K Δt,
/// s = ψΔθ:
///
/// ```text
/// F + D = F + c (1 + s/(F + D)),   r = √((F + c)² + 4 c s)
/// D     = 2 c (F + s)/(F − c + r)   where F > c,   else  (c − F + r)/2
/// ```
///
/// Neither subtracts one large number from another, so that f32 has D within 4·10⁻⁷ of it.
#[inline(always)]
pub(in crate::sim) fn infiltration(before: f32, [conductivity, suction]: [f32; 2]) -> f32 {
    let sum = before + conductivity;
    let root = (sum * sum + 4.0 * conductivity * suction).sqrt();
    if before > conductivity {
        2.0 * conductivity * (before + suction) / (before - conductivity + root)
    } else {
        0.5 * (conductivity - before + root)
    }
}

/// Adds units to cells that have room for them; returns the units added.
#[inline(always)]
fn poured(depth: &mut ForcingRow, bed: &ForcingRow, units: &ForcingRow) -> ForcingRow {
    let (mut now, mut through) = (*depth, [0; TILE_WIDTH]);
    for i in 0..TILE_WIDTH {
        through[i] = units[i].min(sub(sub(CEILING, bed[i]), now[i]).max(0));
        now[i] = add(now[i], through[i]);
    }
    *depth = now;
    through
}

/// Takes available units out of cells; returns the units taken.
#[inline(always)]
fn drawn(depth: &mut ForcingRow, units: &ForcingRow) -> ForcingRow {
    let (mut now, mut through) = (*depth, [0; TILE_WIDTH]);
    for i in 0..TILE_WIDTH {
        through[i] = units[i].min(now[i]);
        now[i] = sub(now[i], through[i]);
    }
    *depth = now;
    through
}

/// Notes the units that the ground of cells took.
#[inline(always)]
fn note(plane: &mut ForcingRow, units: &ForcingRow) {
    let mut now = *plane;
    for i in 0..TILE_WIDTH {
        // 2³¹ units are 2 km at k = 20, but 128 m at k = 24, which a long run may infiltrate.
        now[i] = now[i].saturating_add(units[i]);
    }
    *plane = now;
}

/// Returns the sum of a row: below 2³⁷, so nothing wraps.
#[inline(always)]
fn sum(units: &ForcingRow) -> i64 {
    let mut sum = 0_i64;
    for &units in units {
        sum = sum.wrapping_add(i64::from(units));
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::versions::InstructionSet;
    use crate::grid::TILE_CELLS;
    use crate::sim::cell_store::CellStore;
    use crate::sim::tracers::Tracers;
    use crate::units::hash::scramble;

    fn draw(seed: u64, most: u64) -> i32 {
        i32::try_from(scramble(seed) % most).expect("below 2³¹")
    }

    /// Returns random beds, depths up to the ceiling, and units, dry cells and full ones among
    /// them.
    fn cells(seed: u64) -> [Vec<i32>; 3] {
        let plane = |kind: u64, of: &dyn Fn(u64) -> i32| -> Vec<i32> {
            (0..TILE_CELLS as u64).map(|cell| of(seed << 40 ^ kind << 32 ^ cell)).collect()
        };
        let bed = plane(0, &|at| draw(at, 1 << 20) - (1 << 19));
        let depth = plane(1, &|at| draw(at, 3) * draw(at + 7, 1 << 10));
        let full = plane(2, &|at| draw(at, 50));
        let depth = (0..TILE_CELLS).map(|cell| match full[cell] {
            0 => CEILING - bed[cell] - draw(cell as u64, 40),
            _ => depth[cell],
        });
        let depth = depth.collect();
        [bed, depth, plane(3, &|at| draw(at, 2) * draw(at + 9, 60))]
    }

    /// Goal: rows move the same units as cells one by one, on every instruction set. Method: random
    /// cells; layers of each direction.
    #[test]
    fn rows_move_as_cells_do() {
        let tracers = Tracers::default();
        let all = [Direction::Into, Direction::Out, Direction::Ground];
        for (seed, direction) in (0..4).flat_map(|seed| all.map(|direction| (seed, direction))) {
            let [bed, before, units] = cells(seed);
            let (mut depth_of, mut soil_of) = (before.clone(), vec![i32::MAX - 9; TILE_CELLS]);
            let (mut moved, mut books) = (0, tracers.books(&mut []));
            for cell in 0..TILE_CELLS {
                let store = CellStore::new(&mut depth_of[cell], &mut [], cell);
                moved += i64::from(match direction {
                    Direction::Into => {
                        books.fill(store.full_at(CEILING - bed[cell]), 0, units[cell])
                    }
                    Direction::Out => books.drain(store, 0, units[cell]),
                    Direction::Ground => {
                        let soaked = books.drain(store, 0, units[cell]);
                        soil_of[cell] = soil_of[cell].saturating_add(soaked);
                        soaked
                    }
                });
            }
            for set in InstructionSet::all() {
                let (mut own, mut soil) = (before.clone(), vec![i32::MAX - 9; TILE_CELLS]);
                let units = |cell: usize| units[cell];
                let (bed, depth, infiltrated) = (&bed[..], &mut own[..], Some(&mut soil[..]));
                let rows = LayerRows { direction, units, bed, depth, infiltrated };
                assert_eq!(set.run(rows), moved, "seed {seed}, {direction:?}, {set:?}");
                assert!(own == depth_of && soil == soil_of, "seed {seed}, {direction:?}, {set:?}");
            }
        }
    }

    /// Goal: the ground takes the same units as cell by cell, on every instruction set. Method:
    /// random cells on grounds from clay to gravel.
    #[test]
    #[expect(clippy::cast_precision_loss, reason = "as the loops do")]
    fn soils_soak_as_cells_do() {
        for (seed, soil) in [[0.0, 0.0], [0.3, 50.0], [20.0, 3.0e4]].into_iter().enumerate() {
            let seed = seed as u64;
            let ([_, before, taken], dither) = (cells(seed), Dither::new(seed, 1, 64, 128, 9));
            let (mut depth_of, mut soil_of, mut moved) = (before.clone(), taken.clone(), 0);
            for (cell, row) in (0..64).flat_map(|row| (0..64).map(move |x| (64 * row + x, row))) {
                let column = i32::try_from(cell % 64).expect("64");
                let row = i32::try_from(row).expect("64");
                let wanted = infiltration(taken[cell] as f32, soil);
                let wanted = maths::min(wanted, depth_of[cell] as f32);
                let soaked = dither.round_ground(column, row, wanted).clamp(0, depth_of[cell]);
                (depth_of[cell], soil_of[cell]) = (depth_of[cell] - soaked, taken[cell] + soaked);
                moved += i64::from(soaked);
            }
            for set in InstructionSet::all() {
                let (mut own, mut plane) = (before.clone(), taken.clone());
                let (dither, depth, infiltrated) = (&dither, &mut own[..], &mut plane[..]);
                let rows = SoilRows { soil, dither, depth, infiltrated };
                assert_eq!(set.run(rows), moved, "seed {seed}, {set:?}");
                assert!(own == depth_of && plane == soil_of, "seed {seed}, {set:?}");
            }
        }
    }
}
