//! Rectangles, segments and polygons of a map, in metres.
//!
//! Uses only `+ − × ÷` and comparisons, so results are the same on every machine.

use crate::forest::criteria::{CriterionError, check_coordinates};

/// A rectangle of the map, m east and north of the world's south-west corner.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rectangle {
    /// West side.
    pub west: f64,
    /// South side.
    pub south: f64,
    /// East side.
    pub east: f64,
    /// North side.
    pub north: f64,
}

impl Rectangle {
    /// Checks that the sides are numbers and in order.
    pub(super) fn check(&self, what: &str) -> Result<(), CriterionError> {
        check_coordinates(&format!("the south-west corner of {what}"), [self.west, self.south])?;
        check_coordinates(&format!("the north-east corner of {what}"), [self.east, self.north])?;
        if self.west < self.east && self.south < self.north {
            return Ok(());
        }
        let mend = "its west must be less than its east, its south less than its north";
        Err(CriterionError::NoArea { what: what.to_owned(), mend })
    }

    /// True if the two rectangles have an area in common.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        // Without branches: mostly one comparison is false, and a processor cannot predict which.
        (self.west < other.east)
            & (other.west < self.east)
            & (self.south < other.north)
            & (other.south < self.north)
    }

    /// Returns the corners of the rectangle, counterclockwise from the south-west.
    fn corners(&self) -> [[f64; 2]; 4] {
        let Self { west, south, east, north } = *self;
        [[west, south], [east, south], [east, north], [west, north]]
    }

    /// Returns the square of the distance from a point, m²; 0 inside.
    fn square_to_point(&self, [x, y]: [f64; 2]) -> f64 {
        let beyond = |low: f64, high: f64, v: f64| (low - v).max(v - high).max(0.0);
        let (dx, dy) = (beyond(self.west, self.east, x), beyond(self.south, self.north, y));
        dx * dx + dy * dy
    }

    /// True if a part of a segment is inside: the boxes overlap, and corners are on both sides of
    /// the segment's line.
    fn is_crossed_by(&self, segment: [[f64; 2]; 2]) -> bool {
        let corners = self.corners().map(|corner| along_and_beside(segment, corner));
        self.is_crossed(segment, &corners)
    }

    /// Whether the segment crosses the rectangle, from the positions of the corners along and
    /// beside the segment.
    fn is_crossed(&self, [from, to]: [[f64; 2]; 2], corners: &[[f64; 2]; 4]) -> bool {
        // Separating axes of a rectangle and a segment: x, y, and the normal of the segment.
        let end = |axis: usize| if from[axis] < to[axis] { (from, to) } else { (to, from) };
        let ((west, east), (south, north)) = (end(0), end(1));
        let overlaps_box = (self.west < east[0])
            & (west[0] < self.east)
            & (self.south < north[1])
            & (south[1] < self.north);
        let on_side = |is_on: fn(f64) -> bool| corners.iter().any(|&[_, beside]| is_on(beside));
        overlaps_box && on_side(|beside| beside < 0.0) && on_side(|beside| beside > 0.0)
    }

    /// Returns the square of the distance from a segment, m²; 0 if the segment reaches inside.
    pub(super) fn square_to_segment(&self, segment: [[f64; 2]; 2]) -> f64 {
        let [from, to] = segment;
        // `along_and_beside` returns lengths times that of the segment: here, the square of its
        // length.
        let [length, _] = along_and_beside(segment, to);
        if length == 0.0 {
            return self.square_to_point(from);
        }
        let corners = self.corners().map(|corner| along_and_beside(segment, corner));
        if self.is_crossed(segment, &corners) {
            return 0.0;
        }
        // If the two are apart, the shortest distance is from a corner to the segment, or from an
        // end to the rectangle.
        let mut least = f64::INFINITY;
        for [along, beside] in corners {
            let square = beside * beside;
            let counts = (along > 0.0) & (along < length) & (square < least);
            least = if counts { square } else { least };
        }
        let ends = self.square_to_point(from).min(self.square_to_point(to));
        if least < ends * length { least / length } else { ends }
    }

    /// True if the rectangle and a polygon have an area in common (even–odd if the sides cross).
    pub(super) fn overlaps_polygon(&self, corners: &[[f64; 2]]) -> bool {
        let middle = [f64::midpoint(self.west, self.east), f64::midpoint(self.south, self.north)];
        // A rectangle that no side enters is wholly inside or wholly outside: its middle decides.
        sides(corners).any(|side| self.is_crossed_by(side)) || is_inside(corners, middle)
    }
}

/// Returns the distances of a point along a segment and to its left, each times the segment's
/// length, m².
fn along_and_beside([from, to]: [[f64; 2]; 2], point: [f64; 2]) -> [f64; 2] {
    let (x, y) = (to[0] - from[0], to[1] - from[1]);
    let (px, py) = (point[0] - from[0], point[1] - from[1]);
    [x * px + y * py, x * py - y * px]
}

fn sides(corners: &[[f64; 2]]) -> impl Iterator<Item = [[f64; 2]; 2]> {
    let next = corners.iter().cycle().skip(1);
    corners.iter().zip(next).map(|(&from, &to)| [from, to])
}

/// True if a ray to the east crosses an odd number of sides.
fn is_inside(corners: &[[f64; 2]], [x, y]: [f64; 2]) -> bool {
    let crosses = |[a, b]: &[[f64; 2]; 2]| {
        // Half open: a side has its lower end, not its upper one. A level side never counts, so its
        // rise of 0 divides nothing.
        (a[1] > y) != (b[1] > y) && x < a[0] + (b[0] - a[0]) * (y - a[1]) / (b[1] - a[1])
    };
    sides(corners).filter(crosses).count() % 2 == 1
}

/// Returns the area of a polygon, positive if counterclockwise, m².
pub(super) fn polygon_area(corners: &[[f64; 2]]) -> f64 {
    sides(corners).map(|[a, b]| 0.5 * (a[0] * b[1] - b[0] * a[1])).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOX: Rectangle = Rectangle { west: 10.0, south: 20.0, east: 30.0, north: 40.0 };

    #[test]
    fn distances_to_segments() {
        for (segment, distance) in [
            ([[20.0, 30.0], [20.0, 30.0]], 0.0),
            ([[0.0, 20.0], [0.0, 20.0]], 10.0),
            ([[7.0, 16.0], [7.0, 16.0]], 5.0),
            // Right through, both ends outside.
            ([[0.0, 0.0], [40.0, 60.0]], 0.0),
            ([[0.0, 50.0], [90.0, 50.0]], 10.0),
            // Past the north-west corner, at 45°: 2 m to the left of it and 2 m above.
            ([[6.0, 40.0], [14.0, 48.0]], 8.0_f64.sqrt()),
        ] {
            let square = BOX.square_to_segment(segment);
            assert!((square.sqrt() - distance).abs() < 1e-12, "{segment:?}: {}", square.sqrt());
        }
    }

    #[test]
    fn polygons_overlap_where_they_share_an_area() {
        let around = [[0.0, 0.0], [100.0, 0.0], [100.0, 100.0], [0.0, 100.0]];
        let within = [[19.0, 29.0], [21.0, 29.0], [20.0, 31.0]];
        let beside = [[30.0, 20.0], [50.0, 20.0], [50.0, 40.0], [30.0, 40.0]];
        // A bay around the rectangle.
        let bay =
            [[0.0, 0.0], [100.0, 0.0], [100.0, 50.0], [35.0, 50.0], [35.0, 15.0], [0.0, 15.0]];
        for (name, polygon, overlaps) in
            [("around", &around[..], true), ("within", &within, true), ("beside", &beside, false)]
                .into_iter()
                .chain([("bay", &bay[..], false)])
        {
            assert_eq!(BOX.overlaps_polygon(polygon), overlaps, "{name}");
        }
        assert!((polygon_area(&around) - 10_000.0).abs() < 1e-9);
    }
}
