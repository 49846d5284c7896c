//! Representation of the ground by coarse cells, and their stage.

use crate::world::place;
use thalweg::world::{ColumnKind, World, WorldBuilder};
use thalweg_engine::grid::cells::CellPlace;

/// Columns of a coarse cell: how it represents the ground below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CoarseColumns {
    /// The mean of the ground.
    Flat,
    /// The volume of water below each stage, and the opening of each face.
    SubGrid,
}

/// The kinds that are compared; the last one counts.
pub const KINDS: &[CoarseColumns] = &[CoarseColumns::Flat, CoarseColumns::SubGrid];

impl std::fmt::Display for CoarseColumns {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Flat => f.write_str("flat"),
            Self::SubGrid => f.write_str("sub-grid"),
        }
    }
}

/// Returns a builder of a world with columns of this kind.
#[must_use]
pub fn with_columns(builder: WorldBuilder, columns: CoarseColumns) -> WorldBuilder {
    builder.columns(match columns {
        CoarseColumns::Flat => ColumnKind::Flat,
        CoarseColumns::SubGrid => ColumnKind::SubGrid,
    })
}

/// Returns the cell of `level` over a finest one.
///
/// # Panics
///
/// If the world has more than 2³² cells a side.
#[must_use]
pub fn above(x: usize, y: usize, level: u8) -> CellPlace {
    place(x >> level, y >> level)
}

/// Returns the stage of a cell of the simulated level, m; `None` if it is dry or outside the world.
#[must_use]
pub fn stage_m(world: &World, place: CellPlace) -> Option<f64> {
    world.water().stage_m(place)
}
