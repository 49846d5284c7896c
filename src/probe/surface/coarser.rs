//! Leaves that are coarser than the window: interpolated between the centres of their cells.

use crate::probe::Window;
use crate::probe::cursor::{Cursor, DischargeNeed};
use crate::probe::sum::CellSum;
use crate::probe::surface::SurfaceState;
use crate::probe::surface::parts::SurfacePart;
use crate::probe::surface::piece::WrittenPiece;
use crate::probe::surface::planes::Slab;

/// Returns the cells of a coarse level between which the centre of a fine one is, `shift` levels
/// below: the first, and the distance to the second.
fn between(fine: i64, shift: u8) -> (i64, f64) {
    // In halves of a fine cell, so that all centres are whole numbers.
    let (cells, twice) = (1_i64 << shift, 2 * fine + 1);
    let at = twice - cells;
    #[expect(clippy::cast_precision_loss, reason = "below 2²¹")]
    let part = at.rem_euclid(2 * cells) as f64 / (2 * cells) as f64;
    (at.div_euclid(2 * cells), part)
}

impl Slab<'_> {
    /// Writes a leaf of a coarser level than the window.
    pub(super) fn write_coarser(
        &mut self,
        state: &SurfaceState<'_>,
        window: &Window,
        part: &SurfacePart,
        piece: &mut WrittenPiece,
    ) {
        let (area, shift) = (piece.area, part.key.level - window.level);
        let cell = |x: usize, y: usize| window.cell(x, y);
        let west = between(cell(area.x[0], 0).0, shift).0;
        let east = between(cell(area.x[1] - 1, 0).0, shift).0 + 1;
        // Without the finest beds: leaves with sub-grid columns are interpolated like others.
        let query = state.query.on(None);
        let mut cursor = Cursor::new(query, part.first(), DischargeNeed::Wanted);
        let mut coarse_row = |y: i64| -> Vec<CellSum> {
            (west..=east).map(|x| cursor.cell(part.key.level, x, y)).collect()
        };
        let mut south = between(cell(0, area.y[0]).1, shift).0;
        let mut rows = [coarse_row(south), coarse_row(south + 1)];
        let mut blend = rows[0].clone();
        for (row, y) in (area.y[0]..area.y[1]).enumerate() {
            let (from, along) = between(cell(0, y).1, shift);
            // One row on is enough: a coarse row is two fine ones high or more.
            if from > south {
                rows.swap(0, 1);
                rows[1] = coarse_row(from + 1);
                south = from;
            }
            for (blend, (a, b)) in blend.iter_mut().zip(rows[0].iter().zip(&rows[1])) {
                *blend = CellSum::default();
                blend.add(1.0 - along, a);
                blend.add(along, b);
            }
            let mut has_new_bed = piece.has_new_bed;
            for (i, x) in (0_u8..).zip(area.x[0]..area.x[1]) {
                let (at, along) = between(cell(x, 0).0, shift);
                let at = usize::try_from(at - west).expect("from the west on");
                let mut sum = CellSum::default();
                sum.add(1.0 - along, &blend[at]);
                sum.add(along, &blend[at + 1]);
                let cell = (&sum, sum.depth_at());
                if self.write_cell(self.row(y) + x, state, cell, &mut has_new_bed) {
                    piece.widen(row, [i, i + 1]);
                }
            }
            piece.has_new_bed = has_new_bed;
        }
    }
}
