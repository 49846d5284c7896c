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
use crate::probe::surface::area::Area;
use crate::probe::surface::planes::Planes;
use crate::probe::surface::write::Piece;
use std::ops::Range;

/// How far a stage reaches from water, cells.
pub(super) const REACH: usize = 2;

/// Columns of a row of a piece with twice the reach on each side.
const WIDTH: usize = crate::grid::TILE_WIDTH + 4 * REACH;

/// Counts and sums of stages over columns of cells.
struct Columns {
    three: [[f64; WIDTH]; 2],
    five: [[f64; WIDTH]; 2],
}

impl Piece {
    /// The columns of the window in row `y` that may be other than before because of water: those
    /// of a span within two rows, and two more on each side.
    pub(super) fn reach(&self, y: usize, window: &Window) -> Option<Range<usize>> {
        let [south, north] = self.area.y;
        let rows = y.saturating_sub(REACH).max(south)..(y + REACH + 1).min(north);
        let spans = rows.map(|row| self.span(row - south)).filter(|span| !span.is_empty());
        let span = spans.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end))?;
        let west = (self.area.x[0] + span.start).saturating_sub(REACH);
        Some(west..(self.area.x[0] + span.end + REACH).min(window.width))
    }
}

impl Planes {
    /// Gives the dry cells of a piece and two around it their stage; tells where that was.
    pub(super) fn extend(&mut self, piece: &Piece, window: &Window) -> Option<Area> {
        let mut reached: Option<Area> = None;
        let rows = piece.area.with_margin(REACH, window).y;
        for y in rows[0]..rows[1] {
            let Some(x) = piece.reach(y, window) else { continue };
            let area = Area { x: [x.start, x.end], y: [y, y + 1] };
            reached = Some(reached.map_or(area, |reached| reached.union(area)));
            let row = y * self.width;
            let is_dry = |&depth_m: &f32| depth_m <= 0.0;
            if self.depth_m[row + x.start..row + x.end].iter().any(is_dry) {
                self.extend_row(y, x, window.height);
            }
        }
        reached
    }

    fn extend_row(&mut self, y: usize, x: Range<usize>, height: usize) {
        let count = x.len();
        let columns = self.columns_around(y, &x, height);
        let row = y * self.width + x.start;
        let depth_m = &self.depth_m[row..row + count];
        let bed_m = &self.bed_m[row..row + count];
        let stage_m = &mut self.stage_m[row..row + count];
        for i in 0..count {
            let sum = |plane: &[f64; WIDTH], reach: usize| -> f64 {
                plane[i + REACH - reach..=i + REACH + reach].iter().sum()
            };
            let near = columns.three.each_ref().map(|plane| sum(plane, 1));
            let far = columns.five.each_ref().map(|plane| sum(plane, 2));
            let [wet, stage] = if near[0] > 0.0 { near } else { far };
            #[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
            let mean = (stage / wet) as f32;
            // 0/0 is no number, as wanted.
            let mean = if bed_m[i].is_nan() { f32::NAN } else { mean };
            stage_m[i] = if depth_m[i] > 0.0 { stage_m[i] } else { mean };
        }
    }

    /// Sums over three and five rows around row `y`, from two columns before `x` on.
    fn columns_around(&self, y: usize, x: &Range<usize>, height: usize) -> Columns {
        let mut columns = Columns { three: [[0.0; WIDTH]; 2], five: [[0.0; WIDTH]; 2] };
        // Beyond the window there is nothing.
        let from = x.start.saturating_sub(REACH);
        let to = (x.end + REACH).min(self.width);
        let skip = from + REACH - x.start;
        for row in y.saturating_sub(REACH)..(y + REACH + 1).min(height) {
            let cells = row * self.width + from..row * self.width + to;
            let (depth_m, stage_m) = (&self.depth_m[cells.clone()], &self.stage_m[cells]);
            add_row(&mut columns.five, skip, depth_m, stage_m);
            if row.abs_diff(y) < REACH {
                add_row(&mut columns.three, skip, depth_m, stage_m);
            }
        }
        columns
    }
}

fn add_row([wet, stage]: &mut [[f64; WIDTH]; 2], skip: usize, depth_m: &[f32], stage_m: &[f32]) {
    let count = depth_m.len();
    let (wet, stage) = (&mut wet[skip..skip + count], &mut stage[skip..skip + count]);
    let stage_m = &stage_m[..count];
    for i in 0..count {
        let is_wet = depth_m[i] > 0.0;
        wet[i] += if is_wet { 1.0 } else { 0.0 };
        stage[i] += if is_wet { f64::from(stage_m[i]) } else { 0.0 };
    }
}
