//! Stage against depth.
//!
//! ```text
//! D(h) = span · f(h / full) − excess · max(h, full)        f falls from 1 to 0 over its knots
//! ```
//!
//! Knots are at h = full · (k / 15)⁴: a river in a wide cell fills little of it. A cell that is
//! partly outside the world has an `excess`: above its highest bed its stage rises faster than its
//! depth. Between two knots D is a straight [`StagePiece`], and a depth has one piece.
//!
//! Guarantees: `f` never rises, under any rounding, so stages rise with depths by at least as much
//!             (`stages_rise_and_come_back`).

use crate::units::{CEILING, maths};

/// Straight steps towards a depth before halving.
const LINES: usize = 12;
/// Segments of a table.
pub const SEGMENTS: usize = 15;
/// Knots of a table.
pub const KNOTS: usize = SEGMENTS + 1;
/// The value of `f` at the first knot.
const WHOLE: f32 = 65_535.0;
/// Factor by which pieces are less steep than between their ends, so that rounding never takes them
/// beyond.
pub(super) const FLATTER: f32 = 1.0 - 1.0 / 1_048_576.0;

/// Places of the knots.
pub(super) const PLACES: [f32; KNOTS] = {
    let (mut places, mut k) = ([1.0; KNOTS], 0);
    while k < SEGMENTS {
        let part = k as f32 * (1.0 / SEGMENTS as f32);
        places[k] = (part * part) * (part * part);
        k += 1;
    }
    places
};

/// The surface of the water in a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CellSurface {
    /// Stage, vertical units above the datum; the lowest bed of a dry cell.
    pub stage: i32,
    /// Rise of the stage with the depth, at least 1: area over wet area.
    pub slope: f32,
    /// Difference of stage that one unit of depth may make, vertical units; 0 if the stage rises as
    /// the depth.
    pub quantum: i32,
}

/// A straight piece of a table of stages: `D = deficit − rise · (h − from)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StagePiece {
    /// Depth at which the piece begins, vertical units.
    pub from: f32,
    /// Depth at which the next piece begins, vertical units. Not above `from` if this is the piece
    /// of one depth alone.
    pub to: f32,
    /// D at the depth where it begins, vertical units.
    pub deficit: f32,
    /// Fall of D with the depth.
    pub rise: f32,
    /// Difference of stage that one unit of depth may make, vertical units.
    pub quantum: i32,
}

impl StagePiece {
    /// True if the piece contains a depth, so that no look-up is needed.
    #[inline(always)]
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "as the look-up does")]
    pub fn holds(&self, depth: i32) -> bool {
        let depth = depth as f32;
        (self.from <= depth) & (depth < self.to)
    }

    /// Returns the stage over `depth` units of water, of this piece, in a cell of mean bed `bed`.
    #[inline(always)]
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a deficit needs no more than f32 holds")]
    pub fn stage(&self, bed: i32, depth: i32) -> i32 {
        let deficit = self.deficit - self.rise * (depth as f32 - self.from);
        // Wraps and wraps back if a cell has beds from one end of the range to the other.
        bed.wrapping_add(depth).wrapping_sub(whole(deficit)).min(CEILING)
    }

    /// Returns the surface over `depth` units of water.
    #[inline(always)]
    #[must_use]
    pub fn surface(&self, bed: i32, depth: i32) -> CellSurface {
        let stage = self.stage(bed, depth);
        CellSurface { stage, slope: 1.0 + self.rise, quantum: self.quantum }
    }
}

/// The table of one cell, in one line of a cache.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(64))]
pub struct StageTable {
    /// Depth from which the highest bed is covered, vertical units; at least 1.
    pub full: f32,
    /// Fall of D until then, vertical units.
    pub span: f32,
    /// Area outside the world over area inside.
    pub excess: f32,
    /// `f` at the knots, 65,535 for 1.
    pub(super) knots: [u16; KNOTS],
}

/// Words of a table of stages: see [`StageTable::words`].
pub const STAGE_WORDS: usize = 3 + KNOTS / 2;

impl StageTable {
    /// Table of a cell whose finest beds have one height.
    pub const FLAT: Self = Self { full: 1.0, span: 0.0, excess: 0.0, knots: [0; KNOTS] };

    /// Numbers of the table as words for readers elsewhere: the bits of `full`, `span` and
    /// `excess`, then two knots in each, the first in the lower half.
    #[must_use]
    pub fn words(&self) -> [u32; STAGE_WORDS] {
        let mut words = [0; STAGE_WORDS];
        words[..3].copy_from_slice(&[self.full, self.span, self.excess].map(f32::to_bits));
        for (word, pair) in words[3..].iter_mut().zip(self.knots.as_chunks().0) {
            let [low, high] = pair.map(u32::from);
            *word = low | high << 16;
        }
        words
    }
}

/// Tables of stage against depth, one for each cell.
#[derive(Debug, Clone, PartialEq)]
pub struct Stages {
    /// The table of each cell.
    pub cells: Box<[StageTable]>,
}

impl Stages {
    /// Returns tables of `count` flat cells.
    #[must_use]
    pub fn flat(count: usize) -> Self {
        Self { cells: vec![StageTable::FLAT; count].into() }
    }

    /// Returns the piece of a cell's table that contains a depth.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a deficit needs no more than f32 holds")]
    pub fn piece(&self, cell: usize, depth: i32) -> StagePiece {
        let StageTable { full, span, excess, ref knots } = self.cells[cell];
        let depth = depth as f32;
        let beyond = excess * full;
        let is_covered = depth >= full;
        if excess == 0.0 && (is_covered || span == 0.0) {
            let from = if span == 0.0 { 0.0 } else { full };
            return StagePiece { from, to: f32::INFINITY, deficit: 0.0, rise: 0.0, quantum: 0 };
        }
        // Differences below the precision of f32.
        let blur = |most: f32| (span + most) * (1.0 / 4_194_304.0);
        if is_covered {
            let quantum = whole(3.0 + excess + blur(excess * depth));
            // The quantum grows with the depth, so this piece is for one depth alone: `to` is 0.
            return StagePiece { from: 0.0, to: 0.0, deficit: 0.0, rise: excess, quantum };
        }
        let part = maths::max(depth / full, 0.0);
        let segment = segment_of(depth, part.sqrt().sqrt(), |k| full * PLACES[k]);
        let [from, to] = [segment, segment + 1].map(|k| full * PLACES[k]);
        let of_span = span * (1.0 / WHOLE);
        let [deficit, next] =
            [segment, segment + 1].map(|k| of_span * f32::from(knots[k]) - beyond);
        let per_width = 1.0 / (to - from);
        let rise = (deficit - next) * per_width * FLATTER;
        // Knots are rounded, so the next piece may be steeper.
        let slack = 3.0 * (of_span * per_width) + blur(beyond);
        StagePiece { from, to, deficit, rise, quantum: whole(3.0 + rise + slack) }
    }

    /// Returns the surface over `depth` units of water in a cell of mean bed `bed`.
    #[inline]
    #[must_use]
    pub fn surface(&self, cell: usize, bed: i32, depth: i32) -> CellSurface {
        self.piece(cell, depth).surface(bed, depth)
    }

    /// Returns the stage of a dry cell of mean bed `bed`: its lowest bed.
    #[inline]
    #[must_use]
    pub fn dry(&self, cell: usize, bed: i32) -> i32 {
        let StageTable { full, span, excess, ref knots } = self.cells[cell];
        let deficit = span * (1.0 / WHOLE) * f32::from(knots[0]) - excess * full;
        bed.wrapping_sub(whole(deficit)).min(CEILING)
    }

    /// Returns the largest depth whose stage is at most `stage`, or below the ceiling, vertical
    /// units; 0 if the lowest bed is higher.
    #[must_use]
    pub fn holds(&self, cell: usize, bed: i32, stage: i32) -> i32 {
        let at = |depth: i32| self.surface(cell, bed, depth).stage;
        // Stages are cut at the ceiling, where a stage no longer tells depths apart.
        let (dry, stage) = (self.dry(cell, bed), stage.min(CEILING - 1));
        if dry >= stage {
            return 0;
        }
        let (mut low, mut high) = (0, self.most(cell, stage.saturating_sub(dry)));
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
            let ahead = (stage.saturating_sub(here.stage) as f32 / here.slope) as i32;
            let guess = low.saturating_add(ahead.max(1)).min(high);
            if at(guess) <= stage {
                low = guess;
            } else {
                high = guess - 1;
            }
        }
        while low < high {
            // Rounded up: if `middle` were `low`, the loop would not end.
            let middle = high - (high - low) / 2;
            if at(middle) <= stage {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        low.max(0)
    }

    /// Returns a depth whose stage is at least `rise` over the stage of the dry cell, vertical
    /// units: no more than the part of it inside the world can be wet, and knots are rounded.
    #[expect(clippy::cast_possible_truncation, reason = "saturates")]
    fn most(&self, cell: usize, rise: i32) -> i32 {
        let span = f64::from(self.cells[cell].span);
        let slack = 8.0 + (span + f64::from(rise)) * (2.0 / f64::from(WHOLE));
        let over_cell = (f64::from(rise) + slack) / (1.0 + f64::from(self.cells[cell].excess));
        rise.min(over_cell.ceil() as i32)
    }

    /// Returns the bytes of the tables.
    #[must_use]
    pub fn bytes(&self) -> usize {
        std::mem::size_of_val(&*self.cells)
    }
}

/// Returns the segment that contains `x`, 0 to 14, if knot k is at `knot(k)`; `root` is its place
/// among them, from 0 to 1, if knots were at k / 15, or near it.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates; a guess")]
pub(super) fn segment_of(x: f32, root: f32, knot: impl Fn(usize) -> f32) -> usize {
    let mut segment = ((root * SEGMENTS as f32) as usize).min(SEGMENTS - 1);
    while segment > 0 && x < knot(segment) {
        segment -= 1;
    }
    while segment < SEGMENTS - 1 && x >= knot(segment + 1) {
        segment += 1;
    }
    segment
}

/// Returns `x` cut to a whole number, within the range of an `i32`.
#[inline(always)]
#[must_use]
pub fn whole(x: f32) -> i32 {
    const MOST: f32 = 2_147_483_520.0; // the largest f32 below 2³¹
    let x = maths::max(maths::min(x, MOST), -MOST);
    // SAFETY: within the range, and no NaN: `max` returns its second argument for one.
    unsafe { x.to_int_unchecked::<i32>() }
}
