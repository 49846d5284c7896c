//! Stage against depth.
//!
//! ```text
//! D(h) = span · f(h / full) − excess · max(h, full)        f falls from 1 to 0 over its knots
//! ```
//!
//! Knots stand at h = full · (k / 15)⁴: a river in a wide cell holds little of it. A cell that
//! lies outside the world in part has an `excess`: above its highest bed its stage rises faster
//! than its depth.
//!
//! Guarantees: `f` never rises, whatever the rounding, so stages rise with depths by at least as
//!             much (`stages_rise_and_come_back`).

use crate::units::CEILING;
use crate::units::maths;

/// Straight steps towards a depth before halving.
const LINES: usize = 12;
/// Segments of a table.
pub const SEGMENTS: usize = 15;
/// The value of `f` at the first knot.
const WHOLE: f32 = 65_535.0;

/// The surface of the water in a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Surface {
    /// Stage, vertical units above the datum; the lowest bed of a dry cell.
    pub stage: i32,
    /// How fast the stage rises with the depth, at least 1: area over wet area.
    pub slope: f32,
    /// Difference of stage that one unit of depth may make, vertical units; 0 where the stage
    /// rises as the depth.
    pub quantum: i32,
}

/// Tables of stage against depth, one for each cell.
#[derive(Debug, Clone, PartialEq)]
pub struct Stages {
    /// Depth from which the highest bed is covered, vertical units; at least 1.
    pub full: Box<[f32]>,
    /// How much D falls until then, vertical units.
    pub span: Box<[f32]>,
    /// Area outside the world over area inside.
    pub excess: Box<[f32]>,
    /// `f` at the knots, 65,535 for 1.
    pub knots: Box<[[u16; SEGMENTS + 1]]>,
}

impl Stages {
    /// Tables of `count` flat cells.
    #[must_use]
    pub fn flat(count: usize) -> Self {
        Self {
            full: vec![1.0; count].into(),
            span: vec![0.0; count].into(),
            excess: vec![0.0; count].into(),
            knots: vec![[0; SEGMENTS + 1]; count].into(),
        }
    }

    /// The surface over `depth` units of water in a cell of mean bed `bed`.
    #[inline(always)]
    #[must_use]
    pub fn surface(&self, cell: usize, bed: i32, depth: i32) -> Surface {
        let part = (self.full[cell], self.span[cell], self.excess[cell]);
        surface_of(part, &self.knots[cell], bed, depth)
    }

    /// The most depth whose stage is at most `stage`, vertical units; 0 where the lowest bed is
    /// higher.
    #[must_use]
    pub fn holds(&self, cell: usize, bed: i32, stage: i32) -> i32 {
        let at = |depth: i32| self.surface(cell, bed, depth).stage;
        // A stage rises by at least as much as the depth.
        let dry = at(0);
        if dry >= stage {
            return 0;
        }
        let (mut low, mut high) = (0, stage.saturating_sub(dry));
        // The tables are straight but for their rounding: a few steps along a line, then halves.
        for _ in 0..LINES {
            if high - low < 8 {
                break;
            }
            let here = self.surface(cell, bed, low);
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_precision_loss,
                reason = "saturates; a guess"
            )]
            let ahead = ((stage - here.stage) as f32 / here.slope) as i32;
            let guess = low.saturating_add(ahead.max(1)).min(high);
            if at(guess) <= stage {
                low = guess;
            } else {
                high = guess - 1;
            }
        }
        while low < high {
            let middle = high - (high - low) / 2;
            if at(middle) <= stage {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        low.max(0)
    }

    /// Bytes of the tables.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let floats = self.full.len() + self.span.len() + self.excess.len();
        4 * floats + std::mem::size_of_val(&*self.knots)
    }
}

/// Places of the knots.
const PLACES: [f32; SEGMENTS + 1] = {
    let (mut places, mut k) = ([0.0; SEGMENTS + 1], 0);
    while k <= SEGMENTS {
        let part = k as f32 / SEGMENTS as f32;
        places[k] = part * part * (part * part);
        k += 1;
    }
    places
};

/// Where part `x` of a range whose knots stand at these `places` lies: its segment, and how far
/// along that; `root` is where it would lie among knots at even distances, 0 to 1.
#[inline(always)]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "from 0 to 15"
)]
pub(super) fn segment_of(x: f32, root: f32, places: &[f32; SEGMENTS + 1]) -> (usize, f32) {
    let segment = ((root * SEGMENTS as f32) as usize).min(SEGMENTS - 1);
    let (from, to) = (places[segment], places[segment + 1]);
    (segment, maths::max(0.0, maths::min((x - from) / (to - from), 1.0)))
}

#[inline(always)]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "bounded; a deficit needs no more than f32 holds"
)]
fn surface_of(
    (full, span, excess): (f32, f32, f32),
    knots: &[u16; SEGMENTS + 1],
    bed: i32,
    depth: i32,
) -> Surface {
    let h = depth as f32;
    let part = maths::min(h / full, 1.0);
    let (segment, along) = segment_of(part, part.sqrt().sqrt(), &PLACES);
    let (f, next) = (f32::from(knots[segment]), f32::from(knots[segment + 1]));
    let of_span = span * (1.0 / WHOLE);
    let beyond = excess * maths::max(h, full);
    let deficit = of_span * (f + (next - f) * along) - beyond;
    let is_covered = part >= 1.0;
    let width = (PLACES[segment + 1] - PLACES[segment]) * full;
    let per_width = of_span / width;
    let slope = 1.0 + if is_covered { excess } else { (f - next) * per_width };
    // Knots are rounded, so the next segment may be steeper; and what an f32 cannot tell apart.
    let slack = 3.0 * per_width + (span + beyond) * (1.0 / 4_194_304.0);
    let is_exact = excess == 0.0 && (is_covered || span == 0.0);
    let quantum = if is_exact { 0 } else { (2.0 + slope + slack) as i32 };
    // Wraps and comes back where a cell holds beds from one end of the range to the other.
    let stage = bed.wrapping_add(depth).wrapping_sub(deficit as i32).min(CEILING);
    Surface { stage, slope, quantum }
}
