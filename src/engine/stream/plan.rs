//! The number of bytes that a streamed world needs, computed before it is built.

use crate::grid::TILE_CELLS;
use crate::stream::PageKind;
use crate::tile::MapKinds;
use crate::tile::columns::LeafColumns;

/// Bytes of a cell's ground, and of its water twice.
// Water: depth, discharge eastward and discharge northward, 4 bytes each.
const CELL_BYTES: u64 = 4 + 2 * 12;
/// Bytes of a cell's water that a save in the background needs in addition, while the leaf
/// continues; between saves the same number is spare. Flood maps are needed twice as well.
const SAVED_BYTES: u64 = 12;
/// Bytes of a cell for each tracer: twice in the run, once in a save.
const TRACER_BYTES: u64 = 3 * 8;
/// Pages of beds that a new leaf reads: its own and four beside it. All leaves may be new at once.
const PAGES: u64 = 5;
/// One of this many leaves may get its tables in a change without a wait: a page of tables belongs
/// to its leaf from then on.
const LEAVES_A_TABLE: u64 = 4;
/// Leaves whose pages are in use by threads that make the leaves.
const UNDER_WAY: u64 = 4;
/// Bytes for any number of leaves: directory, covers, threads.
const FIXED_BYTES: u64 = 48 << 20;

/// Requirements on a streamed world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamNeeds {
    /// Most cells of all leaves together.
    pub budget_cells: u64,
    /// Number of tracers.
    pub tracers: u64,
    /// Whether the ground takes water.
    pub has_ground_water: bool,
    /// Kinds of flood maps that leaves keep.
    pub maps: MapKinds,
    /// Whether columns are sub-grid ones, with tables.
    pub has_tables: bool,
    /// Finest cells of the world: their tiles are listed.
    pub world_cells: u64,
}

/// The number of bytes that a streamed world needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamPlan {
    /// Most leaves.
    pub leaves: u64,
    /// Bytes of all leaves, with the bytes that a save needs for them.
    pub leaf_bytes: u64,
    /// Bytes of pages of terrain with which no page is waited for.
    pub page_bytes: u64,
    /// The smallest budget: the sum of all parts.
    pub total_bytes: u64,
}

impl StreamPlan {
    /// Returns the plan of a world that never waits for its file.
    ///
    /// # Examples
    ///
    /// ```
    /// use thalweg_engine::stream::{StreamNeeds, StreamPlan};
    /// use thalweg::world::MapKinds;
    /// let needs = StreamNeeds {
    ///     budget_cells: 2 << 20,
    ///     maps: MapKinds::ALL,
    ///     tracers: 0,
    ///     has_ground_water: false,
    ///     has_tables: false,
    ///     world_cells: 1 << 28,
    /// };
    /// assert_eq!(StreamPlan::of(&needs).leaves, 512);
    /// assert!(StreamPlan::of(&needs).total_bytes < 512 << 20);
    /// ```
    #[must_use]
    pub fn of(needs: &StreamNeeds) -> Self {
        let leaves = needs.budget_cells / TILE_CELLS as u64;
        let soaked = if needs.has_ground_water { 8 } else { 0 };
        // Any number of tracers may be given: the bound keeps this sum from overflowing.
        let cell_bytes = CELL_BYTES
            + SAVED_BYTES
            + 2 * needs.maps.bytes_a_cell()
            + TRACER_BYTES.saturating_mul(needs.tracers).min(1 << 30)
            + soaked;
        let cells = leaves.saturating_mul(TILE_CELLS as u64);
        let tables = if needs.has_tables { PageKind::Tables.bytes() } else { 0 };
        let pieces = if needs.has_tables { LeafColumns::BYTES_OF_PIECES as u64 } else { 0 };
        let leaf_bytes =
            cells.saturating_mul(cell_bytes).saturating_add(leaves.saturating_mul(tables + pieces));
        let pages = leaves.saturating_add(UNDER_WAY);
        let page_bytes = pages
            .saturating_mul(PAGES * PageKind::Beds.bytes())
            .saturating_add((leaves.div_ceil(LEAVES_A_TABLE) + UNDER_WAY).saturating_mul(tables));
        // An entry of the directory and a cover for each tile of each level.
        let listed = needs.world_cells / TILE_CELLS as u64 * 4 / 3 * 64;
        let total_bytes =
            (FIXED_BYTES + listed).saturating_add(leaf_bytes.saturating_add(page_bytes));
        Self { leaves, leaf_bytes, page_bytes, total_bytes }
    }

    /// Returns the bytes of a budget that are left for pages, without leaves and lists.
    #[must_use]
    pub fn pages_of(&self, budget_bytes: u64) -> u64 {
        self.page_bytes + budget_bytes.saturating_sub(self.total_bytes)
    }
}
