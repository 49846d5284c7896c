//! The beds that leaves are made from: of a terrain in memory, or of pages of a file, which come
//! before they are needed.

use crate::forest::change::{Change, Origin};
use crate::grid::{Side, TILE_CELLS, TILE_WIDTH, TileKey};
use crate::store::terrain::Head;
use crate::stream::{Pager, StreamNeeds, StreamPlan};
use crate::terrain::Terrain;
use crate::units::VerticalScale;
use crate::world::WorldError;
use crate::world::setup::{ColumnKind, Setup};
use std::sync::Arc;

/// The beds of a world.
#[derive(Debug)]
pub(super) enum Relief {
    /// All in memory.
    InMemory(Box<Terrain>),
    /// In a file.
    InFile(Arc<Pager>),
}

impl Relief {
    /// Vertical unit and datum.
    pub fn scale(&self) -> VerticalScale {
        match self {
            Self::InMemory(terrain) => terrain.scale(),
            Self::InFile(pager) => pager.head().scale,
        }
    }

    /// Width of the cells of a level, m.
    pub fn cell_width_m(&self, level: u8) -> f64 {
        match self {
            Self::InMemory(terrain) => terrain.cell_width_m(level),
            Self::InFile(pager) => pager.head().cell_width_m * f64::from(1_u32 << level),
        }
    }

    /// The coarsest level.
    pub fn coarsest(&self) -> u8 {
        match self {
            Self::InMemory(terrain) => terrain.coarsest(),
            Self::InFile(pager) => pager.head().coarsest,
        }
    }

    /// Columns and rows of a level, if there is one.
    pub fn size(&self, level: u8) -> Option<(usize, usize)> {
        match self {
            Self::InMemory(terrain) => {
                terrain.level(level).map(|beds| (beds.width(), beds.height()))
            }
            Self::InFile(pager) => {
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
    pub fn in_memory(&self) -> Option<&Terrain> {
        match self {
            Self::InMemory(terrain) => Some(terrain),
            Self::InFile(_) => None,
        }
    }

    /// The pages, where they are in a file.
    pub fn in_file(&self) -> Option<&Arc<Pager>> {
        match self {
            Self::InMemory(_) => None,
            Self::InFile(pager) => Some(pager),
        }
    }

    /// Refuses a setup that a streamed world cannot have.
    pub fn check_kind(&self, setup: &Setup) -> Result<(), WorldError> {
        let what = match self.in_file() {
            Some(_) if setup.columns == ColumnKind::SubGrid => "sub-grid columns",
            Some(_)
                if setup.has_roughness || setup.layers.iter().any(|layer| layer.has_classes) =>
            {
                "classes of roughness or of rates by cell"
            }
            Some(_) if setup.level > 0 => "cells coarser than the finest of its file",
            _ => return Ok(()),
        };
        Err(WorldError::Streamed { what })
    }

    /// Checks that a streamed world fits its bytes with the cells of its budget, or with `leaves`
    /// leaves where those are more; sets the room for pages.
    pub fn check_budget(
        &self,
        setup: &Setup,
        leaves: usize,
        budget_bytes: Option<u64>,
    ) -> Result<(), WorldError> {
        let Some(pager) = self.in_file() else { return Ok(()) };
        let of_leaves = TILE_CELLS as u64 * leaves as u64;
        let head = pager.head();
        // A world has no more leaves than its finest tiles, whatever it is allowed.
        let tiles = |cells: usize| cells.div_ceil(TILE_WIDTH) as u64;
        let of_world = TILE_CELLS as u64 * tiles(head.width) * tiles(head.height);
        let asked = setup.adaptive.map_or(0, |numbers| numbers.budget_cells);
        let needs = StreamNeeds {
            budget_cells: asked.min(of_world).max(of_leaves),
            tracers: setup.tracers.len() as u64,
            has_ground_water: setup.has_ground_water(),
            world_cells: (head.width * head.height) as u64,
        };
        let plan = StreamPlan::of(&needs);
        let budget = budget_bytes.unwrap_or(plan.total_bytes);
        if budget < plan.total_bytes {
            return Err(WorldError::Bytes { budget, minimum: plan.total_bytes });
        }
        pager.set_budget(plan.pages_of(budget));
        Ok(())
    }

    /// Requests the pages of a change.
    pub fn ask_ahead(&self, change: &Change) {
        if let Some(pager) = self.in_file() {
            pager.want(pages_of(change));
        }
    }

    /// Waits for the pages of a change; false where one cannot be read.
    pub fn has_pages(&self, change: &Change) -> bool {
        self.in_file().is_none_or(|pager| pager.fetch(&pages_of(change)).is_ok())
    }

    /// Moves on to the newest commit of the file that the pages come from.
    pub fn follow_file(&self) {
        if let Some(pager) = self.in_file() {
            pager.settle();
        }
    }
}

/// The tiles whose beds a change looks at.
fn pages_of(change: &Change) -> Vec<TileKey> {
    let new = change.leaves.iter().filter(|(_, origin)| !matches!(origin, Origin::Kept(_)));
    let mut tiles: Vec<TileKey> = new
        .flat_map(|&(key, _)| {
            let beside = Side::ALL.map(|side| {
                let (columns, rows) = side.offset();
                key.beside(columns, rows)
            });
            beside.into_iter().flatten().chain([key])
        })
        .collect();
    tiles.sort_unstable();
    tiles.dedup();
    tiles
}
