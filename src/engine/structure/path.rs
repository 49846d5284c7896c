//! The faces that a line closes.
//!
//! ```text
//!   ·   ·   ·   ·      a face is closed where the segment between the centres of its two cells
//!     ┌───┐            meets the line: the closed faces are a connected staircase, at any angle
//!   · │ · └───┐ ·
//!  ───┘       └───
//! ```
//!
//! Corners of lines are rounded to odd multiples of 2⁻¹⁷ cells, and centres are at even ones, so no
//! corner is level with a centre. If a line runs exactly through a centre, that centre counts as
//! being on one side of the line, the same for all four of its faces.
//!
//! Guarantees: no path from centre to centre crosses a line without crossing a closed face
//!             (`no_path_of_centres_crosses_a_line`); the shares of a line's faces add up to it.
//! Limits:     a line shorter than the distance between two centres may close nothing.
//! Source:     own.

use crate::grid::Axis;
use std::ops::RangeInclusive;

/// Steps in a cell of the base level.
const STEPS: i64 = 1 << 17;
/// Largest distance of a line from the origin, cells: 2²⁴.
pub const CELLS_MOST: f64 = 16_777_216.0;

/// A face that a line closes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crossing {
    /// Axis across the face, which is the west or the south face of its cell.
    pub axis: Axis,
    /// Column of the cell.
    pub x: i64,
    /// Row of the cell.
    pub y: i64,
    /// True if the east, or north, is to the right of the line there.
    pub is_right: bool,
    /// Position of the crossing along the line, cells from its beginning.
    pub at: f64,
    /// The part of the line that the face represents: from the midpoint to the crossing before to
    /// the midpoint to the next one, cells from the beginning.
    pub share: [f64; 2],
}

/// A corner, in steps.
type PathCorner = [i64; 2];

/// Returns the faces that a line closes on cells of a level, `shift` above the base level, in their
/// order along it. Corners, and places along the line, are in cells of the base level from the
/// origin, at most [`CELLS_MOST`]. A face that is crossed twice appears twice.
#[must_use]
pub fn crossings(corners: &[[f64; 2]], shift: u8) -> Vec<Crossing> {
    let mut found = Vec::new();
    let mut before = 0.0;
    for pair in corners.windows(2) {
        let [dx, dy] = [0, 1].map(|i| pair[1][i] - pair[0][i]);
        let length = (dx * dx + dy * dy).sqrt();
        let (from, to) = (snapped(pair[0]), snapped(pair[1]));
        let mut here: Vec<(f64, Axis, i64, i64)> = Vec::new();
        crossings_x(from, to, STEPS << shift, &mut here);
        crossings_y(from, to, STEPS << shift, &mut here);
        // At a corner of cells a line crosses two faces at once: axis, column, row decide.
        here.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2, a.3).cmp(&(b.1, b.2, b.3))));
        found.extend(here.into_iter().map(|(part, axis, x, y)| Crossing {
            axis,
            x,
            y,
            is_right: if axis == Axis::X { to[1] > from[1] } else { to[0] < from[0] },
            at: before + part * length,
            share: [0.0; 2],
        }));
        before += length;
    }
    share_out(&mut found, before);
    found
}

/// Returns the crossings of a line, as [`crossings`] does, without faces on the rim of a map of
/// these columns and rows of the base level, and beyond it. Their shares of the line are
/// lost.
#[must_use]
pub fn crossings_on(corners: &[[f64; 2]], shift: u8, size: [u32; 2]) -> Vec<Crossing> {
    let size = size.map(|cells| i64::from(cells.div_ceil(1 << shift)));
    let mut found = crossings(corners, shift);
    found.retain(|face| {
        let least = if face.axis == Axis::X { [1, 0] } else { [0, 1] };
        (least[0]..size[0]).contains(&face.x) && (least[1]..size[1]).contains(&face.y)
    });
    found
}

/// True if a line crosses the segment between two centres of cells of any levels, each in halves of
/// a cell of the base level from the origin.
#[must_use]
pub fn cuts(corners: &[[f64; 2]], from: [i64; 2], to: [i64; 2]) -> bool {
    let [a, b] = [from, to].map(|centre| centre.map(|halves| halves * (STEPS / 2)));
    corners.windows(2).any(|pair| {
        let (p, q) = directed(snapped(pair[0]), snapped(pair[1]));
        is_left(p, q, a) != is_left(p, q, b) && is_left(a, b, p) != is_left(a, b, q)
    })
}

/// Returns how often a line is crossed to its right on the way from one centre to another, less how
/// often to its left; centres are as in [`cuts`].
#[must_use]
pub fn turns_right(corners: &[[f64; 2]], from: [i64; 2], to: [i64; 2]) -> i64 {
    let [a, b] = [from, to].map(|centre| centre.map(|halves| halves * (STEPS / 2)));
    let turn = |pair: &[[f64; 2]]| {
        let ends = (snapped(pair[0]), snapped(pair[1]));
        let (p, q) = directed(ends.0, ends.1);
        let along = if p == ends.0 { 1 } else { -1 };
        let is_met = is_left(a, b, p) != is_left(a, b, q);
        let turns = i64::from(is_left(p, q, a)) - i64::from(is_left(p, q, b));
        if is_met { along * turns } else { 0 }
    };
    corners.windows(2).map(turn).sum()
}

/// True if a place is to the left of the line through two points, or on it.
fn is_left(from: PathCorner, to: PathCorner, place: PathCorner) -> bool {
    // Places reach ±2²⁴ · 2¹⁷ = ±2⁴¹ steps, so differences reach 2⁴² and their products 2⁸⁴.
    let [dx, dy] = [0, 1].map(|i| i128::from(to[i] - from[i]));
    let [x, y] = [0, 1].map(|i| i128::from(place[i] - from[i]));
    dx * y - dy * x >= 0
}

/// Sets the part of a line that belongs to each crossing.
fn share_out(found: &mut [Crossing], length: f64) {
    for i in 0..found.len() {
        let middle = |other: usize| 0.5 * (found[i].at + found[other].at);
        let from = if i == 0 { 0.0 } else { middle(i - 1) };
        let to = if i + 1 == found.len() { length } else { middle(i + 1) };
        found[i].share = [from, to];
    }
}

/// Returns the nearest allowed place for a corner.
#[expect(clippy::cast_possible_truncation, reason = "2⁴¹ at most")]
fn snapped(corner: [f64; 2]) -> PathCorner {
    corner.map(|x| {
        let halves = (x.clamp(-CELLS_MOST, CELLS_MOST) * STEPS as f64 * 0.5).floor();
        2 * halves as i64 + 1
    })
}

/// Returns the rows or columns of cells of a width whose centres are between two places.
fn between(a: i64, b: i64, cell: i64) -> RangeInclusive<i64> {
    let (low, high) = (a.min(b), a.max(b));
    let above = |place: i64| (place - cell / 2).div_euclid(cell);
    above(low) + 1..=above(high)
}

/// Returns the segment from south to north, or from west to east.
fn directed(from: PathCorner, to: PathCorner) -> (PathCorner, PathCorner) {
    // Ties and rounding must not depend on the direction in which the line is drawn.
    if (from[1], from[0]) <= (to[1], to[0]) { (from, to) } else { (to, from) }
}

/// Returns the position of a place along a segment, 0 to 1, by one of its coordinates.
#[expect(clippy::cast_precision_loss, reason = "a place along a line")]
fn part(from: PathCorner, to: PathCorner, axis: Axis, place: i64) -> f64 {
    (place - from[axis]) as f64 / (to[axis] - from[axis]) as f64
}

/// Adds the west faces, between the centres of a row.
fn crossings_x(
    from: PathCorner,
    to: PathCorner,
    cell: i64,
    found: &mut Vec<(f64, Axis, i64, i64)>,
) {
    let (p, q) = directed(from, to);
    let [dx, dy] = [0, 1].map(|i| i128::from(q[i] - p[i]));
    for row in between(p[1], q[1], cell) {
        let centre = row * cell + cell / 2;
        // Centres on the line or west of it are on one side.
        let sum = i128::from(p[0] - cell / 2) * dy + dx * i128::from(centre - p[1]);
        let west = i64::try_from(sum.div_euclid(dy * i128::from(cell))).expect("within the line");
        found.push((part(from, to, Axis::Y, centre), Axis::X, west + 1, row));
    }
}

/// Adds the south faces, between the centres of a column.
fn crossings_y(
    from: PathCorner,
    to: PathCorner,
    cell: i64,
    found: &mut Vec<(f64, Axis, i64, i64)>,
) {
    let (p, q) = directed(from, to);
    let [dx, dy] = [0, 1].map(|i| i128::from(q[i] - p[i]));
    for column in between(p[0], q[0], cell) {
        let centre = column * cell + cell / 2;
        // Centres on the line belong to its west: above it if it rises, below if it falls.
        let sum = i128::from(p[1] - cell / 2) * dx + dy * i128::from(centre - p[0]);
        let width = dx * i128::from(cell);
        let row = match dx > 0 {
            true => -(-sum).div_euclid(width),
            false => (-sum).div_euclid(-width) + 1,
        };
        let row = i64::try_from(row).expect("within the line");
        found.push((part(from, to, Axis::X, centre), Axis::Y, column, row));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Returns the cells that a walk over open faces reaches from one cell, within a square.
    fn reached(closed: &[Crossing], start: (i64, i64), width: i64) -> BTreeSet<(i64, i64)> {
        let is_closed: BTreeSet<(Axis, i64, i64)> =
            closed.iter().map(|face| (face.axis, face.x, face.y)).collect();
        let mut seen = BTreeSet::from([start]);
        let mut next = vec![start];
        while let Some((x, y)) = next.pop() {
            let beside = [
                ((Axis::X, x, y), (x - 1, y)),
                ((Axis::X, x + 1, y), (x + 1, y)),
                ((Axis::Y, x, y), (x, y - 1)),
                ((Axis::Y, x, y + 1), (x, y + 1)),
            ];
            for (face, to) in beside {
                let is_inside = (0..width).contains(&to.0) && (0..width).contains(&to.1);
                if is_inside && !is_closed.contains(&face) && seen.insert(to) {
                    next.push(to);
                }
            }
        }
        seen
    }

    fn check(corners: &[[f64; 2]], width: i64, sides: [(i64, i64); 2]) {
        let closed = crossings(corners, 0);
        let seen = reached(&closed, sides[0], width);
        assert!(!seen.contains(&sides[1]), "{corners:?} leaks");
        let other = reached(&closed, sides[1], width);
        let cells = usize::try_from(width * width).expect("a small square");
        assert_eq!(seen.len() + other.len(), cells, "{corners:?}");
        let sum: f64 = closed.iter().map(|face| face.share[1] - face.share[0]).sum();
        let length = |pair: &[[f64; 2]]| {
            ((pair[1][0] - pair[0][0]).powi(2) + (pair[1][1] - pair[0][1]).powi(2)).sqrt()
        };
        let whole: f64 = corners.windows(2).map(length).sum();
        assert!((sum - whole).abs() < 1.0e-9 * whole, "{corners:?}: {sum} of {whole}");
    }

    /// Goal: a line that begins and ends beyond a map closes the faces between cells of the map
    /// alone, whose shares add up to no more than its part on the map, also on coarse cells, and if
    /// it leaves the map and returns; no face gets the shares of dropped ones along the rim.
    #[test]
    fn a_line_closes_nothing_beyond_the_map() {
        let root = 2.0_f64.sqrt();
        let cases: [(&[[f64; 2]], u8, f64); 8] = [
            (&[[-3.0, 5.3], [29.0, 5.3]], 0, 20.0),
            (&[[-3.0, 5.3], [29.0, 5.3]], 2, 20.0),
            (&[[-4.0, -4.0], [14.0, 14.0]], 0, 10.0 * root),
            (&[[6.5, 0.0], [6.5, 10.01]], 0, 10.01), // as far as the line
            (&[[3.2, -6.0], [3.2, 4.0], [9.7, 4.0], [9.7, -6.0]], 0, 4.0 + 6.5 + 4.0),
            (&[[3.2, 4.0], [3.2, 15.0], [9.7, 15.0], [9.7, 4.0]], 0, 12.0), // out and back
            (&[[0.0, 9.7], [15.0, 9.7], [15.0, 5.0]], 0, 5.0),
            (&[[-3.0, 10.2], [19.9, 9.4]], 0, 4.0),
        ];
        for (corners, shift, most) in cases {
            let found = crossings_on(corners, shift, [20, 10]);
            let sum: f64 = found.iter().map(|face| face.share[1] - face.share[0]).sum();
            // Corners are rounded to 2⁻¹⁶ cells.
            assert!((0.5 * most..most + 1.0e-4).contains(&sum), "{corners:?}: {sum} of {most}");
            for Crossing { axis, x, y, share, .. } in found {
                let before = if axis == Axis::X { (x - 1, y) } else { (x, y - 1) };
                let size = [20, 10].map(|cells: i64| (cells + (1 << shift) - 1) >> shift);
                let is_on = |(x, y)| (0..size[0]).contains(&x) && (0..size[1]).contains(&y);
                assert!(is_on((x, y)) && is_on(before), "{corners:?}: face {axis:?} of {x}, {y}");
                let share = share[1] - share[0];
                assert!(share < f64::from(2 << shift), "{corners:?}: {share} at {x}, {y}");
            }
        }
        assert!(crossings_on(&[[-5.0, 3.0], [-1.0, 9.0]], 0, [20, 10]).is_empty());
    }

    /// Goal: nothing leaks at any angle, through cell corners and through centres. Method: lines
    /// across a square of 20 cells, straight and bent, cut it in exactly two parts.
    #[test]
    fn no_path_of_centres_crosses_a_line() {
        let corners = [(0, 0), (19, 19)];
        // At 45° through corners, through centres, and between them.
        for shift in [0.0, 0.5, 1.0, 0.25, 1.0e-9, 0.123_456] {
            check(&[[-1.0, 20.0 + shift], [20.0 + shift, -1.0]], 20, corners);
            check(&[[20.0 + shift, -1.0], [-1.0, 20.0 + shift]], 20, corners);
        }
        // At 17° and other angles, and turned back on itself.
        for (rise, run) in [(0.3, 1.0), (17.0, 55.0), (1.0, 2.0), (2.0, 1.0), (1.0, 1.0e-6)] {
            for shift in [0.0, 0.5, 0.31] {
                let [x, y] = [10.0 + shift, 10.0 - shift];
                let line = [[x - 40.0 * run, y + 40.0 * rise], [x + 40.0 * run, y - 40.0 * rise]];
                check(&line, 20, corners);
            }
        }
        check(&[[-1.0, 10.0], [21.0, 10.0]], 20, [(3, 9), (3, 10)]);
        check(&[[10.5, -1.0], [10.5, 21.0]], 20, [(9, 3), (11, 3)]);
        check(&[[-1.0, 12.5], [5.5, 5.5], [9.0, 9.0], [12.25, 3.5], [21.0, 8.5]], 20, corners);
    }

    /// Goal: a line is where it was drawn, whichever way it was drawn.
    #[test]
    fn direction_does_not_matter() {
        let line = [[0.3, 1.7], [9.5, 6.5], [14.0, 2.0]];
        let mut back = line;
        back.reverse();
        let faces = |line: &[[f64; 2]]| -> BTreeSet<(Axis, i64, i64)> {
            crossings(line, 0).iter().map(|face| (face.axis, face.x, face.y)).collect()
        };
        assert_eq!(faces(&line), faces(&back));
        assert!(faces(&line).len() >= 20);
    }
}
