//! How coarse cells stand for the ground below them, and what their stage is.

use crate::world::place;
use thalweg::grid::cells::CellPlace;
use thalweg::world::World;
use thalweg::world::WorldBuilder;

/// What a coarse cell knows of the ground below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Columns {
    /// Its mean.
    Flat,
}

/// The kinds that are compared; the last one counts.
pub const KINDS: &[Columns] = &[Columns::Flat];

impl std::fmt::Display for Columns {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Flat => f.write_str("flat"),
        }
    }
}

/// A builder of a world with columns of this kind.
#[must_use]
pub fn with_columns(builder: WorldBuilder, columns: Columns) -> WorldBuilder {
    match columns {
        Columns::Flat => builder,
    }
}

/// The cell of `level` over a finest one.
///
/// # Panics
///
/// Beyond 2³² cells a side.
#[must_use]
pub fn above(x: usize, y: usize, level: u8) -> CellPlace {
    place(x >> level, y >> level)
}

/// Stage of a cell of the simulated level, m; `None` where it is dry or outside the world.
#[must_use]
pub fn stage_m(world: &World, place: CellPlace) -> Option<f64> {
    let depth_m = world.depth_m(place).filter(|&depth_m| depth_m > 0.0)?;
    Some(world.bed_m(place)? + depth_m)
}
