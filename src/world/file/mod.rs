//! A world in its file: saved as it runs, opened to continue.
//!
//! ```
//! use thalweg::follow::Memory;
//! use thalweg::terrain::{TerrainBuilder, TerrainOptions};
//! use thalweg::units::{SimTime, VerticalScale};
//! use thalweg::world::{SaveFile, WorldBuilder};
//! # let scale = VerticalScale::choose(0.0, 4.0, 20.0)?;
//! # let options =
//! #     TerrainOptions { width: 9, height: 5, cell_width_m: 1.0, scale, bed_exponent: 10 };
//! # let mut terrain = TerrainBuilder::try_new(options)?;
//! # (0..5).try_for_each(|_| terrain.push_row(&[0.0; 9]))?;
//! let mut world = WorldBuilder::new(terrain.finish()?)
//!     .initial_depth(|place| if place.x < 4 { 2.0 } else { 0.5 })
//!     .build()?;
//! // A game takes `SaveFile::create(path, &world)`.
//! let disk = Memory::default();
//! let mut file = SaveFile::create_on(Box::new(disk), &world)?;
//! world.run_until(SimTime::from_seconds(3.0));
//! file.save(&world)?;
//!
//! let mut again = file.load(Vec::new())?;
//! assert_eq!(again.state_hash(), world.state_hash());
//! world.run_until(SimTime::from_seconds(5.0));
//! again.run_until(SimTime::from_seconds(5.0));
//! assert_eq!(again.state_hash(), world.state_hash());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A save writes the leaves that have changed since the save before, and one commit makes all of
//! them durable together. The file contains the setup of a world as text and its state as planes:
//! `src/guide/format.md`.
//!
//! Guarantees: a world that was opened continues as the one that was saved, to the bit
//!             (`tests/engine/saved.rs`), after any sequence of calls before the save
//!             (`tests/saved/rounds.rs`). A broken world is not saved. A file that is not a world
//!             of this kind, or whose sums differ from its ledger, is an error that names the fault
//!             and its place.
//! Limits:     criteria and visual layers belong to the game, which supplies them again; the water
//!             of all leaves is in memory, that of leaves asleep packed, and the terrain too,
//!             except with [`SaveFile::stream`].

mod classes;
mod drawn;
mod elsewhere;
mod error;
mod finest;
mod leaf;
mod load;
mod maps;
mod needs;
pub(super) mod planes;
mod readback;
mod run;
mod saver;
mod snapshot;
mod solids;
mod summary;

pub use drawn::{LeafChange, SurfaceSource};
pub use error::FileError;
pub use saver::Saver;
pub use summary::{LeafDepths, StoredWater, WorldSummary};

use crate::world::file::run::RunRecord;
use crate::world::file::snapshot::{EncodingThreads, Snapshot};
use crate::world::relief::WorldRelief;
use crate::world::saved::Saved;
use crate::world::setup::Setup;
use crate::world::{World, WorldBuilder};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::sync::Arc;
use thalweg_engine::forest::criteria::Criterion;
use thalweg_engine::grid::TileKey;
use thalweg_engine::store::backend::Backend;
use thalweg_engine::store::terrain::write_terrain;
use thalweg_engine::store::{KeptCommit, Layer, Limits, Reading, Store, Tally};
use thalweg_engine::units::SimTime;

/// The file of a world.
#[derive(Debug)]
pub struct SaveFile {
    store: Store,
    /// Worlds of which the file contains a moment, each once.
    held: Vec<FileContent>,
    /// Label under which the last commit is to be kept, until the next commit records it.
    keeps: Option<u64>,
    /// Limits of the file's world.
    limits: Limits,
}

/// Content of a file for a world.
#[derive(Debug)]
struct FileContent {
    world: Arc<Saved>,
    /// Number of the commit that contains the world.
    generation: u64,
    /// Changes from this number on are not in the commit.
    revision: u64,
    forest: Vec<TileKey>,
}

impl FileContent {
    fn is_in(&self, kept: &KeptCommit) -> bool {
        kept.generation == self.generation
    }
}

impl SaveFile {
    /// Saves a world in a new file.
    ///
    /// # Errors
    ///
    /// [`FileError::Store`], with `AlreadyExists` if the file exists; else the errors of
    /// [`SaveFile::save`]. No new file remains then.
    pub fn create(path: &Path, world: &World) -> Result<Self, FileError> {
        elsewhere::begun(path, |store| Self::begin(store, world))
    }

    /// Creates a file on any backend.
    ///
    /// # Errors
    ///
    /// [`FileError::Store`].
    pub fn create_on(backend: Box<dyn Backend>, world: &World) -> Result<Self, FileError> {
        Self::begin(Store::create_on(backend)?, world)
    }

    fn begin(store: Store, world: &World) -> Result<Self, FileError> {
        let mut file = Self::of(store);
        file.save(world)?;
        Ok(file)
    }

    /// Returns the file of a store.
    #[must_use]
    pub fn of(store: Store) -> Self {
        Self { store, held: Vec::new(), keeps: None, limits: Limits::default() }
    }

    /// Sets the limits of the file's world: a load that needs more is refused before memory is
    /// taken for it.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the way in which the pages of a world streamed from here are read: at their places, for
    /// a medium that may fail or vanish meanwhile.
    #[must_use]
    pub fn reading(self, reading: Reading) -> Self {
        self.store.set_reading(reading);
        self
    }

    /// Opens a file to continue with its world, and to save it there.
    ///
    /// # Errors
    ///
    /// [`FileError::Store`].
    pub fn open(path: &Path) -> Result<Self, FileError> {
        Ok(Self::of(Store::open(path)?))
    }

    /// Opens a file to read its world, which may be open elsewhere.
    ///
    /// # Errors
    ///
    /// [`FileError::Store`].
    pub fn read(path: &Path) -> Result<Self, FileError> {
        Ok(Self::of(Store::read(path)?))
    }

    /// Returns the store below, without the facts of its world.
    #[must_use]
    pub fn into_store(self) -> Store {
        self.store
    }

    /// Returns the store below.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Puts extents that follow from the rest of the last commit, and commits them: worlds of that
    /// commit count as worlds of the new one.
    pub(super) fn commit_derived<T>(
        &mut self,
        put: impl FnOnce(&mut Store) -> Result<T, FileError>,
    ) -> Result<T, FileError> {
        let last = self.store.generation();
        let done = self.or_roll_back(|file| put(&mut file.store));
        let generation = self.store.generation();
        if generation > last {
            self.keeps = None;
        }
        for held in self.held.iter_mut().filter(|held| held.generation == last) {
            held.generation = generation;
        }
        done
    }

    /// Returns the setup of the world of the last commit.
    pub(super) fn setup(&self) -> Result<Setup, FileError> {
        load::setup_of(&self.store, &mut Tally::of(self.limits))
    }

    /// Loads the world of the last commit. `criteria` are the earlier criteria of the world, if its
    /// leaves change: no file contains them. If fewer are given than before, each cycle's report
    /// counts the missing ones (`CycleReport::missing_criteria`).
    ///
    /// # Errors
    ///
    /// [`FileError`] names the part of the file that differs from the save; [`StoreError::Limit`]
    /// in it names the part that needs more than [`SaveFile::limits`] allow.
    ///
    /// [`StoreError::Limit`]: thalweg_engine::store::StoreError::Limit
    pub fn load(&mut self, criteria: Vec<Box<dyn Criterion>>) -> Result<World, FileError> {
        let _span = tracing::debug_span!("load").entered();
        let world = load::load(&self.store, &self.limits, criteria)?;
        self.hold(&world, self.store.generation());
        Ok(world)
    }

    /// Loads on a builder that has the terrain of this file.
    pub(super) fn load_on(
        &mut self,
        builder: WorldBuilder,
        criteria: Vec<Box<dyn Criterion>>,
    ) -> Result<World, FileError> {
        let _span = tracing::debug_span!("load").entered();
        let world = load::load_on(&self.store, &self.limits, builder, criteria)?;
        self.hold(&world, self.store.generation());
        Ok(world)
    }

    /// Notes that a commit contains the present state of a world.
    fn hold(&mut self, world: &World, generation: u64) {
        // The commit contains all changes up to now, so the first one that it lacks is the next.
        let revision = world.simulation.revision() + 1;
        world.saved.note(revision, 0);
        self.now_holds(FileContent {
            world: Arc::clone(&world.saved),
            generation,
            revision,
            forest: world.simulation.forest().leaves().to_vec(),
        });
    }

    fn now_holds(&mut self, held: FileContent) {
        // A world that is gone needs no entry.
        self.held.retain(|other| {
            // Ways back and layers hold the identity weakly: a second strong reference is that of a
            // world, a snapshot or another file.
            !Arc::ptr_eq(&other.world, &held.world) && Arc::strong_count(&other.world) > 1
        });
        self.held.push(held);
    }

    /// Keeps the last commit for good, with all of its world at that time: a moment to return to.
    /// Commits share the parts that did not change between them. The next save makes this durable.
    ///
    /// # Errors
    ///
    /// [`FileError::Store`].
    pub fn keep(&mut self) -> Result<(), FileError> {
        let run: RunRecord = load::run_of(&self.store, &mut Tally::of(self.limits))?;
        if self.is_kept()? {
            return Ok(());
        }
        self.store.keep(run.time)?;
        self.keeps = Some(run.time);
        Ok(())
    }

    /// Returns true if the last moment that is kept is the same as the last commit.
    fn is_kept(&self) -> Result<bool, FileError> {
        let Some(last) = self.store.kept()?.pop() else { return Ok(false) };
        let then = self.store.reader_at(last.generation)?;
        Ok(self.store.reader().changes_since(&then)?.is_none())
    }

    /// Returns the moments that are kept, oldest first: the number of the commit, and the time.
    ///
    /// # Errors
    ///
    /// [`FileError::Store`].
    pub fn moments(&self) -> Result<Vec<(u64, SimTime)>, FileError> {
        let moment = |kept: &KeptCommit| (kept.generation, SimTime::from_ticks(kept.label));
        Ok(self.store.kept()?.iter().map(moment).collect())
    }

    /// Stops keeping a moment; returns false if it was not kept. The next save makes this durable,
    /// and the space of the moment is used again two saves later.
    ///
    /// # Errors
    ///
    /// [`FileError::Store`].
    pub fn forget(&mut self, generation: u64) -> Result<bool, FileError> {
        Ok(self.store.forget(generation)?)
    }

    /// Loads the world of a moment that is kept, to read it or to continue from it; see
    /// [`SaveFile::load`]. A save of that world replaces all later commits, except kept ones, and
    /// writes the changes since that moment: it shares the rest with it.
    ///
    /// # Errors
    ///
    /// The errors of [`SaveFile::load`], and an error if that commit is not kept.
    pub fn load_at(
        &mut self,
        generation: u64,
        criteria: Vec<Box<dyn Criterion>>,
    ) -> Result<World, FileError> {
        let world = load::load(&self.store.reader_at(generation)?, &self.limits, criteria)?;
        self.hold(&world, generation);
        Ok(world)
    }

    /// Saves a world: the changes since it was saved here or loaded from here, or all of it if it
    /// was not. Returns the number of the commit.
    ///
    /// # Errors
    ///
    /// [`FileError::Store`]: the last commit is still valid, the world is unchanged, and may be
    /// saved again here or elsewhere. [`FileError::Broken`]: the world cannot be saved, here or
    /// elsewhere. [`FileError::Unreadable`]: the data written could not be loaded; debug builds
    /// read all of it back, other builds the records.
    pub fn save(&mut self, world: &World) -> Result<u64, FileError> {
        let snapshot = self.snapshot(world)?;
        if !self.holds(world) {
            self.held.retain(|held| !Arc::ptr_eq(&held.world, &world.saved));
            self.or_roll_back(|file| file.put_all(world))?;
        }
        self.commit(&snapshot, EncodingThreads::Together)
    }

    /// Returns true if the file contains an earlier moment of this world.
    fn holds(&self, world: &World) -> bool {
        self.held_of(&world.saved).is_some()
    }

    /// Returns the content of a world: in the last commit, or in one that is kept.
    fn held_of(&self, world: &Arc<Saved>) -> Option<&FileContent> {
        let held = self.held.iter().find(|held| Arc::ptr_eq(&held.world, world))?;
        let is_there = held.generation == self.store.generation()
            || self.store.kept().is_ok_and(|kept| kept.iter().any(|kept| held.is_in(kept)));
        is_there.then_some(held)
    }

    /// Writes a snapshot of the file's world, and leaves the remaining threads to the world.
    fn write_alone(&mut self, snapshot: &Snapshot) -> Result<u64, FileError> {
        self.commit(snapshot, EncodingThreads::Alone)
    }

    /// Returns the number of leaves that the next save of a world here would write.
    #[must_use]
    pub fn changed_leaves(&self, world: &World) -> usize {
        world.changed_since(self.revision_of(world))
    }

    /// Returns the changes of a world since it was last in this file; debug builds and unit tests
    /// check leaves.
    fn snapshot(&self, world: &World) -> Result<Snapshot, FileError> {
        let snapshot = Snapshot::of(world, self.revision_of(world))?;
        if cfg!(any(test, debug_assertions)) {
            readback::check_leaves(world, &snapshot.leaves)?;
        }
        Ok(snapshot)
    }

    /// Returns the number of the first change of a world that is not in this file.
    fn revision_of(&self, world: &World) -> u64 {
        self.held_of(&world.saved).map_or(0, |held| held.revision)
    }

    fn commit(&mut self, snapshot: &Snapshot, encoding: EncodingThreads) -> Result<u64, FileError> {
        let span = tracing::debug_span!("commit", leaves = snapshot.changed_leaves());
        let _entered = span.enter();
        let (last, mut written) = (self.store.generation(), 0);
        let committed = self.or_roll_back(|file| {
            let held = file.held_of(&snapshot.world);
            let (before, from) = match held {
                Some(held) => (held.forest.clone(), held.generation),
                None => (Vec::new(), file.store.generation()),
            };
            // A snapshot lists the changes since `from`, so it must be written over that commit.
            if from != file.store.generation() {
                file.store.return_to(from)?;
            }
            written = snapshot.write(&mut file.store, &before, encoding)?;
            // The check precedes the commit: a file that cannot be loaded must not replace one that
            // can.
            readback::check(snapshot, &file.store)?;
            Ok(file.store.commit()?)
        });
        // A commit may exist whose file has lost its name: its content is recorded all the same.
        let generation = self.store.generation();
        if committed.is_ok() || generation > last {
            snapshot.world.note(snapshot.revision, written);
            self.keeps = None;
            self.now_holds(FileContent {
                world: Arc::clone(&snapshot.world),
                generation,
                revision: snapshot.revision,
                forest: snapshot.forest.clone(),
            });
        }
        committed
    }

    /// Leaves extents out of the next commit if not all of them could be put, or if a panic
    /// interrupted it.
    fn or_roll_back<T>(
        &mut self,
        put: impl FnOnce(&mut Self) -> Result<T, FileError>,
    ) -> Result<T, FileError> {
        let last = self.store.generation();
        // A panic would leave extents of half a save, which the next commit would contain.
        let done = catch_unwind(AssertUnwindSafe(|| put(self)));
        if !matches!(done, Ok(Ok(_))) {
            self.store.roll_back();
            // The commit to be kept is still the last one, unless a new one was made.
            if let Some(label) = self.keeps.filter(|_| self.store.generation() == last) {
                let _ = self.store.keep(label);
            }
        }
        done.unwrap_or_else(|panic| resume_unwind(panic))
    }

    /// Puts the parts that only edits change, and removes the extents of a different world.
    fn put_all(&mut self, world: &World) -> Result<(), FileError> {
        for key in self.store.keys()? {
            // Extents of a later build are not ours to remove.
            let is_terrain = key.layer == Layer::Head || key.layer.is_ground();
            if !is_terrain && !matches!(key.layer, Layer::Other(_)) {
                self.store.remove(key)?;
            }
        }
        match world.site.relief() {
            WorldRelief::InMemory(terrain) => write_terrain(terrain, &mut self.store)?,
            WorldRelief::InFile(pager) if pager.is_terrain_of(&self.store)? => {}
            WorldRelief::InFile(pager) => {
                for key in self.store.keys()? {
                    if key.layer == Layer::Head || key.layer.is_ground() {
                        self.store.remove(key)?;
                    }
                }
                pager.for_each_extent(|key, bytes| self.store.put(key, bytes))?;
            }
        }
        for (key, bytes) in classes::class_extents(world) {
            self.store.put(key, &bytes)?;
        }
        Ok(())
    }
}
