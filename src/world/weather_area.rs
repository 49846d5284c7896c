//! Areas of weather: cells of the simulated level, row by row, and which of them a leaf has.
//!
//! ```text
//! row 8   ····▒▒▒▒▒▒····▒▒▒▒··      a span is a run of cells of one row
//! row 7   ···▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒··
//! ```
//!
//! Guarantees: the memory and the time that areas may need are bounded before they are made.
//! Limits:     a coarse cell belongs to an area if the base cell in its middle does, or the nearest
//!             one with ground. All areas of a world together have 4,096 corners at most, and their
//!             sides cross four million rows at most; their memory, 48 MiB at most, is not in the
//!             budget of a streamed world.

use crate::world::WorldError;
use crate::world::setup::check_count;
use std::sync::Arc;
use thalweg_engine::forest::Forest;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::grid::{LeafId, TILE_CELLS, TILE_WIDTH, TileKey};
use thalweg_engine::sim::forcing::CellClasses;
use thalweg_engine::terrain::{EditError, Shape, Span};
use thalweg_engine::tile::Ground;

/// Corners of all areas of a world at most.
const CORNERS_MOST: usize = 4096;

/// Rows of cells that the sides of all areas of a world cross at most.
const CROSSINGS_MOST: usize = 1 << 22;

/// Bytes of a row that a side crosses while an area is made, and of half a span after that.
pub(super) const CROSSING_BYTES: u64 = 40;

/// Bytes of the cells that a leaf has of an area.
pub(super) const LEAF_BYTES: u64 = 8 * TILE_WIDTH as u64 + 16;

/// Cells of the simulated level in an area.
#[derive(Debug)]
pub(super) struct WeatherArea {
    /// Runs of cells, by row and column; the runs of a row do not touch.
    spans: Vec<Span>,
}

/// Returns how many of `rows` rows of `width_m` the sides of an area cross.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
#[expect(clippy::cast_precision_loss, reason = "2²⁰ rows at most")]
pub(super) fn crossings(area: &Shape, rows: usize, width_m: f64) -> usize {
    let between = |a: f64, b: f64| {
        let row = |at: f64| (at / width_m).clamp(0.0, rows as f64);
        ((row(b) - row(a)).abs()).ceil() as usize + 1
    };
    match area {
        Shape::Disc { centre_m: [_, y], radius_m, .. } => 2 * between(y - radius_m, y + radius_m),
        Shape::Rectangle { low_m, high_m } => 2 * between(low_m[1], high_m[1]),
        Shape::Polygon { corners_m } => {
            let next = corners_m.iter().cycle().skip(1);
            corners_m
                .iter()
                .zip(next)
                .map(|(a, b)| between(a[1], b[1]))
                .fold(0, usize::saturating_add)
        }
    }
}

/// Refuses areas that would take too much, all of a world together.
///
/// # Errors
///
/// [`WorldError::Names`].
pub(super) fn check_areas<'a>(
    areas: impl Iterator<Item = &'a Shape> + Clone,
    (rows, width_m): (usize, f64),
) -> Result<(), WorldError> {
    let corners = |area: &Shape| match area {
        Shape::Polygon { corners_m } => corners_m.len(),
        _ => 0,
    };
    let count = areas.clone().map(corners).sum();
    check_count("corners of areas of weather", count, CORNERS_MOST)?;
    let count = areas.map(|area| crossings(area, rows, width_m)).fold(0, usize::saturating_add);
    check_count("rows of cells that sides of areas of weather cross", count, CROSSINGS_MOST)
}

impl WeatherArea {
    /// Makes the cells of an area on a map of `size` columns and rows. A disc with a soft margin
    /// has the cells that get half of it or more.
    ///
    /// # Errors
    ///
    /// [`EditError`] if the area is invalid or contains no cell.
    pub fn new(area: &Shape, size: (usize, usize), cell_width_m: f64) -> Result<Self, EditError> {
        Ok(Self { spans: area.hard()?.cells(size, cell_width_m)? })
    }

    /// Returns the bytes of the cells; the same number on every machine.
    pub fn bytes(&self) -> usize {
        24 * self.spans.len()
    }

    /// Returns the runs from a row on.
    fn runs_from(&self, row: usize) -> &[Span] {
        &self.spans[self.spans.partition_point(|span| span.row < row)..]
    }

    /// Whether the area contains a cell.
    fn holds(&self, place: CellPlace) -> bool {
        let [x, y] = place.indices();
        let mut row = self.runs_from(y).iter().take_while(|span| span.row == y);
        row.any(|span| span.columns.contains(&x))
    }

    /// Returns the leaves of a forest that may have a cell of the area, ascending.
    pub fn leaves(&self, forest: &Forest) -> Vec<LeafId> {
        let tiles =
            |span: &Span| span.columns.start / TILE_WIDTH..(span.columns.end - 1) / TILE_WIDTH + 1;
        let narrow = |i: usize| u32::try_from(i).expect("2²⁰ cells a side at most");
        let mut last = (usize::MAX, 0..0);
        let (mut leaves, most) = (Vec::new(), forest.leaves().len());
        for span in &self.spans {
            let row = (span.row / TILE_WIDTH, tiles(span));
            if row == last {
                continue;
            }
            // A coarse leaf is found once for each base tile in it. If there are many more tiles
            // than leaves, returning all leaves is cheaper.
            if leaves.len() + row.1.len() > 16 * most {
                return forest.ids().collect();
            }
            let tile = |x| TileKey { level: forest.base(), x: narrow(x), y: narrow(row.0) };
            let mut near = None;
            let under = |x| forest.covering_near(&mut near, tile(x));
            leaves.extend(row.1.clone().filter_map(under));
            last = row;
        }
        leaves.sort_unstable();
        leaves.dedup();
        leaves
    }

    /// Returns the area's cells of a leaf in a world of that base level: class 1, and 0 elsewhere;
    /// `None` if it has no cell there. `ground` is that of a leaf whose cells may be partly outside
    /// the world, and `near` the base cell that represents such a cell.
    pub fn classes(
        &self,
        base: u8,
        (key, ground): (TileKey, Option<&Ground>),
        near: impl Fn(usize) -> CellPlace,
    ) -> Option<CellClasses> {
        let shift = key.level - base;
        let half = (1_usize << shift) >> 1;
        let [west, south] = key.corner().indices();
        // The first coarse column whose middle is at this base column, or east of it.
        let first = |x: usize| {
            let column = (x + (1 << shift) - 1).saturating_sub(half) >> shift;
            column.saturating_sub(west).min(TILE_WIDTH)
        };
        let mut rows = [0_u64; TILE_WIDTH];
        let spans = self.runs_from(south << shift);
        // Most leaves are wholly inside: a run of each row extends past them.
        let goes_past = |(i, span): (usize, &Span)| {
            let (first, last) = (span.columns.start, span.columns.end);
            span.row == south + i && first <= west && last >= west + TILE_WIDTH
        };
        if shift == 0 && spans.len() >= TILE_WIDTH && ground.is_none() {
            let mut near = spans[..TILE_WIDTH].iter().enumerate();
            if near.all(goes_past) {
                return Some(CellClasses::One(1));
            }
        }
        let mut spans = spans.iter().peekable();
        for (own, y) in rows.iter_mut().zip(south..) {
            let middle = (y << shift) + half;
            while let Some(Span { row, columns }) = spans.next_if(|span| span.row <= middle) {
                if *row == middle {
                    *own |= below(first(columns.end)) & !below(first(columns.start));
                }
            }
        }
        if let Some(parts) = ground.and_then(Ground::parts) {
            for cell in (0..TILE_CELLS).filter(|&cell| parts.is_part(cell)) {
                let bit = 1 << (cell % TILE_WIDTH);
                match self.holds(near(cell)) {
                    true => rows[cell / TILE_WIDTH] |= bit,
                    false => rows[cell / TILE_WIDTH] &= !bit,
                }
            }
        }
        let classes = || match rows.iter().all(|&row| row == u64::MAX) {
            true => CellClasses::One(1),
            false => CellClasses::Marked(Arc::new(rows)),
        };
        (rows != [0; TILE_WIDTH]).then(classes)
    }
}

/// Returns the bits below a place, which is 64 at most.
fn below(place: usize) -> u64 {
    if place == TILE_WIDTH { u64::MAX } else { (1 << place) - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_engine::forest::place_in;
    use thalweg_engine::tile::CowPlane;

    const WIDTH_M: f64 = 2.0;

    fn star() -> Shape {
        let corner = |i: u32| {
            let (turn, reach_m) = (0.628 * f64::from(i), [250.0, 90.0][i as usize % 2]);
            [260.0 + reach_m * turn.cos(), 255.0 + reach_m * turn.sin()]
        };
        Shape::Polygon { corners_m: (0..10).map(corner).collect() }
    }

    /// Goal: a leaf of any level has the cells whose base cell in the middle is in the area, and no
    /// leaf that has some is left out.
    #[test]
    fn leaves_have_the_cells_whose_middle_is_in_the_area() {
        let key = |level, x, y| TileKey { level, x, y };
        let fine = (0..2).flat_map(|y| (0..2).map(move |x| key(0, x, y)));
        let coarse = [key(1, 1, 0), key(1, 0, 1), key(1, 1, 1)];
        let forest = Forest::of_leaves(0, fine.chain(coarse).collect());
        let ground = Ground::flat(CowPlane::zeros());
        let disc = Shape::Disc { centre_m: [130.0, 250.0], radius_m: 131.0, rim_m: 8.0 };
        let square = Shape::Rectangle { low_m: [0.0, 256.0], high_m: [256.0, 512.0] };
        let dot = Shape::Rectangle { low_m: [301.0, 301.0], high_m: [303.5, 303.5] };
        for shape in [star(), disc, square, dot] {
            let area = WeatherArea::new(&shape, (256, 256), WIDTH_M).expect("an area");
            let under = area.leaves(&forest);
            let mut marked = 0;
            for (leaf, key) in forest.iter() {
                let classes = area.classes(0, (key, Some(&ground)), |_| unreachable!("no parts"));
                assert!(classes.is_none() || under.contains(&leaf), "{shape:?} {key:?}");
                for cell in 0..TILE_CELLS {
                    let is_in = classes.as_ref().is_some_and(|own| own.at(cell) == 1);
                    assert_eq!(is_in, area.holds(place_in(0, key, cell)), "{shape:?} {key:?}");
                    marked += usize::from(is_in);
                }
            }
            assert!(marked > 0 || matches!(shape, Shape::Rectangle { .. }), "{shape:?}");
        }
    }

    #[test]
    fn rims_are_checked_and_halved() {
        let disc = |rim_m| {
            let shape = Shape::Disc { centre_m: [100.0; 2], radius_m: 20.0, rim_m };
            WeatherArea::new(&shape, (256, 256), WIDTH_M)
        };
        for rim_m in [-5.0, 21.0, f64::NAN] {
            let error = disc(rim_m).expect_err("no rim").to_string();
            assert!(error.contains("the rim of the disc"), "{error}");
        }
        let hard = Shape::Disc { centre_m: [100.0; 2], radius_m: 15.0, rim_m: 0.0 };
        let hard = WeatherArea::new(&hard, (256, 256), WIDTH_M).expect("an area");
        assert_eq!(disc(10.0).expect("an area").spans, hard.spans);
    }

    /// Goal: a comb of tall teeth is refused by its count, before its rows are looked at.
    #[test]
    fn what_areas_take_is_counted_before() {
        let tooth = |i: u32| [f64::from(i), if i % 4 < 2 { 0.0 } else { 2.0e6 }];
        let comb = Shape::Polygon { corners_m: (0..4000).map(tooth).collect() };
        let refused = check_areas([&comb].into_iter(), (1 << 20, WIDTH_M)).expect_err("too much");
        assert!(refused.to_string().contains("have 4194304 at most"), "{refused}");
        let many = vec![star(); 500];
        let refused = check_areas(many.iter(), (256, WIDTH_M)).expect_err("too many corners");
        assert!(refused.to_string().contains("5000 corners"), "{refused}");
        check_areas(many[..400].iter(), (256, WIDTH_M)).expect("few corners, and few rows");
        let rows = WeatherArea::new(&star(), (256, 256), WIDTH_M).expect("an area").spans.len();
        assert!(2 * rows <= crossings(&star(), 256, WIDTH_M), "{rows} runs");
    }
}
