//! Worlds whose beds stay in their file: making them, opening them, and their pages.

use crate::forest::PlanError;
use crate::forest::change::{Change, Origin};
use crate::forest::criteria::Criterion;
use crate::grid::{Side, TILE_CELLS, TILE_WIDTH, TileKey};
use crate::probe::LeafMaps;
use crate::sim::Simulation;
use crate::store::StoreError;
use crate::stream::{Pager, StreamCounters, StreamNeeds, StreamPlan};
use crate::world::relief::Relief;
use crate::world::setup::{AdaptiveNumbers, Setup};
use crate::world::{ColumnKind, FileError, SaveFile, World, WorldBuilder, WorldError};
use std::sync::Arc;

/// How a world is streamed. Give its [`AdaptiveOptions`](crate::world::AdaptiveOptions) some
/// cycles ahead, eight for a disk: without them each change of leaves waits for its pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamOptions {
    /// Bytes of memory that the world may take.
    pub budget_bytes: u64,
}

impl Default for StreamOptions {
    /// Half a gibibyte.
    fn default() -> Self {
        Self { budget_bytes: 512 << 20 }
    }
}

impl SaveFile {
    /// A builder of a world on the terrain of this file, whose beds stay there: they come page by
    /// page where leaves change. Save the world here once it is built.
    ///
    /// # Errors
    ///
    /// [`FileError::Store`] where the file holds no terrain or cannot be read.
    pub fn builder(&self, options: StreamOptions) -> Result<WorldBuilder, FileError> {
        let pager = Pager::open(self.store().reader(), options.budget_bytes)?;
        let mut builder = WorldBuilder::on(Relief::Paged(Arc::new(pager)));
        builder.budget_bytes = Some(options.budget_bytes);
        Ok(builder)
    }

    /// The world of the last commit, as [`SaveFile::load`], but its beds stay in the file.
    ///
    /// # Errors
    ///
    /// As of [`SaveFile::load`]; where the budget is too small for what the world is, or the world
    /// of a kind that cannot be streamed.
    pub fn stream(
        &mut self,
        criteria: Vec<Box<dyn Criterion>>,
        options: StreamOptions,
    ) -> Result<World, FileError> {
        let builder = self.builder(options)?;
        self.load_on(builder, criteria)
    }
}

/// Checks that a streamed world fits its bytes with the cells of its budget, or with `leaves`
/// leaves where those are more; sets the room for pages.
pub(super) fn check_budget(
    pager: &Pager,
    setup: &Setup,
    leaves: usize,
    budget_bytes: Option<u64>,
) -> Result<(), WorldError> {
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

impl WorldBuilder {
    /// Whether a world that is asked to be so can be streamed, with so many leaves, in what it may
    /// take.
    pub(super) fn check_streamed(&self, setup: &Setup, leaves: usize) -> Result<(), WorldError> {
        check_kind(&self.relief, setup)?;
        let Some(pager) = self.relief.paged() else { return Ok(()) };
        check_budget(pager, setup, leaves, self.budget_bytes)
    }
}

/// Refuses a setup that a streamed world cannot have.
pub(super) fn check_kind(relief: &Relief, setup: &Setup) -> Result<(), WorldError> {
    let what = match relief.paged() {
        Some(_) if setup.columns == ColumnKind::SubGrid => "sub-grid columns",
        Some(_) if setup.has_roughness || setup.layers.iter().any(|layer| layer.has_classes) => {
            "classes of roughness or of rates by cell"
        }
        Some(_) if setup.level > 0 => "cells coarser than the finest of its file",
        _ => return Ok(()),
    };
    Err(WorldError::Streamed { what })
}

/// Checks that a streamed world may have `budget_cells`; present and planned leaves count, since
/// leaves go one step at a time.
pub(super) fn check_bytes(world: &World, budget_cells: u64) -> Result<(), PlanError> {
    let (Some(pager), Some(numbers)) = (world.site.relief().paged(), world.setup.adaptive) else {
        return Ok(());
    };
    let mut setup = world.setup.clone();
    setup.adaptive = Some(AdaptiveNumbers { budget_cells, ..numbers });
    let planned = world.adaptive.as_ref().and_then(|adaptive| adaptive.pending());
    let planned = planned.map_or(0, |change| change.leaves.len());
    let leaves = world.simulation.forest().leaves().len().max(planned);
    match check_budget(pager, &setup, leaves, world.budget_bytes) {
        Err(WorldError::Bytes { budget, minimum }) => Err(PlanError::Bytes { budget, minimum }),
        _ => Ok(()),
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

impl Relief {
    /// Requests the pages of a change.
    pub fn ask_ahead(&self, change: &Change) {
        if let Some(pager) = self.paged() {
            pager.want(pages_of(change));
        }
    }

    /// Waits for the pages of a change; false where one cannot be read.
    pub fn has_pages(&self, change: &Change) -> bool {
        self.paged().is_none_or(|pager| pager.fetch(&pages_of(change)).is_ok())
    }

    /// Moves on to the newest commit of the file that the pages come from.
    pub fn follow_file(&self) {
        if let Some(pager) = self.paged() {
            pager.settle();
        }
    }
}

/// Reading from the file of a world while it runs: [`World::stream`].
#[derive(Debug, Clone, Copy)]
pub struct StreamView<'a> {
    pub(super) world: &'a World,
}

impl StreamView<'_> {
    /// Counters of streaming; `None` where the world's beds are in memory.
    #[must_use]
    pub fn counters(self) -> Option<StreamCounters> {
        let World { simulation, maps, site, saved, .. } = self.world;
        let counters = site.relief().paged()?.counters();
        let dirty = changed_since(simulation, maps, saved.revision()) as u64;
        Some(StreamCounters { dirty, bytes_out: saved.bytes(), ..counters })
    }

    /// True where the page of a tile is kept in memory, beside what leaves hold of it themselves:
    /// always, but where the world is streamed.
    #[must_use]
    pub fn is_resident(self, tile: TileKey) -> bool {
        self.world.site.relief().paged().is_none_or(|pager| pager.holds(tile))
    }

    /// Why some leaves do not change: a page of the world's file that could not be read.
    #[must_use]
    pub fn error(self) -> Option<Arc<StoreError>> {
        self.world.site.relief().paged()?.error()
    }
}

/// Leaves, their maps among them, that have changed since a number.
pub(super) fn changed_since(simulation: &Simulation, maps: &[LeafMaps], revision: u64) -> usize {
    let changed = |leaf: usize| simulation.leaves().changed_at(leaf).max(maps[leaf].changed);
    (0..maps.len()).filter(|&leaf| changed(leaf) >= revision).count()
}
