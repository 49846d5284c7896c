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

/// Cells that are looked up together, or not at all.
pub(super) const CHUNK: usize = 16;
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
    /// `f` at both ends of each segment, 65,535 for 1: the first in the lower half.
    ends: Box<[[u32; SEGMENTS + 1]]>,
    /// The same of the first segment alone.
    from: Box<[u32]>,
}

impl Stages {
    /// Tables of `count` flat cells.
    #[must_use]
    pub fn flat(count: usize) -> Self {
        Self {
            full: vec![1.0; count].into(),
            span: vec![0.0; count].into(),
            excess: vec![0.0; count].into(),
            ends: vec![[0; SEGMENTS + 1]; count].into(),
            from: vec![0; count].into(),
        }
    }

    /// Gives a cell the values of `f` at its knots.
    pub fn set_knots(&mut self, cell: usize, knots: [u16; SEGMENTS + 1]) {
        for (ends, pair) in self.ends[cell].iter_mut().zip(knots.windows(2)) {
            *ends = u32::from(pair[0]) | u32::from(pair[1]) << 16;
        }
        self.from[cell] = self.ends[cell][0];
    }

    /// The surface over `depth` units of water in a cell of mean bed `bed`.
    #[inline]
    #[must_use]
    pub fn surface(&self, cell: usize, bed: i32, depth: i32) -> Surface {
        let (mut stage, mut slope, mut quantum) = ([0], [0.0], [0]);
        self.surfaces(cell, (&[bed], &[depth]), (&mut stage, &mut slope, &mut quantum));
        Surface { stage: stage[0], slope: slope[0], quantum: quantum[0] }
    }

    /// The surfaces of `N` cells from `first` on, as [`Surface`]: from beds and depths, stages,
    /// slopes and quanta.
    #[inline(always)]
    pub fn surfaces<const N: usize>(
        &self,
        first: usize,
        (bed, depth): (&[i32; N], &[i32; N]),
        (stage, slope, quantum): (&mut [i32; N], &mut [f32; N], &mut [i32; N]),
    ) {
        if !N.is_multiple_of(CHUNK) {
            self.chunk::<N>(first, (bed, depth), (stage, slope, quantum));
            return;
        }
        let (beds, depths) = (bed.as_chunks::<CHUNK>().0, depth.as_chunks::<CHUNK>().0);
        let stages = stage.as_chunks_mut::<CHUNK>().0;
        let slopes = slope.as_chunks_mut::<CHUNK>().0;
        let quanta = quantum.as_chunks_mut::<CHUNK>().0;
        for i in 0..N / CHUNK {
            let out = (&mut stages[i], &mut slopes[i], &mut quanta[i]);
            self.chunk::<CHUNK>(first + CHUNK * i, (&beds[i], &depths[i]), out);
        }
    }

    /// The same of so few cells that often none of them needs its table: dry and covered ones do
    /// not.
    #[inline(always)]
    #[expect(clippy::cast_precision_loss, reason = "a deficit needs no more than f32 holds")]
    fn chunk<const N: usize>(
        &self,
        first: usize,
        (bed, depth): (&[i32; N], &[i32; N]),
        (stage, slope, quantum): (&mut [i32; N], &mut [f32; N], &mut [i32; N]),
    ) {
        let full: &[f32; N] = self.full[first..].first_chunk().expect("within the tile");
        let span: &[f32; N] = self.span[first..].first_chunk().expect("within the tile");
        let excess: &[f32; N] = self.excess[first..].first_chunk().expect("within the tile");
        let from: &[u32; N] = self.from[first..].first_chunk().expect("within the tile");
        let mut is_any_part = 0;
        for i in 0..N {
            let is_part = depth[i] > 0 && (depth[i] as f32) < full[i];
            is_any_part |= u32::from(is_part);
        }
        // f at the ends of the segment and at the depth, and the width of the segment.
        let (mut here, mut next) = ([0.0; N], [0.0; N]);
        for i in 0..N {
            (here[i], next[i]) = halves(from[i]);
        }
        let (mut inner, mut width) = (here, [fourth(1.0); N]);
        if is_any_part != 0 {
            let ends = self.ends[first..first + N].as_flattened();
            for i in 0..N {
                let part = maths::max(maths::min(depth[i] as f32 / full[i], 1.0), 0.0);
                let place = Place::of(part, part.sqrt().sqrt(), fourth);
                // SAFETY: a segment is one of 0 to 14, and each of the N cells has 16 numbers.
                let ends = unsafe { *ends.get_unchecked((SEGMENTS + 1) * i + place.segment) };
                (here[i], next[i]) = halves(ends);
                inner[i] = here[i] + (next[i] - here[i]) * place.along;
                width[i] = place.width;
            }
        }
        for i in 0..N {
            let (full, excess, h) = (full[i], excess[i], depth[i] as f32);
            let is_covered = h >= full;
            let of_span = span[i] * (1.0 / WHOLE);
            let beyond = excess * maths::max(h, full);
            let deficit = if is_covered { -beyond } else { of_span * inner[i] - beyond };
            let per_width = of_span / (width[i] * full);
            let rise = if is_covered { excess } else { (here[i] - next[i]) * per_width };
            // Knots are rounded, so the next segment may be steeper; and what an f32 cannot tell
            // apart.
            let slack = 3.0 * per_width + (span[i] + beyond) * (1.0 / 4_194_304.0);
            let is_exact = excess == 0.0 && (is_covered || span[i] == 0.0);
            slope[i] = 1.0 + rise;
            quantum[i] = whole(if is_exact { 0.0 } else { 3.0 + rise + slack });
            // Wraps and comes back where a cell holds beds from one end of the range to the other.
            let level = bed[i].wrapping_add(depth[i]).wrapping_sub(whole(deficit));
            stage[i] = level.min(CEILING);
        }
    }

    /// The most depth whose stage is at most `stage`, or below the ceiling, vertical units; 0 where
    /// the lowest bed is higher.
    #[must_use]
    pub fn holds(&self, cell: usize, bed: i32, stage: i32) -> i32 {
        let at = |depth: i32| self.surface(cell, bed, depth).stage;
        let (dry, stage) = (at(0), stage.min(CEILING - 1));
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
            let middle = high - (high - low) / 2;
            if at(middle) <= stage {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        low.max(0)
    }

    /// A depth whose stage is at least `rise` over that of the dry cell, vertical units: no more
    /// than the part of it that lies inside the world can be wet, and knots are rounded.
    #[expect(clippy::cast_possible_truncation, reason = "saturates")]
    fn most(&self, cell: usize, rise: i32) -> i32 {
        let span = f64::from(self.span[cell]);
        let slack = 8.0 + (span + f64::from(rise)) * (2.0 / f64::from(WHOLE));
        let over_cell = (f64::from(rise) + slack) / (1.0 + f64::from(self.excess[cell]));
        rise.min(over_cell.ceil() as i32)
    }

    /// Bytes of the tables.
    #[must_use]
    pub fn bytes(&self) -> usize {
        16 * self.full.len() + std::mem::size_of_val(&*self.ends)
    }
}

/// Place of knot `k`, of 15.
#[inline(always)]
pub(super) const fn fourth(k: f32) -> f32 {
    let part = k * (1.0 / SEGMENTS as f32);
    (part * part) * (part * part)
}

/// Where a part of a range lies among its knots.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// Its segment, 0 to 14.
    pub segment: usize,
    /// How far along that, 0 to 1.
    pub along: f32,
    /// Width of the segment.
    pub width: f32,
}

impl Place {
    /// That of part `x`, whose place among knots at even distances would be `root`, 0 to 1; `knot`
    /// gives where the k-th stands.
    #[inline(always)]
    #[expect(clippy::cast_sign_loss, reason = "from 0 to 14")]
    pub fn of(x: f32, root: f32, knot: impl Fn(f32) -> f32) -> Self {
        const LAST: f32 = (SEGMENTS - 1) as f32;
        let scaled = maths::max(maths::min(root * SEGMENTS as f32, LAST), 0.0);
        // SAFETY: between 0 and 14, and no NaN: `max` returns its second argument for one.
        let segment = unsafe { scaled.to_int_unchecked::<i32>() };
        let from = knot(segment as f32);
        let width = knot((segment + 1) as f32) - from;
        let along = maths::max(0.0, maths::min((x - from) / width, 1.0));
        Self { segment: segment as usize, along, width }
    }
}

/// The lower and the upper half of a word as numbers.
#[inline(always)]
#[expect(clippy::cast_precision_loss, reason = "16 bits")]
pub(super) fn halves(word: u32) -> (f32, f32) {
    ((word & 0xffff).cast_signed() as f32, (word >> 16).cast_signed() as f32)
}

/// `x` cut to a whole number, within the range of an `i32`.
#[inline(always)]
pub(super) fn whole(x: f32) -> i32 {
    const MOST: f32 = 2_147_483_520.0;
    let x = maths::max(maths::min(x, MOST), -MOST);
    // SAFETY: within the range, and no NaN: `max` returns its second argument for one.
    unsafe { x.to_int_unchecked::<i32>() }
}
