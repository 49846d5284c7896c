//! Building the tables of a tile from the finest beds.

use crate::grid::Side;
use crate::grid::TILE_CELLS;
use crate::grid::TILE_WIDTH;
use crate::grid::TileKey;
use crate::tile::columns::Columns;
use crate::tile::columns::Openings;
use crate::tile::columns::Stages;
use crate::tile::columns::crest_rows::CrestRows;
use crate::tile::columns::fit::set_openings;
use crate::tile::columns::fit::set_stages;
use crate::units::OUTSIDE;

/// Beds of a world on two levels, to make a tile's tables from: the bed in a column and row of
/// each, [`OUTSIDE`] beyond the world.
#[derive(Debug, Clone, Copy)]
pub struct Beds<C, F> {
    /// The mean beds of the cells of the tile's level.
    pub coarse: C,
    /// The finest beds.
    pub finest: F,
}

impl<C: Fn(i64, i64) -> i32, F: Fn(i64, i64) -> i32> Beds<C, F> {
    /// A finest bed in a cell of `width` finest cells; outside where that cell is.
    fn below(&self, (x, y): (i64, i64), width: i64) -> i32 {
        if (self.coarse)(x.div_euclid(width), y.div_euclid(width)) == OUTSIDE {
            OUTSIDE
        } else {
            (self.finest)(x, y)
        }
    }

    /// Adds the finest beds of a cell of `width` finest cells to `below`.
    fn add_cell(&self, (x, y): Place, width: i64, below: &mut Vec<i32>) {
        if (self.coarse)(x, y) == OUTSIDE {
            below.extend((0..width * width).map(|_| OUTSIDE));
            return;
        }
        let rows = y * width..(y + 1) * width;
        let columns = x * width..(x + 1) * width;
        let finest = &self.finest;
        below.extend(rows.flat_map(|y| columns.clone().map(move |x| finest(x, y))));
    }
}

impl Columns {
    /// The tables of a tile.
    #[must_use]
    pub fn of<C, F>(key: TileKey, beds: &Beds<C, F>) -> Self
    where
        C: Fn(i64, i64) -> i32,
        F: Fn(i64, i64) -> i32,
    {
        let mut columns = Self {
            stages: Stages::flat(TILE_CELLS),
            faces: [Openings::closed(TILE_CELLS), Openings::closed(TILE_CELLS)],
            far: [Openings::closed(TILE_WIDTH), Openings::closed(TILE_WIDTH)],
            divided: vec![0; TILE_CELLS].into(),
            rim: Openings::closed(0),
            rim_faces: Box::default(),
        };
        let (corner, width) = (key.corner(), 1 << key.level);
        let place = |column: usize, row: usize| {
            (i64::from(corner.x) + column as i64, i64::from(corner.y) + row as i64)
        };
        let crests = CrestRows::new(1 << key.level);
        let mut maker = Maker { beds, width, crests, sills: Vec::new() };
        let (mut below, mut rim) = (Vec::with_capacity(1 << (2 * key.level)), Vec::new());
        for cell in 0..TILE_CELLS {
            let at = place(cell % TILE_WIDTH, cell / TILE_WIDTH);
            let bed = (beds.coarse)(at.0, at.1);
            if bed == OUTSIDE {
                continue;
            }
            maker.beds_of(at, &mut below);
            set_stages(&mut columns.stages, cell, bed, &mut below);
            maker.face(0, at, &mut columns.faces[0], cell);
            maker.face(1, at, &mut columns.faces[1], cell);
            columns.divided[cell] = maker.divided(at);
            rim.extend(maker.rim_sides(at).map(|side| (cell, side, at)));
        }
        for i in 0..TILE_WIDTH {
            maker.face(0, place(TILE_WIDTH, i), &mut columns.far[0], i);
            maker.face(1, place(i, TILE_WIDTH), &mut columns.far[1], i);
        }
        columns.rim = Openings::closed(rim.len());
        for (face, (_, side, at)) in rim.iter().enumerate() {
            maker.rim_face(*side, *at, &mut columns.rim, face);
        }
        columns.rim_faces = rim.iter().map(|&(cell, side, _)| (cell as u16, side)).collect();
        columns
    }
}

/// Makes tables of cells that are `width` finest cells wide.
struct Maker<'a, C, F> {
    beds: &'a Beds<C, F>,
    width: i64,
    crests: CrestRows,
    sills: Vec<i32>,
}

/// Column and row of a cell in the world.
type Place = (i64, i64);

impl<C: Fn(i64, i64) -> i32, F: Fn(i64, i64) -> i32> Maker<'_, C, F> {
    /// Finest beds of a cell.
    fn beds_of(&self, cell: Place, below: &mut Vec<i32>) {
        below.clear();
        self.beds.add_cell(cell, self.width, below);
    }

    /// The table of the west (0) or south (1) face of a cell.
    fn face(&mut self, axis: usize, (x, y): Place, openings: &mut Openings, face: usize) {
        let (beds, width) = (self.beds, self.width);
        let beds_of = |cell: Place, below: &mut Vec<i32>| beds.add_cell(cell, width, below);
        self.crests.face(axis, (x, y), beds_of, &mut self.sills);
        let (x, y) = (x * width, y * width);
        set_openings(openings, face, &mut self.sills);
        let (before, here) =
            if axis == 0 { ((x - width, y), (x, y)) } else { ((x, y - width), (x, y)) };
        openings.fall[face] = self.lowest(before).saturating_sub(self.lowest(here));
    }

    /// How much a crest divides a cell: see [`Columns::divided`].
    fn divided(&mut self, cell: Place) -> u8 {
        let (beds, width) = (self.beds, self.width);
        let beds_of = |cell: Place, below: &mut Vec<i32>| beds.add_cell(cell, width, below);
        let water = self.crests.divided(cell, beds_of) / (width * width);
        water.checked_ilog2().map_or(0, |log2| u8::try_from(log2 + 1).expect("64 bits"))
    }

    /// Lowest finest bed of the cell whose south-west one is given.
    fn lowest(&self, (x, y): Place) -> i32 {
        let (beds, width) = (self.beds, self.width);
        let rows = y..y + width;
        let cells = rows.flat_map(|y| (x..x + width).map(move |x| (x, y)));
        cells.map(|at| beds.below(at, width)).min().unwrap_or(OUTSIDE)
    }

    /// The sides of a cell beyond which the world ends.
    fn rim_sides(&self, (x, y): Place) -> impl Iterator<Item = Side> + use<'_, C, F> {
        Side::ALL.into_iter().filter(move |side| {
            let (dx, dy) = side.offset();
            (self.beds.coarse)(x + i64::from(dx), y + i64::from(dy)) == OUTSIDE
        })
    }

    /// The table of a face to the outside: over the beds of its own cell.
    fn rim_face(&mut self, side: Side, (x, y): Place, openings: &mut Openings, face: usize) {
        let (beds, width) = (self.beds, self.width);
        let beds_of = |cell: Place, below: &mut Vec<i32>| beds.add_cell(cell, width, below);
        self.crests.rim_face(side, (x, y), beds_of, &mut self.sills);
        set_openings(openings, face, &mut self.sills);
    }
}
