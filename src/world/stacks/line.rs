//! Cells that a band along a line covers.
//!
//! ```text
//!   · · ▒ ▒ █ █      █  cells that the line runs through: face to face, at any angle
//!   · ▒ ▒ █ █ ▒      ▒  those with their centre within half a width of it
//!   ▒ ▒ █ █ ▒ ▒
//! ```
//!
//! Points are on odd steps (`src/world/stacks/steps.rs`), so no point is on a border of cells.
//! Bands end across their first and last points and are round at the points between.

use crate::world::stacks::rock::RockError;
use crate::world::stacks::steps::{AREA_MOST, STEPS, cell, check_area, check_length, snapped};
use std::collections::BTreeSet;
use thalweg_engine::grid::cells::CellPlace;

/// A cell that a band covers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::world::stacks) struct CoveredCell {
    pub place: CellPlace,
    /// Segment of the line that covers it.
    pub segment: usize,
    /// Height of the line beside the centre of the cell, m.
    pub height_m: f64,
    /// Change of that height within the cell, m.
    pub rise_m: f64,
    /// Distance of the centre from the line, m; 0 if the line runs through the cell.
    pub across_m: f64,
}

/// A line on a map: its points in cells and metres of height.
#[derive(Debug, Clone)]
pub(in crate::world::stacks) struct MapLine {
    steps: Vec<[i64; 2]>,
    heights_m: Vec<f64>,
    cell_width_m: f64,
}

/// A segment between two points, in cells.
#[derive(Debug, Clone, Copy)]
struct Segment {
    from: [f64; 2],
    by: [f64; 2],
    length: f64,
}

impl Segment {
    /// Returns the position of the centre of a cell along the segment, from 0 to 1 beside it, and
    /// its distance to the left.
    fn beside(&self, cell: [i64; 2]) -> [f64; 2] {
        let [x, y] = [0, 1].map(|i| cell[i] as f64 + 0.5 - self.from[i]);
        let [dx, dy] = self.by;
        let square = self.length * self.length;
        [(x * dx + y * dy) / square, (dx * y - dy * x) / self.length]
    }
}

impl MapLine {
    /// Creates a line from its points: east, north and height, m.
    pub fn try_new(points_m: &[[f64; 3]], cell_width_m: f64) -> Result<Self, RockError> {
        check_length("width of a cell", cell_width_m)?;
        if points_m.len() < 2 {
            return Err(RockError::Points { count: points_m.len() });
        }
        let points = points_m.iter().copied().enumerate();
        let steps = points.map(|point| snapped(point, cell_width_m)).collect::<Result<_, _>>()?;
        Ok(Self { steps, heights_m: points_m.iter().map(|point| point[2]).collect(), cell_width_m })
    }

    /// Returns the cells of a band of half a width, by segment.
    pub fn covered(&self, half_m: f64) -> Result<Vec<CoveredCell>, RockError> {
        let half = half_m / self.cell_width_m;
        let segments = 0..self.steps.len() - 1;
        let area = |segment| (self.segment(segment).length + 2.0 * half + 1.0) * (2.0 * half + 1.0);
        check_area(segments.clone().map(area).sum(), AREA_MOST)?;
        let mut covered = Vec::new();
        for segment in segments {
            let through = self.through(segment);
            for &at in &through {
                covered.push(CoveredCell { across_m: 0.0, ..self.at(segment, at)? });
            }
            let through: BTreeSet<[i64; 2]> = through.into_iter().collect();
            for at in self.near(segment, half).into_iter().filter(|at| !through.contains(at)) {
                covered.push(self.at(segment, at)?);
            }
        }
        Ok(covered)
    }

    /// Returns true if the centre of a cell beside a segment is beyond the end of the line.
    pub fn is_beyond(&self, segment: usize, at: [i64; 2]) -> bool {
        let own = self.segment(segment);
        let [part, _] = own.beside(at);
        let (along, last) = (part * own.length, self.steps.len() - 2);
        (segment == 0 && along < -BEYOND) || (segment == last && along > own.length + BEYOND)
    }

    fn segment(&self, segment: usize) -> Segment {
        let [from, to] = [segment, segment + 1].map(|i| self.steps[i].map(|at| at as f64));
        let from = from.map(|at| at / STEPS as f64);
        let by = [0, 1].map(|i| to[i] / STEPS as f64 - from[i]);
        Segment { from, by, length: (by[0] * by[0] + by[1] * by[1]).sqrt() }
    }

    /// Returns a cell beside a segment.
    fn at(&self, segment: usize, at: [i64; 2]) -> Result<CoveredCell, RockError> {
        let own = self.segment(segment);
        let [from_m, to_m] = [segment, segment + 1].map(|i| self.heights_m[i]);
        let place = cell(at)?;
        if own.length == 0.0 {
            let [x, y] = [0, 1].map(|i| at[i] as f64 + 0.5 - own.from[i]);
            let across_m = (x * x + y * y).sqrt() * self.cell_width_m;
            let (height_m, rise_m) = (f64::midpoint(from_m, to_m), (to_m - from_m).abs());
            return Ok(CoveredCell { place, segment, height_m, rise_m, across_m });
        }
        let [part, left] = own.beside(at);
        let (within, beyond) = (part.clamp(0.0, 1.0), (part - part.clamp(0.0, 1.0)) * own.length);
        let across_m = (left * left + beyond * beyond).sqrt() * self.cell_width_m;
        let height_m = from_m + (to_m - from_m) * within;
        // Extent of a cell along the segment, as a part of its length.
        let reach = (own.by[0].abs() + own.by[1].abs()) / (own.length * own.length);
        let rise_m = (to_m - from_m).abs() * reach.min(1.0);
        Ok(CoveredCell { place, segment, height_m, rise_m, across_m })
    }

    /// Returns the cells that a segment runs through, one face further each. A cell that only an
    /// end of the whole line touches is not among them.
    fn through(&self, segment: usize) -> Vec<[i64; 2]> {
        let (from, to) = (self.steps[segment], self.steps[segment + 1]);
        let [mut at, last] = [from, to].map(|steps| steps.map(|step| step.div_euclid(STEPS)));
        let by = [0, 1].map(|i| to[i] - from[i]);
        // Steps to the next border along an axis, by the length along the other.
        let far = |at: [i64; 2], axis: usize| {
            let border = (at[axis] + i64::from(by[axis] > 0)) * STEPS;
            // Products are compared and not quotients, which would round. Differences of steps
            // reach 2⁴², so a product needs an i128.
            i128::from((border - from[axis]).abs()) * i128::from(by[1 - axis].abs())
        };
        let mut cells = vec![at];
        while at != last {
            let is_x = at[0] != last[0] && (at[1] == last[1] || far(at, 0) <= far(at, 1));
            let axis = usize::from(!is_x);
            at[axis] += by[axis].signum();
            cells.push(at);
        }
        let is_touched = |end: [i64; 2], cell: [i64; 2], beside: [i64; 2]| {
            let axis = usize::from(cell[0] == beside[0]);
            let border = cell[axis].max(beside[axis]) * STEPS;
            // An end on a border is moved to the odd step beside it, so it reaches a step into a
            // cell.
            (end[axis] - border).abs() <= TOUCH
        };
        if segment + 2 == self.steps.len() {
            while let [.., beside, end] = cells[..]
                && is_touched(to, end, beside)
            {
                cells.pop();
            }
        }
        if segment == 0 {
            while let [end, beside, ..] = cells[..]
                && is_touched(from, end, beside)
            {
                cells.remove(0);
            }
        }
        cells
    }

    /// Returns the cells with their centre within half a width of a segment, or of the point at its
    /// end.
    fn near(&self, segment: usize, half: f64) -> BTreeSet<[i64; 2]> {
        let own = self.segment(segment);
        let to = [0, 1].map(|i| own.from[i] + own.by[i]);
        let mut cells = BTreeSet::new();
        for y in centres(own.from[1].min(to[1]) - half, own.from[1].max(to[1]) + half) {
            let mut ends = [own.from[0].min(to[0]) - half, own.from[0].max(to[0]) + half];
            if own.by[1] != 0.0 {
                // The row leaves the band here, with a cell to spare.
                let middle = own.from[0] + (y as f64 + 0.5 - own.from[1]) * own.by[0] / own.by[1];
                let aside = half * own.length / own.by[1].abs() + 1.0;
                ends = [ends[0].max(middle - aside), ends[1].min(middle + aside)];
            }
            let is_beside = |x: &i64| {
                let [part, left] = own.beside([*x, y]);
                (0.0..=1.0).contains(&part) && left.abs() < half
            };
            cells.extend(centres(ends[0], ends[1]).filter(is_beside).map(|x| [x, y]));
        }
        if segment + 2 < self.steps.len() || own.length == 0.0 {
            for y in centres(to[1] - half, to[1] + half) {
                let is_near = |x: &i64| {
                    let [east, north] = [*x as f64 + 0.5 - to[0], y as f64 + 0.5 - to[1]];
                    east * east + north * north < half * half
                };
                cells.extend(centres(to[0] - half, to[0] + half).filter(is_near).map(|x| [x, y]));
            }
        }
        cells
    }
}

/// Maximum reach of an end into a cell that it only touches, steps.
const TOUCH: i64 = 4;

/// Distance behind the end of a line from which a centre is beyond it, cells.
const BEYOND: f64 = 0.25;

/// Returns the columns or rows with their centres between two places, in cells.
#[expect(clippy::cast_possible_truncation, reason = "2²⁵ at most")]
fn centres(low: f64, high: f64) -> std::ops::RangeInclusive<i64> {
    (low - 0.5).ceil() as i64..=(high - 0.5).floor() as i64
}
