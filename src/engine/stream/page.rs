//! A page: part of the data for the ground of a leaf, read at once.

use crate::grid::{TILE_CELLS, TILE_WIDTH, TileKey};
use crate::tile::CowPlane;
use crate::tile::columns::Columns;
use crate::tile::columns::openings::OpeningTable;
use crate::tile::columns::stages::StageTable;
use std::sync::Arc;

/// Content of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PageKind {
    /// Beds of flat columns: a cell that is partly outside counts as outside.
    Beds,
    /// Mean beds of the ground in each cell, including cells that are partly outside.
    GroundBeds,
    /// Tables of sub-grid columns.
    Tables,
}

/// The key of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PageKey {
    /// Content of the page.
    pub kind: PageKind,
    /// Tile of the page.
    pub tile: TileKey,
}

impl PageKind {
    /// Returns the key of the page of a tile.
    #[must_use]
    pub fn of(self, tile: TileKey) -> PageKey {
        PageKey { kind: self, tile }
    }

    /// Returns the bytes of a page. Tables of tiles with a long border have more, which are counted
    /// once they are in memory.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        let tile = TILE_CELLS as u64;
        match self {
            Self::Beds | Self::GroundBeds => 4 * tile,
            Self::Tables => {
                // West and south faces of cells, and the faces along the east and the north side.
                let faces = 2 * (TILE_CELLS + TILE_WIDTH) as u64;
                // Of each cell: `divided` (u8), finest cells inside (u32), quarters with ground
                // (u8).
                let crests_and_parts = 1 + 4 + 1;
                tile * (size_of::<StageTable>() as u64 + crests_and_parts)
                    + faces * size_of::<OpeningTable>() as u64
            }
        }
    }
}

/// A page in memory.
#[derive(Debug, Clone)]
pub enum Page {
    /// Beds of its cells, vertical units above the datum.
    Beds(CowPlane<i32>),
    /// Tables of its columns.
    Tables(Arc<Columns>),
}

impl Page {
    /// Returns the bytes of the page, no fewer than its kind has.
    pub(super) fn bytes(&self) -> u64 {
        match self {
            Self::Beds(_) => PageKind::Beds.bytes(),
            Self::Tables(tables) => (tables.bytes() as u64).max(PageKind::Tables.bytes()),
        }
    }
}
