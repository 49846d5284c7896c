//! Leaves of sub-grid columns that are coarser than the window: the finest cells below them.
//!
//! ```text
//! one cell of the leaf   ▓~~~▓▓~~       beds of the terrain, under the surface that the stages of
//!                        ▓▓~▓▓▓▓~▓      this cell and those around make (`src/probe/below.rs`)
//! ```
//!
//! Cells that are dry and were dry are passed over. Windows between the leaf and the finest cells
//! have means of these.

use crate::probe::Window;
use crate::probe::below::CellsBelow;
use crate::probe::cursor::Cursor;
use crate::probe::surface::SurfaceState;
use crate::probe::surface::area::WindowArea;
use crate::probe::surface::parts::{LaidGround, SurfacePart};
use crate::probe::surface::piece::WrittenPiece;
use crate::probe::surface::planes::Slab;
use crate::probe::surface::write::write_bed;
use std::ops::Range;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::units::OUTSIDE;

/// The cells of the window below one cell of a leaf.
struct WindowBlock {
    area: WindowArea,
    /// Column and row of the area's corner below the cell.
    first: [usize; 2],
}

/// Returns the ranges of a range of fine cells that are in one coarse cell each; `corner` is that
/// of the window. Each has the number of the coarse cell and of its first fine cell in it.
fn split(
    corner: u32,
    shift: u8,
    fine: Range<usize>,
) -> impl Iterator<Item = (u32, usize, Range<usize>)> {
    let corner = corner as usize;
    let first = (corner + fine.start) >> shift;
    let last = (corner + fine.end - 1) >> shift;
    (first..=last).map(move |coarse| {
        let from = (coarse << shift).max(corner + fine.start);
        let to = ((coarse + 1) << shift).min(corner + fine.end);
        let number = u32::try_from(coarse).expect("a place among cells");
        (number, from - (coarse << shift), from - corner..to - corner)
    })
}

impl Slab<'_> {
    /// Writes a leaf of sub-grid columns of a coarser level than the window.
    pub(super) fn write_below(
        &mut self,
        state: &SurfaceState<'_>,
        window: &Window,
        part: &SurfacePart,
        piece: &mut WrittenPiece,
        cursor: &mut Cursor<'_>,
    ) {
        let leaf = part.first();
        let ground = state.query.leaves.ground(leaf);
        let has_new_bed = piece.lay(LaidGround::of(ground));
        let shift = part.key.level - window.level;
        cursor.go_to(leaf);
        let area = piece.area;
        for (y, first_y, rows) in split(window.corner.y, shift, area.y[0]..area.y[1]) {
            for (x, first_x, columns) in split(window.corner.x, shift, area.x[0]..area.x[1]) {
                let place = CellPlace { x, y };
                let cell = place.index_in_tile();
                let x = [columns.start, columns.end];
                let block = WindowBlock {
                    area: WindowArea { x, y: [rows.start, rows.end] },
                    first: [first_x, first_y],
                };
                let is_wet = cursor.stand(leaf, cell).is_some();
                if !is_wet && !has_new_bed && !self.has_water(block.area) {
                    continue;
                }
                if is_wet || self.has_water(block.area) {
                    for y in block.area.y[0]..block.area.y[1] {
                        let span =
                            x.map(|x| u8::try_from(x - area.x[0]).expect("a tile's width at most"));
                        piece.widen(y - area.y[0], span);
                    }
                }
                if window.level > 0 {
                    self.write_means(state, window, cursor, block.area);
                } else if ground.is_inside(cell) {
                    let below = cursor.lay(leaf, cell, place);
                    self.write_block(state, below, &block, has_new_bed);
                } else {
                    self.write_nothing(block.area);
                }
            }
        }
    }

    /// True if some cells are wet.
    fn has_water(&self, area: WindowArea) -> bool {
        (area.y[0]..area.y[1]).any(|y| {
            let row = self.row(y);
            self.depth_m[row + area.x[0]..row + area.x[1]].iter().any(|&depth_m| depth_m > 0.0)
        })
    }

    /// Writes the cells of the finest level below one cell of a leaf.
    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
    fn write_block(
        &mut self,
        state: &SurfaceState<'_>,
        below: &CellsBelow,
        block: &WindowBlock,
        has_new_bed: bool,
    ) {
        let (query, area) = (&state.query, block.area);
        let width = area.x[1] - area.x[0];
        let velocity = below.velocity.map(|velocity| velocity as f32);
        for (row, y) in (block.first[1]..).zip(area.y[0]..area.y[1]) {
            let from = row * below.width() + block.first[0];
            let (bed, depth) = (&below.bed[from..from + width], &below.depth[from..from + width]);
            let to = self.row(y) + area.x[0];
            let cells = to..to + width;
            if has_new_bed {
                write_bed(&mut self.bed_m[cells.clone()], bed, query);
            }
            for ((at, &bed), &depth) in cells.zip(bed).zip(depth) {
                let is_wet = depth >= query.wet && bed != OUTSIDE;
                if !is_wet && self.depth_m[at] <= 0.0 {
                    // Beside water it has the stage of a shore.
                    continue;
                }
                let stage_m = || query.elevation_m(f64::from(bed) + f64::from(depth)) as f32;
                self.depth_m[at] = if is_wet { query.scale.depth_m(depth) as f32 } else { 0.0 };
                self.stage_m[at] = if is_wet { stage_m() } else { f32::NAN };
                for (plane, velocity) in self.velocity.iter_mut().zip(velocity) {
                    plane[at] = if is_wet { velocity } else { 0.0 };
                }
            }
        }
    }

    /// Writes cells between the leaf's level and the finest.
    fn write_means(
        &mut self,
        state: &SurfaceState<'_>,
        window: &Window,
        cursor: &mut Cursor<'_>,
        area: WindowArea,
    ) {
        for y in area.y[0]..area.y[1] {
            for x in area.x[0]..area.x[1] {
                let cell = window.cell(x, y);
                let sum = cursor.cell(window.level, cell.0, cell.1);
                self.write_cell(self.row(y) + x, state, (&sum, sum.depth_mean()), &mut false);
            }
        }
    }

    /// Writes cells that are outside the world.
    fn write_nothing(&mut self, area: WindowArea) {
        for y in area.y[0]..area.y[1] {
            let row = self.row(y) + area.x[0]..self.row(y) + area.x[1];
            self.bed_m[row.clone()].fill(f32::NAN);
            self.depth_m[row.clone()].fill(0.0);
            self.stage_m[row.clone()].fill(f32::NAN);
            self.velocity.iter_mut().for_each(|plane| plane[row.clone()].fill(0.0));
        }
    }
}
