//! Unit vectors upright on the bed and on the water.
//!
//! ```text
//! n = (−∂s/∂x, −∂s/∂y, 1) / |…|      s bed, or stage of wet cells and of the shore beside them
//! ```
//!
//! Central differences between the cells before and behind; one-sided if one has no number.

use crate::probe::Window;
use crate::probe::surface::area::WindowArea;
use crate::probe::surface::piece::WrittenPiece;
use crate::probe::surface::planes::{Normal, Slab, UP};
use crate::probe::surface::shore::REACH;
use std::ops::Range;
use thalweg_engine::grid::TILE_WIDTH;

/// Columns of a row of a piece and of the reach of its water on each side.
const WIDTH: usize = TILE_WIDTH + 2 * REACH;

impl Slab<'_> {
    /// Updates all values that follow from the bed and water of a piece, in it and two cells
    /// around: the stage of the shore, and normals. Returns the parts changed.
    pub(super) fn derive(
        &mut self,
        piece: &WrittenPiece,
        window: &Window,
        width_m: f64,
    ) -> Option<WindowArea> {
        let reached = self.extend(piece, window);
        #[expect(clippy::cast_possible_truncation, reason = "a slope in f32")]
        let per_m = (1.0 / width_m) as f32;
        let bed_area = piece.has_new_bed.then(|| piece.area.with_margin(1, window));
        let area = match (reached, bed_area) {
            (Some(a), Some(b)) => a.union(b),
            (one, other) => one.or(other)?,
        };
        let mut normals = [UP; WIDTH];
        for y in area.y[0]..area.y[1] {
            if let Some(area) = bed_area.filter(|area| (area.y[0]..area.y[1]).contains(&y)) {
                let (x, from) = (area.x[0]..area.x[1], self.row(y));
                let normals = &mut normals[..x.len()];
                let row = y - self.rows().start;
                upright(self.bed_m, [self.width, row], &x, per_m, normals);
                self.bed_normal[from + x.start..from + x.end].copy_from_slice(normals);
            }
            // A new bed is visible wherever it is dry.
            let reach = piece.reach(y, window);
            let whole = bed_area.map(|area| area.x[0]..area.x[1]);
            let x = match (reach, whole) {
                (Some(a), Some(b)) => a.start.min(b.start)..a.end.max(b.end),
                (one, other) => match one.or(other) {
                    Some(x) => x,
                    None => continue,
                },
            };
            let normals = &mut normals[..x.len()];
            let cells = self.row(y) + x.start..self.row(y) + x.end;
            let depth_m = &self.depth_m[cells.clone()];
            if depth_m.iter().any(|&depth_m| depth_m > 0.0) {
                let row = y - self.rows().start;
                upright(self.stage_m, [self.width, row], &x, per_m, normals);
                let bed = &self.bed_normal[cells.clone()];
                for ((normal, bed), depth_m) in normals.iter_mut().zip(bed).zip(depth_m) {
                    if *depth_m <= 0.0 {
                        *normal = *bed;
                    }
                }
                self.normal[cells].copy_from_slice(normals);
            } else {
                self.normal[cells.clone()].copy_from_slice(&self.bed_normal[cells]);
            }
        }
        Some(area)
    }
}

/// Writes normals of a surface in some columns of row `y` of a plane of some width.
fn upright(
    plane: &[f32],
    [width, y]: [usize; 2],
    x: &Range<usize>,
    per_m: f32,
    normals: &mut [Normal],
) {
    const NOTHING: [f32; WIDTH] = [f32::NAN; WIDTH];
    let row = |y: usize| &plane[y * width + x.start..y * width + x.end];
    let south = if y > 0 { row(y - 1) } else { &NOTHING[..x.len()] };
    let is_last = (y + 1) * width >= plane.len();
    let north = if is_last { &NOTHING[..x.len()] } else { row(y + 1) };
    let mut here = [f32::NAN; WIDTH + 2];
    let from = x.start.saturating_sub(1);
    let to = (x.end + 1).min(width);
    let skip = 1 + from - x.start;
    here[skip..skip + to - from].copy_from_slice(&plane[y * width + from..y * width + to]);
    normal_row(&here, [south, north], per_m, normals);
}

/// Writes normals of one row; `here` begins one cell before it.
fn normal_row(
    here: &[f32; WIDTH + 2],
    [south, north]: [&[f32]; 2],
    per_m: f32,
    normals: &mut [Normal],
) {
    /// The sum with a small number has that number, rounded, in its last bits.
    const ROUND: f32 = 12_582_912.0; // 1.5 · 2²³: from 2²³ to 2²⁴ the last bit is worth 1
    let count = normals.len();
    let (south, north) = (&south[..count], &north[..count]);
    let (west, middle, east) = (&here[..count], &here[1..=count], &here[2..count + 2]);
    let mut packed = [0; WIDTH];
    let packed = &mut packed[..count];
    for i in 0..count {
        let x = slope(west[i], middle[i], east[i]) * per_m;
        let y = slope(south[i], middle[i], north[i]) * per_m;
        let up = 127.0 / (x * x + y * y + 1.0).sqrt();
        let east = (ROUND - x * up).to_bits() & 0xff;
        let north = (ROUND - y * up).to_bits() & 0xff;
        packed[i] = east | north << 8 | ((ROUND + up).to_bits() & 0xff) << 16;
    }
    for (normal, packed) in normals.iter_mut().zip(&*packed) {
        let [x, y, z, w]: [u8; 4] = packed.to_le_bytes();
        *normal = [x.cast_signed(), y.cast_signed(), z.cast_signed(), w.cast_signed()];
    }
}

/// Returns the rise from cell to cell, between those of the three with a number; 0 if fewer than
/// two have one.
#[inline(always)]
fn slope(before: f32, here: f32, behind: f32) -> f32 {
    let is_one_sided = before.is_nan() | behind.is_nan();
    let before = if before.is_nan() { here } else { before };
    let behind = if behind.is_nan() { here } else { behind };
    let rise = (behind - before) * if is_one_sided { 1.0 } else { 0.5 };
    if rise.is_nan() { 0.0 } else { rise }
}
