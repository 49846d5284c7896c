//! Opening and conveying depth of a face against stage.
//!
//! ```text
//! a = mean of max(0, η − sill)                        area of flow over the width of the face
//! y = (mean of max(0, η − sill)^(5/3) / a)^(3/2)      so that its conveyance is a y^(2/3) / n
//! ```
//!
//! The water level over a face is half of the fall, d, lower than in the upper column, H − d/2. If
//! the water falls within that column, its level surface would let too much through: it runs in a
//! part σ of the opening, so that the column is as long as it is wide.
//!
//! ```text
//! σ  = min(1, max(h/a, 1 − d (1 − H/F) / (2 H − d)))  where H < F,  else 1
//! a' = σ a
//! y' = max(a', σ y min(1, (H − d/2)/T))
//! ```
//!
//! h is the depth of the upstream column, H its stage over the sill, F the fall of the ground from
//! there to the next column, T the fall along the face, d at most F, and at most to the sill. The
//! second term of σ lets a river through that only clips a corner of the column: if F is small
//! beside H, or d, hardly any of the water is on a slope. If the ground falls along the face, a
//! level surface covers only its lower corner, but the sheet covers all of it.
//!
//! Knots are at x = (η − lowest sill) / (highest − lowest) = (k / 15)², and contain a and y over
//! the height above the lowest sill, which change little along it. Above the highest sill a grows
//! as the stage and y approaches it as 1/a.
//!
//! Guarantees: an opening of a table rises with the stage, by at most as much, and closes at the
//!             lowest sill (`openings_follow_their_sills`).
//! Limits:     a sheet that runs aslant to the grid begins too early; hollows within a column keep
//!             nothing back; a column that is partly outside lets thin water out too slowly.
//! Source:     conveyance by slices as for compound channels: Chow (1959), Open-Channel Hydraulics,
//!             §6-5.

use crate::tile::columns::stages::{FLATTER, KNOTS, SEGMENTS, segment_of, whole};
use crate::units::{CEILING, maths};

/// The largest value of a knot.
const WHOLE: f32 = 65_535.0;

/// Places of the knots.
pub(super) const PLACES: [f32; KNOTS] = {
    let (mut places, mut k) = ([1.0; KNOTS], 0);
    while k < SEGMENTS {
        let part = k as f32 * (1.0 / SEGMENTS as f32);
        places[k] = part * part;
        k += 1;
    }
    places
};

/// Opening of a face at some stage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FaceOpening {
    /// Area of flow over the width of the face, vertical units; 0 if it is closed.
    pub area: i32,
    /// Conveying depth, vertical units: as deep a flat face of Manning's law would run.
    pub conveying: f32,
}

/// A piece of a table of openings, over the height x above the lowest sill:
///
/// ```text
/// a = x · (area + area_rise · (x − from))             y = x · (conveying + conveying_rise · …)
/// a = area + area_rise · (x − from)                   y = a + conveying / a       above all sills
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OpeningPiece {
    /// Height at which the piece begins, vertical units.
    pub from: f32,
    /// Height at which the next piece begins, vertical units; infinite above all sills.
    pub to: f32,
    /// a/x at the height where it begins; above all sills a, vertical units.
    pub area: f32,
    /// Rise of `area` with the height.
    pub area_rise: f32,
    /// y/x at the height where it begins; above all sills a (y − a), squares of vertical units.
    pub conveying: f32,
    /// Rise of `conveying` with the height.
    pub conveying_rise: f32,
}

impl OpeningPiece {
    /// True if the piece contains a height, so that no look-up is needed.
    #[inline(always)]
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "as the look-up does")]
    pub fn holds(&self, height: i32) -> bool {
        let height = height as f32;
        (self.from <= height) & (height < self.to)
    }

    /// Returns the opening of the face at a height in this piece.
    #[inline(always)]
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "an opening needs no more than f32 holds")]
    pub fn opening(&self, height: i32) -> FaceOpening {
        let x = height as f32;
        let past = x - self.from;
        let line = self.area + self.area_rise * past;
        let other = self.conveying + self.conveying_rise * past;
        let is_above = self.to == f32::INFINITY;
        let area = if is_above { line } else { x * line };
        let conveying = if is_above { line + other / maths::max(line, 1.0) } else { x * other };
        // An area of 0 means closed, so water above the sill has an opening of a unit at least.
        FaceOpening { area: if height > 0 { whole(area).max(1) } else { 0 }, conveying }
    }
}

impl FaceOpening {
    /// Returns the part of the opening that water in a column of `depth` units runs in, `least` of
    /// it at least, if a level surface would cover the part `width` of the face: σ, a' and y' of
    /// the module page.
    #[inline(always)]
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a part")]
    fn running(self, depth: i32, least: Ratio, width: f32) -> Self {
        let area = self.area as f32;
        let part = Ratio { of: depth as f32, to: maths::max(area, 1.0) }.larger(least);
        let runs = (part < 1.0) & (self.area > 0);
        let wide = maths::max(part * width * self.conveying, part * area);
        Self {
            area: if runs { whole(part * area).max(1) } else { self.area },
            conveying: if runs { wide } else { self.conveying },
        }
    }
}

/// A part, not yet divided.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Ratio {
    of: f32,
    to: f32,
}

impl Ratio {
    /// Returns the larger of two, at the price of one division.
    #[inline(always)]
    fn larger(self, other: Self) -> f32 {
        // Both denominators are positive, so cross products compare the quotients.
        let is_own = self.of * other.to > other.of * self.to;
        let of = if is_own { self.of } else { other.of };
        let to = if is_own { self.to } else { other.to };
        of / to
    }
}

/// Two columns beside a face.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColumnSides {
    /// Stages of the columns before and behind the face, vertical units.
    pub stages: (i32, i32),
    /// Depths of the columns, vertical units.
    pub depths: (i32, i32),
    /// Falls of the ground through the columns along the face, vertical units; 0 if it does not
    /// fall on both of their sides alike. Only conveying depths depend on it.
    pub across: (i32, i32),
}

/// Water over a face with a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FaceHead {
    /// Height of the water over the lowest sill, vertical units; 0 if the water is lower, or dry.
    pub height: i32,
    /// Depth of the upstream column, vertical units.
    depth: i32,
    /// Smallest part of the opening that the water runs in.
    least: Ratio,
    /// Part of the face that a level surface of that height would cover.
    width: f32,
}

impl FaceHead {
    /// Returns the head over a face with this lowest sill; `fall` as in [`OpeningTable`].
    #[inline(always)]
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a part")]
    pub fn over(sill: i32, fall: i32, sides: ColumnSides) -> Self {
        let (before, behind) = sides.stages;
        let is_before = before > behind;
        let depth = if is_before { sides.depths.0 } else { sides.depths.1 };
        let across = if is_before { sides.across.0 } else { sides.across.1 };
        let over = before.max(behind).wrapping_sub(sill);
        let of_ground = if is_before { fall } else { fall.wrapping_neg() };
        let drop = fall_over(sill, fall, sides.stages);
        // Stages are rounded: a dry one may be a unit above its sill.
        let height = if depth > 0 { over.wrapping_sub(drop >> 1).max(0) } else { 0 };
        let of_ground = maths::max(of_ground as f32, 1.0);
        // 1 − d (1 − H/F)/(2 H − d) as a fraction over F (H − d/2): the two terms of σ then share
        // the one division of `larger`.
        let whole = of_ground * maths::max(height as f32, 1.0);
        let on_slope = maths::max(of_ground - over as f32, 0.0);
        let least = Ratio { of: whole - 0.5 * drop as f32 * on_slope, to: whole };
        let width = maths::min(height as f32 / maths::max(across as f32, 1.0), 1.0);
        Self { height, depth, least, width }
    }

    /// Returns the opening for this head.
    #[inline(always)]
    #[must_use]
    pub fn through(&self, piece: &OpeningPiece) -> FaceOpening {
        piece.opening(self.height).running(self.depth, self.least, self.width)
    }
}

/// Returns the fall of the water over a face with this lowest sill between cells of these stages,
/// at most the fall of the ground; `fall` as in [`OpeningTable`].
#[inline(always)]
#[must_use]
fn fall_over(sill: i32, fall: i32, (before, behind): (i32, i32)) -> i32 {
    let (low, high) = (before.min(behind), before.max(behind));
    let of_ground = if before <= behind { fall.wrapping_neg() } else { fall };
    high.wrapping_sub(low.max(sill)).min(of_ground).max(0)
}

/// Returns the stage over a face with this lowest sill between cells of these stages, vertical
/// units; `fall` as in [`OpeningTable`].
///
/// Each stage applies at the lowest place of its cell. So if the ground falls from cell to cell,
/// the water is lower over the face, half way between, than in the upper cell. On EA benchmark 5 in
/// cells of 80 m, against 20 m, arrivals are 7 to 12 % early without this fall and within 2 % with
/// it; peaks off by 0.07 and 0.02 m.
#[inline(always)]
#[must_use]
fn stage_over(sill: i32, fall: i32, stages: (i32, i32)) -> i32 {
    stages.0.max(stages.1).wrapping_sub(fall_over(sill, fall, stages) >> 1)
}

/// The table of one face, in two lines of a cache.
#[derive(Debug, Clone, Copy, PartialEq)]
// A table has 96 bytes: from a multiple of 32 on it touches two lines of 64 bytes, never three.
#[repr(align(32))]
pub struct OpeningTable {
    /// Lowest sill, vertical units above the datum.
    pub sill: i32,
    /// Highest sill.
    pub top: i32,
    /// Opening at the highest sill, vertical units.
    pub area: f32,
    /// Conveying depth there, vertical units.
    pub conveying: f32,
    /// Lowest bed of the cell before the face over that of the cell behind it, vertical units.
    pub fall: i32,
    /// Part of the face that is inside the world.
    pub share: f32,
    /// a and y over η − lowest sill at the knots, 65,535 for 1.
    pub(super) knots: [[u16; 2]; KNOTS],
}

/// Words of a table of openings: see [`OpeningTable::words`].
pub const OPENING_WORDS: usize = 6 + KNOTS;

impl OpeningTable {
    /// Table of a face that lets nothing through.
    pub const CLOSED: Self = Self {
        sill: CEILING,
        top: CEILING,
        area: 0.0,
        conveying: 0.0,
        fall: 0,
        share: 0.0,
        knots: [[0; 2]; KNOTS],
    };

    /// Numbers of the table as words for readers elsewhere: `sill`, `top`, the bits of `area` and
    /// `conveying`, `fall`, the bits of `share`, then the knots, each with a in the lower half.
    #[must_use]
    pub fn words(&self) -> [u32; OPENING_WORDS] {
        let Self { sill, top, area, conveying, fall, share, knots } = *self;
        let [sill, top, fall] = [sill, top, fall].map(i32::cast_unsigned);
        let [area, conveying, share] = [area, conveying, share].map(f32::to_bits);
        let mut words = [0; OPENING_WORDS];
        words[..6].copy_from_slice(&[sill, top, area, conveying, fall, share]);
        for (word, [a, y]) in words[6..].iter_mut().zip(knots) {
            *word = u32::from(a) | u32::from(y) << 16;
        }
        words
    }
}

/// Tables of opening against stage, one for each face.
#[derive(Debug, Clone, PartialEq)]
pub struct Openings {
    /// The table of each face.
    pub faces: Box<[OpeningTable]>,
}

impl Openings {
    /// Returns the tables of `count` closed faces.
    #[must_use]
    pub fn closed(count: usize) -> Self {
        Self { faces: vec![OpeningTable::CLOSED; count].into() }
    }

    /// Returns the opening of a face between two columns, vertical units.
    #[must_use]
    pub fn between(&self, face: usize, sides: ColumnSides) -> FaceOpening {
        let head = FaceHead::over(self.faces[face].sill, self.faces[face].fall, sides);
        head.through(&self.piece(face, head.height))
    }

    /// Returns the opening of a face that water of a column of `depth` units leaves over, whose
    /// ground falls by `fall` to there and on beyond it, vertical units.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a part")]
    pub fn leaving(&self, face: usize, (stage, depth): (i32, i32), fall: f32) -> FaceOpening {
        let over = stage.wrapping_sub(self.faces[face].sill).max(0);
        let covered = maths::min(over as f32 / maths::max(fall, 1.0), 1.0);
        let least = Ratio { of: covered * covered, to: 1.0 };
        self.at(face, stage).running(depth, least, 1.0)
    }

    /// Returns the opening of a face at a stage, vertical units.
    #[must_use]
    pub fn at(&self, face: usize, stage: i32) -> FaceOpening {
        let height = stage.wrapping_sub(self.faces[face].sill).max(0);
        self.piece(face, height).opening(height)
    }

    /// Returns the stage over a face between cells of these stages before and behind it, vertical
    /// units.
    #[must_use]
    pub fn stage_over(&self, face: usize, stages: (i32, i32)) -> i32 {
        stage_over(self.faces[face].sill, self.faces[face].fall, stages)
    }

    /// Returns the piece of a face's table that contains a height above its lowest sill.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "an opening needs no more than f32 holds")]
    pub fn piece(&self, face: usize, height: i32) -> OpeningPiece {
        let OpeningTable { sill, top, area, conveying, share, ref knots, .. } = self.faces[face];
        let reach = top.wrapping_sub(sill) as f32;
        let height = height as f32;
        if height >= reach {
            let (from, to) = (reach, f32::INFINITY);
            let (area_rise, conveying) = (share, (conveying - area) * area);
            return OpeningPiece { from, to, area, area_rise, conveying, conveying_rise: 0.0 };
        }
        let part = maths::max(height / reach, 0.0);
        let segment = segment_of(height, part.sqrt(), |k| reach * PLACES[k]);
        let [from, to] = [segment, segment + 1].map(|k| reach * PLACES[k]);
        // The last knot is where the piece above all sills begins.
        let knot = |k: usize| match k {
            SEGMENTS => [area / reach, conveying / reach],
            _ => knots[k].map(|part| f32::from(part) * (1.0 / WHOLE)),
        };
        let ([a, y], [next_a, next_y]) = (knot(segment), knot(segment + 1));
        let per_width = FLATTER / (to - from);
        OpeningPiece {
            from,
            to,
            area: a,
            area_rise: (next_a - a) * per_width,
            conveying: y,
            conveying_rise: (next_y - y) * per_width,
        }
    }

    /// Returns the bytes of the tables.
    #[must_use]
    pub fn bytes(&self) -> usize {
        std::mem::size_of_val(&*self.faces)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A face as wide as its cells between columns whose ground falls evenly by `fall`.
    fn on_slope(fall: i32, over: i32, beyond: i32, depth: i32) -> f64 {
        let sides = ColumnSides { stages: (over, beyond), depths: (depth, 0), across: (0, 0) };
        let head = FaceHead::over(0, fall, sides);
        let piece = OpeningPiece {
            from: 0.0,
            to: f32::INFINITY,
            area: 0.0,
            area_rise: 1.0,
            conveying: 0.0,
            conveying_rise: 0.0,
        };
        f64::from(head.through(&piece).area)
    }

    /// Goal: water on a plane runs as deep as its mean depth, for any part of the column that it
    ///       would cover. Method: wedges from a hundredth to three times the fall within a column;
    ///       a river of the same depth that clips a corner, where the ground hardly falls, keeps
    ///       it.
    #[test]
    fn a_wedge_runs_as_a_sheet() {
        let fall = 1 << 20;
        for step in 1..300 {
            let over = fall / 100 * step;
            let (fall, high) = (f64::from(fall), f64::from(over));
            // Volume below a level surface over an even slope.
            let depth = if high < fall { high * high / (2.0 * fall) } else { high - 0.5 * fall };
            #[expect(clippy::cast_possible_truncation, reason = "below 2²²")]
            let sheet = on_slope(1 << 20, over, over - (1 << 20), depth as i32);
            let error = (sheet - depth).abs();
            assert!(error < 2.0 + 1.0e-3 * depth, "{high} over {fall}: {sheet}, {depth}");
            // The ground falls little from column to column, or the water does.
            let clipped = on_slope(over / 50, over, 0, over / 10);
            assert!(clipped > 0.98 * high, "{high}: {clipped}");
            let gentle = on_slope(2 * over, over, over - over / 50, over / 10);
            assert!(gentle > 0.98 * high, "{high}: {gentle}");
            let still = on_slope(1 << 20, over, over - 1, 1);
            assert!(still > 0.999 * high - 1.0, "{high}: {still}");
        }
    }

    /// Goal: a sheet that runs aslant to the grid conveys as a sheet, not as the corner that a
    ///       level surface would fill. Method: ground that falls across the face and along it; the
    ///       corner contains H³/(6 F T), and the face over it a triangle.
    #[test]
    fn a_corner_runs_as_a_sheet() {
        let (fall, along) = (1_i32 << 22, 1_i32 << 21);
        for step in 10..50 {
            let over = along / 100 * step;
            let (high, f, t) = (f64::from(over), f64::from(fall), f64::from(along));
            let sheet = high.powi(3) / (6.0 * f * t);
            let piece = OpeningPiece {
                from: 0.0,
                to: 1.0e9,
                area: 0.0,
                area_rise: 0.5 / along as f32,
                conveying: 0.65,
                conveying_rise: 0.0,
            };
            #[expect(clippy::cast_possible_truncation, reason = "below 2³¹")]
            let depths = (sheet as i32, 0);
            let sides = ColumnSides { stages: (over, over - fall), depths, across: (along, 0) };
            let runs = FaceHead::over(0, fall, sides).through(&piece);
            let [area, conveying] = [f64::from(runs.area), f64::from(runs.conveying)];
            assert!((area / sheet - 1.0).abs() < 0.01, "{over}: {area} for {sheet}");
            assert!((1.0..1.35).contains(&(conveying / sheet)), "{over}: {runs:?} for {sheet}");
        }
    }
}
