//! Kinds of world: how leaves lie, which columns they have, and where the world comes from.

use crate::valley::SIZE;
use std::fmt;
use thalweg::world::{AdaptiveOptions, ColumnKind, WorldBuilder};
use thalweg_engine::grid::TileKey;

/// How leaves lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Levels {
    /// Leaves of one level: the finest, or with sub-grid columns the next.
    One,
    /// Leaves that follow an observer.
    Adaptive,
}

/// Where a world comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Built in memory.
    InMemory,
    /// Built on a file, saved there, and opened to be streamed.
    Streamed,
    /// Built in memory, saved and loaded.
    Opened,
}

/// A kind of world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    pub source: Source,
    pub columns: ColumnKind,
    pub levels: Levels,
}

pub const SOURCES: [Source; 3] = [Source::InMemory, Source::Streamed, Source::Opened];
pub const COLUMNS: [ColumnKind; 2] = [ColumnKind::Flat, ColumnKind::SubGrid];
pub const LEVELS: [Levels; 2] = [Levels::One, Levels::Adaptive];

impl Kind {
    /// All kinds, those in memory first.
    pub fn all() -> impl Iterator<Item = Self> {
        let of = |source| move |columns| (source, columns);
        let pairs = SOURCES.into_iter().flat_map(move |source| COLUMNS.map(of(source)));
        pairs.flat_map(|(source, columns)| LEVELS.map(|levels| Self { source, columns, levels }))
    }

    /// The kind with the same leaves and columns in memory.
    pub fn in_memory(self) -> Self {
        Self { source: Source::InMemory, ..self }
    }

    pub fn is_streamed(self) -> bool {
        self.source == Source::Streamed
    }

    pub fn is_sub_grid(self) -> bool {
        self.columns == ColumnKind::SubGrid
    }

    pub fn is_adaptive(self) -> bool {
        self.levels == Levels::Adaptive
    }

    /// All leaves are coarser than the finest level.
    pub fn is_coarse(self) -> bool {
        self.is_sub_grid() && !self.is_adaptive()
    }

    /// The builder of a world with such columns and leaves. Criteria are the scene's.
    pub fn of(self, builder: WorldBuilder) -> WorldBuilder {
        let builder = builder.columns(self.columns);
        match self.levels {
            Levels::One if self.is_sub_grid() => {
                let tile = |x: u32| TileKey { level: 1, x, y: 0 };
                builder.leaves((0..SIZE[0] / 128).map(tile).collect())
            }
            Levels::One => builder,
            Levels::Adaptive => builder.adaptive(AdaptiveOptions {
                coarsest: 2,
                budget_cells: 1 << 20,
                interval_cycles: 2,
                min_age_cycles: 2,
                ahead_cycles: 1,
                leaves_a_cycle: 5,
                criteria: Vec::new(),
            }),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let source = match self.source {
            Source::InMemory => "in memory",
            Source::Streamed => "streamed",
            Source::Opened => "opened",
        };
        let columns = if self.is_sub_grid() { "sub-grid" } else { "flat" };
        let levels = if self.is_adaptive() { "adaptive" } else { "one level" };
        write!(f, "{source}, {columns}, {levels}")
    }
}
