//! Classes of cells: read once, when a world is built, and kept.
//!
//! Guarantees: the function of classes is called for each base cell with ground, once; a class
//!             without a value is refused then. So neither a change of leaves nor a save calls it,
//!             and a world that was loaded has what the one that was built had.
//! Limits:     two bytes for each base cell of a tile whose cells are of several classes, and for
//!             each layer with classes; they stay in memory in streamed worlds too.

use crate::grid::cells::{CellPlace, column_row};
use crate::grid::{TILE_CELLS, TILE_WIDTH, TileKey};
use crate::sim::forcing::CellClasses;
use crate::terrain::{EditError, Shape, Span};
use crate::tile::CowPlane;
use crate::units::OUTSIDE;
use crate::world::WorldError;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A number for each cell, by its place: columns from the west, rows from the south, of the
/// simulated level.
pub type CellClass<T> = Box<dyn Fn(CellPlace) -> T + Send + Sync>;

/// Tiles under an area of a layer at most: 2³² cells.
const AREA_TILES_MOST: usize = 1 << 20;

/// Classes of the base cells of one kind, tile by tile.
#[derive(Debug, Default)]
pub(super) struct ClassMap(pub(super) BTreeMap<TileKey, CellClasses>);

/// Where the classes of a world that is to be built come from.
pub(super) enum Classes {
    /// A function gives them.
    Told(CellClass<u16>),
    /// A file held them.
    Held(ClassMap),
}

/// Classed property, and how many of them have a value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Valued {
    /// Property that is classed.
    pub what: &'static str,
    /// Classes that have a value, counted from 0.
    pub count: usize,
}

impl Valued {
    fn check(self, class: u16) -> Result<u16, WorldError> {
        let Self { what, count } = self;
        let is_good = usize::from(class) < count;
        is_good.then_some(class).ok_or(WorldError::Class { what, class, count })
    }
}

impl ClassMap {
    /// Class 1 in an area, of a world of that base level, columns and rows, and cell width; 0
    /// elsewhere. Of a disc with a soft margin the cells that get half of it or more.
    ///
    /// # Errors
    ///
    /// [`EditError`] where the area is none or holds no cell.
    pub fn of_area(
        area: &Shape,
        (level, size, cell_width_m): (u8, (usize, usize), f64),
    ) -> Result<Self, EditError> {
        let hard = match area {
            Shape::Disc { centre_m, radius_m, rim_m } => {
                let radius_m = radius_m - 0.5 * rim_m;
                Shape::Disc { centre_m: *centre_m, radius_m, rim_m: 0.0 }
            }
            other => other.clone(),
        };
        let narrow = |i: usize| u32::try_from(i).expect("2²⁰ cells a side at most");
        let mut planes = Vec::new();
        let spans = hard.cells(size, cell_width_m)?;
        for spans in spans.chunk_by(|a, b| a.row / TILE_WIDTH == b.row / TILE_WIDTH) {
            // The tiles of one row of tiles: a bit for each cell.
            let mut tiles = vec![[0_u64; TILE_WIDTH]; size.0.div_ceil(TILE_WIDTH)];
            for Span { row, columns } in spans {
                let first = columns.start / TILE_WIDTH;
                let touched = tiles[first..columns.end.div_ceil(TILE_WIDTH)].iter_mut();
                for (west, rows) in (first * TILE_WIDTH..).step_by(TILE_WIDTH).zip(touched) {
                    let from = columns.start.max(west) - west;
                    let count = columns.end.min(west + TILE_WIDTH) - west - from;
                    rows[row % TILE_WIDTH] |= (u64::MAX >> (TILE_WIDTH - count)) << from;
                }
            }
            if planes.len() > AREA_TILES_MOST {
                #[expect(clippy::cast_precision_loss, reason = "a count to read")]
                let [value, high] = [planes.len(), AREA_TILES_MOST].map(|count| count as f64);
                let what = "the count of tiles of 64 × 64 cells under the area";
                return Err(EditError::Number { what, value, low: 1.0, high });
            }
            let y = narrow(spans[0].row / TILE_WIDTH);
            for (x, rows) in tiles.iter().enumerate().filter(|(_, rows)| **rows != [0; TILE_WIDTH])
            {
                planes.push((TileKey { level, x: narrow(x), y }, plane_of(rows)));
            }
        }
        Ok(Self(planes.into_iter().collect()))
    }

    /// The class of a base cell of a world of that `level`; 0 where none is known.
    pub fn at(&self, level: u8, place: CellPlace) -> u16 {
        let tile = self.0.get(&TileKey::of_cell(level, place));
        tile.map_or(0, |plane| plane.at(place.index_in_tile()))
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> u64 {
        let plane = |plane: &CellClasses| size_of::<(TileKey, CellClasses)>() + plane.bytes();
        self.0.values().map(plane).sum::<usize>() as u64
    }
}

impl Classes {
    /// The classes of all cells with ground of these tiles, each checked; `beds` gives those of a
    /// tile.
    ///
    /// # Errors
    ///
    /// [`WorldError::Class`] names the first class, in the order of tiles, that has no value.
    pub fn known(
        self,
        valued: Valued,
        tiles: &[TileKey],
        beds: impl Fn(TileKey) -> CowPlane<i32> + Sync,
    ) -> Result<ClassMap, WorldError> {
        let class = match self {
            Self::Told(class) => class,
            Self::Held(map) => {
                let check = |class: &u16| valued.check(*class).map(drop);
                map.0.values().try_for_each(|plane| match plane {
                    CellClasses::One(class) => check(class),
                    CellClasses::Each(classes) => classes.iter().try_for_each(check),
                    CellClasses::Marked(_) => check(&1),
                })?;
                return Ok(map);
            }
        };
        let of_tile = |&key: &TileKey| {
            let (mut plane, corner) = (vec![0; TILE_CELLS], key.corner());
            let beds = beds(key);
            for (cell, own) in
                plane.iter_mut().enumerate().filter(|(cell, _)| beds[*cell] != OUTSIDE)
            {
                let (x, y) = column_row(cell);
                let place = CellPlace { x: corner.x + x, y: corner.y + y };
                *own = valued.check(class(place))?;
            }
            Ok((key, plane.into()))
        };
        let planes: Vec<Result<_, WorldError>> = tiles.par_iter().map(of_tile).collect();
        // The first error in the order of tiles, not the first that a thread came upon.
        planes.into_iter().collect::<Result<_, _>>().map(ClassMap)
    }
}

/// Class 1 where a bit is set, by row.
fn plane_of(rows: &[u64; TILE_WIDTH]) -> CellClasses {
    match rows.iter().all(|&row| row == u64::MAX) {
        true => CellClasses::One(1),
        false => CellClasses::Marked(Arc::new(*rows)),
    }
}
