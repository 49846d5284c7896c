//! The stage of dry cells beside water, so that stage − bed is a depth with a sign.
//!
//! ```text
//! stage of a dry cell = mean of the wet cells of the 3 × 3 around it, or where there are none
//!                       of the 5 × 5; NaN where those are dry too
//! ```
//!
//! Guarantees: only wet cells are read and only dry ones written, so the order does not matter.
//! Source:     own.

use crate::probe::Window;
use crate::probe::surface::area::WindowArea;
use crate::probe::surface::piece::WrittenPiece;
use crate::probe::surface::planes::Slab;
use std::ops::Range;

/// Distance that a stage reaches from water, cells.
pub(super) const REACH: usize = 2;

impl WrittenPiece {
    /// Returns the columns of the window in row `y` that may change because of water: columns of a
    /// span within two rows, and two more on each side.
    pub(super) fn reach(&self, y: usize, window: &Window) -> Option<Range<usize>> {
        let [south, north] = self.area.y;
        let rows = y.saturating_sub(REACH).max(south)..(y + REACH + 1).min(north);
        let spans = rows.map(|row| self.span(row - south)).filter(|span| !span.is_empty());
        let span = spans.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end))?;
        let west = (self.area.x[0] + span.start).saturating_sub(REACH);
        Some(west..(self.area.x[0] + span.end + REACH).min(window.width))
    }
}

impl Slab<'_> {
    /// Gives the dry cells of a piece and two around it their stage; returns the area changed.
    pub(super) fn extend(&mut self, piece: &WrittenPiece, window: &Window) -> Option<WindowArea> {
        let mut reached: Option<WindowArea> = None;
        let rows = piece.area.with_margin(REACH, window).y;
        for y in rows[0]..rows[1] {
            let Some(x) = piece.reach(y, window) else { continue };
            let area = WindowArea { x: [x.start, x.end], y: [y, y + 1] };
            reached = Some(reached.map_or(area, |reached| reached.union(area)));
            for x in x {
                let at = self.row(y) + x;
                if self.depth_m[at] <= 0.0 {
                    let near = self.stage_around([x, y], 1);
                    let stage_m = near.or_else(|| self.stage_around([x, y], REACH));
                    let stage_m = stage_m.filter(|_| !self.bed_m[at].is_nan());
                    self.stage_m[at] = stage_m.unwrap_or(f32::NAN);
                }
            }
        }
        reached
    }

    /// Returns the mean stage of the wet cells at most `cells` away, in sums that f64 does not
    /// round.
    fn stage_around(&self, [x, y]: [usize; 2], cells: usize) -> Option<f32> {
        let rows = self.rows();
        let (from, to) = (x.saturating_sub(cells), (x + cells + 1).min(self.width));
        let (mut wet, mut sum) = (0_u8, 0.0);
        for y in y.saturating_sub(cells).max(rows.start)..(y + cells + 1).min(rows.end) {
            let row = self.row(y) + from..self.row(y) + to;
            for (depth_m, stage_m) in self.depth_m[row.clone()].iter().zip(&self.stage_m[row]) {
                if *depth_m > 0.0 {
                    wet += 1;
                    sum += f64::from(*stage_m);
                }
            }
        }
        #[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
        (wet > 0).then(|| (sum / f64::from(wet)) as f32)
    }
}
