//! How coarse cells stand for the ground below them, and what their stage is.

use crate::world::place;
use thalweg::world::{ColumnKind, World, WorldBuilder};
use thalweg_engine::grid::cells::CellPlace;

/// Columns of a coarse cell: how it represents the ground below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Columns {
    /// The mean of the ground.
    Flat,
    /// How much water lies below each stage, and what each face lets through.
    SubGrid,
}

/// The kinds that are compared; the last one counts.
pub const KINDS: &[Columns] = &[Columns::Flat, Columns::SubGrid];

impl std::fmt::Display for Columns {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Flat => f.write_str("flat"),
            Self::SubGrid => f.write_str("sub-grid"),
        }
    }
}

/// A builder of a world with columns of this kind.
#[must_use]
pub fn with_columns(builder: WorldBuilder, columns: Columns) -> WorldBuilder {
    builder.columns(match columns {
        Columns::Flat => ColumnKind::Flat,
        Columns::SubGrid => ColumnKind::SubGrid,
    })
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
    world.water().stage_m(place)
}
