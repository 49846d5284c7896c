//! Classes of cells: read once, when a world is built, and kept.
//!
//! Guarantees: the function of classes is called for each base cell with ground, once; a class
//!             without a value is refused then. So neither a change of leaves nor a save calls it,
//!             and a loaded world has the same classes as the world that was built.
//! Limits:     two bytes for each base cell of a tile whose cells are of several classes, and for
//!             each layer with classes; they stay in memory in streamed worlds too.

use crate::world::WorldError;
use rayon::prelude::*;
use std::collections::BTreeMap;
use thalweg_engine::grid::cells::{CellPlace, column_row};
use thalweg_engine::grid::{TILE_CELLS, TileKey};
use thalweg_engine::sim::forcing::CellClasses;
use thalweg_engine::tile::CowPlane;
use thalweg_engine::units::OUTSIDE;

/// A number for each cell, by its place: columns from the west, rows from the south, of the
/// simulated level.
pub type CellClass<T> = Box<dyn Fn(CellPlace) -> T + Send + Sync>;

/// Classes of the base cells of one kind, tile by tile.
#[derive(Debug, Clone, Default)]
pub(super) struct ClassMap(pub(super) BTreeMap<TileKey, CellClasses>);

/// The source of the classes of a world that is to be built.
pub(super) enum ClassSource {
    /// A function gives them.
    Told(CellClass<u16>),
    /// The classes of a file.
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
    /// Returns the class of a base cell of a world of that `level`; 0 if it has no class.
    pub fn at(&self, level: u8, place: CellPlace) -> u16 {
        let tile = self.0.get(&TileKey::of_cell(level, place));
        tile.map_or(0, |plane| plane.at(place.index_in_tile()))
    }

    /// Returns the bytes of the classes.
    pub fn bytes(&self) -> u64 {
        let plane = |plane: &CellClasses| size_of::<(TileKey, CellClasses)>() + plane.bytes();
        self.0.values().map(plane).sum::<usize>() as u64
    }
}

impl ClassSource {
    /// Collects the classes of all cells with ground of these tiles, each checked; `beds` gives the
    /// beds of a tile.
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
        // The first error in the order of tiles, not the first that a thread found.
        planes.into_iter().collect::<Result<_, _>>().map(ClassMap)
    }
}
