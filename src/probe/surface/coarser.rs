//! Leaves that are coarser than the window: interpolated between the centres of their cells.

use crate::grid::TileKey;
use crate::probe::Window;
use crate::probe::cursor::Cursor;
use crate::probe::cursor::Flows;
use crate::probe::cursor::cell_place;
use crate::probe::sum::Sum;
use crate::probe::surface::State;
use crate::probe::surface::parts::Part;
use crate::probe::surface::planes::Planes;
use crate::probe::surface::write::Piece;

/// Cells of a coarse level, row by row.
struct Coarse<'a, 'b> {
    cursor: Cursor<'a>,
    state: &'b State<'a>,
    part: &'b Part,
    columns: std::ops::Range<i64>,
}

impl Coarse<'_, '_> {
    /// One row of cells, with what flows in them as flood maps have it.
    fn row(&mut self, y: i64) -> Vec<Sum> {
        let (unit_m, columns) = (self.state.query.scale.unit_m(), self.columns.clone());
        let cell = |x: i64| {
            let mut sum = self.cursor.cell(self.part.key.level, x, y);
            if sum.wet > 0.0 {
                let velocity = self.velocity(self.part.key.level, x, y);
                sum.flow = velocity.map(|velocity| velocity * sum.depth * unit_m);
            }
            sum
        };
        columns.map(cell).collect()
    }

    /// Velocity of a cell, m/s: of finer leaves the mean, of a coarser one its cell's.
    fn velocity(&self, level: u8, x: i64, y: i64) -> [f64; 2] {
        let Some(place) = cell_place(x, y) else { return [0.0; 2] };
        let key = TileKey::of_cell(level, place);
        let own = self.part.leaves.start;
        let leaf =
            if key == self.part.key { Some(own) } else { self.state.query.forest.covering(key) };
        if let Some(leaf) = leaf {
            let shift = self.state.query.forest.leaves()[leaf].level - level;
            let place = cell_place(x >> shift, y >> shift);
            let cell = place.map_or(0, |place| place.index_in_tile());
            return self.state.maps[leaf].velocity.each_ref().map(|plane| f64::from(plane[cell]));
        }
        let Some(finer) = level.checked_sub(1) else { return [0.0; 2] };
        let mut mean = [0.0; 2];
        for (i, j) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            let velocity = self.velocity(finer, 2 * x + i, 2 * y + j);
            mean.iter_mut().zip(velocity).for_each(|(mean, velocity)| *mean += 0.25 * velocity);
        }
        mean
    }
}

/// Between which cells of a coarse level the centre of a fine one lies, `shift` levels below: the
/// first, and how far it is to the second.
fn between(fine: i64, shift: u8) -> (i64, f64) {
    let (cells, twice) = (1_i64 << shift, 2 * fine + 1);
    let at = twice - cells;
    #[expect(clippy::cast_precision_loss, reason = "below 2²¹")]
    let part = at.rem_euclid(2 * cells) as f64 / (2 * cells) as f64;
    (at.div_euclid(2 * cells), part)
}

impl Planes {
    /// A leaf of a coarser level than the window.
    pub(super) fn write_coarser(
        &mut self,
        state: &State<'_>,
        window: &Window,
        part: &Part,
        piece: &mut Piece,
    ) {
        let (area, shift) = (piece.area, part.key.level - window.level);
        let cell = |x: usize, y: usize| window.cell(x, y);
        let west = between(cell(area.x[0], 0).0, shift).0;
        let east = between(cell(area.x[1] - 1, 0).0, shift).0 + 1;
        let cursor = Cursor::new(state.query, part.leaves.start, Flows::Unwanted);
        let mut coarse = Coarse { cursor, state, part, columns: west..east + 1 };
        let mut south = between(cell(0, area.y[0]).1, shift).0;
        let mut rows = [coarse.row(south), coarse.row(south + 1)];
        let mut blend = rows[0].clone();
        for (row, y) in (area.y[0]..area.y[1]).enumerate() {
            let (from, along) = between(cell(0, y).1, shift);
            if from > south {
                rows.swap(0, 1);
                rows[1] = coarse.row(from + 1);
                south = from;
            }
            for (blend, (a, b)) in blend.iter_mut().zip(rows[0].iter().zip(&rows[1])) {
                *blend = Sum::default();
                blend.add(1.0 - along, a);
                blend.add(along, b);
            }
            let mut has_new_bed = piece.has_new_bed;
            for (i, x) in (area.x[0]..area.x[1]).enumerate() {
                let (at, along) = between(cell(x, 0).0, shift);
                let at = usize::try_from(at - west).expect("from the west on");
                let mut sum = Sum::default();
                sum.add(1.0 - along, &blend[at]);
                sum.add(along, &blend[at + 1]);
                let cell = (&sum, sum.depth_at());
                if self.write_cell(y * self.width + x, state, cell, &mut has_new_bed) {
                    piece.widen(row, [i, i + 1]);
                }
            }
            piece.has_new_bed = has_new_bed;
        }
    }
}
