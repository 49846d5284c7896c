//! Worlds whose beds stay in their file: how they are made, opened and read.

use crate::world::relief::{WorldRelief, beds_kind};
use crate::world::{ColumnKind, FileError, SaveFile, World, WorldBuilder};
use std::sync::Arc;
use thalweg_engine::forest::criteria::Criterion;
use thalweg_engine::grid::TileKey;
use thalweg_engine::store::StoreError;
use thalweg_engine::store::terrain::make_tables;
use thalweg_engine::stream::{Pager, StreamCounters};

/// Options of a streamed world. Give its [`AdaptiveOptions`](crate::world::AdaptiveOptions) some
/// cycles ahead, eight for a disk: without them each change of leaves waits for its pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamOptions {
    /// Bytes of memory that the world may take.
    pub budget_bytes: u64,
}

impl Default for StreamOptions {
    /// Returns a budget of two gibibytes.
    fn default() -> Self {
        Self { budget_bytes: 2 << 30 }
    }
}

impl SaveFile {
    /// Returns a builder of a world on the terrain of this file, whose beds stay there: they are
    /// read page by page where leaves change. Save the world here once it is built.
    ///
    /// # Errors
    ///
    /// [`FileError::Store`] if the file contains no terrain or cannot be read.
    pub fn builder(&self, options: StreamOptions) -> Result<WorldBuilder, FileError> {
        let pager = Pager::open(self.store().reader(), options.budget_bytes)?;
        let mut builder = WorldBuilder::on(WorldRelief::InFile(Arc::new(pager)));
        builder.budget_bytes = Some(options.budget_bytes);
        Ok(builder)
    }

    /// Loads the last commit, as [`SaveFile::load`] does, but its beds stay in the file.
    ///
    /// # Errors
    ///
    /// Same as [`SaveFile::load`]; also if the budget is too small for the world, or the world is
    /// of a kind that cannot be streamed.
    pub fn stream(
        &mut self,
        criteria: Vec<Box<dyn Criterion>>,
        options: StreamOptions,
    ) -> Result<World, FileError> {
        if self.setup()?.columns == ColumnKind::SubGrid {
            // The tables are committed before the builder opens pages, because it reads the last
            // commit.
            match self.make_tables(&mut |_| ()) {
                // A read-only file gets no tables: they are made as they are needed.
                Ok(_) | Err(FileError::Store(StoreError::ReadOnly)) => {}
                Err(error) => return Err(error),
            }
        }
        let builder = self.builder(options)?;
        self.load_on(builder, criteria)
    }

    /// Makes the slow tables of sub-grid columns that the file does not contain yet, and commits
    /// them: a world streamed from here then reads them instead of making them anew whenever a leaf
    /// needs some. [`SaveFile::stream`] does so if its world has such columns. Returns the number
    /// of tiles; `watch` is called from time to time with the completed share.
    ///
    /// # Errors
    ///
    /// [`FileError::Store`]; tables committed until then stay, and the next call continues there.
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
    /// Returns the state of the reads from the world's file while it runs: counters and errors.
    #[must_use]
    pub fn stream(&self) -> StreamView<'_> {
        StreamView { world: self }
    }
}

impl StreamView<'_> {
    /// Returns counters of streaming; `None` if the world's beds are in memory.
    #[must_use]
    pub fn counters(self) -> Option<StreamCounters> {
        let World { site, saved, .. } = self.world;
        let counters = site.relief().in_file()?.counters();
        let dirty = self.world.changed_since(saved.revision()) as u64;
        Some(StreamCounters { dirty, bytes_out: saved.bytes(), ..counters })
    }

    /// True if the page of a tile is kept in memory, beside the leaves' own copy of it; always true
    /// if the world is not streamed.
    #[must_use]
    pub fn is_resident(self, tile: TileKey) -> bool {
        let page = beds_kind(self.world.site.columns()).of(tile);
        self.world.site.relief().in_file().is_none_or(|pager| pager.holds(page))
    }

    /// Returns why some leaves do not change: a page of the world's file that could not be read.
    #[must_use]
    pub fn error(self) -> Option<Arc<StoreError>> {
        self.world.site.relief().in_file()?.error()
    }
}
