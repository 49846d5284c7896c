//! Worlds whose beds stay in their file: making them, opening them, and what they read.

use crate::world::relief::{Relief, beds_kind};
use crate::world::{ColumnKind, FileError, SaveFile, World, WorldBuilder};
use std::sync::Arc;
use thalweg_engine::forest::criteria::Criterion;
use thalweg_engine::grid::TileKey;
use thalweg_engine::store::StoreError;
use thalweg_engine::store::terrain::make_tables;
use thalweg_engine::stream::{Pager, StreamCounters};

/// How a world is streamed. Give its [`AdaptiveOptions`](crate::world::AdaptiveOptions) some
/// cycles ahead, eight for a disk: without them each change of leaves waits for its pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamOptions {
    /// Bytes of memory that the world may take.
    pub budget_bytes: u64,
}

impl Default for StreamOptions {
    /// Two gibibytes.
    fn default() -> Self {
        Self { budget_bytes: 2 << 30 }
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
        let mut builder = WorldBuilder::on(Relief::InFile(Arc::new(pager)));
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
        if self.setup()?.columns == ColumnKind::SubGrid {
            match self.make_tables(&mut |_| ()) {
                // Who only reads makes them as they are needed.
                Ok(_) | Err(FileError::Store(StoreError::ReadOnly)) => {}
                Err(error) => return Err(error),
            }
        }
        let builder = self.builder(options)?;
        self.load_on(builder, criteria)
    }

    /// Makes the tables of sub-grid columns that take long and that the file does not hold yet, and
    /// commits them: a world that is streamed from here reads them then, where it made them anew
    /// otherwise, whenever a leaf needs some. [`SaveFile::stream`] does it where its world has such
    /// columns. Returns of how many tiles; `watch` is called from time to time with the share that
    /// is done.
    ///
    /// # Errors
    ///
    /// [`FileError::Store`]; what was committed until then stays, and the next call goes on there.
    pub fn make_tables(&mut self, watch: &mut dyn FnMut(f64)) -> Result<u64, FileError> {
        self.commit_derived(|store| Ok(make_tables(store, watch)?))
    }
}

/// Reading from the file of a world while it runs: [`World::stream`].
#[derive(Debug, Clone, Copy)]
pub struct StreamView<'a> {
    pub(super) world: &'a World,
}

impl World {
    /// Reading from the world's file while it runs: counters and errors.
    #[must_use]
    pub fn stream(&self) -> StreamView<'_> {
        StreamView { world: self }
    }
}

impl StreamView<'_> {
    /// Counters of streaming; `None` where the world's beds are in memory.
    #[must_use]
    pub fn counters(self) -> Option<StreamCounters> {
        let World { site, saved, .. } = self.world;
        let counters = site.relief().in_file()?.counters();
        let dirty = self.world.changed_since(saved.revision()) as u64;
        Some(StreamCounters { dirty, bytes_out: saved.bytes(), ..counters })
    }

    /// True where the page of a tile is kept in memory, beside what leaves hold of it themselves:
    /// always, but where the world is streamed.
    #[must_use]
    pub fn is_resident(self, tile: TileKey) -> bool {
        let page = beds_kind(self.world.site.columns()).of(tile);
        self.world.site.relief().in_file().is_none_or(|pager| pager.holds(page))
    }

    /// Why some leaves do not change: a page of the world's file that could not be read.
    #[must_use]
    pub fn error(self) -> Option<Arc<StoreError>> {
        self.world.site.relief().in_file()?.error()
    }
}
