//! The beds that leaves are made from: of a terrain in memory, or of pages of a file.

use crate::grid::{TILE_WIDTH, TileKey};
use crate::store::terrain::Head;
use crate::stream::Pager;
use crate::terrain::Terrain;
use crate::units::VerticalScale;
use std::sync::Arc;

/// The beds of a world.
#[derive(Debug)]
pub(super) enum Relief {
    /// All in memory.
    Held(Box<Terrain>),
    /// In a file.
    Paged(Arc<Pager>),
}

impl Relief {
    /// Vertical unit and datum.
    pub fn scale(&self) -> VerticalScale {
        match self {
            Self::Held(terrain) => terrain.scale(),
            Self::Paged(pager) => pager.head().scale,
        }
    }

    /// Width of the cells of a level, m.
    pub fn cell_width_m(&self, level: u8) -> f64 {
        match self {
            Self::Held(terrain) => terrain.cell_width_m(level),
            Self::Paged(pager) => pager.head().cell_width_m * f64::from(1_u32 << level),
        }
    }

    /// The coarsest level.
    pub fn coarsest(&self) -> u8 {
        match self {
            Self::Held(terrain) => terrain.coarsest(),
            Self::Paged(pager) => pager.head().coarsest,
        }
    }

    /// Columns and rows of a level, if there is one.
    pub fn size(&self, level: u8) -> Option<(usize, usize)> {
        match self {
            Self::Held(terrain) => terrain.level(level).map(|beds| (beds.width(), beds.height())),
            Self::Paged(pager) => {
                let head: &Head = pager.head();
                (level <= head.coarsest).then(|| head.size(level))
            }
        }
    }

    /// Whether a tile lies on the map, at least in part.
    pub fn has(&self, tile: TileKey) -> bool {
        // No level is finer than the size of any map allows.
        let Some((width, height)) = self.size(tile.level) else { return false };
        let within = |at: u32, cells: usize| (at as usize) < cells.div_ceil(TILE_WIDTH);
        within(tile.x, width) && within(tile.y, height)
    }

    /// The terrain, where it is in memory.
    pub fn held(&self) -> Option<&Terrain> {
        match self {
            Self::Held(terrain) => Some(terrain),
            Self::Paged(_) => None,
        }
    }

    /// The pages, where they are in a file.
    pub fn paged(&self) -> Option<&Arc<Pager>> {
        match self {
            Self::Held(_) => None,
            Self::Paged(pager) => Some(pager),
        }
    }
}
