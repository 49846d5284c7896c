//! Outlines of bodies in the plan, and the parts of cell faces that they shadow.
//!
//! ```text
//!        ╲ · ╲       ·  centre      ┊  the rectangle of the face: from centre to centre, and as
//!   ┌┄┄┄┄┄╲┄┄┄╲┐                       long as the face is
//!   ·──────╲───·  s = 0
//!   └┄┄┄┄┄┄┄▔▔▔┘     cut: the outline meets the line from centre to centre
//! ```
//!
//! A place `(x, s)` of the rectangle, measured from its middle, is mapped to a place along the
//! face:
//!
//! ```text
//! f = s                          where |s| ≥ |x|
//! f = s / (1 + 2 |s| − 2 |x|)    elsewhere: 0 between the centres, ±½ on all of the outer edge
//! ```
//!
//! A convex outline covers all of `f` between its corners within the rectangle, up to ±½ on the
//! sides where it leaves the rectangle. Outlines that touch overlap by this scale, so a chain of
//! them from −½ to ½ leaves nothing open. The part of it that counts by itself is smaller:
//!
//! ```text
//! cut      the part up to where the corner would cross the face, by the way it points: 0 at the
//!          line between the centres, ±½ where it would leave the rectangle
//! end      the same, of a body that does not reach that line but has a tip or its nearest corner
//!          in the rectangle
//! loose    the rest: it leads from one that counts to another
//! ```
//!
//! If a body covers a centre and ends a little beyond it, its outline is slit open from that centre
//! to its end: the faces beside then close gradually as the body moves on, not all at once. A slit
//! divides no body, so bodies that touch still do; a centre has one slit at most.
//!
//! Guarantees: outlines that touch and lead from edge to edge of a rectangle through the line
//!             between its centres shadow its face from end to end
//!             (`no_path_of_centres_passes_a_wall_without_gaps`); whether an outline meets a line
//!             is decided exactly.
//! Limits:     bodies that pass within a cell of each other may count as touching; if a tip passes
//!             close by a centre, different faces close, and the passage left beside it changes by
//!             a part of a cell (`passages_change_bit_by_bit`).
//! Source:     own.

use crate::body::lines::ScanLines;
use crate::body::outline::{HALF, OutlineWindow, PieceOutline, STEPS};
use crate::body::reach::FaceReach;
use crate::body::shadow::Shadow;

/// Direction from a centre in which an outline is slit open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Slit {
    Below,
    Above,
}

/// A corner within the rectangle of a face.
#[derive(Debug, Clone, Copy)]
struct InsideCorner {
    strip: i64,
    face: i64,
    /// Place across the face, cells from the middle of the strip of cells, for the strip's extent.
    across: f64,
    /// Place along the face, cells from its middle.
    s: f64,
    /// Place along the face by the scale of the page.
    f: f64,
    /// Place along the face by the direction in which the corner points.
    way: f64,
    is_sharp: bool,
}

/// Finds the shadows of outlines; the memory is reused for the next outline.
#[derive(Debug, Default)]
pub(super) struct Shader {
    lines: [ScanLines; 2],
    inside: Vec<InsideCorner>,
}

impl Shader {
    /// Sets the outline, and finds the columns that it covers in each row.
    pub fn take(&mut self, outline: &PieceOutline, window: &OutlineWindow) {
        for axis in 0..2 {
            self.lines[axis].find(outline, axis, window);
        }
    }

    /// Reports each row of cells that the current outline touches, and its extent there, cells.
    pub fn rows(
        &mut self,
        outline: &PieceOutline,
        window: &OutlineWindow,
        mut tell: impl FnMut(i64, [f64; 2]),
    ) {
        self.find_inside(outline, 0);
        self.strips(outline, 0, window, |_, strip, extent, _| tell(strip, extent));
    }

    /// Reports the shadows of the current outline on the faces across an axis.
    pub fn shadows(
        &mut self,
        outline: &PieceOutline,
        axis: usize,
        window: &OutlineWindow,
        mut tell: impl FnMut(Shadow),
    ) {
        self.find_inside(outline, axis);
        let (first, last) = (window.first[axis], window.end[axis]);
        self.strips(outline, axis, window, |shader, strip, extent, inside| {
            for face in cell_of(extent[0] + 0.5).max(first)..=cell_of(extent[1] + 0.5).min(last) {
                shader.face(axis, face, strip, inside, &mut tell);
            }
        });
    }

    /// Finds the rectangle of each corner, in the order of strips.
    fn find_inside(&mut self, outline: &PieceOutline, axis: usize) {
        self.inside.clear();
        self.inside.extend(outline.corners.iter().zip(&outline.tips).map(|(corner, tip)| {
            let (strip, face) =
                (corner[1 - axis].div_euclid(STEPS), (corner[axis] + HALF).div_euclid(STEPS));
            let s = (corner[1 - axis] - strip * STEPS - HALF) as f64 / STEPS as f64;
            let x = (corner[axis] - face * STEPS) as f64 / STEPS as f64;
            let across = corner[axis] as f64 / STEPS as f64;
            let heading = [tip.heading[axis], tip.heading[1 - axis]];
            let (f, way) = (along(x, s), along_way(x, s, heading));
            InsideCorner { strip, face, across, s, f, way, is_sharp: tip.is_sharp }
        }));
        self.inside.sort_unstable_by_key(|corner| corner.strip);
    }

    /// Visits the strips of cells across an axis that the outline touches.
    fn strips(
        &self,
        outline: &PieceOutline,
        axis: usize,
        window: &OutlineWindow,
        mut tell: impl FnMut(&Self, i64, [f64; 2], &[InsideCorner]),
    ) {
        let other = 1 - axis;
        let [low, high] = outline.extent(other).map(|steps| steps.div_euclid(STEPS));
        let mut rest = &self.inside[..];
        for strip in low.max(window.first[other])..=high.min(window.end[other] - 1) {
            let before = rest.iter().take_while(|corner| corner.strip < strip).count();
            let count = rest[before..].iter().take_while(|corner| corner.strip == strip).count();
            let inside = &rest[before..before + count];
            rest = &rest[before + count..];
            let mut extent = [f64::INFINITY, f64::NEG_INFINITY];
            let mut take = |low: f64, high: f64| {
                extent = [extent[0].min(low), extent[1].max(high)];
            };
            // A convex outline is widest within a strip at a corner, or on one of the strip's
            // borders.
            for line in (0..3).filter_map(|half| self.lines[other].at(2 * strip + half)) {
                take(line.low, line.high);
            }
            inside.iter().for_each(|corner| take(corner.across, corner.across));
            if extent[0] <= extent[1] {
                tell(self, strip, extent, inside);
            }
        }
    }

    /// Finds the shadows on one face.
    fn face(
        &self,
        axis: usize,
        face: i64,
        strip: i64,
        inside: &[InsideCorner],
        tell: &mut impl FnMut(Shadow),
    ) {
        let [along, across] = [&self.lines[1 - axis], &self.lines[axis]];
        // Exact, because `first` and `last` are: `low` and `high` are rounded.
        let is_cut =
            along.at(2 * strip + 1).is_some_and(|line| line.first <= face && line.last >= face - 1);
        let mut reach = FaceReach::new(is_cut);
        let bottom = strip as f64;
        for halves in [2 * face - 1, 2 * face + 1] {
            let Some(line) = across.at(halves) else { continue };
            let [low, high] = [line.low - bottom, line.high - bottom];
            if high < 0.0 || low > 1.0 {
                continue;
            }
            let slit = self.slit(axis, halves, strip);
            reach.is_below |= line.first <= strip && slit != Some(Slit::Below);
            reach.is_above |= line.last >= strip && slit != Some(Slit::Above);
            match slit {
                Some(Slit::Below) => reach.slit_below(low - 0.5),
                Some(Slit::Above) => reach.slit_above(high - 0.5),
                None => {}
            }
            reach.sides = [reach.sides[0].min(low - 0.5), reach.sides[1].max(high - 0.5)];
        }
        let middle = face as f64;
        let is_met = |halves: i64| {
            along
                .at(halves)
                .is_some_and(|line| line.high >= middle - 0.5 && line.low <= middle + 0.5)
        };
        reach.is_below |= is_met(2 * strip);
        reach.is_above |= is_met(2 * strip + 2);
        for corner in inside.iter().filter(|corner| corner.face == face) {
            reach.take(corner.s, corner.f, corner.way, corner.is_sharp);
        }
        let lead = match along.at(2 * strip + 1) {
            Some(line) if is_cut => (line.low - middle).max(0.0) + (line.high - middle).min(0.0),
            _ => 0.0,
        };
        reach.tell(|kind, from, to| {
            tell(Shadow { kind, face, strip, from, to, lead });
        });
    }

    /// Returns the direction in which an outline is slit open from a centre on one of its lines: it
    /// ends a little beyond the centre in that direction, and continues in the opposite one.
    fn slit(&self, axis: usize, halves: i64, strip: i64) -> Option<Slit> {
        let line = self.lines[axis].at(halves)?;
        if line.first > strip || line.last < strip {
            return None;
        }
        let [is_below, is_above] = line.ends.map(|end| end == strip);
        // One for each centre, otherwise a corner of the body would be cut off.
        if is_above == is_below
            || axis == 0 && self.slit(1, 2 * strip + 1, halves.div_euclid(2)).is_some()
        {
            return None;
        }
        Some(if is_above { Slit::Above } else { Slit::Below })
    }
}

/// Returns the place along the face of a place of the rectangle.
fn along(x: f64, s: f64) -> f64 {
    if s.abs() >= x.abs() { s } else { s / (1.0 + 2.0 * s.abs() - 2.0 * x.abs()) }
}

/// Returns the cell that contains a place.
#[expect(clippy::cast_possible_truncation, reason = "cells that fit an i64 by far")]
fn cell_of(place: f64) -> i64 {
    place.floor() as i64
}

/// Returns the place along a face of a tip, by the direction in which it points: 0 if that crosses
/// the line between the centres, ±½ if it leaves the rectangle; by the scale if it passes by.
fn along_way(x: f64, s: f64, heading: [f64; 2]) -> f64 {
    let slope = heading[0] / heading[1];
    let crossing = x - slope * s;
    // A heading straight across the face has no crossing: x/0. That of a single place is 0/0.
    if !crossing.is_finite() || crossing.abs() >= 0.5 {
        return along(x, s);
    }
    let side = slope.abs();
    // On the heading x = crossing + slope · s. `end` is the |s| at which that leaves the rectangle:
    // over a side, or over the end of the face.
    let toward = if (slope > 0.0) == (s > 0.0) { crossing } else { -crossing };
    let end = if 0.5 * side > 0.5 - toward { (0.5 - toward) / side } else { 0.5 };
    (0.5 * s / end).clamp(-0.5, 0.5)
}
