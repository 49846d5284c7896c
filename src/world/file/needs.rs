//! Memory that loading a world takes, computed from its head, its records and its directory.
//!
//! A file of a few bytes may describe a large world: a head, a budget of cells, planes of one
//! value, a levee that runs over its own cells a thousand times. So everything whose size the file
//! states is counted before it is read.
//!
//! Guarantees: a load never takes more than this (`tests/limits`).
//! Limits:     the estimate is up to three times too large.

use crate::world::setup::Setup;
use crate::world::weather_area::{CROSSING_BYTES, LEAF_BYTES, crossings};
use crate::world::{Barrier, ColumnKind};
use thalweg_engine::grid::TILE_CELLS;
use thalweg_engine::store::terrain::TerrainOutline;
use thalweg_engine::store::{OverLimit, Tally};
use thalweg_engine::stream::{StreamNeeds, StreamPlan};

/// Bytes of the tables of all levels that are kept for each finest cell, if leaves change.
const KEPT_TABLE_BYTES: u64 = 7;
/// Bytes of a class of a cell: in the file's map.
const CLASS_BYTES: u64 = 2;
/// Bytes of a face of a barrier, while it is laid over the leaves.
const FACE_BYTES: u64 = 128;
/// Bytes for any world: threads, and planes under way.
const FIXED_BYTES: u64 = 16 << 20;

/// Memory that a load takes in addition to its terrain, from the file's contents.
#[derive(Debug)]
pub struct LoadNeeds<'a> {
    /// Setup of the world.
    pub setup: &'a Setup,
    /// Size of the world, and the area of its ground.
    pub outline: &'a TerrainOutline,
    /// Number of leaves.
    pub leaves: u64,
    /// Number of extents of classes.
    pub class_planes: u64,
    /// Bytes of its accounts, with their names.
    pub account_bytes: u64,
}

impl LoadNeeds<'_> {
    /// Counts a world whose terrain and water are kept in memory.
    ///
    /// # Errors
    ///
    /// [`OverLimit`] if the world needs more than the tally allows.
    pub fn take_held(&self, tally: &mut Tally) -> Result<(), OverLimit> {
        self.check_cells(tally)?;
        let terrain = self.outline.head().terrain_bytes();
        let all = terrain.saturating_add(self.leaf_bytes()).saturating_add(self.other_bytes());
        tally.take("this world, once it is loaded,", all)
    }

    /// Counts the memory of a streamed world in addition to its leaves and its pages, which have a
    /// budget.
    ///
    /// # Errors
    ///
    /// [`OverLimit`] if the world needs more than the tally allows.
    pub fn take_streamed(&self, tally: &mut Tally) -> Result<(), OverLimit> {
        self.check_cells(tally)?;
        tally.take("this world, beside its leaves,", self.other_bytes())
    }

    /// Checks the number of cells, and the number that a change of leaves may make of them.
    fn check_cells(&self, tally: &Tally) -> Result<(), OverLimit> {
        let ground = self.outline.ground_tiles() * TILE_CELLS as u64;
        let budget = self.setup.adaptive.map_or(0, |numbers| numbers.budget_cells.min(ground));
        tally.limits().check_cells("this world", budget.max(self.leaves * TILE_CELLS as u64))
    }

    fn leaf_bytes(&self) -> u64 {
        let cells = self.leaves * TILE_CELLS as u64;
        let plan = StreamPlan::of(&StreamNeeds {
            budget_cells: cells,
            tracers: self.setup.tracers.len() as u64,
            has_ground_water: self.setup.has_ground_water(),
            maps: self.setup.maps,
            has_tables: self.setup.has_tables(),
            world_cells: 0,
        });
        let keeps_tables =
            self.setup.columns == ColumnKind::SubGrid && self.setup.adaptive.is_some();
        let ground = self.outline.ground_tiles() * TILE_CELLS as u64;
        let kept = if keeps_tables { ground * KEPT_TABLE_BYTES } else { 0 };
        plan.leaf_bytes.saturating_add(kept)
    }

    /// Returns the bytes of areas of weather, and of their parts in leaves.
    fn area_bytes(&self, cell_width_m: f64) -> u64 {
        let rows = self.outline.head().height >> self.setup.level;
        let of_area = |area| crossings(area, rows, cell_width_m) as u64 * CROSSING_BYTES;
        let areas = self.setup.areas.values().map(of_area).fold(0, u64::saturating_add);
        let of_leaves = self.leaves.saturating_mul(self.setup.areas.len() as u64);
        areas.saturating_add(of_leaves.saturating_mul(LEAF_BYTES))
    }

    fn other_bytes(&self) -> u64 {
        let cells = self.leaves * TILE_CELLS as u64;
        let classed = self.setup.layers.iter().filter(|layer| layer.has_classes).count() as u64
            + u64::from(self.setup.has_roughness);
        let planes = self.class_planes * TILE_CELLS as u64;
        let classes = planes.saturating_add(cells.saturating_mul(classed)) * CLASS_BYTES;
        let width_m = self.outline.head().cell_width_m * f64::from(1_u32 << self.setup.level);
        let faces = self.setup.barriers.iter().map(|barrier| faces(barrier, width_m));
        let faces = faces.fold(0_u64, u64::saturating_add).saturating_mul(FACE_BYTES);
        // The world has a ledger, and so has each tracer; one more is counted.
        let ledgers = self.setup.tracers.len() as u64 + 2;
        let accounts = self.account_bytes.saturating_mul(ledgers);
        let areas = self.area_bytes(width_m);
        let all = [classes, faces, accounts, areas].into_iter();
        all.fold(FIXED_BYTES, u64::saturating_add)
    }
}

/// Returns the maximum number of faces that a barrier closes, over cells of that width.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
fn faces(barrier: &Barrier, cell_width_m: f64) -> u64 {
    let of_line = |pair: &[[f64; 2]]| {
        let along = |axis: usize| (pair[1][axis] - pair[0][axis]).abs() / cell_width_m;
        (along(0) + along(1)).ceil() as u64 + 2
    };
    barrier.path_m.windows(2).map(of_line).fold(0, u64::saturating_add)
}
