//! The outline of a body in the plan: a convex polygon in fixed point.
//!
//! Corners are rounded to odd multiples of 2⁻¹⁷ cells; centres and edges of cells are at even ones,
//! so no corner is level with any of them. Outlines are then widened by two such steps on all
//! sides, so that bodies which touch but for rounding do touch.
//!
//! Guarantees: exact in integers, once corners are rounded.
//! Limits:     convex polygons only; the owner divides other shapes.
//! Source:     own.

use glam::{DVec2, DVec3};

/// Steps in a cell.
pub(super) const STEPS: i64 = 1 << 17;
/// Steps in half a cell.
pub(super) const HALF: i64 = STEPS / 2;
/// Steps by which an outline is wider than its body.
const WIDER: i64 = 2; // even, so that corners stay odd
/// Distance from the origin beyond which corners are no longer distinguished, cells: 2⁴⁰.
const FAR: f64 = 1_099_511_627_776.0;

/// A corner in steps.
pub(super) type OutlineCorner = [i64; 2];

/// Ranges of cells that count, each from its first to before its last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OutlineWindow {
    /// First cell in x and y.
    pub first: [i64; 2],
    /// End in x and y.
    pub end: [i64; 2],
}

/// Returns the nearest allowed place for a corner, given in cells.
#[expect(clippy::cast_possible_truncation, reason = "2⁵⁷ at most")]
pub(super) fn snapped(corner: DVec3) -> OutlineCorner {
    [corner.x, corner.y].map(|x| 2 * (x.clamp(-FAR, FAR) * HALF as f64).floor() as i64 + 1)
}

/// Returns twice the area of a triangle, positive if it is counterclockwise.
fn turn(a: OutlineCorner, b: OutlineCorner, c: OutlineCorner) -> i128 {
    let [bx, by] = [0, 1].map(|i| i128::from(b[i] - a[i]));
    let [cx, cy] = [0, 1].map(|i| i128::from(c[i] - a[i]));
    bx * cy - by * cx
}

/// The end of an outline at a corner.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tip {
    /// Direction in which the corner points: along the longer of its edges.
    pub heading: DVec2,
    /// Whether the outline turns there by more than 40°.
    pub is_sharp: bool,
}

impl Tip {
    fn of(before: OutlineCorner, here: OutlineCorner, behind: OutlineCorner) -> Self {
        let edge = |from: OutlineCorner, to: OutlineCorner| {
            DVec2::from([0, 1].map(|i| (to[i] - from[i]) as f64))
        };
        let (a, b) = (edge(before, here), edge(here, behind));
        let (ahead, squares) = (a.dot(b), [a, b].map(DVec2::length_squared));
        // 0.587 is cos² 40°. Squares need no root but lose the sign, so turns beyond 90° are tested
        // first.
        let is_sharp = ahead <= 0.0 || ahead * ahead < 0.587 * squares[0] * squares[1];
        Self { heading: if squares[0] > squares[1] { a } else { b }, is_sharp }
    }
}

/// A convex polygon, counterclockwise.
#[derive(Debug, Default)]
pub(super) struct PieceOutline {
    /// Corners, all of them odd.
    pub corners: Vec<OutlineCorner>,
    /// Tip at each corner.
    pub tips: Vec<Tip>,
    hull: Vec<OutlineCorner>,
}

impl PieceOutline {
    /// Sets the outline to the hull of places, a little wider.
    pub fn wrap(&mut self, places: &mut [OutlineCorner]) {
        places.sort_unstable();
        self.hull.clear();
        // Andrew's monotone chain: the lower hull eastward, then the upper one back.
        for pass in 0..2 {
            let begin = self.hull.len();
            for i in 0..places.len() {
                let next = if pass == 0 { places[i] } else { places[places.len() - 1 - i] };
                while self.hull.len() >= begin + 2 {
                    let count = self.hull.len();
                    if turn(self.hull[count - 2], self.hull[count - 1], next) > 0 {
                        break;
                    }
                    self.hull.pop();
                }
                self.hull.push(next);
            }
            self.hull.pop();
        }
        // Places that all coincide leave one corner twice.
        self.hull.dedup();
        self.widen();
    }

    /// Sets the outline to the sum of its hull and a square.
    fn widen(&mut self) {
        self.corners.clear();
        self.tips.clear();
        let count = self.hull.len();
        let all = |place: OutlineCorner| (0..4).map(move |q| beside(place, q));
        if let [place, rest @ ..] = &self.hull[..]
            && rest.iter().all(|other| other == place)
        {
            self.corners.extend(all(*place));
            self.tips.extend([Tip::of(*place, *place, *place); 4]);
            return;
        }
        for (i, &place) in self.hull.iter().enumerate() {
            let (last, next) = (self.hull[(i + count - 1) % count], self.hull[(i + 1) % count]);
            let before = quadrant(last, place);
            let corners = (quadrant(place, next) + 4 - before) % 4;
            self.corners.extend((0..=corners).map(|step| beside(place, (before + step) % 4)));
            self.tips.resize(self.corners.len(), Tip::of(last, place, next));
        }
    }

    /// Returns the extent of the outline along an axis, steps.
    pub fn extent(&self, axis: usize) -> [i64; 2] {
        let along = || self.corners.iter().map(|corner| corner[axis]);
        [along().min().unwrap_or(1), along().max().unwrap_or(-1)]
    }
}

/// Returns the quadrant of the outer side of an edge: 0 is east to before north.
fn quadrant(from: OutlineCorner, to: OutlineCorner) -> u8 {
    // The outer side of a counterclockwise edge is on its right.
    let (east, north) = (to[1] - from[1], from[0] - to[0]);
    match (east, north) {
        (1.., 0..) => 0,
        (..=0, 1..) => 1,
        (..=-1, ..=0) => 2,
        _ => 3,
    }
}

/// Returns the corner of the square around a place in a quadrant.
fn beside(place: OutlineCorner, quadrant: u8) -> OutlineCorner {
    let east = if matches!(quadrant, 0 | 3) { WIDER } else { -WIDER };
    let north = if quadrant < 2 { WIDER } else { -WIDER };
    [place[0] + east, place[1] + north]
}
