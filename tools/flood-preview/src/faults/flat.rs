//! Flats: ground of exactly one height, and how it meets the ground around.
//!
//! | flat | ground around it |
//! | --- | --- |
//! | water | all of it is higher, but for an outlet |
//! | terrace of heights in steps | it is one step higher or lower |
//! | clipped heights | none is higher on the whole map (or none lower), and slopes end there |
//! | heights that were filled in | it is higher and lower, by more than a step |
//!
//! Limits: a lake whose level was filled in over missing heights looks like a true lake.

use super::ground::{SIDES, SearchedGround};

/// Fewest cells of one height that are a flat.
const CELLS_LEAST: usize = 100;

/// Fewest cells for each side at the rim: the crest of a dyke is level too, and narrow.
const COMPACT: usize = 2;

/// Part of the rim that is lower, above which a flat is no water.
const LOWER_PART: f64 = 0.15;

/// Mean step from a flat to the ground around it, in steps of the heights, above which it is no
/// terrace.
const STEPS_LEAST: f32 = 3.0;

/// Least ratio of cells at the highest height to cells in the step below, for clipped slopes.
const CROWDED: usize = 3;

/// Ground of one height.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Flat {
    /// Height of all its ground, m.
    pub height_m: f32,
    /// Cells of the flat.
    pub cells: Vec<u32>,
    /// Sides of cells where the ground beside it is lower, and all that have ground beside.
    sides: [usize; 2],
    /// Sum of the steps at these, m.
    steps_m: f32,
    /// True if it reaches the frame of the map, or `NoData`.
    is_at_edge: bool,
}

/// Meaning of a flat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FlatMeaning {
    /// The ground was cut off above.
    Highest,
    /// The ground was cut off below.
    Lowest,
    /// The heights were filled in.
    Filled,
}

/// Range of the heights of a map, and their steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct HeightSteps {
    /// The lowest.
    pub low_m: f32,
    /// The highest.
    pub high_m: f32,
    /// The smallest difference of two cells side by side.
    pub step_m: f32,
}

/// Finds the flats of a map that are faults.
#[must_use]
pub(super) fn flats(ground: &SearchedGround<'_>, heights: HeightSteps) -> Vec<(FlatMeaning, Flat)> {
    let flats = all(ground);
    let at_top = flats.iter().filter(|flat| flat.is_at(heights.high_m));
    let widest_m = at_top.map(Flat::step_m).fold(0.0, f32::max);
    let top = Top::of(ground, heights.high_m, widest_m);
    let flats = flats.into_iter();
    flats.filter_map(|flat| Some((flat.meaning(heights, &top)?, flat))).collect()
}

/// Cells at and below the highest height of a map.
#[derive(Debug)]
struct Top {
    height_m: f32,
    /// Cells that have it.
    cells: usize,
    /// Heights of the cells in a range below it, m, rising.
    below_m: Vec<f32>,
}

impl Top {
    fn of(ground: &SearchedGround<'_>, height_m: f32, range_m: f32) -> Self {
        let heights = || ground.heights_m.iter().copied();
        let is_below = |height: &f32| (height_m - range_m..height_m).contains(height);
        let mut below_m: Vec<f32> = heights().filter(is_below).collect();
        below_m.sort_unstable_by(f32::total_cmp);
        let cells = heights().filter(|height| height.to_bits() == height_m.to_bits()).count();
        Self { height_m, cells, below_m }
    }

    /// True if far more cells have the highest height than have heights within a step below it.
    fn is_crowded(&self, step_m: f32) -> bool {
        let first = self.below_m.partition_point(|height| *height < self.height_m - step_m);
        self.cells >= CROWDED * (self.below_m.len() - first)
    }
}

impl HeightSteps {
    /// Reads the heights of a map.
    #[must_use]
    pub fn of(ground: &SearchedGround<'_>) -> Self {
        let heights = ground.heights_m.iter().copied().filter(|height| !height.is_nan());
        let (low_m, high_m) = heights
            .fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), height| {
                (low.min(height), high.max(height))
            });
        let rows = ground.heights_m.chunks(ground.size.0);
        let along = rows.flat_map(|row| row.windows(2)).map(|pair| (pair[1] - pair[0]).abs());
        let across = ground.heights_m.iter().zip(ground.heights_m.iter().skip(ground.size.0));
        let steps = along.chain(across.map(|(north, south)| (south - north).abs()));
        let steps = steps.filter(|step| *step > 0.0);
        Self { low_m, high_m, step_m: steps.fold(f32::INFINITY, f32::min) }
    }
}

/// Returns all flats of a map.
fn all(ground: &SearchedGround<'_>) -> Vec<Flat> {
    let mut is_seen = vec![false; ground.heights_m.len()];
    let mut found = Vec::new();
    let mut cells = Vec::new();
    for first in ground.cells() {
        if is_seen[first as usize] || !begins(ground, first) {
            continue;
        }
        let height_m = ground.height_m(first);
        cells.clear();
        cells.push(first);
        is_seen[first as usize] = true;
        let mut index = 0;
        while let Some(&cell) = cells.get(index) {
            for next in ground.around(cell, SIDES) {
                let is_level = ground.height_m(next).to_bits() == height_m.to_bits();
                if is_level && !std::mem::replace(&mut is_seen[next as usize], true) {
                    cells.push(next);
                }
            }
            index += 1;
        }
        if cells.len() >= CELLS_LEAST {
            found.push(Flat::new(ground, height_m, cells.clone()));
        }
    }
    found
}

/// True if the cell to the east has the same height: a flat has such a cell in one of its rows, or
/// is one column.
fn begins(ground: &SearchedGround<'_>, cell: u32) -> bool {
    let (column, row) = ground.place(cell);
    let height_m = ground.height_m(cell);
    let is_level = |east: u32| ground.height_m(east).to_bits() == height_m.to_bits();
    !height_m.is_nan() && ground.cell(column + 1, row).is_some_and(is_level)
}

impl Flat {
    fn new(ground: &SearchedGround<'_>, height_m: f32, cells: Vec<u32>) -> Self {
        let mut flat = Self { height_m, cells, sides: [0; 2], steps_m: 0.0, is_at_edge: false };
        for &cell in &flat.cells {
            flat.is_at_edge |= ground.is_at_frame(cell);
            for next in ground.around(cell, SIDES) {
                let step_m = ground.height_m(next) - height_m;
                flat.is_at_edge |= step_m.is_nan();
                if step_m.abs() > 0.0 {
                    flat.sides[0] += usize::from(step_m < 0.0);
                    flat.sides[1] += 1;
                    flat.steps_m += step_m.abs();
                }
            }
        }
        flat
    }

    /// Returns the fault that a flat indicates, unless the flat is plausible.
    #[expect(clippy::cast_precision_loss, reason = "cells are far below 2^24")]
    fn meaning(&self, heights: HeightSteps, top: &Top) -> Option<FlatMeaning> {
        let ([lower, all], step_m) = (self.sides, self.step_m());
        if all == 0 || self.cells.len() < COMPACT * all {
            return None;
        }
        if self.is_at(heights.high_m) {
            return top.is_crowded(step_m).then_some(FlatMeaning::Highest);
        }
        if self.is_at(heights.low_m) {
            // The lowest ground of a map that drains is at its edge: a lake within has a way out.
            return (!self.is_at_edge).then_some(FlatMeaning::Lowest);
        }
        let is_filled = lower as f64 > LOWER_PART * all as f64;
        (is_filled && step_m >= STEPS_LEAST * heights.step_m).then_some(FlatMeaning::Filled)
    }

    /// Returns the mean step to the ground around it, m.
    #[expect(clippy::cast_precision_loss, reason = "cells are far below 2^24")]
    fn step_m(&self) -> f32 {
        self.steps_m / self.sides[1].max(1) as f32
    }

    fn is_at(&self, height_m: f32) -> bool {
        self.height_m.to_bits() == height_m.to_bits()
    }

    /// Returns the cell nearest to the middle.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "columns are far below 2^53")]
    pub fn middle(&self, ground: &SearchedGround<'_>) -> u32 {
        let places = self.cells.iter().map(|&cell| {
            let (column, row) = ground.place(cell);
            (cell, [column as f64, row as f64])
        });
        let count = self.cells.len() as f64;
        let sum = places.clone().fold([0.0; 2], |sum, (_, at)| [sum[0] + at[0], sum[1] + at[1]]);
        let middle = sum.map(|sum| sum / count);
        let far = |at: [f64; 2]| (at[0] - middle[0]).hypot(at[1] - middle[1]);
        let nearest = places.min_by(|a, b| far(a.1).total_cmp(&far(b.1)));
        nearest.map_or(self.cells[0], |(cell, _)| cell)
    }
}
