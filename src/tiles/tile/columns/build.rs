//! Building the tables of a tile from the finest beds.

use crate::grid::cells::WorldCell;
use crate::grid::{Axis, Side, TILE_CELLS, TILE_WIDTH, TileKey};
use crate::tile::columns::crest_rows::CrestRows;
use crate::tile::columns::fit::{StageFit, set_openings};
use crate::tile::columns::{Columns, InsideParts, Openings, Stages};
use crate::units::OUTSIDE;
use std::ops::Range;

/// The beds of one level of a world: rows from south to north, [`OUTSIDE`] for cells without ground
/// and beyond.
#[derive(Debug, Clone, Copy)]
pub struct LevelBeds<'a> {
    bed: &'a [i32],
    width: usize,
}

impl<'a> LevelBeds<'a> {
    /// Returns the beds of whole rows of `width` cells, vertical units.
    ///
    /// # Panics
    ///
    /// If the last row is not whole.
    #[must_use]
    pub fn new(bed: &'a [i32], width: usize) -> Self {
        assert!(bed.len().is_multiple_of(width), "{} beds, {width} a row", bed.len());
        Self { bed, width }
    }

    /// Returns the bed of a cell.
    #[must_use]
    pub fn at(&self, (x, y): WorldCell) -> i32 {
        match (usize::try_from(x), usize::try_from(y)) {
            (Ok(x), Ok(y)) if x < self.width => {
                self.bed.get(y * self.width + x).copied().unwrap_or(OUTSIDE)
            }
            _ => OUTSIDE,
        }
    }

    /// Returns the beds of `count` cells of a row from `place` on, without the ones beyond the
    /// plane.
    fn row(&self, place: WorldCell, count: i64) -> &'a [i32] {
        let within = |x: i64| usize::try_from(x).map_or(0, |x| x.min(self.width));
        let (Ok(row), columns) =
            (usize::try_from(place.1), within(place.0)..within(place.0 + count))
        else {
            return &[];
        };
        let first = row * self.width;
        self.bed.get(first + columns.start..first + columns.end).unwrap_or_default()
    }

    /// Adds the beds of the cells of a square `width` wide whose south-west one is given to `beds`,
    /// row by row.
    fn add_square(&self, (x, y): WorldCell, width: i64, beds: &mut Vec<i32>) {
        let beyond = usize::try_from(width.min(-x)).unwrap_or(0);
        for y in y..y + width {
            let end = beds.len() + usize::try_from(width).expect("2⁸ cells");
            beds.resize(beds.len() + beyond, OUTSIDE);
            beds.extend_from_slice(self.row((x, y), width));
            beds.resize(end, OUTSIDE);
        }
    }
}

/// The finest beds of a world, in any storage.
pub trait FinestBeds {
    /// Adds the finest beds of a square `width` finest cells wide, whose south-west one is given,
    /// to `beds`, row by row.
    fn add_finest(&self, place: WorldCell, width: i64, beds: &mut Vec<i32>);
}

/// Beds of a world on two levels, to make a tile's tables from.
pub trait TableBeds: FinestBeds {
    /// Returns the mean bed of the ground in a cell of the tile's level; [`OUTSIDE`] if it has no
    /// ground and beyond the world.
    fn coarse(&self, place: WorldCell) -> i32;

    /// Adds the finest beds of a cell of `width` finest cells to `below`.
    fn add_cell(&self, (x, y): WorldCell, width: i64, below: &mut Vec<i32>) {
        if self.coarse((x, y)) == OUTSIDE {
            let end = below.len() + usize::try_from(width * width).expect("2¹⁶ cells");
            below.resize(end, OUTSIDE);
        } else {
            self.add_finest((x * width, y * width), width, below);
        }
    }
}

/// Beds in memory.
#[derive(Debug, Clone, Copy)]
pub struct BedPlanes<'a> {
    /// The mean beds of the cells of the tile's level.
    pub coarse: LevelBeds<'a>,
    /// The finest beds.
    pub finest: LevelBeds<'a>,
}

impl TableBeds for BedPlanes<'_> {
    fn coarse(&self, place: WorldCell) -> i32 {
        self.coarse.at(place)
    }
}

impl FinestBeds for BedPlanes<'_> {
    fn add_finest(&self, place: WorldCell, width: i64, beds: &mut Vec<i32>) {
        self.finest.add_finest(place, width, beds);
    }
}

impl FinestBeds for LevelBeds<'_> {
    fn add_finest(&self, place: WorldCell, width: i64, beds: &mut Vec<i32>) {
        self.add_square(place, width, beds);
    }
}

/// Adds the beds of a square of finest cells from pages of whole tiles: `page` shows the beds of
/// the tile in that column and row of tiles, and [`OUTSIDE`] stays for cells without ground.
pub fn add_from_tiles(
    (x, y): WorldCell,
    width: i64,
    beds: &mut Vec<i32>,
    mut page: impl FnMut(WorldCell, &mut dyn FnMut(&[i32])),
) {
    let (first, tile_width) = (beds.len(), TILE_WIDTH as i64);
    let number = |at: i64| usize::try_from(at).expect("in a tile");
    let count = number(width);
    beds.resize(first + count * count, OUTSIDE);
    let tiles = |from: i64| from.div_euclid(tile_width)..=(from + width - 1).div_euclid(tile_width);
    for (row, column) in tiles(y).flat_map(|row| tiles(x).map(move |column| (row, column))) {
        // Cells that are in both the square and the tile: first in the square, first in the tile,
        // count.
        let within = |from: i64, corner: i64| {
            let range = from.max(corner)..(from + width).min(corner + tile_width);
            [range.start - from, range.start - corner, range.end - range.start].map(number)
        };
        let [to_x, from_x, columns] = within(x, column * tile_width);
        let [to_y, from_y, rows] = within(y, row * tile_width);
        page((column, row), &mut |plane| {
            for row in 0..rows {
                let to = first + (to_y + row) * count + to_x;
                let from = (from_y + row) * TILE_WIDTH + from_x;
                beds[to..to + columns].copy_from_slice(&plane[from..from + columns]);
            }
        });
    }
}

/// Cells of a level, anywhere in the world: from south-west up to, but without, north-east.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellBlock {
    /// South-west cell of the block.
    pub from: WorldCell,
    /// The cell north-east of its last one.
    pub to: WorldCell,
}

impl CellBlock {
    /// Returns the smallest block that contains both.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self {
            from: (self.from.0.min(other.from.0), self.from.1.min(other.from.1)),
            to: (self.to.0.max(other.to.0), self.to.1.max(other.to.1)),
        }
    }
}

impl CellBlock {
    /// Returns the cells of the block in a tile of its level.
    pub fn cells_in(self, key: TileKey) -> impl Iterator<Item = usize> {
        let within = |from: i64, to: i64, corner: u32| {
            let at = |v: i64| usize::try_from(v - i64::from(corner)).unwrap_or(0).min(TILE_WIDTH);
            at(from)..at(to)
        };
        let columns = within(self.from.0, self.to.0, key.corner().x);
        let rows = within(self.from.1, self.to.1, key.corner().y);
        rows.flat_map(move |row| columns.clone().map(move |column| row * TILE_WIDTH + column))
    }
}

impl Columns {
    /// Makes the tables of a tile.
    #[must_use]
    pub fn of(key: TileKey, beds: &impl TableBeds) -> Self {
        let maker = ColumnMaker::new(key, beds);
        let boundary_faces: Box<[(u16, Side)]> = maker.boundary_faces().collect();
        let mut columns = Self {
            stages: Stages::flat(TILE_CELLS),
            faces: [Openings::closed(TILE_CELLS), Openings::closed(TILE_CELLS)],
            far: [Openings::closed(TILE_WIDTH), Openings::closed(TILE_WIDTH)],
            parts: None,
            divided: vec![0; TILE_CELLS].into(),
            boundary: Openings::closed(boundary_faces.len()),
            boundary_faces,
        };
        let (west, south) = maker.corner;
        let to = (west + TILE_WIDTH as i64, south + TILE_WIDTH as i64);
        columns.renew(key, beds, CellBlock { from: maker.corner, to });
        columns
    }

    /// Whether the tables fit these beds, judged by the cells: they have faces to the outside at
    /// the world's edge, and ground in the same cells.
    #[must_use]
    pub fn fit(&self, key: TileKey, beds: &impl TableBeds) -> bool {
        let maker = ColumnMaker::new(key, beds);
        let has_ground = |cell: usize| {
            beds.coarse(maker.place((cell % TILE_WIDTH, cell / TILE_WIDTH))) != OUTSIDE
        };
        let is_known = |parts: &InsideParts| {
            (0..TILE_CELLS).all(|cell| (parts.inside(cell) > 0) == has_ground(cell))
        };
        self.parts.as_ref().is_none_or(is_known)
            && maker.boundary_faces().eq(self.boundary_faces.iter().copied())
    }

    /// Brings the tables of a tile up to date after finest beds changed in some cells of its level,
    /// in the tile or beside it. No finest cell may have got or lost its ground.
    pub fn renew(&mut self, key: TileKey, beds: &impl TableBeds, changed: CellBlock) {
        let mut maker = ColumnMaker::new(key, beds);
        let [columns, rows] = maker.reach(changed);
        for row in rows.clone() {
            for column in columns.clone() {
                match (column < TILE_WIDTH, row < TILE_WIDTH) {
                    (true, true) => maker.cell(column, row, self),
                    (false, true) => maker.face(Axis::X, (column, row), &mut self.far[0], row),
                    (true, false) => maker.face(Axis::Y, (column, row), &mut self.far[1], column),
                    (false, false) => {}
                }
            }
        }
        for (face, &(cell, side)) in self.boundary_faces.iter().enumerate() {
            let cell = usize::from(cell);
            if columns.contains(&(cell % TILE_WIDTH)) && rows.contains(&(cell / TILE_WIDTH)) {
                maker.boundary_face(side, cell, &mut self.boundary, face);
            }
        }
    }
}

/// Makes tables of a tile.
struct ColumnMaker<'a, B> {
    beds: &'a B,
    /// Place of its south-west cell.
    corner: WorldCell,
    /// Finest cells along a side of its cells.
    width: i64,
    fit: StageFit,
    crests: CrestRows,
    below: Vec<i32>,
    sills: Vec<i32>,
}

impl<'a, B: TableBeds> ColumnMaker<'a, B> {
    fn new(key: TileKey, beds: &'a B) -> Self {
        let corner = (i64::from(key.corner().x), i64::from(key.corner().y));
        let (fit, crests) = (StageFit::default(), CrestRows::new(1 << key.level));
        let (below, sills) = (Vec::new(), Vec::new());
        Self { beds, corner, width: 1 << key.level, fit, crests, below, sills }
    }

    fn place(&self, (column, row): (usize, usize)) -> WorldCell {
        (self.corner.0 + column as i64, self.corner.1 + row as i64)
    }

    /// Returns the columns and rows of the tile's cells whose tables read a block, and 64 for the
    /// faces along its east and north side: a face reads the cells before and behind it.
    fn reach(&self, block: CellBlock) -> [Range<usize>; 2] {
        let most = TILE_WIDTH as i64 + 1;
        let range = |from: i64, to: i64| {
            let within = |at: i64| usize::try_from(at.clamp(0, most)).expect("0 to 65");
            within(from)..within(to + 1)
        };
        let (from, to, (west, south)) = (block.from, block.to, self.corner);
        [range(from.0 - west, to.0 - west), range(from.1 - south, to.1 - south)]
    }

    /// Makes the tables of a cell.
    fn cell(&mut self, column: usize, row: usize, columns: &mut Columns) {
        let (at, cell) = ((column, row), row * TILE_WIDTH + column);
        let place = self.place(at);
        let bed = self.beds.coarse(place);
        if bed == OUTSIDE {
            return;
        }
        let (beds, width) = (self.beds, self.width);
        self.below.clear();
        beds.add_cell(place, width, &mut self.below);
        if self.below.contains(&OUTSIDE) {
            let level = u8::try_from(width.ilog2()).expect("a level");
            let is_inside = |cell: usize| {
                beds.coarse(self.place((cell % TILE_WIDTH, cell / TILE_WIDTH))) != OUTSIDE
            };
            let parts = columns.parts.get_or_insert_with(|| InsideParts::whole(level, is_inside));
            parts.set(cell, &self.below);
        }
        // `fit.set` removes the beds outside the world from `below`, so the parts are taken before.
        self.fit.set(&mut columns.stages, cell, bed, &mut self.below);
        self.face(Axis::X, at, &mut columns.faces[0], cell);
        self.face(Axis::Y, at, &mut columns.faces[1], cell);
        let beds_of = |cell: WorldCell, below: &mut Vec<i32>| beds.add_cell(cell, width, below);
        let water = self.crests.divided(place, beds_of) / (width * width);
        let bits = water.checked_ilog2().map_or(0, |log2| log2 + 1);
        columns.divided[cell] = u8::try_from(bits).expect("64 bits");
    }

    /// Makes the table of the west (0) or south (1) face of a cell.
    fn face(&mut self, axis: Axis, at: (usize, usize), openings: &mut Openings, face: usize) {
        let here = self.place(at);
        let before = if axis == Axis::X { (here.0 - 1, here.1) } else { (here.0, here.1 - 1) };
        let (beds, width) = (self.beds, self.width);
        if [before, here].iter().any(|&cell| beds.coarse(cell) == OUTSIDE) {
            return;
        }
        let beds_of = |cell: WorldCell, below: &mut Vec<i32>| beds.add_cell(cell, width, below);
        let fall = self.crests.face(axis, here, beds_of, &mut self.sills);
        set_openings(openings, face, &mut self.sills);
        openings.faces[face].fall = fall;
    }

    /// Returns the cells and sides beyond which the world ends, in order.
    fn boundary_faces(&self) -> impl Iterator<Item = (u16, Side)> {
        let sides = |cell: usize| {
            let number = u16::try_from(cell).expect("4096 cells");
            self.boundary_sides(cell).map(move |side| (number, side))
        };
        (0..TILE_CELLS).flat_map(sides)
    }

    /// Returns the sides of a cell beyond which the world ends.
    fn boundary_sides(&self, cell: usize) -> impl Iterator<Item = Side> + use<'a, B> {
        let (beds, (x, y)) = (self.beds, self.place((cell % TILE_WIDTH, cell / TILE_WIDTH)));
        let is_inside = beds.coarse((x, y)) != OUTSIDE;
        Side::ALL.into_iter().filter(move |side| {
            let (dx, dy) = side.offset();
            is_inside && beds.coarse((x + i64::from(dx), y + i64::from(dy))) == OUTSIDE
        })
    }

    /// Makes the table of a face to the outside: over the beds of its own cell.
    fn boundary_face(&mut self, side: Side, cell: usize, openings: &mut Openings, face: usize) {
        let (beds, width) = (self.beds, self.width);
        let beds_of = |cell: WorldCell, below: &mut Vec<i32>| beds.add_cell(cell, width, below);
        let place = self.place((cell % TILE_WIDTH, cell / TILE_WIDTH));
        self.crests.boundary_face(side, place, beds_of, &mut self.sills);
        set_openings(openings, face, &mut self.sills);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::hash::scramble;

    const WIDTH: usize = 3 * TILE_WIDTH;

    /// Beds of a level of `WIDTH` × `WIDTH` cells from finest beds: means of their ground.
    fn coarse(finest: &[i32], level: u8) -> Vec<i32> {
        let (count, width) = (1 << level, WIDTH << level);
        let mean = |i: usize| {
            let first = i / WIDTH * count * width + i % WIDTH * count;
            let below = (0..count * count).map(|j| finest[first + j / count * width + j % count]);
            let inside: Vec<i64> = below.filter(|&z| z != OUTSIDE).map(i64::from).collect();
            let mean = inside.iter().sum::<i64>().checked_div(inside.len() as i64);
            mean.map_or(OUTSIDE, |mean| i32::try_from(mean).expect("a mean"))
        };
        (0..WIDTH * WIDTH).map(mean).collect()
    }

    fn tables(finest: &[i32], key: TileKey, old: Option<(Columns, CellBlock)>) -> Columns {
        let coarse = coarse(finest, key.level);
        let beds = BedPlanes {
            coarse: LevelBeds::new(&coarse, WIDTH),
            finest: LevelBeds::new(finest, WIDTH << key.level),
        };
        match old {
            Some((mut columns, changed)) => {
                columns.renew(key, &beds, changed);
                columns
            }
            None => Columns::of(key, &beds),
        }
    }

    /// Goal: tables brought up to date equal tables made afresh. Method: beds change in blocks of
    ///       cells within a tile, over its sides and beside it, in a world with holes.
    #[test]
    fn renewed_tables_are_those_made_afresh() {
        for seed in 0..24_u64 {
            let level = 1 + u8::try_from(seed % 2).expect("0 or 1");
            let key = TileKey { level, x: 1, y: 1 };
            let width = WIDTH << level;
            let draw = |salt: u64, i: usize| scramble(seed ^ salt << 40 ^ (i as u64) << 8);
            let bed = |i: usize| i32::try_from(draw(1, i) % 5000).expect("small");
            // If half of the places are outside, an edit changes which of them are connected, and
            // faces close and open.
            let is_hole = |i: usize| match seed % 4 {
                3 => draw(2, i).is_multiple_of(2),
                _ => draw(2, i / 5).is_multiple_of(40),
            };
            let mut finest: Vec<i32> =
                (0..width * width).map(|i| if is_hole(i) { OUTSIDE } else { bed(i) }).collect();
            let before = tables(&finest, key, None);
            let at = |salt: u64, span: i64| (draw(salt, 0).cast_signed()).rem_euclid(span);
            let from = (58 + at(3, 74), 58 + at(4, 74));
            let to = (from.0 + 1 + at(5, 40), from.1 + 1 + at(6, 40));
            for (i, z) in finest.iter_mut().enumerate().filter(|(_, z)| **z != OUTSIDE) {
                let at = (((i % width) >> level) as i64, ((i / width) >> level) as i64);
                let is_changed = (from.0..to.0).contains(&at.0) && (from.1..to.1).contains(&at.1);
                let drawn = i32::try_from(draw(7, i) % 9000).expect("small") - 4000;
                *z = if is_changed { drawn } else { *z };
            }
            let block = CellBlock { from, to };
            let renewed = tables(&finest, key, Some((before, block)));
            assert!(renewed == tables(&finest, key, None), "seed {seed}: {block:?}");
        }
    }

    #[test]
    fn beds_beyond_a_plane_are_outside() {
        let beds: Vec<i32> = (0..6).collect();
        let plane = LevelBeds::new(&beds, 3);
        let places = [(-1, 0), (3, 0), (0, 2), (2, -1)];
        assert!(places.iter().all(|&at| plane.at(at) == OUTSIDE));
        for (place, expected) in [
            ((1, 1), [4, 5, OUTSIDE, OUTSIDE]),
            ((0, 0), [0, 1, 3, 4]),
            ((2, -1), [OUTSIDE, OUTSIDE, 2, OUTSIDE]),
            ((-1, 0), [OUTSIDE, 0, OUTSIDE, 3]),
            ((3, 1), [OUTSIDE; 4]),
            ((-9, 0), [OUTSIDE; 4]),
        ] {
            let mut square = vec![];
            plane.add_square(place, 2, &mut square);
            assert_eq!(square, expected, "{place:?}");
            let at = |i: i64| plane.at((place.0 + i % 2, place.1 + i / 2));
            assert_eq!(square, (0..4).map(at).collect::<Vec<i32>>(), "{place:?}");
        }
    }
}
