//! The beds from which leaves are made: of a terrain in memory, or of pages of a file, which are
//! read before they are needed.

use crate::world::WorldError;
use crate::world::setup::{ColumnKind, Setup};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;
use thalweg_engine::forest::change::Change;
use thalweg_engine::grid::cells::WorldCell;
use thalweg_engine::grid::cells::{CellPlace, TILE_WIDTH_U32};
use thalweg_engine::grid::{LeafId, Side, TILE_CELLS, TILE_WIDTH, TileKey};
use thalweg_engine::store::terrain::Head;
use thalweg_engine::stream::{PageKey, PageKind, Pager, StreamNeeds, StreamPlan};
use thalweg_engine::terrain::Terrain;
use thalweg_engine::tile::CowPlane;
use thalweg_engine::units::{OUTSIDE, VerticalScale};

/// The beds of a world.
#[derive(Debug, Clone)]
pub(super) enum WorldRelief {
    /// All in memory; copies of a world share it until one of them edits its ground.
    InMemory(Arc<Terrain>),
    /// In a file.
    InFile(Arc<Pager>),
}

impl WorldRelief {
    /// Returns the vertical unit and datum.
    pub fn scale(&self) -> VerticalScale {
        match self {
            Self::InMemory(terrain) => terrain.scale(),
            Self::InFile(pager) => pager.head().scale,
        }
    }

    /// Returns the width of the cells of a level, m.
    pub fn cell_width_m(&self, level: u8) -> f64 {
        match self {
            Self::InMemory(terrain) => terrain.cell_width_m(level),
            Self::InFile(pager) => pager.head().cell_width_m * f64::from(1_u32 << level),
        }
    }

    /// Returns the coarsest level.
    pub fn coarsest(&self) -> u8 {
        match self {
            Self::InMemory(terrain) => terrain.coarsest(),
            Self::InFile(pager) => pager.head().coarsest,
        }
    }

    /// Returns the columns and rows of a level, if it exists.
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

    /// Returns all tiles of the coarsest level, row by row.
    pub fn coarsest_tiles(&self) -> Vec<TileKey> {
        let level = self.coarsest();
        let (width, height) = self.size(level).expect("a level that there is");
        let [columns, rows] = [width, height]
            .map(|cells| u32::try_from(cells.div_ceil(TILE_WIDTH)).expect("2¹⁴ tiles a side"));
        (0..rows).flat_map(|y| (0..columns).map(move |x| TileKey { level, x, y })).collect()
    }

    /// Whether a tile is on the map, at least in part.
    pub fn has(&self, tile: TileKey) -> bool {
        // No level is finer than the size of any map allows.
        let Some((width, height)) = self.size(tile.level) else { return false };
        let within = |at: u32, cells: usize| (at as usize) < cells.div_ceil(TILE_WIDTH);
        within(tile.x, width) && within(tile.y, height)
    }

    /// Returns the terrain, if it is in memory.
    pub fn in_memory(&self) -> Option<&Terrain> {
        match self {
            Self::InMemory(terrain) => Some(terrain),
            Self::InFile(_) => None,
        }
    }

    /// Returns the pages, if they are in a file.
    pub fn in_file(&self) -> Option<&Arc<Pager>> {
        match self {
            Self::InMemory(_) => None,
            Self::InFile(pager) => Some(pager),
        }
    }

    /// Refuses a setup that a streamed world cannot have.
    pub fn check_kind(&self, setup: &Setup) -> Result<(), WorldError> {
        let what = match self.in_file() {
            Some(_) if setup.level > 0 && setup.columns == ColumnKind::Flat => {
                "flat cells coarser than the finest of its file (sub-grid ones it can)"
            }
            _ => return Ok(()),
        };
        Err(WorldError::Streamed { what })
    }

    /// Checks that a streamed world fits its bytes with its classes and the cells of its budget, or
    /// with `leaves` leaves if they are more; sets the room for pages.
    pub fn check_budget(
        &self,
        setup: &Setup,
        leaves: usize,
        (class_bytes, budget_bytes): (u64, Option<u64>),
    ) -> Result<(), WorldError> {
        let Some(pager) = self.in_file() else { return Ok(()) };
        let of_leaves = TILE_CELLS as u64 * leaves as u64;
        let head = pager.head();
        // A world has no more leaves than its finest tiles, even if its budget allows more.
        let tiles = |cells: usize| cells.div_ceil(TILE_WIDTH) as u64;
        let of_world = TILE_CELLS as u64 * tiles(head.width) * tiles(head.height);
        let asked = setup.adaptive.map_or(0, |numbers| numbers.budget_cells);
        let needs = StreamNeeds {
            budget_cells: asked.min(of_world).max(of_leaves),
            tracers: setup.tracers.len() as u64,
            has_ground_water: setup.has_ground_water(),
            maps: setup.maps,
            has_tables: setup.has_tables(),
            world_cells: (head.width * head.height) as u64,
        };
        let plan = StreamPlan::of(&needs);
        let minimum = plan.total_bytes.saturating_add(class_bytes);
        let budget = budget_bytes.unwrap_or(minimum);
        if budget < minimum {
            return Err(WorldError::Bytes { budget, minimum });
        }
        pager.set_budget(plan.pages_of(budget - class_bytes));
        Ok(())
    }

    /// Requests the pages of new leaves.
    pub fn ask_for(&self, leaves: &[TileKey], columns: ColumnKind) {
        if let Some(pager) = self.in_file() {
            pager.want(leaf_pages(leaves, columns));
        }
    }

    /// Whether some of a tile is ground.
    pub fn has_ground(&self, tile: TileKey) -> bool {
        match self {
            Self::InMemory(terrain) => {
                let beds = terrain.level(tile.level).expect("a level that there is");
                let (corner, width) = (tile.corner(), TILE_WIDTH_U32);
                let mut cells = (0..width).flat_map(|y| (0..width).map(move |x| (x, y)));
                let at = |i: u32, from: u32| (from + i) as usize;
                cells.any(|(x, y)| beds.ground_bed(at(x, corner.x), at(y, corner.y)) != OUTSIDE)
            }
            Self::InFile(pager) => pager.has(tile),
        }
    }

    /// Requests the finest beds of tiles.
    pub fn ask_for_finest(&self, tiles: &[TileKey]) {
        if let Some(pager) = self.in_file() {
            pager.want(tiles.iter().map(|&tile| PageKind::GroundBeds.of(tile)));
        }
    }

    /// Requests the pages of grounds that are to be restored.
    pub fn ask_for_grounds(&self, leaves: &[TileKey], columns: ColumnKind) {
        if let Some(pager) = self.in_file() {
            pager.want(leaves.iter().flat_map(|&key| ground_pages(key, columns)));
        }
    }

    /// Waits for the pages of new leaves; returns false if one cannot be read.
    pub fn has_pages(&self, leaves: &[TileKey], columns: ColumnKind) -> bool {
        let fetch = |pager: &Arc<Pager>| pager.fetch(&leaf_pages(leaves, columns));
        self.in_file().is_none_or(|pager| fetch(pager).is_ok())
    }

    /// Moves on to the newest commit of the file that contains the pages.
    ///
    /// Returns false if the call must be repeated.
    pub fn follow_file(&self) -> bool {
        self.in_file().is_none_or(|pager| pager.settle())
    }
}

/// Returns the kind of beds of columns of this kind.
pub(super) fn beds_kind(columns: ColumnKind) -> PageKind {
    match columns {
        ColumnKind::Flat => PageKind::Beds,
        ColumnKind::SubGrid => PageKind::GroundBeds,
    }
}

/// Returns the leaves that a change makes.
pub(super) fn new_leaves(change: &Change) -> Vec<TileKey> {
    change.made().map(|(key, _)| *key).collect()
}

/// Returns the leaves that a change removes.
pub(super) fn old_leaves(change: &Change) -> Vec<LeafId> {
    let old = change.made().flat_map(|(_, origin)| origin.before());
    let mut old: Vec<LeafId> = old.filter_map(LeafId::known).collect();
    // The four children of a leaf follow each other along the curve, so no sort is needed.
    old.dedup();
    old
}

/// Returns the pages of the ground of a leaf.
fn ground_pages(key: TileKey, columns: ColumnKind) -> impl Iterator<Item = PageKey> {
    let has_tables = columns == ColumnKind::SubGrid && key.level > 0;
    let tables = has_tables.then(|| PageKind::Tables.of(key));
    [beds_kind(columns).of(key)].into_iter().chain(tables)
}

/// Returns the pages that new leaves read: beds of and beside their tiles, and their tables.
fn leaf_pages(leaves: &[TileKey], columns: ColumnKind) -> Vec<PageKey> {
    let of_leaf = |&key: &TileKey| {
        let beside = Side::ALL.map(|side| key.beside(side.offset().0, side.offset().1));
        let beside = beside.into_iter().flatten().map(|tile| beds_kind(columns).of(tile));
        beside.chain(ground_pages(key, columns))
    };
    let mut pages: Vec<PageKey> = leaves.iter().flat_map(of_leaf).collect();
    pages.sort_unstable();
    pages.dedup();
    pages
}

/// Beds of one level, to be looked up often.
pub(super) struct Looked<'a> {
    relief: &'a WorldRelief,
    level: u8,
    kind: PageKind,
    size: (i64, i64),
    /// Pages already read, if beds are in a file.
    pages: RefCell<BTreeMap<(u32, u32), CowPlane<i32>>>,
    /// One could not be read.
    has_failed: Cell<bool>,
}

impl<'a> Looked<'a> {
    /// Returns beds of one of their kinds.
    pub fn new(relief: &'a WorldRelief, level: u8, kind: PageKind) -> Self {
        let (width, height) = relief.size(level).expect("a level that there is");
        let size = (width as i64, height as i64);
        let (pages, has_failed) = (RefCell::default(), Cell::default());
        Self { relief, level, kind, size, pages, has_failed }
    }

    /// Returns the columns and rows of the map.
    pub fn size(&self) -> (i64, i64) {
        self.size
    }

    /// True if a page could not be read.
    pub fn has_failed(&self) -> bool {
        self.has_failed.get()
    }

    /// True within the map's rectangle.
    pub fn has(&self, (x, y): WorldCell) -> bool {
        (0..self.size.0).contains(&x) && (0..self.size.1).contains(&y)
    }

    /// Returns the bed of a cell; [`OUTSIDE`] if it is no part of the world, is beyond the map, or
    /// has a page that could not be read, which the pager reports.
    pub fn at(&self, (x, y): WorldCell) -> i32 {
        // A pair: without link-time optimisation `[x, y].map(…)` took twice as long as the look-up.
        let (Ok(column), Ok(row)) = (u32::try_from(x), u32::try_from(y)) else { return OUTSIDE };
        if !self.has((x, y)) {
            return OUTSIDE;
        }
        match self.relief {
            WorldRelief::InMemory(terrain) => {
                let beds = terrain.level(self.level).expect("a level that there is");
                match self.kind {
                    PageKind::Beds => beds.bed(column as usize, row as usize),
                    _ => beds.ground_bed(column as usize, row as usize),
                }
            }
            WorldRelief::InFile(pager) => {
                let place = CellPlace { x: column, y: row };
                let tile = TileKey::of_cell(self.level, place);
                let mut pages = self.pages.borrow_mut();
                let page = pages.entry((tile.x, tile.y)).or_insert_with(|| {
                    let page = pager.beds(self.kind.of(tile));
                    self.has_failed.set(self.has_failed.get() | page.is_err());
                    // This stays in the map, so a page that fails is not read again for each cell.
                    page.unwrap_or_else(|_| vec![OUTSIDE; TILE_CELLS].into())
                });
                page[place.index_in_tile()]
            }
        }
    }
}
