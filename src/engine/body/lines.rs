//! Parts of an outline on the lines through centres and along the edges of cells.
//!
//! Guarantees: the set of centres that an outline contains on a line is exact.
//! Source:     own.

use crate::body::outline::{HALF, OutlineCorner, OutlineWindow, PieceOutline, STEPS};

/// The part of a line along an axis that is inside an outline.
#[derive(Debug, Clone, Copy)]
pub(super) struct OutlineChord {
    /// Beginning, cells.
    pub low: f64,
    /// End, cells.
    pub high: f64,
    /// First centre on the part or after its beginning: exact, on lines through centres.
    pub first: i64,
    /// Last centre on the part or before its end: exact, on lines through centres.
    pub last: i64,
    /// Cell beside the whole edge at the beginning, and at the end; `NOWHERE` for the rest.
    pub ends: [i64; 2],
}

/// No cell.
const NOWHERE: i64 = i64::MIN;

/// Lines across an axis, half a cell apart.
#[derive(Debug, Default)]
pub(super) struct ScanLines {
    /// Position of the first line along the axis, half cells.
    begin: i64,
    lines: Vec<OutlineChord>,
}

impl ScanLines {
    /// Returns the line at a place along the axis, half cells, if the outline meets it.
    pub fn at(&self, halves: i64) -> Option<&OutlineChord> {
        usize::try_from(halves - self.begin).ok().and_then(|index| self.lines.get(index))
    }

    /// Finds the lines across `axis` that an outline meets.
    pub fn find(&mut self, outline: &PieceOutline, axis: usize, window: &OutlineWindow) {
        let [low, high] = outline.extent(axis);
        // A cell more on each side: a face on the border of the window also needs the line through
        // the centre beyond it.
        let [first, end] = [2 * window.first[axis] - 2, 2 * window.end[axis] + 2];
        self.begin = (low.div_euclid(HALF) + 1).max(first);
        let last = high.div_euclid(HALF).min(end);
        let none = OutlineChord { low: 0.0, high: 0.0, first: 1, last: 0, ends: [NOWHERE; 2] };
        self.lines.clear();
        self.lines.resize(usize::try_from(last - self.begin + 1).unwrap_or(0), none);
        let corners = &outline.corners;
        for (i, &here) in corners.iter().enumerate() {
            let edge = OutlineEdge::of(here, corners[(i + 1) % corners.len()], axis);
            let from = (edge.a[axis].div_euclid(HALF) + 1).max(self.begin);
            for halves in from..=edge.b[axis].div_euclid(HALF).min(last) {
                if let Ok(index) = usize::try_from(halves - self.begin) {
                    edge.end(halves, &mut self.lines[index]);
                }
            }
        }
    }
}

/// An edge of an outline, from its lower corner along an axis to its higher one.
#[derive(Debug, Clone, Copy)]
struct OutlineEdge {
    axis: usize,
    a: OutlineCorner,
    b: OutlineCorner,
    /// Whether lines across the axis end at this edge; otherwise they begin there.
    is_high: bool,
}

impl OutlineEdge {
    fn of(here: OutlineCorner, there: OutlineCorner, axis: usize) -> Self {
        let is_rising = there[axis] > here[axis];
        let (a, b) = if is_rising { (here, there) } else { (there, here) };
        Self { axis, a, b, is_high: is_rising == (axis == 1) }
    }

    /// Sets the end or the beginning of the line that the edge meets at a place along the axis,
    /// half cells.
    fn end(&self, halves: i64, line: &mut OutlineChord) {
        let Self { axis, a, b, is_high } = *self;
        let (rise, run) = (b[axis] - a[axis], b[1 - axis] - a[1 - axis]);
        let along = halves * HALF - a[axis];
        // `rise` is not 0: corners are odd and lines even, so an edge along the lines meets none.
        let place = a[1 - axis] as f64 + run as f64 * (along as f64 / rise as f64);
        let cells = place / STEPS as f64;
        if is_high {
            line.high = cells;
        } else {
            line.low = cells;
        }
        // A line along a border of cells contains no centre.
        if halves & 1 == 0 {
            return;
        }
        line.ends[usize::from(is_high)] = self.cell_beside(halves * HALF);
        // Twice the area between the edge and a centre; its sign is the centre's side of the edge.
        // Differences of corners are up to about 2⁵⁸, so their products need an `i128`.
        let reached = i128::from(run) * i128::from(along);
        let side =
            |cell: i64| i128::from(cell * STEPS + HALF - a[1 - axis]) * i128::from(rise) - reached;
        // A guess, off by the rounding of `cells` at most: the loops below move it to the exact
        // cell.
        #[expect(clippy::cast_possible_truncation, reason = "cells that fit an i64 by far")]
        let mut cell = (cells - 0.5).floor() as i64;
        if is_high {
            while side(cell) > 0 {
                cell -= 1;
            }
            while side(cell + 1) <= 0 {
                cell += 1;
            }
            line.last = cell;
        } else {
            while side(cell) < 0 {
                cell += 1;
            }
            while side(cell - 1) >= 0 {
                cell -= 1;
            }
            line.first = cell;
        }
    }

    /// Returns the cell along a line that contains the whole edge, if the edge is near and runs
    /// rather across the line than along it.
    fn cell_beside(&self, line: i64) -> i64 {
        let Self { axis, a, b, .. } = *self;
        let [from, to] = [a, b].map(|corner| corner[1 - axis].div_euclid(STEPS));
        let is_near = line - a[axis] <= STEPS && b[axis] - line <= STEPS;
        let run = (b[1 - axis] - a[1 - axis]).abs();
        // Includes one of the two axes at 45°.
        let is_across = run + i64::from(axis == 1) <= b[axis] - a[axis];
        if is_near && is_across && from == to { from } else { NOWHERE }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::hash::scramble;

    /// Goal: the centres that a line contains are exact, even if floating point is not. Method:
    /// triangles that span 2³⁸ cells; the centres beside both ends of each line, by integers.
    #[test]
    fn centres_beside_the_ends_of_long_lines_are_exact() {
        let (mut state, mut inexact) = (1, 0);
        let mut draw = || {
            state += 1;
            (i64::try_from(scramble(state) >> 8).expect("56 bits") - (1 << 55)) | 1
        };
        for _ in 0..20_000 {
            let mut outline = PieceOutline::default();
            outline.wrap(&mut [[draw(), draw()], [draw(), draw()], [draw(), draw()]]);
            let middle = draw() >> 20;
            let window = OutlineWindow { first: [middle; 2], end: [middle + 8; 2] };
            for axis in 0..2 {
                let mut lines = ScanLines::default();
                lines.find(&outline, axis, &window);
                for (line, halves) in lines.lines.iter().zip(lines.begin..) {
                    if halves & 1 == 0 {
                        continue;
                    }
                    let takes = |cell: i64| {
                        let mut place = [halves * HALF; 2];
                        place[1 - axis] = cell * STEPS + HALF;
                        let corners = &outline.corners;
                        let next = corners.iter().cycle().skip(1);
                        let mut sides = corners.iter().zip(next).map(|(a, b)| {
                            let [x, y] = [0, 1].map(|i| i128::from(b[i] - a[i]));
                            let [u, v] = [0, 1].map(|i| i128::from(place[i] - a[i]));
                            x * v - y * u >= 0
                        });
                        sides.all(|is_inside| is_inside)
                    };
                    assert!(takes(line.first) && takes(line.last), "line {halves}: {line:?}");
                    assert!(!takes(line.first - 1) && !takes(line.last + 1), "{halves}: {line:?}");
                    #[expect(clippy::cast_possible_truncation, reason = "2⁴⁰ cells at most")]
                    let guess = (line.high - 0.5).floor() as i64;
                    inexact += u32::from(guess != line.last);
                }
            }
        }
        assert!(inexact > 0, "cases that need integers");
    }
}
