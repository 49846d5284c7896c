//! Leaves that are finer than the window: the means of their cells, so that depths keep the volume.

use crate::probe::Window;
use crate::probe::sum::CellSum;
use crate::probe::surface::SurfaceState;
use crate::probe::surface::parts::SurfacePart;
use crate::probe::surface::piece::WrittenPiece;
use crate::probe::surface::planes::Slab;
use thalweg_engine::grid::cells::column_row;
use thalweg_engine::grid::{TILE_CELLS, TILE_WIDTH};

/// Returns the sums over the leaves' cells of a part in each cell of the window that the part
/// covers: `width`², by row.
fn add_up(
    state: &SurfaceState<'_>,
    window: &Window,
    part: &SurfacePart,
    width: usize,
) -> Vec<CellSum> {
    let query = &state.query;
    let mut sums = vec![CellSum::default(); width * width];
    let unit_m = query.scale.unit_m();
    let at = part.key.corner();
    let down = window.level - part.key.level;
    let first = [at.x >> down, at.y >> down];
    for leaf in part.leaves() {
        let key = query.forest.leaves()[leaf];
        let (corner, shift) = (key.corner(), window.level - key.level);
        let (ground, depth) = (query.leaves.ground(leaf), query.depth(leaf));
        let velocity = &query.velocities(leaf);
        // Leaves in one cell may have several levels.
        let weight = 4.0_f64.powi(i32::from(key.level - query.forest.base()));
        for cell in (0..TILE_CELLS).filter(|&cell| ground.is_inside(cell)) {
            let (column, row) = column_row(cell);
            let x = ((corner.x + column) >> shift) - first[0];
            let y = ((corner.y + row) >> shift) - first[1];
            let sum = &mut sums[y as usize * width + x as usize];
            sum.inside += weight;
            sum.bed += weight * f64::from(ground.bed[cell]);
            if depth[cell] > 0 && query.is_wet(leaf, cell) {
                let depth_units = weight * f64::from(depth[cell]);
                sum.wet += weight;
                sum.depth += depth_units;
                sum.stage += weight * f64::from(ground.stage(cell, depth[cell]));
                for (flow, velocity) in sum.flow.iter_mut().zip(velocity) {
                    *flow += f64::from(velocity[cell]) * depth_units * unit_m;
                }
            }
        }
    }
    sums
}

impl Slab<'_> {
    /// Writes leaves of finer levels than the window.
    pub(super) fn write_finer(
        &mut self,
        state: &SurfaceState<'_>,
        window: &Window,
        part: &SurfacePart,
        piece: &mut WrittenPiece,
    ) {
        let down = window.level - part.key.level;
        let width = (TILE_WIDTH >> down).max(1);
        let sums = add_up(state, window, part, width);
        let first = part.key.corner().indices().map(|v| v >> down);
        let area = piece.area;
        let column = window.corner.indices()[0] + area.x[0] - first[0];
        let from = window.corner.indices()[1] + area.y[0] - first[1];
        for (row, y) in (area.y[0]..area.y[1]).enumerate() {
            let mut has_new_bed = piece.has_new_bed;
            let sums = &sums[(from + row) * width + column..];
            for (i, x) in (0_u8..).zip(area.x[0]..area.x[1]) {
                let sum = &sums[usize::from(i)];
                let cell = (sum, sum.depth_mean());
                if self.write_cell(self.row(y) + x, state, cell, &mut has_new_bed) {
                    piece.widen(row, [i, i + 1]);
                }
            }
            piece.has_new_bed = has_new_bed;
        }
    }
}
