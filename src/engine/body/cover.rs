//! The part of each cell that a closed surface covers, and the heights between which it does.
//!
//! ```text
//! ┌────┬────┐    each triangle is cut along rows, then along columns; over each part
//! │   ╱│╲   │      area   Σ ½ (b − a) × (c − a)
//! │  ╱ │ ╲  │      ∫ z    Σ ½ (b − a) × (c − a) · (z_a + z_b + z_c) / 3
//! └─╱──┴──╲─┘    upward triangles give the top, downward ones the underside
//! ```
//!
//! Guarantees: ∫ z is exact for planes, so the volumes of the cells add up to the body's.
//! Limits:     a surface with several storeys in a cell counts as one of their whole volume.
//! Source:     own.

use glam::{DVec2, DVec3};

/// Share of a cell below which it is not covered.
const SHARE_LEAST: f64 = 1.0e-9;

/// Least ratio of the area in the plan to the square of the extent; a triangle below it is upright.
const UPRIGHT: f64 = 1.0e-14;

/// Sums of a surface over a cell: area of its upward triangles and ∫ z over them, then downward.
#[derive(Debug, Clone, Copy, Default)]
struct SurfaceSum {
    up: [f64; 2],
    down: [f64; 2],
}

impl SurfaceSum {
    fn add(&mut self, part: &HeightPolygon) {
        let [area, integral] = part.integrals();
        let (of, sign) = if area > 0.0 { (&mut self.up, 1.0) } else { (&mut self.down, -1.0) };
        of[0] += sign * area;
        of[1] += sign * integral;
    }
}

/// The covered part of a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CoveredPart {
    /// Share of the cell's area.
    pub share: f64,
    /// Mean underside, m.
    pub low: f64,
    /// Mean top, m.
    pub high: f64,
}

/// The range of cells of a row that may be covered.
#[derive(Debug, Clone, Copy)]
struct CoveredRow {
    first: i64,
    end: i64,
    at: usize,
}

const NO_ROW: CoveredRow = CoveredRow { first: i64::MAX, end: i64::MIN, at: 0 };

/// The cells that a piece covers; the memory is reused for the next piece.
#[derive(Debug, Default)]
pub(super) struct CoveredCells {
    first: i64,
    rows: Vec<CoveredRow>,
    sums: Vec<SurfaceSum>,
    parts: Vec<Option<CoveredPart>>,
    mean: Option<CoveredPart>,
}

impl CoveredCells {
    /// Begins a piece in rows `first` to before `end`.
    pub fn begin(&mut self, first: i64, end: i64) {
        self.first = first;
        self.rows.clear();
        self.rows.resize(usize::try_from(end - first).unwrap_or(0), NO_ROW);
    }

    /// Makes room for the cells `first` to before `end` of a row.
    pub fn make_room(&mut self, row: i64, first: i64, end: i64) {
        let row = &mut self.rows[usize::try_from(row - self.first).expect("rows were told first")];
        row.first = row.first.min(first);
        row.end = row.end.max(end);
    }

    /// Adds the cover of triangles, whose corners are in cells, and in m upwards.
    pub fn add(&mut self, corners: &[DVec3], triangles: &[[u32; 3]]) {
        let mut count = 0;
        for row in &mut self.rows {
            row.at = count;
            count += usize::try_from(row.end.saturating_sub(row.first)).unwrap_or(0);
        }
        self.sums.clear();
        self.sums.resize(count, SurfaceSum::default());
        let plan = || corners.iter().map(|corner| corner.truncate());
        let extent = plan().fold(DVec2::MIN, DVec2::max) - plan().fold(DVec2::MAX, DVec2::min);
        let wide = extent.max_element().max(f64::MIN_POSITIVE);
        let upright = UPRIGHT * wide * wide;
        for triangle in triangles {
            let [a, b, c] = triangle.map(|corner| corners[corner as usize]);
            // An upright side adds nothing to either sum: its area in the plan is only rounding.
            if twice_area(a, b, c).abs() > upright {
                self.add_triangle(&HeightPolygon::of([a, b, c]));
            }
        }
        self.finish();
    }

    fn add_triangle(&mut self, triangle: &HeightPolygon) {
        let rows = i64::try_from(self.rows.len()).expect("rows of a world");
        let [from, to] = [self.first, self.first + rows - 1];
        let (rows, sums) = (&self.rows, &mut self.sums);
        triangle.slices(1, from, to, |index, strip| {
            let row = rows[usize::try_from(index - from).expect("within the rows")];
            strip.slices(0, row.first, row.end - 1, |index, part| {
                let at = usize::try_from(index - row.first).expect("within the row");
                sums[row.at + at].add(part);
            });
        });
    }

    /// Converts sums to parts.
    fn finish(&mut self) {
        self.parts.clear();
        self.parts.extend(self.sums.iter().map(part_of));
        let mut sums = [0.0; 3];
        for part in self.parts.iter().flatten() {
            sums = [
                sums[0] + part.share,
                sums[1] + part.share * part.low,
                sums[2] + part.share * part.high,
            ];
        }
        let [share, low, high] = sums;
        self.mean =
            (share > 0.0).then(|| CoveredPart { share, low: low / share, high: high / share });
    }

    /// Returns the covered part of a cell.
    pub fn at(&self, column: i64, row: i64) -> Option<CoveredPart> {
        let row = self.rows.get(usize::try_from(row - self.first).ok()?)?;
        if column < row.first || column >= row.end {
            return None;
        }
        self.parts[row.at + usize::try_from(column - row.first).ok()?]
    }

    /// Returns the mean over all cells.
    pub fn mean(&self) -> Option<CoveredPart> {
        self.mean
    }

    /// Returns the covered cells, by rows: column, row, part.
    pub fn parts(&self) -> impl Iterator<Item = (i64, i64, CoveredPart)> {
        self.rows.iter().zip(self.first..).flat_map(move |(row, index)| {
            (row.first..row.end).filter_map(move |column| {
                let at = row.at + usize::try_from(column - row.first).ok()?;
                self.parts[at].map(|part| (column, index, part))
            })
        })
    }
}

fn part_of(sum: &SurfaceSum) -> Option<CoveredPart> {
    // A closed surface has as much area upward as downward: the two differ by rounding alone.
    let area = 0.5 * (sum.up[0] + sum.down[0]);
    if sum.up[0].min(sum.down[0]) < SHARE_LEAST {
        return None;
    }
    let (low, high) = (sum.down[1] / sum.down[0], sum.up[1] / sum.up[0]);
    let share = area.min(1.0);
    // Several storeys: their volume, around their middle. From
    // share · (high − low + 2 · grown) = area · (high − low).
    let grown = 0.5 * (area / share - 1.0) * (high - low);
    (high > low).then_some(CoveredPart { share, low: low - grown, high: high + grown })
}

/// Most corners of a part of a triangle in a cell: 3, one for each side of the cell, and one for
/// rounding.
const CORNERS_MOST: usize = 8;

/// A convex polygon in the plan with heights at its corners.
#[derive(Debug, Clone, Copy)]
struct HeightPolygon {
    corners: [DVec3; CORNERS_MOST],
    count: usize,
}

impl HeightPolygon {
    fn none() -> Self {
        Self { corners: [DVec3::ZERO; CORNERS_MOST], count: 0 }
    }

    fn of(corners: [DVec3; 3]) -> Self {
        let mut polygon = Self::none();
        corners.iter().for_each(|&corner| polygon.push(corner));
        polygon
    }

    fn push(&mut self, corner: DVec3) {
        if self.count < CORNERS_MOST {
            self.corners[self.count] = corner;
            self.count += 1;
        }
    }

    fn corners(&self) -> &[DVec3] {
        &self.corners[..self.count]
    }

    fn extent(&self, axis: usize) -> [f64; 2] {
        self.corners().iter().fold([f64::INFINITY, f64::NEG_INFINITY], |extent, corner| {
            [extent[0].min(corner[axis]), extent[1].max(corner[axis])]
        })
    }

    /// Calls `tell` with the polygon's part in each of the cells `first` to `last` along an axis.
    fn slices(&self, axis: usize, first: i64, last: i64, mut tell: impl FnMut(i64, &Self)) {
        let [low, high] = self.extent(axis);
        if low > high || first > last {
            return;
        }
        let [from, to] = [cell_of(low).max(first), cell_of(high).min(last)];
        let mut part = Self::none();
        // The rest now, and the rest after the next cut, by turns.
        let (mut left, mut next) = (*self, Self::none());
        if cell_of(low) < from {
            self.split(axis, from as f64, &mut part, &mut left);
        }
        for index in from..=to {
            let end = index as f64 + 1.0;
            if end >= high {
                tell(index, &left);
                break;
            }
            left.split(axis, end, &mut part, &mut next);
            tell(index, &part);
            if index < to {
                std::mem::swap(&mut left, &mut next);
            }
        }
    }

    /// Splits the polygon into its parts below and above a place along an axis.
    fn split(&self, axis: usize, place: f64, below: &mut Self, above: &mut Self) {
        below.count = 0;
        above.count = 0;
        let corners = self.corners();
        let Some(&(mut before)) = corners.last() else { return };
        for &corner in corners {
            let (from, to) = (before[axis] - place, corner[axis] - place);
            if from < 0.0 && to > 0.0 || from > 0.0 && to < 0.0 {
                let mut cut = before + from / (from - to) * (corner - before);
                // Interpolation may round past the line; then the part would reach into the next
                // cell.
                cut[axis] = place;
                below.push(cut);
                above.push(cut);
            }
            // A corner on the line belongs to both parts, so they meet there without a gap.
            if to <= 0.0 {
                below.push(corner);
            }
            if to >= 0.0 {
                above.push(corner);
            }
            before = corner;
        }
    }

    /// Returns the area, and the integral of height over it: negative if the polygon is clockwise.
    fn integrals(&self) -> [f64; 2] {
        let corners = self.corners();
        let Some(&a) = corners.first() else { return [0.0; 2] };
        let mut sums = [0.0; 2];
        for pair in corners[1..].windows(2) {
            let [b, c] = [pair[0], pair[1]];
            let area = 0.5 * twice_area(a, b, c);
            sums = [sums[0] + area, sums[1] + area * ((a.z + b.z + c.z) / 3.0)];
        }
        sums
    }
}

/// Returns twice the area of a triangle in the plan: negative if it is clockwise.
fn twice_area(a: DVec3, b: DVec3, c: DVec3) -> f64 {
    (b - a).truncate().perp_dot((c - a).truncate())
}

/// Returns the cell that contains a place.
#[expect(clippy::cast_possible_truncation, reason = "cells that fit an i64 by far")]
fn cell_of(place: f64) -> i64 {
    place.floor() as i64
}
